"""Who leads a tournament, in a line of text."""

from hashlib import sha256

from django.core.cache import caches
from django.utils.translation import get_language

from tournaments.models import Tournament
from tournaments.presenters.standings.standings import standings_seen
from tournaments.queries.tournaments.state import load_state
from tournaments.queries.tournaments.versions import version_of
from tournaments.texts.labels import points_text

MOST_LEADERS = 3
KEPT_SECONDS = 24 * 60 * 60


def leaders_of(tournament: Tournament) -> str:
    """Return the first places as visitors see them, "" before any counts.

    1 query; 5 more after a change.
    """
    said = repr((version_of(tournament), get_language()))
    key = f"leaders-{sha256(said.encode()).hexdigest()}"
    kept: str | None = caches["pages"].get(key)
    if kept is None:
        state = load_state(tournament)
        seen = standings_seen(state, directs=False)
        rows = seen.rows[:MOST_LEADERS] if seen.after else ()
        names = ((row, state.entrants[row.entrant].shown_name) for row in rows)
        kept = " · ".join(f"{row.place}. {name} {points_text(row.points)}" for row, name in names)
        caches["pages"].set(key, kept, KEPT_SECONDS)
    return kept
