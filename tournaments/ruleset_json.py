"""A ruleset as JSON: what a browser needs to check an entry by sums and bounds, and to add up."""

from typing import Any

from tournaments.engine.entry_records import write_points
from tournaments.engine.fields import fields_of, trumps_of
from tournaments.engine.rulesets import Contract, Ruleset
from tournaments.engine.scoring import deal_sum
from tournaments.engine.units import (
    CARDS_IN_A_TRICK,
    HONOURS_AMONG_HEARTS,
    UNITS,
    WITHIN,
    Unit,
)


def describe(ruleset: Ruleset) -> dict[str, Any]:
    """A ruleset, with the options of its table, as plain JSON values.

    The server decides what may be written; from this a browser can tell most of it before.
    Points are integers, or `"p/q"` where they are not whole.
    """
    units = dict.fromkeys(unit for c in ruleset.contracts for unit in c.values)
    return {
        "format": "kingscore-description/1",
        "id": ruleset.id,
        "family": ruleset.family,
        "name": ruleset.name,
        "seats": ruleset.seats,
        "sides": list(ruleset.sides),
        "clockwise": ruleset.clockwise,
        "deals": ruleset.length,
        "target": ruleset.target,
        "in_a_row": ruleset.in_a_row,
        "declares": ruleset.declares,
        "passes": ruleset.passes,
        "quotas": dict(ruleset.side_quotas),
        "stages": [{"deals": s.deals, "contracts": list(s.contracts)} for s in ruleset.stages],
        "all_units": list(ruleset.all_units),
        "steps": list(ruleset.steps),
        "settings": dict(ruleset.settings),
        "options": [
            {"setting": o.setting, "kind": o.kind, "values": list(o.values)}
            for o in ruleset.options
        ],
        "redeals": list(ruleset.redeals),
        "voids": list(ruleset.voids),
        "units": {name: _unit(ruleset, UNITS[name]) for name in (*units, *ruleset.all_units)},
        "contracts": [_contract(ruleset, contract) for contract in ruleset.contracts],
        "checks": {
            "within": {unit: list(others) for unit, others in WITHIN.items()},
            "cards_in_a_trick": CARDS_IN_A_TRICK,
            "honours_among_hearts": HONOURS_AMONG_HEARTS,
        },
    }


def _unit(ruleset: Ruleset, unit: Unit) -> dict[str, Any]:
    """`total` is None where it is not fixed; `most` is what one side can have."""
    return {"total": unit.total, "most": most_of(ruleset, unit), "cards": unit.cards}


def most_of(ruleset: Ruleset, unit: Unit) -> int:
    """What one side can have of a unit."""
    return unit.total if unit.total is not None else unit.most * ruleset.seats_in_a_side


def _contract(ruleset: Ruleset, contract: Contract) -> dict[str, Any]:
    fixed = deal_sum(contract)
    return {
        "id": contract.id,
        "name": contract.name,
        "kind": contract.kind,
        "named": contract.named,
        "declared": contract.declared,
        "scoring": contract.scoring,
        "values": {unit: write_points(each) for unit, each in contract.values.items()},
        "prizes": [write_points(prize) for prize in contract.prizes],
        "sum": None if fixed is None else write_points(fixed),
        "quota": contract.quota,
        "quota_each": contract.quota_each,
        "trumps": list(trumps_of(ruleset, contract)),
        "fields": list(fields_of(ruleset, contract)),
        "may_end_early": contract.may_end_early,
        "replay_one_each": contract.replay_one_each,
        "cappotto": contract.cappotto,
    }
