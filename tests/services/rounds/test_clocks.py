from datetime import timedelta

import pytest

from tests.factories import EVENING
from tests.tournament_builders import one_table, running
from tournaments.models import AuditEntry, Round, Table
from tournaments.services.audit import NOBODY
from tournaments.services.rounds.clocks import (
    Added,
    NotThatLong,
    add_table_time,
    add_time,
    pause_clock,
    seconds_left,
    start_clock,
)
from tournaments.services.rounds.seating import seat_next_round
from tournaments.services.tournaments.lifecycle import WrongState

pytestmark = pytest.mark.django_db


def after(minutes):
    return EVENING + timedelta(minutes=minutes)


def told(action):
    return list(AuditEntry.objects.filter(action=action).values_list("after", flat=True))


@pytest.mark.parametrize(
    ("used", "started", "at", "left"),
    [
        (0, None, 30, 3600),
        (600, None, 30, 3000),
        (0, 0, 30, 1800),
        (600, 10, 30, 1800),
        (0, 0, 61, -60),
        # A machine whose clock was put back.
        (0, 10, 0, 3600),
    ],
)
def test_what_is_left_follows_from_what_has_run(used, started, at, left):
    round_ = Round(
        clock_seconds=3600,
        clock_used=used,
        clock_started_at=None if started is None else after(started),
    )

    assert seconds_left(round_, after(at)) == left
    assert seconds_left(round_, after(at), extra=300) == left + 300
    round_.closed_at = EVENING
    assert seconds_left(round_, after(at)) is seconds_left(Round(), EVENING) is None


def test_clock_started_and_stopped_twice_is_started_and_stopped_once():
    round_ = one_table(minutes=60)

    start_clock(round_.pk, NOBODY, at=after(0))
    start_clock(round_.pk, NOBODY, at=after(5))
    pause_clock(round_.pk, NOBODY, at=after(20))
    round_ = pause_clock(round_.pk, NOBODY, at=after(40))

    assert seconds_left(round_, after(50)) == 40 * 60
    assert told("start-clock") == [{"round": 1, "clock": 3600}]
    assert told("pause-clock") == [{"round": 1, "clock": 2400}]


def test_time_is_added_once_for_all_by_two_presses_of_one_page():
    round_ = one_table(minutes=60)

    for _press in range(2):
        round_ = add_time(round_.pk, Added(300, 3600), NOBODY, at=EVENING)
    assert (round_.clock_seconds, told("add-time")) == (3900, [{"round": 1, "added": 300}])
    round_ = add_time(round_.pk, Added(-300, 3900), NOBODY, at=EVENING)
    assert round_.clock_seconds == 3600


def test_one_table_has_more_time_than_the_others():
    round_ = one_table(minutes=60)
    table = Table.objects.get()

    for _press in range(2):
        table = add_table_time(table.pk, Added(180, 0), NOBODY, at=EVENING)

    assert table.extra_seconds == 180
    assert seconds_left(round_, EVENING, table.extra_seconds) == 3780
    assert told("add-table-time") == [{"round": 1, "table": 1, "added": 180}]


@pytest.mark.parametrize("seconds", [0, 3 * 3600, -3660])
def test_time_that_cannot_be_given_is_refused(seconds):
    round_ = one_table(minutes=60)

    with pytest.raises(NotThatLong):
        add_time(round_.pk, Added(seconds, 3600), NOBODY, at=EVENING)
    assert Round.objects.get(pk=round_.pk).clock_seconds == 3600


def test_round_without_a_clock_is_given_one():
    round_ = one_table()
    with pytest.raises(WrongState):
        start_clock(round_.pk, NOBODY, at=EVENING)

    add_time(round_.pk, Added(600, 0), NOBODY, at=EVENING)
    round_ = start_clock(round_.pk, NOBODY, at=EVENING)

    assert seconds_left(round_, after(4)) == 360


def test_clock_of_a_round_that_is_not_open_stands():
    row = running("Ayşe", "Burak", "Cem", "Deniz", minutes=60)
    round_ = seat_next_round(row.pk, NOBODY, at=EVENING)

    for change in (start_clock, pause_clock):
        with pytest.raises(WrongState):
            change(round_.pk, NOBODY, at=EVENING)
