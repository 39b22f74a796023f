"""A tournament on the laptop of its director: totals by keys, and what follows by itself."""

import pytest
from playwright.sync_api import expect

from tests.club_factories import ClubFactory
from tests.factories import EVENING
from tests.services.tournaments.whole_tournament import whole_tournament
from tests.web.rounds.going import going
from tournaments.models import Game, Table
from tournaments.services.audit import NOBODY
from tournaments.services.rounds.running import finish_for_time

pytestmark = pytest.mark.browser


def test_totals_of_a_table_take_six_key_strokes_besides_the_digits(new_laptop):
    club = ClubFactory()
    laptop, round_ = new_laptop(club), going(club, 3)
    laptop.row, page, strokes = round_.event.tournament, laptop.page, 0
    laptop.open("running", 1)
    laptop.follow("round_totals", 1)
    laptop.page.focus("[name=table]")

    for key in ("2", "Enter", *"-220-160-150 530"):
        page.keyboard.press(key)
        strokes += not key.isdigit()
    page.locator("[name=total-1-0]").fill("7")
    page.locator("[name=total-2-3]").focus()
    page.keyboard.press("Enter")

    # Table 1 is half typed: its fault stands beside it, and its figures stay.
    assert strokes + 1 <= 6
    expect(page.locator("[name=total-1-0]")).to_be_focused()
    expect(page.locator("#table-1 .errors li")).to_have_count(1)
    expect(page.locator("[name=total-1-0]")).to_have_value("7")
    expect(page.locator("#paper-done li")).to_have_count(1)
    assert Game.objects.get(table__number=2).result["totals"] == [-220, -160, -150, 530]
    for number in (1, 3):
        page.locator(f"[name=total-{number}-0]").fill("100")
        for box in (1, 2, 3):
            page.locator(f"[name=total-{number}-{box}]").fill(("-60", "-40", "0")[box - 1])
        page.keyboard.press("Enter")
        if number == 1:
            expect(page.locator("[name=total-3-0]")).to_be_focused()
    expect(page.locator("main p a.button")).to_be_visible()
    expect(page.locator("#paper-done li")).to_have_count(3)
    assert [each for each in laptop.complaints if "422" not in each] == []


def test_pages_follow_what_happens_at_the_tables(new_laptop):
    row = whole_tournament()
    laptop = new_laptop(row.event.club)
    laptop.row, table = row, Table.objects.get(round__number=2, number=1)
    entrant = table.sittings.first().entrant.key
    signs = {
        ("running", 2): "#table-1 .done",
        ("tournament",): ".dots .done",
        ("standings",): f"#{entrant} td:nth-of-type(3):not(:has-text('–'))",
    }
    pages = {}
    for address, sign in signs.items():
        pages[address] = page = laptop.phone.context.new_page()
        page.goto(f"{laptop.phone.base}{laptop.url(*address)}?after=2")
        expect(page.locator(sign)).to_have_count(0)
    tables = pages["running", 2].locator(".running-tables > li:visible")
    assert tables.count() > 1
    pages["running", 2].fill("#list-find", "1")

    finish_for_time(table.pk, "süre bitti", NOBODY, at=EVENING)
    laptop.skip(10)

    for address, sign in signs.items():
        expect(pages[address].locator(sign)).to_be_visible()
    expect(tables).to_have_count(1)
    assert laptop.complaints == []
