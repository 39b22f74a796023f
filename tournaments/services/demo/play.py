"""Whole games played by chance, as people of different strength would play them."""

from collections.abc import Sequence
from math import exp
from random import Random
from typing import Any

from tournaments.engine.fields import fields_of, trumps_of
from tournaments.engine.games import Game
from tournaments.engine.records import play_record
from tournaments.engine.rulesets import TRUMP, Contract, Ruleset
from tournaments.engine.units import UNITS
from tournaments.services.play.playing import canonical

Body = dict[str, Any]

LUCK = 0.7
"""How much the cards of one deal matter beside strength, which is about 1 between good and bad."""

KINGS = 0.01
"""How often a trump deal is a King."""

ALONE = 0.08
PASSED = 0.05


def play_game(
    chance: Random, ruleset: Ruleset, strengths: Sequence[float], deals: int | None = None
) -> list[Body]:
    """The entries of a game as a record has them, to its end or for so many `deals`.

    A game that goes on has had no King, which would have ended it.
    `strengths` are one per side: whoever is stronger takes less of what costs, more of what pays.
    A ruleset is one of Turkish King, whose deals hand out one unit each, or of Euchre.
    """
    game = Game(ruleset)
    bodies: list[Body] = []
    while not game.finished and (deals is None or game.turns < deals):
        kings = KINGS if deals is None else 0
        body = canonical(_draw_entry(chance, game, strengths, kings))
        game = play_record(game, body)
        bodies.append(body)
    return bodies


def _draw_entry(chance: Random, game: Game, strengths: Sequence[float], kings: float) -> Body:
    if game.ruleset.unnamed is not None:
        return _draw_hand(chance, game, game.ruleset.unnamed, strengths)
    contract = chance.choice(game.legal_contracts())
    said: Body = {"type": "deal", "contract": contract.id}
    if trumps_of(game.ruleset, contract):
        said["trump"] = chance.choice(trumps_of(game.ruleset, contract))
    if chance.random() < kings and _can_be_king(game, contract):
        return said | _king(game)
    (unit,) = contract.values
    counts = _draw_counts(chance, game, contract, strengths)
    if contract.replay_one_each and set(counts) == {1}:
        return {"type": "void", "contract": contract.id, "reason": "one-each"}
    return said | {"counts": {unit: counts}}


def _draw_counts(
    chance: Random, game: Game, contract: Contract, strengths: Sequence[float]
) -> list[int]:
    """How many units each side takes."""
    (unit, worth), *_ = contract.values.items()
    pays = 1 if worth > 0 else -1
    weights = [exp(pays * strength + chance.gauss(0, LUCK)) for strength in strengths]
    if pays > 0:
        # Whoever names the trumps has them.
        weights[game.ruleset.sides[game.declarer]] *= 3
    takers = chance.choices(range(len(weights)), weights, k=UNITS[unit].total or 0)
    return [takers.count(side) for side in range(len(weights))]


def _can_be_king(game: Game, contract: Contract) -> bool:
    return contract.kind == TRUMP and "king" in fields_of(game.ruleset, contract)


def _king(game: Game) -> Body:
    tricks = UNITS["tricks"].total or 0
    taken = [tricks if seat == game.declarer else 0 for seat in range(game.ruleset.seats)]
    return {"counts": {"tricks": taken}, "king": game.declarer}


def _draw_hand(chance: Random, game: Game, contract: Contract, strengths: Sequence[float]) -> Body:
    """A hand of Euchre: five tricks, of which the makers need three."""
    if chance.random() < PASSED:
        return {"type": "passed"}
    maker = chance.randrange(game.ruleset.seats)
    side = game.ruleset.sides[maker]
    ahead = strengths[side] - strengths[1 - side]
    share = 1 / (1 + exp(-0.6 - 0.5 * ahead - chance.gauss(0, LUCK)))
    tricks = sum(chance.random() < share for _ in range(5))
    trump = chance.choice(trumps_of(game.ruleset, contract))
    said: Body = {"type": "deal", "maker": maker, "trump": trump, "tricks": tricks}
    return said | ({"alone": True} if chance.random() < ALONE else {})
