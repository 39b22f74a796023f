"""Four phones score whole games while their network fails in five ways."""

import pytest
from playwright.sync_api import expect

from tests.browser.playing import from_seat, otherwise, shown
from tests.deals import NAMES
from tests.factories import reload
from tournaments.web.base.phone import address

pytestmark = [pytest.mark.browser, pytest.mark.keeps_pages]

DIES = (
    lambda cable: cable.pull(),
    lambda cable: cable.hang(),
    lambda cable: cable.lead_astray("proxy"),
    lambda cable: cable.lead_astray("portal"),
    lambda cable: cable.lose_answer(),
)
WRONG = (3, 7, 11)
"""Deals that are written wrong; each is corrected two deals later, without a signal."""


def write(phone, body, number):
    phone.send(body)
    if phone.page.locator("#ask").is_visible():
        phone.go_on()
    expect(phone.page.locator(".sheet tr:has(.score)")).to_have_count(number)


def correct(phone, number, body):
    phone.tap(phone.page.locator(".sheet tr:has(.score) .of-contract a").nth(number - 1))
    ((unit, counts),) = body["counts"].items()
    for seat, count in enumerate(counts):
        phone.tap(phone.tiles(unit).nth(seat))
        phone.tap(phone.key(count))
    phone.tap(phone.save)


def test_all_phones_end_with_equal_sheets(new_phone):
    writer, partner, *followers = phones = [new_phone() for _ in range(4)]
    writer.sit_down(players=NAMES, first_declarer=3)
    game, deals = writer.game, from_seat(3)
    written = [otherwise(d) if number in WRONG else d for number, d in enumerate(deals, 1)]
    partner.open(address(game, "write"))
    for each in followers:
        each.open(address(game, "follow"))

    for block, die in enumerate(DIES):
        first, second, third, fourth = range(4 * block + 1, 4 * block + 5)
        writer.stay_after_reload()
        die(writer.cable)
        write(writer, written[first - 1], first)
        if first - 2 in WRONG:
            correct(writer, first - 2, deals[first - 3])
        write(writer, written[second - 1], second)
        writer.find_signal()
        settle(phones, second)
        # It dies on two who follow, and on the one who does not write.
        for each in (writer, *followers)[block % 3 :]:
            die(each.cable)
        write(partner, written[third - 1], third)
        write(partner, written[fourth - 1], fourth)
        for each in phones:
            each.find_signal()
        settle(phones, fourth)

    sheet = shown(writer)
    assert [shown(each) for each in phones] == [sheet] * 4
    stored = reload(game)
    assert [stored.body(at)["counts"] for at in stored.positions] == [d["counts"] for d in deals]
    assert stored.game.finished


def settle(phones, deals):
    """Wait until every phone has heard of all deals, and has none that waits."""
    for each in phones:
        expect(each.page.locator("#table .sheet tr:has(.score)")).to_have_count(deals)
        expect(each.page.locator("#table .waits")).to_have_count(0)
