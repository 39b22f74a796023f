"""The empty sheet of a ruleset, to print and fill in by hand."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from tournaments import words
from tournaments.engine.rulesets import PENALTY, TRUMP, Contract, Points, Ruleset
from tournaments.engine.scoring import deal_sum
from tournaments.engine.variants import RULESETS
from tournaments.words import points_text

Data = dict[str, Any]


def compose_empty_sheet(ruleset_id: str) -> Data:
    """Everything the empty sheet of a ruleset says.

    Raises:
        ValueError: there is no such ruleset.
    """
    ruleset = RULESETS.get(ruleset_id)
    if ruleset is None:
        raise ValueError(f"no ruleset {ruleset_id}")
    name = words.ruleset_name(ruleset.id)
    return {
        "language": get_language(),
        "title": name,
        "description": _("Empty sheet: %(ruleset)s") % {"ruleset": name},
        "summary": words.ruleset_summary(ruleset.id),
        "words": _words(),
        "seats": ruleset.seats,
        "deals": ruleset.deals,
        "quotas": [
            {"name": _kinds(kind), "boxes": number} for kind, number in ruleset.quotas.items()
        ],
        "contracts": [_contract(contract) for contract in ruleset.contracts],
        "notes": [*_notes(ruleset)],
    }


def _words() -> Data:
    return {
        "number": _("No."),
        "contract": _("Contract"),
        "taken": _("taken"),
        "total": _("total"),
        "totals": _("Total"),
        "place": pgettext("rank", "Place"),
        "where": _("Where"),
        "date": _("Date"),
        "contracts": _("Contracts"),
        "left": _("Tick off what is declared"),
        "order": _("Names from left to right in the order of play, the first declarer first"),
        "declares": _("declares this deal"),
    }


def _kinds(kind: str) -> str:
    """What the boxes of a player stand for."""
    return {PENALTY: _("penalties"), TRUMP: _("trumps")}[kind]


def _contract(contract: Contract) -> Data:
    """A contract with its points: units × each = sum; and how often the table may name it."""
    terms = " + ".join(
        f"{unit.total} × {points_text(contract.values[unit.id])}" for unit in contract.units
    )
    return {
        "symbol": words.contract_symbol(contract.id),
        "name": words.contract_name(contract.id),
        "points": f"{terms} = {points_text(deal_sum(contract))}",
        "boxes": contract.quota or 0,
    }


def _notes(ruleset: Ruleset) -> Iterator[str]:
    """What a table without the program must remember."""
    for option in ruleset.options:
        value = ruleset.settings[option.setting]
        name = words.option_name(option.setting)
        yield f"{name}: {words.option_value_name(option.setting, value)}"
    for contract in ruleset.contracts:
        if contract.replay_one_each:
            name = words.contract_name(contract.id)
            yield _("%(contract)s taken 1-1-1-1 is played again") % {"contract": name}
    total = _final_sum(ruleset)
    if total is not None:
        yield _("Sum of all totals at the end: %(sum)s") % {"sum": points_text(total)}


def _final_sum(ruleset: Ruleset) -> Points | None:
    """What all totals add up to at the end; None where it depends on what was declared."""
    penalties = [contract for contract in ruleset.contracts if contract.kind == PENALTY]
    trumps = [contract for contract in ruleset.contracts if contract.kind == TRUMP]
    named = sum(contract.quota or 0 for contract in penalties)
    if named != ruleset.quotas[PENALTY] * ruleset.seats or len(trumps) != 1:
        return None
    played = ruleset.quotas[TRUMP] * ruleset.seats
    penalty_sum = sum((contract.quota or 0) * contract.unit_sum for contract in penalties)
    return penalty_sum + played * trumps[0].unit_sum
