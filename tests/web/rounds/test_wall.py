"""The page for the wall."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from tests.club_factories import ClubFactory, MemberFactory
from tests.deals import WHOLE_GAME
from tests.services.tournaments.test_tournaments import play
from tests.web.rounds.test_running import going, next_round, of_all, play_at
from tournaments.models import Event, Sitting, Tournament
from tournaments.services.auditing import NOBODY
from tournaments.services.tournaments.clocks import start_clock
from tournaments.services.tournaments.drawing import publish_round, seat_next_round
from tournaments.services.tournaments.entering import Entry, register_entrants
from tournaments.services.tournaments.rounds import close_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def club():
    return ClubFactory(slug="moda")


@pytest.fixture
def projector():
    """A screen on which nobody is signed in."""
    return Client(headers={"accept-language": "en"})


@pytest.fixture
def wall(projector):
    """The screens of a published tournament, each as the one before it leads there."""

    def show(place):
        Event.objects.update(published=True)
        shown, path = [], of_all("wall", place)
        while True:
            page = projector.get(path, HTTP_HX_REQUEST="true")
            shown.append(page)
            path = page.context["next"]
            if path.endswith("screen=0"):
                return shown

    return show


def kinds(screens):
    return [(each.context["screen"].kind, len(each.context["screen"].rows)) for each in screens]


def test_everybody_sees_who_sits_where_and_who_still_plays(club, wall):
    place = going(club, 12)
    play_at(place, 3, WHOLE_GAME)

    screens = wall(place)

    assert kinds(screens) == [("seating", 10), ("seating", 2), ("going", 11)]
    names = [
        entrant.shown_name
        for entrant in (sitting.entrant for sitting in Sitting.objects.filter(table__number=11))
    ]
    assert all(name in screens[1].text for name in names)
    assert 3 not in screens[2].context["screen"].rows


def test_who_sits_out_is_told_as_well(club, wall):
    place = going(club, 1, rounds=2)
    play(place)
    close_round(place.pk, NOBODY, at=timezone.now())
    row = Tournament.objects.get()
    register_entrants(row.pk, [Entry("Zeynep")], NOBODY, at=timezone.now())
    place = seat_next_round(row.pk, NOBODY, at=timezone.now())
    publish_round(place.pk, NOBODY, at=timezone.now())

    screens = wall(place)

    assert kinds(screens) == [("seating", 2), ("standings", 5)]
    assert screens[0].context["screen"].rows[1][0] is None
    assert "take your seats" in screens[0].text


def test_last_round_shows_on_the_wall_only_once_the_tournament_is_finished(club, wall):
    place = going(club, 1, rounds=2, hide_last=True)
    play(place)
    close_round(place.pk, NOBODY, at=timezone.now())
    before = standings_on(wall(place))
    assert kinds(wall(place)) == [("standings", 4)]

    place = next_round(Tournament.objects.get())
    assert kinds(wall(place)) == [("seating", 1), ("standings", 4), ("going", 1)]
    play(place)
    close_round(place.pk, NOBODY, at=timezone.now())

    assert standings_on(wall(place)) == before
    Tournament.objects.update(state="finished")
    assert standings_on(wall(place)) != before


def standings_on(screens):
    shown = [each.context["screen"] for each in screens]
    return [list(screen.rows) for screen in shown if screen.kind == "standings"]


def test_wall_has_the_clock_and_follows_without_scripts(club, projector):
    place = going(club, 1, minutes=60)
    Event.objects.update(published=True)
    start_clock(place.pk, NOBODY, at=timezone.now())

    page = projector.get(of_all("wall", place))

    left = int(re.search(r'data-left="(\d+)" data-running', page.text)[1])
    assert 3590 < left <= 3600
    assert f'content="10;url={of_all("wall", place)}?screen=1"' in page.text


def test_unpublished_tournament_is_on_no_wall_but_that_of_its_members(club, projector):
    place = going(club, 1)

    assert projector.get(of_all("wall", place)).status_code == 404
    projector.force_login(MemberFactory(club=club).user)
    assert projector.get(of_all("wall", place)).status_code == 200


@pytest.mark.parametrize("tables", [1, 3])
def test_wall_asks_as_much_for_one_table_as_for_three(
    club, projector, tables, django_assert_num_queries
):
    place = going(club, tables)
    Event.objects.update(published=True)

    with django_assert_num_queries(8):
        projector.get(of_all("wall", place))
