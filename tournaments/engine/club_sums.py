"""What the games of a club add up to: its records, who plays most, and when it is played."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import nsmallest

from tournaments.engine.rulesets import Points

BEST = 3
"""So many lines of each record."""

NIGHT = timedelta(hours=6)
"""What begins before six in the morning belongs to the evening before."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game by its key, when it began, and at which evening.

    `sides` are the players of each side, those who count; `totals` are per side, `out` and
    `sunk` lists of sides, in `kings` one for each King made.
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
    """What somebody, or a pair, has reached: by or in the game `key`, begun `at`."""

    value: Points
    players: tuple[int, ...]
    key: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Active:
    """Who has played so many games at so many evenings."""

    player: int
    games: int
    evenings: int


@dataclass(frozen=True, slots=True)
class ClubSums:
    """All of it; the best of each record come first.

    `hours` counts games by weekday (from Monday, 0) and hour; `months` by year and month in
    order, with the empty ones between.
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
    """What games add up to, with `most` of those who play most.

    Games are in the order in which they were played. Of equals the first to have reached it
    comes first.
    """
    played, evenings = _by_player(games)
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
        hours=dict(Counter(_place_in_week(game.at) for game in games)),
        months=_months(games),
    )


def _by_player(games: Iterable[PlayedGame]) -> tuple[Counter[int], dict[int, set[int]]]:
    """How many games each has played, and at which evenings."""
    played: Counter[int] = Counter()
    evenings: dict[int, set[int]] = defaultdict(set)
    for game in games:
        for players in game.sides:
            for player in players:
                played[player] += 1
                evenings[player].add(game.evening)
    return played, evenings


def _best(records: Iterable[Record]) -> tuple[Record, ...]:
    return tuple(nsmallest(BEST, records, key=lambda record: (-record.value, record.at)))


def _best_scores(games: Sequence[PlayedGame], sign: int) -> tuple[Record, ...]:
    """The highest totals with `sign` -1, the lowest with 1; the earlier of equals first."""
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
    """The Kings of each player, with the game of the last one."""
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
    """The longest run of each player of games in which they came out, with its last game.

    A game of which nobody is sunk and nobody out, as a draw, neither adds to a run nor ends it.
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


def _place_in_week(at: datetime) -> tuple[int, int]:
    return (at - NIGHT).weekday(), at.hour


def _months(games: Sequence[PlayedGame]) -> tuple[tuple[int, int, int], ...]:
    counted = Counter(month_number(game.at) for game in games)
    if not counted:
        return ()
    span = range(min(counted), max(counted) + 1)
    return tuple((month // 12, month % 12 + 1, counted[month]) for month in span)


def month_number(at: datetime) -> int:
    """The number of the month of an evening, one more for each."""
    evening = at - NIGHT
    return evening.year * 12 + evening.month - 1
