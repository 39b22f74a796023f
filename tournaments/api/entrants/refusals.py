"""Why entries cannot be entrants, each at its place in what was sent."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.utils.translation import gettext as _

from tournaments.api.problems import Json, Refused, fault, invalid
from tournaments.models.people import fold_name
from tournaments.services.people.players import NoName, clean_name
from tournaments.services.tournaments.entering import EntrantsRefused
from tournaments.services.tournaments.entering_lists import (
    EnteredAlready,
    Entry,
    NamedTwice,
    NoLabel,
    NotAlone,
    clean_label,
)


@contextmanager
def entries_placed(entries: Sequence[Entry], at: str = "entrants.") -> Iterator[None]:
    """Have what is wrong with entries stand where they stand in what was sent."""
    try:
        yield
    except EntrantsRefused as refused:
        problems = refused.problems.items()
        faults = [
            _fault(entries[line], problem, f"{at}{line}." if at else "")
            for line, problem in problems
        ]
        raise Refused(invalid(faults)) from refused


def _fault(entry: Entry, problem: Exception, at: str) -> Json:
    match problem:
        case EnteredAlready():
            params = {"name": problem.player.shown_name, "number": problem.number}
            said = _("%(name)s takes part already, as number %(number)s.") % params
            where = _where(entry, problem.player.name)
            return fault("entered-already", f"{at}{where}", said, params)
        case NamedTwice():
            named = {"name": problem.name, "first": problem.line}
            twice = _("%(name)s stands in the list twice.") % named
            return fault("named-twice", f"{at}{_where(entry, problem.name)}", twice, named)
        case NotAlone() if entry.partner:
            alone = _("Everybody plays alone here: one name on each line.")
            return fault("not-alone", f"{at}partner", alone)
        case NotAlone():
            return fault(
                "no-partner", f"{at}partner", _("The partner is missing: pairs play here.")
            )
        case NoLabel():
            label = _("A team or a club has letters, and 80 of them at most.")
            return fault("no-label", f"{at}{_label(entry)}", label)
        case NoName():
            name = _("A name has letters, and 80 of them at most.")
            return fault("no-name", f"{at}{_nameless(entry)}", name)
    raise problem


def _where(entry: Entry, name: str) -> str:
    """At which of the two names somebody stands."""
    is_partner = fold_name(entry.partner) == fold_name(name) != fold_name(entry.name)
    return "partner" if is_partner else "name"


def _label(entry: Entry) -> str:
    try:
        clean_label(entry.team)
    except NoLabel:
        return "team"
    return "represents"


def _nameless(entry: Entry) -> str:
    try:
        clean_name(entry.name)
    except NoName:
        return "name"
    return "partner"
