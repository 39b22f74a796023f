import io

import numpy as np
import pytest
from PIL import Image

from benchmarks.photo import compare
from benchmarks.photo_simulator import Sheet, new_writer, photograph, printed, write
from tournaments.engine.variants import RULESETS
from tournaments.photos.layout import layout_of
from tournaments.photos.reading import read_photos
from tournaments.photos.straighten import UnreadablePhoto

KING = RULESETS["turkish-king"]
MEGAPIXELS = 3


def as_file(picture, kind="JPEG"):
    file = io.BytesIO()
    picture.save(file, kind)
    return file.getvalue()


@pytest.mark.parametrize(
    ("ruleset", "numbers", "paper"),
    [
        ("turkish-king", range(4), "a4"),
        ("turkish-king", range(5, 7), "us-letter"),
        ("italian-king", range(2), "a4"),
        ("king-five", range(2), "a4"),
        ("king-three", range(1), "us-letter"),
        ("portuguese-king", range(1), "a4"),
    ],
)
def test_simulated_sheets_are_read_without_a_silent_error(ruleset, numbers, paper):
    for number in numbers:
        page, written = write(ruleset, number, paper=paper)

        reading = read_photos([photograph(page, number, MEGAPIXELS)], RULESETS[ruleset], "")

        found = compare(reading, written)
        assert found["silent"] == 0
        assert found["wrong rows"] <= 1
        assert found["doubtful"] <= found["fields"] / 3
        assert found["errors found"] == found["errors"]
        assert len(reading.rows) == len(written.rows)


def written_by_hand(*rows, first=0):
    """A page with these rows: contract and trump (None: none), and the text of each count."""
    layout, sheet = layout_of(KING, "a4"), Sheet(printed("turkish-king", "tr", "a4"), writer())
    for number, (ticked, counts) in enumerate(rows, first):
        for key in ticked:
            sheet.tick(layout.ticks[number][key])
        for boxes, count in zip(layout.counts[number], counts, strict=True):
            sheet.count(count, boxes)
    return sheet, layout


def writer():
    one = new_writer(np.random.default_rng(9))
    one.crossed = one.faint = 0
    one.is_european = False
    one.zero, one.tick, one.pressure = (), "cross", 0.9
    return one


QUEENS, HEARTS, TRUMP = ("no-queens", ""), ("no-hearts", ""), ("trump", "clubs")


def test_game_that_goes_on_has_the_rows_that_are_written():
    sheet, _layout = written_by_hand(([QUEENS], (0, 1, 3, 0)), ([TRUMP], (2, 0, 10, 1)))

    reading = read_photos([photograph(sheet.picture(), 1, MEGAPIXELS)], KING, "k7f3mnpq2r")

    assert [(row.contract, row.trump, row.counts) for row in reading.rows] == [
        ("no-queens", "", [0, 1, 3, 0]),
        ("trump", "clubs", [2, 0, 10, 1]),
    ]
    assert [total.value for total in reading.totals] == [None] * 4
    assert not any(row.doubtful or row.contract_is_doubtful for row in reading.rows)
    assert not reading.is_of_game


def test_sheet_for_any_game_begins_with_the_first_declarer():
    sheet, _layout = written_by_hand(([QUEENS], (0, 1, 3, 0)))

    photo = photograph(sheet.picture(), 1, MEGAPIXELS)
    reading = read_photos([photo], KING, "", first_declarer=1)

    [row] = reading.rows
    assert row.counts == [0, 0, 1, 3]
    # Each number keeps its place on the paper.
    assert row.boxes[3][0] > row.boxes[2][0] > row.boxes[1][0]
    assert row.boxes[0][0] > row.boxes[3][0]


@pytest.mark.parametrize(
    ("ticked", "counts", "total", "doubtful"),
    [
        ([QUEENS], (0, 1, 3, 0), -100, []),
        ([QUEENS, HEARTS], (0, 1, 3, 0), -100, ["contract"]),
        ([QUEENS], (0, 1, 2, 0), -100, [0, 1, 2, 3]),
        ([QUEENS], (0, 1, 3, 0), -200, ["total"]),
    ],
)
def test_what_does_not_agree_is_for_a_person_to_look_at(ticked, counts, total, doubtful):
    sheet, layout = written_by_hand((ticked, counts))
    sheet.total(total, layout.totals[1])

    reading = read_photos([photograph(sheet.picture(), 2, MEGAPIXELS)], KING, "")

    [row] = reading.rows
    assert row.counts == [*counts]
    marks = ["contract"] * row.contract_is_doubtful + row.doubtful
    assert marks + ["total"] * reading.totals[1].is_contradicted == doubtful


def covered(picture, *corners):
    """The page with some of its codes under a thumb."""
    page = np.array(picture)
    for x, y in corners:
        page[y * -200 : (y * -200 + 200) or None, x * -200 : (x * -200 + 200) or None] = 160
    return Image.fromarray(page)


def page():
    return printed("turkish-king", "tr", "a4")


@pytest.mark.parametrize(
    ("photo", "reason"),
    [
        (lambda: photograph(covered(page(), (0, 0), (1, 1)), 1, MEGAPIXELS), "too-few-codes"),
        (lambda: as_file(Image.new("L", (600, 800), 200)), "too-few-codes"),
        (lambda: photograph(printed("king-five", "tr", "a4"), 1, MEGAPIXELS), "another-sheet"),
        (lambda: as_file(crumpled(page())), "not-straight"),
        (lambda: as_file(Image.new("1", (8000, 7000)), "PNG"), "too-large"),
        (lambda: b"\xff\xd8" + bytes(16_000_000), "too-large"),
        (lambda: b"%PDF-1.7", "not-a-picture"),
        (lambda: as_file(page())[:9000], "not-a-picture"),
    ],
)
def test_what_cannot_be_read_has_a_reason(photo, reason):
    with pytest.raises(UnreadablePhoto) as refused:
        read_photos([photo()], KING, "k7f3mnpq2r")
    assert refused.value.reason == reason


def crumpled(picture):
    """The page with its rows to and fro, so that no smooth bend explains it."""
    page = np.array(picture)
    for top in range(400, 2000, 40):
        page[top : top + 40] = np.roll(page[top : top + 40], 12 * (-1) ** (top // 40), axis=1)
    return Image.fromarray(page)


def test_the_photo_that_can_be_read_is_read_though_another_cannot():
    sheet, _layout = written_by_hand(([QUEENS], (0, 1, 3, 0)))
    photo = photograph(sheet.picture(), 1, MEGAPIXELS)

    reading = read_photos([b"nothing", photo, as_file(sheet.picture())], KING, "")

    assert [row.counts for row in reading.rows] == [[0, 1, 3, 0]]
    with Image.open(io.BytesIO(reading.page)) as straight:
        assert straight.size == (840, 1188)
