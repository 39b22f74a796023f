"""The outcome of a game: ranks, sides that are out or sunk, badges, and contracts earned."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from tournaments.engine.play.games import Game, PlayedDeal
from tournaments.engine.rules.rulesets import Points, Setting
from tournaments.engine.rules.shapes import write_points


@dataclass(frozen=True, slots=True)
class Outcome:
    """The rank of each side (1 is best, equals share), and the sides that are out and sunk."""

    ranks: tuple[int, ...]
    out: tuple[int, ...] = ()
    sunk: tuple[int, ...] = ()


def decide(game: Game) -> Outcome:
    """Return the outcome of a game so far; out and sunk are empty until it is finished."""
    ranks = _ranks(game)
    if not game.finished:
        return Outcome(ranks)
    out = OUTCOMES[game.ruleset.settings["outcome"]](game)
    if out is None:
        return Outcome(ranks)
    sunk = tuple(side for side in range(game.ruleset.side_count) if side not in out)
    return Outcome(ranks, out, sunk)


def rank(keys: Sequence[object]) -> tuple[int, ...]:
    """Return places for keys, the largest first; equal keys share a place (1, 2, 2, 4)."""
    ordered = sorted(keys, reverse=True)  # type: ignore[type-var]
    return tuple(ordered.index(key) + 1 for key in keys)


def _ranks(game: Game) -> tuple[int, ...]:
    """Rank by score; a King made beats every score, a failed one loses to every score."""
    if game.ending is None or game.ending.seat is None:
        return rank(game.totals)
    lift = [0] * game.ruleset.side_count
    lift[game.ruleset.sides[game.ending.seat]] = 1 if game.ending.by == "king" else -1
    return rank(list(zip(lift, game.totals, strict=True)))


def _out_by_score(game: Game) -> tuple[int, ...]:
    """The sides that are out: only a made King's, all but a failed King's, or else by score."""
    ending = game.ending
    sides = range(game.ruleset.side_count)
    if ending is not None and ending.seat is not None:
        king = game.ruleset.sides[ending.seat]
        return tuple(side for side in sides if (side == king) == (ending.by == "king"))
    totals = game.totals
    bar: Points = 0
    if game.ruleset.settings.get("out") == "mean":
        bar = Fraction(sum(totals), len(totals))
    return tuple(side for side, points in enumerate(totals) if points > bar)


def _pair_out_by_score(game: Game) -> tuple[int, ...] | None:
    """The sides that are out by score; None for a draw at 0 each (`docs/rules.md` §1.7)."""
    king = game.ending is not None and game.ending.seat is not None
    return _out_by_score(game) if king or any(game.totals) else None


OUTCOMES: Mapping[Setting, Callable[[Game], tuple[int, ...] | None]] = MappingProxyType(
    {
        "out-and-sunk": _out_by_score,
        "pair-out-and-sunk": _pair_out_by_score,
        "highest-wins": lambda _game: None,
    }
)
"""The named outcomes: each returns the sides that are out, or None if there is only a winner."""


Earners = Callable[[Game, PlayedDeal], Iterable[int]]
"""Returns the sides that earned a badge with a deal."""


class Badge(NamedTuple):
    """A badge, the side that earned it, and the index of the entry that earned it."""

    badge: str
    seat: int
    entry: int


def award(game: Game, outcome: Outcome | None = None) -> tuple[Badge, ...]:
    """Return all badges of a game so far, in the order of the entries (`docs/rules.md` §1.11)."""
    earned = [
        Badge(badge, side, played.entry)
        for played in game.deals
        for badge, sides_of in _of_a_deal(played.contract.badges, played.king is not None)
        for side in sides_of(game, played)
    ]
    if game.ending is not None:
        outcome = outcome or decide(game)
        earned += [
            Badge(badge, side, game.ending.entry)
            for badge in game.ruleset.badges
            for side in AT_THE_END[badge](outcome)
        ]
    return tuple(earned)


@cache
def _of_a_deal(badges: tuple[str, ...], has_king: bool) -> tuple[tuple[str, Earners], ...]:
    """Return those of a contract's badges that a deal can earn, each with its function."""
    return tuple((b, IN_A_DEAL[b]) for b in badges if has_king or b not in OF_A_KING)


def _taken(played: PlayedDeal) -> tuple[int, ...]:
    """Units per side of a deal that counts one unit."""
    return (played.deal.counts or {})[played.contract.units[0].id]


def _king(game: Game, played: PlayedDeal) -> Sequence[int]:
    king = played.king
    return () if king is None or not king.made else (game.ruleset.sides[king.seat],)


def _outside_king(game: Game, played: PlayedDeal) -> Sequence[int]:
    """A King in a deal that another side declared."""
    own = game.ruleset.sides[played.declarer]
    return [side for side in _king(game, played) if side != own]


def _dys(game: Game, played: PlayedDeal) -> Sequence[int]:
    """The declarer, with more than half of the units of a penalty."""
    side = game.ruleset.sides[played.declarer]
    taken = _taken(played)
    return (side,) if 2 * taken[side] > sum(taken) else ()


def _ox_eye(game: Game, played: PlayedDeal) -> Sequence[int]:
    """No units in either deal of the same penalty; earned with the second deal."""
    taken = _taken(played)
    if 0 not in taken:
        return ()
    contract = played.contract
    both = [deal for deal in game.deals if deal.contract is contract]
    if len(both) != 2 or both[0] is played:
        return ()
    before = _taken(both[0])
    return [side for side, units in enumerate(taken) if units == before[side] == 0]


def _flower(_game: Game, played: PlayedDeal) -> Sequence[int]:
    """No tricks in a trump deal."""
    taken = _taken(played)
    return [side for side, tricks in enumerate(taken) if tricks == 0] if 0 in taken else ()


def _sold_rifki(game: Game, played: PlayedDeal) -> Iterator[int]:
    """The holder of the king of hearts made another player take it."""
    holder = _rifki_holder(game, played)
    if holder is not None and not _taken(played)[holder]:
        yield holder


def _own_rifki(game: Game, played: PlayedDeal) -> Iterator[int]:
    """The holder of the king of hearts took it."""
    holder = _rifki_holder(game, played)
    if holder is not None and _taken(played)[holder]:
        yield holder


def _rifki_holder(game: Game, played: PlayedDeal) -> int | None:
    holder = played.deal.details.get("rifki_holder")
    return None if holder is None else game.ruleset.sides[int(holder)]


def _triple_socket(outcome: Outcome) -> Iterator[int]:
    """The one side that is sunk if three are out."""
    if (len(outcome.out), len(outcome.sunk)) == (3, 1):
        yield from outcome.sunk


def _phone_plug(outcome: Outcome) -> Iterator[int]:
    """The one side that is out if three are sunk."""
    if (len(outcome.out), len(outcome.sunk)) == (1, 3):
        yield from outcome.out


IN_A_DEAL: Mapping[str, Earners] = MappingProxyType(
    {
        "king": _king,
        "outside-king": _outside_king,
        "dys": _dys,
        "ox-eye": _ox_eye,
        "flower": _flower,
        "sold-rifki": _sold_rifki,
        "own-rifki": _own_rifki,
    }
)
"""Badges for a deal: each function returns the sides that earned it."""

OF_A_KING = frozenset({"king", "outside-king"})
"""Badges for deals with a King only."""

AT_THE_END: Mapping[str, Callable[[Outcome], Iterator[int]]] = MappingProxyType(
    {"triple-socket": _triple_socket, "phone-plug": _phone_plug}
)
"""Badges for the end of a game."""


@dataclass(frozen=True, slots=True)
class Earned:
    """A seat's deals of one contract, declared by it or by others, with its points.

    The points are those of its side.
    """

    declared: int = 0
    declared_points: Points = 0
    others: int = 0
    others_points: Points = 0

    def with_deal(self, points: Points, *, declared: bool) -> "Earned":
        """Return these sums with one more deal added."""
        if declared:
            total = self.declared_points + points
            return replace(self, declared=self.declared + 1, declared_points=total)
        total = self.others_points + points
        return replace(self, others=self.others + 1, others_points=total)


def earned(game: Game) -> dict[str, list[Earned]]:
    """Return the earnings of each seat, in seat order, by contract played.

    A deal without a declarer, or without a choice of contract, counts as declared by others.
    """
    moved = {row.entry: row.points for row in game.rows}
    played: dict[str, list[Earned]] = {}
    for number, deal in enumerate(game.deals):
        seats = played.setdefault(deal.contract.id, [Earned()] * game.ruleset.seats)
        chose = who_chose(game, number)
        points = moved[deal.entry]
        for seat, side in enumerate(game.ruleset.sides):
            seats[seat] = seats[seat].with_deal(points[side], declared=seat == chose)
    return played


def who_declared(played: PlayedDeal) -> int | None:
    """Return the seat that declared or made trump; None if the deal had only a leader."""
    maker: int | None = played.deal.details.get("maker")
    declared = played.contract.declared and played.contract.named
    return played.declarer if declared else maker


def who_chose(game: Game, number: int) -> int | None:
    """Return the declarer of deal `number`, from 0; None if no other contract was possible."""
    played = game.deals[number]
    stage = game.ruleset.plan[number] if number < len(game.ruleset.plan) else ()
    fixed = len(stage) == 1 and not played.contract.trumps
    return None if fixed else who_declared(played)


def write_earned(game: Game) -> dict[str, list[list[int | str]]]:
    """Return `earned` as JSON.

    By contract, each seat has four values: its declared deals and their points, the other deals and
    their points.
    """
    return {
        contract: [
            [
                seat.declared,
                write_points(seat.declared_points),
                seat.others,
                write_points(seat.others_points),
            ]
            for seat in seats
        ]
        for contract, seats in earned(game).items()
    }


def write_badges(badges: Sequence[Badge], sides: int) -> dict[str, list[int]]:
    """Return how often each side earned each badge, as JSON; only badges that were earned."""
    found = Counter((badge.badge, badge.seat) for badge in badges)
    names = dict.fromkeys(badge.badge for badge in badges)
    return {name: [found[name, side] for side in range(sides)] for name in names}
