import csv
import io
import json
from datetime import date
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import openpyxl
import pytest
from django.utils import translation
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.deals import NAMES, WHOLE_GAME
from tests.reports.asked import file_of
from tests.sample_games import SAMPLE, load, load_result
from tests.tournament_builders import closed, running
from tournaments.engine.rules.entries import write_points
from tournaments.models import Report
from tournaments.reports.books import scoresheet_book
from tournaments.reports.documents import compose
from tournaments.reports.spreadsheets import (
    Across,
    Column,
    DataTable,
    Kind,
    TableBook,
    book_content,
    clean,
    number_text,
    sum_of,
)
from tournaments.reports.workbook import sheet_names
from tournaments.web.imports.reading import rows_of_text

COLUMNS = [
    Column("Ad", "name"),
    Column("1", "rounds", Kind.POINTS, many=True),
    Column("2", "rounds", Kind.POINTS, many=True),
    Column("Ceza", "penalty", Kind.POINTS),
    Column("Puan", "points", Kind.POINTS, strong=True),
    Column("Gün", "day", Kind.DATE),
]
THIRD = Fraction(7, 3)
ROWS = [
    ["Şule", -320, Fraction(9, 2), 0, Across(Fraction(-631, 2), 1, 2, (3,)), date(2026, 11, 22)],
    ["Zoë", THIRD, None, 10, Across(Fraction(-23, 3), 1, 2, (3,)), None],
    ["=cmd|' /C calc'!A0", 4, 5, 0, Across(9, 1, 2, (3,)), None],
]


def book(rows=ROWS, **more):
    table = DataTable("Puan durumu", "standings", COLUMNS, rows, **more)
    return TableBook("Kupa & Ligi", ["5. raunt"], [table], "kingscore-standings/1", {"after": 2})


def written(path, form, content_of, paper="a4", language="tr"):
    told = []
    with translation.override(language):
        content = book_content(content_of, SimpleNamespace(format=form, paper=paper))
        content.write(path, lambda *args: told.append(args))
    assert told
    return path


@pytest.fixture
def sheet(tmp_path):
    """The first sheet of a book's workbook: its formulas, or what they came to."""

    def read(content_of, *, values=False, paper="a4"):
        path = written(tmp_path / "a.xlsx", "xlsx", content_of, paper)
        return openpyxl.load_workbook(path, data_only=values).worksheets[0]

    return read


def cells(sheet):
    return [[cell.value for cell in row] for row in sheet.iter_rows()]


def test_workbook_has_numbers_and_formulas_and_what_they_come_to(sheet):
    summed = book(sums=(1, 4), sums_head="Toplam", expected={4: -1}, expected_head="Kontrol")

    formulas, values = cells(sheet(summed)), cells(sheet(summed, values=True))

    assert formulas[0] == ["Ad", "1", "2", "Ceza", "Puan", "Gün"]
    assert formulas[1][:5] == ["Şule", -320, 4.5, 0, "=SUM(B2:C2)-D2"]
    assert formulas[1][5].date() == date(2026, 11, 22)
    assert formulas[2] == ["Zoë", "=7/3", None, 10, "=SUM(B3:C3)-D3", None]
    assert formulas[4][:2] == ["Toplam", "=SUM(B2:B4)"]
    assert formulas[5][4] == '=IF(ABS(E5-(-1))<0.000001,"✓","≠ -1")'
    assert values[1][4] == -315.5
    assert values[2][1] == pytest.approx(float(THIRD))
    # The sum of what stands above, added up by hand: -315.5 - 23/3 + 9.
    assert values[4] == [
        "Toplam",
        pytest.approx(-313.666667),
        None,
        None,
        pytest.approx(-314.166667),
        None,
    ]
    assert values[5][4] == "≠ -1"


def test_workbook_keeps_its_head_in_sight_and_on_each_page(sheet):
    page = sheet(book(fixed=1, landscape=True), paper="us-letter")

    assert page.freeze_panes == "B2"
    assert page.print_title_rows == "$1:$1"
    assert (page.page_setup.orientation, page.page_setup.paperSize) == ("landscape", 1)
    assert (page.page_setup.fitToHeight, page.sheet_properties.pageSetUpPr.fitToPage) == (0, True)
    assert page.oddHeader.left.text.strip() == "Kupa && Ligi"
    assert page.column_dimensions["A"].width > 15


def test_workbook_holds_what_is_too_long_for_a_number_as_text(sheet):
    rows = [["x", 12345678901234567, 1, 0, 1, None]]

    assert sheet(book(rows))["B2"].value == "12345678901234567"


def test_what_decides_a_workbook_is_in_its_pieces():
    def pieces(content_of, paper="a4"):
        report = SimpleNamespace(format="xlsx", paper=paper)
        return b"".join(book_content(content_of, report).pieces())

    assert pieces(book()) == pieces(book())
    others = [pieces(book(), "us-letter"), pieces(book(ROWS[:1])), pieces(book(fixed=1))]
    assert len({pieces(book()), *others}) == 4


def test_sheets_have_names_a_workbook_can_hold():
    long = "Dr. Zeynep Gülşah Karamanlıoğlu’nun masası"

    names = sheet_names(
        ["Masa 1/2: [A]", long, long.replace("Z", "z"), "", "history", "'q'", "❤" * 40, "👑" * 40]
    )

    assert names == [
        "Masa 1-2– (A)",
        "Dr. Zeynep Gülşah Karamanlıoğlu",
        "Dr. zeynep Gülşah Karam (3)",
        "4",
        "history (5)",
        "q",
        "❤" * 31,
        "👑" * 15,
    ]


@pytest.mark.parametrize(("language", "mark"), [("tr", ";"), ("it", ";"), ("en", ",")])
def test_csv_is_as_spreadsheets_of_the_language_expect_it(tmp_path, language, mark):
    file = written(tmp_path / "a.csv", "csv", book(), language=language).read_bytes()

    assert file.startswith(b"\xef\xbb\xbf")
    assert file.count(b"\r\n") == 4
    rows = list(csv.reader(io.StringIO(file.decode("utf-8-sig"), newline=""), delimiter=mark))
    assert rows == [
        ["Ad", "1", "2", "Ceza", "Puan", "Gün"],
        ["Şule", "-320", "4 1/2", "0", "-315 1/2", "2026-11-22"],
        ["Zoë", "2 1/3", "", "10", "-7 2/3", ""],
        ["'=cmd|' /C calc'!A0", "4", "5", "0", "9", ""],
    ]


@pytest.mark.parametrize(("language", "half"), [("tr", "4,5"), ("en", "4.5")])
def test_halves_are_decimals_where_no_third_stands_beside_them(tmp_path, sheet, language, half):
    rows = [["Şule", 4, Fraction(9, 2), 0, Across(Fraction(17, 2), 1, 2, (3,)), None]]
    file = written(tmp_path / "a.csv", "csv", book(rows), language=language).read_text("utf-8-sig")
    assert half in file.replace(";", " ")
    assert [sheet(book(each)).cell(2, 3).number_format for each in (rows, ROWS)] == [
        'General;"−"General',
        '# ??/??;"−"# ??/??',
    ]


def test_json_has_points_as_records_have_them(tmp_path):
    document = json.loads(written(tmp_path / "a.json", "json", book()).read_text())

    assert document["format"] == "kingscore-standings/1"
    assert document["after"] == 2
    assert document["standings"][:2] == [
        {
            "name": "Şule",
            "rounds": [-320, "9/2"],
            "penalty": 0,
            "points": "-631/2",
            "day": "2026-11-22",
        },
        {"name": "Zoë", "rounds": ["7/3", None], "penalty": 10, "points": "-23/3", "day": None},
    ]


@given(st.fractions(max_denominator=60), st.booleans())
def test_number_text_is_exactly_the_number(number, parts):
    text = number_text(number, parts=parts)
    sign = -1 if text.startswith("-") else 1

    assert sign * sum(map(Fraction, text.lstrip("-").split())) == number


NASTY = [
    *("=1+1", "+1", "-1", "@x", "\t=1", "a\nb", '"', "<r>x</r>", "_x0041_", "שלום", "👩‍👩‍👧", "'"),
    *("＝1", "x;=cmd", 'x," =cmd', "'=1", "''x|@y", "Ali, Veli; -1", "a\u2028b"),
]
ANY = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40), st.sampled_from(NASTY)
)


@settings(max_examples=25)
@given(st.lists(ANY, min_size=1, max_size=20))
@example(NASTY)
def test_any_name_stays_the_text_it_is(tmp_path_factory, names):
    folder = tmp_path_factory.mktemp("names")
    rows = [[name, 1, 2, 0, Across(3, 1, 2, (3,)), None] for name in names]

    page = openpyxl.load_workbook(written(folder / "a.xlsx", "xlsx", book(rows))).worksheets[0]
    file = written(folder / "b", "csv", book(rows)).read_bytes().decode("utf-8-sig")

    written_names = [page.cell(n, 1) for n in range(2, len(rows) + 2)]
    assert {cell.data_type for cell in written_names if cell.value is not None} <= {"s"}
    # The reader does not resolve what stands for such signs.
    assert [(cell.value or "").replace("_x005F", "") for cell in written_names] == [
        clean(name) for name in names
    ]
    read = rows_of_text(file, ";")
    assert [cells[0] for _number, cells in read][1:] == [clean(name) for name in names]
    for mark, quoting in product(",;|\t", (csv.QUOTE_MINIMAL, csv.QUOTE_NONE)):
        lines = csv.reader(io.StringIO(file, newline=""), delimiter=mark, quoting=quoting)
        cells = [cell.strip(' "') for line in lines for cell in line]
        assert not [cell for cell in cells if cell[:1] in set("=+-@＝＋－＠")]


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

    taken = [f"Taken: {name}" for name in NAMES]
    assert rows[0] == [*("No.", "Contract", "Declarer", *NAMES, "Sum", "Must be", "Note"), *taken]
    points = [100, 150, 50, 350, "=SUM(D5:G5)", 650]
    assert rows[4] == [4, "Trump ♠", "Deniz", *points, None, 2, 3, 1, 7]
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


@pytest.mark.parametrize(
    ("name", "line", "taken", "note"),
    [
        # Points alone do not give back what was taken: after a sale, of several units, cards left.
        ("italian-king-choice-sales", 0, [2, 6, 3, 2], "sold to Bruno for 4"),
        ("barbu-doubled", 1, ["5·0", "2·0", "6·1", "0·0"], "Hearts·Ace of hearts"),
        ("krapet-match", 1, ["2·8·0", "5·10·0"], "no winner"),
    ],
)
def test_numbers_of_a_deal_are_in_the_table(name, line, taken, note):
    table = scoresheet_book(load(name)).tables[0]
    row = dict(zip([column.key for column in table.columns], table.rows[line], strict=True))
    cells = zip(table.columns, table.rows[line], strict=True)
    assert [cell for column, cell in cells if column.key == "taken"] == taken
    assert row["note"] == note


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

    assert rows[2][3:10] == [-20, 0, 0, 0, "=SUM(D3:G3)", -20, "Adjustment: =revoke"]
    assert rows[3][3:10] == [None] * 6 + ["Stopped early after 1 of 20 deals: no time left"]


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
