"""Pages of documents: their families, contents, and the order of names."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournaments.models import Club, Report
from tournaments.models.clubs import Paper
from tournaments.models.reports import LAYOUT
from tournaments.reports.typesetting import draw_json, printable, typeset_apart, typeset_json

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a document: its title, the lines below, and its subject.

    `event` and `date` appear at the top of every page. `description` is metadata for search and
    screen readers; `origin` appears in the footer.
    """

    title: str
    lines: Sequence[str] = ()
    event: str = ""
    date: str = ""
    description: str = ""
    origin: str = "Kingscore"


def page_data(
    heading: Heading,
    club: Club | None = None,
    *,
    paper: str = Paper.A4,
    words: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the data that `page.typ` needs for each document, in the active language.

    A club's document uses the club's paper size, name and logo; `paper` is for documents without a
    club.
    """
    return {
        "language": get_language(),
        "title": heading.title,
        "description": heading.description or heading.title,
        "paper": club.paper if club is not None else paper,
        "club": club and {"name": club.name, "logo": club_logo(club)},
        "event": heading.event,
        "date": heading.date,
        "lines": [*heading.lines],
        "origin": heading.origin,
        "words": {"page": _("Page"), **(words or {})},
    }


def club_logo(club: Club) -> bytes | None:
    """Return the logo of a club; None if it has none, or its file is lost."""
    try:
        with club.logo.open("rb") as file:
            return bytes(file.read())
    except (FileNotFoundError, ValueError):
        return None


OnProgress = Callable[..., None]
"""Callback for the progress of a report: the step, the items done and their number."""

SMALL = 100_000
"""Bytes of data up to which a page is set in this process; more would stay in its memory."""


class Content(Protocol):
    def pieces(self) -> Iterator[bytes]:
        """Yield all data that determine the file."""

    def write(self, path: Path, progress: OnProgress) -> None:
        """Write the file."""


def key_of(report: Report, content: Content) -> str:
    """Return a key for the file of a report; equal keys mean equal files."""
    form = [LAYOUT, report.kind, report.format, report.paper, report.language]
    digest = hashlib.sha256(json.dumps(form).encode())
    for piece in content.pieces():
        digest.update(hashlib.sha256(piece).digest())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class PdfPages:
    """Pages set in one run by one template; the data are kept as JSON, which is small."""

    template: str
    json: bytes

    @classmethod
    def of(cls, template: str, data: Mapping[str, Any]) -> Self:
        return cls(template, json.dumps(printable(data)).encode())

    def pieces(self) -> Iterator[bytes]:
        yield self.template.encode()
        yield self.json

    def write(self, path: Path, progress: OnProgress) -> None:
        progress(Report.Step.SETTING)
        if len(self.json) <= SMALL:
            path.write_bytes(typeset_json(self.template, self.json.decode()))
        else:
            typeset_apart(self.template, self.json, path, lambda: progress(Report.Step.SETTING))


class Picture(PdfPages):
    def write(self, path: Path, progress: OnProgress) -> None:
        progress(Report.Step.SETTING)
        path.write_bytes(draw_json(self.template, self.json.decode()))


Maker = TypeVar("Maker", bound=Callable[[Report, OnProgress], Any])

MAKERS: dict[tuple[str, str], Callable[[Report, OnProgress], Data | Content]] = {}
"""The functions that make documents, by kind and format."""

NOTES: dict[Report.Kind, Promise] = {}
"""What a document is for, in a few words."""

TABLES = (Report.Format.XLSX, Report.Format.CSV)


def document(
    kind: Report.Kind, *formats: Report.Format, note: Promise | None = None
) -> Callable[[Maker], Maker]:
    """Register a function that makes a kind of document in these formats, by default as a PDF.

    It reads in the active language and returns the content of the file, or the data of pages that
    the template of the same name sets. It raises ValueError if the report is not valid.
    """

    def register(make: Maker) -> Maker:
        MAKERS.update({(kind, form): make for form in formats or (Report.Format.PDF,)})
        if note is not None:
            NOTES[kind] = note
        return make

    return register
