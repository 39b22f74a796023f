"""The totals of a game as a line chart for an inline SVG."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils.text import Truncator

from tournaments.engine.play.games import Game
from tournaments.engine.rules.rulesets import Points
from tournaments.presenters.games.sheets import numbers_of

WIDTH, HEIGHT = 358, 200
LOW = 132
"""The height of the drawing where it shares the screen with the result."""

LEFT, RIGHT, TOP, BOTTOM = 36, 72, 10, 20
"""Margins: for the scale, for the names at the ends of lines, for the deal numbers."""

LETTERS = 9
"""Maximum length of a name."""

LINE = 14
"""Minimum distance between two names."""

STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10000)
MOST_STEPS = 6


@dataclass(frozen=True)
class Tick:
    """A mark on the scale of points or deals."""

    at: float
    label: str


@dataclass(frozen=True)
class Course:
    """One side's line, and the position of its name, cut to fit."""

    name: str
    short: str
    total: Points
    points: str
    end: float
    label: float


@dataclass(frozen=True)
class Chart:
    """Lines and scales in the units of the drawing."""

    width: int
    height: int
    left: int
    right: int
    zero: float
    bottom: float
    courses: tuple[Course, ...]
    marks: tuple[Tick, ...]
    deals: tuple[Tick, ...]


def draw_chart(game: Game, players: Sequence[str], height: int = HEIGHT) -> Chart | None:
    """Return the totals of each side by deal; None before the first deal.

    `players` are names in seat order.
    """
    if not game.rows:
        return None
    table = [(0,) * len(game.totals), *(row.totals for row in game.rows)]
    sides = list(zip(*table, strict=True))
    # As wide as the whole game, so that the line grows instead of being rescaled with each deal.
    extra = len(game.rows) - len(game.deals)
    length = None if game.finished else game.ruleset.length
    columns = max((length or len(game.deals)) + extra, 1)
    names = list(zip(game.ruleset.side_names(players), _short_names(game, players), strict=True))
    return draw_lines(names, sides, columns, tuple(_deal_ticks(game, columns)), height)


def draw_lines(
    names: Sequence[tuple[str, str]],
    lines: Sequence[Sequence[Points]],
    columns: int,
    ticks: tuple[Tick, ...],
    height: int = HEIGHT,
) -> Chart:
    """Return a line of totals for each name, whole and short, in `columns` steps to the right."""
    x_of = [x_at(n, columns) for n in range(len(lines[0]))]
    step, low, high = _scale([float(total) for line in lines for total in line])

    def y_of(total: Points) -> float:
        return round(TOP + (height - TOP - BOTTOM) * (high - float(total)) / (high - low), 1)

    labels = _spread([y_of(line[-1]) for line in lines], height)
    courses = []
    for (name, short), line, label in zip(names, lines, labels, strict=True):
        points = " ".join(f"{x:.1f},{y_of(total)}" for x, total in zip(x_of, line, strict=True))
        courses.append(Course(name, short, line[-1], points, y_of(line[-1]), label))
    return Chart(
        WIDTH,
        height,
        LEFT,
        round(x_of[-1]),
        y_of(0),
        height - BOTTOM,
        tuple(courses),
        tuple(Tick(y_of(mark), str(mark)) for mark in range(low, high + 1, step)),
        ticks,
    )


def x_at(column: float, columns: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * column / columns


def _short_names(game: Game, players: Sequence[str]) -> list[str]:
    """Return names for the ends of the lines; the two of a pair share the space."""
    sides = game.ruleset.sides
    if game.ruleset.seats_in_a_side == 1:
        return [Truncator(name).chars(LETTERS) for name in players]
    each = (LETTERS - 1) // game.ruleset.seats_in_a_side
    return [
        "+".join(name[:each] for seat, name in enumerate(players) if sides[seat] == side)
        for side in range(game.ruleset.side_count)
    ]


def _scale(totals: Sequence[float]) -> tuple[int, int, int]:
    """Return a round step, and the marks below and above all totals."""
    lowest, highest = min(totals), max(totals)
    step = next((s for s in STEPS if (highest - lowest) / s <= MOST_STEPS), STEPS[-1])
    low, high = int(lowest // step) * step, -int(-highest // step) * step
    return step, low, max(high, low + step)


def _spread(ends: Sequence[float], height: int) -> list[float]:
    """Return positions of the names beside the ends of their lines, without overlaps."""
    order = sorted(range(len(ends)), key=lambda side: ends[side])
    places = {side: min(max(ends[side], TOP), height - BOTTOM) for side in order}
    for above, below in pairwise(order):
        places[below] = max(places[below], places[above] + LINE)
    overshoot = max(places[order[-1]] - (height - BOTTOM + 8), 0)
    limit = places[order[-1]] - overshoot
    for side in reversed(order):
        places[side] = min(places[side], limit)
        limit = places[side] - LINE
    return [round(places[side], 1) for side in range(len(ends))]


def _deal_ticks(game: Game, columns: int) -> Iterator[Tick]:
    """Yield numbers below the fifth, tenth … deal."""
    of_entry = numbers_of(game)
    for column, row in enumerate(game.rows, 1):
        number = of_entry.get(row.entry)
        if number is not None and number % 5 == 0:
            yield Tick(round(x_at(column, columns), 1), str(number))
