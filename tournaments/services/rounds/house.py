"""House players that a round needs, registered without a director's preparation."""

from datetime import datetime
from itertools import count

from django.utils.translation import gettext as _

from tournaments.models.people import fold_name
from tournaments.queries.tournaments.state import TournamentState, load_state
from tournaments.services.audit import Actor
from tournaments.services.entrants.lists import Entry, is_for_pairs
from tournaments.services.entrants.registration import register_entrants


def with_house_players(
    state: TournamentState, number: int, by: Actor, *, at: datetime
) -> TournamentState:
    """Return the state with as many house players as fill the tables of round `number`.

    The tournament must be locked. The finals have none, and they never outnumber the others. None
    are added for those that a director has withdrawn.
    """
    if state.settings.odd != "house" or number > state.settings.rounds:
        return state
    playing = sum(not each.house for each in state.here(number))
    wanted = state.house_wanted(playing, 0, state.rules.side_count - 1)
    registered = sum(each.house for each in state.entrants.values())
    missing = wanted - registered if wanted < playing else 0
    return add_house_players(state, missing, by, at=at)


def add_house_players(
    state: TournamentState, missing: int, by: Actor, *, at: datetime
) -> TournamentState:
    """Register so many house players, and return the state with them."""
    if missing <= 0:
        return state
    tournament = state.tournament
    taken = {fold_name(p.name) for each in state.entrants.values() for p in each.players}
    names = (_("House player %(number)s") % {"number": number} for number in count(1))
    free = (name for name in names if fold_name(name) not in taken)
    pairs = is_for_pairs(tournament)
    entries = [
        Entry(next(free), partner=next(free) if pairs else "", house=True)
        for _each in range(missing)
    ]
    register_entrants(tournament.pk, entries, by, at=at)
    # It was locked and saved once more as another object.
    tournament.refresh_from_db(fields=["revision"])
    return load_state(tournament)
