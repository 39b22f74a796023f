import io

import pytest
from PIL import Image
from pypdf.generic import ArrayObject, Destination

from tournaments.reports.sheets import compose_empty_sheet, compose_scoresheet
from tournaments.reports.typesetting import typeset

PAPERS = {"a4": (595, 842), "us-letter": (612, 792)}
NAMES = (
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


def data(paper, **rest):
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
                {"text": NAMES[n % 4], "below": "Fener ♦"} if n == 1 else f"{NAMES[n % 4]} {n}",
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
    page = pdf(typeset("specimen.typ", data(paper, kind="pages", facts=[], parts=parts)))
    texts = [each.extract_text() for each in page.reader.pages]
    catalog = page.reader.trailer["/Root"]

    assert tuple(round(float(side)) for side in page.reader.pages[0].mediabox[2:]) == PAPERS[paper]
    assert page.pages == 3
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
    empty = compose_empty_sheet("turkish-king") | {"paper": paper}
    for template, sheet in (("scoresheet.typ", played), ("empty_sheet.typ", empty)):
        pages = pdf(typeset(template, sheet)).reader.pages
        sizes = [tuple(round(float(side)) for side in page.mediabox[2:]) for page in pages]
        assert sizes == [PAPERS[paper]]


def test_table_of_many_columns_becomes_smaller_and_keeps_all_numbers(pdf):
    many = [{"head": "Oyuncu"}, *({"head": f"R{n}", "kind": "number"} for n in range(24))]
    scores = [[NAMES[0], *(str(1000 + n) for n in range(24))]]
    wide = part("Karşılaşmalar", scores, columns=many)
    page = pdf(typeset("specimen.typ", data("a4", kind="pages", facts=[], parts=[wide])))

    assert " ".join(str(1000 + n) for n in range(24)) in page.text
    assert "Muhteşem" in page.text


@pytest.mark.parametrize("paper", PAPERS)
def test_cards_fill_their_page_on_both_papers_with_whole_names(pdf, paper):
    cards = [
        {"name": name, "above": "Masa 3", "below": ["Reyting 1.532 ♥"], "foot": f"No. {n}"}
        for n, name in enumerate(NAMES * 3)
    ]
    page = pdf(typeset("specimen.typ", data(paper, kind="cards", items=cards, across=2, down=5)))

    assert page.pages == 2
    for name in NAMES:
        assert page.text.count(name) == 3
    assert "…" not in page.text


def test_wall_is_in_large_print_and_a_booklet_begins_with_what_is_in_it(pdf):
    wall = {"columns": COLUMNS[1::2], "rows": [[NAMES[1], "7"]], "count": 2}
    large = typeset("specimen.typ", data("a4", kind="wall", **wall))
    parts = [part("Genel", rows(3))]
    facts = [{"name": "katılımcı", "value": "96"}]
    booklet = pdf(typeset("specimen.typ", data("a4", kind="pages", facts=facts, parts=parts)))

    sizes = []
    pdf(large).reader.pages[0].extract_text(
        visitor_text=lambda text, _cm, _tm, _font, size: sizes.append(size) if "Işıl" in text else 0
    )
    assert sizes == [15]
    assert booklet.pages == 3
    contents = booklet.reader.pages[1].extract_text()
    assert ("İçindekiler" in contents, "Genel" in contents) == (True, True)
