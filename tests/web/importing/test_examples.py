"""The example files of `docs/import.md` are imported as they stand."""

from datetime import date
from pathlib import Path

import pytest
from django.utils import timezone

from tournaments.engine.variants import RULESETS
from tournaments.services.importing.players import PlayersAsked, foresee_players
from tournaments.services.importing.record_files import record_files
from tournaments.services.importing.records import RecordsAsked, foresee_records
from tournaments.services.importing.results import ResultsAsked, foresee_results
from tournaments.web.importing.cells import read_rows
from tournaments.web.importing.columns import read_players, read_results

pytestmark = pytest.mark.django_db

EXAMPLES = Path(__file__).parents[3] / "docs" / "import"


def content(name):
    return (EXAMPLES / name).read_bytes()


def test_examples_have_no_faults(club):
    players = read_players(read_rows(content("players.csv")))
    read = read_results(
        read_rows(content("results.csv")), evening="", decimal=",", today=date(2026, 1, 1)
    )
    files = record_files([("game.json", content("game.json"))])

    listed = foresee_players(club, PlayersAsked(players.lines, players.faults))
    results = foresee_results(
        club, ResultsAsked(read.lines, RULESETS["turkish-king"], faults=read.faults)
    )
    records = foresee_records(club, RecordsAsked(files, ""), now=timezone.now())

    assert (len(listed.new), listed.faults) == (4, [])
    assert (len(results.to_write), results.faults, results.new_names) == (
        2,
        [],
        [line.name for line in listed.new],
    )
    assert (len(records.to_write), records.wrong) == (1, [])
