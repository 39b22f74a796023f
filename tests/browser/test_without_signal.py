"""The table page without a signal, in every family of games: a reload shows the same again."""

import pytest
from playwright.sync_api import expect

from tests.browser.playing import FAMILIES, choose, otherwise, pick, tap_chip, tap_radio
from tests.deals import NAMES
from tests.factories import EVENING, ContextFactory, record
from tournaments.engine.documents.entries import parse_entry
from tournaments.services.games import playing

pytestmark = [pytest.mark.browser, pytest.mark.keeps_pages]

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
        # A seal is not kept on the phone.
        self.is_secret = bool(self.page.locator(".hand-to").count())

    def stays(self):
        """Load the page again without a signal: it shows the same."""
        self.phone.stay_after_reload()
        plugged = self.phone.cable.plugged
        self.phone.lose_signal()
        self.tells_of_no_signal()
        before = self.page.evaluate(SHOWN)
        self.page.reload()
        self.tells_of_no_signal()
        assert self.page.evaluate(SHOWN) == before
        if plugged:
            self.phone.find_signal()

    def tells_of_no_signal(self):
        """Followers ask again and again: their page tells them that there is no answer."""
        if self.page.locator("#signal").count():
            expect(self.page.locator("#signal")).to_be_visible()

    def settles(self):
        """Wait until the server has answered for all that was written."""
        expect(self.page.locator("#table .waits")).to_have_count(0)

    def name(self, body):
        page = self.page
        if page.locator(".hand-to").count():
            self.phone.tap(page.locator(".hand-to summary"))
            pick(self.phone, body["contract"])
            self.phone.tap(page.locator(".hand-to .save button"))
            self.phone.tap(page.locator(".sealed .save button"))
            self.phone.go_on()
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
                tap_chip(phone, "closed_by", body["closed_by"])
            for unit, counts in body["counts"].items():
                for side, number in enumerate(counts):
                    page.fill(f"[name=count-{unit}-{side}]", str(number))

    def send(self, body):
        self.fill(body)
        self.phone.tap(self.phone.save)

    def begin(self, body):
        if "maker" in body:
            tap_radio(self.phone, "maker", body["maker"])
        elif "winner" in body:
            tap_radio(self.phone, "winner", body["winner"])
        elif self.page.locator(".contracts.fixed").count():
            self.page.locator(".unit:visible input").first.fill("0")
        else:
            pick(self.phone, (body.get("offered") or [body["contract"]])[0])


JOURNEYS = ("italian-king", "turkish-king-sealed")
"""Families whose tables meet everything; a seal is not kept on the phone."""

OTHERS = (
    *("turkish-king-partners", "turkish-king-blind", "italian-king-pairs-choice"),
    *("barbu", "euchre", "krapet"),
)
"""Families with a form of their own; those left out have nothing that another has not."""


def seated(phone, family):
    seats, deals = FAMILIES[family]
    options = {"target": 10} if family == "krapet" else {}
    phone.sit_down(ruleset=family, players=NAMES[:seats], options=options)
    return Table(phone), deals


@pytest.mark.parametrize("family", JOURNEYS)
def test_reload_without_signal_shows_the_same(new_phone, family):
    table, (first, second, third, fourth) = seated(new_phone(), family)
    wait_and_undo(table, first, second)
    hear_of_others(table, second)
    meet_another_phone(table, third, fourth)
    if family == "italian-king":
        # Then there is no form any more.
        hand_over(table)


def test_reload_without_signal_keeps_the_form_of_every_family(new_phone):
    """What waits and what is half typed stays, until there is a signal."""
    phone = new_phone()
    for family in OTHERS:
        table, (first, second, *_) = seated(phone, family)
        phone.stay_after_reload()
        phone.lose_signal()
        table.name(first)
        table.send(first)
        expect(table.page.locator(".sheet .waits")).not_to_have_count(0)
        table.name(second)
        table.begin(second)
        table.stays()
        phone.find_signal()
        table.settles()
        assert phone.stored()[0]["type"] == "deal", family


def wait_and_undo(table, first, second):
    """One deal is written; the next waits, and is taken back while it waits."""
    phone, sheet = table.phone, table.page.locator(".sheet")
    table.name(first)
    table.send(first)
    table.settles()
    if not table.is_secret:
        phone.lose_signal()
    table.name(second)
    table.stays()
    phone.lose_signal()
    table.send(second)
    expect(sheet.locator(".waits")).not_to_have_count(0)
    table.stays()
    phone.find_signal()
    table.settles()
    phone.lose_signal()
    phone.undo()
    expect(sheet.locator(".undone")).not_to_have_count(0)
    table.stays()
    phone.find_signal()
    table.settles()


def hear_of_others(table, second):
    """Another phone corrects a deal and writes the next, while something is typed here."""
    phone, strip = table.phone, table.page.locator("#outbox")
    sheet = phone.sheet()
    (position,) = sheet.positions
    context = ContextFactory(revision=sheet.row.revision)
    right = parse_entry(otherwise(sheet.body(position)))
    playing.correct_entry(phone.game.pk, position, right, "", context)
    phone.wake()
    phone.wait_for(sheet.row.revision + 1)
    if not table.is_secret:
        table.begin(second)
    table.stays()
    record(phone.game, second)
    phone.wake()
    phone.wait_for(sheet.row.revision + 2)
    if not table.is_secret:
        expect(strip).to_contain_text("has written")
        table.stays()
        phone.tap(strip.locator("button", has_text="Discard what I typed"))
        expect(phone.save).not_to_be_enabled()
    table.stays()


def meet_another_phone(table, third, fourth):
    """Another phone writes while a deal waits here, which is given up for the next."""
    phone, page = table.phone, table.page
    table.name(third)
    phone.lose_signal()
    table.send(third)
    record(phone.game, otherwise(third))
    phone.find_signal()
    # Of a deal in steps that another phone has ended, there is no form to come back.
    problem = page.locator("#table :is(.problem, .why)")
    expect(problem).to_contain_text("Someone else has written meanwhile.")
    table.stays()
    phone.tap(page.locator("[data-leave], .refused button"))
    expect(problem).to_have_count(0)
    table.name(fourth)
    table.send(fourth)
    table.settles()
    assert phone.sheet().row.revision == phone.revision


def hand_over(table):
    phone = table.phone
    generation = phone.game.write_generation
    playing.hand_over(phone.game.pk, generation, "key-of-the-taker", at=EVENING)
    phone.wake()
    expect(table.page.locator(".following")).to_be_visible()
    table.stays()
