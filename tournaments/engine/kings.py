"""Kings: all 13 tricks of a deal by one player (`docs/rules.md` §1.1, §1.9)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tournaments.engine.entries import Deal
from tournaments.engine.fields import ALL_TRICKS, KING_FIELDS
from tournaments.engine.problems import Code, Problem
from tournaments.engine.rulesets import TRUMP, Contract, Ruleset
from tournaments.engine.units import UNITS, Counts


@dataclass(frozen=True, slots=True)
class King:
    """A King at the table: the seat it stands or falls with, and whether it was made."""

    seat: int
    made: bool


def find_king(ruleset: Ruleset, contract: Contract, deal: Deal) -> King | None:
    """The King made or failed in a deal, by the table's King rule."""
    rule = ruleset.settings.get("king", "off")
    if rule == "off" or (rule == "declared" and "king_declared_by" not in deal.details):
        return None
    taker = _taker_of_all_tricks(ruleset, deal)
    if rule == "declared":
        seat = int(deal.details["king_declared_by"])
        return King(seat, taker == ruleset.sides[seat])
    if taker is None or not _king_counts_in(ruleset, contract):
        return None
    return King(int(deal.details.get("king", taker)), made=True)


def king_is_said(ruleset: Ruleset, contract: Contract) -> bool:
    """Whether a King in this contract has to be stated, because its counts do not show it."""
    switched_on = ruleset.settings.get("king", "off") != "off"
    return switched_on and "tricks" not in contract.values and _king_counts_in(ruleset, contract)


def king_is_declared(ruleset: Ruleset, deal: Deal) -> bool:
    """Whether someone declared King in this deal, at a table where that is possible."""
    rule = ruleset.settings.get("king", "off")
    return "king_declared_by" in KING_FIELDS[rule] and "king_declared_by" in deal.details


def check_king(ruleset: Ruleset, contract: Contract, deal: Deal) -> Iterator[Problem]:
    """A King needs all 13 tricks of a deal in which it counts."""
    stated = _stated_kings(ruleset, deal)
    if not stated:
        return
    why = _why_no_king(ruleset, contract, deal, stated)
    if why is not None:
        where = "king" if "king" in stated else "king_declared_by"
        yield Problem(Code.BAD_KING, where, {"why": why})


def _taker_of_all_tricks(ruleset: Ruleset, deal: Deal) -> int | None:
    """The side with all 13 tricks: shown by a count of tricks, otherwise as the table says."""
    tricks = (deal.counts or {}).get("tricks")
    if tricks is not None:
        return tricks.index(ALL_TRICKS) if ALL_TRICKS in tricks else None
    king = deal.details.get("king")
    return None if king is None else ruleset.sides[int(king)]


def _king_counts_in(ruleset: Ruleset, contract: Contract) -> bool:
    return contract.kind == TRUMP or ruleset.settings.get("king_deals", "all") == "all"


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
    if not _may_hold_everything(ruleset, deal.counts or {}, king):
        return "not-all-units"
    if ruleset.settings["king"] == "declared" and not _declared_by(king, deal, stated):
        return "not-declared"
    return None


def _declared_by(king: int, deal: Deal, stated: Mapping[str, int]) -> bool:
    """Whether the King was declared; a seat that does not exist is a problem already."""
    if "king_declared_by" in stated:
        return stated["king_declared_by"] == king
    return "king_declared_by" in deal.details


def _may_hold_everything(ruleset: Ruleset, counts: Counts, side: int) -> bool:
    """Whether a side has every unit, as far as one number per side is written."""
    return all(
        numbers[side] == UNITS[unit].total
        for unit, numbers in counts.items()
        if unit in UNITS and len(numbers) == ruleset.side_count
    )
