"""The example files of `docs/import.md` are imported as they stand."""

from datetime import date
from pathlib import Path

from django.utils import timezone

from tournaments.engine.variants import RULESETS
from tournaments.services.imports.files import PlayersRequest, preview_players
from tournaments.services.imports.records import RecordsRequest, preview_records, record_files
from tournaments.services.imports.results import ResultsRequest, preview_results
from tournaments.web.imports.columns import read_players, read_results, read_rows

EXAMPLES = Path(__file__).parents[3] / "docs" / "import"


def content(name):
    return (EXAMPLES / name).read_bytes()


def test_examples_have_no_faults(club):
    players = read_players(read_rows(content("players.csv")))
    read = read_results(
        read_rows(content("results.csv")), evening="", decimal=",", today=date(2026, 1, 1)
    )
    files = record_files([("game.json", content("game.json"))])

    listed = preview_players(club, PlayersRequest(players.lines, players.faults))
    results = preview_results(
        club, ResultsRequest(read.lines, RULESETS["turkish-king"], faults=read.faults)
    )
    records = preview_records(club, RecordsRequest(files, ""), now=timezone.now())

    assert (len(listed.new), listed.faults) == (4, [])
    assert (len(results.to_write), results.faults, results.new_names) == (
        2,
        [],
        [line.name for line in listed.new],
    )
    assert (len(records.to_write), records.wrong) == (1, [])
