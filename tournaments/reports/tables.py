"""Tables to calculate with, described once for all the files that they become."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from fractions import Fraction
from typing import Any

from tournaments.engine.rulesets import Points


class Kind(StrEnum):
    """What stands in a column, which decides how it is set."""

    TEXT = "text"
    INTEGER = "integer"
    POINTS = "points"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its head in the reader's language and its key in JSON, which never changes.

    Of columns that are `many`, those with one key are a list of that name in JSON. `strong` is
    the column that the table is about.
    """

    head: str
    key: str
    kind: Kind = Kind.TEXT
    many: bool = False
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Across:
    """A cell that adds up columns `first` to `last` of its row and takes those of `less` off.

    `value` is what that gives, for whoever reads the file without calculating.
    """

    value: Points
    first: int
    last: int
    less: tuple[int, ...] = ()


Cell = str | bool | int | Fraction | float | date | Across | tuple[int, ...] | None
"""What stands in a cell; points are whole numbers or fractions, and only other figures floats.

But in JSON, yes and no are a tick and nothing, and several numbers stand in one text.
"""

YES = "✓"


@dataclass(frozen=True, slots=True)
class Table:
    """A table; each row has a cell for each column.

    `key` is its name in JSON. `sums` are columns that are added up in a last row, which
    `sums_head` names; `expected` says of some of them what they must come to, which one more
    row checks that `expected_head` names. `fixed` columns stay in sight at the left.
    """

    title: str
    key: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    sums: Sequence[int] = ()
    sums_head: str = ""
    expected: Mapping[int, Points] = field(default_factory=dict)
    expected_head: str = ""
    fixed: int = 0
    landscape: bool = False


@dataclass(frozen=True, slots=True)
class Book:
    """Tables that belong together; the first is what a file has that can hold but one.

    `lines` say what the tables are of; `format` is the name of the JSON and `facts` what it says
    beside the tables.
    """

    title: str
    lines: Sequence[str]
    tables: Sequence[Table]
    format: str
    facts: Mapping[str, Any] = field(default_factory=dict)


def value_of(cell: Cell) -> str | bool | int | Fraction | float | date | tuple[int, ...] | None:
    """What a cell comes to."""
    return cell.value if isinstance(cell, Across) else cell


def written_of(cell: Cell) -> str | int | Fraction | float | date | None:
    """What is written for a cell where there is no word for yes and no, and no list."""
    value = value_of(cell)
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    if isinstance(value, bool):
        return YES if value else None
    return value


def sum_of(table: Table, column: int) -> Points:
    """What a column adds up to; words in it count for nothing, as in a spreadsheet."""
    values = (written_of(row[column]) for row in table.rows)
    return sum((value for value in values if isinstance(value, int | Fraction)), 0)


def decimals_of(number: Points) -> int | None:
    """How many decimals a number has; None where they never end, or are more than six."""
    return next((n for n in range(7) if (Fraction(number) * 10**n).denominator == 1), None)


def number_text(number: Points | float) -> str:
    """A number as a spreadsheet reads it: `-2.5`, and `-2 1/3` where decimals never end.

    `-7/3` it would take for a date.
    """
    if isinstance(number, int | float):
        return str(number)
    digits = decimals_of(number)
    if digits is not None:
        full, part = divmod(abs(number.numerator) * 10**digits // number.denominator, 10**digits)
        return f"{'-' if number < 0 else ''}{full}" + (f".{part:0{digits}}" if digits else "")
    full, rest = divmod(abs(number), 1)
    return f"{'-' if number < 0 else ''}{full} {rest}"


_FORMULA = re.compile(r"""((?:^|[,;|\n])(?:[^\S\n]|")*)(?='*[=+\-@＝＋－＠])""")
_ESCAPED = re.compile(_FORMULA.pattern.replace("(?='*", "'(?='*"))


def escape_formulas(text: str) -> str:
    """Text that no spreadsheet calculates: an apostrophe stands before each sign of a formula.

    It stands also behind a comma, semicolon, bar or line break, where a spreadsheet that takes
    these for separators begins another cell, quotes or none.
    """
    return _FORMULA.sub(r"\1'", text)


def unescape_formulas(text: str) -> str:
    """The text that `escape_formulas` was given."""
    return _ESCAPED.sub(r"\1", text)


MOST_LETTERS = 32_767


def clean(text: str) -> str:
    """Text as a cell can hold it: without signs that control something."""
    kept = "".join(
        " " if unicodedata.category(sign) in {"Cc", "Cs"} and sign != "\n" else sign
        for sign in text
    )
    # XlsxWriter would take this for text that is set already.
    kept = f" {kept}" if kept.startswith("<r>") else kept
    return kept.replace("\ufffe", "").replace("\uffff", "")[: MOST_LETTERS // 2]
