"""Kept sums of players: read them, and compute those that are missing or of another version."""

from collections.abc import Sequence
from contextlib import suppress

from django.db import DatabaseError, transaction
from django.db.models import QuerySet

from tournaments.models import KeptSums, Player, Seat
from tournaments.queries.people.players import (
    History,
    HistoryPart,
    add_histories,
    read_histories,
    read_history,
    version_of,
    write_history,
)

FEWEST = 25
"""With fewer games, reading them is as fast as reading their sums."""


def sums_of_games(
    player: Player, seats: QuerySet[Seat], parts: Sequence[HistoryPart], *, keep: bool
) -> History:
    """Return the sums of parts, from kept sums where these hold (2 queries).

    The others are computed (2 queries). With `keep` they are kept, if the database can be written
    (3 queries); a page for everybody must not write, as it may be read from a replica.
    """
    versions = version_of(player, parts)
    rows = KeptSums.objects.filter(player=player, part__in=list(versions))
    kept = {row.part: row.sums for row in rows if row.version == versions[row.part]}
    missing = [part for part in parts if part.key not in kept]
    found = read_histories(player, seats, missing) if missing else []
    new = [
        KeptSums(
            player=player, part=part.key, version=versions[part.key], sums=write_history(history)
        )
        for part, history in found
        if part.key and part.games >= FEWEST
    ]
    if keep and new:
        _keep(new)
    histories = [history for _part, history in found]
    return add_histories([*histories, *(read_history(sums) for sums in kept.values())])


def _keep(rows: list[KeptSums]) -> None:
    # A page that cannot store them is shown all the same.
    with suppress(DatabaseError), transaction.atomic():
        KeptSums.objects.bulk_create(
            # In one order, so that two requests do not wait for each other.
            sorted(rows, key=lambda row: row.part),
            update_conflicts=True,
            unique_fields=["player", "part"],
            update_fields=["version", "sums"],
        )
