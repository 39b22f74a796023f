"""Documents of many chapters: set a few at once in processes of their own, then bind them."""

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
from tournaments.reports.contents import OnProgress
from tournaments.reports.pdf_parts import read_part
from tournaments.reports.typesetting import printable, typeset_apart

AT_ONCE = min(2, os.cpu_count() or 1)
"""Chapters typeset at once: each takes a processor and about 150 MB."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """Pages set in one run; the data are kept as JSON, which is small.

    `pages` is the number of pages, None if they have to be counted. The pages of the bookmarks are
    those of the chapter, from 1.
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
        return cls(template, json.dumps(printable(data)).encode(), pages, bookmarks)

    def numbered(self, numbering: Mapping[str, Any]) -> bytes:
        return b'{"numbering": %s, %s' % (json.dumps(numbering).encode(), self.json[1:])


@dataclass(frozen=True, slots=True)
class Volume:
    """A PDF of several chapters with continuous page numbers.

    Each template gets `numbering`: its `first` page, the number of pages (`of`), and the first
    pages of all chapters (`starts`).
    """

    chapters: Sequence[Chapter]

    def pieces(self) -> Iterator[bytes]:
        for chapter in self.chapters:
            yield chapter.template.encode()
            yield chapter.json
            marks = [(mark.title, mark.page, mark.level) for mark in chapter.bookmarks]
            yield json.dumps(marks).encode()

    def write(self, path: Path, progress: OnProgress) -> None:
        """Typeset all chapters and bind them; those that have to be counted are set twice."""
        pages = self._counted(path, progress)
        starts = [1, *accumulate(pages, initial=1)][1:]
        whole = starts.pop() - 1
        jobs = [
            (chapter.template, chapter.numbered({"first": first, "of": whole, "starts": starts}))
            for chapter, first in zip(self.chapters, starts, strict=True)
        ]
        ends = [first - 1 for first in (*starts[1:], whole + 1)]
        with path.open("wb") as file:
            binder = Binder(file)
            bound = _set(jobs, path, lambda: progress(Report.Step.SETTING, binder.pages, whole))
            for document, end in zip(bound, ends, strict=True):
                binder.add(document)
                if binder.pages != end:
                    raise ValueError(f"{binder.pages} pages are bound where {end} were to be")
            binder.finish(self._bookmarks(starts))

    def _counted(self, path: Path, progress: OnProgress) -> list[int]:
        """Return the number of pages of each chapter, using placeholders of the same length."""
        numbers = {"first": 100, "of": 999, "starts": [100] * len(self.chapters)}
        jobs = [
            (chapter.template, chapter.numbered(numbers))
            for chapter in self.chapters
            if chapter.pages is None
        ]
        counted = (
            len(read_part(document).pages)
            for document in _set(jobs, path, lambda: progress(Report.Step.SETTING))
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


class TypesettingStopped(Exception):
    """The document being set is no longer wanted."""


def _set(jobs: Sequence[Job], path: Path, progress: Callable[[], None]) -> Iterator[bytes]:
    """Typeset documents beside `path` and yield them in order; `progress` is called meanwhile.

    If the caller stops iterating, or `progress` raises, all running processes are ended.
    """
    stop = threading.Event()

    def waiting() -> None:
        if stop.is_set():
            raise TypesettingStopped

    with ThreadPoolExecutor(AT_ONCE) as pool:
        running: list[tuple[Path, Future[None]]] = []
        try:
            for index, (template, data) in enumerate(jobs):
                part = path.with_name(f"{path.stem}-{index}.pdf")
                running.append((part, pool.submit(typeset_apart, template, data, part, waiting)))
            for part, future in running:
                progress()
                while not wait([future], timeout=0.2).done:
                    progress()
                future.result()
                yield part.read_bytes()
                part.unlink()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
