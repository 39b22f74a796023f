"""A game of five on a phone of 360 pixels, with names of twelve letters."""

import pytest
from playwright.sync_api import expect

from tests.deals import deal
from tests.rules_next.test_rules_next import load
from tournaments.models import Game

pytestmark = pytest.mark.browser

PLAYERS = ("Muhammetcan", "Sinemnurgülş", "Abdurrahmani", "Zeynepsultan", "Gülendamhanı")
DEALS = (
    deal("no-hearts", 1, 2, 3, 3, 4),
    deal("no-tricks", 0, 5, 2, 2, 1),
    deal("trump", 1, 1, 4, 2, 2, trump="hearts"),
)
CUT = """() => [...document.querySelectorAll(".seat input, .tile:not([hidden]) .who")]
  .filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth)
  .map(e => `${e.scrollWidth} > ${e.clientWidth} ${e.outerHTML.slice(0, 60)}`)"""

OUTSIDE = """() => [...document.querySelectorAll(".score:is(.declares, .deals)")].filter(cell => {
  const took = cell.querySelector(".took");
  const { right, width } = getComputedStyle(took, "::before");
  const mark = took.getBoundingClientRect().right - parseFloat(right) - parseFloat(width);
  return mark < cell.getBoundingClientRect().left;
}).map(cell => cell.innerText)"""
BROKEN = """() => [...document.querySelectorAll(".sheet tbody th")].filter(number => {
  const range = document.createRange();
  range.selectNodeContents(number);
  return range.getClientRects().length > 1;
}).map(number => number.innerText)"""


def fits(phone):
    assert (phone.misfits(), phone.page.evaluate(CUT)) == ({}, [])


def test_five_play_on_a_phone_of_360_pixels(new_phone):
    phone = new_phone(locale="tr-TR", viewport={"width": 360, "height": 640})
    page = phone.page
    phone.open("/new/")
    phone.tap(page.locator(".others").first)
    phone.tap(page.locator(".ruleset > label:has([value=king-five])"))
    phone.name_seats(PLAYERS)
    fits(phone)
    phone.tap_and_go(".actions button", "/play/")
    phone.game = Game.objects.get()
    for body in DEALS:
        assert phone.covered() == []
        fits(phone)
        phone.choose(body)
        assert phone.covered() == []
        fits(phone)
        phone.count(body)
        phone.save_and_wait(body)
    assert phone.totals() == [20, -260, 10, -90, -70]
    sheet = page.locator(".sheet").bounding_box()
    assert sheet["x"] + sheet["width"] <= 360

    phone.tap_and_go(page.locator(".sheet .of-contract a").first, "/entries/0/")
    fits(phone)
    phone.tap(phone.tiles("hearts").nth(3))
    phone.tap(phone.key(7))
    phone.tap(phone.tiles("hearts").nth(4))
    phone.tap(phone.key(0))
    phone.tap(page.locator("[value=correct]"))
    page.wait_for_url("**/play/**")
    expect(page.locator("#table")).to_be_visible()
    assert phone.sheet().game.totals == (20, -260, 10, -210, 50)


@pytest.mark.parametrize("width", [320, 360])
def test_marks_and_numbers_of_deals_stay_in_their_columns(new_phone, width):
    phone = new_phone(locale="tr-TR", viewport={"width": width, "height": 640})
    record = load("king-five.game.json")
    head = {"ruleset": "king-five", "players": PLAYERS, "first_declarer": record["first_declarer"]}
    phone.sit_down(*record["entries"][:11], **head)
    found = [phone.page.evaluate(script) for script in (OUTSIDE, BROKEN)]
    assert (phone.page.locator(".sheet .score.declares").count(), found) == (11, [[], []])
