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
    waits = writer.page.locator(".review")

    # The phone is passed: one tap, which keeps what was typed of the next deal.
    writer.write_deal(WHOLE_GAME[0])
    writer.choose(WHOLE_GAME[1])
    writer.tap(writer.key(1))
    expect(writer.page.locator(".sheet .unconfirmed")).to_have_count(1)
    assert writer.faults() == {}
    names = [text.split("\n")[-1] for text in waits.locator("button").all_inner_texts()]
    assert names == game.players[1:]
    writer.tap(waits.locator("button").first)
    expect(waits).to_have_count(0)
    expect(writer.page.locator(".sheet .unconfirmed")).to_have_count(0)
    assert writer.numbers("queens") == ["1", "", "", ""]

    # A second phone confirms, and the first hears of it; without a signal neither does.
    writer.count({"counts": {"queens": (0, 2, 1)}})
    writer.save_and_wait()
    second.wake()
    second.wait_for(2)
    writer.lose_signal()
    writer.tap(waits.locator("button").first)
    expect(writer.page.locator("#outbox")).to_contain_text("bağlantı")
    writer.find_signal()
    second.tap(second.page.locator(".review button").last)
    expect(second.page.locator(".review")).to_have_count(0)
    writer.wake()
    expect(waits).to_have_count(0)

    # A dispute is entered as the deal should be, and shown to the director beside the written one.
    writer.write_deal(WHOLE_GAME[2])
    writer.tap(waits.get_by_role("link"))
    writer.page.wait_for_url("**/dispute/")
    assert writer.faults() == {}
    writer.tap(writer.page.get_by_label(game.players[3], exact=True).first)
    for seat, number in ((1, 0), (0, 3)):
        writer.tap(writer.tiles("men").nth(seat))
        writer.tap(writer.key(number))
    with writer.page.expect_navigation():
        writer.tap(writer.page.locator(".save button"))
    expect(writer.page.locator(".disputed-deal")).to_contain_text(game.players[3])
    expect(writer.page.locator(".round-called")).to_be_visible()
    assert writer.faults() == {}

    laptop = new_laptop(club)
    laptop.row = place.event.tournament
    laptop.take_next_step()
    laptop.open("running", 1)
    expect(laptop.page.locator("#wait + ul > li").first).to_have_id("table-1")
    laptop.follow("running_table", 1, 1)
    expect(laptop.page.locator(".dispute dd")).to_have_count(2)
    assert laptop.phone.faults() == {}
    laptop.press(laptop.page.locator(".dispute button[value=disputed]"))
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
