"""A ruleset as JSON: what a browser needs to check an entry by sums and bounds, and to add up."""

from collections import Counter
from typing import Any

from tournaments.engine.entry_records import write_points
from tournaments.engine.fields import fields_of, trumps_of
from tournaments.engine.games import Choice, Game
from tournaments.engine.problems import Code
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


def next_deal(game: Game) -> dict[str, Any]:
    """Whose turn it is, and what is left to be declared, as plain JSON values.

    `left` and `declared` have an object for each seat: how many contracts of each kind it still
    declares, and how often it has declared each contract.
    """
    seats = range(game.ruleset.seats)
    return {
        "deal": len(game.deals) + 1,
        "turns": game.turns,
        "declarer": game.declarer,
        "must": game.must,
        "stage": list(game.stage),
        "left": [game.left_to_declare(seat) for seat in seats],
        "declared": [declared_by(game, seat) for seat in seats],
    }


def declared_by(game: Game, seat: int) -> dict[str, int]:
    """How often a seat, with its partner, has declared each contract."""
    sides = game.ruleset.sides
    own = (played for played in game.deals if sides[played.declarer] == sides[seat])
    return dict(Counter(played.contract.id for played in own))


def must_come_first(choice: Choice) -> str | None:
    """The contract that the order of play wants before this one."""
    firsts = [p.params.get("first") for p in choice.problems if p.code == Code.OUT_OF_ORDER]
    return str(firsts[0]) if firsts else None


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
