"""The totals of a game as a line chart for an inline SVG."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils.text import Truncator

from tournaments.engine.play.games import Game, only_totals
from tournaments.engine.rules.rulesets import Points
from tournaments.presenters.games.sheets import numbers_of

WIDTH, HEIGHT = 358, 200
LOW = 132
"""The height of the drawing where it shares the screen with the result."""

LEFT, RIGHT, TOP, BOTTOM = 36, 98, 10, 20
"""Margins: for the scale, for the names at the ends of lines, for the deal numbers."""

LETTERS = 12
"""Maximum length of a name."""

LINE = 14
"""Minimum distance between two names."""

SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.4L4.4 3.6H-4.4z",
    "M-4.2 0a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0-8.4 0zM-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0z",
    "M-5-1.7H5V1.7H-5z",
)
"""The shape of each seat, as in the style sheet, around its middle."""

STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10000)
MOST_STEPS = 6


@dataclass(frozen=True)
class Tick:
    """A mark on the scale of points or deals."""

    at: float
    label: str


@dataclass(frozen=True)
class ChartLine:
    """One side's line with the shape of its first seat at the end, and its name.

    `lines` are the names of its players, cut to fit, and `label` is the middle of the first.
    """

    name: str
    lines: tuple[Tick, ...]
    seat: int
    shape: str
    total: Points
    path: str
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
    courses: tuple[ChartLine, ...]
    marks: tuple[Tick, ...]
    deals: tuple[Tick, ...]


def draw_chart(game: Game, players: Sequence[str], height: int = HEIGHT) -> Chart | None:
    """Return the totals of each side by deal; None before the first deal, or if none is known.

    `players` are names in seat order.
    """
    if not game.rows or only_totals(game):
        return None
    table = [(0,) * len(game.totals), *(row.totals for row in game.rows)]
    # As wide as the whole game, so that the line grows instead of being rescaled with each deal.
    extra = len(game.rows) - len(game.deals)
    length = None if game.finished else game.ruleset.length
    columns = max((length or len(game.deals)) + extra, 1)
    sides = game.ruleset.sides
    ends = [
        (name, [p for p, at in zip(players, sides, strict=True) if at == side], sides.index(side))
        for side, name in enumerate(game.ruleset.side_names(players))
    ]
    lines = list(zip(*table, strict=True))
    ticks = tuple(_deal_ticks(game, columns))
    return draw_lines(ends, lines, columns, ticks, height=height)


def draw_lines(
    ends: Sequence[tuple[str, Sequence[str], int]],
    lines: Sequence[Sequence[Points]],
    columns: int,
    ticks: tuple[Tick, ...],
    *,
    height: int = HEIGHT,
) -> Chart:
    """Return a line of totals for each of `ends`, in `columns` steps to the right.

    An end is a name, the names of its players, and the seat whose shape marks it.
    """
    x_of = [x_at(n, columns) for n in range(len(lines[0]))]
    step, low, high = _scale([float(total) for line in lines for total in line])

    def y_of(total: Points) -> float:
        return round(TOP + (height - TOP - BOTTOM) * (high - float(total)) / (high - low), 1)

    high_as = LINE * max(len(players) for _, players, _ in ends)
    labels = _spread([y_of(line[-1]) for line in lines], high_as, height)
    courses = []
    for (name, players, seat), line, label in zip(ends, lines, labels, strict=True):
        path = _path([(x, y_of(total)) for x, total in zip(x_of, line, strict=True)])
        below, end = tuple(_lines_of(players, label)), y_of(line[-1])
        courses.append(ChartLine(name, below, seat, SHAPES[seat], line[-1], path, end, label))
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


def _path(places: Sequence[tuple[float, float]]) -> str:
    """Return a line in whole units and steps, which is half as long as one of places."""
    whole = [(round(x), round(y)) for x, y in places]
    steps = (f"{x - left} {y - above}" for (left, above), (x, y) in pairwise(whole))
    return f"M{whole[0][0]} {whole[0][1]}l{' '.join(steps)}"


def x_at(column: float, columns: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * column / columns


def _lines_of(players: Sequence[str], middle: float) -> Iterator[Tick]:
    """Yield a line of text for each player, around the middle."""
    for turn, name in enumerate(players):
        at = middle + LINE * (turn - (len(players) - 1) / 2)
        yield Tick(round(at, 1), Truncator(name).chars(LETTERS))


def _scale(totals: Sequence[float]) -> tuple[int, int, int]:
    """Return a round step, and the marks below and above all totals."""
    lowest, highest = min(totals), max(totals)
    step = next((s for s in STEPS if (highest - lowest) / s <= MOST_STEPS), STEPS[-1])
    low, high = int(lowest // step) * step, -int(-highest // step) * step
    return step, low, max(high, low + step)


def _spread(ends: Sequence[float], line: int, height: int) -> list[float]:
    """Return positions of the names beside the ends of their lines, without overlaps."""
    order = sorted(range(len(ends)), key=lambda side: ends[side])
    places = {side: min(max(ends[side], TOP), height - BOTTOM) for side in order}
    for above, below in pairwise(order):
        places[below] = max(places[below], places[above] + line)
    overshoot = max(places[order[-1]] - (height - BOTTOM + 8), 0)
    limit = places[order[-1]] - overshoot
    for side in reversed(order):
        places[side] = min(places[side], limit)
        limit = places[side] - line
    return [round(places[side], 1) for side in range(len(ends))]


def _deal_ticks(game: Game, columns: int) -> Iterator[Tick]:
    """Yield numbers below the fifth, tenth … deal."""
    of_entry = numbers_of(game)
    for column, row in enumerate(game.rows, 1):
        number = of_entry.get(row.entry)
        if number is not None and number % 5 == 0:
            yield Tick(round(x_at(column, columns), 1), str(number))
