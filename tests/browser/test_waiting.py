"""Deals written without signal: they wait on the phone, and none is lost or stored twice."""

from time import sleep

import pytest
from playwright.sync_api import expect

from tests.browser.phone import game_with
from tests.browser.playing import mix_up, otherwise
from tests.deals import WHOLE_GAME
from tests.factories import record, record_all, reload
from tournaments.models import Game
from tournaments.web.base.phone import address

pytestmark = pytest.mark.browser

WAITING = [
    "1 ♥K Rıfkı 0 0 0 0 −320 1 −320 0 0 Waiting for signal",
    "2 Q Queens −100 1 −100 0 0 −520 2 −200 −100 1 −100 Waiting for signal",
    "3 KJ Men −220 2 −120 −60 1 −60 −700 3 −180 −220 2 −120 Waiting for signal",
]
"""The first deals of the whole game, as they wait in the sheet."""


def number_of_deal(phone):
    return phone.page.locator("[data-deal]")


def write_without_signal(phone, bodies, first=1):
    phone.lose_signal()
    for number, body in enumerate(bodies, first + 1):
        phone.send(body)
        expect(number_of_deal(phone)).to_have_text(str(number))


def wait_until_sent(phone, revision):
    phone.wait_for(revision)
    expect(phone.page.locator(".waits")).to_have_count(0)


@pytest.mark.keeps_pages
def test_deals_wait_survive_a_reload_and_are_sent_in_order(new_phone):
    phone = new_phone()
    phone.sit_down()
    phone.stay_after_reload()
    pad = places(phone)
    write_without_signal(phone, WHOLE_GAME[:3])
    expect(phone.page.locator(".declares-now strong")).to_have_text("Deniz")
    waiting = [*WAITING[:2], f"{WAITING[2]} Edit Discard"]
    assert phone.waiting() == waiting
    expect(phone.page.locator(".last")).to_contain_text("Waiting for signal: 3")
    left = phone.page.locator(".pick:has([value=no-queens]) [data-left] b")
    expect(left).to_have_text("1")
    expect(phone.page.locator(".seats .at-top .total")).to_have_text("−700")
    # Waiting deals move neither pad nor Save.
    assert places(phone) == pad
    assert phone.faults() == {}

    phone.page.reload()
    assert phone.waiting() == waiting
    expect(number_of_deal(phone)).to_have_text("4")
    assert phone.stored() == []

    # A half-typed deal stays when the signal comes back.
    phone.choose(WHOLE_GAME[3])
    phone.tap(phone.key(2))
    phone.find_signal()
    wait_until_sent(phone, 3)
    assert phone.sheet().game.totals == (-220, -60, -700, -220)
    assert phone.numbers("tricks") == ["2", "", "", ""]
    phone.tap(phone.key(3))
    phone.tap(phone.key(1))
    phone.save_and_wait()
    assert phone.stored() == list(WHOLE_GAME[:4])
    # Each deal keeps its key for ever.
    assert {len(row.key) for row in phone.sheet().revisions} == {8}


def places(phone):
    """Where the pad and Save are once a contract is chosen."""
    phone.choose({"contract": "no-tricks"})
    phone.page.evaluate("scrollTo(0, 0)")
    found = [phone.key(0).bounding_box(), phone.save.bounding_box()]
    phone.tap(phone.page.locator(".change"))
    return found


def test_waiting_deals_are_edited_and_discarded(new_phone):
    phone = new_phone()
    phone.sit_down()
    write_without_signal(phone, WHOLE_GAME[:2])
    phone.tap(phone.page.locator(".marks.waits button", has_text="Edit"))
    expect(number_of_deal(phone)).to_have_text("2")
    expect(phone.page.locator(".declares-now strong")).to_have_text("Burak")
    assert phone.numbers("queens") == ["1", "0", "2", "1"]
    assert len(phone.waiting()) == 1
    for seat, number in ((2, 1), (0, 2)):
        phone.tap(phone.tiles("queens").nth(seat))
        phone.tap(phone.key(number))
    phone.tap(phone.save)
    queens = "2 Q Queens −200 2 −200 0 0 −420 1 −100 −100 1 −100 Waiting for signal Edit Discard"
    assert phone.waiting() == [WAITING[0], queens]

    phone.send(WHOLE_GAME[2])
    expect(number_of_deal(phone)).to_have_text("4")
    phone.tap(phone.page.locator(".marks.waits button", has_text="Discard"))
    expect(number_of_deal(phone)).to_have_text("3")
    expect(phone.page.locator(".seats .at-top .total")).to_have_text("−420")
    assert phone.waiting() == [WAITING[0], queens]

    # Another table on the same phone knows nothing of them.
    other = game_with()
    first = phone.page.url
    phone.page.route("**/entry/", lambda route: route.abort())
    phone.cable.plug()
    phone.open(address(other, "write"))
    assert phone.waiting() == []
    phone.page.unroute("**/entry/")
    phone.open(first)
    wait_until_sent(phone, 2)
    assert phone.sheet().game.totals == (-200, 0, -420, -100)
    assert reload(other).row.revision == 0


@pytest.mark.parametrize(
    ("body", "mine", "hers"),
    [(WHOLE_GAME[0], "2=1", "2=0&count-heart_king-3=1"), (WHOLE_GAME[1], "=no-queens", "=no-men")],
)
def test_deal_that_comes_with_the_body_of_another_is_sent_again(new_phone, body, mine, hers):
    phone = new_phone()
    phone.sit_down()
    mixed = mix_up(phone, "entry", mine, hers)

    phone.send(body)
    phone.wait_for(1)

    assert [hers in each for each in mixed] == [True]
    assert phone.stored() == [body]
    assert phone.waiting() == []


def lose_answers(phone):
    """The first entry reaches the server, whose answer is lost; all others are lost before."""
    lost = []

    def lose(route):
        if not lost:
            lost.append(route.fetch())
        route.abort()

    phone.page.route("**/entry/", lose)


def send_in_vain(phone, body):
    phone.enter(body)
    with phone.page.expect_event("requestfailed", lambda request: request.url.endswith("/entry/")):
        phone.tap(phone.save)


def answer_again(phone):
    phone.page.unroute("**/entry/")
    phone.page.evaluate("dispatchEvent(new Event('online'))")


def test_deal_whose_answer_was_lost_is_stored_once(new_phone):
    phone = new_phone()
    marks = phone.page.locator(".marks.waits")
    phone.sit_down()
    lose_answers(phone)
    send_in_vain(phone, WHOLE_GAME[0])
    expect(marks).to_have_count(1)
    assert phone.sheet().row.revision == 1
    answer_again(phone)
    wait_until_sent(phone, 1)
    assert phone.sheet().row.revision == 1

    # Edited on a newer page, it is still the same deal.
    phone.sit_down()
    lose_answers(phone)
    send_in_vain(phone, WHOLE_GAME[0])
    phone.page.reload()
    expect(phone.page.locator("#table")).to_have_attribute("data-revision", "1")
    phone.tap(marks.locator("button", has_text="Edit"))
    phone.page.reload()
    assert phone.numbers("heart_king") == ["0", "0", "1", "0"]
    phone.tap(phone.save)
    answer_again(phone)
    expect(phone.page.locator(".waits")).to_have_count(0)
    assert phone.sheet().positions == (0,)

    # The deal behind it does not hide a deal that came between.
    phone.sit_down()
    lose_answers(phone)
    send_in_vain(phone, WHOLE_GAME[0])
    phone.send(WHOLE_GAME[1])
    expect(marks).to_have_count(2)
    record(phone.game, WHOLE_GAME[1])
    answer_again(phone)
    wait_until_sent(phone, 2)
    assert phone.sheet().row.revision == 2


LOSE_ENTRIES = """() => {
  const ask = window.fetch;
  window.tries = 0;
  window.fetch = (url, ...rest) => {
    if (!String(url).endsWith("/entry/")) return ask(url, ...rest);
    window.tries += 1;
    return Promise.reject(new TypeError("lost"));
  };
}"""
"""In the page itself: a route of the browser may miss requests that a service worker lets pass."""


def test_deal_is_sent_again_until_the_server_itself_answers(new_phone):
    phone = new_phone()
    phone.sit_down()
    portal = {"status": 200, "content_type": "text/html", "body": "<h1>Free coffee</h1>"}
    phone.page.route("**/entry/", lambda route: route.fulfill(**portal))
    phone.send(WHOLE_GAME[0])
    expect(phone.page.locator(".marks.waits")).to_be_visible()
    answer_again(phone)
    wait_until_sent(phone, 1)
    assert phone.sheet().game.totals == (0, 0, -320, 0)

    # A half-typed deal stays while the other is sent again in vain.
    phone.page.evaluate(LOSE_ENTRIES)
    phone.send(WHOLE_GAME[1])
    expect(number_of_deal(phone)).to_have_text("3")
    phone.choose({"contract": "no-men"})
    phone.tap(phone.key(2))
    tries = phone.page.evaluate("tries")
    phone.wake()
    phone.page.wait_for_function("tries => window.tries > tries", arg=tries)
    # The answer is dealt with before the page is asked again.
    phone.page.evaluate("new Promise(done => setTimeout(done))")
    assert phone.numbers("men") == ["2", "", "", ""]


@pytest.mark.keeps_pages
def test_deal_waits_on_a_page_whose_scripts_came_late(new_phone):
    phone = new_phone()

    def dawdle(route):
        sleep(1)
        route.continue_()

    phone.page.route("**/outbox*.js", dawdle, times=1)
    phone.sit_down()
    phone.stay_after_reload()
    # A browser empties its own cache when it needs the room.
    phone.context.new_cdp_session(phone.page).send("Network.clearBrowserCache")
    phone.lose_signal()
    phone.page.reload()
    phone.send(WHOLE_GAME[0])
    expect(phone.page.locator(".marks.waits")).to_be_visible()


def write_two_deals_that_another_phone_overtakes(phone):
    phone.sit_down()
    write_without_signal(phone, WHOLE_GAME[:2])
    record(phone.game, WHOLE_GAME[2])
    phone.find_signal()
    expect(phone.page.locator(".sheet .refused")).to_contain_text(
        "Someone else has written meanwhile."
    )
    assert phone.sheet().row.revision == 1


def test_deals_refused_after_waiting_are_edited_and_saved_in_order(new_phone):
    phone = new_phone()
    write_two_deals_that_another_phone_overtakes(phone)
    # The sheet is that of the server; the next deal waits behind the two.
    expect(phone.page.locator("#table")).to_have_attribute("data-revision", "1")
    expect(number_of_deal(phone)).to_have_text("2")
    expect(phone.page.locator(".declares-now strong")).to_have_text("Burak")
    assert phone.totals() == [-120, -60, -180, -120]
    expect(phone.page.locator(".seats .at-top .total")).to_have_text("−180")
    phone.send(WHOLE_GAME[3])
    assert len(phone.waiting()) == 3
    expect(number_of_deal(phone)).to_have_text("2")
    phone.page.reload()
    assert len(phone.waiting()) == 3
    phone.tap(phone.page.locator(".marks.waits button", has_text="Discard").last)
    assert len(phone.waiting()) == 2

    phone.tap(phone.page.locator(".marks.waits button").first)
    expect(phone.page.locator(".declares-now strong")).to_have_text("Burak")
    assert phone.numbers("heart_king") == ["0", "0", "1", "0"]
    phone.tap(phone.save)
    # The second was written for Burak, who is not the one to declare any more.
    expect(phone.page.locator(".errors")).to_have_text("It is Cem’s turn to declare, not Burak’s.")
    phone.tap(phone.save)
    wait_until_sent(phone, 3)
    contracts = [body["contract"] for body in phone.stored()]
    assert contracts == [WHOLE_GAME[n]["contract"] for n in (2, 0, 1)]


def test_deals_refused_after_waiting_are_discarded_only_by_hand(new_phone):
    phone = new_phone()
    write_two_deals_that_another_phone_overtakes(phone)
    assert phone.waiting()[1].endswith("Waits for the line above Edit Discard")
    phone.tap(phone.page.locator(".sheet .refused button", has_text="Discard"))
    # The second fits behind the deal of the other phone: one answer was enough.
    wait_until_sent(phone, 2)
    assert [body["contract"] for body in phone.stored()] == ["no-men", "no-queens"]

    phone.lose_signal()
    phone.send(WHOLE_GAME[0])
    record(phone.game, WHOLE_GAME[3])
    phone.find_signal()
    # Alone, and nothing typed since: it comes back into the form by itself.
    expect(phone.save).to_have_text("Write it as deal 4")
    leave_what_was_refused(phone)
    expect(phone.page.locator(".seats")).to_be_visible()
    assert phone.sheet().row.revision == 3

    # Deals that another phone has written as well are not refused.
    phone.sit_down()
    write_without_signal(phone, WHOLE_GAME[:3])
    record_all(phone.game, WHOLE_GAME[:2])
    phone.find_signal()
    wait_until_sent(phone, 3)
    assert phone.stored() == list(WHOLE_GAME[:3])


def leave_what_was_refused(phone):
    phone.tap(phone.page.locator("[data-leave]"))
    expect(phone.page.locator(".waits")).to_have_count(0)
    expect(phone.page.locator("[data-leave]")).to_have_count(0)


def test_last_deal_waits_beside_a_sheet_that_ends(new_phone):
    phone = new_phone()
    phone.sit_down(*WHOLE_GAME[:19])
    phone.lose_signal()
    phone.send(WHOLE_GAME[19])
    expect(phone.page.locator(".last")).to_contain_text("The last deal is waiting for signal.")
    expect(phone.page.locator(".contracts")).to_be_hidden()
    phone.find_signal()
    expect(phone.page.locator(".end h2")).to_have_text("Out: Ayşe")

    # Where another phone has ended the game, there is no form to come back into.
    phone.sit_down(*WHOLE_GAME[:19])
    phone.page.route("**/entry/", lambda route: route.abort())
    phone.send(WHOLE_GAME[19])
    record(phone.game, otherwise(WHOLE_GAME[19]))
    phone.page.reload()
    expect(phone.page.locator(".marks.waits button")).to_have_text(["Discard"])
    answer_again(phone)
    refused = phone.page.locator(".sheet .refused")
    expect(refused).to_contain_text("has written meanwhile")

    phone.sit_down()
    write_without_signal(phone, WHOLE_GAME[:1])
    Game.objects.all().delete()
    with phone.page.expect_response("**/entry/") as answer:
        phone.find_signal()
    expect(refused).to_contain_text("The game is not at this address any more.")
    # The log has what the answer does not say.
    expect(refused.locator(".request")).to_contain_text(answer.value.headers["x-request-id"])
