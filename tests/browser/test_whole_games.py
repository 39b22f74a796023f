"""Whole games on the phone, tap by tap, to their ends."""

from hashlib import sha256

import pytest
from playwright.sync_api import expect

from tests.browser.playing import tap_radio, write_hand, write_record
from tests.deals import NAMES, WHOLE_GAME, deal
from tests.sample_games import load, load_result
from tournaments.web.base.phone import address

pytestmark = pytest.mark.browser

KING_IN_DEAL_6 = deal("trump", 0, 0, 13, 0, trump="hearts")
MOST_TAPS_OF_ITALIAN_KING, MOST_TAPS_OF_A_HAND, TAPS_OF_KRAPET = 70, 5, 8

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


def test_king_ends_a_game(new_phone):
    phone = new_phone()
    headline = phone.page.locator(".end h2")
    phone.sit_down(*WHOLE_GAME[:5])
    # One of them says that this is a King, and that it ends the game.
    assert phone.write_deal(KING_IN_DEAL_6) == 6
    assert phone.totals() == [-220, -160, -150, -20]
    expect(headline).to_have_text("King! Cem alone is out.")
    assert [badge for badge in phone.badges() if badge[2] == 6] == [
        ["king", "Cem", 6],
        ["outside-king", "Cem", 6],
        ["flower", "Ayşe", 6],
        ["flower", "Burak", 6],
        ["flower", "Deniz", 6],
        ["phone-plug", "Cem", 6],
    ]

    phone.sit_down()
    tick = phone.page.locator(".king-tick")
    phone.choose({"contract": "no-hearts"})
    expect(tick).to_be_hidden()
    phone.tap(phone.key(13))
    phone.tap(tick)
    phone.tap(phone.save)
    phone.go_on()
    expect(headline).to_have_text("King! Ayşe alone is out.")


def test_games_of_italian_king_are_played_by_tapping(new_phone):
    phone = new_phone(locale="tr-TR")
    phone.sit_down(ruleset="italian-king")
    write_record(phone, load("italian-king-whole")["entries"])
    assert phone.totals() == [13, -7, 3, -9]
    expect(phone.page.locator(".end h2")).to_contain_text("Ayşe")
    assert phone.taps <= MOST_TAPS_OF_ITALIAN_KING

    entries = load("italian-king-pairs-choice-whole")["entries"]
    assert any(body.get("third") for body in entries[7:])
    phone.sit_down(*entries[:7], ruleset="italian-king-pairs-choice")
    write_record(phone, entries[7:11])
    # Of the last two offers nothing is left to choose but which is taken.
    says, back = phone.page.locator(".offer-says"), phone.page.locator(".change")
    expect(says).to_have_text(says.get_attribute("data-take-of-two"))
    expect(phone.page.locator(".third")).to_be_hidden()
    expect(back).to_be_hidden()
    write_record(phone, entries[11:12])
    expect(phone.page.locator(".picked")).to_have_count(1)
    expect(back).to_be_hidden()
    write_record(phone, entries[12:])
    assert phone.totals() == load_result("italian-king-pairs-choice-whole")["totals"]


# Twice is what the game holds of each penalty.
SEALED = (
    deal("no-men", 2, 3, 1, 2),
    deal("no-queens", 1, 2, 1, 0),
    deal("no-men", 0, 0, 8, 0),
    deal("trump", 6, 4, 1, 2),
)


def test_sealed_contracts_are_sealed_revealed_and_counted(new_phone):
    phone, follower = new_phone(locale="tr-TR"), new_phone(locale="tr-TR")
    phone.sit_down(SEALED[0], ruleset="turkish-king-sealed")
    follower.open(address(phone.game, "follow"))
    sheet = follower.page.locator(".sheet tbody")
    assert phone.faults() == {}
    refuse_seal_without_signal(phone, "no-men")

    published = seal(phone, "no-men")
    expect(phone.page.locator(".seal")).to_contain_text(published[:8])
    expect(sheet).to_contain_text("✉")
    assert "Erkek" not in sheet.locator("tr").last.inner_text()
    # Not a word of it is left on the phone, not even where it cannot be seen.
    assert 'value="no-men"' not in phone.page.content()
    phone.page.locator(".seal summary").tap()
    assert phone.faults() == {}
    reveal(phone)
    phone.page.locator(".proof summary").tap()
    assert phone.faults() == {}
    phone.count(SEALED[2])
    phone.save_and_wait()
    expect(sheet).not_to_contain_text("✉")
    stored = phone.stored()[-1]
    assert stored["contract"] == "no-men"
    assert sha256(f"no-men:{stored['salt']}".encode()).hexdigest() == published

    # Twice is the most: this one is played again, by the same declarer.
    declarer = phone.page.locator(".declares-now strong")
    notice = phone.page.locator(".naming .notice")
    expect(declarer).to_have_text("Cem")
    published = seal(phone, "no-men")
    reveal(phone)
    expect(notice).to_contain_text("Erkek almaz")
    notice.locator("summary").tap()
    expect(notice).to_contain_text(published)
    expect(notice).to_contain_text(phone.stored()[-1]["salt"])
    assert phone.faults() == {}
    expect(declarer).to_have_text("Cem")
    seal(phone, "no-queens")
    reveal(phone)
    phone.count(SEALED[1])
    phone.save_and_wait()
    assert [body["type"] for body in phone.stored()] == ["deal", "deal", "void", "deal"]


def choose_in_secret(phone, contract):
    phone.tap(phone.page.locator(".hand-to summary"))
    phone.choose({"contract": contract})
    phone.tap(phone.page.locator(".hand-to .save button"))


def seal(phone, contract):
    revision = phone.revision + 1
    choose_in_secret(phone, contract)
    phone.wait_for(revision)
    return phone.stored()[-1]["sealed"]


def refuse_seal_without_signal(phone, contract):
    """A seal is not kept on the phone: the page says at once that it cannot wait."""
    strip = phone.page.locator("#outbox")
    phone.lose_signal()
    choose_in_secret(phone, contract)
    expect(strip).to_be_visible()
    assert contract not in phone.page.evaluate("JSON.stringify({...localStorage})")
    phone.find_signal()
    phone.page.reload()


def reveal(phone):
    revision = phone.revision + 1
    phone.tap(phone.page.locator(".sealed .save button"))
    expect(phone.page.locator("#ask-says")).to_contain_text("herkes")
    phone.go_on()
    phone.wait_for(revision)


def test_blind_deals_are_named_and_then_counted(new_phone):
    phone = new_phone(locale="tr-TR")
    phone.sit_down(ruleset="turkish-king-blind")
    assert phone.faults() == {}
    phone.tap(phone.page.locator(".suit-hearts:has(input)"))
    phone.save_and_wait()
    expect(phone.page.locator(".contracts .pick:visible")).to_have_count(1)
    expect(phone.page.locator(".contracts .change")).to_be_hidden()
    assert phone.faults() == {}
    phone.count(SEALED[3])
    phone.save_and_wait()
    assert phone.stored() == [{**SEALED[3], "trump": "hearts"}]
    assert phone.totals() == [300, 200, 50, 100]

    # A penalty takes the suit back that was tapped before it.
    phone.tap(phone.page.locator(".suit-clubs:has(input)"))
    phone.choose({"contract": "no-queens"})
    phone.save_and_wait()
    assert phone.stored()[1] == {"type": "deal", "contract": "no-queens"}
    while not phone.page.locator(".replay").is_visible():
        phone.tap(phone.key(1))
    phone.tap(phone.page.locator(".replay"))
    phone.wait_for(4)
    assert phone.stored()[1]["reason"] == "one-each"


def test_game_of_euchre_is_played_in_five_taps_a_hand(new_phone):
    phone = new_phone(locale="tr-TR")
    phone.sit_down(ruleset="euchre")
    assert phone.faults() == {}
    for hand, totals in zip(EUCHRE[:-1], EUCHRE_TOTALS[:-1], strict=True):
        assert write_hand(phone, hand) <= MOST_TAPS_OF_A_HAND
        assert totals in (None, pair_scores(phone))
    assert write_hand(phone, EUCHRE[-1]) <= MOST_TAPS_OF_A_HAND

    assert phone.totals() == [10, 6]
    expect(phone.page.locator(".end h2")).to_contain_text("Ayşe + Cem")
    assert phone.stored() == [
        {"type": "passed"} if "passed" in hand else {"type": "deal", **hand} for hand in EUCHRE
    ]
    phone.page.locator(".sheet tbody a").nth(1).tap()
    expect(phone.page.locator("[name=tricks]:checked")).to_have_attribute("value", "5-alone")
    tap_radio(phone, "tricks", 5)
    phone.tap_and_go("[value=correct]", "/play/[^/]+/[^/]+/#corrected$")
    assert phone.totals() == [10, 4]


def pair_scores(phone):
    """The score of each pair, which stands at both of its players."""
    of = {}
    for tile in phone.page.locator(".makers .tile").all():
        side = tile.locator("input").get_attribute("class")
        of.setdefault(side, set()).add(int(tile.locator(".total").inner_text()))
    return tuple(of[f"side-{side}"].pop() for side in range(len(of)))


def test_krapet_is_played_with_one_tap_for_the_winner(new_phone):
    phone = new_phone()
    phone.sit_down(ruleset="krapet", players=NAMES[:2], options={"target": 2})
    phone.taps, starters = 0, []
    for winner in (0, "none", 1, 0):
        starters.append(phone.page.locator(".declares-now strong").inner_text())
        tap_radio(phone, "winner", winner)
        phone.save_and_wait()
    assert starters == ["Ayşe", "Burak", "Ayşe", "Burak"]
    assert phone.totals() == [2, 1]
    expect(phone.page.locator(".end h2")).to_contain_text("Ayşe")
    assert phone.taps == TAPS_OF_KRAPET


def test_krapet_by_points_counts_the_cards_of_the_loser(new_phone):
    phone = new_phone(locale="tr-TR")
    options = {"scoring": "points", "target": 100}
    phone.sit_down(ruleset="krapet", players=NAMES[:2], options=options)
    fields = phone.page.locator(".left-of input:visible")
    tap_radio(phone, "winner", 0)
    expect(fields).to_have_count(3)
    for pile, number in {"reserve": 4, "stock": 9, "waste": 6}.items():
        phone.page.fill(f"[name=left-{pile}-1]", str(number))
    phone.page.locator(".fold summary").tap()
    phone.page.fill("[name=calls-0]", "2")
    assert phone.faults() == {}
    phone.save_and_wait()
    assert phone.totals() == [53, 0]
    (body,) = phone.stored()
    assert (body["left"]["reserve"], body["calls"]) == ([0, 4], [2, 0])

    # Nobody is out: both count, 10 against 20.
    tap_radio(phone, "winner", "none")
    expect(fields).to_have_count(6)
    for side, numbers in enumerate(((1, 8, 0), (5, 5, 5))):
        for pile, number in zip(("reserve", "stock", "waste"), numbers, strict=True):
            phone.page.fill(f"[name=left-{pile}-{side}]", str(number))
    phone.save_and_wait()
    assert phone.totals() == [63, 0]
