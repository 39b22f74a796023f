"""Who has won, by which rule: ranks, and who is out or sunk."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from tournaments.engine.games import Game
from tournaments.engine.rulesets import Points, Setting


@dataclass(frozen=True, slots=True)
class Outcome:
    """Ranks per side (1 is best, equals share), and the sides that are out and sunk."""

    ranks: tuple[int, ...]
    out: tuple[int, ...] = ()
    sunk: tuple[int, ...] = ()


def decide(game: Game) -> Outcome:
    """The outcome of a game so far; out and sunk stay empty until it is finished."""
    ranks = _ranks(game)
    if not game.finished:
        return Outcome(ranks)
    out = OUTCOMES[game.ruleset.settings["outcome"]](game)
    if out is None:
        return Outcome(ranks)
    sunk = tuple(side for side in range(game.ruleset.side_count) if side not in out)
    return Outcome(ranks, out, sunk)


def rank(keys: Sequence[object]) -> tuple[int, ...]:
    """Places for keys of which the largest is best; equals share a place (1, 2, 2, 4)."""
    ordered = sorted(keys, reverse=True)  # type: ignore[type-var]
    return tuple(ordered.index(key) + 1 for key in keys)


def _ranks(game: Game) -> tuple[int, ...]:
    """By score; a King made stands above every score, a failed one below."""
    lift = [0] * game.ruleset.side_count
    if game.ending is not None and game.ending.seat is not None:
        lift[game.ruleset.sides[game.ending.seat]] = 1 if game.ending.by == "king" else -1
    return rank(list(zip(lift, game.totals, strict=True)))


def _out_by_score(game: Game) -> tuple[int, ...]:
    """Who is out: whoever made King alone, everyone but a failed King, or by score."""
    ending = game.ending
    sides = range(game.ruleset.side_count)
    if ending is not None and ending.seat is not None:
        king = game.ruleset.sides[ending.seat]
        return tuple(side for side in sides if (side == king) == (ending.by == "king"))
    bar: Points = 0
    if game.ruleset.settings.get("out") == "mean":
        bar = Fraction(sum(game.totals), len(game.totals))
    return tuple(side for side in sides if game.totals[side] > bar)


def _pair_out_by_score(game: Game) -> tuple[int, ...] | None:
    """As by score; without a point between them it is a draw (`docs/rules.md` §1.7)."""
    king = game.ending is not None and game.ending.seat is not None
    return _out_by_score(game) if king or any(game.totals) else None


OUTCOMES: Mapping[Setting, Callable[[Game], tuple[int, ...] | None]] = MappingProxyType(
    {
        "out-and-sunk": _out_by_score,
        "pair-out-and-sunk": _pair_out_by_score,
        "highest-wins": lambda _game: None,
    }
)
"""The named outcomes: each gives the sides that are out, or None where there is only a winner."""
