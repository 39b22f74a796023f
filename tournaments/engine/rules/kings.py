"""Kings made, failed and stated in one deal."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tournaments.engine.rules.entries import Deal
from tournaments.engine.rules.entry_shapes import ALL_TRICKS
from tournaments.engine.rules.fields import KING_FIELDS
from tournaments.engine.rules.problems import Code, Problem
from tournaments.engine.rules.rulesets import TRUMP, Contract, Ruleset
from tournaments.engine.rules.units import UNITS, Counts

KINGS = frozenset(name for names in KING_FIELDS.values() for name in names)
"""The fields that state a King."""


@dataclass(frozen=True, slots=True)
class King:
    """A King at the table: the seat it depends on, and whether it was made."""

    seat: int
    made: bool


def find_king(ruleset: Ruleset, contract: Contract, deal: Deal) -> King | None:
    """Return the King made or failed in a deal, by the table's King rule."""
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
    """Return whether a King must be stated because the counts of this contract do not show it."""
    switched_on = ruleset.settings.get("king", "off") != "off"
    return switched_on and "tricks" not in contract.values and _king_counts_in(ruleset, contract)


def king_is_declared(ruleset: Ruleset, deal: Deal) -> bool:
    """Return whether someone declared King in this deal, at a table that allows it."""
    rule = ruleset.settings.get("king", "off")
    return "king_declared_by" in KING_FIELDS[rule] and "king_declared_by" in deal.details


def check_king(ruleset: Ruleset, contract: Contract, deal: Deal) -> Iterable[Problem]:
    """A King needs all 13 tricks of a deal in which it counts."""
    stated = {} if KINGS.isdisjoint(deal.details) else _stated_kings(ruleset, deal)
    why = _why_no_king(ruleset, contract, deal, stated) if stated else None
    if why is None:
        return ()
    where = "king" if "king" in stated else "king_declared_by"
    return (Problem(Code.BAD_KING, where, {"why": why}),)


def _taker_of_all_tricks(ruleset: Ruleset, deal: Deal) -> int | None:
    """The side with all 13 tricks, from a count of tricks or else as the table states."""
    tricks = (deal.counts or {}).get("tricks")
    if tricks is not None:
        return tricks.index(ALL_TRICKS) if ALL_TRICKS in tricks else None
    king = deal.details.get("king")
    return None if king is None else ruleset.sides[int(king)]


def _king_counts_in(ruleset: Ruleset, contract: Contract) -> bool:
    return contract.kind == TRUMP or ruleset.settings.get("king_deals", "all") == "all"


def _stated_kings(ruleset: Ruleset, deal: Deal) -> dict[str, int]:
    """The side named by each King field, if the table has the field and the seat exists.

    The check of each field reports the fields that are left out here.
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
    """The reason why a stated King is impossible, as a word for messages; None if it is valid."""
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
    """Whether the King was declared; another check reports a seat that does not exist."""
    if "king_declared_by" in stated:
        return stated["king_declared_by"] == king
    return "king_declared_by" in deal.details


def _may_hold_everything(ruleset: Ruleset, counts: Counts, side: int) -> bool:
    """Whether a side has every unit, among the counts with one number per side."""
    return all(
        numbers[side] == UNITS[unit].total
        for unit, numbers in counts.items()
        if unit in UNITS and len(numbers) == ruleset.side_count
    )
