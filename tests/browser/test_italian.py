"""Italian King and the other games with forms of their own, on the phone, tap by tap."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.deals import NAMES
from tests.factories import GameFactory, HeadFactory, reload
from tournaments.web.phone import address

pytestmark = pytest.mark.browser

RECORDS = Path(__file__).parents[1] / "records"
MOST_TAPS, MOST_TAPS_WITH_OFFERS = 70, 100


def record_of(name):
    document = json.loads((RECORDS / f"{name}.json").read_text())
    return document, json.loads((RECORDS / f"{name}.result.json").read_text())


@pytest.fixture
def at(table_phone):
    """A phone that writes at a table of any game, with what was written there before."""

    def open_table(ruleset, *entries, players=NAMES, settings=None, **options):
        phone = table_phone(**{"locale": "tr-TR", **(settings or {})})
        head = HeadFactory(ruleset=ruleset, players=players, options=options)
        phone.game = reload(GameFactory(head=head, entries=entries)).row
        phone.open(address(phone.game, "write"))
        return phone

    return open_table


def pick(phone, contract):
    phone.tap(phone.page.locator(f".pick:has([value={contract}])"))


def choose(phone, body):
    """Tap what is offered, and the contract that is taken, unless it stands there already."""
    page = phone.page
    if page.locator(f"[name=contract][value={body['contract']}]").is_checked():
        return
    offered = body.get("offered", ())
    if not all(page.locator(f"[name=offered{n}]").input_value() for n, _ in enumerate(offered, 1)):
        for contract in offered:
            pick(phone, contract)
    if body.get("third"):
        phone.tap(page.locator(".third"))
    pick(phone, body["contract"])


def give_numbers(phone, body):
    for unit, counts in body["counts"].items():
        fieldset = phone.page.locator(f".unit-{unit}")
        if fieldset.get_attribute("data-one-tap") is not None:
            for side, number in enumerate(counts):
                for _ in range(number):
                    phone.tap(fieldset.locator(".tile").nth(side))
            continue
        for number in counts:
            if phone.can_save():
                return
            phone.tap(phone.key(number))


def write(phone, body):
    """Write down a deal as it stands in a record."""
    revision = phone.revision
    choose(phone, body)
    if "trump" in body:
        phone.tap(phone.page.locator(f".picked .suit:has([value={body['trump']}])"))
    if "closed_by" in body:
        phone.tap(phone.page.locator(f".chip:has([name=closed_by][value='{body['closed_by']}'])"))
    give_numbers(phone, body)
    phone.tap(phone.save)
    phone.page.wait_for_selector(f"#table[data-revision='{revision + 1}']")


def play(phone, document):
    for body in document["entries"]:
        write(phone, body)


# Whole games.


def test_whole_italian_king_of_the_rules_is_played_by_tapping(at):
    document, result = record_of("italian-king-whole")
    phone = at("italian-king")
    play(phone, document)
    assert result["totals"] == [13, -7, 3, -9]
    assert phone.totals() == [13, -7, 3, -9]
    expect(phone.page.locator(".end h2")).to_contain_text("Ayşe")
    assert phone.taps <= MOST_TAPS


def test_whole_game_of_pairs_with_offers_and_thirds_is_played_by_tapping(at):
    document, result = record_of("italian-king-pairs-choice-whole")
    assert sum(1 for body in document["entries"] if body.get("third")) >= 1
    phone = at("italian-king-pairs-choice")
    play(phone, document)
    assert phone.totals() == result["totals"]
    assert phone.taps <= MOST_TAPS_WITH_OFFERS


# What each form asks.


def status(phone):
    return phone.page.locator(".pad [role=status]")


def test_contract_of_a_fixed_order_stands_there_and_the_table_can_be_turned(at):
    phone = at("italian-king")
    expect(phone.page.locator(".picked .name")).to_contain_text("1 · ")
    expect(phone.page.locator(".contract:visible")).to_have_count(1)
    phone.tap(phone.page.locator(".contracts .turn"))
    expect(phone.page.locator(".unit-men .at-bottom .who")).to_have_text("Burak")


def test_offer_is_taken_back_step_by_step(at):
    phone = at("italian-king-pairs-choice")
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


def test_of_the_last_two_one_is_taken_and_the_last_contract_stays(at):
    document, _ = record_of("italian-king-pairs-choice-whole")
    phone = at("italian-king-pairs-choice", *document["entries"][:11])
    says, back = phone.page.locator(".offer-says"), phone.page.locator(".change")
    expect(says).to_have_text(says.get_attribute("data-take-of-two"))
    expect(phone.page.locator(".third")).to_be_hidden()
    expect(back).to_be_hidden()
    write(phone, document["entries"][11])
    expect(phone.page.locator(".picked")).to_have_count(1)
    expect(back).to_be_hidden()


def test_domino_is_saved_only_with_exactly_one_hand_empty(at):
    document, _ = record_of("italian-king-whole")
    phone = at("italian-king", *document["entries"][:7])
    for number in (3, 4, 2):
        phone.tap(phone.key(number))
    assert phone.numbers("cards_left") == ["3", "4", "2", "0"]
    assert phone.can_save()
    phone.tap(phone.page.locator(".unit-cards_left .tile").nth(1))
    phone.tap(phone.key(0))
    phone.tap(phone.key(0))
    expect(status(phone)).to_have_class("wrong")
    assert not phone.can_save()


def test_places_are_tapped_in_order_and_taken_back(at):
    phone = at("barbu")
    pick(phone, "domino")
    tile = phone.page.locator(".unit-places .tile")
    for seat in (2, 0):
        phone.tap(tile.nth(seat))
    phone.tap(tile.nth(0))
    assert phone.numbers("places") == ["", "", "1", ""]
    for seat in (3, 1):
        phone.tap(tile.nth(seat))
    assert phone.numbers("places") == ["4", "3", "1", "2"]
    phone.tap(phone.page.locator(".doubles summary"))
    phone.page.select_option("[name=double-0-2]", "redoubled")
    phone.tap(phone.save)
    phone.page.wait_for_selector("#table[data-revision='1']")
    assert reload(phone.game).game.totals == (-105, 5, 145, 20)


def test_numbers_of_all_penalties_that_do_not_agree_are_shown_before_saving(at):
    phone = at("turkish-king-double")
    for number in (4, 3, 5, 5, 2, 6, 3, 1, 3, 1, 2, 0):
        phone.tap(phone.key(number))
    heart_king = phone.page.locator(".unit-heart_king .tile")
    phone.tap(heart_king.nth(3))
    for side in (1, 2):
        phone.tap(phone.page.locator(".unit-last_two .tile").nth(side))
    assert not phone.can_save()
    expect(phone.page.locator(".tile.wrong")).to_have_count(1)
    phone.tap(heart_king.nth(1))
    assert phone.can_save()
    phone.tap(phone.save)
    phone.page.wait_for_selector("#table[data-revision='1']")
    assert reload(phone.game).game.totals == (-630, -970, -790, -210)


def test_sale_asks_for_its_price_and_is_not_blind(at):
    document, _ = record_of("italian-king-whole")
    options = {"sale": True, "blind_declaration": True}
    phone = at("italian-king", *document["entries"][:8], **options)
    for number in (6, 3, 2):
        phone.tap(phone.key(number))
    assert phone.can_save()
    phone.page.select_option("[name=sale_buyer]", "1")
    assert not phone.can_save()
    expect(phone.page.locator("[name=blind]")).to_be_disabled()
    phone.page.select_option("[name=sale_tricks]", "4")
    phone.tap(phone.save)
    phone.page.wait_for_selector("#table[data-revision='9']")
    assert reload(phone.game).body(8)["sale"] == {"buyer": 1, "tricks": 4}


def test_partner_is_asked_before_the_deal_is_saved(at):
    phone = at("italian-king-pirandello")
    pick(phone, "no-men")
    phone.tap(phone.key(8))
    assert not phone.can_save()
    chips = phone.page.locator(".ask-partner .chip:visible")
    expect(chips).to_have_text(["Burak", "Cem", "Deniz"])
    phone.tap(chips.nth(1))
    phone.tap(phone.save)
    phone.page.wait_for_selector("#table[data-revision='1']")
    assert reload(phone.game).game.totals == (-8, 0, -8, 0)


# Without signal.


def test_fixed_order_goes_on_without_signal_and_totals_wait_for_the_server(at):
    document, _ = record_of("italian-king-whole")
    phone = at("italian-king")
    phone.lose_signal()
    for number, body in enumerate(document["entries"][:2], 2):
        give_numbers(phone, body)
        phone.tap(phone.save)
        expect(phone.page.locator("[data-deal]")).to_have_text(str(number))
    expect(phone.page.locator("[data-declarer]")).to_have_text("Cem")
    expect(phone.page.locator(".unit-diamond_eight")).to_be_visible()
    expect(phone.page.locator(".seats .total").first).to_have_text("…")
    phone.find_signal()
    phone.page.wait_for_selector("#table[data-revision='2']")
    assert phone.totals() == [-9, -4, -10, -5]


def test_offers_and_pairs_go_on_without_signal(at):
    document, _ = record_of("italian-king-pairs-choice-whole")
    phone = at("italian-king-pairs-choice", *document["entries"][:10])
    phone.lose_signal()
    for body in document["entries"][10:12]:
        choose(phone, body)
        give_numbers(phone, body)
        phone.tap(phone.save)
    last = document["entries"][12]
    assert phone.page.locator(f"[name=contract][value={last['contract']}]").is_checked()
    phone.find_signal()
    phone.page.wait_for_selector("#table[data-revision='12']")
    stored = [sorted(reload(phone.game).body(n)["offered"]) for n in (10, 11)]
    assert stored == [sorted(body["offered"]) for body in document["entries"][10:12]]


def test_pairs_add_up_without_signal_where_units_are_all_that_counts(at):
    phone = at("turkish-king-partners")
    phone.lose_signal()
    pick(phone, "no-men")
    phone.tap(phone.page.locator(".chip:has([value='2'])"))
    phone.tap(phone.key(5))
    phone.tap(phone.save)
    expect(phone.page.locator(".seats .at-bottom .total")).to_have_text("−300")
    expect(phone.page.locator(".seats .at-top .total")).to_have_text("−300")
    expect(phone.page.locator(".seats .at-left .total")).to_have_text("−180")
    pick(phone, "no-men")
    expect(phone.page.locator(".ask-named_by .chip")).to_have_text(["Burak", "Deniz"])
    phone.find_signal()
    phone.page.wait_for_selector("#table[data-revision='1']")
    assert reload(phone.game).body(0)["declarer"] == 2


# How it is made.


def forms(at, settings):
    """Every special form in turn, with its name."""
    italian, _ = record_of("italian-king-whole")
    entries = italian["entries"]
    pairs, _ = record_of("italian-king-pairs-whole")
    phone = at("turkish-king-double", settings=settings)
    yield phone, "all penalties"
    phone = at("italian-king", *entries[:7], settings=settings)
    yield phone, "domino"
    options = {"sale": True, "blind_declaration": True}
    phone = at("italian-king", *entries[:8], settings=settings, **options)
    phone.page.select_option("[name=sale_buyer]", "1")
    yield phone, "sale"
    phone = at("italian-king-pairs", *pairs["entries"][:7], settings=settings)
    yield phone, "domino of pairs"
    phone = at("italian-king-pirandello", settings=settings)
    yield phone, "choice"
    pick(phone, "declaration")
    yield phone, "partner"
    phone = at("italian-king-pairs-choice", settings=settings)
    yield phone, "offer"
    pick(phone, "no-men")
    pick(phone, "no-queens")
    yield phone, "two offered"
    phone.tap(phone.page.locator(".third"))
    pick(phone, "declaration")
    yield phone, "third"
    phone = at("barbu", settings=settings)
    yield phone, "barbu"
    pick(phone, "no-hearts")
    phone.tap(phone.page.locator(".doubles summary"))
    yield phone, "hearts and ace"
    phone = at("turkish-king-partners", settings=settings)
    pick(phone, "trump")
    yield phone, "partners"
    phone = at("honeymoon-king", players=NAMES[:2], settings=settings)
    yield phone, "two"


@pytest.mark.parametrize(
    ("language", "scheme", "width"), [("tr-TR", "light", 390), ("it", "dark", 360)]
)
def test_every_form_is_accessible_and_tappable(at, language, scheme, width):
    settings = {
        "locale": language,
        "color_scheme": scheme,
        "reduced_motion": "reduce",
        "viewport": {"width": width, "height": 844},
    }
    for phone, name in forms(at, settings):
        assert (name, phone.faults()) == (name, {})
        if phone.save.is_visible():
            box = phone.save.bounding_box()
            assert (name, box["y"] + box["height"] <= 844) == (name, True)


def test_offer_is_written_without_scripts(at):
    phone = at("italian-king-pairs-choice", settings={"java_script_enabled": False})
    page = phone.page
    page.select_option("[name=offered1]", "no-men")
    page.select_option("[name=offered2]", "domino")
    pick(phone, "domino")
    phone.tap(page.locator(".chip:has([name=closed_by][value='1'])"))
    page.fill("[name=count-cards_left-0]", "6")
    page.fill("[name=count-cards_left-1]", "2")
    phone.tap(phone.save)
    page.wait_for_selector("#table[data-revision='1']")
    assert reload(phone.game).game.totals == (-14, 14)
