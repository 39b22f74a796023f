"""The tables of a round on a laptop: names and buttons stay in the line of their table."""

import pytest
from django.urls import reverse

from tests.browser.laptop import LAPTOP
from tests.factories import EVENING
from tests.tournament_builders import opened, play, running
from tournaments.models import Event
from tournaments.services.audit import NOBODY
from tournaments.services.rounds.rulings import call_director

pytestmark = pytest.mark.browser

NAMES = (
    *("Gökhan Başaran", "Mehmet Ali Kara", "Yasemin Keskin", "Süleyman Karabulutoğlu"),
    *("Gülşen Arslan", "İbrahim Doğan", "Doğan Gündüz", "Reyhan Altun"),
    *("Pınar Şimşek", "Taner Gürsoy", "Ayşe Yıldırım", "Levent Özer"),
)
OUT_OF_PLACE = """
[...document.querySelectorAll(".running-tables > li")].flatMap(line => {
  const links = line.querySelector(".running-links").getBoundingClientRect();
  const name = line.querySelector(".running-names").getBoundingClientRect();
  const end = links.top < name.bottom ? links.left : line.getBoundingClientRect().right;
  return [...line.querySelectorAll(".running-who span, .running-who b")]
    .filter(e => e.getBoundingClientRect().right > end + 1).map(e => e.textContent);
})
"""
LINES = "all => all.map(names => new Set([...names.children].map(e => e.offsetTop)).size)"


@pytest.fixture
def place():
    """Three tables are over, and the first calls."""
    place = opened(running(*NAMES))
    play(place)
    call_director(place.tables.get(number=1).pk, NOBODY, at=EVENING)
    Event.objects.update(published=True)
    return place


def test_names_and_buttons_stay_beside_each_other(new_laptop, place):
    laptop = new_laptop(place.event.club)
    laptop.row = place.event.tournament
    laptop.open("running", 1)
    assert laptop.page.locator(".running-tables .trouble").count() == 1
    assert laptop.page.evaluate(OUT_OF_PLACE) == []


def test_visitors_see_the_four_names_of_a_table_in_one_line(new_phone, place):
    event = place.event
    phone = new_phone(locale="tr-TR", **LAPTOP)
    phone.open(reverse("running", args=[event.club.slug, event.tournament.slug, 1]))
    assert phone.page.locator(".running-names").evaluate_all(LINES) == [1, 1, 1]
    assert phone.page.evaluate(OUT_OF_PLACE) == []
