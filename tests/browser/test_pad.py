"""The form of a deal on the phone: the pad of numbers, and the questions of other games."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.playing import (
    FAMILIES,
    choose,
    pick,
    tap_chip,
    tap_radio,
    write_hand,
    write_without_signal,
)
from tests.deals import NAMES, WHOLE_GAME
from tests.sample_games import load

pytestmark = pytest.mark.browser

ANYTHING = re.compile(".+")


def status(phone):
    return phone.page.locator(".says")


def test_pad_adds_up_and_fills_in_the_last_player(new_phone):
    phone = new_phone()
    phone.sit_down(*WHOLE_GAME[:7])
    nothing_jumps(phone)
    phone.sit_down()
    give_the_last_player_by_hand(phone)
    change_the_contract(phone)
    correct_a_number(phone)
    type_on_a_keyboard(phone)
    turn_the_table(phone)


def nothing_jumps(phone):
    """The table is drawn at one place, and the keys are in the lower half."""

    def top_of(selector):
        return phone.page.locator(selector).first.bounding_box()["y"]

    table = top_of(".seats")
    phone.choose({"contract": "no-tricks"})
    assert top_of(".unit-tricks .drawing") == table
    assert top_of(".keys") > 844 / 2
    box = phone.page.locator(".says").bounding_box()
    assert box["y"] + box["height"] <= 844


def give_the_last_player_by_hand(phone):
    phone.choose({"contract": "trump"})
    tiles = phone.tiles("tricks")
    expect(status(phone)).to_have_text("13 left to give")
    phone.tap(phone.key(7))
    expect(tiles.first.locator(".points")).to_have_text("+350")
    expect(phone.page.get_by_role("group", name="Number: Burak, Tricks")).to_be_visible()
    phone.tap(phone.key(2))
    expect(status(phone)).to_have_text("4 left to give")
    assert not phone.can_save()
    phone.tap(phone.key(3))
    assert phone.numbers("tricks") == ["7", "2", "3", "1"]
    expect(status(phone)).to_have_text("Complete")
    expect(phone.page.locator(".unit-tricks .middle b")).to_have_text("0")

    phone.tap(tiles.nth(3))
    expect(tiles.nth(3)).to_have_class(re.compile("active"))
    phone.tap(phone.key(2))
    assert phone.numbers("tricks") == ["7", "2", "3", "2"]
    expect(status(phone)).to_have_text("1 too many: take them from someone")
    assert not phone.can_save()
    phone.tap(tiles.nth(0))
    phone.tap(phone.key(6))
    assert phone.numbers("tricks") == ["6", "2", "3", "2"]
    assert phone.can_save()


def change_the_contract(phone):
    """Noughts are filled in once all is given; a tap too many takes the king back."""
    phone.tap(phone.page.locator(".change"))
    expect(phone.page.locator(".seats")).to_be_visible()
    phone.choose({"contract": "no-queens"})
    expect(phone.page.locator(".unit-queens")).to_be_visible()
    expect(phone.page.locator(".unit-tricks")).to_be_hidden()
    phone.tap(phone.key(4))
    assert phone.numbers("queens") == ["4", "0", "0", "0"]

    phone.tap(phone.page.locator(".change"))
    phone.choose({"contract": "heart-king"})
    tile = phone.tiles("heart_king")
    phone.tap(tile.nth(1))
    phone.tap(tile.nth(2))
    assert phone.numbers("heart_king") == ["0", "0", "1", "0"]
    phone.tap(tile.nth(2))
    assert phone.numbers("heart_king") == ["", "", "", ""]


def correct_a_number(phone):
    phone.tap(phone.page.locator(".change"))
    phone.enter(WHOLE_GAME[2])
    assert phone.numbers("men") == ["2", "1", "3", "2"]
    phone.tap(phone.tiles("men").nth(1))
    phone.tap(phone.key(0))
    assert phone.numbers("men") == ["2", "0", "3", "3"]


def type_on_a_keyboard(phone):
    page = phone.page
    phone.tap(page.locator(".change"))
    page.locator("[value=no-queens]").focus()
    page.keyboard.press("Space")
    # Suits out of sight are out of its reach.
    for _ in range(4):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.name") != "trump"
    phone.tap(page.locator(".change"))
    page.locator("[value=no-hearts]").focus()
    page.keyboard.press("Space")
    page.locator(".unit-hearts input").first.focus()
    for number in ("5", "3", "4"):
        page.keyboard.type(number)
        page.keyboard.press("Tab")
    assert phone.numbers("hearts") == ["5", "3", "4", "1"]
    page.keyboard.press("Enter")
    phone.wait_for(1)
    assert phone.sheet().game.totals == (-150, -90, -120, -30)


def turn_the_table(phone):
    phone.tap(phone.page.locator(".turn"))
    at_bottom = phone.page.locator(".seats .at-bottom .who")
    expect(at_bottom).to_contain_text("Burak")
    phone.page.reload()
    expect(at_bottom).to_contain_text("Burak")
    phone.enter(WHOLE_GAME[0])
    phone.save_and_wait()
    # The third tile is now Deniz.
    assert phone.sheet().game.totals == (-150, -90, -120, -350)


def test_offers_are_taken_back_step_by_step(new_phone):
    phone = new_phone(locale="tr-TR")
    phone.sit_down(ruleset="italian-king-pairs-choice")
    back = phone.page.locator(".change")
    picks = phone.page.locator(".pick:visible")
    for contract in ("no-men", "domino"):
        pick(phone, contract)
    expect(picks).to_have_count(2)
    phone.tap(phone.page.locator(".third"))
    expect(picks).to_have_count(8)
    phone.tap(back)
    pick(phone, "domino")
    expect(phone.page.locator(".picked")).to_have_count(1)
    phone.tap(back)
    expect(picks).to_have_count(2)
    phone.tap(back)
    expect(picks).to_have_count(10)
    pick(phone, "no-men")
    pick(phone, "no-men")
    expect(phone.page.locator(".offered")).to_have_count(0)

    phone.sit_down(ruleset="italian-king-pirandello")
    pick(phone, "no-men")
    phone.tap(phone.key(8))
    assert not phone.can_save()
    chips = phone.page.locator(".ask-partner .chip:visible")
    expect(chips).to_have_text(["Burak", "Cem", "Deniz"])
    phone.tap(chips.nth(1))
    phone.save_and_wait()
    assert phone.sheet().game.totals == (-8, 0, -8, 0)


def test_fixed_contracts_ask_for_hands_and_prices(new_phone):
    phone = new_phone(locale="tr-TR")
    entries = load("italian-king-whole")["entries"]
    phone.sit_down(*entries[:7], ruleset="italian-king")
    expect(phone.page.locator(".picked .name")).to_contain_text("8 · ")
    expect(phone.page.locator(".contract:visible")).to_have_count(1)
    # One hand has to be empty, and no more than one.
    for number in (3, 4, 2):
        phone.tap(phone.key(number))
    assert phone.numbers("cards_left") == ["3", "4", "2", "0"]
    assert phone.can_save()
    phone.tap(phone.tiles("cards_left").nth(1))
    phone.tap(phone.key(0))
    phone.tap(phone.key(0))
    expect(status(phone)).to_have_class(re.compile("wrong"))
    assert not phone.can_save()
    bottom = phone.page.locator(".unit-cards_left .at-bottom .who")
    phone.tap(phone.page.locator(".contracts .turn"))
    expect(bottom).to_have_text("Burak")

    options = {"sale": True, "blind_declaration": True}
    phone.sit_down(*entries[:8], ruleset="italian-king", options=options)
    for number in (6, 3, 2):
        phone.tap(phone.key(number))
    expect(phone.suits).to_have_count(5)
    phone.page.select_option("[name=sale_buyer]", "1")
    assert not phone.can_save()
    expect(phone.page.locator("[name=blind]")).to_be_disabled()
    phone.page.select_option("[name=sale_tricks]", "4")
    # Only the suit is missing: a tap on it saves.
    phone.save_and_wait({"trump": "hearts"})
    assert phone.stored()[8]["sale"] == {"buyer": 1, "tricks": 4}


def test_places_and_all_penalties_are_tapped_and_taken_back(new_phone):
    phone = new_phone(locale="tr-TR")
    phone.sit_down(ruleset="barbu")
    pick(phone, "domino")
    tiles = phone.tiles("places")
    for seat in (2, 0, 0):
        phone.tap(tiles.nth(seat))
    assert phone.numbers("places") == ["", "", "1", ""]
    for seat in (3, 1):
        phone.tap(tiles.nth(seat))
    assert phone.numbers("places") == ["4", "3", "1", "2"]
    phone.tap(phone.page.locator(".doubles summary"))
    phone.page.select_option("[name=double-0-2]", "redoubled")
    phone.save_and_wait()
    assert phone.sheet().game.totals == (-105, 5, 145, 20)

    phone.sit_down(ruleset="turkish-king-double")
    for number in (4, 3, 5, 5, 2, 6, 3, 1, 3, 1, 2, 0):
        phone.tap(phone.key(number))
    heart_king = phone.tiles("heart_king")
    phone.tap(heart_king.nth(3))
    for side in (1, 2):
        phone.tap(phone.tiles("last_two").nth(side))
    assert not phone.can_save()
    expect(phone.page.locator(".tile.wrong")).to_have_count(1)
    phone.tap(heart_king.nth(1))
    assert phone.can_save()
    phone.save_and_wait()
    assert phone.sheet().game.totals == (-630, -970, -790, -210)

    # One trick holds 4 hearts, 2 men and a queen only where it holds the king of hearts.
    phone.sit_down(ruleset="turkish-king-double")
    for number in (1, 6, 4, 4, 5, 3, 2, 3, 2, 1, 1, 1):
        phone.tap(phone.key(number))
    for unit, side in (("heart_king", 1), ("last_two", 1), ("last_two", 2)):
        phone.tap(phone.tiles(unit).nth(side))
    assert not phone.can_save()
    phone.tap(phone.tiles("heart_king").nth(0))
    assert phone.can_save()


def test_hands_of_euchre_offer_and_answer(new_phone):
    phone = new_phone(locale="tr-TR")
    phone.sit_down(ruleset="euchre-two", players=["Ayşe", "Burak"])
    for ticked in (1, 0, 1):
        tap_radio(phone, "trump", "hearts")
        expect(phone.page.locator("[name=trump]:checked")).to_have_count(ticked)

    phone.sit_down(ruleset="euchre")
    offered = phone.page.locator(".lone label:visible")
    expect(offered).to_have_count(0)
    tap_radio(phone, "maker", 1)
    expect(offered).to_have_text([ANYTHING, "Ayşe", "Cem"])
    tap_radio(phone, "defender_alone", 0)
    # Another maker, whose partner cannot defend.
    tap_radio(phone, "maker", 2)
    expect(offered).to_have_text([ANYTHING, "Burak", "Deniz"])
    expect(phone.page.locator("[name=defender_alone]:checked")).to_have_attribute("value", "")
    tap_radio(phone, "tricks", "5-alone")
    assert phone.faults() == {}

    messages_go_once_they_are_answered(phone)


def messages_go_once_they_are_answered(phone):
    phone.sit_down(ruleset="euchre")
    # Only a program of its own could send this: the page would not let it go.
    phone.save.evaluate("button => { button.disabled = false }")
    phone.tap(phone.save)
    beside = phone.page.locator(".errors")
    expect(beside).to_have_count(2)
    tap_radio(phone, "maker", 0)
    expect(beside).to_have_count(1)
    phone.page.reload()
    expect(phone.page.locator("[name=maker]:checked")).to_have_count(1)
    expect(beside).to_have_count(1)
    tap_radio(phone, "tricks", 3)
    expect(beside).to_have_count(0)


QUICK_TAPS = """name => {
  const tap = () => document.querySelector(`.save [value=${name}]`).click();
  const taps = [120, 500].map(after => new Promise(done => setTimeout(() => done(tap()), after)));
  tap();
  tap();
  return Promise.all(taps);
}"""


def test_second_tap_sends_and_undoes_nothing(new_phone):
    phone = new_phone(locale="tr-TR")
    phone.sit_down(ruleset="euchre")
    hand = {"maker": 0, "tricks": 3}
    for name, signal in (("deal", True), ("passed", False)):
        revision = phone.revision
        # Buttons rest for a second after a deal.
        expect(phone.page.locator(".save [value=passed]")).to_be_enabled()
        if not signal:
            phone.lose_signal()
        if name == "deal":
            tap_radio(phone, "maker", 0)
            tap_radio(phone, "tricks", 3)
        phone.page.evaluate(QUICK_TAPS, name)
        if signal:
            phone.wait_for(revision + 1)
        expect(phone.page.locator("[data-deal]")).to_have_text(str(revision + 2))
        assert len(phone.waiting()) == (0 if signal else 1)
        expect(phone.page.locator("#table :is(.errors, .refused)")).to_have_count(0)
        # The next hand can be saved a moment later.
        expect(phone.page.locator(".save [value=passed]")).to_be_enabled()
        expect(phone.save).to_be_disabled()
        phone.find_signal()
        phone.wait_for(revision + 1)
        expect(phone.page.locator("#table .waits")).to_have_count(0)
        write_hand(phone, hand)

    undo = phone.page.locator(".undo:not(.redo)")
    phone.undo()
    phone.wait_for(5)
    assert undo.is_disabled()
    undo.tap(force=True)
    expect(undo).to_be_enabled()
    assert len(phone.stored()) == 3


def test_forms_go_on_without_signal(new_phone):
    phone = new_phone(locale="tr-TR")
    entries = load("italian-king-whole")["entries"]
    phone.sit_down(*entries[:7], ruleset="italian-king")
    phone.lose_signal()
    turn = phone.page.locator(".declares-now")
    expect(turn).to_have_text("Deniz dağıtır")
    phone.count(entries[7])
    phone.tap(phone.save)
    expect(turn).to_have_text("Ayşe dağıtır, söyler")
    phone.find_signal()
    phone.wait_for(8)

    phone.sit_down(ruleset="italian-king")
    phone.lose_signal()
    for number, body in enumerate(entries[:2], 2):
        phone.count(body)
        phone.tap(phone.save)
        expect(phone.page.locator("[data-deal]")).to_have_text(str(number))
    expect(phone.page.locator(".declares-now strong")).to_have_text("Cem")
    expect(phone.page.locator(".unit-diamond_eight")).to_be_visible()
    expect(phone.page.locator(".seats .total").first).to_have_text("−9")
    phone.find_signal()
    phone.wait_for(2)
    assert phone.totals() == [-9, -4, -10, -5]

    entries = load("italian-king-pairs-choice-whole")["entries"]
    phone.sit_down(*entries[:10], ruleset="italian-king-pairs-choice")
    phone.lose_signal()
    for body in entries[10:12]:
        choose(phone, body)
        phone.count(body)
        phone.tap(phone.save)
    last = entries[12]
    assert phone.page.locator(f"[name=contract][value={last['contract']}]").is_checked()
    phone.find_signal()
    phone.wait_for(12)
    offered = [sorted(body["offered"]) for body in phone.stored()[10:]]
    assert offered == [sorted(body["offered"]) for body in entries[10:12]]

    phone.sit_down(ruleset="turkish-king-partners")
    phone.lose_signal()
    pick(phone, "no-men")
    tap_chip(phone, "named_by", 2)
    phone.tap(phone.key(5))
    phone.tap(phone.save)
    totals = {"bottom": "−300", "top": "−300", "left": "−180"}
    for at, total in totals.items():
        expect(phone.page.locator(f".seats .at-{at} .total")).to_have_text(total)
    pick(phone, "no-men")
    expect(phone.page.locator(".ask-named_by .chip")).to_have_text(["Burak", "Deniz"])
    phone.find_signal()
    phone.wait_for(1)
    assert phone.stored()[0]["declarer"] == 2


SHIFTS = """() => {
  window.shifts = [];
  const of = ({ node }) => (node?.outerHTML ?? node?.parentElement?.outerHTML ?? "").slice(0, 90);
  const note = e => window.shifts.push([e.value, ...e.sources.map(of)]);
  const seen = list => list.getEntries().filter(e => !e.hadRecentInput).forEach(note);
  new PerformanceObserver(seen).observe({ type: "layout-shift", buffered: true });
}"""
CUT = """() => [...document.querySelectorAll("#table :is(.who, .declares-now, .turns span)")]
  .filter(e => e.checkVisibility() && getComputedStyle(e).display != "inline")
  .filter(e => e.clientWidth > 1 && e.scrollWidth > e.clientWidth + 1).map(e => e.outerHTML)"""
PLACES = """() => {
  const of = e => Math.round(e.getBoundingClientRect()[e.matches(".keys") ? "bottom" : "top"]);
  return Object.fromEntries([".save", ".sheet-section", ".deal", ".pad:not(.one-tap) .keys"]
    .map(name => [name, document.querySelector("#table " + name)])
    .filter(([, e]) => e?.checkVisibility()).map(([name, e]) => [name, of(e)]));
}"""
TEN_LETTERS = ["Abdurrahim", "Gülnihal", "Muhammetay", "Zümrütay"]


def states_of(phone, ruleset):
    """Bring the form of a family into each of its states; yield their names."""
    page = phone.page
    yield "empty"
    if page.locator(".contracts:not(.fixed)").count():
        for contract in [
            each.get_attribute("value") for each in page.locator(".pick :enabled").all()
        ]:
            yield from choose_and_count(phone, contract, offers=ruleset.endswith("choice"))
    elif page.locator(".keys").count():
        for number in (1, 0, 2):
            if phone.key(number).is_enabled():
                phone.tap(phone.key(number))
            yield f"{number} typed"
    for radio in ("maker", "winner"):
        if page.locator(f"[name={radio}]").count():
            tap_radio(phone, radio, 1)
            yield radio


def choose_and_count(phone, contract, *, offers):
    page = phone.page
    if offers:
        other = "no-men" if contract != "no-men" else "no-queens"
        pick(phone, contract)
        pick(phone, other)
        yield f"{contract}, offered"
    pick(phone, contract)
    yield contract
    one_tap = page.locator(".unit[data-one-tap]:visible .tile")
    if one_tap.count():
        phone.tap(one_tap.first)
    elif phone.key(0).is_enabled():
        phone.tap(phone.key(page.locator(".keys button:visible").count() - 1))
    yield f"{contract}, all by one"
    while page.locator(".change").is_visible():
        phone.tap(page.locator(".change"))


DRAWN = {
    "turkish-king": {},
    "turkish-king-double": {},
    "turkish-king-partners": {},
    "italian-king": {"played": "italian-king-whole"},
    "italian-king-pairs-choice": {},
    "portuguese-king": {},
    "honeymoon-king": {"seats": 2},
    "barbu": {},
    "euchre": {},
    "bid-euchre": {},
    "krapet": {"seats": 2},
}
"""Rulesets of each family, with the game played so far or the number of seats."""

TALL = ("turkish-king", "euchre")
"""Those that are looked at on a tall phone, too: one with a pad, one with lists of choices."""


def test_nothing_jumps_is_covered_or_cut(new_phone):
    """Save, keys and sheet keep their places in every state, on a short phone above all."""
    phone = new_phone(locale="tr-TR", viewport={"width": 390, "height": 664})
    for ruleset in DRAWN:
        stays_in_place(phone, ruleset)
    phone.page.set_viewport_size({"width": 390, "height": 844})
    for ruleset in TALL:
        stays_in_place(phone, ruleset)
    # The longest line above the form, and its longest head.
    phone.sit_down(*WHOLE_GAME[:16], players=TEN_LETTERS)
    assert (phone.covered(), phone.page.evaluate(CUT)) == ([], [])


def stays_in_place(phone, ruleset):
    form = DRAWN[ruleset]
    entries = load(form["played"])["entries"][:8] if "played" in form else ()
    phone.sit_down(*entries, ruleset=ruleset, players=TEN_LETTERS[: form.get("seats", 4)])
    phone.page.evaluate(SHIFTS)
    places = {}
    for state in states_of(phone, ruleset):
        assert phone.covered() == [], (ruleset, state)
        assert phone.page.evaluate(CUT) == [], (ruleset, state)
        found = phone.page.evaluate(PLACES)
        moved = {name: top for name, top in found.items() if places.get(name, top) != top}
        assert moved == {}, (ruleset, state)
        places |= found
        running_totals_are_in_sight(phone)
    assert phone.page.evaluate("shifts") == [], ruleset


SMALL = [(360, 560, 16), (320, 568, 16), (844, 390, 16), (390, 844, 24), (360, 640, 24)]
"""Visible screens of phones, with the size of the text."""

OUT_OF_REACH = """() => [...document.querySelectorAll(
    "form.entry :is(.pick, .suit, .keys button, .save, .save button)")]
  .filter(e => e.checkVisibility({ visibilityProperty: true }))
  .filter(e => !e.closest(".chosen .contract:not(.picked)"))
  .filter(e => {
    const { x, y, width, height } = e.getBoundingClientRect();
    return !e.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  }).map(e => e.outerHTML.slice(0, 90))"""


@pytest.mark.parametrize(("width", "height", "text"), SMALL)
def test_small_screens_hold_all_that_is_tapped(new_phone, width, height, text):
    phone = new_phone(locale="tr-TR", viewport={"width": width, "height": height})
    enlarge = f"document.documentElement.style.fontSize = '{text}px'"
    phone.page.add_init_script(f"addEventListener('DOMContentLoaded', () => {{ {enlarge} }})")
    phone.sit_down(*WHOLE_GAME[:3])
    # With large text on a short screen the contracts are scrolled to, and no bar covers them.
    if (height, text) != (640, 24):
        assert phone.page.evaluate(OUT_OF_REACH) == []
    for contract, numbers in (("no-queens", (1, 3)), ("trump", (7, 2, 3))):
        pick(phone, contract)
        for number in numbers:
            assert phone.page.evaluate(OUT_OF_REACH) == []
            phone.tap(phone.key(number))
        assert phone.page.evaluate(OUT_OF_REACH) == []
        if contract == "no-queens":
            phone.tap(phone.page.locator(".change"))
    phone.save_and_wait({"trump": "hearts"})
    assert phone.sheet().game.totals[0] == 130
    # A contract that nobody had to choose leaves the last entry, to be undone, until one counts.
    phone.sit_down(*WHOLE_GAME[:17])
    assert phone.page.locator(".undo").is_visible()
    if text == 16:
        foot = phone.page.locator(".save").bounding_box()
        assert foot["y"] + foot["height"] == pytest.approx(height, abs=2)
    if (height, text) != (640, 24):
        assert phone.page.evaluate(OUT_OF_REACH) == []
    phone.tap(phone.key(5))
    assert phone.page.evaluate(OUT_OF_REACH) == []
    assert phone.page.locator(".undo").is_hidden()


@pytest.mark.parametrize(("width", "height"), [(320, 568), (360, 640)])
def test_small_screens_hold_the_contracts_of_every_game(new_phone, width, height):
    phone = new_phone(locale="it-IT", viewport={"width": width, "height": height})
    for ruleset in ("turkish-king", *OFFERED):
        deals = FAMILIES[ruleset][1][:1]
        phone.sit_down(*deals, ruleset=ruleset, players=NAMES)
        assert phone.covered() == [], ruleset
        assert phone.page.evaluate(OVER_THE_EDGE) == [], ruleset


def test_smallest_screen_begins_a_game_and_holds_the_trumps_of_euchre(new_phone):
    phone = new_phone(locale="tr-TR", viewport={"width": 320, "height": 568})
    phone.open("/new/")
    own, start = (phone.page.locator(each).bounding_box() for each in (".seat-0", ".actions"))
    assert own["y"] + own["height"] <= start["y"]
    phone.sit_down(ruleset="euchre")
    assert phone.page.evaluate(OUT_OF_REACH) == []


OVER_THE_EDGE = """() => [...document.querySelectorAll(".seats .tile .left span")]
  .filter(e => e.getBoundingClientRect().right > e.closest(".tile").getBoundingClientRect().right)
  .map(e => e.outerHTML)"""
OFFERED = ("turkish-king-partners", "turkish-king-blind", "italian-king-pairs-choice", "barbu")
"""Games in which more is chosen than a contract, or more is said of each player."""


def running_totals_are_in_sight(phone):
    """Every seat, or its side, has its total beside what is typed."""
    seated = phone.page.locator("form.entry :is(.tile, .tile-head):visible:has(.who)")
    totals = seated.locator(".total:visible").all_inner_texts()
    names = seated.locator("[class*=seat-]:visible").all()
    assert len({name.get_attribute("class") for name in names}) == len(phone.game.players)
    assert len(totals) in (2, len(phone.game.players))
    assert all(re.fullmatch("−?[0-9]+", total) for total in totals)


def test_head_follows_the_contract_and_the_buyer(new_phone):
    phone = new_phone(locale="it-IT")
    phone.sit_down(ruleset="italian-king-choice", options={"sale": True}, players=NAMES)
    roles = phone.page.locator(".deal [data-role]:visible")
    expect(roles).to_have_text(["dà, dichiara Ayşe", "taglia Deniz"])
    pick(phone, "no-men")
    expect(roles).to_have_text(["dà, dichiara Ayşe", "taglia Deniz", "apre Burak"])
    phone.tap(phone.page.locator(".change"))
    pick(phone, "declaration")
    expect(roles).to_have_text(["dà, dichiara Ayşe", "taglia, apre Deniz"])
    phone.page.select_option("[name=sale_buyer]", "2")
    expect(roles).to_have_text(["dà Ayşe", "taglia, apre Deniz", "compra Cem"])


def test_declarations_are_numbered_without_a_signal_too(new_phone):
    phone = new_phone(locale="it-IT")
    entries = load("italian-king-whole")["entries"]
    phone.sit_down(*entries[:8], ruleset="italian-king")
    phone.lose_signal()
    sign = phone.page.locator(".contract:has([value=declaration]) .symbol")
    expect(sign).to_have_text("I D")
    write_without_signal(phone, entries[8:9])
    expect(sign).to_have_text("II D")
    expect(phone.page.locator(".sheet tr.waits .symbol")).to_have_text(re.compile("^I D"))
    phone.find_signal()
    phone.wait_for(9)
    expect(phone.page.locator(".sheet tbody tr:nth-of-type(9) .symbol")).to_have_text(
        re.compile("^I D")
    )
