"""The page for the wall of a large hall, on a large and on a small screen."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from tests.club_factories import ClubFactory
from tests.tournament_builders import SHORT, change, play
from tests.web.rounds.going import going, next_round, play_at
from tournaments.models import Entrant, Event, Game, Player
from tournaments.services.audit import NOBODY
from tournaments.services.rounds.running import (
    Added,
    add_time,
    close_round,
    pause_clock,
    start_clock,
)
from tournaments.web.base.phone import address

pytestmark = pytest.mark.browser

# The room that a font takes below and above the line: Noto Sans 1.36, Segoe UI 1.33 of its size.
CUT = """() => [...document.querySelectorAll(".wall-name")].filter((name) => {
  const text = document.createRange();
  text.selectNodeContents(name);
  const [box, letters] = [name, text].map((each) => each.getBoundingClientRect());
  const size = parseFloat(getComputedStyle(name).fontSize);
  return letters.width > box.width || box.height < 1.36 * size
    || letters.top < box.top || letters.bottom > box.bottom;
}).map((name) => name.textContent)"""
TYPE = """() => parseFloat(getComputedStyle(
  document.querySelector(".wall-name, .wall-going li")).fontSize) / innerHeight"""
BELOW = "document.documentElement.scrollHeight - innerHeight"
NEXT = """(number) => htmx.ajax("GET", `${location.pathname}?screen=${number}`,
  {target: "#wall", swap: "outerHTML"})"""
SMALLEST_TYPE = 1 / 32


def test_wall_of_25_tables_cuts_no_name_and_leaves_nothing_below(new_phone):
    place = hall()
    screen = new_phone(viewport={"width": 1920, "height": 1080})
    for width, height in ((1920, 1080), (1280, 720), (3840, 2160)):
        screen.page.set_viewport_size({"width": width, "height": height})
        screen.open(reverse("wall", args=["moda", place.event.tournament.slug]))
        for number in range(1, 7):
            assert screen.page.evaluate(BELOW) <= 0, (width, number)
            assert screen.page.evaluate(CUT) == [], (width, number)
            assert screen.page.evaluate(TYPE) > SMALLEST_TYPE, (width, number)
            if screen.page.locator(".wall-standings").count():
                assert screen.page.locator("h2 small").inner_text() == "first 24 of 100"
            screen.page.evaluate(NEXT, number)


def test_no_letter_is_cut_where_a_name_is_a_part_of_a_pixel_too_wide(new_phone):
    place = hall()
    screen = new_phone(viewport={"width": 1920, "height": 1080})
    screen.open(reverse("wall", args=["moda", place.event.tournament.slug]))
    for width in range(1200, 1220):
        screen.page.set_viewport_size({"width": width, "height": 720})
        screen.page.evaluate("dispatchEvent(new Event('resize'))")
        assert screen.page.evaluate(CUT) == [], width


@pytest.mark.parametrize("stopped", [False, True])
def test_clock_counts_down_by_itself_unless_it_is_stopped(new_phone, stopped):
    place = going(ClubFactory(slug="moda"), minutes=60)
    start_clock(place.pk, NOBODY, at=timezone.now())
    if stopped:
        pause_clock(place.pk, NOBODY, at=timezone.now())
    Event.objects.update(published=True)
    screen = new_phone()
    screen.context.clock.install()
    screen.open(reverse("wall", args=["moda", place.event.tournament.slug]))
    before = screen.page.locator(".clock").inner_text()
    # Less than until the wall asks the server again.
    screen.context.clock.fast_forward(5_000)
    screen.page.wait_for_timeout(300)

    assert (screen.page.locator(".clock").inner_text() == before) is stopped


def test_clock_says_in_words_how_long_ago_the_time_was_up(new_phone):
    place = going(ClubFactory(slug="moda"), minutes=60)
    start_clock(place.pk, NOBODY, at=timezone.now() - timedelta(minutes=70))
    Event.objects.update(published=True)
    screen = new_phone()
    screen.context.clock.install()
    screen.open(reverse("wall", args=["moda", place.event.tournament.slug]))
    clock = screen.page.locator(".clock")
    expect(clock).to_have_text("time was up 10 min ago")
    # Without asking again, as no answer comes to a phone without a signal.
    screen.page.route("**/wall/**", lambda route: route.abort())
    screen.context.clock.fast_forward(61_000)
    expect(clock).to_have_text("time was up 11 min ago")


@pytest.mark.parametrize(("minutes", "heard"), [(4, True), (60, False)])
def test_phone_at_a_table_hears_soon_of_a_minute_taken_off_near_the_end(new_phone, minutes, heard):
    place = going(ClubFactory(slug="moda"), minutes=minutes)
    start_clock(place.pk, NOBODY, at=timezone.now())
    phone = new_phone()
    phone.context.clock.install()
    phone.open(address(Game.objects.get(table__round=place, table__number=1), "write"))
    add_time(place.pk, Added(-60, 60 * minutes), NOBODY, at=timezone.now())
    phone.context.clock.run_for(8_000)
    phone.page.wait_for_timeout(1_000)

    left = phone.page.locator("#round-bar .clock").get_attribute("data-left")
    assert (int(left) < 60 * (minutes - 1) + 1) is heard


def hall():
    """A second round with names of 22 letters, a finished table and two who sit out."""
    place = going(ClubFactory(slug="moda"), 25, minutes=60, rounds=2)
    play(place, SHORT)
    row = close_round(place.pk, NOBODY, at=timezone.now()).event.tournament
    for player in Player.objects.all():
        player.name = f"{player.name[-3:]} Karamustafaoğulları"
        player.save()
    place = next_round(row)
    change(
        place, leaving=Entrant.objects.filter(sittings__table__number=9, sittings__round=place)[:2]
    )
    play_at(place, 3, SHORT)
    Event.objects.update(published=True)
    return place
