"""Who leads a tournament, in a line of text."""

from collections.abc import Callable
from hashlib import sha256

from django.core.cache import caches
from django.utils.translation import get_language

from tournaments.models import Tournament
from tournaments.presenters.standings.standings import standings_seen
from tournaments.queries.tournaments.state import TournamentState
from tournaments.queries.tournaments.steps import version_of
from tournaments.texts.labels import points_text

MOST_LEADERS = 3
KEPT_SECONDS = 24 * 60 * 60


def leaders_of(tournament: Tournament, load: Callable[[], TournamentState]) -> str:
    """Return the first places as visitors see them, "" before any counts.

    1 query; `load` is called after a change only.
    """
    said = repr((version_of(tournament), get_language()))
    key = f"leaders-{sha256(said.encode()).hexdigest()}"
    kept: str | None = caches["pages"].get(key)
    if kept is None:
        state = load()
        seen = standings_seen(state, directs=False)
        rows = seen.rows[:MOST_LEADERS] if seen.after else ()
        names = ((row, state.entrants[row.entrant].shown_name) for row in rows)
        kept = " · ".join(f"{row.place}. {name} {points_text(row.points)}" for row, name in names)
        caches["pages"].set(key, kept, KEPT_SECONDS)
    return kept
