"""Who sits out when more people are at a table than the game seats."""

from collections.abc import Mapping, Sequence

from tournaments.models import Game
from tournaments.queries.games.sheets import rules_of


def who_rests(games: Sequence[Game], people: Sequence[str], seats: int) -> tuple[str, ...]:
    """Return those of `people` who sit out the game after `games`, which are in order.

    Whoever has played the most games since sitting out or coming; of several the last of the last
    game.
    """
    places = _places(games[-1])
    played = {name: _played_in_a_row(games, name) for name in people}

    def turn(name: str) -> tuple[int, int]:
        return (-played[name], -places.get(name, 0))

    resting = sorted(people, key=turn)[: max(len(people) - seats, 0)]
    return tuple(name for name in people if name in resting)


def seated(before: Sequence[str], people: Sequence[str], seats: int) -> list[str]:
    """Return `people` in the seats they had `before`; whoever comes takes a seat that is free."""
    comers = [name for name in people if name not in before[:seats]]
    kept = [name if name in people else None for name in before[:seats]]
    kept += [None] * (seats - len(kept))
    return [name or (comers.pop(0) if comers else "") for name in kept]


def _played_in_a_row(games: Sequence[Game], name: str) -> int:
    number = 0
    for game in reversed(games):
        if name not in game.players:
            break
        number += 1
    return number


def _places(game: Game) -> Mapping[str, int]:
    """Return the rank of each player in a finished game."""
    if game.result is None:
        return {}
    ranks, sides = game.result["ranks"], rules_of(game).with_options(game.options).sides
    return {name: ranks[sides[seat]] for seat, name in enumerate(game.players)}
