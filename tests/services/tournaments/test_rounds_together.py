"""Two directors who lead a round at the same moment, on connections of their own.

What holds them apart is the lock of the tournament, and on SQLite the immediate transaction.
"""

import pytest

from tests.club_factories import MemberFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tests.services.play.test_playing_together import at_once, while_another_is_writing
from tests.services.play.test_tables_together import told, write
from tests.services.tournaments.test_clocks import opened
from tests.services.tournaments.test_rulings import PENALTY, decide
from tests.services.tournaments.test_tournaments import NINE, play, running
from tournaments.models import AuditLine, Entrant, Game, Round, Ruling, Table, Write
from tournaments.services.auditing import NOBODY, Actor
from tournaments.services.tournaments import calls, clocks, drawing, overtime, rounds

pytestmark = pytest.mark.django_db(transaction=True)


def lines(action):
    return AuditLine.objects.filter(action=action).count()


def leading(service, pk):
    return told(lambda: bool(service(pk, NOBODY, at=EVENING)))


def test_round_is_published_once_by_two_at_once():
    place = drawing.seat_next_round(running(*NINE).pk, NOBODY, at=EVENING)

    answers = at_once(*[leading(drawing.publish_round, place.pk)] * 2)

    assert (answers, lines("publish-round")) == ([True, True], 1)
    assert (Table.objects.count(), Game.objects.count()) == (2, 2)


def test_round_is_opened_once_by_two_at_once():
    place = drawing.seat_next_round(running(*NINE).pk, NOBODY, at=EVENING)
    drawing.publish_round(place.pk, NOBODY, at=EVENING)

    answers = at_once(*[leading(rounds.open_round, place.pk)] * 2)

    assert (answers, lines("open-round")) == ([True, True], 1)


def test_round_is_closed_once_by_two_at_once():
    place = opened()
    play(place)

    answers = at_once(*[leading(rounds.close_round, place.pk)] * 2)

    assert (answers, lines("close-round")) == ([True, True], 1)
    assert len(Round.objects.get(pk=place.pk).standings) == 4


def test_round_that_waited_for_a_write_is_closed_by_the_sheet_after_it():
    place = opened()
    play(place, WHOLE_GAME[:19])
    table = Table.objects.get()

    first, second, waited = while_another_is_writing(
        write(table, WHOLE_GAME[19], 19), leading(rounds.close_round, place.pk)
    )

    assert (first, second, waited) == (20, True, True)
    place.refresh_from_db()
    assert sorted(points for _place, points in place.standings.values()) == [-330, -110, -100, 540]


def test_write_that_waited_for_a_round_to_close_is_refused():
    place = opened()
    play(place)
    game = Game.objects.get()

    def withdraw():
        body = {"type": "adjustment", "seat": 0, "points": -10, "reason": "late"}
        return write(Table.objects.get(), body, game.revision)()

    first, second, waited = while_another_is_writing(
        leading(rounds.close_round, place.pk), withdraw
    )

    assert (first, second, waited) == (True, "RoundClosed", True)


def test_clock_is_started_once_and_time_added_once_by_two_at_once():
    place = opened(minutes=60)

    def add():
        return clocks.add_time(place.pk, clocks.Added(300, 3600), NOBODY, at=EVENING).pk

    at_once(*[leading(clocks.start_clock, place.pk)] * 2)
    at_once(told(add), told(add))

    assert (lines("start-clock"), lines("add-time")) == (1, 1)
    assert Round.objects.get(pk=place.pk).clock_seconds == 3900


def test_game_is_ended_for_time_once_by_two_at_once():
    place = opened(overtime="last-deal-void")
    play(place, WHOLE_GAME[:3])
    table = Table.objects.get()
    by = Actor(MemberFactory(club=place.event.club, role="director").user)

    def finish():
        return overtime.finish_for_time(table.pk, "time", by, at=EVENING)

    assert at_once(finish, finish) == [5, 5]
    assert Write.objects.count() == 5


def test_penalty_is_given_and_a_call_made_once_by_two_at_once():
    place = opened()
    table, entrant = Table.objects.get(), Entrant.objects.get(number=1)

    at_once(*[told(lambda: decide(place, entrant.number, PENALTY).pk)] * 2)
    at_once(*[leading(calls.call_director, table.pk)] * 2)

    assert (Ruling.objects.count(), lines("call-director")) == (1, 1)
