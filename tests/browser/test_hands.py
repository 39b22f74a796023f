"""Whole games of Euchre and Krapet on the phone, tap by tap, in Turkish."""

import re

import pytest
from playwright.sync_api import expect

from tests.deals import NAMES
from tests.factories import GameFactory, HeadFactory, reload
from tournaments.web.phone import address

pytestmark = pytest.mark.browser

MOST_TAPS = 5
ANYTHING = re.compile(".+")

# First to 10: euchred, marched, alone, a lone defender, everyone passed, and a lone march.
EUCHRE = (
    {"maker": 0, "tricks": 4},
    {"maker": 1, "tricks": 5, "alone": True, "trump": "hearts"},
    {"maker": 0, "tricks": 2, "defender_alone": 3},
    {"passed": True},
    {"maker": 3, "tricks": 1, "alone": True, "defender_alone": 2, "trump": "clubs"},
    {"maker": 2, "tricks": 5},
    {"maker": 2, "tricks": 3, "trump": "spades"},
    {"maker": 0, "tricks": 5, "alone": True},
)
EUCHRE_TOTALS = ((1, 0), (1, 4), (1, 6), None, (3, 6), (5, 6), (6, 6), (10, 6))


@pytest.fixture
def at_hands(table_phone):
    """A phone in Turkish that writes at a table of a game whose hands nobody names."""

    def open_table(ruleset, seats, **options):
        phone = table_phone(locale="tr-TR")
        head = HeadFactory(ruleset=ruleset, players=NAMES[:seats], options=options)
        phone.game = reload(GameFactory(head=head)).row
        phone.open(address(phone.game, "write"))
        return phone

    return open_table


def tap_radio(phone, name, value):
    phone.tap(phone.page.locator(f"label:has([name={name}][value='{value}'])"))


def write_hand(phone, hand):
    """Write down one hand of Euchre; the taps it took."""
    before, revision = phone.taps, phone.revision
    if hand.get("passed"):
        phone.tap(phone.page.locator(".save [value=passed]"))
    else:
        tap_radio(phone, "maker", hand["maker"])
        tap_radio(phone, "tricks", f"{hand['tricks']}{'-alone' * hand.get('alone', False)}")
        for name in ("defender_alone", "trump"):
            if name in hand:
                tap_radio(phone, name, hand[name])
        phone.tap(phone.save)
    phone.page.wait_for_selector(f"#table[data-revision='{revision + 1}']")
    return phone.taps - before


def pair_scores(phone):
    return tuple(int(text) for text in phone.page.locator(".pairs .total").all_inner_texts())


def totals_of(phone):
    """The totals in the last line of the sheet that has points."""
    cells = phone.page.locator(".sheet tbody tr:has(.score)").last.locator(".score b")
    return [int(text) for text in cells.all_inner_texts()]


def test_whole_game_of_euchre_is_written_in_five_taps_a_deal(at_hands):
    phone = at_hands("euchre", 4)

    for hand, totals in zip(EUCHRE[:-1], EUCHRE_TOTALS[:-1], strict=True):
        assert write_hand(phone, hand) <= MOST_TAPS
        assert totals in (None, pair_scores(phone))
    assert write_hand(phone, EUCHRE[-1]) <= MOST_TAPS

    assert totals_of(phone) == [10, 6]
    expect(phone.page.locator(".end h2")).to_contain_text("Ayşe + Cem")
    stored = list(map(reload(phone.game).body, reload(phone.game).positions))
    assert stored == [
        {"type": "passed"} if "passed" in hand else {"type": "deal", **hand} for hand in EUCHRE
    ]


def test_euchre_form_has_nothing_that_keeps_people_out(at_hands):
    phone = at_hands("euchre", 4)
    assert phone.faults() == {}
    tap_radio(phone, "maker", 1)
    tap_radio(phone, "tricks", "5-alone")
    assert phone.faults() == {}


def test_lone_defender_is_offered_from_the_other_side_only(at_hands):
    phone = at_hands("euchre", 4)
    offered = phone.page.locator(".lone label:visible")
    expect(offered).to_have_count(0)
    tap_radio(phone, "maker", 1)
    expect(offered).to_have_text([ANYTHING, "Ayşe", "Cem"])
    tap_radio(phone, "defender_alone", 0)
    # Another maker: whoever is a partner now defends no more.
    tap_radio(phone, "maker", 2)
    expect(offered).to_have_text([ANYTHING, "Burak", "Deniz"])
    expect(phone.page.locator("[name=defender_alone]:checked")).to_have_attribute("value", "")


def test_suit_tapped_again_is_none(at_hands):
    phone = at_hands("euchre-two", 2)
    for ticked in (1, 0, 1):
        tap_radio(phone, "trump", "hearts")
        expect(phone.page.locator("[name=trump]:checked")).to_have_count(ticked)


QUICK_TAPS = """name => {
  const tap = () => document.querySelector(`.save [value=${name}]`).click();
  const taps = [120, 500].map(after => new Promise(done => setTimeout(() => done(tap()), after)));
  tap();
  tap();
  return Promise.all(taps);
}"""


@pytest.mark.parametrize("signal", [True, False])
@pytest.mark.parametrize("name", ["deal", "passed"])
def test_second_tap_does_not_send_the_next_hand(at_hands, name, signal):
    phone = at_hands("euchre", 4)
    if not signal:
        phone.lose_signal()
    if name == "deal":
        tap_radio(phone, "maker", 0)
        tap_radio(phone, "tricks", 3)
    phone.page.evaluate(QUICK_TAPS, name)
    if signal:
        phone.page.wait_for_selector("#table[data-revision='1']")
    expect(phone.page.locator("[data-deal]")).to_have_text("2")
    assert len(phone.waiting()) == (0 if signal else 1)
    expect(phone.page.locator("#table :is(.errors, .refused)")).to_have_count(0)
    # The next hand can be saved a moment later.
    expect(phone.page.locator(".save [value=passed]")).to_be_enabled()
    expect(phone.save).to_be_disabled()
    tap_radio(phone, "maker", 1)
    tap_radio(phone, "tricks", 3)
    phone.tap(phone.save)
    phone.find_signal()
    phone.page.wait_for_selector("#table[data-revision='2']")
    expect(phone.page.locator("#table .waits")).to_have_count(0)


def test_message_goes_once_it_is_answered(at_hands):
    phone = at_hands("euchre", 4)
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


def test_hand_waits_for_signal_and_is_sent_later(at_hands):
    phone = at_hands("euchre-three", 3)
    phone.lose_signal()
    for maker in (1, 2):
        tap_radio(phone, "maker", maker)
        tap_radio(phone, "tricks", 3)
        phone.tap(phone.save)
        expect(phone.page.locator("[name=maker]:checked")).to_have_count(0)
    first, second = phone.waiting()
    assert "Burak, 3" in first
    assert "Cem, 3" in second
    phone.find_signal()
    phone.page.wait_for_selector("#table[data-revision='2']")
    assert reload(phone.game).game.totals == (0, 1, 1)


def test_hand_is_corrected_on_the_phone(at_hands):
    phone = at_hands("euchre", 4)
    write_hand(phone, EUCHRE[1])
    phone.page.locator(".sheet tbody a").first.tap()
    expect(phone.page.locator("[name=tricks]:checked")).to_have_attribute("value", "5-alone")
    tap_radio(phone, "tricks", 5)
    phone.page.locator("[value=correct]").tap()
    phone.page.wait_for_url(re.compile("/play/[^/]+/[^/]+/$"))
    assert pair_scores(phone) == (0, 2)


# Krapet.


def test_whole_match_of_krapet_is_written(at_hands):
    phone = at_hands("krapet", 2, target=2)
    starters = []
    for winner in (0, "none", 1, 0):
        starters.append(phone.page.locator(".declares-now strong").inner_text())
        revision = phone.revision
        tap_radio(phone, "winner", winner)
        phone.tap(phone.save)
        phone.page.wait_for_selector(f"#table[data-revision='{revision + 1}']")

    assert starters == ["Ayşe", "Burak", "Ayşe", "Burak"]
    assert totals_of(phone) == [2, 1]
    expect(phone.page.locator(".end h2")).to_contain_text("Ayşe")
    assert phone.taps == 8


def test_game_of_krapet_by_points_is_written_to_its_target(at_hands):
    phone = at_hands("krapet", 2, scoring="points", target=100)
    lost = {"reserve-1": 4, "stock-1": 9, "waste-1": 6}
    locked = {
        "reserve-0": 1,
        "stock-0": 8,
        "waste-0": 0,
        "reserve-1": 5,
        "stock-1": 5,
        "waste-1": 5,
    }
    for winner, left in ((0, lost), ("none", locked), (0, lost)):
        revision = phone.revision
        tap_radio(phone, "winner", winner)
        for field, number in left.items():
            phone.page.fill(f"[name=left-{field}]", str(number))
        phone.tap(phone.save)
        phone.page.wait_for_selector(f"#table[data-revision='{revision + 1}']")
    # 53, then 10 against 20 with nobody out, then 53 once more.
    assert totals_of(phone) == [116, 0]
    expect(phone.page.locator(".end h2")).to_contain_text("Ayşe")


def test_cards_left_are_those_of_the_loser(at_hands):
    phone = at_hands("krapet", 2, scoring="points")
    fields = phone.page.locator(".left-of input:visible")
    tap_radio(phone, "winner", 0)
    expect(fields).to_have_count(3)
    for pile, number in {"reserve": 4, "stock": 9, "waste": 6}.items():
        phone.page.fill(f"[name=left-{pile}-1]", str(number))
    phone.page.locator(".fold summary").tap()
    phone.page.fill("[name=calls-0]", "2")
    assert phone.faults() == {}
    phone.tap(phone.save)
    phone.page.wait_for_selector("#table[data-revision='1']")
    assert totals_of(phone) == [53, 0]
    tap_radio(phone, "winner", "none")
    expect(fields).to_have_count(6)
    body = reload(phone.game).body(0)
    assert (body["left"]["reserve"], body["calls"]) == ([0, 4], [2, 0])
