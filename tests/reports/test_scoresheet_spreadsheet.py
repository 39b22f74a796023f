import openpyxl
import pytest
from django.urls import reverse
from django.utils import translation

from tests.deals import NAMES, WHOLE_GAME
from tests.factories import GameFactory
from tests.reports.asked import file_of
from tests.sample_games import SAMPLE, load, load_result
from tests.tournament_builders import closed, running
from tournaments.engine.rules.entries import write_points
from tournaments.models import Report
from tournaments.reports.books import scoresheet_book
from tournaments.reports.documents import compose
from tournaments.reports.spreadsheets import sum_of

TOTALS = [540, -110, -330, -100]


def file_of_record(tmp_path, record, form="xlsx", language="en"):
    report = Report(kind="scoresheet", format=form, language=language)
    report.parameters = {"record": record}
    path = tmp_path / f"a.{form}"
    with translation.override(language):
        compose(report, lambda *_args: None).write(path, lambda *_args: None)
    return path


def read(path, sheet=0, *, values=False):
    book = openpyxl.load_workbook(path, data_only=values)
    return [[cell.value for cell in row] for row in book.worksheets[sheet].iter_rows()]


def test_table_has_a_row_for_each_deal_with_what_it_was_worth(tmp_path, record):
    rows = read(file_of_record(tmp_path, record()))

    assert rows[0] == [
        *("No.", "Contract", "Declarer", *NAMES, "Sum", "Must be", "Note"),
    ]
    assert rows[4] == [4, "Trump ♠", "Deniz", 100, 150, 50, 350, "=SUM(D5:G5)", 650, None]
    assert len(rows) == 23


def test_totals_are_formulas_that_come_to_what_they_must(tmp_path, record):
    path = file_of_record(tmp_path, record())
    formulas, values = read(path), read(path, values=True)

    assert formulas[21][3:9] == [f"=SUM({letter}2:{letter}21)" for letter in "DEFGHI"]
    added = [sum(row[column] for row in values[1:21]) for column in range(3, 9)]
    assert values[21][:9] == ["Total", None, None, *added]
    assert added == [*TOTALS, 0, 0]
    assert formulas[22][7] == '=IF(ABS(H22-(0))<0.000001,"✓","≠ 0")'
    assert values[22][7] == "✓"


@pytest.mark.parametrize("name", SAMPLE)
def test_table_of_every_record_adds_up_to_its_totals(name):
    record = load(name)
    table = scoresheet_book(record).tables[0]

    points = [at for at, column in enumerate(table.columns) if column.key == "points"]
    assert [write_points(sum_of(table, at)) for at in points] == load_result(name)["totals"]
    ((check, expected),) = table.expected.items()
    assert sum_of(table, check) == expected == sum_of(table, check + 1)
    for row in table.rows:
        assert row[check] is None or row[check].value == row[check + 1]


def test_what_moves_no_points_is_noted(tmp_path, record):
    entries = [
        *WHOLE_GAME[:1],
        {"type": "adjustment", "seat": 0, "points": -20, "to": "none", "reason": "=revoke"},
        {"type": "stopped", "reason": "time"},
    ]
    rows = read(file_of_record(tmp_path, record(entries)))

    assert rows[2][3:] == [-20, 0, 0, 0, "=SUM(D3:G3)", -20, "Adjustment: =revoke"]
    assert rows[3][3:] == [None] * 6 + ["Stopped early after 1 of 20 deals: no time left"]


@pytest.fixture
def game():
    return GameFactory(entries=WHOLE_GAME[:2])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "secret"), [("scoresheet", "write"), ("follow_scoresheet", "follow")]
)
def test_scoresheet_is_asked_for_as_a_table(client, game, name, secret):
    url = reverse(name, args=[game.public_id, game.secret(secret)])

    assert client.post(url, {"format": "json"}).status_code == 404
    assert client.post(url, {"format": "csv"}).status_code == 302
    assert Report.objects.get().format == "csv"


@pytest.mark.django_db
def test_workbook_of_all_sheets_has_the_results_and_a_sheet_for_each_game(tmp_path):
    row = running(*NAMES, rounds=1)
    closed(row, WHOLE_GAME)

    path = file_of(tmp_path, row, "xlsx", kind="sheets")

    assert openpyxl.load_workbook(path).sheetnames == ["Results", "Round 1 · Table 1"]
    results = read(path)
    assert results[0] == ["Round", "Table", "Game", "Name", "Points", "Place", "Finished"]
    assert [line[4:] for line in results[1:]] == [
        *([540, 1, "✓"], [-110, 3, "✓"], [-330, 4, "✓"], [-100, 2, "✓"])
    ]
    assert read(path, 1, values=True)[21][3:7] == TOTALS
