"""A moment in a file, whatever its offset: the code on the sheet is that of the exported record."""

import json
from importlib import import_module

import pytest
from django.apps import apps

from tests.club_factories import ClubFactory
from tests.engine.documents.small_tournament import small_tournament
from tests.services.imports import result_files
from tests.services.imports.record_files import asked, record, take_over
from tests.tournament_records import imported
from tournaments.engine.documents.verify import verify
from tournaments.models import Game
from tournaments.queries.sheets import load_sheet
from tournaments.services.checks.caches import seal_what_is_missing
from tournaments.services.checks.nights import look_at_all

pytestmark = pytest.mark.django_db

MOMENTS = (
    "2025-03-14T21:30:00+03:00",
    "2025-03-14T18:30:00.5-07:30",
    "20250314T213000.25+0300",
    "2025-03-14T18:30:00Z",
    "2025-03-14T18:30:00+00:00",
)
WITHOUT_OFFSET = ("2025-03-14T18:30", "2025-03-14")


def by_records(club, moment):
    take_over(club, asked(record(played_at=moment)))


def by_results(club, _moment):
    result_files.take_over(club, result_files.asked(result_files.table()))


def by_tournament(club, moment):
    document = small_tournament()
    document["rounds"][0]["tables"][0]["game"]["record"]["played_at"] = moment
    imported(json.dumps(document), club=club)


def code_of_the_export():
    exported = load_sheet(Game.objects.get()).record
    return verify(json.loads(json.dumps(exported))).digest


@pytest.mark.parametrize(
    ("way", "moment"),
    [
        *((by_records, moment) for moment in (*MOMENTS, *WITHOUT_OFFSET)),
        *((by_tournament, moment) for moment in MOMENTS),
        (by_results, ""),
    ],
)
def test_code_on_the_sheet_is_that_of_the_exported_record(way, moment):
    way(ClubFactory(), moment)

    assert Game.objects.get().digest == code_of_the_export()
    assert "game-digests" not in {cache.name for cache, _ in look_at_all()}


@pytest.mark.parametrize("way", [by_records, by_results])
def test_codes_of_games_imported_before_are_mended_at_night(way):
    way(ClubFactory(), MOMENTS[0])
    Game.objects.update(digest="0" * 64)
    migration = import_module("tournaments.migrations.0046_digests_of_imported_games")

    migration.forget_digests(apps, None)
    seal_what_is_missing()

    assert Game.objects.get().digest == code_of_the_export()
