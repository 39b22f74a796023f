"""Two phones that write at one table: each hears of the other, and no deal is lost."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.phone import game_with
from tests.browser.playing import hold
from tests.deals import WHOLE_GAME, deal
from tests.factories import EVENING, ContextFactory, record, record_all
from tests.long_sheets import fines, put_entries
from tournaments.engine.documents.entries import parse_entry
from tournaments.queries.sheets import load_sheet
from tournaments.services.games import playing
from tournaments.web.base.phone import address

pytestmark = pytest.mark.browser

OVERTAKEN = "Someone else has written meanwhile."


def half_typed(phone):
    phone.choose({"contract": "no-queens"})
    phone.tap(phone.key(1))


def still_half_typed(phone):
    return phone.numbers("queens") == ["1", "", "", ""]


def strip(phone):
    return phone.page.locator("#outbox")


def problem(phone):
    return phone.page.locator(".problem")


def overtake(phone, body):
    """Another phone writes a deal; this one, which nobody looks at, does not ask for it."""
    hidden = "Object.defineProperty(document, 'hidden', { value: true, configurable: true })"
    phone.page.evaluate(hidden)
    record(phone.game, body)


def test_saved_deal_finds_that_another_phone_was_faster(new_phone):
    phone = new_phone()
    phone.sit_down()
    phone.enter(WHOLE_GAME[1])
    overtake(phone, WHOLE_GAME[0])
    phone.tap(phone.save)
    expect(problem(phone)).to_contain_text(OVERTAKEN)
    expect(phone.page.locator(".declares-now strong")).to_have_text("Burak")
    assert phone.numbers("queens") == ["1", "0", "2", "1"]
    expect(phone.save).to_have_text("Write it as deal 2")
    assert phone.faults() == {}
    phone.save_and_wait()
    assert phone.sheet().game.totals == (-100, 0, -520, -100)

    phone.enter(WHOLE_GAME[2])
    overtake(phone, WHOLE_GAME[3])
    phone.tap(phone.save)
    phone.tap(phone.page.locator(".save a", has_text="Discard what I typed"))
    expect(problem(phone)).to_have_count(0)
    expect(phone.page.locator(".seats")).to_be_visible()
    expect(phone.save).to_have_text("Save")
    assert phone.sheet().row.revision == 3

    phone.enter(WHOLE_GAME[4])
    overtake(phone, WHOLE_GAME[4])
    phone.tap(phone.save)
    expect(problem(phone)).to_have_text(
        "Another phone has already written the same; it is on the sheet once."
    )
    expect(phone.page.locator("[data-deal]")).to_have_text("5")
    expect(phone.page.locator("input[name=contract]:checked")).to_have_count(0)
    assert phone.waiting() == []
    assert phone.sheet().row.revision == 4

    overtake(phone, WHOLE_GAME[5])
    phone.undo()
    expect(problem(phone)).to_contain_text(OVERTAKEN)
    expect(phone.page.locator("#table")).to_have_attribute("data-revision", "5")
    phone.undo()
    phone.wait_for(6)
    assert phone.sheet().positions == (0, 1, 2, 3)


def test_deals_of_another_phone_appear_by_themselves(new_phone):
    phone = new_phone()
    phone.sit_down()
    details = phone.page.locator("#table details").last
    details.locator("summary").tap()
    record(phone.game, WHOLE_GAME[0])
    phone.wait_for(1)
    expect(phone.page.locator(".declares-now strong")).to_have_text("Burak")
    expect(details).to_have_attribute("open", "")
    url = phone.base + address(phone.game, "write")
    with phone.page.expect_response(lambda answer: (answer.url, answer.status) == (url, 304)):
        pass

    # Neither points nor a deal that are half typed are swept away.
    phone.page.fill("[name=points]", "-100")
    record(phone.game, WHOLE_GAME[1])
    phone.wake()
    phone.wait_for(2)
    expect(phone.page.locator("[name=points]")).to_have_value("-100")
    expect(strip(phone)).to_contain_text("has written deal 2.")


def written_by(phone, author, body):
    phone.game.refresh_from_db()
    context = ContextFactory(revision=phone.game.revision, author=author)
    playing.record_entry(phone.game.pk, parse_entry(body), context)
    phone.wake()


def test_strip_says_what_another_phone_did_and_asks_what_to_do_with_what_is_typed(new_phone):
    phone = new_phone()
    phone.sit_down()
    for author, who, number in (("Ayşe", "Ayşe", 1), ("", "Another phone", 2)):
        half_typed(phone)
        written_by(phone, author, WHOLE_GAME[number - 1])
        expect(strip(phone)).to_contain_text(f"{who} has written deal {number}.")
        assert still_half_typed(phone)
        if number == 1:
            expect(phone.page.locator(".declares-now strong")).to_have_text("Burak")
            assert phone.faults() == {}
        phone.tap(strip(phone).locator("button", has_text="Discard what I typed"))
        expect(strip(phone)).to_be_hidden()
        expect(phone.page.locator(".seats")).to_be_visible()
        expect(phone.page.locator("input[name=contract]:checked")).to_have_count(0)
        assert not phone.can_save()

    half_typed(phone)
    body = deal("heart-king", 1, 0, 0, 0)
    context = ContextFactory(revision=2, author="Cem")
    playing.correct_entry(phone.game.pk, 0, parse_entry(body), "", context)
    phone.wake()
    expect(strip(phone)).to_contain_text("Cem has corrected deal 1.")
    expect(phone.page.locator(".seats .at-bottom .total")).to_have_text("−420")
    assert still_half_typed(phone)
    phone.tap(strip(phone).locator("button", has_text="Keep what I typed"))
    for number in (0, 2):
        phone.tap(phone.key(number))
    phone.save_and_wait()
    assert phone.stored()[2]["counts"] == {"queens": [1, 0, 2, 1]}

    phone.enter(WHOLE_GAME[3])
    written_by(phone, "Deniz", WHOLE_GAME[3])
    expect(strip(phone)).to_contain_text("has written deal 4.")
    assert phone.numbers("tricks") == ["2", "3", "1", "7"]
    phone.tap(phone.save)
    expect(problem(phone)).to_contain_text("has already written the same")
    assert phone.sheet().row.revision == 5


def test_phone_that_lost_the_scoring_goes_on_following(new_phone):
    phone = new_phone()
    for typed in (False, True):
        phone.sit_down()
        if typed:
            half_typed(phone)
        generation = phone.game.write_generation
        playing.hand_over(phone.game.pk, generation, "key-of-the-taker", at=EVENING)
        phone.wake()
        if typed:
            expect(strip(phone)).to_contain_text("another phone writes now")
            assert still_half_typed(phone)
            phone.tap(strip(phone).locator("button"))
        expect(phone.page.locator(".following")).to_be_visible()
        assert phone.page.url.endswith(address(phone.game, "follow") + "?handed-over=1")


@pytest.mark.parametrize("meanwhile", [WHOLE_GAME[:0], WHOLE_GAME[1:2], WHOLE_GAME[1:3]])
def test_what_the_old_phone_has_waiting_is_shown_and_sent_when_it_writes_again(
    new_phone, meanwhile
):
    phone = new_phone()
    page = phone.page
    phone.sit_down(WHOLE_GAME[0])
    phone.lose_signal()
    for body in WHOLE_GAME[1:3]:
        phone.send(body)
    taken = playing.hand_over(phone.game.pk, 1, "key-of-the-taker", at=EVENING)
    record_all(taken, meanwhile)
    phone.find_signal()
    page.wait_for_url(re.compile("handed-over"))
    lines = page.locator("#kept-back li span")
    expect(lines).to_have_text(
        ["No queens: Ayşe 1, Burak 0, Cem 2, Deniz 1", "No men: Ayşe 2, Burak 1, Cem 3, Deniz 2"]
    )
    page.reload()
    expect(lines).to_have_count(2)
    again = playing.hand_over(taken.pk, 2, "key-of-the-old-phone", at=EVENING)
    phone.open(address(again, "write"))
    phone.wait_for(3)
    expect(page.locator("#table .waits")).to_have_count(0)
    assert phone.stored() == list(WHOLE_GAME[:3])


def test_sheet_is_drawn_before_the_server_answers(new_phone):
    phone = new_phone()
    phone.sit_down(*WHOLE_GAME[:2])
    held = hold(phone, "entry")
    phone.send(WHOLE_GAME[2])
    expect(phone.page.locator(".sheet tr.waits").first).to_contain_text("−120")
    # The next one is begun while the answer is out.
    phone.choose(WHOLE_GAME[3])
    phone.tap(phone.key(2))
    assert phone.sheet().row.revision == 2
    held[0].continue_()
    phone.wait_for(3)
    expect(phone.page.locator(".sheet .waits")).to_have_count(0)
    assert phone.numbers("tricks") == ["2", "", "", ""]
    assert phone.stored()[2]["contract"] == "no-men"

    phone.tap(phone.page.locator(".change"))
    expect(phone.page.locator(".undo:not(.redo)")).to_be_enabled()
    held = hold(phone, "undo")
    phone.undo()
    expect(phone.page.locator(".sheet .undone")).to_have_count(1)
    expect(phone.page.locator("[data-deal]")).to_have_text("3")
    expect(phone.page.locator(".declares-now strong")).to_have_text("Cem")
    expect(phone.page.locator(".seats .at-top .total")).to_have_text("−520")
    phone.send(WHOLE_GAME[4])
    held[0].continue_()
    phone.wait_for(5)
    contracts = [body["contract"] for body in phone.stored()]
    assert contracts == [WHOLE_GAME[n]["contract"] for n in (0, 1, 4)]


def test_refused_deal_comes_back_with_its_problem(new_phone):
    phone = new_phone()
    phone.sit_down()
    sentence = "It is Ayşe’s turn to declare, not Deniz’s."
    phone.enter(WHOLE_GAME[1])
    declare_as_another(phone)
    phone.tap(phone.save)
    expect(phone.page.locator(".errors")).to_have_text(sentence)
    assert phone.numbers("queens") == ["1", "0", "2", "1"]
    assert phone.waiting() == []
    assert phone.faults() == {}

    # While the next is typed it stays in the sheet, and nothing is lost.
    phone.sit_down()
    held = hold(phone, "entry")
    phone.enter(WHOLE_GAME[0])
    declare_as_another(phone)
    phone.tap(phone.save)
    half_typed(phone)
    held[0].continue_()
    refused = phone.page.locator(".sheet .refused")
    expect(refused).to_contain_text(sentence)
    assert phone.waiting()[0].startswith("♥K Rıfkı 0 0 1 0 ")
    assert still_half_typed(phone)
    assert phone.faults() == {}
    phone.tap(refused.locator("button", has_text="Edit"))
    assert phone.numbers("heart_king") == ["0", "0", "1", "0"]
    phone.save_and_wait()
    assert still_half_typed(phone)


MOVING = """() => document.getAnimations().map(({ effect }) => [
  effect.target.closest("[data-position], .last").dataset.position ?? "last",
  ...effect.getKeyframes().flatMap(frame => Object.keys(frame)).filter(name => name == "opacity"),
])"""


SPARE_WIDTH = """() => {
  const [sheet, last] = [".sheet", ".fresh .score:nth-last-child(2)"]
    .map(selector => document.querySelector(selector).getBoundingClientRect().right);
  return Math.round(sheet - last);
}"""


@pytest.mark.parametrize("kind", ["write", "follow"])
def test_line_glows_when_it_comes_and_not_with_the_page(new_phone, kind):
    phone = new_phone(reduced_motion="no-preference")
    phone.game = game_with(WHOLE_GAME[:2])
    phone.open(address(phone.game, kind))
    expect(phone.page.locator(".sheet tr[data-position]")).to_have_count(2)
    assert phone.page.evaluate(MOVING) == []
    record(phone.game, WHOLE_GAME[2])
    expect(phone.page.locator(".sheet tr.fresh")).to_have_count(1)
    assert sorted(phone.page.evaluate(MOVING)) == [
        [at, "opacity", "opacity"] for at in ("2", "last")
    ]
    assert phone.page.evaluate(SPARE_WIDTH) == 0


def test_reason_of_a_refusal_is_in_sight_far_below_the_sheet(new_phone):
    phone = new_phone()
    phone.sit_down()
    put_entries(phone.game, fines(20), load_sheet(phone.game).game.ruleset.most_revisions)
    phone.page.reload()
    more = phone.page.locator("form:has([value=adjustment])")
    phone.page.evaluate(
        "for (const each of document.querySelectorAll('#table details')) each.open = true"
    )
    more.locator("[name=points]").fill("5")
    more.locator("[name=reason]").fill("late")
    phone.tap(more.locator("[value=adjustment]"))
    expect(phone.page.locator(".sheet .refused .why")).to_be_in_viewport(ratio=1)


def declare_as_another(phone):
    """Only a program of its own could send this: the page would not let it go."""
    phone.page.locator("[name=declarer]").evaluate("input => { input.value = 3 }")
