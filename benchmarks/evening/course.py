"""The course of an evening: servers, a database with games in it, laying, playing, comparing."""

import asyncio
import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.evening.comparing import Comparison, compare
from benchmarks.evening.machines import Bare, Redis, Site, processor_seconds, running
from benchmarks.evening.playing import Plan, come, play
from benchmarks.evening.report import Part
from tests.postgres import Postgres

LAY = "from benchmarks.evening.laying import print_evening; print_evening({})"
FILL = "from benchmarks.evening.stored import fill; fill({})"
READ = "from benchmarks.evening.laying import print_sheets; print_sheets({})"
LONGEST = 900
"""After so many seconds, beside three times what is planned, it is given up."""


@dataclass(frozen=True)
class Asked:
    """An evening as it is asked for; all look on for so many seconds before the first deal."""

    tables: int
    plan: Plan
    look_on: float

    @property
    def looking(self) -> Plan:
        """The part in which nothing is written."""
        return Plan(0, self.look_on, self.plan.followers)


@dataclass(frozen=True)
class Played:
    """An evening that is over: while nothing was written, while it was, and what is stored."""

    looking: Part
    part: Part
    found: Comparison

    @property
    def wrong(self) -> bool:
        """Whether anything was lost, is not as it was sent, or was an error."""
        tallies = self.looking.evening.tally, self.part.evening.tally
        return bool(self.found.problems or any(tally.errors for tally in tallies))


@dataclass(frozen=True)
class Servers:
    """PostgreSQL and Redis that run, on a folder."""

    folder: Path
    postgres: Postgres
    broker: Redis

    @contextmanager
    def site(self, stored: int) -> Iterator[Site]:
        """Web server and worker on a database with so many games; one filled before is taken."""
        name = f"stored_{stored}"
        if not (stored and self.postgres.has(name)):
            self._fill(stored, name)
        with closing(Site(self.folder / "site", self.postgres.url(name), self.broker.url)) as site:
            site.start()
            site.start_worker()
            yield site

    def play(self, site: Site, asked: Asked) -> Played:
        """Lay the tables, look on, play, and compare what is stored with what was sent."""
        pids = {"web": site.process.pid, "PostgreSQL": self.postgres.pid, "worker": site.worker.pid}
        laid = json.loads(site.run_python(LAY.format(asked.tables)))
        looking = play_part(site, laid, asked.looking, pids)
        part = play_part(site, laid, asked.plan, pids)
        games = [table.game for table in part.evening.tables]
        sheets = json.loads(site.run_python(READ.format(games)))
        found = compare(sheets, part.evening.tables, part.evening.followers)
        return Played(looking, part, found)

    def _fill(self, games: int, name: str) -> None:
        """Make a database with so many games; under its name only when it is whole."""
        for each in ("filling", name):
            self.postgres.tell("DROP DATABASE IF EXISTS {}", each)
        self.postgres.tell("CREATE DATABASE {}", "filling")
        url = self.postgres.url("filling")
        with closing(Site(self.folder / "site", url, self.broker.url)) as site:
            if games:
                site.run_python(FILL.format(games))
        self.postgres.tell("ALTER DATABASE {} RENAME TO {}", "filling", name)


@contextmanager
def servers(kept: Path | None = None) -> Iterator[Servers]:
    """Start PostgreSQL and Redis; what they keep is thrown away where no folder is given."""
    with tempfile.TemporaryDirectory(prefix="kingscore-evening-") as place:
        folder = kept or Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        # For PostgreSQL, which runs as somebody else.
        folder.chmod(0o755)
        postgres, broker = Postgres(folder), Redis(folder)
        with running(postgres, broker):
            yield Servers(folder, postgres, broker)


def look_on_nothing(asked: Asked) -> Part:
    """The control: the same phones ask a server that only answers them."""
    with closing(Bare()) as bare:
        laid = [{"game": "", "write": "/", "follow": "/"}]
        return play_part(bare, laid, asked.looking, {"web": bare.process.pid}, listening=False)


def play_part(
    site: Site | Bare,
    laid: Sequence[dict[str, Any]],
    plan: Plan,
    programs: dict[str, int],
    *,
    listening: bool = True,
) -> Part:
    """Play a part of the evening."""
    evening = come(site.host, site.port, laid, plan)
    if not listening:
        evening.tables.clear()
    before: dict[str, float] = {}
    part = play(evening, plan, seated=lambda: before.update(used_by(programs)))
    asyncio.run(asyncio.wait_for(part, LONGEST + 3 * plan.seconds))
    used = {each: seconds - before[each] for each, seconds in used_by(programs).items()}
    return Part(evening, used)


def used_by(programs: dict[str, int]) -> dict[str, float]:
    """Seconds of processor that each program has used so far."""
    return {name: processor_seconds(pid) for name, pid in programs.items()}
