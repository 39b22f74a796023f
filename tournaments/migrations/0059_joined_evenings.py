"""Two evenings of one circle can be joined: the address of one leads to the other."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0058_ranks_from_ratings")]

    operations = [
        migrations.AddField(
            model_name="opentable",
            name="joined_to",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="joined",
                to="tournaments.opentable",
            ),
        ),
    ]
