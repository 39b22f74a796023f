"""Find entries that a proxy may have put on the sheet of another table."""

from datetime import timedelta
from itertools import groupby, pairwise
from typing import Any

from django.core.management.base import BaseCommand
from django.db.models import Count

from tournaments.models import Revision

WITHIN = timedelta(minutes=10)
"""A phone repeats what was not answered for a minute at most between two tries."""


class Command(BaseCommand):
    """`manage.py find_mixed_entries`: each key of a phone that is on two sheets."""

    help = (
        "List entries of one key on several sheets within ten minutes: a proxy may have sent the"
        " entry of one table to another. The last one is probably where it belongs."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        keys = (
            Revision.objects.order_by().values("key").annotate(games=Count("game", distinct=True))
        )
        keys = keys.filter(games__gt=1).exclude(key__startswith="import-")
        rows = Revision.objects.filter(key__in=keys.values("key"))
        rows = rows.select_related("game").order_by("key", "at", "pk")
        found = 0
        for key, group in groupby(rows.iterator(), lambda row: row.key):
            # In one game a key is unique. An imported copy has the very times of the original.
            near = {
                row: None
                for pair in pairwise(group)
                if timedelta(0) < pair[1].at - pair[0].at <= WITHIN
                for row in pair
            }
            found += bool(near)
            for row in near:
                place = f"game {row.game.public_id}, revision {row.revision}, {row.kind}"
                self.stdout.write(f"{key}: {row.at:%Y-%m-%d %H:%M:%S} UTC, {place}")
        self.stdout.write(f"{found} keys on several sheets")
