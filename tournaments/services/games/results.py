"""Stored results of finished games: compare with their revisions, and rebuild."""

from collections.abc import Iterator
from typing import Any

from django.db import transaction

from tournaments.models import Game, KeptSums, Round
from tournaments.queries.games.sheets import (
    Archived,
    LaterEntryInvalid,
    load_kept_sheets,
    load_sheet,
    result_of,
)
from tournaments.services.ratings.due import rate_round_again

AT_ONCE = 200


def rebuild_results() -> int:
    """Recompute the result of every game; return the number of changed results.

    Rounds rated with a wrong result are rated again. A game whose entries are inconsistent keeps
    its result, since none can be computed.
    """
    differing = list(_differing())
    return sum(rebuild_result(pk) for pk, _ in differing)


def differing_results() -> list[str]:
    """Return the public names of games whose result differs from that of their revisions."""
    return [public_id for _, public_id in _differing()]


def _differing() -> Iterator[tuple[int, str]]:
    last = 0
    games = Game.objects.order_by("pk")
    while rows := games.filter(pk__gt=last)[:AT_ONCE]:
        keys = [row.pk for row in rows]
        for row, result in results_of(keys):
            if row.result != result:
                yield row.pk, row.public_id
        last = keys[-1]


UNFIT = object()
"""The stored result of a game whose entries are inconsistent."""


def results_of(keys: list[int]) -> list[tuple[Game, Any]]:
    """Return games with the results of their revisions; `UNFIT` if entries are inconsistent.

    Games of archived partitions are left out.
    """
    rows = Game.objects.filter(pk__in=keys).order_by("pk")
    try:
        return [(sheet.row, result_of(sheet)) for sheet in load_kept_sheets(rows)]
    except LaterEntryInvalid:
        return [(row, _result_of(row)) for row in rows.all()]


def _result_of(row: Game) -> Any:
    try:
        return result_of(load_sheet(row))
    except LaterEntryInvalid:
        return UNFIT
    except Archived:
        return row.result


@transaction.atomic
def rebuild_result(pk: int) -> bool:
    """Recompute the result of a game; return whether it changed."""
    # Writers lock the game and leave its result right.
    row = Game.objects.select_for_update().get(pk=pk)
    result = _result_of(row)
    if result is UNFIT or result == row.result:
        return False
    row.result = result
    row.save(update_fields=["result"])
    # Their version counts revisions, and this is none.
    KeptSums.objects.filter(player__seats__game=row).delete()
    for place in Round.objects.filter(tables__games=row).select_related("event"):
        rate_round_again(place)
    return True
