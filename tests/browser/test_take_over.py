"""A machine takes over from one that died: phones send what it lacks."""

import pytest
from playwright.sync_api import expect

from kingscore import middleware
from tests.browser.playing import from_seat
from tests.factories import reload
from tests.waiting import wait_until
from tournaments.models import Game, Revision
from tournaments.web.base.phone import address

pytestmark = [pytest.mark.browser]


def lose(game, number):
    """Have the server forget the last revisions of a game, as a copy does that lacks them."""
    row = Game.objects.get(pk=game.pk)
    row.revision -= number
    Revision.objects.filter(game=row, revision__gt=row.revision).delete()
    row.save(update_fields=["revision"])


@pytest.fixture
def take_over(monkeypatch, settings):
    def begin():
        settings.TIMELINE += 1
        monkeypatch.setitem(middleware.HEADERS, "Kingscore-Site", str(settings.TIMELINE))

    return begin


def bodies(game):
    sheet = reload(game)
    assert [write.revision for write in sheet.revisions] == list(range(1, sheet.row.revision + 1))
    return [sheet.body(at)["counts"] for at in sheet.positions]


def settle(phone, deals):
    wait_until(lambda: bodies(phone.game) == [deal["counts"] for deal in deals], 30)
    expect(phone.page.locator("#table .sheet tr:has(.score)")).to_have_count(len(deals))
    expect(phone.page.locator("#table :is(.waits, .refused, .problem)")).to_have_count(0)


def write(phone, *deals):
    for deal in deals:
        phone.write_deal(deal)


def listen_again(phone):
    """The stream of a machine that died is cut off."""
    phone.cable.pull()
    phone.cable.plug()


def read_the_guide(phone):
    """Any page sends what the phone holds."""
    phone.open("/guide/")
    wait_until(lambda: len(bodies(phone.game)) == 3, 40)
    phone.open(address(phone.game, "write"))


@pytest.mark.parametrize("lost", [0, 1, 2])
@pytest.mark.parametrize("hear", [listen_again, lambda phone: phone.page.reload(), read_the_guide])
def test_phone_sends_what_the_other_machine_lacks_and_writes_on(new_phone, take_over, hear, lost):
    phone, deals = new_phone(), from_seat(0)
    phone.sit_down()
    write(phone, *deals[:3])

    lose(phone.game, lost)
    take_over()
    hear(phone)
    settle(phone, deals[:3])

    write(phone, deals[3])
    settle(phone, deals[:4])


def test_deal_written_before_the_phone_has_heard_goes_behind_what_was_lost(new_phone, take_over):
    phone, deals = new_phone(), from_seat(0)
    phone.sit_down()
    write(phone, *deals[:3])

    lose(phone.game, 2)
    take_over()
    write(phone, deals[3])

    settle(phone, deals[:4])


def test_deal_behind_one_of_a_phone_that_is_off_comes_back_into_the_form(new_phone, take_over):
    phone, other, deals = new_phone(), new_phone(), from_seat(0)
    phone.sit_down()
    other.open(address(phone.game, "write"))
    write(phone, deals[0])
    expect(other.page.locator("#table .sheet tr:has(.score)")).to_have_count(1)
    other.write_deal(deals[1])
    other.page.close()
    expect(phone.page.locator("#table .sheet tr:has(.score)")).to_have_count(2)
    write(phone, deals[2])

    lose(phone.game, 2)
    take_over()
    listen_again(phone)

    expect(phone.page.locator("#table :is(.problem, .errors)").first).to_be_visible()
    phone.page.screenshot(path="/tmp/clone/refused.png", full_page=True)
    assert bodies(phone.game) == [deals[0]["counts"]]
    assert phone.numbers("men") == list(map(str, deals[2]["counts"]["men"]))
