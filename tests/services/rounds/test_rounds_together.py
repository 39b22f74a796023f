"""Two directors who lead a round at the same moment, on connections of their own.

What holds them apart is the lock of the tournament, and on SQLite the immediate transaction.
"""

import pytest

from tests.club_factories import MemberFactory
from tests.deals import WHOLE_GAME
from tests.evening_builders import write
from tests.factories import EVENING
from tests.together import at_once, while_another_is_writing
from tests.tournament_builders import NINE, PENALTY, decide, one_table, play, running
from tournaments.models import AuditEntry, Entrant, Game, Revision, Round, Ruling, Sitting, Table
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.rounds import calls, clocks, overtime, rounds, seating

pytestmark = pytest.mark.django_db(transaction=True)


def lines(action):
    return AuditEntry.objects.filter(action=action).count()


def leading(service, pk):
    return lambda: bool(service(pk, NOBODY, at=EVENING))


def test_round_is_published_opened_and_closed_once_by_two_at_once():
    round_ = seating.seat_next_round(running(*NINE).pk, NOBODY, at=EVENING)

    for step in (seating.publish_round, rounds.open_round, rounds.close_round):
        if step == rounds.close_round:
            play(round_)
        assert at_once(*[leading(step, round_.pk)] * 2) == [True, True]

    assert [lines(f"{step}-round") for step in ("publish", "open", "close")] == [1, 1, 1]
    counts = [model.objects.count() for model in (Table, Game, Sitting)]
    assert counts == [2, 2, 9]
    assert len(Round.objects.get(pk=round_.pk).standings) == 9


def test_round_that_waited_for_a_write_is_closed_by_the_sheet_after_it():
    round_ = one_table()
    play(round_, WHOLE_GAME[:19])
    table = Table.objects.get()

    first, second, waited = while_another_is_writing(
        write(table, WHOLE_GAME[19], 19), leading(rounds.close_round, round_.pk)
    )

    assert (first, second, waited) == (20, True, True)
    round_.refresh_from_db()
    assert sorted(points for _place, points in round_.standings.values()) == [-330, -110, -100, 540]


def test_clock_is_started_once_and_time_added_once_by_two_at_once():
    round_ = one_table(minutes=60)

    def add():
        return clocks.add_time(round_.pk, clocks.Added(300, 3600), NOBODY, at=EVENING).pk

    at_once(*[leading(clocks.start_clock, round_.pk)] * 2)
    at_once(add, add)

    assert (lines("start-clock"), lines("add-time")) == (1, 1)
    assert Round.objects.get(pk=round_.pk).clock_seconds == 3900


def test_game_is_ended_for_time_once_by_two_at_once():
    round_ = one_table(overtime="last-deal-void")
    play(round_, WHOLE_GAME[:3])
    table = Table.objects.get()
    by = Actor(MemberFactory(club=round_.event.club, role="director").user)

    def finish():
        return overtime.finish_for_time(table.pk, "time", by, at=EVENING)

    assert at_once(finish, finish) == [5, 5]
    assert Revision.objects.count() == 5


def test_penalty_is_given_and_a_call_made_once_by_two_at_once():
    round_ = one_table()
    table, entrant = Table.objects.get(), Entrant.objects.get(number=1)

    at_once(*[lambda: decide(round_, entrant.number, PENALTY).pk] * 2)
    at_once(*[leading(calls.call_director, table.pk)] * 2)

    assert (Ruling.objects.count(), lines("call-director")) == (1, 1)
