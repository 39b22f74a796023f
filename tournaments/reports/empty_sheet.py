"""The empty sheet of a ruleset, to print and fill in by hand."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from tournaments.engine.rules.rulesets import PENALTY, TRUMP, Contract, Ruleset
from tournaments.engine.rules.scoring import EUCHRED, WON, sums_of
from tournaments.engine.variants import RULESETS
from tournaments.reports.scoresheet import (
    ends_round,
    head_of_contracts,
    head_of_numbers,
    is_declared,
    words_of_stage,
)
from tournaments.texts import labels
from tournaments.texts.labels import points_text

Data = dict[str, Any]

ROWS_TO_A_TARGET = 20
"""Lines for a game that ends at a target: about as many as it takes."""


def compose_empty_sheet(ruleset_id: str) -> Data:
    """Return the data of the empty sheet of a ruleset.

    Raises:
        ValueError: there is no such ruleset.
    """
    ruleset = RULESETS.get(ruleset_id)
    if ruleset is None:
        raise ValueError(f"no ruleset {ruleset_id}")
    name = labels.name_of(ruleset)
    return {
        "language": get_language(),
        "title": name,
        "description": _("Empty sheet: %(ruleset)s") % {"ruleset": name},
        "summary": labels.ruleset_summary(ruleset.id),
        "words": _words(ruleset),
        "sides": ruleset.side_count,
        "names": ruleset.seats_in_a_side,
        "rows": [_row(ruleset, number) for number in range(1, _rows(ruleset) + 1)],
        "quotas": [
            {"name": _kinds(kind), "boxes": number} for kind, number in ruleset.side_quotas.items()
        ],
        "each": _each(ruleset),
        "contracts": [_contract(ruleset, contract) for contract in ruleset.contracts],
        "notes": [*_notes(ruleset)],
    }


def _words(ruleset: Ruleset) -> Data:
    several = len(ruleset.contracts) > 1
    return {
        "number": _("No."),
        "contract": head_of_contracts(ruleset),
        "taken": head_of_numbers(ruleset),
        "total": _("total"),
        "totals": _("Total"),
        "place": pgettext("rank", "Place"),
        "where": _("Where"),
        "date": _("Date"),
        "contracts": _("Contracts") if several else _("Scoring"),
        "left": _("Tick off what is declared") if _has_boxes(ruleset) else "",
        "order": _order(ruleset),
        "declares": _("declares this deal") if _turns(ruleset) else "",
    }


def _has_boxes(ruleset: Ruleset) -> bool:
    limited = any(contract.quota or contract.quota_each for contract in ruleset.contracts)
    return bool(ruleset.side_quotas) or limited


def _order(ruleset: Ruleset) -> str:
    """Return the text for the order of the columns."""
    if ruleset.seats_in_a_side > 1:
        return _("The numbers are the order of play, from whoever begins")
    if not _turns(ruleset):
        return _("Names from left to right in the order of play")
    return _("Names from left to right in the order of play, the first declarer first")


def _turns(ruleset: Ruleset) -> bool:
    """Return whether the order of declarers is known before a game."""
    return any(is_declared(ruleset, number) for number in range(1, _rows(ruleset) + 1))


def _rows(ruleset: Ruleset) -> int:
    return ruleset.length or ROWS_TO_A_TARGET


def _row(ruleset: Ruleset, number: int) -> Data:
    """Return a line to fill in: its contract if that is fixed, and the player whose turn it is."""
    symbol, contract = words_of_stage(ruleset, number)
    seat = (number - 1) // ruleset.in_a_row % ruleset.seats
    declared = is_declared(ruleset, number)
    return {
        "number": str(number),
        "symbol": symbol,
        "contract": contract,
        "side": ruleset.sides[seat] if declared else None,
        "seat": str(seat + 1) if declared and ruleset.seats_in_a_side > 1 else "",
        "round-end": ends_round(ruleset, number),
    }


def _kinds(kind: str) -> str:
    """Return the label of the boxes of a side."""
    kinds = {
        PENALTY: _("penalties"),
        TRUMP: _("trumps"),
        "choice": _("choices"),
        "declaration": _("declarations"),
    }
    return kinds.get(kind) or labels.kind_name(kind)


def _each(ruleset: Ruleset) -> list[Data]:
    """Return the contracts that every side declares a fixed number of times, with their boxes."""
    return [
        {"symbol": labels.contract_symbol(contract.id), "boxes": contract.quota_each}
        for contract in ruleset.contracts
        if contract.quota_each is not None
    ]


def _contract(ruleset: Ruleset, contract: Contract) -> Data:
    """Return a contract with its scoring, and how often the table may declare it."""
    return {
        "symbol": labels.contract_symbol(contract.id) if contract.named else "",
        "name": labels.contract_title(contract) if contract.named else "",
        "points": "; ".join(SCORES[contract.scoring](ruleset, contract)),
        "boxes": contract.quota or 0,
    }


# The scoring of a contract by its strategy: one or more parts of a line.


def _terms(contract: Contract) -> str:
    """Return units × value, with the names of the units if they are not obvious."""
    named = len(contract.values) > MOST_WITHOUT_NAMES
    return " + ".join(
        f"{labels.unit_name(unit.id) if named else ''} {unit.total} × "
        f"{points_text(contract.values[unit.id])}".strip()
        for unit in contract.units
    )


MOST_WITHOUT_NAMES = 2


def _per_unit(_ruleset: Ruleset, contract: Contract) -> Iterator[str]:
    yield f"{_terms(contract)} = {points_text(contract.unit_sum)}"


def _difference(_ruleset: Ruleset, contract: Contract) -> Iterator[str]:
    for unit in contract.units:
        each = points_text(contract.values[unit.id])
        yield _("%(each)s × (own − theirs)") % {"each": each}


def _domino(_ruleset: Ruleset, _contract: Contract) -> Iterator[str]:
    yield _("−1 a card left, out first: + all of these")


def _pair_domino(_ruleset: Ruleset, contract: Contract) -> Iterator[str]:
    yield _("−1 × (own − theirs), out first: +%(bonus)s") % {"bonus": contract.prizes[0]}


def _places(_ruleset: Ruleset, contract: Contract) -> Iterator[str]:
    yield " / ".join(map(points_text, contract.prizes))


def _five_tricks(ruleset: Ruleset, contract: Contract) -> Iterator[str]:
    settings = ruleset.settings
    yield _("makers 3 or 4 tricks: 1")
    yield _("all 5: %(march)s") % {"march": settings["march"]}
    yield _("fewer: the others %(euchred)s") % {"euchred": EUCHRED}
    if ruleset.seats_in_a_side > 1 and "alone" in contract.fields:
        yield _("alone all 5: %(march)s") % {"march": settings["march_alone"]}
        yield _("alone and fewer: the others %(euchred)s") % {"euchred": settings["euchred_alone"]}
        yield _("a lone defender with all 5: 4, against a lone maker at least %(euchred)s") % {
            "euchred": settings["euchred_alone_by_alone"]
        }


def _piles(_ruleset: Ruleset, _contract: Contract) -> Iterator[str]:
    yield _("a game won: 1")
    yield _("or by points: %(won)s + 2 a card in the reserve + 1 a card elsewhere") % {"won": WON}


SCORES: Mapping[str, Callable[[Ruleset, Contract], Iterator[str]]] = MappingProxyType(
    {
        "per-unit": _per_unit,
        "pair-difference": _difference,
        "domino": _domino,
        "pair-domino": _pair_domino,
        "places": _places,
        "makers-and-defenders": _five_tricks,
        "piles-emptied": _piles,
    }
)
"""The scoring of a contract in a few words, by strategy."""


def _notes(ruleset: Ruleset) -> Iterator[str]:
    """Yield the rules that a table without the program must remember."""
    for option in ruleset.options:
        value = ruleset.settings.get(option.setting)
        if value is not None:
            name = labels.option_name(option.setting)
            yield f"{name}: {labels.option_value_name(option.setting, value)}"
    for contract in ruleset.contracts:
        if contract.replay_one_each:
            name = labels.contract_title(contract)
            yield _("%(contract)s taken 1-1-1-1 is played again") % {"contract": name}
    sums = sums_of(ruleset).game
    if sums is not None and sums[0] == sums[1]:
        yield _("Sum of all totals at the end: %(sum)s") % {"sum": points_text(sums[0])}
