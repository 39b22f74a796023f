import csv
import io
import tracemalloc
import zipfile
from datetime import date, datetime
from fractions import Fraction

import openpyxl
import pytest
from django.core.management import call_command
from django.utils.translation import override

from tests.factories import EVENING
from tests.tournament_builders import running
from tests.web.imports.archives import lying_archive, workbook
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import EntrantsRefused, Entry, register_entrants
from tournaments.services.imports.files import FileRefused, ImportFault, NoArchive, Wrong, unpack
from tournaments.services.imports.records import RecordFile, record_files
from tournaments.web.imports import reading
from tournaments.web.imports.reading import ENTRANTS, PLAYERS, RESULTS, read_list, text_of

AYSE_AND_BURAK = ["Ayşe Yılmaz", "Burak Kaya"]
DAMAGED = "Ad Soyad\nŞükrü Ağır\nAy".encode() + b"\xe5" + "e Yılmaz\nİpek Işık\n".encode()


def listed(text, fields=PLAYERS, **how):
    return [line.name for line in read_list(text, fields, **how).lines]


def why(content, fields=PLAYERS):
    with pytest.raises(FileRefused) as refused:
        read_list(text_of(content), fields)
    return refused.value.why


# What is a column.


@pytest.mark.parametrize("fields", [PLAYERS, ENTRANTS])
@pytest.mark.parametrize(
    "text",
    [
        "Ad Soyad;Not\nAyşe Yılmaz;sol elle oynar, erken gelir, geç kalır\nBurak Kaya;yeni, tek\n",
        'Ad Soyad,Not\nAyşe Yılmaz,"sol elle; erken, geç"\nBurak Kaya,\n',
        "Ad Soyad\tNot\nAyşe Yılmaz\ta;b,c\nBurak Kaya\ta, b; c\n",
        "Oyuncular, Moda\n\nAd Soyad;Not\nAyşe Yılmaz;\nBurak Kaya;x\n",
        "sep=|\nAd Soyad|Not\nAyşe Yılmaz|a\nBurak Kaya|b\n",
        "Nome e cognome;Telefono\nAyşe Yılmaz;0039 333 1112223\nBurak Kaya;0039 334 1112223\n",
        "Katılanlar;Numara\nAyşe Yılmaz;0532 111 22 33\nBurak Kaya;ali@x.example\n",
        "Ayşe Yılmaz\nBurak Kaya",
        "1. Ayşe Yılmaz\r2) Burak Kaya\r",
        "No,Ad,Soyad\n1,Ayşe,Yılmaz\n2,Burak,Kaya\n",
        "Yılmaz, Ayşe\nKaya, Burak\n",
        "YILMAZ Ayşe\nKAYA Burak\n".replace("YILMAZ", "Yılmaz").replace("KAYA", "Kaya"),
        "Ayşe;Yılmaz\nBurak;Kaya\n",
        "Ad;Tel\nAyşe Yılmaz;1\nAd;Tel\nBurak Kaya;2\n",
        "Yılmaz;Ayşe\nKaya;Burak\n",
        "Oyuncu\nYılmaz, Ayşe\nBurak Kaya\n",
        "OYUNCU LİSTESİ\nAyşe Yılmaz\nBurak Kaya\nToplam: 2\n",
        "Moda\n\nKatılımcı\tTel\nAyşe Yılmaz\t1\nBurak Kaya\t2\nTOPLAM\t3\n2\t\n",
    ],
)
def test_names_are_found_in_lists_as_clubs_have_them(text, fields):
    assert listed(text, fields) == AYSE_AND_BURAK


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        *(("First name / Last name", "A B"), ("Nome e cognome", "A B"), ("AD VE SOYAD", "A B")),
        *(("Player name", "A B"), ("İsim Soyad", "A B"), ("Oyuncu Adı", "A B")),
        *(("Adı Soyadı", "A B"), ("Full name", "A B"), ("Giocatori:", "A B")),
        *(("Cognome e nome", "B A"), ("Soyadı Adı", "B A"), ("Last name, first name", "B A")),
    ],
)
def test_headings_of_names_are_known_by_their_words(heading, name):
    assert listed(f'"{heading}"\nA B\n') == [name]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("First name", "Last name"), ("Ad", "Soyad"), ("Nome", "Cognome"), ("Adı", "Soyadı")),
        ("Given name", "Family name"),
    ],
)
def test_surname_in_a_column_of_its_own_belongs_to_the_name(one, other):
    assert listed(f"{one},{other}\nAyşe,Yılmaz\nBurak,Kaya\n") == AYSE_AND_BURAK
    assert listed(f"{other};x;{one}\nYılmaz;;Ayşe\nKaya;;Burak\n") == AYSE_AND_BURAK


def test_surnames_in_capitals_and_in_two_words_are_put_behind():
    assert listed("DE LUCA Mario\nROSSI Anna Maria\n") == ["Mario DE LUCA", "Anna Maria ROSSI"]
    assert listed("De Luca, Mario\nRossi, Anna\n") == ["Mario De Luca", "Anna Rossi"]
    assert listed("Abc;Def\nGhi;Jkl\nMno;Prs\n") == ["Abc Def", "Ghi Jkl", "Mno Prs"]
    assert listed("Ayşe YILMAZ\nBurak KAYA\n") == ["Ayşe YILMAZ", "Burak KAYA"]


@pytest.mark.parametrize("heading", ["Takım;İsim;Kulüp;Telefon", "Squadra;Nome;Circolo;x"])
def test_headings_say_what_stands_where(heading):
    lines = read_list(f"{heading}\nModa;Ayşe;;0532\nŞişli;İpek;Kadıköy;0533\n", ENTRANTS).lines

    assert [line.cells for line in lines] == [
        {"name": "Ayşe", "team": "Moda", "represents": ""},
        {"name": "İpek", "team": "Şişli", "represents": "Kadıköy"},
    ]


def test_menu_says_what_a_column_is():
    text = "Ayşe;Yılmaz;Moda\nBurak;Kaya;Moda\n"

    fields = [field for _heading, field in read_list(text, ENTRANTS).columns]
    assert fields == ["name", "surname", "team"]
    assert listed(text, ENTRANTS, chosen=["surname", "name", ""]) == ["Yılmaz Ayşe", "Kaya Burak"]
    assert listed("Ayşe Yılmaz;Moda\n", ENTRANTS, chosen=["reversed", "x"]) == ["Yılmaz Ayşe"]
    nobody = read_list(text, ENTRANTS, ["", "team", ""])
    assert (nobody.missing, nobody.lines) == (["name"], [])


@pytest.mark.parametrize(
    "text",
    [
        "Ayşe + Burak;Moda\nCem+Deniz;",
        "Ayşe;Burak;Moda\nCem;Deniz",
        "Ad;Eş;Takım\nAyşe;Burak;Moda\nCem;Deniz;;",
    ],
)
def test_pairs_share_a_cell_or_stand_in_two(text):
    lines = read_list(text, ENTRANTS, pairs=True).lines

    assert [(line.name, line.cells["partner"], line.cells["team"]) for line in lines] == [
        *(("Ayşe", "Burak", "Moda"), ("Cem", "Deniz", "")),
    ]


def test_lines_keep_their_numbers_and_say_what_is_left_out():
    read = read_list('Moda\n\nADI\tTel\n2) Burak "Kaptan\t1\n\nTOPLAM\t1\n12\n', ENTRANTS)

    assert [(line.number, line.name) for line in read.lines] == [(4, 'Burak "Kaptan')]
    assert read.columns == [("ADI", "name"), ("Tel", "")]
    assert read.left_out == [(1, "Moda"), (6, "TOPLAM 1"), (7, "12")]


RESULT_LISTS = [
    "Tarih;Oyuncu;Puan\n20.11.2026 21:30;Ali A;100\n20.11.2026 21:30;Ali B;-100\n",
    "Moda, 2026\nTarih;Oyuncu;Puan\n20.11.2026;Ali A;100\n20.11.2026;Ali B;-100\nToplam;;0\n",
    "PUAN\tOYUNCU\tTARİH\t?\n100\tAli A\t20/11/26\tx\n−100\tAli B\t20-11-2026\ty\n\t\t\t0\n",
    "Punti;Giocatore;Data\n100;Ali A;21.11.2026 00:40\n-100;Ali B;20.11.2026 00:00:00\n",
    "Points:,Player,Date\n100,Ali A,11/20/2026\n-100,Ali B,11/20/2026\n",
    "20 Kasım 2026;Cuma;1;1;Ali A;100\n20 novembre 2026;Cuma;1;1;Ali B;-100\n",
    "Date,Player,Points\n46346,Ali A,100\n46346.9,Ali B,-100\n",
]


@pytest.mark.parametrize("text", RESULT_LISTS)
def test_results_are_read_with_titles_sums_hours_and_without_headings(text):
    read = read_list(text, RESULTS)

    assert reading.read_days(line.cells["date"] for line in read.lines) == [date(2026, 11, 20)] * 2
    assert [line.name for line in read.lines] == ["Ali A", "Ali B"]
    points = reading.read_points_of([line.cells["points"] for line in read.lines], ",")
    assert points == [100, -100]


# What is in a cell.


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["21.11.2026", "1-2-25"], [(2026, 11, 21), (2025, 2, 1)]),
        (["11/13/2026", "11/05/2026"], [(2026, 11, 13), (2026, 11, 5)]),
        (["11/05/2026", "11/06/2026"], [(2026, 5, 11), (2026, 6, 11)]),
        (["11/20/2026", "20/11/2026"], [None, (2026, 11, 20)]),
        (["14 Mart 2025", "March 14, 2025"], [(2025, 3, 14)] * 2),
        (["2026-11-21T05:59", "2026-11-21 06:00:00"], [(2026, 11, 20), (2026, 11, 21)]),
        (["Friday", "12", "31.02.2026", "19999", "2026", "21.11.2026 99:00"], [None] * 6),
    ],
)
def test_days_are_read_as_their_column_writes_them(cells, days):
    assert reading.read_days(cells) == [day and date(*day) for day in days]


@pytest.mark.parametrize(
    ("cells", "turkish", "english"),
    [
        (["−120", "1 250", "33.3330"], [-120, 1250, Fraction(33333, 1000)], None),
        (["1.250"], [1250], [Fraction(5, 4)]),
        (["1,250"], [Fraction(5, 4)], [1250]),
        (["1.000", "50,5"], [1000, Fraction(101, 2)], None),
        (["1,000", "50.5"], [1000, Fraction(101, 2)], None),
        (["1.250,5", "2.000"], [Fraction(2501, 2), 2000], None),
        (["0.5", "0,5", "1.000"], [Fraction(1, 2)] * 2 + [1000], [Fraction(1, 2)] * 2 + [1]),
        (["12,34,5", "", "0,3333", "nan", "1e5"], [None] * 5, None),
    ],
)
def test_points_are_read_as_their_column_writes_them(cells, turkish, english):
    assert reading.read_points_of(cells, ",") == turkish
    assert reading.read_points_of(cells, ".") == (english or turkish)


def test_small_numbers_and_ticks_are_read():
    assert [reading.read_count(cell) for cell in ("2", "3", "4.", "0", "1000", "x", "²")] == [
        *(2, 3, 4),
        *(None,) * 4,
    ]
    assert [reading.read_yes(cell) for cell in ("Evet", "sì", "X", "1", "hayır", "", "?")] == [
        *(True,) * 4,
        *(False, False, None),
    ]


@pytest.mark.parametrize(
    ("language", "typed", "written"),
    [
        ("tr", "IŞIL İPEK ILGAZ", "Işıl İpek Ilgaz"),
        ("tr", "MARIO ROSSI", "Mario Rossi"),
        ("tr", "tolga ilgaz", "Tolga İlgaz"),
        ("it", "işıl çelik-kaya", "İşıl Çelik-Kaya"),
        ("it", "NICOLÒ D'ANGELO DI IORIO", "Nicolò D'Angelo Di Iorio"),
        ("it", "Ayşe YILMAZ", "Ayşe Yılmaz"),
        ("en", "SEAN MCDONALD III", "Sean McDonald III"),
        ("en", "mary o'brien", "Mary O'Brien"),
        ("en", "McDonald van der Berg", "McDonald van der Berg"),
        ("en", "J. R. Tolkien", "J. R. Tolkien"),
    ],
)
def test_names_in_one_case_are_written_as_names(language, typed, written):
    with override(language):
        assert listed(typed) == [typed]
        assert [line.name for line in read_list(typed, PLAYERS).as_names().lines] == [written]


def test_letters_of_a_list_tell_its_language():
    assert read_list("IRMAK\nŞEN\n", PLAYERS).renames == {"IRMAK": "Irmak", "ŞEN": "Şen"}
    assert read_list("NIL\nŞEN\n", PLAYERS).renames["NIL"] == "Nıl"
    assert read_list("NICOLÒ\nŞEN\n", PLAYERS).renames["NICOLÒ"] == "Nicolò"
    assert read_list("NIL\nSEN\n", PLAYERS).renames["NIL"] == "Nil"


# Files.

TABLE = "Tarih;Akşam;Raund;Masa;Oyuncu;Puan\n14.03.2025;Cuma;1;2;İpek Şığ;−120\n"


@pytest.mark.parametrize("mark", "\t;,|")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_texts_are_read_in_every_unicode_and_with_every_mark(encoding, mark):
    (line,) = read_list(text_of(TABLE.replace(";", mark).encode(encoding)), RESULTS).lines

    assert [*line.cells.values()].sort() == [*TABLE.splitlines()[1].split(";")].sort()
    assert (line.number, line.name, line.cells["points"]) == (2, "İpek Şığ", "−120")


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("İpek Şığ", "cp1254"), ("Nicolò Però", "cp1252"), ("Željko Ak", "cp1252")],
)
def test_texts_of_windows_are_read_in_turkish_and_italian_letters(name, encoding):
    assert listed(text_of(f"Nome\n{name}\n".encode(encoding))) == [name]


@pytest.mark.parametrize("fields", [PLAYERS, ENTRANTS])
def test_damaged_letter_is_marked_in_its_line_and_spoils_no_other(fields):
    lines = read_list(text_of(DAMAGED), fields).lines

    assert [line.name for line in lines] == ["Şükrü Ağır", "Ay\ufffde Yılmaz", "İpek Işık"]
    fault = ImportFault(Wrong.DAMAGED, 3, "name", {"text": "Ay\ufffde Yılmaz"})
    assert [line.fault for line in lines] == [None, fault, None]


def test_workbook_is_read_as_its_cells_are_in_every_language():
    text = text_of(
        workbook(
            ["Date", "Player", "Points", "No"],
            [datetime.fromisoformat("2025-03-14T21:30"), "Ayşe  Ak", 33.333, 1],
            [],
            [date(2025, 3, 15), "Burak", -120.0, None],
            [45731, "Cem", "50,5", "=1+1"],
        )
    )
    for decimal in ".,":
        read = read_list(text, RESULTS)
        cells = [line.cells for line in read.lines]
        assert [line.number for line in read.lines] == [2, 4, 5]
        assert [each["name"] for each in cells] == ["Ayşe Ak", "Burak", "Cem"]
        days = reading.read_days(each["date"] for each in cells)
        assert [str(day) for day in days] == ["2025-03-14", "2025-03-15", "2025-03-15"]
        points = reading.read_points_of([each["points"] for each in cells], decimal)
        assert points == [Fraction(33333, 1000), -120, Fraction(101, 2)]


def test_what_is_no_list_is_refused(monkeypatch):
    assert why(b"\n ; \n") == "empty"
    assert why("İsim;Takım\n".encode()) == "names"
    assert why(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") == "xls"
    assert why(b"%PDF-1.7\x00\x01\x81") == why(b"\x81\x8d\x8f" * 9) == "text"
    assert why(b"PK\x03\x04 and no more") == "xlsx"
    assert why(b"x\n" * (reading.MOST_LINES + reading.MOST_TITLES + 1)) == "long"
    assert why(b"\n" * (2 * reading.MOST_ROWS + 1)) == "long"
    assert why(b"x" * (reading.LARGEST_TEXT + 1)) == "large"
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.active["A1048576"] = "Ayşe"
    book.save(out)
    assert why(out.getvalue()) == "long"
    monkeypatch.setattr(reading, "LARGEST_UNPACKED", 100)
    assert why(workbook(["Ayşe"])) == "large"


def test_quote_that_never_ends_and_a_cell_of_a_megabyte_cost_little():
    assert listed('"Ayşe\nBurak "Kaptan"\n') == ['"Ayşe', 'Burak "Kaptan"']
    assert why(b'"' + b"x" * (csv.field_size_limit() + 1) + b'"') == "text"
    assert len(listed("A" * 100_000)[0]) == reading.LONGEST_CELL


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

    assert listed(text_of(with_declaration("", "Deniz"))) == ["Burak", "Deniz"]
    assert (why(file), why(bomb)) == ("xlsx", "xlsx")


def test_archives_of_too_much_or_in_another_way_of_packing_are_refused():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("one.xml", "other.xml"):
            archive.writestr(name, b" " * 5_000)
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


# Telephone numbers and addresses.

CONTACTS = [
    *("+39 333…", "+39 333 1112223", "0039 333 1112223", "(0532) 123 45 67", "555-1234"),
    *("0532.123.45.67", "٠٥٣٢ ١٢٣ ٤٥ ٦٧", "０５３２１２３４５６７", "tel: 555 123", "3,93331E+11"),
    *("TR33 0006 1005 1978 6457 8413 26", "GB29NWBK60161331926819", "12.05.1987", "5321234567"),
    *("17", "ali@x.example", "mailto:ali@x.example", "<ali@x>", "0532\u2060123\u20604567"),
    *("0532_123*45~67", "ali＠x.example"),
]
PEOPLE = ["Mario Rossi", "Nicolo Bianchi", "Oyuncu 3", "42 Kings"]
TEAMS = ["Team 7", "Moda", "", "3. Masa"]
CONTACT = pytest.mark.parametrize("contact", CONTACTS)


def ways(rows, *kinds):
    for text in (*("\n".join(map(mark.join, rows)) for mark in ";\t"), text_of(workbook(*rows))):
        for fields in kinds or (ENTRANTS,):
            yield read_list(text, fields)


@CONTACT
def test_contact_beside_a_name_is_never_a_team_or_a_name(contact):
    for heading in ([], ["Nome e cognome", "Telefono"], ["Ad Soyad", "Recapito 2"]):
        rows = [*([heading] if heading else []), *([name, contact] for name in PEOPLE)]
        for turn in (1, -1):
            turned = [row[::turn] for row in rows]
            for read in ways(turned, PLAYERS, ENTRANTS):
                assert [line.cells for line in read.lines] == [{"name": n} for n in PEOPLE]
                assert "" in dict(read.columns).values()


@CONTACT
def test_column_behind_one_of_contacts_is_read_as_if_it_were_not_there(contact):
    for read in ways([[name, contact, team] for name, team in zip(PEOPLE, TEAMS, strict=True)]):
        assert [line.cells["team"] for line in read.lines] == TEAMS


@CONTACT
def test_contact_among_names_teams_and_clubs_is_left_out_and_shown(contact):
    rows = [
        *(["Ayşe Ak", "Team 7", "Moda"], ["Burak", contact, "42 Kings"]),
        *(["Cem", "3. Masa", contact], [contact, "Moda", ""]),
    ]
    for heading in ([], [["Ad", "Takım", "Kulüp"]]):
        for read in ways([*heading, *rows]):
            assert [
                tuple(line.cells[key] for key in ("name", "team", "represents"))
                for line in read.lines
            ] == [
                *(("Ayşe Ak", "Team 7", "Moda"), ("Burak", "", "42 Kings"), ("Cem", "3. Masa", "")),
            ]
            assert [text for _number, text in read.contacts] == [contact] * 2
            assert contact in read.left_out[0][1]


@pytest.mark.parametrize(
    "contact", ["0532 123 45 67", "<ali@x>", "(+39 333 1112223)", "tel:5551234"]
)
def test_contact_behind_a_name_in_its_cell_is_taken_from_it(contact):
    for read in ways([[f"Ayşe Çelik {contact}", "Moda"], ["Cem", f"Team 7, {contact}"]]):
        assert [(line.name, line.cells["team"]) for line in read.lines] == [
            *(("Ayşe Çelik", "Moda"), ("Cem", "Team 7")),
        ]


@CONTACT
def test_list_of_contacts_alone_has_no_names_but_is_not_empty(contact):
    assert why(f"{contact}\nToplam\n".encode()) == why(contact.encode()) == "names"
    (line,) = read_list(f"Tarih\tOyuncu\tPuan\n14.03.2025\t{contact}\t5\n", RESULTS).lines
    assert line.name == "-"


@pytest.mark.django_db
def test_contact_typed_for_a_team_is_refused_and_what_stands_already_is_listed(capsys):
    row = running("Ayşe", "Burak", "Cem", "Deniz")
    row.entrants.filter(number=3).update(team="3. Masa", represents="42 Kings")
    page = f"/clubs/{row.event.club.slug}/tournaments/{row.slug}/entrants/2/"
    for number in (*CONTACTS[1:], "0532 111 22 33"):
        for entry in (Entry("Elif", team=number), Entry("Elif", represents=number)):
            with pytest.raises(EntrantsRefused) as refused:
                register_entrants(row.pk, [entry], NOBODY, at=EVENING)
            assert [each.code for each in refused.value.problems.values()] == ["no-label"]
        row.entrants.filter(number=2).update(team=number)

        call_command("find_contacts")

        assert capsys.readouterr().out.splitlines() == [f"{page} {number}", "1 found"]
