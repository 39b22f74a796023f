from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0012_no_rematch_of"),
    ]

    operations = [
        migrations.AddField(
            model_name="game",
            name="resting",
            field=models.JSONField(blank=True, default=list),
        ),
    ]
