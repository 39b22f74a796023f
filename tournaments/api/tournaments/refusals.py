"""What the services of tournaments refuse, as problems; of two related ones the closer is first."""

from collections.abc import Callable, Iterable, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.api.problems import REFUSALS, Answer, Json, fault, refuses
from tournaments.engine.pairing.byes import ImpossibleFixed
from tournaments.engine.pairing.judging import Fault, InvalidSeating
from tournaments.engine.pairing.late import ImpossibleChange
from tournaments.engine.pairing.methods import NoRoundRobin
from tournaments.services.tournaments.clocks import NotThatLong
from tournaments.services.tournaments.drawing import NotWhoIsHere, RuledAbout, SeatingOutdated
from tournaments.services.tournaments.entering import TooMany
from tournaments.services.tournaments.entering_lists import NoLabel
from tournaments.services.tournaments.leading import Depended, WrongState
from tournaments.services.tournaments.proposals import (
    NoRoundLeft,
    NotEnough,
    RoundsLeft,
    StageUnfinished,
    TooFewLeft,
    TooFewThrough,
)
from tournaments.services.tournaments.record_import import TournamentExists
from tournaments.services.tournaments.rounds import RoundNotReady, Unready
from tournaments.services.tournaments.rulings import NoReason, NoSuchPoints, NotInRound
from tournaments.services.tournaments.substituting import NotAtTable, TakesPart
from tournaments.services.tournaments.swapping import SeatingMoved

refuses(
    RuledAbout, "ruled-about", gettext_lazy("Somebody was ruled about: withdraw the ruling first.")
)
refuses(Depended, "depended", gettext_lazy("Something that came after it depends on it: it stays."))
refuses(
    TournamentExists, "tournament-exists", gettext_lazy("There is a tournament with this slug.")
)
refuses(TooMany, "too-many-entrants", gettext_lazy("There is no room for so many entrants."))
refuses(
    NoLabel,
    "no-label",
    gettext_lazy("A team or a club has letters, and 80 of them at most."),
    as_status=422,
)
refuses(TooFewLeft, "too-few-left", gettext_lazy("Too few are left for these finals."))
refuses(TooFewThrough, "too-few-through", gettext_lazy("Too few are left for this stage."))
refuses(NotEnough, "not-enough", gettext_lazy("Too few are here to fill a table."))
refuses(
    StageUnfinished,
    "stage-unfinished",
    gettext_lazy("A table of the stage before has no result yet."),
)
refuses(
    RoundsLeft,
    "rounds-left",
    gettext_lazy("A round is still played; its results decide who sits where."),
)
refuses(NoRoundLeft, "no-round-left", gettext_lazy("All rounds have been seated."))
refuses(
    ImpossibleFixed,
    "impossible-fixed",
    gettext_lazy("Those who are to sit together do not fit at the tables."),
)
refuses(
    NotWhoIsHere, "not-who-is-here", gettext_lazy("Look who is here: the seating is not of them.")
)
refuses(
    SeatingMoved,
    "seating-moved",
    gettext_lazy("The seating has changed meanwhile: look at it once more."),
)
refuses(
    NotThatLong,
    "not-that-long",
    gettext_lazy("Between 1 second and 2 hours, and not below nothing."),
    as_status=422,
)
refuses(NotInRound, "not-in-round", gettext_lazy("They do not take part in this round."))
refuses(NoReason, "no-reason", gettext_lazy("A ruling is given with a reason."), as_status=422)
refuses(
    NoSuchPoints,
    "no-such-points",
    gettext_lazy("Not a number of points that can be ruled; a penalty takes some."),
    as_status=422,
)


def number_of(key: str) -> int:
    """The number of an entrant by the key that seatings have."""
    return int(key[1:])


def key_of(number: int) -> str:
    """The key of an entrant in seatings."""
    return f"e{number}"


def _wrong_state(error: WrongState) -> Answer:
    title = gettext_lazy("It is not as far as that, or too far.")
    return Answer(409, "wrong-state", title, [_state(error.state)])


def _state(state: str) -> Json:
    return fault("wrong-state", "", _("It is: %(state)s.") % {"state": state}, {"state": state})


def _takes_part(error: TakesPart) -> Answer:
    title = _("%(name)s plays this round already.") % {"name": error.player.shown_name}
    return Answer(409, "takes-part", title)


def _not_at_table(error: NotAtTable) -> Answer:
    text = _("%(name)s does not sit at the table any more: change it on the sheet.")
    return Answer(409, "not-at-table", text % {"name": error.player.shown_name})


def _no_round_robin(error: NoRoundRobin) -> Answer:
    title = gettext_lazy("So many cannot all meet each other once at tables of four.")
    params = {"count": error.count, "sizes": list(error.sizes)}
    return Answer(409, "no-round-robin", title, [fault("no-round-robin", "", title, params)])


def _impossible_change(error: ImpossibleChange) -> Answer:
    if error.code == "begun":
        number = error.table + 1
        title = _("Table %(number)s has begun: nobody leaves it any more.") % {"number": number}
        return Answer(
            409, "table-begun", title, [fault("table-begun", "", title, {"place": number})]
        )
    return Answer(
        409, "no-table-left", gettext_lazy("So few are left that not one table could be filled.")
    )


def _outdated(error: SeatingOutdated) -> Answer:
    title = gettext_lazy("Somebody of this seating has withdrawn: seat again.")
    gone = [fault("has-left", "", title, {"entrant": number_of(key)}) for key in error.keys]
    return Answer(409, "seating-outdated", title, gone)


def _invalid_seating(error: InvalidSeating) -> Answer:
    title = gettext_lazy("This is no seating of those who are here.")
    return Answer(422, "invalid-seating", title, [_seating_fault(each) for each in error.faults])


def _seating_fault(each: Fault) -> Json:
    params: dict[str, object] = dict(each.params)
    if "entrant" in params:
        params["entrant"] = _shown_number(str(params["entrant"]))
    return SEATING_FAULTS[each.code](params)


def _shown_number(key: str) -> int | str:
    return number_of(key) if key[1:].isdecimal() else key


Told = Callable[[Mapping[str, object]], Json]

SEATING_FAULTS: Mapping[str, Told] = {
    "unseated": lambda p: fault("unseated", "", _("Entrant %(entrant)s sits nowhere.") % p, p),
    "seated-twice": lambda p: fault(
        "seated-twice", "tables", _("Entrant %(entrant)s sits there twice.") % p, p
    ),
    "unknown": lambda p: fault(
        "unknown-entrant", "tables", _("Entrant %(entrant)s is not there.") % p, p
    ),
    "odd-table": lambda p: fault(
        "odd-table",
        f"tables.{p['table']}",
        _("A table has %(expected)s entrants, not %(got)s.") % p,
        p,
    ),
}

UNREADY: Mapping[str, Told] = {
    "unfinished": lambda p: fault("unfinished", "", _("Table %(table)s is still played.") % p, p),
    "unconfirmed": lambda p: fault(
        "unconfirmed", "", _("Table %(table)s is not confirmed.") % p, p
    ),
    "wrong-sum": lambda p: fault("wrong-sum", "", _("Table %(table)s: the sum is wrong.") % p, p),
}


def _not_ready(error: RoundNotReady) -> Answer:
    title = gettext_lazy("Tables keep the round from being closed.")
    return Answer(409, "round-not-ready", title, list(_unready(error.tables)))


def _unready(tables: Iterable[Unready]) -> Iterable[Json]:
    return (UNREADY[each.why]({"table": each.number}) for each in tables)


REFUSALS |= {
    WrongState: _wrong_state,
    TakesPart: _takes_part,
    NotAtTable: _not_at_table,
    NoRoundRobin: _no_round_robin,
    ImpossibleChange: _impossible_change,
    SeatingOutdated: _outdated,
    InvalidSeating: _invalid_seating,
    RoundNotReady: _not_ready,
}
