"""The table page without a signal, in every family of games: a reload shows what stood there."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.test_hands import tap_radio
from tests.browser.test_italian import choose, pick
from tests.deals import NAMES, WHOLE_GAME, deal
from tests.factories import EVENING, GameFactory, HeadFactory, PenFactory, record, reload
from tournaments.services.play import playing
from tournaments.web.phone import address

pytestmark = pytest.mark.browser

RECORDS = Path(__file__).parents[1] / "records"
TYPED = ("type", "contract", "trump", "offered", "third", "closed_by", "counts")


def deals_of(name, *more):
    """The first deals of a record, as far as this test types them."""
    entries = json.loads((RECORDS / f"{name}.json").read_text())["entries"]
    deals = [body for body in entries if body["type"] == "deal"][:4]
    return [{field: body[field] for field in (*TYPED, *more) if field in body} for body in deals]


def hands(*hands):
    return [{"type": "deal", **hand} for hand in hands]


MAKERS = hands(*({"maker": seat, "tricks": 3} for seat in (0, 1, 2, 3)))
WINNERS = hands(*({"winner": seat} for seat in (0, 1, 0, 1)))
FAMILIES = {
    "turkish-king": (4, WHOLE_GAME[:4]),
    "turkish-king-partners": (4, deals_of("partners-whole", "declarer")),
    "turkish-king-blind": (4, WHOLE_GAME[:4]),
    "turkish-king-sealed": (4, WHOLE_GAME[:4]),
    "italian-king": (4, deals_of("italian-king-whole")),
    "italian-king-pairs-choice": (4, deals_of("italian-king-pairs-choice-whole")),
    "portuguese-king": (4, deals_of("portuguese-whole")),
    "honeymoon-king": (2, deals_of("honeymoon-whole")),
    "barbu": (4, deals_of("barbu-doubled")),
    "euchre": (4, MAKERS),
    "krapet": (2, WINNERS),
}


def turn(counts):
    first, second, *rest = counts
    return [first + 1, second - 1, *rest] if len(set(counts)) == 1 else [second, *rest, first]


def otherwise(body):
    """The same deal with other numbers."""
    if "maker" in body:
        return {**body, "maker": (body["maker"] + 1) % 4}
    if "winner" in body:
        return {**body, "winner": 1 - body["winner"]}
    turned = {unit: turn(counts) for unit, counts in body["counts"].items()}
    closed = {"closed_by": 1 - body["closed_by"]} if "closed_by" in body else {}
    return {**body, "counts": turned, **closed}


SHOWN = """() => [
  [...document.querySelectorAll("#table, #outbox:not([hidden]), #signal")].map(e => e.innerText),
  [...document.querySelectorAll("#table form :is(input, select)")]
    .filter(e => !/^(csrfmiddlewaretoken|key)$/.test(e.name))
    .map(e => [e.name, e.type == "radio" || e.type == "checkbox" ? e.checked : e.value]),
  [...document.querySelectorAll("#table .save [value=deal]")].map(e => [e.value, e.disabled]),
]"""


class Table:
    """A table of one family, which is played step by step and loaded again after each."""

    def __init__(self, phone):
        self.phone, self.page = phone, phone.page

    def stays(self):
        """Load the page again without a signal: it shows what stood there."""
        self.phone.stay_after_reload()
        plugged = self.phone.cable.plugged
        self.phone.lose_signal()
        if self.page.locator("#signal").count():
            expect(self.page.locator("#signal")).to_be_visible()
        before = self.page.evaluate(SHOWN)
        self.page.reload()
        if self.page.locator("#signal").count():
            expect(self.page.locator("#signal")).to_be_visible()
        assert self.page.evaluate(SHOWN) == before
        if plugged:
            self.phone.find_signal()

    def settles(self):
        """Wait until the server has answered for all that was written."""
        expect(self.page.locator("#table .waits")).to_have_count(0)

    def name(self, body):
        """What is said before the deal where the game has steps."""
        page = self.page
        if page.locator(".hand-to").count():
            self.phone.tap(page.locator(".hand-to summary"))
            pick(self.phone, body["contract"])
            self.phone.tap(page.locator(".hand-to .save button"))
            self.phone.tap(page.locator(".sealed .save button"))
        elif page.locator("form.naming").count():
            pick(self.phone, body["contract"])
            self.phone.tap(self.phone.save)
        expect(page.locator("form.naming")).to_have_count(0)

    def fill(self, body):
        phone, page = self.phone, self.page
        if "maker" in body:
            tap_radio(phone, "maker", body["maker"])
            tap_radio(phone, "tricks", body["tricks"])
        elif "winner" in body:
            tap_radio(phone, "winner", body["winner"])
        else:
            choose(phone, body)
            if "closed_by" in body:
                phone.tap(page.locator(f".chip:has([name=closed_by][value='{body['closed_by']}'])"))
            for unit, counts in body["counts"].items():
                for side, number in enumerate(counts):
                    page.fill(f"[name=count-{unit}-{side}]", str(number))

    def write(self, body):
        self.name(body)
        self.fill(body)
        self.phone.tap(self.phone.save)
        self.settles()

    def undo(self):
        self.phone.tap(self.page.locator(".last .undo"))

    def begin(self, body):
        """Type the first half of a deal."""
        if "maker" in body:
            tap_radio(self.phone, "maker", body["maker"])
        elif "winner" in body:
            tap_radio(self.phone, "winner", body["winner"])
        elif self.page.locator(".contracts.fixed").count():
            self.page.locator(".unit:visible input").first.fill("0")
        else:
            pick(self.phone, (body.get("offered") or [body["contract"]])[0])


@pytest.fixture
def at_table_of(table_phone):
    """A table of a family with a phone that writes at it."""

    def sit(family):
        seats, bodies = FAMILIES[family]
        options = {"target": 10} if family == "krapet" else {}
        head = HeadFactory(ruleset=family, players=NAMES[:seats], options=options)
        phone = table_phone()
        phone.game = reload(GameFactory(head=head)).row
        phone.open(address(phone.game, "write"))
        return Table(phone), bodies

    return sit


@pytest.mark.parametrize("family", FAMILIES)
def test_reload_without_signal_shows_what_stood_there(at_table_of, family):
    table, (first, second, third, fourth) = at_table_of(family)
    write_and_undo(table, first)
    wait_and_undo(table, first, second)
    hear_of_others(table, second)
    meet_another_phone(table, third)
    table.write(fourth)
    assert reload(table.phone.game).row.revision == table.phone.revision
    hand_over(table)


def write_and_undo(table, first):
    table.write(first)
    table.stays()
    table.undo()
    table.settles()
    expect(table.page.locator(".sheet tbody tr")).to_have_count(0)
    table.stays()


def wait_and_undo(table, first, second):
    phone, sheet = table.phone, table.page.locator(".sheet")
    table.write(first)
    # A seal is not kept on the phone.
    if not table.page.locator(".hand-to").count():
        phone.lose_signal()
    table.name(second)
    table.stays()
    phone.lose_signal()
    table.fill(second)
    phone.tap(phone.save)
    for marked, tap in ((".waits", None), (".undone", table.undo)):
        phone.lose_signal()
        if tap:
            tap()
        expect(sheet.locator(marked)).not_to_have_count(0)
        table.stays()
        phone.find_signal()
        table.settles()
        table.stays()


def hear_of_others(table, second):
    phone, strip = table.phone, table.page.locator("#outbox")
    sheet = reload(phone.game)
    (stands,) = sheet.positions
    pen = PenFactory(revision=sheet.row.revision)
    playing.correct_entry(phone.game.pk, stands, otherwise(sheet.body(stands)), "", pen)
    table.page.wait_for_selector(f"#table[data-revision='{sheet.row.revision + 1}']")
    table.stays()

    is_secret = table.page.locator(".hand-to").count()
    if not is_secret:
        table.begin(second)
        table.stays()
    record(phone.game, second)
    table.page.wait_for_selector(f"#table[data-revision='{sheet.row.revision + 2}']")
    if not is_secret:
        expect(strip).to_contain_text("has written")
    table.stays()
    if not is_secret:
        phone.tap(strip.locator("button", has_text="Discard what I typed"))
        expect(phone.save).not_to_be_enabled()
        table.stays()


def meet_another_phone(table, third):
    phone, page = table.phone, table.page
    table.name(third)
    phone.lose_signal()
    table.fill(third)
    phone.tap(phone.save)
    record(phone.game, otherwise(third))
    phone.find_signal()
    # Of a deal in steps that another phone has ended, there is no form to come back.
    told = page.locator("#table :is(.problem, .why)")
    expect(told).to_contain_text("Someone else has written meanwhile.")
    table.stays()
    phone.tap(page.locator("[data-leave], .refused button"))
    expect(told).to_have_count(0)
    table.stays()


def hand_over(table):
    game = table.phone.game
    playing.hand_over(game.pk, game.write_generation, "key-of-the-taker", at=EVENING)
    expect(table.page.locator(".following")).to_be_visible()
    table.stays()


# At once, whatever the server does.


def hold(phone, path):
    """Let one request wait for its answer; what is held."""
    held = []

    def take(route):
        held.append(route)

    phone.page.route(f"**/{path}/", take, times=1)
    return held


def test_deal_is_on_the_sheet_before_the_server_answers(at_table):
    phone = at_table(2)
    held = hold(phone, "entry")
    phone.enter(WHOLE_GAME[2])
    phone.tap(phone.save)
    row = phone.page.locator(".sheet tr.waits").first
    expect(row).to_contain_text("−120")
    # The next one is begun while the answer is out.
    phone.choose(WHOLE_GAME[3])
    phone.tap(phone.key(2))
    assert reload(phone.game).row.revision == 2
    held[0].continue_()
    phone.page.wait_for_selector("#table[data-revision='3']")
    expect(phone.page.locator(".sheet .waits")).to_have_count(0)
    assert phone.numbers("tricks") == ["2", "", "", ""]
    assert reload(phone.game).body(2)["contract"] == "no-men"


def test_undone_deal_is_struck_out_before_the_server_answers(at_table):
    phone = at_table(2)
    held = hold(phone, "undo")
    phone.tap(phone.page.locator(".undo"))
    expect(phone.page.locator(".sheet .undone")).to_have_count(1)
    expect(phone.page.locator("[data-deal]")).to_have_text("2")
    expect(phone.page.locator("[data-declarer]")).to_have_text("Burak")
    expect(phone.page.locator(".seats .at-top .total")).to_have_text("−320")
    phone.enter(WHOLE_GAME[2])
    phone.tap(phone.save)
    held[0].continue_()
    phone.page.wait_for_selector("#table[data-revision='4']")
    bodies = [reload(phone.game).body(p)["contract"] for p in reload(phone.game).positions]
    assert bodies == ["heart-king", "no-men"]


def test_deal_refused_while_the_next_is_typed_loses_nothing(at_table):
    phone = at_table()
    held = hold(phone, "entry")
    phone.enter(WHOLE_GAME[0])
    # Only a program of its own could send this: the page would not let it go.
    phone.page.locator("[name=declarer]").evaluate("input => { input.value = 3 }")
    phone.tap(phone.save)
    phone.choose(WHOLE_GAME[1])
    phone.tap(phone.key(1))
    held[0].continue_()
    refused = phone.page.locator(".sheet .refused")
    expect(refused).to_contain_text("It is Ayşe’s turn to declare, not Deniz’s.")
    assert phone.waiting()[0].startswith("♥K Rıfkı 0 0 1 0 ")
    assert phone.numbers("queens") == ["1", "", "", ""]
    assert phone.faults() == {}
    phone.tap(refused.locator("button", has_text="Edit"))
    assert phone.numbers("heart_king") == ["0", "0", "1", "0"]
    phone.tap(phone.save)
    phone.page.wait_for_selector("#table[data-revision='1']")
    assert phone.numbers("queens") == ["1", "", "", ""]


# What waits stands in the sheet.


@pytest.mark.parametrize("before", [0, 2])
def test_waiting_deals_move_neither_pad_nor_save(at_table, before):
    phone = at_table(before)

    def places():
        phone.choose({"contract": "no-tricks"})
        phone.page.evaluate("scrollTo(0, 0)")
        found = [phone.key(0).bounding_box(), phone.save.bounding_box()]
        phone.tap(phone.page.locator(".change"))
        return found

    empty = places()
    phone.lose_signal()
    for body in WHOLE_GAME[before : before + 5]:
        phone.enter(body)
        phone.tap(phone.save)
    expect(phone.page.locator(".last")).to_contain_text("Waiting for signal: 5")
    expect(phone.page.locator(".sheet .marks.waits")).to_have_count(5)
    assert places() == empty
    assert phone.faults() == {}


def test_blind_deals_wait_named_and_counted(at_table_of):
    table, (first, second, *_) = at_table_of("turkish-king-blind")
    phone = table.phone
    phone.lose_signal()
    for body in (first, second):
        table.name(body)
        expect(table.page.locator(".contracts .pick:visible")).to_have_count(1)
        table.fill(body)
        phone.tap(phone.save)
    expect(table.page.locator("[data-declarer]")).to_have_text("Cem")
    phone.find_signal()
    phone.page.wait_for_selector("#table[data-revision='4']")
    assert reload(phone.game).game.totals == (-100, 0, -520, -100)


def test_seal_says_at_once_that_it_needs_a_signal(at_table_of):
    table, (first, *_) = at_table_of("turkish-king-sealed")
    phone = table.phone
    held = hold(phone, "seal")
    phone.tap(table.page.locator(".hand-to summary"))
    pick(phone, first["contract"])
    phone.tap(table.page.locator(".hand-to .save button"))
    expect(table.page.locator("#outbox")).to_contain_text("cannot wait on the phone")
    held[0].continue_()
    phone.page.wait_for_selector("#table[data-revision='1']")
    expect(table.page.locator("#outbox")).to_be_hidden()


# Another phone, while something is typed here.

SOON = 4000


def half_typed(phone):
    phone.choose({"contract": "no-queens"})
    phone.tap(phone.key(1))


def written_by(phone, author, body):
    phone.game.refresh_from_db()
    pen = PenFactory(revision=phone.game.revision, author=author)
    return playing.record_entry(phone.game.pk, body, pen)


@pytest.mark.parametrize(("author", "who"), [("Deniz", "Deniz"), ("Ayşe", "Another phone")])
def test_strip_says_who_has_written_and_drops_what_was_typed(at_table, author, who):
    phone = at_table()
    half_typed(phone)
    written_by(phone, author, WHOLE_GAME[0])
    strip = phone.page.locator("#outbox")
    expect(strip).to_contain_text(f"{who} has written deal 1.", timeout=SOON)
    expect(phone.page.locator("[data-declarer]")).to_have_text("Burak")
    assert phone.numbers("queens") == ["1", "", "", ""]
    assert phone.faults() == {}
    phone.tap(strip.locator("button", has_text="Discard what I typed"))
    expect(strip).to_be_hidden()
    expect(phone.page.locator(".seats")).to_be_visible()
    expect(phone.page.locator("input[name=contract]:checked")).to_have_count(0)
    assert not phone.can_save()


def test_what_is_kept_is_saved_after_what_another_phone_wrote(at_table):
    phone = at_table()
    half_typed(phone)
    record(phone.game, WHOLE_GAME[0])
    phone.tap(phone.page.locator("#outbox button", has_text="Keep what I typed"))
    for number in (0, 2):
        phone.tap(phone.key(number))
    phone.tap(phone.save)
    phone.page.wait_for_selector("#table[data-revision='2']")
    assert reload(phone.game).game.totals == (-100, 0, -520, -100)


def test_deal_typed_on_two_phones_is_written_once_though_one_has_heard_of_it(at_table):
    phone = at_table()
    phone.enter(WHOLE_GAME[0])
    record(phone.game, WHOLE_GAME[0])
    expect(phone.page.locator("#outbox")).to_contain_text("has written deal 1.")
    assert phone.numbers("heart_king") == ["0", "0", "1", "0"]
    phone.tap(phone.save)
    expect(phone.page.locator(".problem")).to_contain_text("has already written the same")
    assert reload(phone.game).row.revision == 1


def test_correction_by_another_phone_is_told(at_table):
    phone = at_table(2)
    half_typed(phone)
    pen = PenFactory(revision=2, author="Cem")
    body = deal("heart-king", 1, 0, 0, 0)
    playing.correct_entry(phone.game.pk, 0, body, "", pen)
    expect(phone.page.locator("#outbox")).to_contain_text("Cem has corrected deal 1.", timeout=SOON)
    expect(phone.page.locator(".seats .at-bottom .total")).to_have_text("−420")
    assert phone.numbers("queens") == ["1", "", "", ""]


def test_scoring_taken_over_is_told_before_what_is_typed_goes(at_table):
    phone = at_table()
    half_typed(phone)
    playing.hand_over(phone.game.pk, phone.game.write_generation, "key-of-the-taker", at=EVENING)
    strip = phone.page.locator("#outbox")
    expect(strip).to_contain_text("another phone writes now", timeout=SOON)
    assert phone.numbers("queens") == ["1", "", "", ""]
    phone.tap(strip.locator("button"))
    expect(phone.page.locator(".following")).to_be_visible()
