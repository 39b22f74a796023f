"""House rules on a phone, from the copy to the first deal."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.deals import NAMES, WHOLE_GAME
from tests.factories import UserFactory
from tournaments.models import Game

pytestmark = pytest.mark.browser

ZERO_SUM = "Zero-sum: all scores of a whole game add up to 0."


def test_king_is_copied_changed_put_right_and_played(new_phone):
    nil = UserFactory(username="Nil")
    nil.set_password("a-word-of-their-own")
    nil.save()
    phone = new_phone()
    page = phone.page
    phone.open(reverse("house_rules"))
    page.fill("[name=login]", "Nil")
    page.get_by_text("I have a password").tap()
    page.fill("[name=password]", "a-word-of-their-own")
    page.get_by_role("button", name="Continue").tap()
    expect(page.locator("h1")).to_have_text("House rules")

    page.select_option("[name=source]", "turkish-king")
    page.fill("[name=name]", "Moda")
    page.get_by_role("button", name="Continue").tap()
    look = page.locator("#look")
    expect(look).to_contain_text(ZERO_SUM)
    change_rifki_and_trump(phone, look)
    page.locator(".actions button").tap()
    expect(page.locator("main")).to_contain_text("Version 2, saved")

    page.get_by_role("link", name="Start a table").tap()
    phone.name_seats(NAMES)
    phone.tap_and_go(".actions button", "/play/")
    phone.game = Game.objects.get()
    phone.write_deal(WHOLE_GAME[0])
    expect(page.locator("body")).to_contain_text("−400")
    assert phone.sheet().game.totals == (0, 0, -400, 0)


def change_rifki_and_trump(phone, look):
    """Each change is checked before it is saved: its sum, and its mistakes."""
    page = phone.page

    def type_into(name, text):
        field = page.locator(f'[name="{name}"]')
        field.fill(text)
        field.press("Tab")

    rifki = "contracts.4.values.heart_king"
    type_into(rifki, "-400")
    expect(look).to_contain_text("Not zero-sum")
    expect(look).to_contain_text("−160")
    expect(page.locator("#verdict")).to_contain_text("Not zero-sum")
    expect(page.locator("#sum-4")).to_have_text("Σ −400")
    assert phone.faults() == {}

    wrong = page.locator("#contracts-4-values-heart_king-errors")
    type_into(rifki, "dear")
    expect(wrong).to_contain_text("a number")
    assert phone.faults() == {}
    type_into(rifki, "-400")
    expect(wrong).to_be_empty()
    # Eight trump deals make good for the 160 points.
    type_into("contracts.6.values.tricks", "670/13")
    expect(look).to_contain_text(ZERO_SUM)
