"""The pages around the table: starting games, playing again, handing over, printing."""

import re

import pytest
from playwright.sync_api import expect

from tests.deals import NAMES, WHOLE_GAME
from tests.factories import record_all
from tournaments.models import Game

pytestmark = pytest.mark.browser


def test_start_page_goes_on_with_the_game_and_then_with_its_evening_in_one_tap(new_phone):
    phone = new_phone()
    phone.open("/new/")
    # One's own name is in sight above "Start".
    mine = phone.page.locator("[name=name0]")
    start = phone.page.locator(".actions").bounding_box()["y"]
    assert mine.bounding_box()["y"] + mine.bounding_box()["height"] < start
    phone.tap(phone.page.locator(".actions button"))
    # The phone goes to the first empty seat, and asks the server nothing.
    expect(mine).to_be_focused()
    expect(phone.page.locator(".seat", has=mine)).to_contain_text("Who sits here?")
    phone.name_seats(NAMES)
    # Start tapped twice opens one table.
    phone.page.locator("#table").evaluate("form => { form.submit(); form.submit(); }")
    phone.page.wait_for_url(re.compile("/play/"))
    before = Game.objects.get()
    phone.open("/")
    expect(phone.page.locator(".games li")).to_have_count(1)
    phone.tap_and_go(phone.page.get_by_role("link", name="Go on", exact=True), "/play/")
    assert Game.objects.get() == before
    record_all(before, WHOLE_GAME)

    phone.open("/")
    phone.taps = 0
    cem = phone.page.get_by_role("button", name="Cem", exact=True)
    phone.tap_and_go(cem, "/play/")
    game = Game.objects.latest("pk")
    assert phone.taps == 1
    assert phone.page.url.endswith(f"/play/{game.public_id}/{game.secret('write')}/")
    assert (game.players, game.first_declarer) == (before.players, 2)
    assert (game.number, game.open_table_id) == (2, Game.objects.earliest("pk").open_table_id)
    # After going back it is the same game.
    phone.page.go_back()
    phone.tap_and_go(phone.page.get_by_role("link", name="Go on", exact=True), game.public_id)
    assert Game.objects.count() == 2


def seats_shown(phone):
    labels = phone.page.locator(".seat:visible > label[for]").all_inner_texts()
    return [label.split("\n")[0] for label in labels]


def choose_family(phone, family):
    phone.page.locator(f"[name=family][value={family}]").check()


def test_table_is_drawn_for_the_chosen_game(new_phone):
    phone = new_phone()
    phone.open("/new/")
    games = phone.page.locator(".families [type=radio]:visible")
    offered = phone.page.locator(".more details:visible")
    expect(games).to_have_count(6)
    expect(offered).to_have_count(1)
    expect(offered).to_contain_text("King")
    drawn = [seats_shown(phone)]
    phone.page.locator(".others:visible").tap()
    expect(games).to_have_count(5 + 11)
    # Only the chosen ruleset offers its options.
    phone.page.get_by_role("radio", name="Rıfkı").check()
    expect(offered).to_have_count(1)
    expect(offered).not_to_contain_text("King")
    for family in ("krapet", "euchre"):
        choose_family(phone, family)
        drawn.append(seats_shown(phone))
    you, left, opposite, right = (
        phone.page.locator(f".seat-{seat}").bounding_box() for seat in range(4)
    )
    assert left["x"] < opposite["x"] < right["x"]
    assert opposite["y"] < left["y"] == right["y"] < you["y"]
    phone.page.locator(".others:visible").tap()
    phone.page.locator("[value=euchre-three]").check()
    drawn.append(seats_shown(phone))
    assert drawn == [
        ["You, with this phone", "To your right", "Opposite", "To your left"],
        ["You, with this phone", "Opposite"],
        ["You, with this phone", "To your left", "Opposite", "To your right"],
        ["You, with this phone", "To your left", "To your right"],
    ]

    # A page that was gone back to draws the game that is chosen there.
    choose_family(phone, "krapet")
    phone.tap_and_go(".more:visible .link", "/rules/")
    phone.page.go_back()
    chosen = phone.page.locator("[name=family]:checked").input_value()
    expect(phone.page.locator(".seat:visible")).to_have_count(2 if chosen == "krapet" else 4)


def test_tables_start_without_scripts(new_phone):
    phone = new_phone(java_script_enabled=False)
    phone.open("/new/?ruleset=krapet")
    # All seats are shown, whatever was played last.
    expect(phone.page.locator(".seat:visible")).to_have_count(5)
    expect(phone.page.get_by_text("If fewer play, leave the other seats empty.")).to_be_visible()
    choose_family(phone, "krapet")
    phone.name_seats(NAMES)
    phone.tap_and_go(".actions button", "/play/")
    game = Game.objects.get()
    assert (game.ruleset, game.players) == ("krapet", list(NAMES[:2]))
    phone.open("/")
    expect(phone.page.locator(".games .names")).to_have_text("Ayşe · Burak")
