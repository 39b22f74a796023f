"""The contents of a report after reading: pages, tables, records; ready to be written."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tournaments.models import Report
from tournaments.models.reports import LAYOUT
from tournaments.reports.typesetting import draw_json, printable, typeset_apart, typeset_json

Data = dict[str, Any]

OnProgress = Callable[..., None]
"""Callback for the progress of a report: the step, the items done and their number."""

SMALL = 100_000
"""Bytes of data up to which a page is set in this process; more would stay in its memory."""


class Content(Protocol):
    """The contents of a file."""

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
class TypstPart:
    """Pages set in one run by one template; the data are kept as JSON, which is small."""

    template: str
    json: bytes

    @classmethod
    def of(cls, template: str, data: Mapping[str, Any]) -> "TypstPart":
        return cls(template, json.dumps(printable(data)).encode())


@dataclass(frozen=True, slots=True)
class PdfPages:
    """A PDF of one or more parts."""

    parts: Sequence[TypstPart]

    def pieces(self) -> Iterator[bytes]:
        for part in self.parts:
            yield part.template.encode()
            yield part.json

    def write(self, path: Path, progress: OnProgress) -> None:
        """Typeset the parts, one by one."""
        (part,) = self.parts
        progress(Report.Step.SETTING)
        if len(part.json) <= SMALL:
            path.write_bytes(typeset_json(part.template, part.json.decode()))
        else:
            typeset_apart(part.template, part.json, path, lambda: progress(Report.Step.SETTING))


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture (PNG) of one part."""

    part: TypstPart

    def pieces(self) -> Iterator[bytes]:
        yield self.part.template.encode()
        yield self.part.json

    def write(self, path: Path, progress: OnProgress) -> None:
        progress(Report.Step.SETTING)
        path.write_bytes(draw_json(self.part.template, self.part.json.decode()))
