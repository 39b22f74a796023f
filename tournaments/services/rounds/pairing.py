"""Convert failures of the engine to seat a round into refusals."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.translation import gettext_lazy as _

from tournaments.engine.pairing import judging
from tournaments.engine.pairing.field import ImpossibleFixed
from tournaments.engine.pairing.methods import ImpossibleChange, NoRoundRobin
from tournaments.services.base.refusals import Fault, Refused


class FixedApart(Refused, code="impossible-fixed"):
    sentence = _("Those who are to sit together do not fit at the tables.")


class RoundRobinImpossible(Refused, code="no-round-robin", listed=True):
    sentence = _(
        "%(count)s cannot all meet each other once at tables of four: only %(sizes)s can."
        " Change “Who sits with whom” in the settings."
    )

    def __init__(self, error: NoRoundRobin) -> None:
        sizes = list(error.sizes)
        params = {"count": error.count, "sizes": ", ".join(map(str, sizes))}
        super().__init__(params, {"count": error.count, "sizes": sizes})


class TableBegun(Refused, code="table-begun", listed=True):
    sentence = _("Table %(number)s has begun: nobody leaves it any more.")

    def __init__(self, number: int) -> None:
        super().__init__({"number": number}, {"place": number})


class NoTableLeft(Refused, code="no-table-left"):
    sentence = _("So few are left that not one table could be filled.")


class SeatingInvalid(Refused, code="invalid-seating", status=422):
    sentence = _("This is no seating of those who are here.")

    def __init__(self, error: judging.InvalidSeating) -> None:
        super().__init__(faults=[SEATING_FAULTS[each.code](each) for each in error.faults])


class _SeatingFault(Fault):
    def __init__(self, found: judging.SeatingFault) -> None:
        params = dict(found.params)
        if str(params.get("entrant", ""))[1:].isdecimal():
            params["entrant"] = number_of(str(params["entrant"]))
        super().__init__(params, params)


class Unseated(_SeatingFault, code="unseated"):
    sentence = _("Entrant %(entrant)s sits nowhere.")


class SeatedTwice(_SeatingFault, code="seated-twice", where="tables"):
    sentence = _("Entrant %(entrant)s sits there twice.")


class NobodyToSeat(_SeatingFault, code="unknown-entrant", where="tables"):
    sentence = _("Entrant %(entrant)s is not there.")


class OddTable(_SeatingFault, code="odd-table"):
    sentence = _("A table has %(expected)s entrants, not %(got)s.")

    def __init__(self, found: judging.SeatingFault) -> None:
        super().__init__(found)
        self.where = f"tables.{found.params['table']}"


SEATING_FAULTS = {
    "unseated": Unseated,
    "seated-twice": SeatedTwice,
    "unknown": NobodyToSeat,
    "odd-table": OddTable,
}


@contextmanager
def engine_refusals() -> Iterator[None]:
    """Raise the refusal that corresponds to a failure of the engine."""
    try:
        yield
    except ImpossibleFixed as error:
        raise FixedApart from error
    except NoRoundRobin as error:
        raise RoundRobinImpossible(error) from error
    except ImpossibleChange as error:
        raise (TableBegun(error.table + 1) if error.code == "begun" else NoTableLeft()) from error
    except judging.InvalidSeating as error:
        raise SeatingInvalid(error) from error


def number_of(key: str) -> int:
    """Return the number of an entrant from its seating key."""
    return int(key[1:])


def key_of(number: int) -> str:
    """Return the seating key of an entrant."""
    return f"e{number}"
