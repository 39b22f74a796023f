"""Between the games of an open table: the phones that go on, and who sits where."""

import pytest
from playwright.sync_api import expect

from tests.browser.playing import from_seat
from tests.deals import WHOLE_GAME
from tests.factories import record, record_all
from tournaments.models import Game
from tournaments.web.base.phone import address, evening_address

pytestmark = pytest.mark.browser


def test_phone_with_something_typed_is_asked_before_it_goes_on(new_phone):
    writer, partner = new_phone(), new_phone()
    writer.sit_down(*WHOLE_GAME)
    partner.open(address(writer.game, "write"))
    partner.page.locator(".more summary", has_text="Penalty points").tap()
    partner.page.fill("#write-points [name=points]", "-50")
    writer.tap_and_go(writer.page.locator(".end a.button", has_text="Rematch"), "/rematch/$")
    writer.tap_and_go(".starters button:has-text('Burak')", r"/play/\w+/[^/]+/$")

    strip = partner.page.locator("#outbox")
    expect(strip).to_contain_text("The evening goes on: game 2")
    assert partner.path == address(writer.game, "write")
    strip.get_by_role("button", name="Discard what I typed").tap()
    partner.page.wait_for_url(f"**{writer.path}")
    record(Game.objects.latest("pk"), WHOLE_GAME[0])
    partner.wait_for(1)


MOST_TAPS = 12


def test_evening_of_three_games_takes_few_taps_besides_the_deals(new_phone):
    phone = new_phone(locale="tr-TR")
    phone.open("/")
    phone.tap_and_go("a.button[href='/new/']", "/new/$")
    for seat, name in enumerate(("Deniz", "Abdurrahman", "Zeynep", "Emre")):
        phone.tap(phone.page.locator(f"[name=name{seat}]"))
        phone.page.keyboard.type(name)
    phone.tap(phone.page.locator(".seat-1 .first"))
    phone.tap_and_go(".actions button", "/play/")
    play_to_the_end(phone)

    phone.tap_and_go(".end a.button:has-text('Rövanş')", "/rematch/$")
    phone.tap_and_go(".starters button:has-text('Zeynep')", r"/play/\w+/[^/]+/$")
    play_to_the_end(phone)

    phone.tap_and_go(".end a.button:has-text('Rövanş')", "/rematch/$")
    assert phone.misfits(360) == {}
    phone.tap(phone.page.locator("[name=name3]"))
    phone.page.keyboard.press("Control+A")
    phone.page.keyboard.type("Süleymancan")
    phone.tap_and_go(".starters button:has-text('Süleymancan')", r"/play/\w+/[^/]+/$")

    assert phone.taps <= MOST_TAPS
    games = Game.objects.order_by("number").values_list("players", flat=True)
    assert [players[3] for players in games] == ["Emre", "Emre", "Süleymancan"]
    assert [game.first_declarer for game in Game.objects.order_by("number")] == [1, 2, 3]

    play_to_the_end(phone)
    phone.open(evening_address(Game.objects.latest("pk").open_table))
    expect(phone.page.locator(".tally tbody th")).to_have_count(5)
    assert phone.faults() == phone.misfits(360, 430) == {}
    # Whoever wrote the last game goes on from here, too.
    phone.tap_and_go(".actions a:has-text('Rövanş')", "/rematch/$")


def play_to_the_end(phone):
    """Write the deals past the phone, which hears of them."""
    game = Game.objects.latest("pk")
    record_all(game, from_seat(game.first_declarer))
    phone.page.wait_for_selector("#end-title")


def test_fifth_sits_out_in_turn(new_phone):
    phone = new_phone(locale="tr-TR")
    phone.sit_down(*WHOLE_GAME)
    phone.tap_and_go(".end a.button:has-text('Rövanş')", "/rematch/$")
    assert phone.faults() == {}
    phone.page.fill("[name=name4]", "Elif")
    phone.page.keyboard.press("Tab")

    out = phone.page.locator(".sits-out :checked + span")
    expect(out).to_have_text("Cem")
    phone.tap(phone.page.locator(".sits-out label", has_text="Burak"))
    expect(phone.page.locator(".starters button")).to_have_text(["Ayşe", "Elif", "Cem", "Deniz"])
    assert phone.faults() == {}
    phone.tap_and_go(".starters button:has-text('Elif')", r"/play/\w+/[^/]+/$")

    game = Game.objects.latest("pk")
    assert (game.resting, game.first_declarer) == (["Burak"], 1)
