"""Disks that fill up while a table plays: that of SQLite and its log, PostgreSQL's, the files'.

Each is a small file system in memory (`mount -t tmpfs`, as root), filled to its last byte and
emptied again. The phone sends each deal until it is answered, as the page does; it is told what the
server said meanwhile, and in the end every sheet is compared with what was sent.
"""

import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from benchmarks.faults.programs import FaultySite, Program
from tests.deals import WHOLE_GAME
from tests.phones import CSRF_FIELD, CUT_OFF, Phone, new_key
from tests.postgres import Postgres
from tests.servers import Server
from tests.waiting import wait_until
from tournaments.management.programs import worker_words

HEADING = re.compile(r"<h1>(.*?)</h1>", re.DOTALL)
LASTS = 8.0
"""Seconds for which a disk stays full."""


MOST_LOG_FILES = 20
"""PostgreSQL makes some before it needs them; the disk is too small for so many."""


@dataclass
class Told:
    """The answers to a phone; `keys` are those of its deals, `stored` counts the confirmed ones."""

    statuses: Counter[str] = field(default_factory=Counter)
    headings: set[str] = field(default_factory=set)
    keys: list[str] = field(default_factory=lambda: [new_key() for _ in WHOLE_GAME])
    stored: int = 0
    back_after: float = -1.0

    def __str__(self) -> str:
        said = ", ".join(sorted(self.headings)) or "none"
        return f"{dict(self.statuses)}, pages: {said}; back after {self.back_after:.1f} s"


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A file system of so many megabytes."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(words, check=False).returncode:
        raise SystemExit("Disks are filled by root, who may mount a small one: see --help")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Leave no byte free; what was put there is to be deleted."""
    filling = folder / "filling"
    with filling.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"\0" * 4096)
    return filling


@dataclass
class Trouble:
    """A fault that starts after some deals and is mended later."""

    begin: Callable[[], object]
    go_on: Callable[[], object]
    end: Callable[[], object]


def play_through(phone: Phone, trouble: Trouble, lasts: float = LASTS) -> Told:
    """Write a whole game; each deal is sent with one key until it is answered."""
    told, began, ended = Told(), 0.0, 0.0
    phone.open_table()
    while told.stored < len(WHOLE_GAME):
        if told.stored == 3 and not began:
            trouble.begin()
            began = time.monotonic()
        in_trouble = began and not ended
        if in_trouble:
            trouble.go_on()
        if in_trouble and (time.monotonic() > began + lasts or told.stored == len(WHOLE_GAME) - 2):
            trouble.end()
            ended = time.monotonic()
        if not send(phone, told):
            time.sleep(0.3)
        elif ended and told.back_after < 0:
            told.back_after = time.monotonic() - ended
    phone.hang_up()
    return told


def send(phone: Phone, told: Told) -> bool:
    """Send the next deal once; whether it is stored."""
    number = told.stored
    try:
        answer = phone.write_deal(WHOLE_GAME[number], number, told.keys[number])
    except CUT_OFF:
        told.statuses["cut off"] += 1
        return False
    told.statuses[str(answer.status)] += 1
    if answer.status >= 500:
        told.headings |= set(HEADING.findall(answer.text))
    told.stored += answer.status == 200
    return answer.status == 200


def compared(server: Server, told: Told) -> str:
    """Whether the sheet is what was answered."""
    (sheet,) = server.read_sheets().values()
    if set(told.statuses) == {"200"}:
        return "DIFFERENT: nothing went wrong, so that nothing is shown"
    keys = [key for _revision, key, _body in sheet["writes"]]
    whole = sheet["revision"] == len(WHOLE_GAME) and sum(sheet["totals"]) == sheet["expected_sum"]
    return "the sheet is whole" if keys == told.keys and whole else f"DIFFERENT: {sheet}"


def fill_sqlite(folder: Path) -> Iterator[str]:
    """The disk with the database, the log and everything else of a club without servers."""
    with small_disk(folder / "sqlite", 48) as disk, closing(FaultySite(disk / "data")) as server:
        server.start()
        trouble = Trouble(lambda: fill(disk), lambda: fill(disk), (disk / "filling").unlink)
        told = play_through(Phone(server.host, server.port), trouble)
        yield f"SQLite's disk and its log: {told}; {compared(server, told)}"


def fill_postgres(folder: Path) -> Iterator[str]:
    """The disk of PostgreSQL, until its log has no room and it stops itself."""
    # PostgreSQL runs as somebody else.
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    folder.parent.chmod(0o755)
    with small_disk(folder / "postgres", 160) as disk:
        postgres = Postgres(disk)
        postgres.start()
        try:
            with closing(FaultySite(folder / "site", postgres.url())) as server:
                server.start()
                trouble = Trouble(
                    lambda: fill(disk),
                    lambda: eat(postgres, disk),
                    lambda: make_room(postgres, disk),
                )
                told = play_through(Phone(server.host, server.port), trouble)
                yield f"PostgreSQL's disk: {told}; {compared(server, told)}"
        finally:
            postgres.stop("immediate")


def eat(postgres: Postgres, disk: Path) -> None:
    """Have the log of the database need another file: a few deals would fit into the last one."""
    fill(disk)
    with (
        suppress(psycopg.Error),
        psycopg.connect(postgres.url(), autocommit=True, connect_timeout=2) as connection,
    ):
        for _ in range(MOST_LOG_FILES):
            connection.execute("SELECT pg_logical_emit_message(false, 'eat', 'room')")
            connection.execute("SELECT pg_switch_wal()")


def make_room(postgres: Postgres, disk: Path) -> None:
    """Empty the disk; a PostgreSQL that gave up is started again, as systemd does."""
    (disk / "filling").unlink()
    try:
        psycopg.connect(postgres.url(), connect_timeout=2).close()
    except psycopg.Error:
        postgres.stop("immediate")
        (postgres.data / "postmaster.pid").unlink(missing_ok=True)
        postgres.start()


def fill_files(folder: Path) -> Iterator[str]:
    """The disk of the documents, while one is built."""
    data = folder / "data"
    with small_disk(data / "files", 1) as disk, closing(FaultySite(data)) as server:
        server.start()
        log = data / "worker.log"
        worker = Program(worker_words(beat=True), server.environment, log)
        worker.start()
        try:
            fill(disk)
            yield from _build_without_room(Phone(server.host, server.port), disk)
        finally:
            worker.stop()


def _build_without_room(phone: Phone, disk: Path) -> Iterator[str]:
    speaks = {"Accept-Language": "en"}
    found = CSRF_FIELD.search(phone.ask("GET", "/new/", headers=speaks).text)
    assert found is not None
    phone.token = found[1]
    page = phone.post("/empty-sheet/turkish-king/", {}, speaks).location

    def says(words: str) -> Callable[[], bool]:
        return lambda: words in phone.ask("GET", page, headers=speaks).text

    took = seconds_until(says("no room on the disk"))
    yield f"A document without room: given up after {took:.0f} s, with a sentence and a button"
    (disk / "filling").unlink()
    again = phone.post(page, {"action": "again"}, speaks)
    took = seconds_until(says(f"{page}file/"))
    yield f"with room again ({again.status}): built after {took:.1f} s; files: {kept(disk)}"


def seconds_until(done: Callable[[], bool]) -> float:
    began = time.monotonic()
    wait_until(done, 120, 0.5)
    return time.monotonic() - began


def kept(disk: Path) -> list[str]:
    """The files left in the folder of documents."""
    return [path.suffix for path in disk.rglob("*") if path.is_file()]


def run(folder: Path) -> int:
    """Fill one disk after another; whether anything was wrong."""
    failed = 0
    for fault in (fill_sqlite, fill_postgres, fill_files):
        for line in fault(folder / fault.__name__):
            print(line, flush=True)
            failed += "DIFFERENT" in line
    return min(failed, 1)
