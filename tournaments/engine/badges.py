"""The jargon of the game: what a player can earn in a deal or at its end."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tournaments.engine.games import Game, PlayedDeal
from tournaments.engine.outcomes import Outcome, decide


@dataclass(frozen=True, slots=True)
class Badge:
    """A badge, the side that earned it, and the index of the entry it was earned with."""

    badge: str
    seat: int
    entry: int


def award(game: Game) -> tuple[Badge, ...]:
    """All badges of a game so far, in the order of the entries (`docs/rules.md` §1.11)."""
    earned = [
        Badge(badge, side, played.entry)
        for played in game.deals
        for badge in played.contract.badges
        for side in IN_A_DEAL[badge](game, played)
    ]
    if game.ending is not None:
        outcome = decide(game)
        earned += [
            Badge(badge, side, game.ending.entry)
            for badge in game.ruleset.badges
            for side in AT_THE_END[badge](outcome)
        ]
    return tuple(earned)


def _taken(played: PlayedDeal) -> tuple[int, ...]:
    """Units per side of a deal that counts one unit."""
    return (played.deal.counts or {})[played.contract.units[0].id]


def _king(game: Game, played: PlayedDeal) -> Iterator[int]:
    """A King made."""
    if played.king is not None and played.king.made:
        yield game.ruleset.sides[played.king.seat]


def _outside_king(game: Game, played: PlayedDeal) -> Iterator[int]:
    """A King in a deal that someone else declared."""
    for side in _king(game, played):
        if side != game.ruleset.sides[played.declarer]:
            yield side


def _dys(game: Game, played: PlayedDeal) -> Iterator[int]:
    """More than half of the penalty one declared."""
    side = game.ruleset.sides[played.declarer]
    taken = _taken(played)
    if 2 * taken[side] > sum(taken):
        yield side


def _ox_eye(game: Game, played: PlayedDeal) -> Iterator[int]:
    """Two noughts side by side: none taken in either deal of a penalty; with the second."""
    both = [deal for deal in game.deals if deal.contract is played.contract]
    if len(both) != 2 or both[1] is not played:
        return
    first, second = (_taken(deal) for deal in both)
    for side in range(game.ruleset.side_count):
        if first[side] == second[side] == 0:
            yield side


def _flower(_game: Game, played: PlayedDeal) -> Iterator[int]:
    """No trick in a trump deal."""
    for side, tricks in enumerate(_taken(played)):
        if tricks == 0:
            yield side


def _sold_rifki(game: Game, played: PlayedDeal) -> Iterator[int]:
    """Whoever held the king of hearts made someone else take it."""
    holder = _rifki_holder(game, played)
    if holder is not None and not _taken(played)[holder]:
        yield holder


def _own_rifki(game: Game, played: PlayedDeal) -> Iterator[int]:
    """Whoever held the king of hearts took it."""
    holder = _rifki_holder(game, played)
    if holder is not None and _taken(played)[holder]:
        yield holder


def _rifki_holder(game: Game, played: PlayedDeal) -> int | None:
    holder = played.deal.details.get("rifki_holder")
    return None if holder is None else game.ruleset.sides[int(holder)]


def _triple_socket(outcome: Outcome) -> Iterator[int]:
    """Three are out and one is sunk: the sunk one."""
    if (len(outcome.out), len(outcome.sunk)) == (3, 1):
        yield from outcome.sunk


def _phone_plug(outcome: Outcome) -> Iterator[int]:
    """One is out and three are sunk: the one out."""
    if (len(outcome.out), len(outcome.sunk)) == (1, 3):
        yield from outcome.out


IN_A_DEAL: Mapping[str, Callable[[Game, PlayedDeal], Iterator[int]]] = MappingProxyType(
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
"""Badges earned in a deal: each gives the sides that earned it."""

AT_THE_END: Mapping[str, Callable[[Outcome], Iterator[int]]] = MappingProxyType(
    {"triple-socket": _triple_socket, "phone-plug": _phone_plug}
)
"""Badges earned when the game is over."""
