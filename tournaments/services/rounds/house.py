"""House players that a round needs, registered without a director's preparation."""

from collections import Counter
from collections.abc import Mapping
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

    The tournament must be locked. The finals have none, and in a section they never outnumber the
    others. None are added for those that a director has withdrawn.
    """
    if state.settings.odd != "house" or number > state.settings.rounds:
        return state
    here = Counter(state.section_of(each) for each in state.here(number) if not each.house)
    missing = {
        section: wanted - house_registered(state, section)
        for section in state.sections
        for wanted in [state.house_wanted(here[section], 0, state.rules.side_count - 1)]
        if wanted < here[section]
    }
    return add_house_players(state, missing, by, at=at)


def house_registered(state: TournamentState, section: str) -> int:
    """Return the number of house players of a section, also of those not here."""
    return sum(each.house and state.section_of(each) == section for each in state.entrants.values())


def add_house_players(
    state: TournamentState, missing: Mapping[str, int], by: Actor, *, at: datetime
) -> TournamentState:
    """Register so many house players in each section, and return the state with them."""
    sections = [section for section, number in missing.items() for _each in range(number)]
    if not sections:
        return state
    tournament = state.tournament
    taken = {fold_name(p.name) for each in state.entrants.values() for p in each.players}
    names = (_("House player %(number)s") % {"number": number} for number in count(1))
    free = (name for name in names if fold_name(name) not in taken)
    pairs = is_for_pairs(tournament)
    entries = [
        Entry(next(free), partner=next(free) if pairs else "", house=True, section=section)
        for section in sections
    ]
    register_entrants(tournament.pk, entries, by, at=at)
    # It was locked and saved once more as another object.
    tournament.refresh_from_db(fields=["revision"])
    return load_state(tournament)
