"""Imports pressed twice, or by two directors at once, on connections of their own.

What holds them apart is the lock of the club's people, and on SQLite the immediate transaction.
"""

import pytest

from tests.club_factories import ClubFactory
from tests.factories import EVENING
from tests.services.clubs.test_clubs_together import doing
from tests.services.importing.test_records import asked as records_asked
from tests.services.importing.test_records import record
from tests.services.importing.test_results import asked, table
from tests.services.play.test_playing_together import at_once, while_another_is_writing
from tournaments.models import AuditLine, Event, Game, Player, Table
from tournaments.services.auditing import NOBODY
from tournaments.services.importing.players import (
    PlayerLine,
    PlayersAsked,
    foresee_players,
    import_players,
)
from tournaments.services.importing.records import foresee_records, import_records
from tournaments.services.importing.results import foresee_results, import_results

pytestmark = pytest.mark.django_db(transaction=True)

PRESSED = 4


@pytest.fixture
def club():
    return ClubFactory()


def results(club, file):
    """The button below the preview of a file of results."""
    seen = foresee_results(club, file).mark
    return doing(import_results, club.pk, file, seen, NOBODY)


def counted():
    return [model.objects.count() for model in (Event, Table, Game, Player)]


def test_results_pressed_several_times_at_once_are_imported_once(club):
    press = results(club, asked(table()))

    told = at_once(*[press] * PRESSED)

    assert sorted(map(str, told)) == ["1", *["PlanChanged"] * (PRESSED - 1)]
    assert counted() == [1, 1, 1, 4]
    assert AuditLine.objects.filter(action="import-results").count() == 1


def test_records_pressed_several_times_at_once_are_imported_once(club):
    file = records_asked(record())
    seen = foresee_records(club, file, now=EVENING).mark

    told = at_once(*[doing(import_records, club.pk, file, seen, NOBODY)] * PRESSED)

    assert sorted(map(str, told)) == ["1", *["PlanChanged"] * (PRESSED - 1)]
    assert counted() == [1, 1, 1, 4]


def test_players_pressed_several_times_at_once_are_imported_once(club):
    file = PlayersAsked([PlayerLine(1, "Ayşe"), PlayerLine(2, "Burak")])
    seen = foresee_players(club, file).mark

    told = at_once(*[doing(import_players, club.pk, file, seen, NOBODY)] * PRESSED)

    assert sorted(map(str, told)) == ["1", *["PlanChanged"] * (PRESSED - 1)]
    assert Player.objects.count() == 2


def test_two_files_of_one_evening_at_once_are_one_evening(club):
    one = results(club, asked(table()))
    other = results(club, asked(table(2, ("Elif", "Fatma", "Gül", "Hakan"))))

    first, second, waited = while_another_is_writing(one, other)

    # The second one has looked at a club without this evening, and at its own names only.
    assert (first, second, waited) == (1, 1, True)
    assert counted() == [1, 2, 2, 8]
