"""A tournament on the laptop of its director: totals by keys, and what follows by itself."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from tests.browser.laptop import Laptop
from tests.club_factories import ClubFactory, MemberFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ContextFactory, record_all
from tests.services.tournaments.whole_tournament import whole_tournament
from tests.tournament_builders import play, who_sits
from tests.web.rounds.going import going, next_round, play_at
from tournaments.models import Game, Round, Table
from tournaments.services.audit import NOBODY
from tournaments.services.games.playing import record_totals
from tournaments.services.rounds.running import close_round, finish_for_time

pytestmark = pytest.mark.browser

BROKEN_WORDS = r"""
() => {
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const broken = [];
  for (let text; (text = texts.nextNode());) {
    const holder = text.parentElement;
    if (!holder.checkVisibility() || holder.closest(".visually-hidden")) continue;
    for (const word of text.data.matchAll(/\p{L}+/gu)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (lines.size > 1) broken.push(word[0]);
    }
  }
  return broken;
}
"""


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
    # Somebody writes table 1 deal by deal meanwhile: Enter at another line leaves it in question.
    record_all(Game.objects.get(table__number=1), WHOLE_GAME)
    keep = page.locator("#table-1 [name=keep]")
    for number in (1, 3):
        for box, points in enumerate(("100", "-60", "-40", "0")):
            page.locator(f"[name=total-{number}-{box}]").fill(points)
        page.keyboard.press("Enter")
        expect(keep).to_be_visible()
    expect(page.locator("[name=total-3-0]")).to_have_count(0)
    keep.click()
    expect(page.locator("main p a.button")).to_be_visible()
    expect(page.locator("#paper-done li")).to_have_count(3)
    assert [each for each in laptop.complaints if "422" not in each] == []


@pytest.mark.usefixtures("worker")
def test_papers_of_a_round_are_one_click_each_and_leave_the_page_as_it_is(new_laptop):
    club = ClubFactory()
    laptop, round_ = new_laptop(club), going(club, 2, rounds=2)
    play(round_, WHOLE_GAME)
    event = close_round(round_.pk, NOBODY, at=timezone.now()).event
    next_round(event.tournament)
    laptop.phone.open(reverse("event_documents", args=[club.slug, event.public_id]))
    chosen = laptop.page.locator("#of-round-number")
    chosen.select_option("1")
    expect(laptop.page).to_have_url(re.compile(r"\?round=1$"))
    here = laptop.page.url

    for document in ("round-papers", "seating-by-name", "round-papers"):
        with laptop.page.expect_download() as download:
            laptop.page.locator(f"button[value='{document}-of-round.pdf']").click()
        assert download.value.path().read_bytes().startswith(b"%PDF")
        assert " 1. raunt.pdf" in download.value.suggested_filename
        assert laptop.page.url == here
        expect(chosen).to_have_value("1")
    expect(laptop.page.locator("#being-made .report")).to_have_count(3)
    assert laptop.complaints == []


def test_wrong_total_from_paper_is_corrected_two_rounds_later_in_four_clicks(new_phone):
    club = ClubFactory()
    director = MemberFactory(club=club, role="director").user
    round_ = going(club, 2)
    for number, totals in ((1, (100, -60, -40, 0)), (2, (10, 20, -30, 0))):
        game = Game.objects.get(table__round=round_, table__number=number)
        record_totals(game.pk, totals, ContextFactory(revision=0))
    for _later in range(2):
        close_round(round_.pk, NOBODY, at=timezone.now())
        round_ = next_round(round_.event.tournament)
        play(round_)
    screen = Laptop(new_phone(director, locale="tr-TR", viewport={"width": 390, "height": 844}))
    screen.row, page = round_.event.tournament, screen.page
    screen.open("tournament")
    links = [".nav a >> text=Masalar", ".round-numbers a >> text=1", "#table-1 a >> text=Düzelt"]

    for link in links:
        screen.press(page.locator(link).first)
    assert page.locator(".paper-total input").count() == 4
    page.locator("[name=total-1-0]").fill("0")
    page.locator("[name=total-1-3]").fill("100")
    page.locator("[name=why-1]").fill("iki oyuncu karışmış")
    screen.press(page.locator(".paper-line button:not([type])"))

    game = Game.objects.get(table__round__number=1, table__number=1)
    assert (game.result["totals"], game.revision, len(links) + 1) == ([0, -60, -40, 100], 2, 4)
    expect(page.locator(".running-changes tbody tr").first).to_contain_text("Oyuncu")
    assert screen.phone.faults() == {}
    screen.open("standings")
    expect(page.locator("main .notice a")).to_have_attribute("href", screen.url("round_changes"))


def test_somebody_leaves_in_the_middle_of_a_game_in_three_taps_and_one_undoes_it(new_phone):
    club = ClubFactory()
    director = MemberFactory(club=club, role="director").user
    round_ = going(club, 2)
    play_at(round_, 1, WHOLE_GAME[:8])
    number = who_sits(round_)[1][2]
    screen = Laptop(new_phone(director, locale="tr-TR", viewport={"width": 390, "height": 844}))
    screen.row, page, taps = round_.event.tournament, screen.page, 0
    screen.open("tournament")

    leave, table = screen.url("leave_table", number), screen.url("running_table", 1, 1)
    for target in (f".dots a[href='{table}']", f"a[href='{leave}']", "[name=way][value=counts]"):
        if "way" in target:
            assert screen.phone.faults() == {}
            expect(page.locator(".comings-effect").first).to_contain_text("→")
        screen.press(page.locator(target))
        taps += 1

    game = Game.objects.get(table__round=round_, table__number=1)
    assert (taps, game.result["stopped"]) == (3, "left")
    expect(page.locator("#table-1")).to_contain_text("bir oyuncu ayrıldı")
    screen.press(page.locator(".undo button"))
    game.refresh_from_db()
    assert game.result is None
    assert round_.event.tournament.entrants.filter(withdrawn_at=None).count() == 8
    # A page left open hears that another round is on.
    play_at(round_, 1, WHOLE_GAME[8:])
    play_at(round_, 2, WHOLE_GAME)
    close_round(round_.pk, NOBODY, at=timezone.now())
    next_round(round_.event.tournament)
    screen.skip(11)
    expect(page.locator("#nav-tables")).to_have_attribute("href", screen.url("running", 2))
    expect(page.locator("#strip [role=status] a")).to_have_attribute(
        "href", screen.url("running", 2)
    )


@pytest.mark.parametrize("width", [320, 390])
def test_words_stay_whole_on_narrow_phones(new_laptop, width):
    club = ClubFactory()
    laptop, round_ = new_laptop(club), going(club, 2)
    laptop.row = tournament = round_.event.tournament
    for game in Game.objects.all():
        record_all(game, WHOLE_GAME[:5])
    laptop.page.set_viewport_size({"width": width, "height": 640})
    number = tournament.entrants.first().number
    for page in (("running", 1), ("entrant", number)):
        laptop.open(*page)
        assert laptop.page.evaluate(BROKEN_WORDS) == [], page


def test_tables_that_play_stand_on_the_first_screen_below_what_needs_the_director(new_laptop):
    club = ClubFactory()
    laptop, round_ = new_laptop(club), going(club, 3, confirmations="all", minutes=60)
    laptop.row = round_.event.tournament
    play_at(round_, 2, WHOLE_GAME)
    play_at(round_, 3, WHOLE_GAME[:5])
    Table.objects.filter(number=1).update(called_at=timezone.now())
    Round.objects.update(clock_started_at=timezone.now() - timedelta(minutes=65))

    for width, height in ((390, 844), (1280, 800)):
        laptop.page.set_viewport_size({"width": width, "height": height})
        laptop.open("running", 1)

        expect(laptop.page.locator(".strip .over")).to_be_visible()
        expect(laptop.page.locator("#more-time")).to_have_count(1)
        expect(laptop.page.locator(".trouble")).to_have_count(2)
        line = laptop.page.locator(".running-tables.lines > li").first.bounding_box()
        assert line["y"] + line["height"] <= height


def test_pages_follow_what_happens_at_the_tables(new_laptop):
    row = whole_tournament()
    laptop = new_laptop(row.event.club)
    laptop.row, table = row, Table.objects.get(round__number=2, number=1)
    entrant = table.sittings.first().entrant.key
    signs = {
        ("running", 2): "#jump .done",
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
