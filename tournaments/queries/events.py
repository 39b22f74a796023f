"""Read queries for the games at tables of rounds."""

from collections.abc import Iterable

from django.db.models import QuerySet

from tournaments.engine.rules.rulesets import Points
from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.models import Game
from tournaments.queries.games.sheets import Sheet, load_sheets
from tournaments.texts.labels import POINTS, points_text


def current_sheets(games: QuerySet[Game]) -> dict[int, Sheet]:
    """Return the current sheet of each table of `games`, with confirmations (3 queries).

    In a match, the current sheet is that of the last game.
    """
    sheets = load_sheets(games.order_by("pk").prefetch_related("confirmations"))
    return {s.row.table_id: s for s in sheets if s.row.table_id is not None}


Added = tuple[str, tuple[Points, ...]]
"""What a tournament adds to a league: its `points`, with the points of places if they count."""


def added_by(settings: TournamentSettings) -> Added:
    """Return what a tournament adds."""
    return settings.points, settings.place_points if settings.points == "places" else ()


def added_text(added: Iterable[Added]) -> str:
    """Return what leagues add, as text."""
    return ", ".join(
        f"{POINTS[points]} ({'-'.join(map(points_text, worth))})" if worth else str(POINTS[points])
        for points, worth in sorted(added)
    )
