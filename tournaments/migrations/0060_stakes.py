"""A game can be played for something."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0059_joined_evenings")]

    operations = [
        migrations.AddField(
            model_name="game", name="stake", field=models.JSONField(blank=True, null=True)
        ),
    ]
