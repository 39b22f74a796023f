"""Photographs of one sheet, read: the rows by the rules, and what a person has to look at."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from tournaments.engine.play.most_probable import (
    SURE,
    ReadRow,
    contradicted_totals,
    largest_count,
    most_probable,
)
from tournaments.engine.rules.rulesets import Ruleset
from tournaments.photos.cells import (
    EMPTY,
    count_logarithms,
    read_boxes,
    read_ticks,
    read_total,
)
from tournaments.photos.layout import PAPERS, Box, Layout, layout_of
from tournaments.photos.straighten import Floats, Page, UnreadablePhoto, straighten

SURER = 0.999
"""The same in the column of a contradictory total."""

SURELY_WRITTEN = 0.05
"""A row without a tick is written if one of its boxes is less probably empty than this."""

MOST_PHOTOS = 6


@dataclass(frozen=True)
class PhotoRow:
    """A row: its contract and trump ("" if that is fixed or unknown), and the count of each side.

    `read` is what the boxes say without the rules, `changed` the sides where that differs, and
    `doubtful` those whose count a person has to look at. Rectangles are left, top, width and height
    in pixels of the page.
    """

    contract: str
    trump: str
    contract_probability: float
    contract_is_doubtful: bool
    contract_box: list[int]
    counts: list[int]
    probabilities: list[float]
    boxes: list[list[int]]
    read: list[int]
    changed: list[int]
    doubtful: list[int]
    sum_is_wrong: bool


@dataclass(frozen=True)
class PhotoTotal:
    """A total at the foot (None: not written), and whether the rows contradict it."""

    value: int | None
    probability: float
    is_contradicted: bool
    box: list[int]


@dataclass(frozen=True)
class PhotoReading:
    """What photographs of a sheet say, as plain data: rows and totals in the order of the sides.

    `page` is the straightened page, a grey JPEG, and `error` that of straightening in millimetres.
    A sheet is `is_of_game` unless it was printed for any game.
    """

    rows: list[PhotoRow]
    totals: list[PhotoTotal]
    page: bytes
    is_of_game: bool
    error: float


def read_photos(
    photos: Sequence[bytes], ruleset: Ruleset, address: str, first_declarer: int = 0
) -> PhotoReading:
    """Read a sheet of a ruleset, printed for the game at an address or for any game.

    Several photographs say more than one of them; those that cannot be read are left out.

    Raises: UnreadablePhoto: none of them can be read; with the reason of the first.
    """
    layouts = {paper: layout_of(ruleset, paper) for paper in PAPERS}
    pages, refused = [], []
    for photo in photos[:MOST_PHOTOS]:
        try:
            pages.append(straighten(photo, layouts, address))
        except UnreadablePhoto as unreadable:
            refused.append(unreadable)
    if not pages:
        raise refused[0]
    best = min(pages, key=attrgetter("error"))
    same = [page for page in pages if (page.layout, page.address) == (best.layout, best.address)]
    return _read_pages(best, [*map(_read_page, same)], ruleset, first_declarer)


def _read_page(page: Page) -> list[Floats]:
    """Return the classes of all digits by row, side and box, those of totals, and ticks by row."""
    layout = page.layout
    pairs = [digit for row in layout.counts for pair in row for digit in pair]
    counts = read_boxes(page, pairs).reshape(len(layout.rows), len(layout.columns), 2, -1)
    digits = [digit for side in layout.totals for digit in side]
    totals = read_boxes(page, digits).reshape(len(layout.columns), len(layout.totals[0]), -1)
    ends = np.cumsum([len(row) for row in layout.ticks])[:-1]
    return [counts, totals, *np.split(read_ticks(page, layout.ticks), ends)]


def _read_pages(
    page: Page, read: Sequence[Sequence[Floats]], ruleset: Ruleset, first_declarer: int
) -> PhotoReading:
    layout = page.layout
    # On a sheet for any game the first declarer has the first column.
    first = 0 if page.address else first_declarer
    columns = [(side - first) % ruleset.side_count for side in range(ruleset.side_count)]
    # What is as probable in all photographs.
    counts, totals, *ticks = (
        np.exp(np.mean(np.log(same), axis=0)) for same in zip(*read, strict=True)
    )
    counts, totals = counts[:, columns], totals[columns]
    written = [
        n
        for n in range(len(layout.rows))
        if counts[n, ..., EMPTY].min() < SURELY_WRITTEN
        or (len(ticks[n]) and ticks[n][:, 1].max() > 1 / 2)
    ]
    scores = [_tick_scores(each) for each in ticks[: max(written, default=-1) + 1]]
    most = largest_count(ruleset)
    cells = [
        [count_logarithms(tens, units, most) for tens, units in counts[n]]
        for n in range(len(scores))
    ]
    rows = [ReadRow(_contracts(layout.ticks[n], score), cells[n]) for n, score in enumerate(scores)]
    answers = most_probable(ruleset, rows)
    feet = [read_total(side) for side in totals]
    values = [value for value, _probability in feet]
    against = contradicted_totals(ruleset, answers, values)
    surely = [SURER if side in against else SURE for side in range(ruleset.side_count)]
    found = []
    for n, answer in enumerate(answers):
        boxes = layout.ticks[n]
        trump, share = _trump(boxes, scores[n], answer.contract)
        named = answer.contract_probability * share
        alone = [int(np.argmax(cell)) for cell in cells[n]]
        around = _around([*boxes.values()]) if boxes else _before(layout, n)
        row = PhotoRow(
            contract=answer.contract,
            trump=trump,
            contract_probability=named,
            # A box that was crossed by mistake should be black, but who knows.
            contract_is_doubtful=named < SURE or int((ticks[n][:, 0] < 1 / 2).sum()) > 1,
            contract_box=page.rectangle(around),
            counts=[*answer.counts],
            probabilities=[*answer.probabilities],
            boxes=[page.rectangle(_around(layout.counts[n][column])) for column in columns],
            read=alone,
            changed=[side for side, one in enumerate(alone) if answer.counts[side] != one],
            doubtful=[
                side
                for side, one in enumerate(answer.probabilities)
                if answer.sum_is_wrong or one < surely[side]
            ],
            sum_is_wrong=answer.sum_is_wrong,
        )
        found.append(row)
    file = io.BytesIO()
    page.picture.save(file, "JPEG", quality=70)
    totals_found = [
        PhotoTotal(
            value, probability, side in against, page.rectangle(_around(layout.totals[column]))
        )
        for side, ((value, probability), column) in enumerate(zip(feet, columns, strict=True))
    ]
    return PhotoReading(found, totals_found, file.getvalue(), bool(page.address), page.error)


def _tick_scores(ticks: Floats) -> Floats:
    """Return the logarithm of how probable it is that one box alone is crossed, for each."""
    crossed = ticks[:, 1]
    return np.asarray(np.log(crossed) - np.log(1 - crossed) + np.log(1 - crossed).sum())


def _contracts(boxes: Mapping[tuple[str, str], Box], scores: Floats) -> dict[str, float]:
    found: dict[str, float] = {}
    for (contract, _trump), score in zip(boxes, scores, strict=True):
        found[contract] = float(np.logaddexp(found.get(contract, -np.inf), score))
    return found


def _trump(
    boxes: Mapping[tuple[str, str], Box], scores: Floats, contract: str
) -> tuple[str, float]:
    """Return the most probable trump of a contract, and how probable it is with it."""
    those = {
        trump: one for (name, trump), one in zip(boxes, scores, strict=True) if name == contract
    }
    if not those:
        return "", 1.0
    trump = max(those, key=those.__getitem__)
    return trump, float(np.exp(those[trump] - np.logaddexp.reduce([*those.values()])))


def _around(boxes: Sequence[Box]) -> Box:
    """Return the box around boxes side by side."""
    left, top, _width, height = boxes[0]
    return left, top, boxes[-1][0] + boxes[-1][2] - left, height


def _before(layout: Layout, number: int) -> Box:
    """Return the place of a contract that is printed."""
    _x, top, _width, height = layout.counts[number][0][0]
    return 12.0, top, layout.columns[0] - 14, height
