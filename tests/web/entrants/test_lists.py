from itertools import product

import pytest
from django.core.management import call_command
from django.utils.translation import override

from tests.club_factories import ClubFactory
from tests.factories import EVENING
from tests.tournament_builders import running
from tests.web.imports.archives import workbook
from tournaments.engine.variants import RULESETS
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import EntrantsRefused, Entry, register_entrants
from tournaments.services.imports.files import FileRefused, Wrong
from tournaments.services.imports.results import ResultsRequest, preview_results
from tournaments.web.entrants import lists
from tournaments.web.entrants.lists import read_file, read_text, write_text
from tournaments.web.imports.columns import read_players, read_results, read_rows

TWO = [Entry("Ayşe Çelik", team="Moda"), Entry("İpek Ilgaz", team="Şişli", represents="Kadıköy")]


def entries(text, *, pairs=False):
    return [line.entry for line in read_text(text, pairs=pairs).lines]


def why(read, *args):
    with pytest.raises((FileRefused, lists.TooMany)) as refused:
        read(*args, pairs=False)
    return getattr(refused.value, "why", refused.value.code)


@pytest.mark.parametrize(
    ("language", "typed", "written"),
    [
        ("tr", "IŞIL İPEK ILGAZ", "Işıl İpek Ilgaz"),
        ("it", "IŞIL ipek", "IŞIL ipek"),
        ("it", "işıl çelik-kaya", "İşıl Çelik-Kaya"),
        ("tr", "tolga ilgaz", "Tolga İlgaz"),
        ("it", "NICOLÒ D'ANGELO DI IORIO", "Nicolò D'Angelo Di Iorio"),
        ("en", "McDonald van der Berg", "McDonald van der Berg"),
        ("en", "?", "?"),
    ],
)
def test_names_all_in_one_case_are_written_as_names(language, typed, written):
    with override(language):
        assert lists.as_name(typed) == written


@pytest.mark.parametrize("heading", ["Takım;İsim;Kulüp;Telefon", "Squadra;Nome;Circolo;x"])
def test_headings_say_what_stands_where(heading):
    text = f"{heading}\nModa;Ayşe Çelik;;0532\nŞişli;İpek Ilgaz;Kadıköy;0533\n"

    assert entries(text) == TWO


def test_titles_and_sums_are_left_out_and_columns_say_what_they_become():
    read = read_text("OYUNCU LİSTESİ\nADI\tTel\nAyşe\t1\nTOPLAM\t1\n12\n", pairs=False)

    assert [line.entry for line in read.lines] == [Entry("Ayşe")]
    assert [(each.heading, each.field) for each in read.file.columns] == [
        ("ADI", "name"),
        ("Tel", ""),
    ]
    assert [each.number for each in read.file.left_out] == [1, 4, 5]


def test_surname_in_a_column_of_its_own_belongs_to_the_name():
    assert entries("No,Ad,Soyad\n1,Ayşe,Çelik\n2,İpek,") == [Entry("Ayşe Çelik"), Entry("İpek")]


@pytest.mark.parametrize(
    "text",
    [
        "Ayşe + Burak;Moda\nCem+Deniz;",
        "Ayşe;Burak;Moda\nCem;Deniz",
        "Ad;Eş;Takım\nAyşe;Burak;Moda\nCem / Deniz;;",
    ],
)
def test_pairs_share_a_cell_or_stand_in_two(text):
    assert entries(text, pairs=True) == [Entry("Ayşe", "Burak", "Moda"), Entry("Cem", "Deniz")]


def test_lines_of_a_list_lose_their_numbers_and_keep_their_place():
    lines = read_text('\n1. Ayşe\n\n  2)  Burak "Kaptan\n- Cem\n', pairs=False).lines

    assert [(line.number, line.entry.name) for line in lines] == [
        (2, "Ayşe"),
        (4, 'Burak "Kaptan'),
        (5, "Cem"),
    ]
    assert entries("1\tAyşe\n2\tBurak\n") == [Entry("Ayşe"), Entry("Burak")]


def test_first_sheet_of_a_workbook_is_read_with_the_values_of_its_cells():
    content = workbook(
        ["Sıra", "İsim", "Takım", "Kulüp"],
        [1, "Ayşe  Çelik", "Moda", None],
        [],
        [2.0, "İpek Ilgaz", "Şişli", "Kadıköy"],
        [3, "=1+1"],
    )

    lines = read_file(content, pairs=False).lines

    assert [line.entry for line in lines] == [*TWO, Entry("")]
    assert [line.number for line in lines] == [2, 4, 5]


def test_list_that_is_written_is_read_as_the_same():
    text = '"Ayşe ""Kaptan""";Moda\n2. 3. Cem;"a;b"\n1) Name\nDeniz + Efe + Fulya\n'
    lines = read_text(text, pairs=True).lines

    assert [line.entry for line in lines][0::3] == [
        Entry('Ayşe "Kaptan"', "Moda"),
        Entry("Deniz", "Efe + Fulya"),
    ]
    for pairs, language in product((True, False), ("en", "tr", "it")):
        with override(language):
            written = write_text(lines)
        assert entries(written, pairs=pairs) == [line.entry for line in lines]
    assert written.startswith("Nome\tCompagno\tSquadra\tCircolo\n")


def test_what_is_no_list_is_refused():
    assert why(read_text, " \n;\n") == why(read_text, "İsim;Takım\n") == "names"
    assert why(read_file, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") == "xls"
    assert why(read_file, b"%PDF-1.7\x00\x01\x81") == "text"
    assert why(read_file, b"PK\x03\x04 and no more") == "xlsx"


def test_what_is_too_much_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(lists, "MOST_ENTRANTS", 2)
    assert len(entries("İsim\nA\nB")) == 2
    assert why(read_text, "A\nB\nC\nD") == "too-many-entrants"
    assert why(read_file, b"A" * (lists.LARGEST_FILE + 1)) == "large"
    assert why(read_text, "A" * (lists.LARGEST_TEXT + 1)) == "large"


CONTACTS = [
    *("+39 333…", "+39 333 1112223", "0039 333 1112223", "(0532) 123 45 67", "555-1234"),
    *("0532.123.45.67", "٠٥٣٢ ١٢٣ ٤٥ ٦٧", "０５３２１２３４５６７", "tel: 555 123", "3,93331E+11"),
    *("TR33 0006 1005 1978 6457 8413 26", "GB29NWBK60161331926819", "12.05.1987", "5321234567"),
    *("17", "ali@x.example", "mailto:ali@x.example", "<ali@x>", "0532\u2060123\u20604567"),
    *("0532_123*45~67", "ali＠x.example"),
]
PEOPLE = ["Mario Rossi", "Nicolo Bianchi", "Oyuncu 3", "42 Kings"]
CONTACT = pytest.mark.parametrize("contact", CONTACTS)


def rows_of(contact, *columns):
    cells = {"name": PEOPLE, "contact": [contact] * 4, "team": ["Team 7", "Moda", "", "3. Masa"]}
    return [list(row) for row in zip(*(cells[each] for each in columns), strict=True)]


def ways(rows):
    yield read_text("\n".join(";".join(row) for row in rows), pairs=False)
    yield read_text("\n".join("\t".join(row) for row in rows), pairs=False)
    yield read_file(workbook(*rows), pairs=False)


def below(*headings):
    cases = [(contact, headings[n % len(headings)]) for n, contact in enumerate(CONTACTS)]
    return pytest.mark.parametrize(("contact", "heading"), cases)


@below({}, {"name": "Nome e cognome", "contact": "Telefono"}, {"name": "Ad Soyad"})
@pytest.mark.parametrize("columns", [("name", "contact"), ("contact", "name")])
def test_contact_beside_a_name_is_never_a_team(contact, columns, heading):
    head = [[heading.get(each, "Recapito 2") for each in columns]] if heading else []
    for read in ways(head + rows_of(contact, *columns)):
        assert [line.entry for line in read.lines] == [Entry(name) for name in PEOPLE]
        assert "" in [each.field for each in read.file.columns]


@below([], ["Ad", "Takım", "Kulüp"])
def test_contact_in_a_column_of_teams_or_clubs_is_left_out_and_shown(contact, heading):
    rows = [["Ayşe", "Team 7", "Moda"], ["Burak", contact, "42 Kings"], ["Cem", "3. Masa", contact]]
    expected = [
        Entry("Ayşe", team="Team 7", represents="Moda"),
        Entry("Burak", represents="42 Kings"),
        Entry("Cem", team="3. Masa"),
    ]
    for read in ways([heading, *rows] if heading else rows):
        assert [line.entry for line in read.lines] == expected
        assert [each.text for each in read.file.contacts] == [contact] * 2


@CONTACT
def test_columns_behind_one_of_contacts_are_read_as_if_it_were_not_there(contact):
    for read in ways(rows_of(contact, "name", "contact", "team")):
        assert [line.entry.team for line in read.lines] == ["Team 7", "Moda", "", "3. Masa"]


@CONTACT
def test_contact_is_never_a_name(contact):
    for read in ways([["Ayşe", "Moda"], [contact, "Moda"], ["Cem", ""]]):
        assert [line.entry.name for line in read.lines] == ["Ayşe", "Cem"]
        assert contact in " ".join(each.text for each in read.file.left_out)


@pytest.mark.parametrize(
    "contact", ["0532 123 45 67", "<ali@x>", "(+39 333 1112223)", "tel:5551234"]
)
def test_contact_behind_a_name_in_its_cell_is_taken_from_it(contact):
    for read in ways([[f"Ayşe Çelik {contact}", "Moda"], ["Cem", f"Team 7, {contact}"]]):
        assert [line.entry for line in read.lines] == [
            Entry("Ayşe Çelik", team="Moda"),
            Entry("Cem", team="Team 7"),
        ]


@below([], ["Nome e cognome", "Telefono"], ["Ad Soyad", "Not"])
def test_list_of_a_club_has_no_contact_for_a_name(contact, heading):
    for swapped in (False, True):
        rows = [
            *([heading] if heading else []),
            *rows_of(contact, "name", "contact"),
            [contact, ""],
        ]
        rows = [row[::-1] for row in rows] if swapped else rows
        for content in (workbook(*rows), "\n".join(map(";".join, rows)).encode()):
            read = read_players(read_rows(content))
            assert [line.name for line in read.lines] == PEOPLE


@pytest.mark.django_db
def test_file_of_contacts_alone_has_no_names_but_is_not_empty():
    club = ClubFactory()
    for contact in CONTACTS:
        with pytest.raises(FileRefused) as refused:
            read_players([(1, [contact]), (2, ["Toplam"])])
        assert refused.value.why == "names"
        rows = [(1, ["Tarih", "Oyuncu", "Puan"]), (2, ["14.03.2025", contact, 5])]
        read = read_results(rows, evening="Cuma", decimal=",", today=EVENING.date())
        asked = ResultsRequest(read.lines, RULESETS["turkish-king"], faults=read.faults)
        faults = preview_results(club, asked).faults
        assert [each.code for each in faults if each.column == "player"] == [Wrong.NO_NAME]


@pytest.mark.parametrize("number", [5321234567, 905321234567, 1987.5, 12])
def test_number_cell_of_a_workbook_is_no_team(number):
    read = read_file(workbook(["Ayşe", number, "Moda"], ["Burak", number, ""]), pairs=False)

    assert [line.entry for line in read.lines] == [Entry("Ayşe", team="Moda"), Entry("Burak")]


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
