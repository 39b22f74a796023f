"""Imports pressed twice, or by two directors at once, on connections of their own.

What holds them apart is the lock of the club's people, and on SQLite the immediate transaction.
"""

import json

import pytest

from tests.club_factories import ClubFactory
from tests.deals import NAMES
from tests.factories import EVENING
from tests.services.imports.record_files import asked as records_asked
from tests.services.imports.record_files import record
from tests.services.imports.result_files import asked, table
from tests.together import at_once, doing, while_another_is_writing
from tests.tournament_builders import NINE, closed, running
from tests.tournament_records import exported, imported
from tournaments.models import Event, Game, Player, Table
from tournaments.services.audit import NOBODY
from tournaments.services.imports.names import (
    PlayerLine,
    PlayersRequest,
    import_players,
    preview_players,
)
from tournaments.services.imports.records import import_records, preview_records
from tournaments.services.imports.results import import_results, preview_results

pytestmark = pytest.mark.django_db(transaction=True)

PRESSED = 4


@pytest.fixture
def club():
    return ClubFactory()


def results(club, file):
    seen = preview_results(club, file).mark
    return doing(import_results, club.pk, file, seen, NOBODY)


def records(club):
    file = records_asked(record())
    seen = preview_records(club, file, now=EVENING).mark
    return doing(import_records, club.pk, file, seen, NOBODY)


def players(club):
    file = PlayersRequest([PlayerLine(number, name) for number, name in enumerate(NAMES)])
    return doing(import_players, club.pk, file, preview_players(club, file).mark, NOBODY)


def counted():
    return [model.objects.count() for model in (Event, Table, Game, Player)]


@pytest.mark.parametrize(
    ("button", "made"),
    [
        (lambda club: results(club, asked(table())), [1, 1, 1, 4]),
        (records, [1, 1, 1, 4]),
        (players, [0, 0, 0, 4]),
    ],
    ids=["results", "records", "players"],
)
def test_file_pressed_several_times_at_once_is_imported_once(club, button, made):
    told = at_once(*[button(club)] * PRESSED)

    assert sorted(map(str, told)) == ["1", *["PlanChanged"] * (PRESSED - 1)]
    assert counted() == made


def test_two_files_of_one_evening_at_once_are_one_evening(club):
    one = results(club, asked(table()))
    other = results(club, asked(table(2, ("Elif", "Fatma", "Gül", "Hakan"))))

    first, second, waited = while_another_is_writing(one, other)

    # The second one has looked at a club without this evening, and at its own names only.
    assert (first, second, waited) == (1, 1, True)
    assert counted() == [1, 2, 2, 8]


def test_one_export_under_several_addresses_at_once_is_there_once(club):
    row = running(*NINE, rounds=1)
    closed(row)
    document = json.loads(exported())

    def move(number):
        own = document | {"tournament": document["tournament"] | {"slug": f"own-{number}"}}
        return lambda: imported(json.dumps(own), club=club).event.club_id

    told = at_once(*map(move, range(PRESSED)))

    assert sorted(map(str, told)) == [str(club.pk), *["GamesExist"] * (PRESSED - 1)]
    assert Game.objects.filter(table__round__event__club=club).count() == 2
