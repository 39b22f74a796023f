import re

import pytest
from django.utils import timezone

from tests.deals import WHOLE_GAME
from tests.tournament_builders import play
from tests.web.rounds.going import going, next_round, of_all, play_at
from tournaments.models import Event, Sitting, Tournament
from tournaments.services.audit import NOBODY
from tournaments.services.rounds.clocks import start_clock
from tournaments.services.rounds.rounds import close_round


@pytest.fixture
def wall(visitor):
    """The screens of a published tournament, each as the one before it leads there."""

    def show(place):
        Event.objects.update(published=True)
        shown, path = [], of_all("wall", place)
        while True:
            page = visitor.get(path, HTTP_HX_REQUEST="true")
            shown.append(page)
            path = page.context["next"]
            if path.endswith("screen=0"):
                return shown

    return show


def kinds(screens):
    return [(each.context["screen"].kind, len(each.context["screen"].rows)) for each in screens]


def test_everybody_sees_who_sits_where_and_who_still_plays(club, wall):
    round_ = going(club, 13, minutes=60)
    play_at(round_, 3, WHOLE_GAME)

    screens = wall(round_)

    assert kinds(screens) == [("seating", 7), ("seating", 6), ("going", 12)]
    shown = [table for each in screens[:2] for table in each.context["screen"].rows]
    assert [table.number for table in shown if table.finished] == [3]
    sittings = Sitting.objects.filter(table__number=11).order_by("side")
    seats = [(each.side + 1, each.entrant.shown_name) for each in sittings]
    assert list(shown[10].players) == seats
    assert all(
        f'<b>{seat}</b><span class="wall-name">{name}<' in screens[1].text for seat, name in seats
    )
    assert 3 not in screens[2].context["screen"].rows
    assert all("clock not started" in each.text for each in screens)
    start_clock(round_.pk, NOBODY, at=timezone.now())
    assert "clock not started" not in wall(round_)[0].text


def test_last_round_shows_on_the_wall_only_once_the_tournament_is_finished(club, wall):
    round_ = going(club, 1, rounds=2, hide_last=True)
    play(round_)
    close_round(round_.pk, NOBODY, at=timezone.now())
    before = standings_on(wall(round_))
    assert kinds(wall(round_)) == [("standings", 4)]

    round_ = next_round(Tournament.objects.get())
    assert kinds(wall(round_)) == [("seating", 1), ("standings", 4), ("going", 1)]
    play(round_)
    close_round(round_.pk, NOBODY, at=timezone.now())

    assert standings_on(wall(round_)) == before
    Tournament.objects.update(state="finished")
    assert standings_on(wall(round_)) != before


def standings_on(screens):
    shown = [each.context["screen"] for each in screens]
    return [list(screen.rows) for screen in shown if screen.kind == "standings"]


def test_wall_names_the_stage_that_puts_fewer_points_in_front(club, wall):
    round_ = going(club, 2, rounds=1, finals=4)
    play(round_)
    close_round(round_.pk, NOBODY, at=timezone.now())
    assert [(each.stage, each.through) for each in standings_on(wall(round_))[0][3:5]] == [
        ("final", True),
        ("", False),
    ]
    final = next_round(Tournament.objects.get())
    play(final)
    close_round(final.pk, NOBODY, at=timezone.now())

    shown = wall(final)[0]

    assert [each.stage for each in standings_on([shown])[0]] == ["final"] * 4 + [""] * 4
    assert shown.text.count("<small>Final</small>") == 4


def test_wall_has_the_clock_and_follows_without_scripts(club, visitor):
    round_ = going(club, 1, minutes=60)
    Event.objects.update(published=True)
    start_clock(round_.pk, NOBODY, at=timezone.now())

    page = visitor.get(of_all("wall", round_))

    left = int(re.search(r'data-left="(\d+)" data-running', page.text)[1])
    assert 3590 < left <= 3600
    assert f'content="10;url={of_all("wall", round_)}?screen=1"' in page.text


@pytest.mark.parametrize("tables", [1, 3])
def test_wall_asks_as_much_for_one_table_as_for_three(
    club, visitor, tables, django_assert_num_queries
):
    round_ = going(club, tables)
    Event.objects.update(published=True)

    with django_assert_num_queries(8):
        visitor.get(of_all("wall", round_))
