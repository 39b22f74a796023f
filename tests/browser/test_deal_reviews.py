"""Deals confirmed one by one on phones of a tournament's table, and a dispute that is settled."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.club_factories import ClubFactory
from tests.deals import WHOLE_GAME
from tests.factories import reload
from tests.web.rounds.going import going, table
from tournaments.models import DealReview
from tournaments.web.base.phone import address

pytestmark = pytest.mark.browser


def test_table_confirms_disputes_and_corrects_its_deals(new_phone, new_laptop):
    club = ClubFactory()
    place = going(club, 2, confirm_deals=True)
    game = table(place).games.get()
    writer, second = (new_phone(locale="tr-TR") for _ in range(2))
    for phone in (writer, second):
        phone.game = game
        phone.open(address(game, "write"))

    confirm_by_passing_the_phone(writer)
    confirm_on_another_phone(writer, second)
    dispute(writer)
    settle(new_laptop(club), place)
    assert reload(game).body(2)["counts"] == {"men": [3, 0, 3, 2]}
    writer.wake()
    expect(writer.page.locator(".disputed-deal")).to_have_count(0)

    # Once the time to correct is over, only a director changes a confirmed deal.
    DealReview.objects.update(at=timezone.now() - timedelta(minutes=11))
    writer.page.reload()
    writer.tap(writer.page.locator(".sheet tbody a").first)
    writer.page.wait_for_url("**/entries/0/")
    expect(writer.page.locator("main .notice")).to_contain_text("yöneticiyi çağırın")
    expect(writer.page.locator("main form")).to_have_count(0)


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


def settle(laptop, place):
    """The director sees both versions, and takes the disputed one."""
    laptop.row = place.event.tournament
    laptop.take_next_step()
    expect(laptop.page.locator(".dispute dd")).to_have_count(2)
    assert laptop.phone.faults() == {}
    laptop.open("running", 1)
    expect(laptop.page.locator("#wait + ul > li").first).to_have_id("table-1")
    laptop.follow("running_table", 1, 1)
    laptop.press(laptop.page.locator(".dispute button[value=disputed]"))
