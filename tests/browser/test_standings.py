"""Standings on a phone: a line for each entrant with the rounds below, a search that stays."""

import pytest
from django.urls import reverse

from tests.club_factories import MemberFactory
from tests.tournament_builders import closed, running
from tournaments.models import Event
from tournaments.services.entrants.registration import Entry

pytestmark = pytest.mark.browser

NAMES = ("Nazlı Erdoğan", "Burak Er", "Cem Ay", "Deniz Gül", "Ece Taş", "Fırat Can", "Gül Ak")
ENTRIES = (*NAMES, *(f"Oyuncu {n}" for n in range(25)))


@pytest.fixture
def row():
    row = running(*(Entry(name, represents="Beşiktaş") for name in ENTRIES), rounds=2)
    closed(row)
    Event.objects.update(published=True)
    return row


def at(row):
    return reverse("standings", args=[row.event.club.slug, row.slug])


def test_phone_shows_a_line_for_each_and_the_rounds_below_the_name(new_phone, row):
    phone = new_phone(locale="tr-TR")
    phone.sign_in(MemberFactory(club=row.event.club).user)
    phone.open(at(row))
    lines = phone.page.locator(".standings tbody tr")
    one = lines.first

    assert lines.count() == len(ENTRIES)
    assert max(each.bounding_box()["height"] for each in lines.all()) < 100
    name, points = one.locator("th a").bounding_box(), one.locator(".round a").bounding_box()
    assert points["y"] > name["y"]
    assert points["x"] >= name["x"]
    assert "Beşiktaş" in one.inner_text()
    assert phone.faults() == {}


def test_search_finds_by_club_and_stays_below_the_strip_of_directors(new_phone, row):
    phone = new_phone(locale="tr-TR")
    phone.sign_in(MemberFactory(club=row.event.club, role="director").user)
    phone.page.set_viewport_size({"width": 320, "height": 640})
    phone.open(at(row))
    phone.page.locator("#strip p").evaluate("line => line.append(' and '.repeat(30))")
    phone.page.evaluate("window.dispatchEvent(new Event('resize'))")
    phone.page.evaluate("scrollTo(0, document.body.scrollHeight / 2)")

    strip = phone.page.locator("#strip").bounding_box()
    field = phone.page.locator("#list-find").bounding_box()
    assert strip["y"] == 0
    assert strip["height"] <= field["y"] < strip["height"] + 20
    phone.page.fill("#list-find", "besik")
    shown = phone.page.locator(".standings tbody tr:visible")
    assert shown.count() == len(ENTRIES)
    phone.page.fill("#list-find", "besik gül")
    assert shown.count() == 2
