"""Where everything stands on a sheet for reading, in millimetres from its top left corner."""

import base64
import hashlib
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from tournaments.engine.play.most_probable import can_be_read
from tournaments.engine.rules.rulesets import Ruleset

PAPERS = {"a4": (210.0, 297.0), "us-letter": (215.9, 279.4)}
EDGE, CODE = 8.0, 16.0
"""The codes in the corners, and their distance from the edges."""

SQUARE = 2.2
"""The side of the black squares by which a bent page is made straight."""

DIGIT_WIDTH, DIGIT_HEIGHT = 6.9, 8.6
TOP, BOTTOM = 48.0, 37.0
"""What is left above and below the rows."""

LEAST_PITCH, MOST_PITCH = 9.4, 12.5
TICKS_FROM, TICKS_WIDTH = 19.5, 62.0
SIDES_UNTIL = 12.0
GAP = 1.4
"""The gap between contracts of two kinds."""

TOTAL_DIGITS = 5
"""The boxes of a total: a sign and four digits."""

Box = tuple[float, float, float, float]
"""Left, top, width and height."""


def can_be_photographed(ruleset: Ruleset) -> bool:
    """Return whether a ruleset has a sheet: one page of rows that can be read."""
    return can_be_read(ruleset) and _pitch(ruleset, PAPERS["us-letter"][1]) >= LEAST_PITCH


def _pitch(ruleset: Ruleset, height: float) -> float:
    return min(MOST_PITCH, (height - TOP - BOTTOM) / (ruleset.length or height))


@dataclass(frozen=True)
class Layout:
    """A sheet: a box is of a contract and its trump (empty: none), or a digit of a number.

    `rows` has the height of the middle of each row, `ticks` its boxes of contracts (none where
    the contract is fixed), `counts` its tens and units for each side, `totals` the digits of each
    side at the foot. `columns` are the left edges of the sides.
    """

    page: tuple[float, float]
    columns: tuple[float, ...]
    rows: tuple[float, ...]
    ticks: tuple[dict[tuple[str, str], Box], ...]
    counts: tuple[tuple[tuple[Box, Box], ...], ...]
    totals: tuple[tuple[Box, ...], ...]
    squares: tuple[tuple[float, float], ...]

    @property
    def codes(self) -> tuple[Box, ...]:
        """The codes: above left and right, below left and right."""
        far = tuple(length - EDGE - CODE for length in self.page)
        return tuple((x, y, CODE, CODE) for y in (EDGE, far[1]) for x in (EDGE, far[0]))

    @cached_property
    def digest(self) -> str:
        fields = (self.page, self.ticks, self.counts, self.totals, self.squares)
        return base64.b32encode(hashlib.sha256(repr(fields).encode()).digest()).decode()[:6]

    def code(self, corner: int, address: str) -> str:
        """Return the text of a code: the kind, the layout, the corner and the address.

        The address is the public id of the game for which the sheet was printed, which opens
        nothing; it is empty on a sheet for any game. So short a text is a small, coarse code.
        """
        return f"K{self.digest}{corner}{address.upper()}"


def layout_of(ruleset: Ruleset, paper: str) -> Layout:
    """Return the layout of the sheet of a ruleset that can be photographed.

    It is the same for all options of a table but its number of deals.
    """
    width, height = page = PAPERS[paper]
    deals, pitch = ruleset.length or 0, _pitch(ruleset, height)
    rows = tuple(round(TOP + (n + 0.5) * pitch, 2) for n in range(deals))
    foot = round(TOP + deals * pitch + 1.5 + DIGIT_HEIGHT / 2, 2)
    by_row = [contracts_to_tick(ruleset, n) for n in range(deals)]
    columns = dict.fromkeys(box for boxes in by_row for box in boxes)
    kinds = [len([*boxes]) for _, boxes in groupby(ruleset.by_id[c].kind for c, _ in columns)]
    step = min(5.4, (TICKS_WIDTH - GAP * len(kinds)) / max(len(columns), 1))
    gaps = [GAP * n for n, boxes in enumerate(kinds) for _ in range(boxes)]
    lefts = {
        box: round(TICKS_FROM + n * step + gap, 2)
        for n, (box, gap) in enumerate(zip(columns, gaps, strict=True))
    }
    side = round(step - 0.7, 2)
    ticks_end = TICKS_FROM + 30
    if lefts:
        ticks_end = max(ticks_end, *(left + step for left in lefts.values()))
    begin = ticks_end + 4.5
    wide = (width - SIDES_UNTIL - begin) / ruleset.side_count
    sides = tuple(round(begin + n * wide, 2) for n in range(ruleset.side_count))
    digit = round(min(5.7, (wide - 2.5) / TOTAL_DIGITS), 2)
    at = (EDGE + SQUARE, round(ticks_end + 1.6, 2), width - EDGE - SQUARE)
    return Layout(
        page=page,
        columns=sides,
        rows=rows,
        ticks=tuple(
            {box: (lefts[box], round(y - side / 2, 2), side, side) for box in boxes}
            for y, boxes in zip(rows, by_row, strict=True)
        ),
        counts=tuple(
            tuple(
                (_digit(x, y, DIGIT_WIDTH), _digit(x + DIGIT_WIDTH, y, DIGIT_WIDTH)) for x in sides
            )
            for y in rows
        ),
        totals=tuple(
            tuple(_digit(x + n * digit, foot, digit) for n in range(TOTAL_DIGITS)) for x in sides
        ),
        squares=tuple((x, y) for y in (*rows, foot) for x in at),
    )


def _digit(x: float, y: float, width: float) -> Box:
    return round(x, 2), round(y - DIGIT_HEIGHT / 2, 2), width, DIGIT_HEIGHT


def contracts_to_tick(ruleset: Ruleset, number: int) -> list[tuple[str, str]]:
    """Return what can be ticked in a deal (from 0), with its trump; nothing if that is fixed."""
    stages = [stage.contracts for stage in ruleset.stages for _ in range(stage.deals)]
    named = stages[number] if number < len(stages) else tuple(ruleset.by_id)
    boxes = [(name, trump) for name in named for trump in ruleset.by_id[name].trumps or ("",)]
    return boxes if len(boxes) > 1 else []
