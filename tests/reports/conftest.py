import io
from functools import cached_property

import pytest
from pypdf import PdfReader

from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING

PAPERS = {"a4": (595, 842), "us-letter": (612, 792)}


class Pdf:
    """A document as its reader meets it, read once: that takes longer than setting it."""

    def __init__(self, document):
        self.document = document
        self.reader = PdfReader(io.BytesIO(document))

    @property
    def pages(self):
        return len(self.reader.pages)

    @property
    def size(self):
        return tuple(round(float(side)) for side in self.reader.pages[0].mediabox[2:])

    @property
    def is_tagged(self):
        return bool(self.reader.trailer["/Root"]["/MarkInfo"]["/Marked"])

    @cached_property
    def lines(self):
        text = "\n".join(page.extract_text() for page in self.reader.pages)
        return [line.strip() for line in text.splitlines() if line.strip()]

    @cached_property
    def text(self):
        return " ".join(" ".join(self.lines).split())

    @cached_property
    def fonts(self):
        found = {}
        for font in self._objects("/Font"):
            for inner in font.get("/DescendantFonts", [font]):
                descriptor = inner.get_object().get("/FontDescriptor", {})
                embedded = any(key.startswith("/FontFile") for key in descriptor)
                found[str(font["/BaseFont"]).rpartition("+")[2]] = embedded
        return found

    @property
    def images(self):
        return [item for item in self._objects("/XObject") if item["/Subtype"] == "/Image"]

    @property
    def links(self):
        annotations = [a.get_object() for p in self.reader.pages for a in p.get("/Annots", [])]
        return [annotation["/A"]["/URI"] for annotation in annotations]

    def _objects(self, kind):
        for page in self.reader.pages:
            for item in page["/Resources"].get(kind, {}).values():
                yield item.get_object()


@pytest.fixture
def pdf():
    return Pdf


@pytest.fixture
def record():
    def make(entries=WHOLE_GAME, **head):
        return {
            "format": "kingscore-game/1",
            "ruleset": "turkish-king",
            "players": list(NAMES),
            "played_at": EVENING.isoformat(),
            "entries": list(entries),
            **head,
        }

    return make
