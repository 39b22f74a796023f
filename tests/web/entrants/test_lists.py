import io
import zipfile
from itertools import product

import pytest
from django.utils.translation import override

from tests.web.imports.archives import workbook
from tournaments.services.entrants.registration import Entry
from tournaments.services.imports.files import FileRefused
from tournaments.web.entrants import lists
from tournaments.web.entrants.lists import read_file, read_text, write_text

TWO = [Entry("Ayşe Çelik", team="Moda"), Entry("İpek Ilgaz", team="Şişli", represents="Kadıköy")]


def entries(text, *, pairs=False):
    return [line.entry for line in read_text(text, pairs=pairs).lines]


def why(read, *args):
    with pytest.raises(FileRefused) as refused:
        read(*args, pairs=False)
    return refused.value.why


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
    assert why(read_text, " \n;\n") == "empty"
    assert why(read_text, "İsim;Takım\n") == "empty"
    assert why(read_file, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") == "xls"
    assert why(read_file, b"%PDF-1.7\x00\x01\x81") == "text"
    assert why(read_file, b"PK\x03\x04 and no more") == "xlsx"


def test_what_is_too_much_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(lists, "MOST_ENTRANTS", 2)
    assert len(entries("İsim\nA\nB")) == 2
    assert why(read_text, "A\nB\nC\nD") == "long"
    assert why(read_file, b"A" * (lists.LARGEST_FILE + 1)) == "large"
    assert why(read_text, "A" * (lists.LARGEST_TEXT + 1)) == "large"


def test_workbook_that_unpacks_to_much_more_is_refused():
    out = io.BytesIO(workbook(["Ayşe"]))
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/bomb.xml", b" " * (lists.LARGEST_UNPACKED + 1))

    assert len(out.getvalue()) < lists.LARGEST_FILE
    assert why(read_file, out.getvalue()) == "large"
