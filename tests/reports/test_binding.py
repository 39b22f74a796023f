import io

import pikepdf
import pytest
from django.utils import translation

from tournaments.reports.pdf import Binder, UnknownPdf
from tournaments.reports.sheets import compose_scoresheet
from tournaments.reports.typesetting import typeset

# Texts that look like what holds a PDF together.
TRAPS = ("5 0 R", "(6 0 R (7 0 R) \\", "endobj 8 0 obj", "(U1x0y0)", ">> stream")


def sheet(record, number, url="", caption="Bu oyunu izle"):
    with translation.override("tr"):
        data = compose_scoresheet(
            record(title=f"Oyun {number}"), url or f"https://a.example/{number}"
        )
    data["follow"]["caption"] = caption
    return typeset("scoresheet.typ", data)


@pytest.fixture(scope="module")
def booklet():
    rows = [{"cells": [str(n), "Işıl"]} for n in range(3)]
    columns = [{"head": "Sıra", "kind": "place"}, {"head": "Oyuncu"}]
    part = {"note": "", "columns": columns, "rows": rows, "sums": None, "empty": ""}
    return typeset(
        "specimen.typ",
        {
            "kind": "pages",
            "language": "tr",
            "title": "Şampiyona kitapçığı",
            "description": "Kitapçık",
            "event": "Moda Açık",
            "date": "22 Kasım 2026",
            "lines": ["5. raunttan sonra"],
            "words": {"page": "Sayfa", "contents": "İçindekiler"},
            "facts": [{"name": "Gün", "value": "Cuma"}],
            "parts": [{"name": "Bir", **part}, {"name": "İki", **part}],
        },
    )


def bind(documents, bookmarks=()):
    file = io.BytesIO()
    binder = Binder(file)
    for document in documents:
        binder.add(document)
    binder.finish(bookmarks)
    return file.getvalue()


def opened(document):
    return pikepdf.open(io.BytesIO(document))


def kids(element):
    found = element.get("/K", [])
    return list(found) if isinstance(found, pikepdf.Array) else [found]


def tags(pdf, of="roles"):
    """For each page what is marked on it, in the order of reading, with the path of its tags.

    Each thing marked is checked to be found from its page, or its link, as well.
    """
    pages = {page.obj.objgen: number for number, page in enumerate(pdf.pages)}
    tree = pikepdf.NumberTree(pdf.Root.StructTreeRoot.ParentTree)
    parents = {key: tree[key] for key in tree}
    told = [[] for _page in pdf.pages]

    def walk(element, path):
        path = (*path, str(element.S))
        for kid in kids(element):
            if isinstance(kid, int):
                number = pages[element.Pg.objgen]
                holder = parents[int(pdf.pages[number].obj.StructParents)][kid]
                assert holder.objgen == element.objgen
                told[number].append((path, kid))
            elif kid.get("/Type") == "/OBJR":
                link = kid.Obj
                assert link.objgen in [
                    each.objgen for each in pdf.pages[pages[kid.Pg.objgen]].Annots
                ]
                assert parents[int(link.StructParent)].objgen == element.objgen
                told[pages[kid.Pg.objgen]].append((path, "link"))
            elif kid.get("/Type") == "/MCR":
                number = pages[kid.Pg.objgen]
                assert parents[int(pdf.pages[number].obj.StructParents)][kid.MCID] == element
                told[number].append((path, int(kid.MCID)))
            else:
                assert kid.P.objgen == element.objgen
                walk(kid, path)

    (whole,) = kids(pdf.Root.StructTreeRoot)
    assert str(whole.S) == "/Document"
    walk(whole, ())
    return told


def heads(pdf):
    """The names of the cells that others name as their heads, and all the names they name."""
    tree = pikepdf.NameTree(pdf.Root.StructTreeRoot.IDTree)
    for name in tree:
        assert str(tree[name].ID) == name
    named = {
        str(name)
        for element in pdf.objects
        if isinstance(element, pikepdf.Dictionary) and element.get("/S") in ("/TD", "/TH")
        for attribute in element.get("/A", [])
        for name in attribute.get("/Headers", [])
    }
    return set(tree), named


def test_pages_keep_their_tags_in_order(record, booklet):
    parts = [booklet, sheet(record, 1), sheet(record, 2)]
    with opened(bind(parts)) as whole:
        assert whole.check_pdf_syntax() == []
        assert tags(whole) == [page for part in parts for page in tags(opened(part))]
        names, named = heads(whole)
        assert len(names) == sum(len(heads(opened(part))[0]) for part in parts)
        assert named
        assert named <= names


def test_whole_says_what_it_is_and_how_many_pages_it_has(record, booklet):
    with opened(bind([booklet, sheet(record, 1)])) as whole:
        metadata = whole.open_metadata()
        assert metadata["dc:title"] == whole.docinfo.Title == "Şampiyona kitapçığı"
        assert metadata["pdfuaid:part"] == "1"
        assert int(metadata["{http://ns.adobe.com/xap/1.0/t/pg/}NPages"]) == len(whole.pages) == 4
        assert whole.Root.Lang == "tr"
        assert whole.Root.MarkInfo.Marked


@pytest.mark.parametrize("text", TRAPS)
def test_texts_stay_as_they_are(record, text):
    whole = opened(bind([sheet(record, 1), sheet(record, 2, f"https://a.example/{text}", text)]))
    assert whole.check_pdf_syntax() == []
    (link,) = whole.pages[1].Annots
    assert str(link.A.URI) == f"https://a.example/{text}"
    pictures = [o for o in whole.objects if isinstance(o, pikepdf.Dictionary) and "/Alt" in o]
    assert text in [str(picture.Alt) for picture in pictures]


def test_whole_does_not_conform_where_a_page_does_not(record):
    strange = sheet(record, 2, caption="\U0001f0a1\U00012000")
    assert "pdfuaid:part" not in opened(strange).open_metadata()
    whole = opened(bind([sheet(record, 1), strange, sheet(record, 3)]))
    assert "pdfuaid:part" not in whole.open_metadata()


def test_same_parts_are_bound_to_the_same_bytes(record, booklet):
    parts = [booklet, sheet(record, 1)]
    assert bind(parts) == bind(parts)
    assert bind(parts) != bind([booklet, sheet(record, 2)])


def test_what_typst_did_not_set_is_refused():
    other = io.BytesIO()
    document = pikepdf.Pdf.new()
    document.add_blank_page()
    document.save(other, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    with pytest.raises(UnknownPdf):
        bind([other.getvalue()])
    with pytest.raises(ValueError, match="nothing"):
        bind([])
