"""When and how often a club plays, as tables: weekdays by hours, months, years."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.dates import WEEKDAYS, WEEKDAYS_ABBR
from django.utils.formats import date_format

FIRST_HOUR = 6
"""The hours of a day are told from six in the morning on: what is later is the same evening."""

SHADES = 5
MONTHS = 12
"""So many months are told one by one."""

Months = Sequence[tuple[int, int, int]]
"""Year, month and how many games."""


@dataclass(frozen=True, slots=True)
class Cell:
    """How many games, and how dark that is, from 0 to `SHADES`."""

    games: int
    shade: int


@dataclass(frozen=True, slots=True)
class HourRow:
    """An hour of the clock with its games by weekday."""

    label: str
    cells: tuple[Cell, ...]
    games: int


@dataclass(frozen=True, slots=True)
class Week:
    """Games by weekday and hour, from Monday; `days` are names, short and whole."""

    days: tuple[tuple[str, str], ...]
    rows: tuple[HourRow, ...]
    by_day: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SpanRow:
    """A month or a year, with the length of its bar, of which the longest has 100."""

    label: str
    games: int
    bar: int


def week_of(hours: Mapping[tuple[int, int], int]) -> Week | None:
    """The week in hours, from the first to the last one in which a game began."""
    if not hours:
        return None
    order = [(FIRST_HOUR + n) % 24 for n in range(24)]
    at = sorted(order.index(hour) for _day, hour in hours)
    most = max(hours.values())
    rows = tuple(_row(hour, hours, most) for hour in order[at[0] : at[-1] + 1])
    by_day = tuple(sum(row.cells[day].games for row in rows) for day in range(7))
    days = tuple((str(WEEKDAYS_ABBR[day]), str(WEEKDAYS[day])) for day in range(7))
    return Week(days, rows, by_day)


def _row(hour: int, hours: Mapping[tuple[int, int], int], most: int) -> HourRow:
    counts = [hours.get((day, hour), 0) for day in range(7)]
    # Rounded up: one game is seen, too.
    cells = tuple(Cell(games, -(-SHADES * games // most)) for games in counts)
    return HourRow(f"{hour:02}", cells, sum(counts))


def months_of(months: Months) -> list[SpanRow]:
    """The last months, the latest first."""
    labels = [
        (date_format(date(year, month, 1), "YEAR_MONTH_FORMAT"), games)
        for year, month, games in reversed(months[-MONTHS:])
    ]
    return _spans(labels)


def years_of(months: Months) -> list[SpanRow]:
    """The years, the latest first, where not all months are told one by one."""
    if len(months) <= MONTHS:
        return []
    years: Counter[int] = Counter()
    for year, _month, games in months:
        years[year] += games
    return _spans([(str(year), years[year]) for year in sorted(years, reverse=True)])


def _spans(counted: Sequence[tuple[str, int]]) -> list[SpanRow]:
    most = max((games for _label, games in counted), default=1)
    return [SpanRow(label, games, -(-100 * games // most)) for label, games in counted]
