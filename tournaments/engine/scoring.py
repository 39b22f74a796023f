"""One deal: is it possible, and what is it worth."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tournaments.engine.entries import Deal
from tournaments.engine.problems import Code, Problem
from tournaments.engine.rulesets import TRUMP, Contract, Points, Ruleset
from tournaments.engine.units import UNITS, Counts, check_unit, fewest_tricks

ALL_TRICKS = UNITS["tricks"].total
SEAT_FIELDS = ("king", "king_declared_by", "rifki_holder")


@dataclass(frozen=True, slots=True)
class King:
    """A King at the table: the seat it stands or falls with, and whether it was made."""

    seat: int
    made: bool


@dataclass(frozen=True, slots=True)
class Score:
    """What a deal is worth: points per side, in side order, and their expected sum."""

    points: tuple[Points, ...]
    expected_sum: Points
    king: King | None


@dataclass(frozen=True, slots=True)
class Scoring:
    """A way to turn counts into points, and to tell which counts are possible."""

    check: Callable[[Ruleset, Contract, Counts], Iterator[Problem]]
    points: Callable[[Contract, Counts], tuple[Points, ...]]
    expected_sum: Callable[[Contract, tuple[Points, ...]], Points]


def check_deal(ruleset: Ruleset, deal: Deal) -> Iterator[Problem]:
    """Every reason why this deal cannot have been, whoever's turn it was.

    An open deal (no counts yet) is checked for what it says so far.
    """
    contract = ruleset.by_id.get(deal.contract)
    if contract is None:
        yield Problem(Code.UNKNOWN_CONTRACT, "contract", {"contract": deal.contract})
        return
    yield from _check_details(ruleset, contract, deal)
    faults: list[Problem] = []
    if deal.counts is not None:
        faults += SCORINGS[contract.scoring].check(ruleset, contract, deal.counts)
    yield from faults
    # What follows from counts is only asked of counts that can be.
    counts = None if faults else deal.counts
    yield from _check_replay(ruleset, contract, deal, counts)
    yield from _check_tricks_played(contract, deal, counts)
    yield from _check_king(ruleset, contract, deal)


def score_deal(ruleset: Ruleset, deal: Deal) -> Score:
    """The points of a deal with counts in which `check_deal` found no problem."""
    contract = ruleset.by_id[deal.contract]
    scoring = SCORINGS[contract.scoring]
    counts = deal.counts or {}
    points = scoring.points(contract, counts)
    return Score(points, scoring.expected_sum(contract, points), find_king(ruleset, deal))


def find_king(ruleset: Ruleset, deal: Deal) -> King | None:
    """The King made or failed in a deal, by the table's King rule (`docs/rules.md` §1.1, §1.9)."""
    rule = ruleset.settings.get("king", "off")
    if rule == "off" or (rule == "declared" and "king_declared_by" not in deal.details):
        return None
    contract = ruleset.by_id[deal.contract]
    taker = _taker_of_all_tricks(contract, deal)
    if rule == "declared":
        seat = int(deal.details["king_declared_by"])
        return King(seat, taker == ruleset.sides[seat])
    if taker is None or not _king_counts_in(ruleset, contract):
        return None
    return King(int(deal.details.get("king", taker)), made=True)


def _taker_of_all_tricks(contract: Contract, deal: Deal) -> int | None:
    """The side with all 13 tricks: shown by a count of tricks, otherwise as the table says."""
    counts = deal.counts or {}
    if "tricks" in contract.values:
        tricks = counts.get("tricks", ())
        return tricks.index(ALL_TRICKS) if ALL_TRICKS in tricks else None
    king = deal.details.get("king")
    return None if king is None else int(king)


def king_is_said(ruleset: Ruleset, contract: Contract) -> bool:
    """Whether a King in this contract has to be stated, because its counts do not show it."""
    switched_on = ruleset.settings.get("king", "off") != "off"
    return switched_on and "tricks" not in contract.values and _king_counts_in(ruleset, contract)


def _king_counts_in(ruleset: Ruleset, contract: Contract) -> bool:
    return contract.kind == TRUMP or ruleset.settings.get("king_deals", "all") == "all"


def _check_details(ruleset: Ruleset, contract: Contract, deal: Deal) -> Iterator[Problem]:
    for name, value in deal.details.items():
        if name == "trump":
            if value not in contract.trumps:
                yield Problem(
                    Code.BAD_TRUMP, "trump", {"trump": value, "allowed": list(contract.trumps)}
                )
        elif name not in _fields_of(ruleset, contract):
            yield Problem(Code.UNEXPECTED_FIELD, name, {"field": name})
        elif name in SEAT_FIELDS and value not in range(ruleset.seats):
            yield Problem(Code.BAD_SEAT, name, {"seats": ruleset.seats, "got": value})


def _fields_of(ruleset: Ruleset, contract: Contract) -> tuple[str, ...]:
    """The fields a deal may have besides contract, declarer, counts and trump."""
    rule = ruleset.settings.get("king", "off")
    return (*contract.fields, "tricks_played", *KING_FIELDS[rule])


KING_FIELDS: Mapping[str | int | bool, tuple[str, ...]] = MappingProxyType(
    {"off": (), "ends-game": ("king",), "declared": ("king", "king_declared_by")}
)


def _check_replay(
    ruleset: Ruleset, contract: Contract, deal: Deal, counts: Counts | None
) -> Iterator[Problem]:
    """One unit each is played again; only a declared King stands, as failed."""
    rule = ruleset.settings.get("king", "off")
    declared = "king_declared_by" in KING_FIELDS[rule] and "king_declared_by" in deal.details
    if not contract.replay_one_each or declared:
        return
    for unit, numbers in (counts or {}).items():
        if all(number == 1 for number in numbers):
            yield Problem(Code.MUST_BE_VOID, f"counts.{unit}", {"contract": contract.id})


def _check_tricks_played(
    contract: Contract, deal: Deal, counts: Counts | None
) -> Iterator[Problem]:
    played = deal.details.get("tricks_played")
    if not isinstance(played, int):
        return
    fewest = 1 if contract.may_end_early else ALL_TRICKS
    if counts is not None and contract.may_end_early:
        fewest = sum(fewest_tricks(unit, counts[unit.id]) for unit in contract.units)
    if played < 0:
        yield Problem(Code.NEGATIVE_COUNT, "tricks_played", {"got": played})
    elif played > ALL_TRICKS:
        yield Problem(Code.COUNT_TOO_LARGE, "tricks_played", {"most": ALL_TRICKS, "got": played})
    elif played < fewest:
        yield Problem(Code.INCONSISTENT_COUNTS, "tricks_played", {"fewest": fewest, "got": played})


def _check_king(ruleset: Ruleset, contract: Contract, deal: Deal) -> Iterator[Problem]:
    """A King needs all 13 tricks of a deal in which it counts."""
    stated = _stated_kings(ruleset, deal)
    if not stated:
        return
    why = _why_no_king(ruleset, contract, deal, stated)
    if why is not None:
        yield Problem(
            Code.BAD_KING, "king" if "king" in stated else "king_declared_by", {"why": why}
        )


def _stated_kings(ruleset: Ruleset, deal: Deal) -> dict[str, int]:
    """The side each King field of the deal names, as far as the table has it and the seat exists.

    What is left out here is a problem of its own, reported at its field.
    """
    details = deal.details
    return {
        name: ruleset.sides[int(details[name])]
        for name in KING_FIELDS[ruleset.settings.get("king", "off")]
        if name in details and details[name] in range(ruleset.seats)
    }


def _why_no_king(
    ruleset: Ruleset, contract: Contract, deal: Deal, stated: Mapping[str, int]
) -> str | None:
    """The reason a stated King is impossible, as a word for the message; None if it is right."""
    if not _king_counts_in(ruleset, contract):
        return "only-in-trump"
    if int(deal.details.get("tricks_played", ALL_TRICKS)) < ALL_TRICKS:
        return "ended-early"
    king = stated.get("king")
    if king is None:
        return None
    if not _may_hold_everything(ruleset, contract, deal.counts or {}, king):
        return "not-all-units"
    if ruleset.settings["king"] == "declared" and not _declared_by(king, deal, stated):
        return "not-declared"
    return None


def _declared_by(king: int, deal: Deal, stated: Mapping[str, int]) -> bool:
    """Whether the King was declared; a seat that does not exist is a problem already."""
    if "king_declared_by" in stated:
        return stated["king_declared_by"] == king
    return "king_declared_by" in deal.details


def _may_hold_everything(ruleset: Ruleset, contract: Contract, counts: Counts, side: int) -> bool:
    """Whether a side has every unit, as far as one number per side is written."""
    return all(
        counts[unit.id][side] == unit.total
        for unit in contract.units
        if len(counts.get(unit.id, ())) == ruleset.side_count
    )


def _check_units(ruleset: Ruleset, contract: Contract, counts: Counts) -> Iterator[Problem]:
    for unit in counts:
        if unit not in contract.values:
            yield Problem(Code.UNEXPECTED_FIELD, f"counts.{unit}", {"field": unit})
    for expected in contract.units:
        if expected.id in counts:
            yield from check_unit(expected, counts[expected.id], ruleset.side_count)
        else:
            yield Problem(Code.MISSING_FIELD, f"counts.{expected.id}", {"field": expected.id})


def _points_per_unit(contract: Contract, counts: Counts) -> tuple[Points, ...]:
    columns = [[each * count for count in counts[unit]] for unit, each in contract.values.items()]
    if len(columns) == 1:  # As in nearly every contract, so that it had better be quick.
        return tuple(columns[0])
    return tuple(map(sum, zip(*columns, strict=True)))


SCORINGS: Mapping[str, Scoring] = MappingProxyType(
    {
        "per-unit": Scoring(
            check=_check_units,
            points=_points_per_unit,
            expected_sum=lambda contract, _points: contract.deal_sum,
        ),
    }
)
"""The named strategies of scoring; a contract names one of them."""
