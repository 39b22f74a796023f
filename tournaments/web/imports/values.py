"""Dates, numbers and ticks as people type them into a spreadsheet."""

import re
from datetime import date
from fractions import Fraction

from tournaments.engine.play.entry_checks import FINEST_PART
from tournaments.engine.rules.rulesets import Points, whole
from tournaments.models.people import plain_name
from tournaments.web.imports.cells import Cell

FIRST_YEAR = 1900
MOST_POINTS = 1_000_000
MOST_COUNTED = 999

_DAY_FIRST = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})")
_YEAR_FIRST = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T].*)?")

_MINUS = str.maketrans("−–‒﹣－", "-----")
_NUMBER = re.compile(r"[+-]?\d[\d.,]*")
_SPACES = re.compile(r"[\s'’]+")

DECIMAL_COMMA, DECIMAL_POINT = ",", "."

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


def read_points(cell: Cell, decimal: str) -> Points | None:
    """Return points like −120, 1.250 or 1,250.5; None if they are invalid.

    If both point and comma occur, the last one separates the decimals. One alone does so
    unless three digits follow it and it is not `decimal`, the mark of the reader's language.
    """
    text = _SPACES.sub("", str(cell)).translate(_MINUS)
    if not _NUMBER.fullmatch(text):
        return None
    number = _plain_number(text, decimal)
    if number is None:
        return None
    points = whole(Fraction(number))
    fits = -MOST_POINTS <= points <= MOST_POINTS and FINEST_PART % points.denominator == 0
    return points if fits else None


def _plain_number(text: str, decimal: str) -> str | None:
    """Return a number with a decimal point and without thousands separators."""
    marks = [mark for mark in text if mark in ".,"]
    if not marks:
        return text
    last = marks[-1]
    if len(set(marks)) == 1 and (len(marks) > 1 or _parts_thousands(text, last, decimal)):
        return _joined(text, last)
    head, _mark, tail = text.rpartition(last)
    if last in head or not tail:
        return None
    joined = _joined(head, DECIMAL_POINT if last == DECIMAL_COMMA else DECIMAL_COMMA)
    return joined and f"{joined}.{tail}"


def _parts_thousands(text: str, mark: str, decimal: str) -> bool:
    head, _mark, tail = text.partition(mark)
    return mark != decimal and len(tail) == 3 and 1 <= len(head.lstrip("+-")) <= 3


def _joined(text: str, mark: str) -> str | None:
    """Return a number without its thousands separators; None if they are misplaced."""
    first, *groups = text.split(mark)
    if groups and (any(len(group) != 3 for group in groups) or not first.lstrip("+-")):
        return None
    return "".join([first, *groups])


def read_count(cell: Cell) -> int | None:
    """Return the number of a round or table, from 1, like 2 or 2.; None if it is invalid."""
    text = str(cell).strip().removesuffix(".")
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
    return number if 1 <= number <= MOST_COUNTED else None


def read_yes(cell: Cell) -> bool | None:
    """Return whether a cell is ticked, in one of the three languages; None if unclear."""
    word = plain_name(str(cell)).strip()
    return True if word in YES else False if word in NO else None
