"""Differences that are told no longer, since they have been repaired."""

from collections.abc import Sequence
from datetime import datetime

from tournaments.models import Difference
from tournaments.services.checking.all_caches import Differing

ROWS_AT_ONCE = 500


def close_repaired(found: Sequence[Differing], at: datetime) -> None:
    """Close what was told and is not among the `found`, which are all there are."""
    there = {(cache.name, each.subject) for cache, each in found}
    kept = Difference.objects.open().values_list("pk", "cache", "subject")
    gone = [pk for pk, cache, subject in kept if (cache, subject) not in there]
    for first in range(0, len(gone), ROWS_AT_ONCE):
        rows = Difference.objects.open().filter(pk__in=gone[first : first + ROWS_AT_ONCE])
        rows.update(resolved_at=at)
