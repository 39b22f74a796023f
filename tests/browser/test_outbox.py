"""Deals written without signal: they wait on the phone, and none is lost or stored twice."""

import re
from time import sleep

import pytest
from playwright.sync_api import expect

from tests.browser.phone import game_with
from tests.browser.test_without_signal import otherwise
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record, record_all, reload
from tournaments.models import Game
from tournaments.services.play import playing
from tournaments.web.phone import address

pytestmark = pytest.mark.browser


WAITING = [
    "1 ♥K Rıfkı 0 0 0 0 −320 1 −320 0 0 Waiting for signal",
    "2 Q Queens −100 1 −100 0 0 −520 2 −200 −100 1 −100 Waiting for signal",
    "3 KJ Men −220 2 −120 −60 1 −60 −700 3 −180 −220 2 −120 Waiting for signal",
]
"""The first deals of the whole game, as they wait in the sheet."""


def test_deals_without_signal_wait_survive_a_reload_and_are_sent_in_order(at_table):
    phone = at_table()
    phone.stay_after_reload()
    phone.lose_signal()
    for number, body in enumerate(WHOLE_GAME[:3], 2):
        phone.enter(body)
        phone.tap(phone.save)
        expect(phone.page.locator("[data-deal]")).to_have_text(str(number))
    expect(phone.page.locator("[data-declarer]")).to_have_text("Deniz")
    waiting = [*WAITING[:2], f"{WAITING[2]} Edit Discard"]
    assert phone.waiting() == waiting
    expect(phone.page.locator(".last")).to_contain_text("Waiting for signal: 3")
    left = phone.page.locator(".pick:has([value=no-queens]) [data-left] b")
    expect(left).to_have_text("1")
    expect(phone.page.locator(".seats .at-top .total")).to_have_text("−700")

    phone.page.reload()
    assert phone.waiting() == waiting
    expect(phone.page.locator("[data-deal]")).to_have_text("4")
    assert reload(phone.game).positions == ()

    phone.find_signal()
    phone.page.wait_for_selector("#table[data-revision='3']")
    assert phone.waiting() == []
    assert reload(phone.game).game.totals == (-220, -60, -700, -220)


def test_deal_whose_answer_was_lost_is_stored_once(at_table):
    phone = at_table()
    lost = []

    def lose(route):
        if not lost:
            lost.append(route.fetch())
        route.abort()

    phone.page.route("**/entry/", lose)
    phone.enter(WHOLE_GAME[0])
    with phone.page.expect_event("requestfailed", lambda request: request.url.endswith("/entry/")):
        phone.tap(phone.save)
    expect(phone.page.locator(".marks.waits")).to_be_visible()
    assert reload(phone.game).row.revision == 1
    phone.page.unroute("**/entry/")
    phone.page.wait_for_selector("#table[data-revision='1']")
    expect(phone.page.locator(".waits")).to_have_count(0)
    assert reload(phone.game).row.revision == 1


def test_deal_whose_answer_was_lost_is_stored_once_though_edited_on_a_newer_page(at_table):
    phone = at_table()
    lost = []

    def lose(route):
        if not lost:
            lost.append(route.fetch())
        route.abort()

    phone.page.route("**/entry/", lose)
    phone.enter(WHOLE_GAME[0])
    with phone.page.expect_event("requestfailed", lambda request: request.url.endswith("/entry/")):
        phone.tap(phone.save)
    phone.page.reload()
    expect(phone.page.locator("#table")).to_have_attribute("data-revision", "1")
    phone.tap(phone.page.locator(".marks.waits button", has_text="Edit"))
    phone.page.reload()
    assert phone.numbers("heart_king") == ["0", "0", "1", "0"]
    phone.tap(phone.save)
    phone.page.unroute("**/entry/")
    phone.page.evaluate("dispatchEvent(new Event('online'))")
    expect(phone.page.locator(".waits")).to_have_count(0)
    assert reload(phone.game).positions == (0,)


def test_deal_waits_on_a_page_whose_scripts_came_late(table_phone):
    phone = table_phone()

    def dawdle(route):
        sleep(1)
        route.continue_()

    phone.page.route("**/outbox*.js", dawdle, times=1)
    phone.open(address(game_with(), "write"))
    phone.stay_after_reload()
    # What a browser keeps on its own goes when it needs the room.
    phone.context.new_cdp_session(phone.page).send("Network.clearBrowserCache")
    phone.lose_signal()
    phone.page.reload()
    phone.enter(WHOLE_GAME[0])
    phone.tap(phone.save)
    expect(phone.page.locator(".marks.waits")).to_be_visible()


def test_page_of_the_cafe_in_front_of_the_network_is_no_answer(at_table):
    phone = at_table()
    portal = {"status": 200, "content_type": "text/html", "body": "<h1>Free coffee</h1>"}
    phone.page.route("**/entry/", lambda route: route.fulfill(**portal))
    phone.enter(WHOLE_GAME[0])
    phone.tap(phone.save)
    expect(phone.page.locator(".marks.waits")).to_be_visible()
    phone.page.unroute("**/entry/")
    phone.page.wait_for_selector("#table[data-revision='1']")
    assert reload(phone.game).game.totals == (0, 0, -320, 0)


def test_what_is_being_typed_stays_when_the_signal_comes_back(at_table):
    phone = at_table()
    phone.lose_signal()
    phone.enter(WHOLE_GAME[0])
    phone.tap(phone.save)
    expect(phone.page.locator("[data-deal]")).to_have_text("2")
    phone.choose({"contract": "no-queens"})
    phone.tap(phone.key(1))
    phone.find_signal()
    phone.page.wait_for_selector("#table[data-revision='1']")
    assert phone.numbers("queens") == ["1", "", "", ""]
    phone.tap(phone.key(0))
    phone.tap(phone.key(2))
    phone.tap(phone.save)
    phone.page.wait_for_selector("#table[data-revision='2']")
    assert reload(phone.game).game.totals == (-100, 0, -520, -100)


def write_two_deals_that_another_phone_overtakes(phone):
    phone.lose_signal()
    for number, body in enumerate(WHOLE_GAME[:2], 2):
        phone.enter(body)
        phone.tap(phone.save)
        expect(phone.page.locator("[data-deal]")).to_have_text(str(number))
    record(phone.game, WHOLE_GAME[2])
    phone.find_signal()
    expect(phone.page.locator(".sheet .refused")).to_contain_text(
        "Someone else has written meanwhile."
    )
    assert reload(phone.game).row.revision == 1


def test_sheet_after_a_refused_deal_is_the_sheet_as_it_stands(at_table):
    phone = at_table()
    write_two_deals_that_another_phone_overtakes(phone)
    expect(phone.page.locator("#table")).to_have_attribute("data-revision", "1")
    expect(phone.page.locator("[data-deal]")).to_have_text("2")
    expect(phone.page.locator("[data-declarer]")).to_have_text("Burak")
    expect(phone.page.locator(".sheet tbody")).to_contain_text("−180")
    assert phone.totals() == [-120, -60, -180, -120]
    expect(phone.page.locator(".seats .at-top .total")).to_have_text("−180")
    # What is written now waits behind it, and does not count yet either.
    phone.enter(WHOLE_GAME[3])
    phone.tap(phone.save)
    assert len(phone.waiting()) == 3
    expect(phone.page.locator("[data-deal]")).to_have_text("2")


def test_deals_refused_after_waiting_are_shown_edited_and_saved_in_order(at_table):
    phone = at_table()
    write_two_deals_that_another_phone_overtakes(phone)
    phone.page.reload()
    assert len(phone.waiting()) == 2

    phone.tap(phone.page.locator(".marks.waits button").first)
    expect(phone.page.locator("[data-declarer]")).to_have_text("Burak")
    assert phone.numbers("heart_king") == ["0", "0", "1", "0"]
    phone.tap(phone.save)
    # The second was written for Burak, who is not the one to declare any more.
    expect(phone.page.locator(".errors")).to_have_text("It is Cem’s turn to declare, not Burak’s.")
    phone.tap(phone.save)

    phone.page.wait_for_selector("#table[data-revision='3']")
    assert phone.waiting() == []
    sheet = reload(phone.game)
    assert [sheet.body(p)["contract"] for p in sheet.positions] == [
        "no-men",
        "heart-king",
        "no-queens",
    ]


def test_deal_refused_after_waiting_is_discarded_only_by_hand(at_table):
    phone = at_table()
    write_two_deals_that_another_phone_overtakes(phone)
    discard = phone.page.locator(".sheet .refused button", has_text="Discard")
    phone.tap(discard)
    # The second was written for a sheet that never was: it comes back as well, not dropped.
    expect(phone.page.locator(".problem")).to_be_visible()
    assert phone.numbers("queens") == ["1", "0", "2", "1"]
    phone.tap(phone.page.locator("[data-leave]"))
    expect(phone.page.locator(".waits")).to_have_count(0)
    phone.page.wait_for_selector("#table[data-revision='1']")
    expect(phone.page.locator("[data-declarer]")).to_have_text("Burak")


def test_refused_deal_in_the_form_is_left_for_the_sheet(at_table):
    phone = at_table()
    phone.lose_signal()
    phone.enter(WHOLE_GAME[0])
    phone.tap(phone.save)
    record(phone.game, WHOLE_GAME[2])
    phone.find_signal()
    # Alone, and nothing typed since: it comes back into the form by itself.
    expect(phone.save).to_have_text("Write it as deal 2")
    phone.tap(phone.page.locator("[data-leave]"))
    expect(phone.page.locator(".waits")).to_have_count(0)
    expect(phone.page.locator("[data-leave]")).to_have_count(0)
    expect(phone.page.locator(".seats")).to_be_visible()
    assert reload(phone.game).row.revision == 1


def test_deals_that_another_phone_has_written_meanwhile_are_not_written_twice(at_table):
    phone = at_table()
    phone.lose_signal()
    for number, body in enumerate(WHOLE_GAME[:3], 2):
        phone.enter(body)
        phone.tap(phone.save)
        expect(phone.page.locator("[data-deal]")).to_have_text(str(number))
    record_all(phone.game, WHOLE_GAME[:2])
    phone.find_signal()
    phone.page.wait_for_selector("#table[data-revision='3']")
    assert phone.waiting() == []
    sheet = reload(phone.game)
    assert [sheet.body(position) for position in sheet.positions] == list(WHOLE_GAME[:3])


def test_deal_behind_one_whose_answer_was_lost_is_not_written_over_what_came_between(at_table):
    phone = at_table()
    lost = []

    def lose(route):
        if not lost:
            lost.append(route.fetch())
        route.abort()

    phone.page.route("**/entry/", lose)
    phone.enter(WHOLE_GAME[0])
    with phone.page.expect_event("requestfailed", lambda request: request.url.endswith("/entry/")):
        phone.tap(phone.save)
    expect(phone.page.locator(".marks.waits")).to_be_visible()
    phone.enter(WHOLE_GAME[1])
    phone.tap(phone.save)
    expect(phone.page.locator(".marks.waits")).to_have_count(2)
    record(phone.game, WHOLE_GAME[1])
    phone.page.unroute("**/entry/")
    phone.page.wait_for_selector("#table[data-revision='2']")
    expect(phone.page.locator(".waits")).to_have_count(0)
    assert reload(phone.game).row.revision == 2


def test_waiting_deal_is_edited_without_signal(at_table):
    phone = at_table()
    phone.lose_signal()
    for body in WHOLE_GAME[:2]:
        phone.enter(body)
        phone.tap(phone.save)
    expect(phone.page.locator("[data-deal]")).to_have_text("3")
    phone.tap(phone.page.locator(".marks.waits button", has_text="Edit"))
    expect(phone.page.locator("[data-deal]")).to_have_text("2")
    expect(phone.page.locator("[data-declarer]")).to_have_text("Burak")
    assert phone.numbers("queens") == ["1", "0", "2", "1"]
    assert len(phone.waiting()) == 1
    phone.tap(phone.page.locator(".unit-queens .tile").nth(2))
    phone.tap(phone.key(1))
    phone.tap(phone.page.locator(".unit-queens .tile").nth(0))
    phone.tap(phone.key(2))
    phone.tap(phone.save)
    queens = "2 Q Queens −200 2 −200 0 0 −420 1 −100 −100 1 −100 Waiting for signal Edit Discard"
    assert phone.waiting() == [WAITING[0], queens]
    phone.find_signal()
    phone.page.wait_for_selector("#table[data-revision='2']")
    assert reload(phone.game).game.totals == (-200, 0, -420, -100)


def test_last_waiting_deal_is_discarded_without_signal(at_table):
    phone = at_table()
    phone.lose_signal()
    for body in WHOLE_GAME[:2]:
        phone.enter(body)
        phone.tap(phone.save)
    expect(phone.page.locator("[data-deal]")).to_have_text("3")
    phone.tap(phone.page.locator(".marks.waits button", has_text="Discard"))
    expect(phone.page.locator("[data-deal]")).to_have_text("2")
    expect(phone.page.locator(".seats .at-bottom .total")).to_have_text("0")
    assert phone.waiting() == [f"{WAITING[0]} Edit Discard"]
    phone.find_signal()
    phone.page.wait_for_selector("#table[data-revision='1']")
    assert reload(phone.game).row.revision == 1


LOSE_ENTRIES = """() => {
  const ask = window.fetch;
  window.tries = 0;
  window.fetch = (url, ...rest) => {
    if (!String(url).endsWith("/entry/")) return ask(url, ...rest);
    window.tries += 1;
    return Promise.reject(new TypeError("lost"));
  };
}"""
"""In the page itself: what a service worker lets pass, a route of the browser may not see."""


def test_what_is_being_typed_stays_while_the_entry_is_sent_again_in_vain(at_table):
    phone = at_table()
    phone.page.evaluate(LOSE_ENTRIES)
    phone.enter(WHOLE_GAME[0])
    phone.tap(phone.save)
    expect(phone.page.locator("[data-deal]")).to_have_text("2")
    phone.choose({"contract": "no-queens"})
    phone.tap(phone.key(1))
    # The pauses between the tries grow, however slow the machine is.
    phone.page.wait_for_function("tries => window.tries > tries", arg=phone.page.evaluate("tries"))
    phone.page.wait_for_timeout(200)
    assert phone.numbers("queens") == ["1", "", "", ""]


# Another phone writes as well.


def test_deal_written_by_another_phone_as_well_is_told_and_not_written_twice(at_table):
    phone = at_table()
    phone.enter(WHOLE_GAME[0])
    record(phone.game, WHOLE_GAME[0])
    phone.tap(phone.save)
    expect(phone.page.locator(".problem")).to_have_text(
        "Another phone has already written the same; it stands in the sheet once."
    )
    expect(phone.page.locator("[data-deal]")).to_have_text("2")
    expect(phone.page.locator("input[name=contract]:checked")).to_have_count(0)
    assert phone.waiting() == []
    assert reload(phone.game).row.revision == 1


def test_typed_deal_that_was_overtaken_is_discarded_with_one_tap(at_table):
    phone = at_table()
    phone.enter(WHOLE_GAME[1])
    record(phone.game, WHOLE_GAME[0])
    phone.tap(phone.save)
    assert phone.faults() == {}
    phone.tap(phone.page.locator(".save a", has_text="Discard what I typed"))
    expect(phone.page.locator(".problem")).to_have_count(0)
    expect(phone.page.locator(".seats")).to_be_visible()
    expect(phone.save).to_have_text("Save")
    assert reload(phone.game).row.revision == 1


def test_deals_of_another_phone_appear_while_nothing_is_typed(at_table):
    phone = at_table()
    answers = []
    phone.page.on("response", lambda answer: answers.append((answer.url, answer.status)))
    phone.page.locator("summary").last.tap()
    record(phone.game, WHOLE_GAME[0])
    phone.page.wait_for_selector("#table[data-revision='1']")
    expect(phone.page.locator("[data-declarer]")).to_have_text("Burak")
    expect(phone.page.locator("details").last).to_have_attribute("open", "")
    url = phone.base + address(phone.game, "write")
    phone.page.wait_for_timeout(4500)
    assert answers[-1] == (url, 304)


def test_points_half_typed_are_not_swept_away(at_table):
    phone = at_table()
    phone.page.locator("summary").last.tap()
    phone.page.fill("[name=points]", "-100")
    record(phone.game, WHOLE_GAME[0])
    phone.page.wait_for_selector("#table[data-revision='1']")
    expect(phone.page.locator("[name=points]")).to_have_value("-100")
    expect(phone.page.locator("#outbox")).to_contain_text("has written deal 1.")


def test_phone_whose_pen_was_taken_goes_on_following(at_table):
    phone = at_table()
    playing.hand_over(phone.game.pk, phone.game.write_generation, "key-of-the-taker", at=EVENING)
    expect(phone.page.locator(".following")).to_be_visible()
    assert phone.page.url.endswith(address(phone.game, "follow") + "?handed-over=1")


def test_undo_tapped_twice_quickly_takes_one_deal_back(at_table):
    phone = at_table(3)
    phone.page.locator(".undo").tap()
    phone.page.wait_for_selector("#table[data-revision='4']")
    undo = phone.page.locator(".undo")
    assert undo.is_disabled()
    undo.tap(force=True)
    expect(undo).to_be_enabled()
    assert reload(phone.game).positions == (0, 1)
    undo.tap()
    phone.page.wait_for_selector("#table[data-revision='5']")


# The pad.


def test_player_filled_in_last_can_be_set_by_hand(at_table):
    phone = at_table()
    phone.choose({"contract": "trump"})
    for number in (7, 2, 3):
        phone.tap(phone.key(number))
    middle = phone.page.locator(".unit-tricks .middle b")
    expect(middle).to_have_text("0")
    tiles = phone.page.locator(".unit-tricks .tile")
    phone.tap(tiles.nth(3))
    expect(tiles.nth(3)).to_have_class(re.compile("active"))
    phone.tap(phone.key(2))
    assert phone.numbers("tricks") == ["7", "2", "3", "2"]
    expect(phone.page.locator(".pad [role=status]")).to_have_text("1 too many")
    assert not phone.can_save()
    phone.tap(tiles.nth(0))
    phone.tap(phone.key(6))
    assert phone.numbers("tricks") == ["6", "2", "3", "2"]
    assert phone.can_save()


def test_suits_out_of_sight_are_out_of_the_keyboards_reach(at_table):
    phone = at_table()
    phone.page.locator("[value=no-queens]").focus()
    phone.page.keyboard.press("Space")
    for _ in range(4):
        phone.page.keyboard.press("Tab")
        assert phone.page.evaluate("document.activeElement.name") != "trump"


def test_deal_waiting_for_a_deleted_game_is_shown_as_refused(at_table):
    phone = at_table()
    phone.lose_signal()
    phone.enter(WHOLE_GAME[0])
    phone.tap(phone.save)
    expect(phone.page.locator("[data-deal]")).to_have_text("2")
    Game.objects.all().delete()
    phone.find_signal()
    expect(phone.page.locator(".sheet .refused")).to_contain_text(
        "The game is not at this address any more."
    )


def test_last_deal_without_signal_closes_the_form(at_table):
    phone = at_table(19)
    phone.lose_signal()
    phone.enter(WHOLE_GAME[19])
    phone.tap(phone.save)
    expect(phone.page.locator(".last")).to_contain_text("The last deal is waiting for signal.")
    expect(phone.page.locator(".contracts")).to_be_hidden()
    phone.find_signal()
    expect(phone.page.locator(".end h2")).to_have_text("Out: Ayşe")


def test_deal_waiting_beside_a_finished_sheet_is_not_taken_into_a_form_that_is_not_there(at_table):
    phone = at_table(19)
    phone.page.route("**/entry/", lambda route: route.abort())
    phone.enter(WHOLE_GAME[19])
    phone.tap(phone.save)
    record(phone.game, otherwise(WHOLE_GAME[19]))
    phone.page.reload()
    expect(phone.page.locator(".marks.waits button")).to_have_text(["Discard"])
    phone.page.unroute("**/entry/")
    phone.page.evaluate("dispatchEvent(new Event('online'))")
    expect(phone.page.locator(".sheet .refused")).to_contain_text("has written meanwhile")


def test_two_tables_on_one_phone_keep_their_waiting_deals_apart(at_table):
    phone = at_table()
    other = game_with()
    phone.lose_signal()
    phone.enter(WHOLE_GAME[0])
    phone.tap(phone.save)
    expect(phone.page.locator(".marks.waits")).to_be_visible()
    phone.find_signal()
    phone.open(address(other, "write"))
    assert phone.waiting() == []
    assert reload(other).row.revision == 0
