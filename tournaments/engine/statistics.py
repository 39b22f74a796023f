"""Statistics of the games of a club: records, most active players, and times of play."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import nsmallest

from tournaments.engine.rules.rulesets import Points

BEST = 3
"""The number of entries of each record."""

NIGHT = timedelta(hours=6)
"""Games that begin before six in the morning belong to the evening before."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game: its key, start and evening.

    `sides` are the players of each side who count; `totals` are per side. `out` and `sunk` are
    lists of sides, and `kings` has one side for each King made.
    """

    key: int
    at: datetime
    evening: int
    sides: tuple[tuple[int, ...], ...]
    totals: tuple[Points, ...]
    out: Sequence[int] = ()
    sunk: Sequence[int] = ()
    kings: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a player or a pair: reached by or in the game `key`, which began `at`."""

    value: Points
    players: tuple[int, ...]
    key: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Active:
    """A player's numbers of games and of evenings."""

    player: int
    games: int
    evenings: int


@dataclass(frozen=True, slots=True)
class ClubSums:
    """All statistics of a club; the best of each record come first.

    `hours` counts games by weekday (from Monday, 0) and hour. `months` counts them by year and
    month in order, including empty months between.
    """

    games: int
    players: int
    evenings: int
    highest: tuple[Record, ...]
    lowest: tuple[Record, ...]
    kings: tuple[Record, ...]
    runs: tuple[Record, ...]
    active: tuple[Active, ...]
    hours: dict[tuple[int, int], int]
    months: tuple[tuple[int, int, int], ...]


def add_up(games: Sequence[PlayedGame], most: int) -> ClubSums:
    """Return the statistics of games, with the `most` most active players.

    Games are in the order of play. Among equals, the first to reach a value comes first.
    """
    played: Counter[int] = Counter()
    evenings: dict[int, set[int]] = defaultdict(set)
    for game in games:
        for player in (player for players in game.sides for player in players):
            played[player] += 1
            evenings[player].add(game.evening)
    active = sorted(played, key=lambda player: (-played[player], player))
    return ClubSums(
        games=len(games),
        players=len(played),
        evenings=len({game.evening for game in games}),
        highest=_best_scores(games, -1),
        lowest=_best_scores(games, 1),
        kings=_best(_kings(games)),
        runs=_best(_runs(games)),
        active=tuple(Active(pk, played[pk], len(evenings[pk])) for pk in active[:most]),
        hours=dict(Counter(((game.at - NIGHT).weekday(), game.at.hour) for game in games)),
        months=_months(games),
    )


def _best(records: Iterable[Record]) -> tuple[Record, ...]:
    return tuple(nsmallest(BEST, records, key=lambda record: (-record.value, record.at)))


def _best_scores(games: Sequence[PlayedGame], sign: int) -> tuple[Record, ...]:
    """The highest totals with `sign` -1, the lowest with 1; among equals, the earlier first."""
    scores = (
        (sign * total, number, side)
        for number, game in enumerate(games)
        for side, total in enumerate(game.totals)
        if game.sides[side]
    )
    return tuple(
        Record(sign * value, games[number].sides[side], games[number].key, games[number].at)
        for value, number, side in nsmallest(BEST, scores)
    )


def _kings(games: Iterable[PlayedGame]) -> Iterable[Record]:
    made: Counter[int] = Counter()
    last: dict[int, PlayedGame] = {}
    for game in games:
        for side in game.kings:
            for player in game.sides[side]:
                made[player] += 1
                last[player] = game
    for player, number in made.items():
        yield Record(number, (player,), last[player].key, last[player].at)


def _runs(games: Iterable[PlayedGame]) -> Iterable[Record]:
    """The longest run of games in which each player came out, with its last game.

    A game with no side out or sunk, such as a draw, neither extends a run nor ends it.
    """
    runs: Counter[int] = Counter()
    longest: dict[int, Record] = {}
    for game in games:
        for side in game.out:
            for player in game.sides[side]:
                runs[player] += 1
                if player not in longest or runs[player] > longest[player].value:
                    longest[player] = Record(runs[player], (player,), game.key, game.at)
        for side in game.sunk:
            for player in game.sides[side]:
                runs[player] = 0
    yield from (record for record in longest.values() if record.value > 1)


def _months(games: Sequence[PlayedGame]) -> tuple[tuple[int, int, int], ...]:
    evenings = [game.at - NIGHT for game in games]
    # Numbers of consecutive months differ by 1.
    counted = Counter(evening.year * 12 + evening.month - 1 for evening in evenings)
    if not counted:
        return ()
    span = range(min(counted), max(counted) + 1)
    return tuple((month // 12, month % 12 + 1, counted[month]) for month in span)
