"""Ranks are counted from the ratings: what counted them before, and its check, go."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0057_labels_of_choices")]

    operations = [
        migrations.DeleteModel(name="RatingCount"),
        migrations.RunSQL(
            "DELETE FROM tournaments_difference WHERE cache = 'rating-counts'",
            migrations.RunSQL.noop,
        ),
    ]
