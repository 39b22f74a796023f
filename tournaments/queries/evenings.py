"""Reads: what is played at tables of rounds."""

from django.db.models import QuerySet

from tournaments.models import Game
from tournaments.queries.sheets import Sheet, load_sheets


def current_sheets(games: QuerySet[Game]) -> dict[int, Sheet]:
    """For each table of `games` the sheet of the last one, with its confirmations (3 queries).

    The last game of a match is the one that is played.
    """
    sheets = load_sheets(games.order_by("pk").prefetch_related("confirmations"))
    return {s.row.table_id: s for s in sheets if s.row.table_id is not None}
