"""Documents of many chapters: set a few at once in processes of their own, and bound into one."""

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from tournaments.models import Report
from tournaments.reports.binding import Binder, Bookmark
from tournaments.reports.contents import Told
from tournaments.reports.pdf_parts import read_part
from tournaments.reports.typesetting import printable, typeset_apart

AT_ONCE = min(2, os.cpu_count() or 1)
"""So many chapters are set at once: each takes a processor and about 150 MB."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """Pages set in one go; its data are kept as JSON, which is small.

    `pages` is how many there will be, None where they have to be counted. The pages of the
    bookmarks are those of the chapter, from 1.
    """

    template: str
    json: bytes
    pages: int | None = None
    bookmarks: Sequence[Bookmark] = ()

    @classmethod
    def of(
        cls,
        template: str,
        data: Mapping[str, Any],
        bookmarks: Sequence[Bookmark] = (),
        pages: int | None = None,
    ) -> "Chapter":
        """The chapter of a template and its data."""
        return cls(template, json.dumps(printable(data)).encode(), pages, bookmarks)

    def numbered(self, numbering: Mapping[str, Any]) -> bytes:
        """Its data, with what they say of the pages of the whole."""
        return b'{"numbering": %s, %s' % (json.dumps(numbering).encode(), self.json[1:])


@dataclass(frozen=True, slots=True)
class Volume:
    """A PDF of several chapters, with the numbers of its pages through the whole.

    Each template finds `numbering`: its `first` page, how many there are (`of`), and the first
    pages of all chapters (`starts`).
    """

    chapters: Sequence[Chapter]

    def pieces(self) -> Iterator[bytes]:
        """The templates with their data and bookmarks."""
        for chapter in self.chapters:
            yield chapter.template.encode()
            yield chapter.json
            marks = [(mark.title, mark.page, mark.level) for mark in chapter.bookmarks]
            yield json.dumps(marks).encode()

    def write(self, path: Path, told: Told) -> None:
        """Set all chapters and bind them; those that have to be counted are set twice."""
        pages = self._counted(path, told)
        starts = [1, *accumulate(pages, initial=1)][1:]
        whole = starts.pop() - 1
        jobs = [
            (chapter.template, chapter.numbered({"first": first, "of": whole, "starts": starts}))
            for chapter, first in zip(self.chapters, starts, strict=True)
        ]
        ends = [first - 1 for first in (*starts[1:], whole + 1)]
        with path.open("wb") as file:
            binder = Binder(file)
            bound = _set(jobs, path, lambda: told(Report.Step.SETTING, binder.pages, whole))
            for document, end in zip(bound, ends, strict=True):
                binder.add(document)
                if binder.pages != end:
                    raise ValueError(f"{binder.pages} pages are bound where {end} were to be")
            binder.finish(self._bookmarks(starts))

    def _counted(self, path: Path, told: Told) -> list[int]:
        """How many pages each chapter takes; what stands there for their numbers is as long."""
        numbers = {"first": 100, "of": 999, "starts": [100] * len(self.chapters)}
        jobs = [
            (chapter.template, chapter.numbered(numbers))
            for chapter in self.chapters
            if chapter.pages is None
        ]
        counted = (
            len(read_part(document).pages)
            for document in _set(jobs, path, lambda: told(Report.Step.SETTING))
        )
        return [
            next(counted) if chapter.pages is None else chapter.pages for chapter in self.chapters
        ]

    def _bookmarks(self, starts: Sequence[int]) -> list[Bookmark]:
        return [
            Bookmark(mark.title, start + mark.page - 1, mark.level)
            for chapter, start in zip(self.chapters, starts, strict=True)
            for mark in chapter.bookmarks
        ]


Job = tuple[str, bytes]
"""A template and its data."""


class Stopped(Exception):
    """What was being set is not wanted any more."""


def _set(jobs: Sequence[Job], path: Path, told: Callable[[], None]) -> Iterator[bytes]:
    """Set documents beside `path`, and give them in order; `told` is called meanwhile.

    Whoever stops asking for them, or whatever `told` raises, ends all that are being set.
    """
    stop = threading.Event()

    def waiting() -> None:
        if stop.is_set():
            raise Stopped

    with ThreadPoolExecutor(AT_ONCE) as pool:
        running: list[tuple[Path, Future[None]]] = []
        try:
            for index, (template, data) in enumerate(jobs):
                part = path.with_name(f"{path.stem}-{index}.pdf")
                running.append((part, pool.submit(typeset_apart, template, data, part, waiting)))
            for part, future in running:
                told()
                while not wait([future], timeout=0.2).done:
                    told()
                future.result()
                yield part.read_bytes()
                part.unlink()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
