"""Kills a server with its disk while tables write, and has another one take over from its copy.

25 phones write at the tables of a club's evening without a long pause. All processes of `up` get
SIGKILL, and their folder is gone. `take_over` on another folder restores the copy and answers at
the same address. Phones send again what nobody answered, and once another machine answers, what
had been acknowledged: `static/acknowledged.js`. At the end every acknowledged deal is on its sheet,
once. As for phones, so here the copy is read before anything is sent again, to see what it lacks.
"""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.evening.comparing import Comparison, Sent, compare
from benchmarks.evening.machines import family
from benchmarks.evening.tables import Deal
from benchmarks.figures import Figure
from tests.deals import WHOLE_GAME
from tests.phones import CSRF_FIELD, CUT_OFF, Answer, Phone, new_key, with_suit
from tests.servers import READ_SHEETS, environment_of, free_ports, prepared, run_python
from tests.waiting import PATIENCE, wait_until
from tournaments.management.copying import PAUSE, litestream

DATABASES = ("SQLite",)
SIZES = {
    "tiny": {"tables": 3, "seconds": 4},
    "usual": {"tables": 25, "seconds": 15},
    "full": {"tables": 25, "seconds": 60},
}
ROOT = Path(__file__).resolve().parent.parent
GAME = tuple(map(with_suit, WHOLE_GAME))
LAY = "from benchmarks.evening.laying import print_evening\nprint_evening({tables})"


@dataclass
class Table:
    """A phone that writes a game; `answered` has the time of each acknowledged deal."""

    phone: Phone
    game: str
    keys: list[str] = field(default_factory=list)
    answered: dict[str, float] = field(default_factory=dict)
    machine: str = ""
    problem: str = ""

    def write_on(self, done: threading.Event, chance: random.Random) -> None:
        """Write a deal every two seconds; a deal is sent until it is acknowledged."""
        self.phone.token = CSRF_FIELD.search(self.phone.ask("GET", self.phone.path).text)[1]
        for number in range(len(GAME)):
            if done.wait(chance.uniform(1, 3)):
                return
            self.keys.append(new_key())
            while not self.send(number):
                time.sleep(0.3)
            self.answered[self.keys[number]] = time.time()

    def send(self, number: int) -> bool:
        """Send a deal, and before it all others once another machine answers."""
        answer = self.post(number)
        if answer is None:
            return False
        machine = answer.headers["Kingscore-Site"]
        if self.machine not in {"", machine}:
            if not all(self.post(again) for again in range(number)):
                return False
            self.machine = machine
            return self.send(number)
        self.machine = machine
        if answer.status != 200:
            self.problem = f"answered {answer.status}: {answer.text[:300]}"
        return True

    def post(self, number: int) -> Answer | None:
        try:
            answer: Answer = self.phone.write_deal(GAME[number], number, self.keys[number])
        except CUT_OFF:
            return None
        return None if answer.status >= 500 else answer

    def sent(self) -> Sent:
        deals = [
            Deal(key, GAME[number], answered=key in self.answered)
            for number, key in enumerate(self.keys)
        ]
        return Sent(self.game, deals)


@dataclass
class Rehearsal:
    """What became of the deals, and how long it took."""

    acknowledged: int
    missing: int
    oldest_missing: float
    seconds_away: float
    found: Comparison
    problems: list[str]


def rehearse(folder: Path, tables: int, seconds: float) -> Rehearsal:
    """Kill the first machine after so many seconds of writing, and write on at the second."""
    place, first, second = (folder / name for name in ("copy", "first", "second"))
    place.mkdir()
    # Kingscore has been started there before, as the page about it asks for.
    for each in (first, second):
        shutil.copytree(prepared(), each)
    (port,) = free_ports(1)
    more = {"KINGSCORE_COPY_TO": str(place), "WEB_CONCURRENCY": "1"}
    done, chance = threading.Event(), random.Random(1)
    with machine(first, "up", port, more) as running:
        wait_until((first / "copied-at").exists, said=(first / "log").read_text)
        laid = json.loads(run_python(LAY.format(tables=tables), environment_of(first, **SETTINGS)))
        places = [Table(Phone("127.0.0.1", port, each["write"]), each["game"]) for each in laid]
        writing = [
            threading.Thread(target=each.write_on, args=[done, random.Random(chance.random())])
            for each in places
        ]
        for thread in writing:
            thread.start()
        time.sleep(seconds)
        everything = family(running.pid)
        # At a bad moment: a deal has been acknowledged, and is copied next.
        wait_until(lambda: is_behind(first / "copied-at", places), every=0.001)
        # With all that it started, as a power cut does.
        for pid in everything:
            os.kill(pid, signal.SIGKILL)
        killed_at = time.time()
        first.rename(folder / "gone")
    at = {key: when for each in places for key, when in list(each.answered.items())}
    missing = at.keys() - keys_in_copy(place, folder / "read.sqlite3")
    with machine(second, "take_over", port, more, str(place)):
        begun = time.time()
        back = wait_until(
            lambda: [
                when for each in places for when in list(each.answered.values()) if when > begun
            ],
            said=(second / "log").read_text,
        )
        time.sleep(seconds / 2)
        done.set()
        for thread in writing:
            thread.join(PATIENCE)
        for each in places:
            each.phone.hang_up()
        sheets = json.loads(run_python(READ_SHEETS, environment_of(second, **SETTINGS)))
    return Rehearsal(
        acknowledged=len(at),
        missing=len(missing),
        oldest_missing=max((killed_at - at[key] for key in missing), default=0),
        seconds_away=min(back) - killed_at,
        found=compare(sheets, [each.sent() for each in places]),
        problems=[each.problem for each in places if each.problem],
    )


def is_behind(stamp: Path, places: Sequence[Table]) -> bool:
    """Return whether a deal was acknowledged shortly before the next copy begins."""
    soon = stamp.stat().st_mtime + 0.6 * PAUSE
    return any(when > soon for each in places for when in list(each.answered.values()))


SETTINGS = {"DJANGO_SETTINGS_MODULE": "kingscore.settings"}


@contextmanager
def machine(
    data: Path, command: str, port: int, more: dict[str, str], *words: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command that becomes `up` on a folder."""
    to = ("--host", "127.0.0.1", "--port", str(port))
    with (data / "log").open("wb") as log:
        running = subprocess.Popen(
            [sys.executable, "manage.py", command, *words, *to],
            cwd=ROOT,
            env=environment_of(data, **more),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        yield running
    finally:
        running.terminate()
        running.wait(PATIENCE)


def keys_in_copy(place: Path, path: Path) -> set[str]:
    """Return the keys of the writes in a copy, restored beside."""
    litestream(f"restore -o {path}", str(place), 1, "db.sqlite3")
    with closing(sqlite3.connect(path)) as rows:
        return {key for (key,) in rows.execute("SELECT key FROM tournaments_revision")}


def measure(tables: int, seconds: int) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="kingscore-take-over-") as folder:
        seen = rehearse(Path(folder), tables, seconds)
    where = f"{tables} tables, a machine dies with its disk"
    yield Figure(
        f"{where}: until another one answers", seen.seconds_away, "s", "at most", 60,
        "without the time until somebody types the command",
    )  # fmt: skip
    yield Figure(
        f"{where}: age of the oldest acknowledged deal that the copy lacks", seen.oldest_missing,
        "s", "at most", 2, f"{seen.missing} of {seen.acknowledged} acknowledged deals",
    )  # fmt: skip
    yield Figure(
        f"{where}: acknowledged deals lost or doubled in the end",
        seen.found.lost + seen.found.twice, "", "acknowledged in all", seen.found.answered,
        "phones have sent again what the copy lacked",
    )  # fmt: skip
    if seen.problems or seen.found.problems:
        raise AssertionError("; ".join([*seen.problems, *seen.found.problems]))
