import io
import json
from dataclasses import replace

import pytest
import zxingcpp
from django.urls import reverse
from django.utils import translation
from PIL import Image

from tests.club_factories import EventFactory, TableFactory
from tests.reports.asked import asked, silent
from tournaments.engine.variants import RULESETS
from tournaments.models import Report
from tournaments.photos.layout import can_be_photographed, layout_of
from tournaments.reports import hall
from tournaments.reports.documents import offers_to
from tournaments.reports.sheets import photo_sheet
from tournaments.reports.typesetting import draw_json, printable, typeset

JSON = "application/json"
PIXELS = 6
"""For each millimetre."""


def drawn(data, paper):
    page = json.dumps(printable(data | {"paper": paper}))
    with Image.open(io.BytesIO(draw_json("photo_sheet.typ", page, PIXELS * 25.4))) as picture:
        return picture.convert("L")


def ink(picture, box):
    left, top, width, height = box
    cut = [left + 1, top + 1, left + width - 1, top + height - 1]
    return picture.crop([round(PIXELS * side) for side in cut]).getextrema()


@pytest.mark.parametrize(
    ("ruleset", "language", "paper"),
    [
        ("turkish-king", "tr", "us-letter"),
        ("king-five", "en", "a4"),
        ("italian-king", "it", "us-letter"),
        ("italian-king-choice", "it", "a4"),
    ],
)
def test_sheet_has_everything_where_the_layout_says(ruleset, language, paper):
    layout = layout_of(RULESETS[ruleset], paper)
    with translation.override(language):
        data = photo_sheet(Report(parameters={"ruleset": ruleset}, paper=paper), silent)
    picture = drawn(data, paper)

    found = {code.text: code.position for code in zxingcpp.read_barcodes(picture)}
    assert set(found) == {layout.code(corner, "") for corner in range(4)}
    for corner, (left, top, _width, _height) in enumerate(layout.codes):
        begins = found[layout.code(corner, "")].top_left
        assert [begins.x, begins.y] == pytest.approx([PIXELS * left, PIXELS * top], abs=4)
    # What is written on is white, whatever is printed beside it.
    digits = [digit for row in layout.counts for pair in row for digit in pair]
    digits += [digit for side in layout.totals for digit in side]
    assert {ink(picture, digit) for digit in digits} == {(255, 255)}
    assert all(
        picture.getpixel((round(PIXELS * x), round(PIXELS * y))) == 0 for x, y in layout.squares
    )
    assert len(layout.rows) == RULESETS[ruleset].length
    assert typeset("photo_sheet.typ", data | {"paper": paper}).startswith(b"%PDF")


def test_games_that_are_too_long_for_a_page_have_no_sheet():
    king = RULESETS["turkish-king"]
    assert can_be_photographed(king)
    assert not can_be_photographed(replace(king, deals=21))
    assert not can_be_photographed(replace(king, deals=None))


@pytest.mark.django_db
def test_sheets_of_a_round_name_the_game_of_each_table_and_give_no_access():
    table = TableFactory(number=1)
    other = TableFactory(number=2, round=table.round)
    TableFactory(number=3, round=table.round).games.update(ruleset="euchre")
    report = asked(table.round.event, Report.Kind.PHOTO_SHEETS, round=table.round.number)

    data = hall.photo_sheets(report, silent)
    (part,) = data["parts"]

    layout = layout_of(RULESETS["turkish-king"], "a4")
    for sheet, (row, at) in zip(part["sheets"], ((table, 1), (other, 2)), strict=True):
        game = row.games.get()
        assert sheet["where"].endswith(f"Table {at}")
        assert sheet["names"] == game.players
        picture = drawn(data | {"parts": [part | {"sheets": [sheet]}]}, "a4")
        codes = {code.text for code in zxingcpp.read_barcodes(picture)}
        assert codes == {layout.code(corner, game.public_id) for corner in range(4)}
        assert game.secret("write") not in json.dumps(data)


@pytest.mark.django_db
@pytest.mark.parametrize(("ruleset", "is_offered"), [("turkish-king", True), ("euchre", False)])
def test_sheets_are_offered_to_directors_where_they_can_be_read(ruleset, is_offered):
    event = EventFactory(ruleset=ruleset)

    offered = {offer.kind for offer in offers_to(event, "director")}

    assert (Report.Kind.PHOTO_SHEETS in offered) == is_offered
    assert Report.Kind.PHOTO_SHEETS not in {offer.kind for offer in offers_to(event, "member")}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("ruleset", "statuses", "kinds"),
    [("rifki", (302, 202), {"photo-sheet"}), ("euchre", (404, 422), set())],
)
def test_sheet_for_any_game_is_had_by_everybody_where_it_can_be_read(
    client, ruleset, statuses, kinds
):
    page = client.post(reverse("empty_sheet", args=[ruleset]), {"photo": ""})
    api = client.post(reverse("api:ruleset-documents", args=[ruleset]), {"photo": True}, JSON)

    assert (page.status_code, api.status_code) == statuses
    assert set(Report.objects.values_list("kind", flat=True)) == kinds
