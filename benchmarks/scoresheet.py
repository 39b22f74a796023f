"""Scoresheets as PDF, one and many in a book, beside empty pages.

One sheet is set in a process that goes on; the book is made by a process of its own: read from the
database, composed, set and bound as a worker does, which has loaded the addresses of the site. CPU
and memory are those of the process and of all that it starts (memory as proportional set size,
looked at twice a second).
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import typst
from django.urls import reverse
from django.utils import translation

from benchmarks.figures import Figure, against, in_turn, readable, waited
from tests.deals import WHOLE_GAME
from tournaments.models import Club, Event, Game, Report, Revision, Round, Table
from tournaments.reports.documents import compose
from tournaments.reports.sheets import compose_scoresheet
from tournaments.reports.typesetting import typeset

ROOT = Path(__file__).resolve().parent.parent
DATABASES = ("SQLite",)
SIZES = {
    "tiny": {"times": 1, "sheets": 2},
    "usual": {"times": 15, "sheets": 100},
    "full": {"times": 20, "sheets": 1000},
}
NAMES = ("Ayşe", "Burak", "Cem", "Deniz")
FOLLOW_URL = "https://king.example/follow/abcdefghjk/0123456789abcdefghijklmn/"
TABLES = 250
"""Tables of a round; a thousand sheets are four rounds of them."""

EMPTY = "an empty page"
MAKE = "import django; django.setup(); from benchmarks.scoresheet import make; make({!r}, {})"


def measure(times: int, sheets: int) -> Iterator[Figure]:
    with translation.override("tr"):
        taken = in_turn(
            {
                "a sheet composed only": numbered(sheet),
                "a sheet of 20 deals": numbered(lambda n: typeset("scoresheet.typ", sheet(n))),
                EMPTY: numbered(page),
            },
            times,
        )
    yield from against(taken, EMPTY, waited)
    page_seconds = sum(one.waited for one in taken[EMPTY]) / len(taken[EMPTY]) / 1000
    for number in sorted({min(100, sheets), sheets}):
        event = play(number)
        with tempfile.TemporaryDirectory() as folder:
            book = made(Path(folder) / "book.pdf", event)
        yield Figure(
            f"a book of {number:,} sheets", book["time"], "s", "as many empty pages, one by one",
            number * page_seconds, told(book),
        )  # fmt: skip


def told(book: dict[str, float]) -> str:
    """The other costs of a book."""
    return (
        f"{readable(book['read'])} s of it reading and composing;"
        f" {readable(book['cpu'])} s of CPU, {book['memory']:,.0f} MB of memory,"
        f" a file of {readable(book['size'])} MB"
    )


def numbered(build: Callable[[int], object]) -> Callable[[], object]:
    """Number the sheets, so that no two are equal."""
    numbers = count(1)
    return lambda: build(next(numbers))


def sheet(number: int) -> dict[str, Any]:
    """A whole game of 20 deals, composed."""
    record = {
        "format": "kingscore-game/1",
        "ruleset": "turkish-king",
        "title": f"Perşembe {number}",
        "played_at": "2026-11-20T19:30:00+00:00",
        "players": [f"{name} {number}" for name in NAMES],
        "entries": list(WHOLE_GAME),
    }
    return compose_scoresheet(record, FOLLOW_URL.replace("jk", f"{number + 10:04}"))


def page(number: int) -> object:
    """An empty page."""
    source = f'#set page(paper: "a4")\n#set document(title: "{number}")'.encode()
    return typst.compile(source, format="pdf", pdf_standards="ua-1")


def play(games: int) -> int:
    """Store an event with this many complete games; return its key."""
    at = datetime(2026, 11, 20, 19, 30, tzinfo=UTC)
    club = Club.objects.create(slug=f"moda-{games}", name="Moda King Kulübü", created_at=at)
    event = Event.objects.create(
        club=club, name="Moda Açık", held_on=at.date(), ruleset="turkish-king", created_at=at
    )
    for number in range(1, -(-games // TABLES) + 1):
        round_ = Round.objects.create(event=event, number=number, opened_at=at)
        few = min(TABLES, games - (number - 1) * TABLES)
        tables = Table.objects.bulk_create(Table(round=round_, number=n + 1) for n in range(few))
        rows = Game.objects.bulk_create(
            Game(
                ruleset="turkish-king",
                players=[f"{name} {table.number}" for name in NAMES],
                title=event.name,
                played_at=at,
                revision=len(WHOLE_GAME),
                table=table,
            )
            for table in tables
        )
        Revision.objects.bulk_create(
            Revision(
                game=row, revision=n + 1, key=f"k{n}", kind="entry", position=n, body=body, at=at
            )
            for row in rows
            for n, body in enumerate(WHOLE_GAME)
        )
    return event.pk


def made(path: Path, event: int) -> dict[str, float]:
    """The cost of a book made in a process of its own."""
    words = [sys.executable, "-c", MAKE.format(str(path), event)]
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def make(path: str, event: int) -> None:
    """Make a book; print its cost as JSON."""
    memory = Memory()
    figures = set_book(Path(path), event)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    figures["cpu"] = sum(each.ru_utime + each.ru_stime for each in used)
    figures["memory"] = memory.end()
    figures["size"] = Path(path).stat().st_size / 1e6
    print(json.dumps(figures))


def set_book(path: Path, event: int) -> dict[str, float]:
    """Make the book as a worker does: read, compose, typeset and bind."""
    row = Event.objects.select_related("club").get(pk=event)
    report = Report(
        kind="sheets",
        event=row,
        club=row.club,
        audience="members",
        language="tr",
        parameters={"host": "https://king.example/"},
    )
    reverse("home")
    with translation.override("tr"):
        start = time.perf_counter()
        content = compose(report, lambda *_told: None)
        read = time.perf_counter() - start
        content.write(path, lambda *_told: None)
        taken = time.perf_counter() - start
    return {"read": read, "time": taken}


class Memory:
    """Samples the memory of this process and its children."""

    def __init__(self) -> None:
        self.most = 0
        self.over = threading.Event()
        self.looking = threading.Thread(target=self.look)
        self.looking.start()

    def look(self) -> None:
        """Sample until it is stopped."""
        # To add up what large processes hold takes them time.
        while not self.over.wait(0.5):
            self.most = max(self.most, held(os.getpid()))

    def end(self) -> float:
        """Megabytes at the most."""
        self.over.set()
        self.looking.join()
        return max(self.most, held(os.getpid())) / 1000


def held(process: int) -> int:
    """Kilobytes of a process and its children; 0 once it has ended."""
    place = Path(f"/proc/{process}")
    try:
        lines = (place / "smaps_rollup").read_text().splitlines()
        below = [kid for task in place.glob("task/*/children") for kid in task.read_text().split()]
    except OSError:
        return 0
    own = next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
    return own + sum(held(int(kid)) for kid in below)
