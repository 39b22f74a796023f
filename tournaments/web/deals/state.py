"""What a phone needs to go on by itself where there is no signal: it only adds up."""

from typing import Any

from tournaments import words
from tournaments.engine.entry_records import write_points
from tournaments.engine.games import Choice, Game
from tournaments.engine.rulesets import Ruleset
from tournaments.ruleset_json import must_come_first, next_deal

ADDS_UP = "per-unit"


def state_of(game: Game, players: list[str]) -> dict[str, Any]:
    """The game as far as a phone can carry it on; the server decides later."""
    ruleset, comes = game.ruleset, next_deal(game)
    return {
        "sums": can_add_up(ruleset),
        "deal": comes["deal"],
        "deals": ruleset.length,
        "turns": comes["turns"],
        "first": game.first_declarer,
        "inARow": ruleset.in_a_row,
        "declarer": comes["declarer"],
        "players": players,
        "sides": list(ruleset.sides),
        "left": comes["left"],
        "named": comes["declared"],
        "totals": [write_points(total) for total in game.totals],
        "must": {kind: words.must_sentence(kind) for kind in ruleset.side_quotas},
        "king": ruleset.settings.get("king", "off"),
        "kingDeals": ruleset.settings.get("king_deals", "all"),
        "plan": [list(stage) for stage in ruleset.plan[len(game.deals) :]],
        "contracts": {choice.contract.id: _contract(game, choice) for choice in game.choices()},
    }


def can_add_up(ruleset: Ruleset) -> bool:
    """Whether the points of every deal are its units times their values, and nothing else.

    Where they are not, a phone shows totals only after the server has answered.
    """
    return not ruleset.steps and all(c.scoring == ADDS_UP for c in ruleset.contracts)


def _contract(game: Game, choice: Choice) -> dict[str, Any]:
    contract = choice.contract
    return {
        "kind": contract.kind,
        "left": choice.left,
        "each": contract.quota_each,
        "after": None if game.stage else must_come_first(choice),
        "values": {unit: write_points(each) for unit, each in contract.values.items()},
    }
