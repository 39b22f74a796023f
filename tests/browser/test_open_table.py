"""Between the games of an open table: the phones that go on, and who sits where."""

import pytest
from playwright.sync_api import expect

from tests.deals import WHOLE_GAME
from tests.factories import record
from tournaments.models import Game
from tournaments.web.base.phone import address

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
