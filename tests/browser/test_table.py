"""Whole games on the phone, tap by tap, in Chromium."""

import gzip
import itertools
import re
from io import BytesIO

import pytest
from playwright.sync_api import expect
from pypdf import PdfReader

from tests.browser.phone import LOOKS, SIDEWAYS, game_with
from tests.deals import NAMES, WHOLE_GAME, deal
from tests.factories import record, record_all, reload
from tournaments import tasks
from tournaments.models import Report
from tournaments.web.phone import address

pytestmark = pytest.mark.browser

KING_IN_DEAL_6 = deal("trump", 0, 0, 13, 0, trump="hearts")
ALL_TO_BURAK = {
    "type": "deal",
    "contract": "all-penalties",
    "counts": {
        unit: [0, number, 0, 0]
        for unit, number in {
            "tricks": 13,
            "hearts": 13,
            "men": 8,
            "queens": 4,
            "heart_king": 1,
            "last_two": 2,
        }.items()
    },
}
MOST_TAPS, MOST_TAPS_OF_TRUMP, TAPS_OF_RIFKI = 110, 6, 3
MOST_BYTES = 60_000
SOON = 3000


# Playing.


def test_whole_game_of_the_rules_is_played_by_tapping(table_phone, live_server, tmp_path):
    phone = table_phone(locale="tr-TR")
    phone.start_table()
    phone.taps = 0

    taps = [phone.write_deal(body) for body in WHOLE_GAME]

    assert phone.totals() == [540, -110, -330, -100]
    assert phone.badges() == [
        ["flower", "Deniz", 6],
        ["dys", "Burak", 10],
        ["dys", "Cem", 15],
        ["ox-eye", "Ayşe", 16],
        ["flower", "Burak", 20],
        ["phone-plug", "Ayşe", 20],
    ]
    expect(phone.page.locator(".end h2")).to_have_text("Çıkan: Ayşe")
    assert sum(taps) <= MOST_TAPS
    contracts = [body["contract"] for body in WHOLE_GAME]
    of_rifki = {n for n, c in zip(taps, contracts, strict=True) if c == "heart-king"}
    assert of_rifki == {TAPS_OF_RIFKI}
    of_trump = [n for n, c in zip(taps, contracts, strict=True) if c == "trump"]
    assert max(of_trump) <= MOST_TAPS_OF_TRUMP

    text = scoresheet_of(phone)
    for total in ("540", "−110", "−330", "−100"):
        assert total in text


def scoresheet_of(phone):
    """The text of the PDF that the page offers, built by the worker's own task."""
    phone.page.locator(".end form button").tap()
    phone.page.wait_for_selector(".report")
    tasks.build_report(Report.objects.get().pk)
    link = phone.page.locator("a[download]")
    link.wait_for()
    pdf = phone.context.request.get(phone.base + link.get_attribute("href")).body()
    return "".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages)


def test_king_of_the_rules_ends_the_game_after_six_deals(table_phone):
    phone = table_phone()
    phone.start_table()
    for body in WHOLE_GAME[:5]:
        phone.write_deal(body)

    assert phone.write_deal(KING_IN_DEAL_6) == 5

    assert phone.totals() == [-220, -160, -150, -20]
    expect(phone.page.locator(".end h2")).to_have_text("King! Cem alone is out.")
    assert [badge for badge in phone.badges() if badge[2] == 6] == [
        ["king", "Cem", 6],
        ["outside-king", "Cem", 6],
        ["flower", "Ayşe", 6],
        ["flower", "Burak", 6],
        ["flower", "Deniz", 6],
        ["phone-plug", "Cem", 6],
    ]


def test_king_in_a_penalty_is_ticked_when_one_player_has_everything(at_table):
    phone = at_table()
    tick = phone.page.locator(".king-tick")
    phone.choose({"contract": "no-hearts"})
    expect(tick).to_be_hidden()
    phone.tap(phone.key(13))
    phone.tap(tick)
    phone.tap(phone.save)
    expect(phone.page.locator(".end h2")).to_have_text("King! Ayşe alone is out.")


def test_one_queen_each_is_played_again_with_one_tap(at_table):
    phone = at_table()
    phone.choose({"contract": "no-queens"})
    for _ in range(3):
        phone.tap(phone.key(1))
    expect(phone.save).to_be_hidden()
    phone.tap(phone.page.locator(".replay"))
    expect(phone.page.locator(".last .what")).to_contain_text("one queen each: played again")
    assert reload(phone.game).body(0)["reason"] == "one-each"


# The pad.


def test_pad_fills_in_the_last_player_and_says_what_is_left(at_table):
    phone = at_table()
    status = phone.page.locator(".pad [role=status]")
    phone.choose({"contract": "trump"})
    expect(status).to_have_text("13 left to give")
    phone.tap(phone.key(7))
    expect(phone.page.locator(".unit-tricks .tile").first.locator(".points")).to_have_text("350")
    phone.tap(phone.key(2))
    expect(status).to_have_text("4 left to give")
    assert not phone.can_save()
    expect(phone.key(5)).to_be_disabled()
    phone.tap(phone.key(3))
    assert phone.numbers("tricks") == ["7", "2", "3", "1"]
    expect(status).to_have_text("Complete")


def test_pad_fills_in_noughts_once_all_is_given(at_table):
    phone = at_table()
    phone.choose({"contract": "no-queens"})
    phone.tap(phone.key(4))
    assert phone.numbers("queens") == ["4", "0", "0", "0"]


def test_number_is_corrected_with_minus_and_the_last_player_follows(at_table):
    phone = at_table()
    phone.enter(WHOLE_GAME[3])
    phone.tap(phone.page.locator(".unit-tricks .tile").nth(1))
    phone.tap(phone.page.locator("[data-step='-1']"))
    assert phone.numbers("tricks") == ["2", "2", "1", "8"]


def test_tap_too_many_on_a_player_takes_it_back(at_table):
    phone = at_table()
    phone.choose({"contract": "heart-king"})
    tile = phone.page.locator(".unit-heart_king .tile")
    phone.tap(tile.nth(1))
    phone.tap(tile.nth(2))
    assert phone.numbers("heart_king") == ["0", "0", "1", "0"]
    phone.tap(tile.nth(2))
    assert phone.numbers("heart_king") == ["", "", "", ""]


def test_numbers_can_be_typed_on_a_keyboard(at_table):
    phone = at_table()
    page = phone.page
    page.locator("[value=no-men]").focus()
    page.keyboard.press("Space")
    page.locator(".unit-men input").first.focus()
    for number in ("2", "1", "3"):
        page.keyboard.type(number)
        page.keyboard.press("Tab")
    assert phone.numbers("men") == ["2", "1", "3", "2"]
    page.keyboard.press("Enter")
    page.wait_for_selector("#table[data-revision='1']")
    assert reload(phone.game).game.totals == (-120, -60, -180, -120)


def test_another_contract_can_be_chosen(at_table):
    phone = at_table()
    phone.choose({"contract": "no-men"})
    phone.tap(phone.page.locator(".change"))
    expect(phone.page.locator(".seats")).to_be_visible()
    phone.choose({"contract": "no-queens"})
    expect(phone.page.locator(".unit-queens")).to_be_visible()
    expect(phone.page.locator(".unit-men")).to_be_hidden()


def test_table_is_turned_to_whoever_holds_the_phone(at_table):
    phone = at_table()
    phone.tap(phone.page.locator(".turn"))
    at_bottom = phone.page.locator(".seats .at-bottom .who")
    expect(at_bottom).to_have_text("Burak")
    phone.page.reload()
    expect(at_bottom).to_have_text("Burak")
    phone.enter(WHOLE_GAME[0])
    phone.tap(phone.save)
    phone.page.wait_for_selector("#table[data-revision='1']")
    # The third tile is now Deniz.
    assert reload(phone.game).game.totals == (0, 0, 0, -320)


def test_nothing_jumps_and_the_thumb_stays_in_the_lower_half(at_table):
    phone = at_table(7)

    def top_of(selector):
        return phone.page.locator(selector).first.bounding_box()["y"]

    table = top_of(".seats")
    phone.choose({"contract": "no-tricks"})
    assert top_of(".unit-tricks .drawing") == table
    assert top_of(".keys") > 844 / 2
    box = phone.save.bounding_box()
    assert box["y"] + box["height"] <= 844
    save = top_of(".save button")
    phone.tap(phone.key(2))
    assert top_of(".save button") == save


# Refused.


def test_refused_deal_comes_back_with_its_problem(at_table):
    phone = at_table()
    phone.enter(WHOLE_GAME[1])
    # Only a program of its own could send this: the page would not let it go.
    phone.page.locator("[name=declarer]").evaluate("input => { input.value = 3 }")
    phone.tap(phone.save)
    expect(phone.page.locator(".errors")).to_have_text("It is Ayşe’s turn to declare, not Deniz’s.")
    assert phone.numbers("queens") == ["1", "0", "2", "1"]
    assert phone.waiting() == []


def test_deal_written_by_another_phone_meanwhile_is_shown_and_this_one_kept(at_table):
    phone = at_table()
    phone.enter(WHOLE_GAME[1])
    record(phone.game, WHOLE_GAME[0])
    phone.tap(phone.save)
    expect(phone.page.locator(".problem")).to_contain_text("Someone else has written meanwhile.")
    expect(phone.page.locator("[data-declarer]")).to_have_text("Burak")
    assert phone.numbers("queens") == ["1", "0", "2", "1"]
    expect(phone.save).to_have_text("Write it as deal 2")
    phone.tap(phone.save)
    phone.page.wait_for_selector("#table[data-revision='2']")
    assert reload(phone.game).game.totals == (-100, 0, -520, -100)


def test_undo_of_a_stale_page_swaps_in_the_sheet_as_it_is(at_table):
    phone = at_table(1)
    record(phone.game, WHOLE_GAME[1])
    phone.tap(phone.page.locator(".undo"))
    expect(phone.page.locator(".problem")).to_contain_text("Someone else has written meanwhile.")
    expect(phone.page.locator("#table")).to_have_attribute("data-revision", "2")
    phone.tap(phone.page.locator(".undo"))
    phone.page.wait_for_selector("#table[data-revision='3']")
    assert reload(phone.game).positions == (0,)


# Following.


def test_follower_sees_a_new_deal_within_three_seconds(at_table, table_phone):
    phone, other = at_table(), table_phone()
    other.open(address(phone.game, "follow"))
    answers = []
    other.page.on(
        "response", lambda answer: "/follow/" in answer.url and answers.append(answer.status)
    )
    other.page.wait_for_timeout(2500)
    assert set(answers) == {304}
    phone.write_deal(WHOLE_GAME[0])
    expect(other.page.locator(".last .what")).to_contain_text("Rıfkı", timeout=SOON)
    assert other.totals() == [0, 0, -320, 0]


def test_follower_is_told_when_there_is_no_signal(table_phone):
    phone = table_phone()
    phone.open(address(game_with(1), "follow"))
    phone.lose_signal()
    signal = phone.page.locator("#signal")
    expect(signal).to_be_visible()
    phone.find_signal()
    expect(signal).to_be_hidden()


# Without scripts.


def test_deals_are_written_without_scripts(table_phone):
    phone = table_phone(java_script_enabled=False)
    game = game_with()
    phone.open(address(game, "write"))
    page = phone.page
    page.locator("[value=no-queens]").check()
    expect(page.locator(".unit-men")).to_be_hidden()
    page.fill("[name=count-queens-0]", "1")
    page.fill("[name=count-queens-2]", "2")
    phone.tap(phone.save)
    expect(page.locator(".errors")).to_have_text("Queens: must be 4 in all, 3 written.")
    assert phone.numbers("queens") == ["1", "", "2", ""]
    page.fill("[name=count-queens-3]", "1")
    phone.tap(phone.save)
    page.wait_for_selector("#table[data-revision='1']")
    assert reload(game).game.totals == (-100, 0, -200, -100)
    phone.tap(page.locator(".undo"))
    page.wait_for_selector("#table[data-revision='2']")
    assert reload(game).positions == ()
    assert page.url.endswith(address(game, "write"))


# Correcting.


def test_earlier_deal_is_corrected_with_the_pad(at_table):
    phone = at_table(3)
    phone.tap(phone.page.locator(".sheet tbody a").nth(1))
    phone.tap(phone.page.locator(".unit-queens .tile").nth(2))
    phone.tap(phone.key(1))
    phone.tap(phone.page.locator(".unit-queens .tile").nth(0))
    phone.tap(phone.key(2))
    phone.page.fill("[name=why]", "Cem took one")
    phone.tap(phone.page.locator("button[value=correct]"))
    expect(phone.page.locator(".corrected")).to_have_count(1)
    assert phone.totals() == [-320, -60, -600, -220]


def test_names_and_first_declarer_are_corrected(at_table):
    phone = at_table(3)
    phone.tap(phone.page.locator(".doors a").first)
    phone.page.fill("[name=name0]", "Aylin")
    phone.tap(phone.page.locator(".seat-line .tick").nth(2))
    phone.tap(phone.page.locator(".actions button"))
    expect(phone.page.locator("[data-declarer]")).to_have_text("Burak")
    expect(phone.page.locator(".sheet thead")).to_contain_text("Aylin")


# How it is made.


def pages(phone):
    """Every state of the table's pages in turn, with its name."""
    phone.open(address(game_with(), "write"))
    yield "empty table"
    game = game_with(16)
    record(game, {"type": "adjustment", "seat": 2, "points": -100, "reason": "revoke"})
    record(game, {"type": "redeal", "by": 1, "reason": "misdeal"})
    phone.open(address(game, "write"))
    for summary in phone.page.locator("summary").all():
        summary.tap()
    yield "must trump"
    phone.choose({"contract": "trump", "trump": "hearts"})
    phone.tap(phone.key(7))
    yield "trump, numbers"
    phone.open(
        address(game_with(ruleset="turkish-king-bloody", options={"king": "declared"}), "write")
    )
    yield "bloody"
    phone.choose({"contract": "heart-king"})
    phone.tap(phone.page.locator(".unit-heart_king .tile").first)
    yield "one tap, complete"
    phone.page.locator("[name=declarer]").evaluate("input => { input.value = 3 }")
    phone.tap(phone.save)
    phone.page.wait_for_selector(".errors")
    yield "refused"
    phone.lose_signal()
    phone.tap(phone.save)
    phone.page.wait_for_selector(".marks.waits")
    yield "waiting"
    phone.find_signal()
    finished = game_with(20)
    phone.open(address(finished, "write"))
    yield "finished"
    phone.open(f"{address(game, 'write')}entries/2/")
    yield "entry"
    phone.open(f"{address(game, 'write')}entries/16/")
    yield "entry, adjustment"
    phone.open(f"{address(game, 'write')}names/")
    yield "names"
    phone.open(f"{address(game, 'write')}log/")
    yield "history"
    for followed in (game, finished):
        phone.open(address(followed, "follow"))
        yield "follow"


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_every_page_is_accessible_tappable_and_its_own(table_phone, language, scheme):
    phone = table_phone(locale=language, color_scheme=scheme, reduced_motion="reduce")
    for name in pages(phone):
        assert (name, phone.faults()) == (name, {})


LONG_NAMES = ("Muhammed Abdurrahman Karaosman", "Şevval İlkay Çağıltepe-Öztürk", "Ali", "Deniz Su")


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_long_names_fit_on_screens_of_any_width(table_phone, width):
    phone = table_phone(locale="it", viewport={"width": width, "height": 800})
    game = game_with(17, players=LONG_NAMES, options={"king": "declared"})
    phone.open(address(game, "follow"))
    assert phone.faults() == {}
    phone.open(address(game, "write"))
    phone.choose({"contract": "trump", "trump": "hearts"})
    phone.tap(phone.key(7))
    assert phone.faults() == {}


CUT_OFF = """
[...document.querySelectorAll(".seats .who, .seats .total, .deal .turns > span")]
  .filter(e => e.scrollHeight > e.clientHeight + 1 && e.matches(".who")
    || e.scrollWidth > e.clientWidth && e.matches(".turns > span"))
  .map(e => e.outerHTML)
"""
OVERLAPS = """
[...document.querySelectorAll(".seats .tile")].filter(tile => {
  const boxes = [...tile.children].map(e => e.getBoundingClientRect());
  const edge = tile.getBoundingClientRect();
  return boxes.some((box, n) => box.bottom > edge.bottom + 1)
    || boxes.slice(1).some((box, n) => box.top < boxes[n].bottom - 1);
}).map(tile => tile.textContent)
"""


def test_names_with_dotted_capitals_are_not_cut_off(at_table):
    phone = at_table(3, locale="tr", players=("İİ", "ŞÇĞ", "Jale", "Övgü"))
    assert phone.page.evaluate(CUT_OFF) == []
    room = "(e, s = getComputedStyle(e)) => parseFloat(s.lineHeight) / parseFloat(s.fontSize)"
    assert phone.page.locator(".seats .who").first.evaluate(f"e => ({room})(e)") >= 1.3


def test_dealer_and_cutter_are_named_in_full_where_there_is_room(at_table):
    phone = at_table(3, locale="it", players=("İlker", "Şükrü", "Çiğdem", "Nazlı"))
    assert phone.page.evaluate(CUT_OFF) == []


def test_text_twice_as_large_neither_overlaps_nor_leaves_the_page(at_table):
    phone = at_table(3)
    phone.page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert phone.page.evaluate(OVERLAPS) == []
    assert phone.page.evaluate(SIDEWAYS) is False
    phone.choose(WHOLE_GAME[3])
    phone.tap(phone.key(7))
    assert phone.page.evaluate(SIDEWAYS) is False


def test_points_of_an_adjustment_stand_in_their_column(at_table):
    phone = at_table(1)
    record(phone.game, {"type": "adjustment", "seat": 2, "points": -100, "reason": "revoke"})
    phone.page.reload()
    row = phone.page.locator(".sheet tbody tr").last
    took, total = (row.locator(f".score:nth-child(4) {part}") for part in (".took .soft", "b"))
    right = "e => Math.round(e.getBoundingClientRect().right)"
    assert took.evaluate(right) == total.evaluate(right)
    assert row.bounding_box()["height"] < 50


def test_declarer_and_king_are_marked_without_a_line_of_their_own(at_table):
    players = at_table(0)
    record_all(
        players.game, (deal("heart-king", 0, 0, 1, 0), deal("no-men", 8, 0, 0, 0), KING_IN_DEAL_6)
    )
    players.page.reload()
    lines = "e => Math.round(e.offsetHeight / parseFloat(getComputedStyle(e).lineHeight))"
    assert players.page.locator(".score b").evaluate_all(f"all => all.map({lines})") == [1] * 12


WITH_A_CROWN = """cell => {
  const box = cell.getBoundingClientRect();
  const found = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (found.nextNode()) {
    if (found.currentNode.data.includes("♚")) range.selectNode(found.currentNode);
  }
  const crown = range.getBoundingClientRect();
  return crown.width > 0 && crown.left >= box.left && crown.right <= box.right
    && cell.scrollWidth <= cell.clientWidth;
}"""


@pytest.mark.parametrize(
    ("ruleset", "king"),
    [
        ("turkish-king", deal("no-tricks", 0, 13, 0, 0)),
        ("turkish-king-double", ALL_TO_BURAK),
        ("turkish-king-partners", deal("trump", 0, 13, trump="spades", declarer=0)),
        ("honeymoon-king", deal("trump", 0, 13, trump="spades")),
    ],
)
def test_crown_stands_with_the_numbers_of_whoever_made_king(at_table, ruleset, king):
    seats = 2 if ruleset == "honeymoon-king" else 4
    phone = at_table(ruleset=ruleset, players=NAMES[:seats])
    record_all(phone.game, (king,))
    for kind, width in itertools.product(("write", "follow"), (320, 390)):
        phone.page.set_viewport_size({"width": width, "height": 844})
        phone.open(address(phone.game, kind))
        burak = phone.page.locator(".sheet tbody .score").nth(1)
        assert burak.evaluate(WITH_A_CROWN)


def test_first_load_of_the_table_page_is_small(table_phone):
    phone = table_phone()
    game = game_with(20)
    loaded = {}
    phone.page.on("response", lambda answer: loaded.update({answer.url: answer}))
    phone.open(address(game, "write"))
    phone.page.wait_for_load_state("networkidle")
    # As the server compresses it; Chromium hands the bodies out unpacked.
    sizes = {
        re.sub(r".*/", "", url): len(gzip.compress(answer.body()))
        for url, answer in loaded.items()
        if not url.endswith("/sw.js")
    }
    assert len(sizes) >= 5
    assert sum(sizes.values()) <= MOST_BYTES, sizes
