"""Playing times of a club as tables: weekdays by hours, months, years."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.dates import WEEKDAYS, WEEKDAYS_ABBR
from django.utils.formats import date_format

FIRST_HOUR = 6
"""The day begins at six in the morning: later hours belong to the same evening."""

SHADES = 5
MONTHS = 12
"""The number of months in the table."""

Months = Sequence[tuple[int, int, int]]
"""Year, month and number of games."""


@dataclass(frozen=True, slots=True)
class HourCell:
    """A number of games, with its shade from 0 to `SHADES`."""

    games: int
    shade: int


@dataclass(frozen=True, slots=True)
class HourRow:
    """An hour of the day with its games by weekday."""

    label: str
    cells: tuple[HourCell, ...]
    games: int


@dataclass(frozen=True, slots=True)
class Week:
    """Games by weekday and hour, from Monday; `days` are names, short and long."""

    days: tuple[tuple[str, str], ...]
    rows: tuple[HourRow, ...]
    by_day: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SpanRow:
    """A month or a year, with the length of its bar; the longest bar is 100."""

    label: str
    games: int
    bar: int


def week_of(hours: Mapping[tuple[int, int], int]) -> Week | None:
    """Return the week by hours, from the first to the last hour in which a game began."""
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
    # Rounded up, so that a single game is visible.
    cells = tuple(HourCell(games, -(-SHADES * games // most)) for games in counts)
    return HourRow(f"{hour:02}", cells, sum(counts))


def months_of(months: Months) -> list[SpanRow]:
    """Return the last months, the latest first."""
    labels = [
        (date_format(date(year, month, 1), "YEAR_MONTH_FORMAT"), games)
        for year, month, games in reversed(months[-MONTHS:])
    ]
    return _spans(labels)


def years_of(months: Months) -> list[SpanRow]:
    """Return the years, the latest first, if not all months are shown."""
    if len(months) <= MONTHS:
        return []
    years: Counter[int] = Counter()
    for year, _month, games in months:
        years[year] += games
    return _spans([(str(year), years[year]) for year in sorted(years, reverse=True)])


def _spans(counted: Sequence[tuple[str, int]]) -> list[SpanRow]:
    most = max((games for _label, games in counted), default=1)
    return [SpanRow(label, games, -(-100 * games // most)) for label, games in counted]
