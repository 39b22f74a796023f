"""Two directors who lead one tournament at the same moment, on connections of their own.

What holds them apart is the lock of the tournament's row, and on SQLite the immediate transaction.
"""

import pytest

from tests.club_factories import ClubFactory
from tests.factories import EVENING
from tests.together import at_once, doing, while_another_is_writing
from tests.tournament_builders import plan
from tournaments.models import AuditEntry, Event, Tournament
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import Entry, register_entrants
from tournaments.services.tournaments.lifecycle import (
    create_tournament,
    move_tournament,
    remove_tournament,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tournament():
    return create_tournament(ClubFactory(), plan(), NOBODY, at=EVENING)


def noted(action):
    return AuditEntry.objects.filter(action=action).count()


def test_two_who_start_it_at_once_start_it_once(tournament):
    move_tournament(tournament.pk, "registration", NOBODY, at=EVENING)
    start = doing(move_tournament, tournament.pk, "running", NOBODY)

    assert while_another_is_writing(start, start) == (1, 1, True)
    assert Tournament.objects.get().state == "running"
    assert noted("move-tournament") == 2


def test_step_decided_on_a_state_that_another_has_changed_is_refused(tournament):
    move_tournament(tournament.pk, "registration", NOBODY, at=EVENING)
    start, back = (
        doing(move_tournament, tournament.pk, state, NOBODY) for state in ("running", "draft")
    )

    assert while_another_is_writing(start, back) == (1, "WrongState", True)
    assert Tournament.objects.get().state == "running"


def test_entrant_who_comes_while_the_tournament_is_removed_comes_too_late(tournament):
    remove = doing(remove_tournament, tournament.pk, NOBODY)
    enter = doing(register_entrants, tournament.pk, [Entry("Ayşe")], NOBODY)

    assert while_another_is_writing(remove, enter) == (1, "DoesNotExist", True)
    assert not Tournament.objects.exists()


def test_form_sent_twice_at_once_makes_one_tournament():
    club = ClubFactory()

    def create(*, at):
        create_tournament(club, plan(), NOBODY, at=at, key="k" * 24)

    assert at_once(*[doing(create)] * 4) == [1] * 4
    assert (Event.objects.count(), noted("add-tournament")) == (1, 1)
