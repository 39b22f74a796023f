import io
import tracemalloc
import zipfile
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path

import openpyxl
import pytest
from django.utils import timezone

from tests.web.imports.archives import lying_archive, workbook
from tournaments.engine.variants import RULESETS
from tournaments.services.imports.files import FileRefused, NoArchive, Wrong, unpack
from tournaments.services.imports.names import PlayerLine, PlayersRequest, preview_players
from tournaments.services.imports.records import (
    RecordFile,
    RecordsRequest,
    preview_records,
    record_files,
)
from tournaments.services.imports.results import ResultsRequest, preview_results
from tournaments.web.base.forms import read_points
from tournaments.web.imports import columns

TODAY = date(2026, 11, 22)
TABLE = "Tarih;Akşam;Raund;Masa;Oyuncu;Puan\n14.03.2025;Cuma;1;2;İpek Şığ;−120\n"
ROWS = [
    (1, ["Tarih", "Akşam", "Raund", "Masa", "Oyuncu", "Puan"]),
    (2, ["14.03.2025", "Cuma", "1", "2", "İpek Şığ", "−120"]),
]


def results(*rows, decimal=",", evening="Evening"):
    return columns.read_results(list(rows), evening=evening, decimal=decimal, today=TODAY)


def why(content):
    with pytest.raises(FileRefused) as refused:
        columns.read_rows(content)
    return refused.value.why


@pytest.mark.parametrize("mark", ["\t", ";", ","])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_texts_are_read_in_every_unicode_and_with_every_mark(encoding, mark):
    assert columns.read_rows(TABLE.replace(";", mark).encode(encoding)) == ROWS


def test_title_above_a_table_does_not_hide_the_mark_of_its_columns():
    assert columns.read_rows(("Oyuncular, Moda\n" + TABLE).encode())[1] == (2, ROWS[0][1])


def test_texts_of_windows_are_read_in_turkish_and_italian_letters():
    turkish = TABLE.replace("−", "-").encode("cp1254")
    assert columns.read_rows(turkish)[1][1][4] == "İpek Şığ"
    assert columns.read_rows("Nome\nNicolò Però\n".encode("cp1252"))[1] == (2, ["Nicolò Però"])
    # A letter that the Turkish ones have not.
    assert columns.read_rows("Nome\nŽeljko\n".encode("cp1252"))[1] == (2, ["Željko"])


def test_workbooks_keep_days_and_numbers_as_they_are():
    content = workbook(
        ["Date", "Player", "Points"],
        [datetime.fromisoformat("2025-03-14T21:30"), "Ayşe", -120.0],
        [],
        [date(2025, 3, 15), "Burak", 0.5],
    )

    assert columns.read_rows(content)[1:] == [
        (2, ["2025-03-14", "Ayşe", -120]),
        (4, ["2025-03-15", "Burak", 0.5]),
    ]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("21.11.2026", date(2026, 11, 21)),
        ("2026-11-21", date(2026, 11, 21)),
        ("1-2-25", date(2025, 2, 1)),
        ("11/21/2026", None),
        ("Friday", None),
    ],
)
def test_days_are_read_day_first_or_year_first(text, day):
    assert columns.read_day(text) == day


@pytest.mark.parametrize(
    ("cell", "turkish", "english"),
    [
        ("−120", -120, -120),
        ("1.250", 1250, Fraction(5, 4)),
        ("1,250", Fraction(5, 4), 1250),
        ("1,250.5", Fraction(2501, 2), Fraction(2501, 2)),
        ("1.250,5", Fraction(2501, 2), Fraction(2501, 2)),
        ("1 250", 1250, 1250),
        ("12,34,5", None, None),
        ("", None, None),
        ("0,3333", None, None),
        (0.5, Fraction(1, 2), Fraction(1, 2)),
        (float("nan"), None, None),
    ],
)
def test_points_are_read_as_the_language_writes_them(cell, turkish, english):
    assert read_points(cell, ",") == turkish
    assert read_points(cell, ".") == english


def test_small_numbers_and_ticks_are_read():
    assert [columns.read_count(cell) for cell in ("2", 3, "4.", "0", "1000", "x", "²")] == [
        *(2, 3, 4),
        *(None,) * 4,
    ]
    assert [columns.read_yes(cell) for cell in ("Evet", "sì", "X", 1, "hayır", "", "?")] == [
        *(True,) * 4,
        *(False, False, None),
    ]


@pytest.mark.parametrize(
    "heading",
    [
        ["Puan", "Oyuncu", "TARİH", "?"],
        ["Punti", "Giocatore", "Data", "?"],
        ["Points:", "Player", "Date", "?"],
    ],
)
def test_columns_are_found_by_their_headings_in_three_languages(heading):
    read = results((1, heading), (2, ["10", "Ayşe", "14.03.2025", "x"]))

    (line,) = read.lines
    assert (line.day, line.name, line.points) == (date(2025, 3, 14), "Ayşe", 10)
    assert (line.evening, line.round, line.table, read.faults) == ("Evening", 1, 1, [])


def test_table_without_the_columns_it_needs_says_which():
    with pytest.raises(FileRefused, match=r"Missing: Player, Points$"):
        results((1, ["Tarih", "Masa"]), (2, ["x", "y"]))


def test_all_faults_of_all_lines_are_shown_at_once():
    rows = [
        (2, ["99.99.2025", "Cuma", "x", "", "Ayşe", "ten"]),
        (3, ["", "x" * 81, "1", "0", "=A1", "=1+1"]),
        (4, ["23.11.2026", "Cuma", "1", "1", "Cem", "1"]),
    ]

    read = results(ROWS[0], *rows)

    assert [(fault.line, fault.column, fault.code) for fault in read.faults] == [
        (2, "date", Wrong.NO_DAY),
        (2, "round", Wrong.NO_NUMBER),
        (2, "points", Wrong.NO_POINTS),
        (3, "date", Wrong.EMPTY),
        (3, "evening", Wrong.TOO_LONG),
        (3, "table", Wrong.NO_NUMBER),
        (3, "player", Wrong.FORMULA),
        (3, "points", Wrong.FORMULA),
        (4, "date", Wrong.DAY_TO_COME),
    ]


def test_players_stand_below_headings_or_alone():
    headed = columns.read_players([(1, ["Ad", "Soyad", "Baş harf"]), (2, ["Ayşe", "Ak", "evet"])])
    alone = columns.read_players([(1, ["Ayşe Ak"]), (3, ["Burak"])])

    assert headed.lines == [PlayerLine(2, "Ayşe Ak", initials=True)]
    assert alone.lines == [PlayerLine(1, "Ayşe Ak"), PlayerLine(3, "Burak")]
    titled = columns.read_players(
        [
            (1, ["OYUNCU LİSTESİ"]),
            (3, ["SIRA", "ADI", "SOYADI", "TELEFON"]),
            (4, [1, "Ayşe", "Ak", "0532"]),
            (5, ["", "Toplam:", 12]),
            (6, ["", 12]),
        ]
    )
    assert titled.lines == [PlayerLine(4, "Ayşe Ak")]
    assert [(column.heading, column.field) for column in titled.file.columns] == [
        *(("SIRA", ""), ("ADI", "name"), ("SOYADI", "surname"), ("TELEFON", ""))
    ]
    assert [line.number for line in titled.file.left_out] == [1, 5, 6]
    (fault,) = columns.read_players([(1, ["Name", "Initials"]), (2, ["Ayşe", "maybe"])]).faults
    assert (fault.line, fault.column, fault.code) == (2, "initials", Wrong.NO_YES)


def test_what_is_no_table_is_refused(monkeypatch):
    assert why(b"\n ; \n") == "empty"
    assert why(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") == "xls"
    assert why(b"%PDF-1.7\x00\x01\x81") == "text"
    assert why(b"PK\x03\x04 and no more") == "xlsx"
    assert why(b"x\n" * (columns.MOST_LINES + 2)) == "long"
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.active["A1048576"] = "Ayşe"
    book.save(out)
    assert why(out.getvalue()) == "long"


def test_archive_that_lies_about_its_size_takes_no_memory():
    content = lying_archive(b"xl/workbook.xml", 64)

    tracemalloc.start()
    assert why(content) == "xlsx"
    assert record_files([("x.zip", lying_archive(b"a.json", 64))])[0].text == " " * 1000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 2_000_000


def with_declaration(declaration, word):
    """A workbook with a declaration of its own in its sheet, and a cell that says `word`."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook(["Name"], ["Burak"], ["Cem"]))) as whole,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as changed,
    ):
        for name in whole.namelist():
            text = whole.read(name).decode()
            if name == "xl/worksheets/sheet1.xml":
                text = f"{declaration}{text.replace('Cem', word)}"
            changed.writestr(name, text)
    return out.getvalue()


def test_workbook_brings_in_no_other_file_and_does_not_grow(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("a secret of the server")
    lines = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))

    file = with_declaration(f'<!DOCTYPE x [<!ENTITY a SYSTEM "{secret.as_uri()}">]>', "&a;")
    bomb = with_declaration(f'<!DOCTYPE x [<!ENTITY a0 "ha">{lines}]>', "&a9;")

    assert columns.read_rows(with_declaration("", "Deniz"))[2] == (3, ["Deniz"])
    assert (why(file), why(bomb)) == ("xlsx", "xlsx")


def test_archives_of_too_much_or_in_another_way_of_packing_are_refused():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.xml", b" " * 10_000)
    with pytest.raises(FileRefused, match="too large"):
        unpack(out.getvalue(), 9_999)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.json", b"{}")
    with pytest.raises(NoArchive):
        unpack(out.getvalue(), 9_999)


def test_records_come_alone_in_lines_and_packed():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("b.json", "a/c.jsonl", "__MACOSX/b.json", ".hidden.json", "read.me"):
            archive.writestr(name, "1\n\n2\n" if name.endswith("l") else "{}")

    files = record_files([("one.json", b"\xef\xbb\xbf{}"), ("all.zip", out.getvalue())])

    assert files == [
        RecordFile("one.json", "{}"),
        RecordFile("a/c.jsonl:1", "1"),
        RecordFile("a/c.jsonl:3", "2"),
        RecordFile("b.json", "{}"),
    ]
    with pytest.raises(FileRefused, match="empty"):
        record_files([("many.jsonl", b"\n")])
    with pytest.raises(FileRefused, match="too long"):
        record_files([("many.jsonl", b"{}\n" * 501)])


EXAMPLES = Path(__file__).parents[3] / "docs" / "import"


def content(name):
    return (EXAMPLES / name).read_bytes()


def test_examples_have_no_faults(club):
    players = columns.read_players(columns.read_rows(content("players.csv")))
    read = columns.read_results(
        columns.read_rows(content("results.csv")), evening="", decimal=",", today=date(2026, 1, 1)
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
