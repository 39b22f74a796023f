"""House rules on a phone, from the copy to the first deal."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.deals import NAMES, WHOLE_GAME
from tests.factories import HouseRulesetFactory, UserFactory, reload
from tournaments.models import Game

pytestmark = pytest.mark.browser

SOON = 15_000


@pytest.fixture
def organiser_phone(table_phone, client):
    """A phone whose holder has signed in as an organiser."""
    client.force_login(UserFactory(username="Nil"))
    phone = table_phone()
    session = client.cookies["sessionid"].value
    phone.context.add_cookies([{"name": "sessionid", "value": session, "url": phone.base}])
    return phone


def test_organiser_signs_in_and_comes_back(table_phone):
    nil = UserFactory(username="Nil")
    nil.set_password("a-word-of-their-own")
    nil.save()
    phone = table_phone()

    phone.open(reverse("house_rules"))
    phone.page.fill("[name=login]", "Nil")
    phone.page.get_by_text("I have a password").tap()
    phone.page.fill("[name=password]", "a-word-of-their-own")
    phone.page.get_by_role("button", name="Continue").tap()

    expect(phone.page.locator("h1")).to_have_text("House rules", timeout=SOON)
    assert phone.foreign == []


def test_king_is_copied_changed_put_right_and_played(organiser_phone):
    phone, page = organiser_phone, organiser_phone.page
    phone.open(reverse("house_rules"))
    assert phone.faults() == {}

    page.select_option("[name=source]", "turkish-king")
    page.fill("[name=name]", "Moda")
    page.get_by_role("button", name="Copy").tap()
    look = page.locator("#look")
    expect(look).to_contain_text("Zero-sum: all scores of a whole game add up to 0.")
    assert phone.faults() == {}

    contract = page.locator(".house-contract", has_text="Rıfkı").first
    contract.locator("summary").tap()
    rifki = page.locator('[name="contracts.4.values.heart_king"]')
    rifki.fill("-400")
    rifki.press("Tab")
    expect(look).to_contain_text("Not zero-sum", timeout=SOON)
    expect(look).to_contain_text("−160")
    expect(page.locator("#verdict")).to_contain_text("Not zero-sum")
    assert phone.faults() == {}

    rifki.fill("dear")
    rifki.press("Tab")
    wrong = page.locator("#contracts-4-values-heart_king-errors")
    expect(wrong).to_contain_text("a number", timeout=SOON)

    rifki.fill("-400")
    rifki.press("Tab")
    expect(wrong).to_be_empty(timeout=SOON)
    # Eight trump deals make good for the 160 points.
    trump = page.locator(".house-contract", has_text="Trump").last
    trump.locator("summary").tap()
    points = page.locator('[name="contracts.6.values.tricks"]')
    points.fill("670/13")
    points.press("Tab")
    expect(look).to_contain_text("Zero-sum: all scores of a whole game add up to 0.", timeout=SOON)
    page.locator(".actions button").tap()
    expect(page.locator("main")).to_contain_text("Version 2, saved", timeout=SOON)

    page.get_by_role("link", name="Start a table").tap()
    for seat, name in enumerate(NAMES):
        page.fill(f"[name=name{seat}]", name)
    page.locator(".actions button").tap()
    page.wait_for_url("**/play/**")
    game = Game.objects.get()
    phone.game = game
    phone.write_deal(WHOLE_GAME[0])

    expect(page.locator("body")).to_contain_text("−400", timeout=SOON)
    assert reload(game).game.totals == (0, 0, -400, 0)


def test_every_page_of_house_rules_fits_a_phone(organiser_phone):
    HouseRulesetFactory(slug="moda", base="italian-king-choice")
    for name in ("house_ruleset", "try_rules", "delete_rules"):
        organiser_phone.open(reverse(name, args=["moda"]))
        for details in organiser_phone.page.locator(".house-contract").all():
            details.locator("summary").tap()
        assert organiser_phone.faults() == {}, name
