"""Ratings take rounds in the order of their days, no longer in that of their closing."""

from datetime import UTC, datetime, time

from django.db import migrations, models
from django.db.models import Min


def rate_all_again(apps, schema_editor):
    """Request all ratings, which a worker computes while the site runs."""
    rounds = apps.get_model("tournaments", "Round").objects.filter(closed_at__isnull=False)
    due = apps.get_model("tournaments", "RatingDue")
    for club, day, closed_at in rounds.values_list("event__club").annotate(
        Min("event__held_on"), Min("closed_at")
    ):
        # What is stored has the moments of closing, which can be earlier than the days.
        since = min(datetime.combine(day, time(tzinfo=UTC)), closed_at)
        due.objects.create(club_id=club, since=since)


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0048_totals_as_one_entry"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="round",
            name="round_closed",
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(fields=["held_on"], name="event_by_day"),
        ),
        migrations.RunPython(rate_all_again, migrations.RunPython.noop),
    ]
