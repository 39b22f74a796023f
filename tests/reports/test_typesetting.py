import io
import json
import struct

import pikepdf
import pytest
from django.utils import translation
from PIL import Image
from pypdf.generic import ArrayObject, Destination

from tests.reports.asked import silent
from tests.reports.conftest import PAPERS
from tests.sample_games import load
from tournaments.engine.variants import RULESETS
from tournaments.models import Report
from tournaments.reports.pictures import compose_picture
from tournaments.reports.sheets import compose_scoresheet, empty_sheet
from tournaments.reports.typesetting import (
    FONTS,
    draw_json,
    missing_letters,
    printable,
    typeset,
    typeset_apart,
)
from tournaments.texts import labels

STRANGE = 0x20000
"""A rare Chinese letter, which our fonts lack; it comes after all that they have."""


def font_with(letter):
    """Our font under another name, in which a letter looks like the last one that it has."""
    font = (FONTS / "DejaVuSans.ttf").read_bytes()
    font = font.replace("DejaVu Sans".encode("utf-16-be"), "DejaVu Sons".encode("utf-16-be"))
    font = font.replace(b"DejaVu Sans", b"DejaVu Sons").replace(b"DejaVuSans", b"DejaVuSons")
    tables = struct.unpack_from(">H", font, 4)[0]
    records = (struct.unpack_from(">4sIII", font, 12 + 16 * each) for each in range(tables))
    [cmap] = [offset for tag, _sum, offset, _length in records if tag == b"cmap"]
    for each in range(struct.unpack_from(">H", font, cmap + 2)[0]):
        [offset] = struct.unpack_from(">I", font, cmap + 4 + 8 * each + 4)
        if struct.unpack_from(">H", font, cmap + offset)[0] == 12:
            [groups] = struct.unpack_from(">I", font, cmap + offset + 12)
            last = cmap + offset + 16 + 12 * (groups - 1)
            _first, _last, glyph = struct.unpack_from(">III", font, last)
            return font[:last] + struct.pack(">III", letter, letter, glyph) + font[last + 12 :]
    raise AssertionError("the font has no table of all letters")


def blank(ruleset):
    return empty_sheet(Report(parameters={"ruleset": ruleset}), silent)


@pytest.fixture
def typeset_with(record, tmp_path, monkeypatch, settings):
    """Set a sheet with the strange letter on a machine with a font, and with one that is named."""

    def typeset(machine=(), named=()):
        home = tmp_path / "home"
        for folder, fonts in ((home / ".local/share/fonts", machine), (tmp_path / "named", named)):
            folder.mkdir(parents=True, exist_ok=True)
            for number, font in enumerate(fonts):
                (folder / f"{number}.ttf").write_bytes(font)
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        settings.DOCUMENT_FONTS = [tmp_path / "named"]
        with translation.override("tr"):
            data = compose_scoresheet(record(title="Oyun"), "https://a.example/")
        data["follow"]["caption"] = chr(STRANGE)
        path = tmp_path / "sheet.pdf"
        typeset_apart("scoresheet.typ", json.dumps(printable(data)).encode(), path, lambda: None)
        return path.read_bytes()

    return typeset


def is_accessible(document):
    """A PDF with a letter that no font has does not conform to PDF/UA."""
    return "pdfuaid:part" in pikepdf.open(io.BytesIO(document)).open_metadata()


def test_fonts_of_the_machine_change_no_document(typeset_with):
    plain = typeset_with()

    assert not is_accessible(plain)
    assert typeset_with(machine=[font_with(STRANGE)]) == plain


def test_fonts_that_the_setting_names_lend_the_letters_that_ours_lack(typeset_with):
    assert is_accessible(typeset_with(named=[font_with(STRANGE)]))


def test_letters_that_print_as_boxes_are_known_beforehand(settings, tmp_path):
    settings.DOCUMENT_FONTS = ()
    written = "Şükrü Αλέξης Владимир محمد דוד Գրիգոր გიორგი ♠️ ½"
    lacking = f"มส王明김🎲{chr(STRANGE)}"
    assert set(missing_letters(f"{written} {lacking} {lacking}")) == set(lacking)

    (tmp_path / "strange.ttf").write_bytes(font_with(STRANGE))
    settings.DOCUMENT_FONTS = (tmp_path,)
    assert missing_letters(f"王{chr(STRANGE)}") == "王"


LONG_NAMES = (
    "Muhteşem Süleyman Efendizadeoğulları",
    "Işıl Öztürk",
    "Niccolò D’Alessandro",
    "#strong[Şükrü]",
)
COLUMNS = [
    {"head": "Sıra", "kind": "place"},
    {"head": "Oyuncu"},
    {"head": "Raund", "kind": "number"},
    {"head": "Puan", "kind": "total"},
]


def logo():
    buffer = io.BytesIO()
    Image.new("RGB", (60, 60), (29, 107, 72)).save(buffer, "PNG")
    return buffer.getvalue()


def specimen(paper, **rest):
    return {
        "language": "tr",
        "title": "Puan durumu",
        "description": "Kadıköy Açık, puan durumu",
        "paper": paper,
        "club": {"name": "Moda King Kulübü", "logo": logo()},
        "event": "Kadıköy Açık",
        "date": "22 Kasım 2026",
        "lines": ["5. raunttan sonra ♥"],
        "origin": "Kingscore · king.example",
        "words": {"page": "Sayfa", "contents": "İçindekiler"},
        **rest,
    }


def rows(count):
    return [
        {
            "cells": [
                str(n + 1),
                {"text": LONG_NAMES[n % 4], "below": "Fener ♦"}
                if n == 1
                else f"{LONG_NAMES[n % 4]} {n}",
                f"-{n}",
                str(900 - n),
            ],
            "rule": n == 2,
            "wash": n < 3,
        }
        for n in range(count)
    ]


def part(name, rows, **rest):
    empty = "Kimse yok."
    shape = {"name": name, "note": "", "columns": COLUMNS, "sums": None, "empty": empty}
    return shape | {"rows": rows} | rest


def bookmarks(reader, outline=None):
    """The titles of the bookmarks, each with its page from 1, the inner ones below theirs."""
    for item in reader.outline if outline is None else outline:
        if isinstance(item, Destination):
            yield item.title, reader.get_destination_page_number(item) + 1
        else:
            yield from bookmarks(reader, item)


def headers_of(element):
    element = element.get_object()
    if isinstance(element, ArrayObject):
        return sum(headers_of(kid) for kid in element)
    if not hasattr(element, "get"):
        return 0
    kids = element.get("/K")
    return (element.get("/S") == "/TH") + (headers_of(kids) if kids is not None else 0)


@pytest.mark.parametrize("paper", PAPERS)
def test_table_goes_on_with_its_head_over_accessible_pages(pdf, paper):
    sums = ["", "Toplam", "0", "-12"]
    parts = [part("Genel ♠", rows(100), sums=sums), part("Çekilenler", [])]
    page = pdf(typeset("specimen.typ", specimen(paper, kind="pages", facts=[], parts=parts)))
    texts = [each.extract_text() for each in page.reader.pages]
    catalog = page.reader.trailer["/Root"]

    assert (page.size, page.pages) == (PAPERS[paper], 3)
    assert [text.count("Oyuncu") for text in texts[:2]] == [1, 1]
    for number, text in enumerate(texts, 1):
        assert "Moda King Kulübü" in text
        assert "Kadıköy Açık · 22 Kasım 2026" in text
        assert f"Sayfa {number} / 3" in text
    assert "Muhteşem Süleyman Efendizadeoğulları 96" in page.text
    assert "#strong[Şükrü] 99" in page.text
    assert "−99" in page.text
    assert "−12" in page.text
    assert "Kimse yok." in page.text
    assert list(bookmarks(page.reader)) == [("Puan durumu", 1), ("Genel ♠", 1), ("Çekilenler", 3)]
    assert page.fonts == {"DejaVuSans": True, "DejaVuSans-Bold": True}
    assert len({image.indirect_reference.idnum for image in page.images}) == 1
    assert (catalog["/MarkInfo"]["/Marked"], catalog["/Lang"]) == (True, "tr")
    assert headers_of(catalog["/StructTreeRoot"]) >= 2 * len(COLUMNS)
    assert page.reader.metadata.title == "Puan durumu"


@pytest.mark.parametrize("paper", PAPERS)
def test_sheets_of_a_game_fill_one_page_of_either_paper(pdf, record, paper):
    played = compose_scoresheet(record(), "") | {"paper": paper}
    empty = blank("turkish-king") | {"paper": paper}
    for template, sheet in (("scoresheet.typ", played), ("empty_sheet.typ", empty)):
        page = pdf(typeset(template, sheet))
        assert (page.pages, page.size) == (1, PAPERS[paper])


def test_table_of_many_columns_becomes_smaller_and_keeps_all_numbers(pdf):
    many = [{"head": "Oyuncu"}, *({"head": f"R{n}", "kind": "number"} for n in range(24))]
    scores = [[LONG_NAMES[0], *(str(1000 + n) for n in range(24))]]
    wide = part("Karşılaşmalar", scores, columns=many)
    page = pdf(typeset("specimen.typ", specimen("a4", kind="pages", facts=[], parts=[wide])))

    assert " ".join(str(1000 + n) for n in range(24)) in page.text
    assert "Muhteşem" in page.text


@pytest.mark.parametrize(
    "language", ["tr", *(pytest.param(other, marks=pytest.mark.slow) for other in ("it", "en"))]
)
@pytest.mark.parametrize("ruleset", RULESETS)
def test_empty_sheet_is_one_page_with_every_deal_and_contract(pdf, ruleset, language):
    with translation.override(language):
        data, rules = blank(ruleset), RULESETS[ruleset]
        page = pdf(typeset("empty_sheet.typ", data))
        names = [labels.contract_title(rules, each.id) for each in rules.contracts if each.named]
    assert page.pages == 1
    deals = rules.deals or 20
    below = page.lines.index(data["words"]["totals"])
    numbers = [line.split()[0] for line in page.lines[below - deals : below]]
    assert numbers == [str(number) for number in range(1, deals + 1)]
    assert [name for name in names if name not in page.text] == []
    assert "…" not in page.text
    assert page.fonts == {"DejaVuSans": True, "DejaVuSans-Bold": True}


def test_empty_sheet_gives_points_and_boxes_of_each_contract():
    contracts = blank("turkish-king")["contracts"]
    assert [(contract["points"], contract["boxes"]) for contract in contracts] == [
        ("13 × −50 = −650", 2),
        ("13 × −30 = −390", 2),
        ("8 × −60 = −480", 2),
        ("4 × −100 = −400", 2),
        ("1 × −320 = −320", 2),
        ("2 × −180 = −360", 2),
        ("13 × 50 = 650", 0),
    ]


@pytest.mark.parametrize(
    ("ruleset", "boxes", "note"),
    [
        ("turkish-king", [3, 2], "Sum of all totals at the end: 0"),
        ("turkish-king-internet", [2, 1], "No queens taken 1-1-1-1 is played again"),
    ],
)
def test_empty_sheet_has_boxes_for_each_player_and_what_to_remember(ruleset, boxes, note):
    data = blank(ruleset)
    assert ([quota["boxes"] for quota in data["quotas"]], data["notes"][-1]) == (boxes, note)


@pytest.mark.parametrize(
    ("ruleset", "sides", "turns"),
    [
        ("turkish-king", 4, ["● . . ○", "○ ● . .", ". ○ ● .", ". . ○ ●", "● . . ○"]),
        ("turkish-king-partners", 2, ["●1 ○4", "○1 ●2", "●3 ○2", "○3 ●4", "●1 ○4"]),
        ("honeymoon-king", 2, ["● ○", "○ ●", "● ○", "○ ●", "● ○"]),
        ("turkish-king-double", 4, [". . . ○", "○ . . .", ". ○ ● .", ". . ○ ●", "● . . ○"]),
        ("italian-king", 4, ["○ . . .", ". ○ . .", ". . ○ .", ". . . ○", "○ . . ."]),
        ("barbu", 4, ["● . . ."] * 5),
        ("euchre", 2, ["○1 .", ". ○2", "○3 .", ". ○4", "○1 ."]),
        ("krapet", 2, [". ."] * 5),
    ],
)
def test_empty_sheet_has_a_column_for_each_side_and_says_whose_turn_it_is(ruleset, sides, turns):
    data = blank(ruleset)
    assert data["sides"] == sides
    marks = {"": ".", "declares": "●", "deals": "○"}
    rows = [" ".join(marks[c["mark"]] + c["by"] for c in r["cells"]) for r in data["rows"]]
    assert rows[:5] == turns


AFTER = "after the dealer (No K J, No Q, No 8♦, No K♥, No ♥, No U2, Mis)"


@pytest.mark.parametrize(
    ("ruleset", "says"),
    [
        ("turkish-king", ["Cuts: after the declarer", "Leads: declarer"]),
        (
            "italian-king-pairs",
            ["Cuts: before the dealer", f"Leads: {AFTER}; before the dealer (D, SA)"],
        ),
        ("euchre-two", ["Cuts: after the dealer", "Leads: after the dealer"]),
        ("krapet", []),
    ],
)
def test_empty_sheet_says_who_cuts_and_leads(ruleset, says):
    assert [note for note in blank(ruleset)["notes"] if note[:5] in {"Cuts:", "Leads"}] == says


def picture_of(record, language="tr", *, wide=False):
    with translation.override(language):
        return compose_picture(record, wide=wide)


@pytest.mark.parametrize(("wide", "size"), [(False, (1080, 1350)), (True, (1200, 630))])
@pytest.mark.parametrize(
    "name",
    ["turkish-king-whole", "partners-king", "krapet-points", "barbu-open", "euchre-sequence"],
)
def test_picture_of_every_family_has_its_size(name, wide, size):
    data = picture_of(load(name), wide=wide)
    with Image.open(io.BytesIO(draw_json("picture.typ", json.dumps(printable(data))))) as drawn:
        assert (drawn.format, drawn.size) == ("PNG", size)


def test_picture_says_who_won_by_how_much_and_what_was_earned(record):
    data = picture_of(record())
    assert (data["title"], data["remark"]) == (
        "Çıkan: Ayşe",
        "Telefon fişi: üç kişi batarken tek çıkan",
    )
    sides = [([each["name"] for each in s["members"]], s["total"]) for s in data["sides"]]
    assert sides == [(["Ayşe"], "540"), (["Deniz"], "−100"), (["Burak"], "−110"), (["Cem"], "−330")]
    assert [(badge["name"], badge["who"]) for badge in data["badges"]] == [
        ("Telefon fişi", "Ayşe"),
        ("DYS", "Burak, Cem"),
        ("Öküz gözü", "Ayşe"),
        ("Çiçek", "Burak, Deniz"),
    ]
    assert [line["totals"][-1] for line in data["course"]] == [540, -110, -330, -100]
