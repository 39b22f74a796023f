"""Detect corrections that changed the standings stored when a round was closed."""

from collections.abc import Iterable

from tournaments.models import Round, Tournament
from tournaments.queries.tournaments.state import load_state
from tournaments.services.rounds.running import changes_since_closing, last_correction

_moved: dict[int, tuple[object, int]] = {}
"""The number of entrants whom corrections moved, by tournament, with the version compared."""


def standings_moved(tournament: Tournament, rounds: Iterable[Round]) -> int:
    """Return how many entrants have another place than stored (2 queries, 9 after a change)."""
    last = last_correction(rounds)
    if last == (0, 0):
        return 0
    # The revision also counts rulings, withdrawn rulings, and acknowledgements by directors.
    found_by = (tournament.slug, tournament.revision, last)
    known = _moved.get(tournament.pk)
    if known is None or known[0] != found_by:
        moved = changes_since_closing(load_state(tournament))
        known = (found_by, len({each.entrant for each in moved}))
        _moved[tournament.pk] = known
    return known[1]
