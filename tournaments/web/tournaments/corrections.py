"""Whether corrections have moved standings that were kept when a round was closed."""

from tournaments.models import Tournament
from tournaments.queries.tournaments import load_course
from tournaments.services.tournaments.rounds import changes_since_closing, last_correction

_moved: dict[int, tuple[object, bool]] = {}
"""Whether corrections have changed anything, by tournament, and by what this was found out."""


def standings_moved(tournament: Tournament) -> bool:
    """Whether standings that were kept at closing are others now (2 queries, 9 after a change)."""
    last = last_correction(tournament)
    if last == (0, 0):
        return False
    # The revision counts rulings, those withdrawn too, and what a director has seen.
    found_by = (tournament.slug, tournament.revision, last)
    known = _moved.get(tournament.pk)
    if known is None or known[0] != found_by:
        known = (found_by, bool(changes_since_closing(load_course(tournament))))
        _moved[tournament.pk] = known
    return known[1]
