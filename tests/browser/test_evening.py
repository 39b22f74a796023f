"""A club's evening in Chromium: the director's phone, the phone at the table, a phone lost."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.playing import write_hand
from tests.club_factories import ClubFactory, MemberFactory
from tests.deals import NAMES
from tournaments.models import Confirmation, Game, Table

pytestmark = pytest.mark.browser

LONE_MARCH = {"maker": 0, "tricks": 5, "alone": True}


def test_evening_from_the_first_name_to_a_lost_phone(new_phone):
    club = ClubFactory()
    user = MemberFactory(club=club, role="director").user
    director, phone = new_phone(user, locale="tr-TR"), new_phone(locale="tr-TR")

    evening = make_evening(director, club)
    assert lay_table(director) == 1
    assert director.faults() == {}
    come_in(phone, Table.objects.get())
    sheet = phone.page.url
    play_and_confirm(phone, director)
    replace_lost_phone(new_phone, phone, director, sheet)
    director.open(evening)
    assert Game.objects.get().revision == 3


def make_evening(phone, club):
    """An evening of Euchre with codes, confirmed by two; by the forms of the pages."""
    phone.open(reverse("events", args=[club.slug]))
    phone.tap_and_go(".actions a[href$='/events/new/']", "/events/new/$")
    phone.page.fill("[name=name]", "Cuma akşamı")
    phone.page.fill("[name=held_on]", "2026-11-20")
    phone.tap(phone.page.locator("label:has([name=table_codes])"))
    phone.tap(phone.page.locator("label:has([name=confirmations][value=two])"))
    phone.tap(phone.page.locator("label.family:has([value=euchre])"))
    assert phone.faults() == {}
    phone.tap_and_go(".actions button", "/events/[a-z0-9]{10}/$")
    return phone.page.url


def lay_table(phone):
    """A table with four names; the taps it took after typing."""
    phone.tap_and_go(".event-round a.button", "/new-table/$")
    assert phone.faults() == {}
    phone.name_seats(NAMES)
    phone.taps = 0
    phone.tap_and_go(".actions button", "/events/[a-z0-9]{10}/$")
    return phone.taps


def link_of(table):
    return reverse("table_link", args=[table.public_id, table.secret])


def come_in(phone, table):
    phone.open(link_of(table))
    assert phone.faults() == {}
    phone.page.fill("[name=code]", table.code)
    phone.tap_and_go(".actions button", "/play/")


def play_and_confirm(phone, director):
    """The director's page follows by itself, and reminds until two have confirmed."""
    line = director.page.locator(".event-tables > li")
    director.tap(line.locator(".menu summary"))
    for _ in range(3):
        write_hand(phone, LONE_MARCH)
    expect(line.locator(".event-totals b").first).to_have_text("12")
    expect(line.locator(".menu")).to_have_attribute("open", "")
    director.tap(line.locator(".menu summary"))
    expect(director.page.locator("#evening > .notice-bad")).to_be_visible()
    expect(line.locator(".event-reminder")).to_contain_text("Burak")
    for name in ("Ayşe", "Burak"):
        phone.tap(phone.page.locator(f".end form button[name=seat]:has-text('{name}')"))
        expect(phone.page.locator(f".confirmed:has-text('{name}')")).to_be_visible()
    assert phone.faults() == {}
    assert sorted(Confirmation.objects.values_list("seat", flat=True)) == [0, 1]
    expect(director.page.locator(".event-reminder")).to_have_count(0)
    expect(director.page.locator("#evening > .notice-bad")).to_have_count(0)


def replace_lost_phone(new_phone, phone, director, sheet):
    """Three taps make the address of the lost phone worthless; another phone comes in."""
    before, director.taps = link_of(Table.objects.get()), 0
    director.tap(director.page.locator(".event-links summary"))
    director.tap_and_go(".event-links details a[href*='/tables/']", "/tables/")
    with director.page.expect_navigation():
        director.tap(director.page.locator("section[aria-labelledby=lost] button"))
    assert director.taps == 3
    assert director.faults() == {}
    # The page that is open hears of it, and so does one that is opened.
    phone.page.wait_for_url("**/follow/**")
    phone.open(sheet)
    assert "/follow/" in phone.page.url
    assert phone.page.goto(phone.base + before).status == 404
    finder = new_phone(locale="tr-TR")
    come_in(finder, Table.objects.get())
    assert "/play/" in finder.page.url
