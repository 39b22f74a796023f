"""A small tournament in Chromium, from the list of names to its second round, led on a laptop."""

import re
from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.club_factories import ClubFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record, record_all
from tests.services.tournaments.whole_tournament import whole_tournament
from tests.web.rounds.going import going
from tournaments.models import Game, Round, Table, Tournament
from tournaments.services.audit import NOBODY
from tournaments.services.rounds.running import finish_for_time

pytestmark = pytest.mark.browser

BY_LINK, LATE = "Zeynep Ak", "Ömer Geç"
LIST = ("Ada Su", "Burak Er", "Cem Ay", "Deniz Gül", "Ece Taş", "Fırat Can", "Gül Nur", "Hakan Öz")
TWO_DEALS = WHOLE_GAME[:2]
STOPPED = {"type": "stopped", "reason": "time"}


def test_director_leads_two_rounds_from_the_list_of_names(new_laptop, new_phone):
    club = ClubFactory()
    laptop, phone = new_laptop(club), new_phone(locale="tr-TR")

    make_tournament(laptop, club)
    enter(laptop, phone)
    seat_first_round(laptop)
    play_first_round(laptop, phone)
    play_second_round(laptop)

    # The browser's word for the answer that the round could not be closed yet.
    assert [text for text in laptop.complaints if "409 (Conflict)" not in text] == []


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
    with page.expect_navigation():
        page.keyboard.press("Enter")

    assert strokes + 1 <= 6
    expect(page.locator("[name=total-3-0]")).to_be_focused()
    assert Game.objects.get(table__number=2).result["totals"] == [-220, -160, -150, 530]


def make_tournament(laptop, club):
    """Two rounds by places, as a preset has them, with a clock; registration is open."""
    laptop.phone.open(reverse("events", args=[club.slug]))
    laptop.press(laptop.page.locator(f"a[href='{reverse('new_tournament', args=[club.slug])}']"))
    laptop.page.fill("[name=name]", "Moda Açık")
    laptop.page.fill("[name=held_on]", "2026-11-20")
    laptop.press(laptop.page.locator("[name=preset][value=league-night]"))
    expect(laptop.page.locator("[name=name]")).to_have_value("Moda Açık")
    expect(laptop.page.locator("[name=rounds]")).to_have_value("2")
    expect(laptop.page.locator("[name=points]")).to_have_value("places")
    laptop.page.fill("[name=minutes]", "40")
    laptop.page.locator("details:has([name=odd]) > summary").click()
    laptop.page.locator("[name=odd]").select_option("bye")
    laptop.finish_form()
    laptop.row = Tournament.objects.get()
    assert laptop.page.url.endswith(laptop.url("tournament"))
    laptop.take_next_step()


def enter(laptop, phone):
    """One comes by the link, eight are pasted, and one of them withdraws."""
    laptop.open("entrants")
    laptop.follow("register_card")
    phone.open(urlsplit(laptop.page.input_value("#card-address")).path)
    assert phone.faults() == {}
    phone.page.fill("[name=name]", BY_LINK)
    phone.tap(phone.page.locator(".actions button"))
    expect(phone.page.locator(".entrant-done strong")).to_have_text("1")

    laptop.open("entrants")
    laptop.press(laptop.page.locator(f".actions a[href='{laptop.url('add_entrants')}']"))
    laptop.page.fill("[name=list]", "\n".join(LIST))
    laptop.press(laptop.page.locator("form:has([name=list]) button"))
    expect(laptop.page.locator(".entrants-preview > li")).to_have_count(len(LIST))
    assert laptop.phone.faults() == {}
    laptop.finish_form()
    expect(laptop.page.locator(".entrants > li")).to_have_count(1 + len(LIST))

    laptop.follow("entrant", 9)
    laptop.send("withdraw_entrant", 9)
    laptop.open("entrants")
    expect(laptop.page.locator(".entrant-gone")).to_have_id("e9")


def seat_first_round(laptop):
    """Two change places, a table stays while the others are seated again, and all is published."""
    laptop.take_next_step()
    before = seats(laptop)
    assert [len(table) for table in before] == [4, 4]

    choose(laptop, before[0][0])
    choose(laptop, before[1][3])
    laptop.send("swap_seats", 1)
    swapped = seats(laptop)
    assert (swapped[0][0], swapped[1][3]) == (before[1][3], before[0][0])

    laptop.page.locator("#t2 [name=locked]").check()
    laptop.press(laptop.page.locator("button[form=again]:not([name])"))
    expect(laptop.page.locator("#t2 [name=locked]")).to_be_checked()
    again = seats(laptop)
    assert (again[1], sorted(again[0])) == (swapped[1], sorted(swapped[0]))
    laptop.press(laptop.page.locator("#next-step"))
    assert Table.objects.count() == 2


def seats(laptop):
    tables = laptop.page.locator(".seating-tables > li").all()
    return [table.locator(".seating-chair > a").all_inner_texts() for table in tables]


def choose(laptop, name):
    laptop.page.locator(".seating-chair > a", has_text=name).click()
    expect(laptop.page.locator("#swap p").first).to_contain_text(name)


def play_first_round(laptop, phone):
    """A table writes and calls, time runs out, and the round closes at the second attempt."""
    laptop.open("running_table", 1, 1)
    laptop.press(laptop.page.locator("main a[href*='/tables/']"))
    card = laptop.page.input_value("#card-address")
    phone.open(urlsplit(card).path)
    assert "/play/" not in phone.page.url
    laptop.take_next_step()
    look_at_the_wall(laptop)

    phone.open(urlsplit(card).path)
    for body in TWO_DEALS:
        phone.write_deal(body)
    expect(phone.page.locator("#round-bar .clock")).to_be_visible()
    phone.tap(phone.page.locator("#round-bar button"))
    expect(phone.page.locator(".round-called")).to_be_visible()
    assert phone.faults() == {}
    laptop.skip(5)
    expect(laptop.page.locator("#table-1 .called")).to_be_visible()
    assert laptop.phone.faults() == {}
    laptop.send("answer_call", 1, 1)
    expect(laptop.page.locator(".called")).to_have_count(0)

    laptop.follow("running_table", 1, 1)
    laptop.send("finish_table", 1, 1)
    laptop.open("running", 1)
    laptop.send("close_tournament_round", 1)
    unready = laptop.page.locator(".running-unready li")
    expect(unready).to_have_count(1)
    expect(unready).to_have_text(re.compile(r"2\.?\s+\w+"))
    assert laptop.phone.faults() == {}
    record(Game.objects.get(table__number=2), WHOLE_GAME[0])
    laptop.follow("running_table", 1, 2)
    laptop.send("finish_table", 1, 2)
    laptop.take_next_step()
    assert Round.objects.get().closed_at


def look_at_the_wall(laptop):
    """It shows the clock, then one thing after another by itself."""
    wall = laptop.phone.context.new_page()
    wall.goto(laptop.phone.base + laptop.url("wall"))
    expect(wall.locator(".clock[data-running]")).to_be_visible()
    expect(wall.locator(".wall-seating > li")).to_have_count(2)
    laptop.skip(10)
    expect(wall.locator(".wall-going > li")).to_have_text(["1", "2"])
    wall.close()


def play_second_round(laptop):
    """One has come late and one sits out; a swap would cost meetings, and is given up."""
    laptop.open("add_entrants")
    laptop.page.fill("form:has([value=one]) [name=name]", LATE)
    laptop.press(laptop.page.locator("form:has([value=one]) button"))
    laptop.take_next_step()
    expect(laptop.page.locator(".seating-byes .seating-chair")).to_have_count(1)
    one, other = seats(laptop)
    choose(laptop, one[0])
    choose(laptop, other[0])
    expect(laptop.page.locator(".seating-costs b").first).to_have_text(re.compile("\\d → "))
    assert laptop.phone.faults() == {}
    laptop.press(laptop.page.locator("#swap a"))
    laptop.press(laptop.page.locator("#next-step"))
    laptop.send("open_tournament_round", 2)
    for game in Game.objects.filter(table__round__number=2):
        record_all(game, (*TWO_DEALS, STOPPED))
    laptop.take_next_step()
    assert Round.objects.get(number=2).closed_at


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
