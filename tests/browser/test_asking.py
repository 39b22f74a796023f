"""What takes back or ends something says so first; the phone stays awake and is felt."""

import re

import pytest
from playwright.sync_api import expect

from tests.deals import WHOLE_GAME, deal
from tests.factories import record
from tournaments.web.base.phone import address

pytestmark = pytest.mark.browser

SENSES = """
window.felt = [];
window.held = 0;
navigator.vibrate = pattern => window.felt.push(pattern.length);
Object.defineProperty(navigator, "wakeLock", { configurable: true, value: { request: async () => {
  window.held += 1;
  return { released: false, release() { this.released = true; window.held -= 1; } };
} } });
"""


def says(phone):
    return phone.page.locator("#ask-says")


def test_undo_says_what_it_takes_back_and_is_redone(new_phone):
    phone = new_phone()
    phone.sit_down(*WHOLE_GAME[:2])
    undo = phone.page.locator(".undo:not(.redo)")
    phone.tap(undo)
    expect(says(phone)).to_have_text("Deal 2, No queens, is taken off the sheet.")
    assert phone.faults() == {}
    phone.tap(phone.page.locator("#ask button").first)
    expect(says(phone)).to_be_hidden()
    assert len(phone.stored()) == 2
    phone.undo()
    phone.wait_for(3)
    redo = phone.page.locator(".redo")
    expect(redo).to_contain_text("No queens · Ayşe 1, Burak 0, Cem 2, Deniz 1")
    assert phone.faults() == {}
    phone.tap(redo)
    phone.wait_for(4)
    assert phone.stored() == list(WHOLE_GAME[:2])
    expect(redo).to_have_count(0)

    # Drawn again while it asks: it may be another entry, which nobody named.
    expect(undo).to_be_enabled()
    phone.tap(undo)
    expect(says(phone)).to_be_visible()
    record(phone.game, WHOLE_GAME[2])
    phone.wake()
    phone.wait_for(5)
    phone.go_on()
    expect(says(phone)).to_be_hidden()
    assert len(phone.stored()) == 3


def test_entry_that_ends_the_game_says_so(new_phone):
    phone = new_phone()
    phone.sit_down(*WHOLE_GAME[:5])
    phone.enter(deal("trump", 0, 0, 13, 0, trump="hearts"))
    phone.tap(phone.save)
    expect(says(phone)).to_contain_text("King!")
    # The second of two quick taps is no answer.
    phone.page.locator("#ask button").last.dispatch_event("click")
    phone.tap(phone.page.locator("#ask button").first)
    assert phone.sheet().row.revision == 5

    phone.page.locator("details > summary", has_text="stop").tap()
    phone.page.select_option("#write-stop select", "time")
    phone.tap(phone.page.locator("#write-stop button"))
    expect(says(phone)).to_contain_text("The game ends here")
    phone.go_on()
    phone.wait_for(6)
    assert phone.stored()[-1] == {"type": "stopped", "reason": "time"}


def test_any_number_is_corrected_first(new_phone):
    phone = new_phone()
    phone.sit_down(*WHOLE_GAME[:3])
    phone.choose(WHOLE_GAME[3])
    phone.tap(phone.key(2))
    phone.open(f"{address(phone.game, 'write')}entries/2/")
    phone.page.set_viewport_size({"width": 390, "height": 664})
    assert phone.covered() == []
    tiles, status = phone.tiles("men"), phone.page.locator(".says")
    save = phone.page.locator("[value=correct]")
    phone.tap(tiles.nth(0))
    phone.tap(phone.key(4))
    expect(status).to_have_text("2 too many: take them from someone")
    expect(phone.page.locator(".unit-men")).to_have_class(re.compile("over"))
    expect(save).to_be_disabled()
    phone.tap(tiles.nth(2))
    phone.tap(phone.key(1))
    phone.tap_and_go(save, "#corrected$")
    mark = phone.page.locator(".moved")
    expect(mark).to_be_in_viewport()
    expect(mark).to_contain_text("Ayşe −220 → −340")
    expect(mark).to_contain_text("Cem −700 → −580")

    # What was typed of the next deal is still there, and no other phone is blamed.
    expect(phone.page.locator("#outbox")).to_be_hidden()
    for number in (3, 1):
        phone.tap(phone.key(number))
    phone.save_and_wait()
    assert phone.stored()[3]["counts"] == WHOLE_GAME[3]["counts"]


def test_doubles_and_holder_are_reached_on_a_short_screen(new_phone):
    phone = new_phone(viewport={"width": 390, "height": 664})
    phone.sit_down(ruleset="barbu")
    phone.choose({"contract": "no-hearts"})
    phone.tap(phone.page.locator(".doubles summary"))
    assert phone.covered() == []
    phone.page.select_option("[name=double-2-3]", "doubled")

    phone.sit_down(ruleset="barbu-doubles")
    phone.choose({"contract": "no-queens"})
    phone.tap(phone.page.locator(".doubles summary"))
    phone.tap(phone.page.locator(".doubler[data-seat='1'] [data-doubles=flanks]"))
    # Who is doubled back can only redouble.
    phone.page.select_option("[name=double-2-1]", "doubled")
    phone.tap(phone.page.locator(".doubler[data-seat='3'] [data-doubles=table]"))
    phone.tap(phone.page.locator(".doubles summary"))
    phone.count({"counts": {"queens": [2, 1, 0, 1]}})
    phone.save_and_wait()
    assert [(d["by"], *d["seats"]) for d in phone.stored()[0]["doubles"]] == [
        (2, 2, 1),
        (3, 3, 0),
        (3, 3, 1),
        (3, 3, 2),
    ]
    # In a deal of gains the declarer alone is doubled.
    phone.choose({"contract": "trump"})
    phone.tap(phone.page.locator(".doubles summary"))
    assert phone.page.locator(".doubler select:visible").count() == 3
    assert phone.faults() == {}

    options = {"king": "declared"}
    phone.sit_down(ruleset="turkish-king-bloody", options=options)
    phone.choose({"contract": "heart-king"})
    phone.tap(phone.tiles("heart_king").first)
    assert phone.covered() == []


def test_screen_stays_on_and_saving_is_felt_unless_switched_off(new_phone):
    phone = new_phone(reduced_motion="no-preference")
    phone.page.add_init_script(SENSES)
    phone.sit_down()
    phone.page.wait_for_function("() => held == 1")
    phone.write_deal(WHOLE_GAME[0])
    assert phone.page.evaluate("felt") == [1]
    phone.enter(WHOLE_GAME[1])
    phone.page.locator("[name=declarer]").evaluate("input => { input.value = 3 }")
    phone.tap(phone.save)
    expect(phone.page.locator(".errors")).to_be_visible()
    assert phone.page.evaluate("felt") == [1, 1, 3]
    assert phone.faults() == {}

    phone.page.emulate_media(reduced_motion="reduce")
    phone.save_and_wait()
    assert phone.page.evaluate("felt") == [1, 1, 3]
    phone.page.emulate_media(reduced_motion="no-preference")
    leads = phone.page.locator(".chances")
    expect(leads).to_contain_text(": Burak")
    for name in ("awake", "vibrates", "chances"):
        phone.page.locator(f"#{name}").uncheck()
    phone.page.wait_for_function("() => held == 0")
    phone.page.reload()
    expect(leads).to_be_hidden()
    phone.write_deal(WHOLE_GAME[2])
    assert (phone.page.evaluate("felt"), phone.page.evaluate("held")) == ([], 0)
