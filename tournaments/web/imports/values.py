"""Dates, counts and ticks as people type them into a spreadsheet."""

import re
from datetime import date

from tournaments.models.people import plain_name
from tournaments.web.imports.cells import Cell

FIRST_YEAR = 1900
MOST_COUNTED = 999

_DAY_FIRST = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})")
_YEAR_FIRST = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T].*)?")

YES = frozenset({"1", "x", "evet", "e", "si", "s", "yes", "y", "true", "dogru", "vero", "✓"})
NO = frozenset({"", "0", "hayir", "h", "no", "n", "false", "yanlis", "falso", "-"})


def read_day(cell: Cell) -> date | None:
    """Return a date like 21.11.2026, 21/11/2026, 21-11-26 or 2026-11-21; None if it is invalid."""
    text = str(cell).strip()
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = map(int, match.groups())
    elif match := _DAY_FIRST.fullmatch(text):
        day, month, year = map(int, match.groups())
        year += 2000 if year < 100 else 0
    else:
        return None
    try:
        return date(year, month, day) if year >= FIRST_YEAR else None
    except ValueError:
        return None


def read_count(cell: Cell) -> int | None:
    """Return the number of a round or table, from 1, like 2 or 2.; None if it is invalid."""
    text = str(cell).strip().removesuffix(".")
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
    return number if 1 <= number <= MOST_COUNTED else None


def read_yes(cell: Cell) -> bool | None:
    """Return whether a cell is ticked, in one of the three languages; None if unclear."""
    word = plain_name(str(cell)).strip()
    return True if word in YES else False if word in NO else None
