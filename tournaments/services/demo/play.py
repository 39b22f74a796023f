"""Random complete games between players of different strength."""

from collections.abc import Sequence
from math import exp
from random import Random
from typing import Any

from tournaments.engine.documents.entries import parse_entry, write_entry
from tournaments.engine.play.games import Game, play
from tournaments.engine.rules.fields import fields_of, trumps_of
from tournaments.engine.rules.rulesets import TRUMP, UNITS, Contract, Ruleset

EntryBody = dict[str, Any]

LUCK = 0.7
"""The weight of luck in a deal; the strength of good and bad players differs by about 1."""

KINGS = 0.01
"""The probability that a trump deal is a King."""

ALONE = 0.08
PASSED = 0.05


def play_game(
    chance: Random, ruleset: Ruleset, strengths: Sequence[float], deals: int | None = None
) -> list[EntryBody]:
    """Return record entries of a game, to its end or for `deals` deals.

    A game cut short has no King, which would have ended it.
    `strengths` holds one value per side: stronger sides take fewer penalties and more points.
    The ruleset must be Turkish King, whose deals hand out one unit each, or Euchre.
    """
    game = Game(ruleset)
    bodies: list[EntryBody] = []
    while not game.finished and (deals is None or game.turns < deals):
        kings = KINGS if deals is None else 0
        entry = parse_entry(_draw_entry(chance, game, strengths, kings))
        game = play(game, entry)
        bodies.append(write_entry(entry))
    return bodies


def _draw_entry(chance: Random, game: Game, strengths: Sequence[float], kings: float) -> EntryBody:
    if game.ruleset.unnamed is not None:
        return _draw_hand(chance, game, game.ruleset.unnamed, strengths)
    contract = chance.choice(game.legal_contracts())
    said: EntryBody = {"type": "deal", "contract": contract.id}
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
    """Draw the number of units each side takes."""
    (unit, worth), *_ = contract.values.items()
    pays = 1 if worth > 0 else -1
    weights = [exp(pays * strength + chance.gauss(0, LUCK)) for strength in strengths]
    if pays > 0:
        # The declarer of trumps holds them.
        weights[game.ruleset.sides[game.declarer]] *= 3
    takers = chance.choices(range(len(weights)), weights, k=UNITS[unit].total or 0)
    return [takers.count(side) for side in range(len(weights))]


def _can_be_king(game: Game, contract: Contract) -> bool:
    return contract.kind == TRUMP and "king" in fields_of(game.ruleset, contract)


def _king(game: Game) -> EntryBody:
    tricks = UNITS["tricks"].total or 0
    taken = [tricks if seat == game.declarer else 0 for seat in range(game.ruleset.seats)]
    return {"counts": {"tricks": taken}, "king": game.declarer}


def _draw_hand(
    chance: Random, game: Game, contract: Contract, strengths: Sequence[float]
) -> EntryBody:
    """Draw a hand of Euchre: five tricks, of which the makers need three."""
    if chance.random() < PASSED:
        return {"type": "passed"}
    maker = chance.randrange(game.ruleset.seats)
    side = game.ruleset.sides[maker]
    ahead = strengths[side] - strengths[1 - side]
    share = 1 / (1 + exp(-0.6 - 0.5 * ahead - chance.gauss(0, LUCK)))
    tricks = sum(chance.random() < share for _ in range(5))
    trump = chance.choice(trumps_of(game.ruleset, contract))
    said: EntryBody = {"type": "deal", "maker": maker, "trump": trump, "tricks": tricks}
    return said | ({"alone": True} if chance.random() < ALONE else {})
