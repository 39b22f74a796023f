"""A match: several games between the same sides (`docs/rules.md` §3, §4 `laps`, `slam`)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from tournaments.engine.rules.rulesets import Points


@dataclass(frozen=True, slots=True)
class Terms:
    """The length and the scoring of a match.

    `length` names a strategy of `LENGTHS`, and `number` is its N. With `laps`, points over the
    target carry into the next game. With `slam`, a game won while all others are at 0 counts as
    two.

    Raises:
        ValueError: if the length is unknown, or the number is below 1.
    """

    length: str
    number: int
    laps: bool = False
    slam: bool = False

    def __post_init__(self) -> None:
        if self.length not in LENGTHS:
            raise ValueError(f"A match is {' or '.join(LENGTHS)}, not {self.length!r}.")
        if self.number < 1:
            raise ValueError(f"A match is of 1 game or more, not {self.number}.")


@dataclass(frozen=True, slots=True)
class Match:
    """A match so far.

    `won` is the number of games won per side. `carry` is the points per side at the start of the
    next game (0 when the match is over). `played` is the number of games that count. `games_left`
    is the greatest number of games still to come, except draws of a first-to match, which have no
    limit. `winners` is empty until the match is over; sides that are level then have won it
    jointly.
    """

    won: tuple[int, ...]
    carry: tuple[Points, ...]
    played: int
    games_left: int
    winners: tuple[int, ...] = ()

    @property
    def over(self) -> bool:
        return self.games_left == 0


def play_match(
    sides: int, games: Sequence[Sequence[Points]], target: Points, terms: Terms
) -> Match:
    """Return the match after `games`: the totals per side of each finished game, in order.

    The totals include the points carried into the game. The highest total wins a game, even one
    that was stopped short of the target. Equal highest totals win it jointly (`docs/rules.md` §4
    `euchre-three`), a game for each; but if all sides are level, nobody has won. Games beyond the
    end of the match, which a correction of an earlier game can leave behind, do not count.

    Raises:
        ValueError: if a game does not have one total for each side.
    """
    won, counted, played = [0] * sides, 0, 0
    carry: tuple[Points, ...] = (0,) * sides
    games_left = LENGTHS[terms.length]
    for totals in games:
        if len(totals) != sides:
            raise ValueError(f"A game has a total for each of {sides} sides, not {len(totals)}.")
        if games_left(terms.number, won, counted) == 0:
            break
        worth = 2 if terms.slam and is_slam(totals, target) else 1
        for side in game_winners(totals):
            won[side] += worth
        counted, played = counted + worth, played + 1
        carry = over_target(totals, target) if terms.laps else carry
    left = games_left(terms.number, won, counted)
    if left:
        return Match(tuple(won), carry, played, left)
    return Match(tuple(won), (0,) * sides, played, 0, _highest(won))


def game_winners(totals: Sequence[Points]) -> tuple[int, ...]:
    """Return the sides that won a game: all with the highest total, none if all are level."""
    best = _highest(totals)
    return () if len(best) == len(totals) else best


def is_slam(totals: Sequence[Points], target: Points) -> bool:
    """Return whether the winners reached the target with all other sides at 0 or below.

    A total below 0 counts too, or else a penalty would protect its side from a slam.
    """
    winners = game_winners(totals)
    return bool(winners) and all(
        total >= target if side in winners else total <= 0 for side, total in enumerate(totals)
    )


def over_target(totals: Sequence[Points], target: Points) -> tuple[Points, ...]:
    """Return the points of each side over the target, whether it has won the game or not.

    The result is always less than the target: no game is won before it begins.
    """
    return tuple(min(max(total - target, 0), target - 1) for total in totals)


def _highest(numbers: Sequence[Points]) -> tuple[int, ...]:
    return tuple(side for side, number in enumerate(numbers) if number == max(numbers))


def _left_of_best(number: int, won: Sequence[int], counted: int) -> int:
    """Best of N: over with more than half of N won, or with N games counted.

    A draw counts as one of the N and a slam as two. So with draws, an even N or more than two
    sides, the match may end level, or with less than half won.
    """
    return 0 if 2 * max(won) > number else max(number - counted, 0)


def _left_to_first(number: int, won: Sequence[int], _counted: int) -> int:
    """First to N: over with N won; before the last game all may be one short of it."""
    return 0 if max(won) >= number else sum(number - 1 - games for games in won) + 1


LENGTHS: Mapping[str, Callable[[int, Sequence[int], int], int]] = MappingProxyType(
    {"best-of": _left_of_best, "first-to": _left_to_first}
)
"""The named lengths: each returns the most games left, 0 when the match is over.

The arguments are N, the games won per side, and the games counted; a slam counts as two.
"""
