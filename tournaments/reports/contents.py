"""What a report is made of once it is read: pages, tables, records; ready to be written."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tournaments.models import Report
from tournaments.models.reports import LAYOUT
from tournaments.reports.typesetting import printable, typeset_apart, typeset_json

Data = dict[str, Any]

Told = Callable[..., None]
"""Told how far a report is: the step, and in it what is done of how many."""

SMALL = 100_000
"""Bytes of data up to which a page is set in this process; more would stay in its memory."""


class Content(Protocol):
    """All that goes into a file."""

    def pieces(self) -> Iterator[bytes]:
        """All that decides what the file will be."""

    def write(self, path: Path, told: Told) -> None:
        """Make the file."""


def key_of(report: Report, content: Content) -> str:
    """What stands for the file of a report: alike only where all of it is alike."""
    form = [LAYOUT, report.kind, report.format, report.paper, report.language]
    digest = hashlib.sha256(json.dumps(form).encode())
    for piece in content.pieces():
        digest.update(hashlib.sha256(piece).digest())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Part:
    """Pages set in one go by one template; its data are kept as JSON, which is small."""

    template: str
    json: bytes

    @classmethod
    def of(cls, template: str, data: Mapping[str, Any]) -> "Part":
        """The part of a template and its data."""
        return cls(template, json.dumps(printable(data)).encode())


@dataclass(frozen=True, slots=True)
class Pages:
    """A PDF of one or more parts."""

    parts: Sequence[Part]

    def pieces(self) -> Iterator[bytes]:
        """The templates with their data."""
        for part in self.parts:
            yield part.template.encode()
            yield part.json

    def write(self, path: Path, told: Told) -> None:
        """Set the parts, one by one."""
        (part,) = self.parts
        told(Report.Step.SETTING)
        if len(part.json) <= SMALL:
            path.write_bytes(typeset_json(part.template, part.json.decode()))
        else:
            typeset_apart(part.template, part.json, path, lambda: told(Report.Step.SETTING))
