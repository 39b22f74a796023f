"""What a phone needs to go on by itself where there is no signal: it only adds up."""

from typing import Any

from tournaments import words
from tournaments.engine.entries import Passed
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
        # Hands that everyone passed are numbered where nobody names a contract.
        "deal": comes["deal"] if ruleset.unnamed is None else comes["turns"] + 1,
        "deals": ruleset.length,
        "target": ruleset.target,
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
        "plan": [list(stage) for stage in ruleset.plan],
        "open": _open(game),
        "last": _last(game),
        "contracts": {choice.contract.id: _contract(game, choice) for choice in game.choices()},
    }


def _open(game: Game) -> dict[str, Any] | None:
    """What was named of the deal that is being played; None where none is, or it is sealed."""
    if game.open_deal is None or game.open_deal.contract is None:
        return None
    return {
        "contract": game.open_deal.contract,
        "trump": game.open_deal.details.get("trump"),
    }


def _last(game: Game) -> dict[str, Any]:
    """What an undo of the last entry takes back."""
    index = len(game.entries) - 1
    last: dict[str, Any] = {"type": ""}
    if game.open_deal is not None:
        last["type"] = "named"
    elif game.deals and game.deals[-1].entry == index:
        last = {
            "type": "deal",
            "contract": game.deals[-1].contract.id,
            "declarer": game.deals[-1].declarer,
        }
    elif game.entries and isinstance(game.entries[-1], Passed):
        last["type"] = "passed"
    if game.rows and game.rows[-1].entry == index:
        before = game.rows[-2].totals if len(game.rows) > 1 else (0,) * game.ruleset.side_count
        last["totals"] = [write_points(total) for total in before]
    return last


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
