"""Deals confirmed and disputed, one by one, on phones of a tournament's table."""

import pytest
from playwright.sync_api import expect

from tests.browser.playing import hold
from tests.club_factories import ClubFactory
from tests.deals import WHOLE_GAME
from tests.web.rounds.going import going, table
from tournaments.web.base.phone import address

pytestmark = pytest.mark.browser


def test_table_confirms_and_disputes_its_deals(new_phone):
    game = table(going(ClubFactory(), 2, confirm_deals=True)).games.get()
    writer, second = (new_phone(locale="tr-TR") for _ in range(2))
    for phone in (writer, second):
        phone.game = game
        phone.open(address(game, "write"))

    confirm_by_passing_the_phone(writer)
    confirm_on_another_phone(writer, second)
    confirm_while_a_deal_waits(writer)
    confirm_while_a_deal_is_on_its_way(writer)
    dispute(writer)


def confirm_by_passing_the_phone(phone):
    """One tap, which keeps what was typed of the next deal."""
    waits = phone.page.locator(".review")
    phone.write_deal(WHOLE_GAME[0])
    phone.choose(WHOLE_GAME[1])
    phone.tap(phone.key(1))
    expect(phone.page.locator(".sheet .unconfirmed")).to_have_count(1)
    assert phone.faults() == {}
    names = [text.split("\n")[-1] for text in waits.locator("button").all_inner_texts()]
    assert names == phone.game.players[1:]
    # An answer that says nothing names the request, by which the log says more.
    refused = {"Kingscore-Site": "1", "X-Request-ID": "id-of-the-request"}
    phone.page.route("**/confirm/", lambda way: way.fulfill(status=404, headers=refused), times=1)
    phone.tap(waits.locator("button").first)
    expect(phone.page.locator("#outbox .request")).to_contain_text("id-of-the-request")
    phone.tap(waits.locator("button").first)
    expect(waits).to_have_count(0)
    expect(phone.page.locator(".sheet .unconfirmed")).to_have_count(0)
    assert phone.numbers("queens") == ["1", "", "", ""]


def confirm_on_another_phone(phone, second):
    """Without a signal nothing is confirmed; the first phone hears of what the second does."""
    waits = phone.page.locator(".review")
    phone.count({"counts": {"queens": (0, 2, 1)}})
    phone.save_and_wait()
    second.wake()
    second.wait_for(2)
    phone.lose_signal()
    phone.tap(waits.locator("button").first)
    expect(phone.page.locator("#outbox")).to_contain_text("bağlantı")
    phone.find_signal()
    second.tap(second.page.locator(".review button").last)
    expect(second.page.locator(".review")).to_have_count(0)
    phone.wake()
    expect(waits).to_have_count(0)


def confirm_while_a_deal_waits(phone):
    """With a signal again, one tap sends what waits and then confirms the deal before it."""
    waits = phone.page.locator(".review")
    phone.write_deal(WHOLE_GAME[3])
    phone.lose_signal()
    with phone.page.expect_event("requestfailed", lambda sent: sent.method == "POST"):
        phone.send(WHOLE_GAME[4])
    # The browser does not always tell of a signal.
    phone.cable.plug()
    phone.tap(waits.locator("button").first)
    expect(phone.page.locator("#table .waits")).to_have_count(0)
    expect(phone.page.locator(".sheet .unconfirmed")).to_have_count(1)
    phone.tap(waits.locator("button").first)
    expect(waits).to_have_count(0)


def confirm_while_a_deal_is_on_its_way(phone):
    """The tap waits for the answer to the deal, and says nothing of a signal."""
    waits = phone.page.locator(".review")
    phone.write_deal(WHOLE_GAME[5])
    revision = phone.revision
    held = hold(phone, "entry")
    phone.send(WHOLE_GAME[6])
    while not held:
        phone.page.wait_for_timeout(20)
    phone.tap(waits.locator("button").first)
    phone.page.wait_for_timeout(300)
    held[0].continue_()
    phone.wait_for(revision + 1)
    expect(waits).to_have_count(1)
    phone.tap(waits.locator("button").first)
    expect(waits).to_have_count(0)


def dispute(phone):
    """The deal is entered as it should be, and the director is called."""
    phone.write_deal(WHOLE_GAME[2])
    phone.tap(phone.page.locator(".review").get_by_role("link"))
    phone.page.wait_for_url("**/dispute/")
    assert phone.faults() == {}
    phone.tap(phone.page.get_by_label(phone.game.players[3], exact=True).first)
    for seat, number in ((1, 0), (0, 3)):
        phone.tap(phone.tiles("men").nth(seat))
        phone.tap(phone.key(number))
    with phone.page.expect_navigation():
        phone.tap(phone.page.locator(".save button"))
    expect(phone.page.locator(".disputed-deal")).to_contain_text(phone.game.players[3])
    expect(phone.page.locator(".round-called")).to_be_visible()
    assert phone.faults() == {}
