"""A rating as a curve with its band, scaled for a drawing, and the table of its values."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil, floor
from operator import attrgetter

from django.utils.formats import date_format
from django.utils.timezone import localtime

from tournaments.engine.ratings.ratings import Rating
from tournaments.queries.people.players import RatingStep
from tournaments.queries.ratings.ratings import ShownRating, shown, shown_points

COLUMNS = 150
"""The number of moments that a curve of this width can show."""

MOST_DOTS = 30
"""With more games than this, the curve has no dots."""

MOST_ROWS = 24
"""With more games than this, the table is by months."""

STEPS = (10, 20, 50, 100, 200, 500)
MOST_MARKS = 6
MOST_DATES = 4
MONTHS = (1, 2, 3, 6, 12, 24, 60, 120)
DAYS_OF_MONTHS = 75
"""A longer curve is labelled by months, a shorter one by days."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The size of a drawing, with margins for the scale, the end and the dates."""

    width: int = 358
    height: int = 220
    left: int = 40
    right: int = 10
    top: int = 10
    bottom: int = 24

    @property
    def end(self) -> int:
        return self.width - self.right

    @property
    def floor(self) -> int:
        return self.height - self.bottom


PAGE = Frame()
"""The width of a phone."""


@dataclass(frozen=True, slots=True)
class AxisMark:
    """A mark on one of the axes."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class CurveRow:
    """A line of the table: a game, or a month, with the rating after its last game."""

    label: str
    games: int
    rating: ShownRating
    change: int


@dataclass(frozen=True, slots=True)
class Curve:
    """The curve and its scales in the units of the drawing."""

    line: str
    band: str
    dots: tuple[tuple[float, float], ...]
    end: tuple[float, float]
    marks: tuple[AxisMark, ...]
    dates: tuple[AxisMark, ...]
    rows: tuple[CurveRow, ...]
    by_months: bool
    width: int = PAGE.width
    height: int = PAGE.height
    left: int = PAGE.left
    right: int = PAGE.width - PAGE.right
    bottom: int = PAGE.height - PAGE.bottom
    foot: int = PAGE.height - 6


@dataclass(frozen=True, slots=True)
class _Moment:
    """The rating at a moment."""

    at: datetime
    rating: Rating

    @property
    def low(self) -> float:
        return self.rating.mean - 2 * self.rating.deviation

    @property
    def high(self) -> float:
        return self.rating.mean + 2 * self.rating.deviation


def draw_curve(
    steps: Sequence[RatingStep], until: datetime | None, frame: Frame = PAGE
) -> Curve | None:
    """Return the curve of a rating, up to `until` if given; None before the first game.

    The band is the rating plus and minus two deviations. It widens to the deviation at the start of
    each game, and after the last game as it does without play.
    """
    if not steps:
        return None
    moments = list(_moments(steps))
    end = moments[-1]
    if until is not None and until > end.at:
        days = (until - end.at) / timedelta(days=1)
        moments.append(_Moment(until, end.rating.rested(days)))
    first, last = moments[0].at, max(moments[-1].at, moments[0].at + timedelta(days=1))
    span = (last - first).total_seconds()
    step, low, high = _scale(min(m.low for m in moments), max(m.high for m in moments))

    def x_of(at: datetime) -> float:
        share = (at - first).total_seconds() / span
        return round(frame.left + (frame.width - frame.left - frame.right) * share, 1)

    def y_of(points: float) -> float:
        room = frame.height - frame.top - frame.bottom
        return round(frame.top + room * (high - points) / (high - low), 1)

    above = [(x_of(m.at), y_of(m.high)) for m in moments]
    below = [(x_of(m.at), y_of(m.low)) for m in reversed(moments)]
    dots = steps if len(steps) <= MOST_DOTS else ()
    return Curve(
        line=_points((x_of(m.at), y_of(m.rating.mean)) for m in moments),
        band=_points(iter(above + below)),
        dots=tuple((x_of(each.at), y_of(each.after.mean)) for each in dots),
        end=(x_of(end.at), y_of(end.rating.mean)),
        marks=tuple(AxisMark(y_of(mark), str(mark)) for mark in range(low, high + 1, step)),
        dates=tuple(AxisMark(x_of(at), label) for at, label in _dates(first, last)),
        rows=tuple(_rows(steps)),
        by_months=len(steps) > MOST_ROWS,
    )


def _points(places: Iterator[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in places)


def _moments(steps: Sequence[RatingStep]) -> Iterator[_Moment]:
    """Yield the ratings to draw; with many games, the first and last of each pixel column."""
    first, last = steps[0].at, steps[-1].at
    span = (last - first).total_seconds() or 1.0
    columns = [int(COLUMNS * (each.at - first).total_seconds() / span) for each in steps]
    yield _Moment(first, steps[0].after)
    for number, each in enumerate(steps):
        if number and columns[number - 1] != columns[number]:
            yield _Moment(each.at, each.before)
        if number + 1 == len(steps) or columns[number + 1] != columns[number]:
            yield _Moment(each.at, each.after)


def _scale(lowest: float, highest: float) -> tuple[int, int, int]:
    """Return a round step, and the marks below and above the drawn range."""
    step = next((s for s in STEPS if (highest - lowest) / s <= MOST_MARKS - 1), STEPS[-1])
    low, high = floor(lowest / step) * step, ceil(highest / step) * step
    return step, low, max(high, low + step)


# Dates.


def _dates(first: datetime, last: datetime) -> Iterator[tuple[datetime, str]]:
    """Yield a few days, or first days of months, with their labels on the axis."""
    days = (last - first).days
    if days >= DAYS_OF_MONTHS:
        yield from _months(first, last)
        return
    every = max(1, ceil((days + 1) / MOST_DATES))
    day = localtime(first).replace(hour=0, minute=0, second=0, microsecond=0)
    while day <= last:
        if day >= first - timedelta(days=1):
            yield max(day, first), date_format(day, "j M")
        day += timedelta(days=every)


def _months(first: datetime, last: datetime) -> Iterator[tuple[datetime, str]]:
    start = localtime(first)
    number, end = _month_after(start), _month_of(localtime(last))
    every = next((n for n in MONTHS if (end - number) / n < MOST_DATES), MONTHS[-1])
    while number % min(every, 12):
        number += 1
    while number <= end:
        day = start.replace(
            year=number // 12, month=number % 12 + 1, day=1, hour=0, minute=0, second=0
        )
        yield day, date_format(day, "M Y")
        number += every


def _month_of(day: date) -> int:
    return 12 * day.year + day.month - 1


def _month_after(day: date) -> int:
    return _month_of(day) + (day.day > 1)


# The table.


def _rows(steps: Sequence[RatingStep]) -> Iterator[CurveRow]:
    """Yield the games, or the months if there are many, the latest first."""
    by_months = len(steps) > MOST_ROWS
    style = "YEAR_MONTH_FORMAT" if by_months else "SHORT_DATE_FORMAT"
    last = len(steps) - 1
    while last >= 0:
        at = localtime(steps[last].at)
        first = last
        if by_months:
            month = at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
            first = bisect_left(steps, month, hi=last, key=attrgetter("at"))
        rating = shown(steps[last].after)
        change = rating.points - shown_points(steps[first].before)
        yield CurveRow(date_format(at, style), last - first + 1, rating, change)
        last = first - 1
