"""A club's evening in Chromium: the director's phone, the phone at the table, a phone lost."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.phone import LIGHT_AND_DARK
from tests.browser.test_hands import write_hand
from tests.club_factories import ClubFactory, TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tournaments.models import Confirmation, Event, Game, Table

pytestmark = pytest.mark.browser

SOON = 15_000
LONE_MARCH = {"maker": 0, "tricks": 5, "alone": True}


def tap_and_go(phone, target, path):
    phone.tap(phone.page.locator(target))
    phone.page.wait_for_url(re.compile(path))


def make_evening(phone, club):
    """An evening of Euchre with codes, confirmed by two; by the forms of the pages."""
    phone.open(reverse("events", args=[club.slug]))
    tap_and_go(phone, ".actions a[href$='/events/new/']", "/events/new/$")
    assert phone.faults() == {}
    phone.page.fill("[name=name]", "Cuma akşamı")
    phone.page.fill("[name=held_on]", "2026-11-20")
    phone.tap(phone.page.locator("label:has([name=table_codes])"))
    phone.tap(phone.page.locator("label:has([name=confirmations][value=two])"))
    phone.tap(phone.page.locator("label.family:has([value=euchre])"))
    tap_and_go(phone, ".actions button", "/events/[a-z0-9]{10}/$")
    return phone.page.url


def lay_table(phone):
    """A table with four names; the taps it took after typing."""
    tap_and_go(phone, ".event-round a.button", "/new-table/$")
    assert phone.faults() == {}
    for seat, name in enumerate(NAMES):
        phone.page.fill(f"[name=name{seat}]", name)
    phone.taps = 0
    tap_and_go(phone, ".actions button", "/events/[a-z0-9]{10}/$")
    return phone.taps


def come_in(phone, table):
    """Open the address on the card of a table, and type its code."""
    phone.open(reverse("table_door", args=[table.public_id, table.secret]))
    assert phone.faults() == {}
    phone.page.fill("[name=code]", table.code)
    tap_and_go(phone, ".actions button", "/play/")


def test_evening_from_the_first_name_to_a_lost_phone(directors_phone, table_phone):
    club = ClubFactory()
    director, phone = directors_phone(club), table_phone(locale="tr-TR")

    evening = make_evening(director, club)
    assert lay_table(director) == 1
    assert director.faults() == {}
    table = Table.objects.get()

    come_in(phone, table)
    sheet = phone.page.url
    for _ in range(3):
        write_hand(phone, LONE_MARCH)
    line = director.page.locator(".event-tables > li")
    expect(line.locator(".event-totals b").first).to_have_text("12", timeout=SOON)
    expect(director.page.locator("#evening > .notice-bad")).to_be_visible()
    expect(line.locator(".event-reminder")).to_contain_text("Burak")

    for name in ("Ayşe", "Burak"):
        phone.tap(phone.page.locator(f".end form button[name=seat]:has-text('{name}')"))
        expect(phone.page.locator(f".confirmed:has-text('{name}')")).to_be_visible()
    assert phone.faults() == {}
    assert sorted(Confirmation.objects.values_list("seat", flat=True)) == [0, 1]
    expect(director.page.locator(".event-reminder")).to_have_count(0, timeout=SOON)
    expect(director.page.locator("#evening > .notice-bad")).to_have_count(0)

    # The phone is lost.
    director.taps = 0
    tap_and_go(director, ".event-doors form button", "/tables/")
    assert director.taps == 1
    assert director.faults() == {}
    phone.open(sheet)
    assert "/follow/" in phone.page.url
    assert phone.page.goto(phone.base + door_of(table)).status == 404
    finder = table_phone(locale="tr-TR")
    come_in(finder, Table.objects.get())
    assert "/play/" in finder.page.url
    director.open(evening)
    assert Game.objects.get().revision == 3


def door_of(table):
    return reverse("table_door", args=[table.public_id, table.secret])


def test_pages_of_an_evening_keep_nobody_out(directors_phone):
    table = TableFactory(entries=WHOLE_GAME)
    Event.objects.update(table_codes=True, confirmations="two")
    event = table.round.event
    phone = directors_phone(event.club, **LIGHT_AND_DARK)
    of_event = [event.club.slug, event.public_id]
    pages = [
        reverse("event", args=of_event),
        reverse("events", args=[event.club.slug]),
        reverse("seasons", args=[event.club.slug]),
        reverse("change_event", args=of_event),
        reverse("event_table", args=[*of_event, table.public_id]),
        reverse("remove_table", args=[*of_event, table.public_id]),
        reverse("event_documents", args=of_event),
        reverse("club_games", args=[event.club.slug]),
        reverse("club_game", args=[event.club.slug, table.games.get().public_id]),
    ]

    found = {}
    for path in pages:
        phone.open(path)
        found[path] = phone.faults()

    assert {path: faults for path, faults in found.items() if faults} == {}


def test_names_are_suggested_while_they_are_typed(directors_phone):
    table = TableFactory(players=[f"{name} Yılmaz" for name in NAMES])
    event = table.round.event
    phone = directors_phone(event.club)
    place = [event.club.slug, event.public_id, table.round.number]
    phone.open(reverse("new_event_table", args=place))

    phone.page.locator("[name=name0]").press_sequentially("cem y")

    names = phone.page.locator("#names option")
    expect(names).to_have_count(1)
    expect(names).to_have_attribute("value", "Cem Yılmaz")
