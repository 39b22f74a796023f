"""Open pages that hear of changes by streams of events, beside pages that poll.

Tables write a deal each in the time given. First nobody looks on, then followers poll every two
seconds, then they hear by streams; what the server computes beyond the first part is the cost of
showing. Then many streams are held open while the tables go on writing, and at last the server is
killed: every follower's stream must be back, and each must show the last deal.
"""

import asyncio
import json
import os
import random
import resource
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.evening.course import LAY
from benchmarks.evening.hearing import Ear, Hearer, TimedFollower, TimedTable, open_ear
from benchmarks.evening.machines import processor_seconds
from benchmarks.evening.playing import Plan, deals_of
from benchmarks.evening.tables import EVERY as LISTENS
from benchmarks.evening.tables import plan
from benchmarks.evening.tally import Tally, percentile
from benchmarks.figures import Figure
from tests.servers import Server, prepared, serve

DATABASES = ("SQLite", "PostgreSQL")
SIZES = {
    "tiny": {"tables": 2, "followers": 4, "streams": 6, "seconds": 4, "held": 4},
    "usual": {"tables": 250, "followers": 1000, "streams": 5000, "seconds": 60, "held": 60},
    "full": {"tables": 250, "followers": 1000, "streams": 5000, "seconds": 60, "held": 300},
}
AT_ONCE = 8
BACK_WITHIN = 35
SOURCES = 20
"""Addresses that streams come from."""


@dataclass
class Part:
    """What a part took: seconds of processor of server and database, and waits in seconds."""

    used: float = 0.0
    seen: Sequence[float] = ()
    tally: Tally = field(default_factory=Tally)

    @property
    def writes(self) -> list[float]:
        """Milliseconds."""
        return self.tally.waits["write"]


def measure(tables: int, followers: int, streams: int, seconds: int, held: int) -> Iterator[Figure]:
    more_files(2 * streams + 4096)
    url = os.environ.get("KINGSCORE_DATABASE_URL")
    with tempfile.TemporaryDirectory() as folder:
        ready = prepared()
        with serve(Path(folder) / "site", url, ready=ready) as server:
            pids = [server.process.pid, *database_of(server.database_url)]
            play = Play(server, pids, tables, followers, seconds)
            alone, polled, heard = (asyncio.run(play.part(how)) for how in ("", "poll", "hear"))
            what = f"{tables} tables, {followers} followers, a deal each in {seconds} s"
            yield from compared(alone, polled, heard, what, 60 / seconds)
            yield from asyncio.run(play.hold(streams, held))
            yield from asyncio.run(play.kill())
    if errors := [part.tally.errors for part in (alone, polled, heard) if part.tally.errors]:
        raise AssertionError(errors)


def compared(alone: Part, polled: Part, heard: Part, where: str, minute: float) -> Iterator[Figure]:
    """Figures of streams, each beside that of polls."""
    yield Figure(
        f"{where}: showing by streams", minute * (heard.used - alone.used), "s of CPU a minute",
        "by polls", minute * (polled.used - alone.used),
        f"the writes alone: {minute * alone.used:.1f} s a minute",
    )  # fmt: skip
    for name, share in {"median": 0.5, "95 %": 0.95, "99 %": 0.99}.items():
        yield Figure(
            f"{where}: written until shown, {name}", 1000 * percentile(heard.seen, share), "ms",
            "by polls", 1000 * percentile(polled.seen, share),
        )  # fmt: skip
        yield Figure(
            f"{where}: a write, {name}", percentile(heard.writes, share), "ms",
            "by polls", percentile(polled.writes, share),
            f"nobody looks on: {percentile(alone.writes, share):.0f} ms",
        )  # fmt: skip


@dataclass
class Play:
    """A server, and phones that come to it."""

    server: Server
    pids: Sequence[int]
    tables: int
    followers: int
    seconds: int

    def lay(self, tally: Tally) -> list[TimedTable]:
        """Lay new tables."""
        host, port = self.server.host, self.server.port
        laid = json.loads(self.server.run_python(LAY.format(self.tables)))
        return [
            TimedTable(host, port, each["game"], each["write"], each["follow"], tally)
            for each in laid
        ]

    def used(self) -> float:
        return sum(map(processor_seconds, self.pids))

    async def part(self, how: str) -> Part:
        """All write while others look on, by polls, by streams, or not at all."""
        part, stop, chance = Part(), asyncio.Event(), random.Random(1)
        tables = self.lay(part.tally)
        kind = Hearer if how == "hear" else TimedFollower
        looking = [kind(tables[n % len(tables)], part.tally) for n in range(self.followers)]
        looking = looking if how else []
        await gather_few([each.sit_down() for each in [*tables, *looking]])
        part.tally.waits.clear()
        part.tally.errors.clear()
        loop = asyncio.get_running_loop()
        first = loop.time() + 5
        others = [each.look_on(first - 4 * chance.random(), stop) for each in looking]
        if how == "hear":
            others += [each.hear(stop) for each in tables]
        elif how:
            others += [each.listen(first - LISTENS * chance.random(), stop) for each in tables]
        tasks = [asyncio.create_task(each) for each in others]
        await asyncio.sleep(first - loop.time())
        before = self.used()
        await write(tables, 1, first, self.seconds, chance)
        await asyncio.sleep(max(0.0, first + self.seconds - loop.time()))
        part.used = self.used() - before
        await asyncio.sleep(3)
        if late := sum(each.revision != 1 for each in looking):
            part.tally.errors["last deal not shown"] += late
        await end(stop, tasks, [getattr(each, "ear", None) for each in looking])
        part.seen = [seconds for each in looking for seconds in each.seen]
        return part

    async def hold(self, number: int, seconds: int) -> list[Figure]:
        """Hold many streams open while all tables write."""
        tally, chance = Tally(), random.Random(2)
        tables = self.lay(tally)
        await gather_few([each.sit_down() for each in tables])
        tally.waits.clear()
        tally.errors.clear()
        before, ears = memory(self.server.process.pid), list[Ear]()

        async def come(at: int) -> None:
            path, source = tables[at % len(tables)].followed, f"127.0.1.{1 + at % SOURCES}"
            ears.append(await open_ear(self.server.host, self.server.port, path, source))
            await ears[-1].heard.wait()

        await gather_few([come(at) for at in range(number)])
        each = (memory(self.server.process.pid) - before) / number
        deals = max(1, seconds // self.seconds)
        loop, used = asyncio.get_running_loop(), self.used()
        await write(tables, deals, loop.time(), seconds, chance)
        await asyncio.sleep(3)
        used = self.used() - used
        lost = sum(not ear.is_open for ear in ears)
        missed = sum(max(0, deals - ear.news) for ear in ears)
        for ear in ears:
            ear.transport.close()
        if lost or missed or tally.errors:
            raise AssertionError(f"{lost} streams lost, {missed} events missed, {tally.errors}")
        what = f"{number} streams held for {seconds} s"
        writes = tally.waits["write"]
        return [
            Figure(f"{what}: memory of each", each, "kB", "at most", 50),
            Figure(f"{what}: a write, 95 %", percentile(writes, 0.95), "ms", "at most", 150),
            Figure(f"{what}: computing", 60 / seconds * used, "s of CPU a minute"),
        ]

    async def kill(self) -> list[Figure]:
        """Kill the server while followers look on and tables write."""
        tally, stop, chance = Tally(), asyncio.Event(), random.Random(3)
        tables = self.lay(tally)
        looking = [Hearer(tables[n % len(tables)], tally) for n in range(self.followers)]
        await gather_few([each.sit_down() for each in [*tables, *looking]])
        loop = asyncio.get_running_loop()
        tasks = [asyncio.create_task(each.look_on(loop.time(), stop)) for each in looking]
        await wait_for_all(looking, 0.0, 3 * BACK_WITHIN)
        killed = loop.time()
        self.server.kill()
        await loop.run_in_executor(None, self.server.start)
        started = loop.time() - killed
        await asyncio.sleep(0.2)
        writing = asyncio.create_task(write(tables, 1, loop.time(), 20, chance))
        await wait_for_all(looking, killed, 3 * BACK_WITHIN)
        took = max(each.back for each in looking) - killed
        away = sum(not each.back for each in looking)
        await writing
        await asyncio.sleep(5)
        missed = sum(each.revision != 1 for each in looking)
        await end(stop, tasks, [each.ear for each in looking])
        if away or missed:
            raise AssertionError(f"{away} streams not back, {missed} missed the last deal")
        what = f"server killed, {self.followers} followers"
        note = f"the server answered after {started:.1f} s"
        return [Figure(f"{what}: all streams back", took, "s", "at most", BACK_WITHIN, note)]


async def wait_for_all(looking: Sequence[Hearer], since: float, patience: float) -> None:
    """Wait until all have a stream that was opened after a moment."""
    for _ in range(int(10 * patience)):
        if all(each.back > since for each in looking):
            break
        await asyncio.sleep(0.1)


async def write(
    tables: Sequence[TimedTable], deals: int, first: float, seconds: float, chance: random.Random
) -> None:
    """Each table writes its deals, spread over the time."""
    chosen = deals_of(chance, Plan(deals))
    await asyncio.gather(*(each.play(plan(chosen, first, seconds, chance)) for each in tables))


async def gather_few(work: Sequence[Any]) -> None:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(each: Any) -> None:
        async with gate:
            await each

    await asyncio.gather(*map(one, work))


async def end(stop: asyncio.Event, tasks: Sequence[Any], ears: Sequence[Ear | None]) -> None:
    """Let everybody go."""
    stop.set()
    for ear in ears:
        if ear is not None:
            ear.heard.set()
    await asyncio.sleep(0.2)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def database_of(url: str | None) -> list[int]:
    """The process that PostgreSQL began as, with its children; none of SQLite."""
    if not url:
        return []
    with psycopg.connect(url) as line:
        row = line.execute("SELECT pg_backend_pid()").fetchone()
        assert row is not None
        return [int(Path(f"/proc/{row[0]}/stat").read_text().rpartition(")")[2].split()[1])]


def memory(pid: int) -> float:
    """The memory of a server's processes, in kB."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    lines = [Path(f"/proc/{each}/status").read_text() for each in children]
    return sum(int(text.partition("VmRSS:")[2].split()[0]) for text in lines)


def more_files(wanted: int) -> None:
    """Raise the limit of open files."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
