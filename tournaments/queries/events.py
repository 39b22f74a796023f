"""Read queries for the games at tables of rounds."""

from django.db.models import QuerySet

from tournaments.models import Game
from tournaments.queries.games.sheets import Sheet, load_sheets


def current_sheets(games: QuerySet[Game]) -> dict[int, Sheet]:
    """Return the current sheet of each table of `games`, with confirmations (3 queries).

    In a match, the current sheet is that of the last game.
    """
    sheets = load_sheets(games.order_by("pk").prefetch_related("confirmations"))
    return {s.row.table_id: s for s in sheets if s.row.table_id is not None}
