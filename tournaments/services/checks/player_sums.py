"""The kept sums of players."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from django.utils import timezone

from tournaments.models import KeptSums
from tournaments.queries.people.players import (
    parts_of,
    read_histories,
    seats_of,
    version_of,
    write_history,
)
from tournaments.services.base.moment import one_moment
from tournaments.services.checks.caches import Mismatch, ScanResult, batches_of

AT_ONCE = 25


def look_at_player_sums() -> Iterator[ScanResult]:
    """Compare kept sums with the games. Those of another version are not used, so they may stay."""
    for keys in batches_of(KeptSums.objects.all(), AT_ONCE):
        with one_moment():
            rows = KeptSums.objects.filter(pk__in=keys).select_related("player")
            by_player = groupby(rows.order_by("player", "pk"), key=lambda row: row.player)
            found = tuple(each for _, own in by_player for each in _look_at(list(own)))
        yield ScanResult(len(keys), found)


def _look_at(rows: list[KeptSums]) -> Iterator[Mismatch]:
    """Compare the sums of one player."""
    player = rows[0].player
    seats = seats_of(player, None)
    parts, _every = parts_of(seats, timezone.localdate())
    versions = version_of(player, parts)
    kept = {row.part: row for row in rows if row.version == versions.get(row.part)}
    for part, history in read_histories(player, seats, [p for p in parts if p.key in kept]):
        row, computed = kept[part.key], write_history(history)
        if _in_order(row.sums) != _in_order(computed):
            subject = f"sums:{row.pk}"
            yield Mismatch(player.club_id, subject, row.sums["games"], computed["games"])


def _in_order(sums: dict[str, Any]) -> dict[str, Any]:
    return sums | {"places": sorted(sums["places"])}


def repair_player_sums(found: Iterable[Mismatch]) -> None:
    """Delete the sums: the next page of the player computes them."""
    names = [int(each.subject.removeprefix("sums:")) for each in found]
    KeptSums.objects.filter(pk__in=names).delete()
