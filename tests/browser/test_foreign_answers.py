"""Phones on a network where a portal or a proxy answers instead of the site, or nobody does."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.deals import WHOLE_GAME
from tests.factories import record_all
from tournaments.web.base.phone import address

pytestmark = pytest.mark.browser

ASTRAY = {
    "portal": lambda cable: cable.lead_astray("portal"),
    "proxy": lambda cable: cable.lead_astray("proxy"),
    "hangs": lambda cable: cable.hang(),
    "off": lambda cable: cable.pull(),
}
WITHIN = 20_000


@pytest.mark.parametrize("network", ASTRAY)
def test_follower_keeps_the_sheet_says_that_it_hears_nothing_and_recovers(new_phone, network):
    phone = new_phone()
    phone.sit_down(WHOLE_GAME[0])
    phone.open(address(phone.game, "follow"))
    table, signal = phone.page.locator("#table"), phone.page.locator("#signal")
    expect(table).to_have_attribute("data-revision", "1")

    ASTRAY[network](phone.cable)
    record_all(phone.game, WHOLE_GAME[1:2])

    expect(signal).to_be_visible(timeout=15_000)
    expect(table).to_have_attribute("data-revision", "1")
    phone.cable.plug()
    expect(table).to_have_attribute("data-revision", "2", timeout=WITHIN)
    expect(signal).to_be_hidden()


@pytest.mark.keeps_pages
@pytest.mark.parametrize("who", ["portal", "proxy"])
def test_kept_table_goes_before_what_a_stranger_answers_and_is_not_replaced_by_it(new_phone, who):
    phone = new_phone()
    phone.sit_down(WHOLE_GAME[0])
    path = address(phone.game, "write")
    phone.wait_for_kept(lambda kept: {path, reverse("table_offline"), "/offline/"} <= kept.keys())
    before = phone.kept().keys()

    phone.cable.lead_astray(who)
    phone.page.reload()
    phone.wait_for(1)
    phone.send(WHOLE_GAME[1])
    phone.open("/")
    expect(phone.page.locator(".works")).to_be_visible()
    phone.cable.pull()
    phone.open(path)
    phone.wait_for(1)
    assert len(phone.waiting()) == 1
    assert phone.kept().keys() >= before
    phone.cable.plug()
    phone.wait_for(2)


def test_entry_is_sent_from_any_page_and_the_start_page_says_that_it_waits(new_phone):
    phone = new_phone()
    phone.sit_down(WHOLE_GAME[0])
    writes = "**/entry/"
    phone.page.route(writes, lambda route: route.abort())
    phone.send(WHOLE_GAME[1])
    expect(phone.page.locator(".marks.waits")).to_be_visible()
    phone.open("/")
    waits = phone.page.locator(".games .waits")
    expect(waits).to_contain_text("1")

    phone.page.unroute(writes)
    phone.open("/rules/")
    phone.page.wait_for_function(
        "() => !Object.keys(localStorage).some(name => name.startsWith('kingscore.outbox.'))"
    )
    assert len(phone.stored()) == 2
    phone.open("/")
    # Written a moment ago, it goes on.
    expect(phone.page.locator(".begin .lead")).to_contain_text("deal 3 of 20")
    expect(waits).to_be_hidden()


def test_deal_is_sent_from_memory_where_the_storage_is_full(new_phone):
    phone = new_phone()
    phone.sit_down(WHOLE_GAME[0])
    phone.page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    phone.send(WHOLE_GAME[1])
    phone.wait_for(2)
    phone.cable.pull()
    phone.send(WHOLE_GAME[2])
    expect(phone.page.locator(".marks.waits")).to_be_visible()
    expect(phone.page.locator("#outbox")).to_contain_text("keep this page open")
    phone.cable.plug()
    phone.wait_for(3)
    assert len(phone.stored()) == 3
