"""Plays a big evening: `python -m benchmarks.evening [--tables 250] [--deals 20] [--seconds 300]`.

PostgreSQL and Redis of its own, gunicorn as production starts it and a worker, on this machine
alone; everything is stopped by its process id at the end, also with Ctrl-C. Each deal has its
moment beforehand, and what is measured begins there, whatever the answers before it took.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import django

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
# For what the tests have; the server has settings, a folder and a database of its own.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from benchmarks.evening.comparing import compare  # noqa: E402 - the path comes first
from benchmarks.evening.machines import Bare, Postgres, Redis, Site, processor_seconds, running  # noqa: E402
from benchmarks.evening.playing import Plan, come, play  # noqa: E402
from benchmarks.evening.report import Part, lines_of, lines_of_control  # noqa: E402

LAY = "from benchmarks.evening.laying import print_evening; print_evening({})"
FILL = "from benchmarks.evening.stored import fill; fill({})"
SIZES = "from benchmarks.evening.stored import print_sizes; print_sizes()"
LONGEST = 900
"""After so many seconds, beside three times what is planned, it is given up."""

READ = "from benchmarks.evening.laying import print_sheets; print_sheets({})"


def main() -> int:
    chosen = words_given()
    # As Ctrl-C does: what was started is stopped on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="kingscore-evening-") as place:
        folder = chosen.folder or Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        # For PostgreSQL, which runs as somebody else.
        folder.chmod(0o755)
        postgres, broker = Postgres(folder), Redis(folder)
        with running(postgres, broker):
            return play_on(chosen, folder, postgres, broker)


def words_given() -> argparse.Namespace:
    """What is asked for."""
    says = __doc__.splitlines()[0]
    words = argparse.ArgumentParser("python -m benchmarks.evening", description=says)
    words.add_argument("--tables", type=int, default=250)
    words.add_argument("--deals", type=int, default=20)
    words.add_argument("--seconds", type=float, default=300)
    words.add_argument("--followers", type=int, default=1000)
    words.add_argument("--look-on", type=float, default=20, help="seconds before the first deal")
    words.add_argument("--sizes", action="store_true", help="tell the sizes of the tables, too")
    words.add_argument("--stored", type=int, default=0, help="so many games are there before")
    words.add_argument("--folder", type=Path, help="where the databases are kept for another run")
    return words.parse_args()


def play_on(chosen: argparse.Namespace, folder: Path, postgres: Postgres, broker: Redis) -> int:
    """Play the evening on a database with as many games as were asked for."""
    name = f"stored_{chosen.stored}"
    if not postgres.has(name):
        store(chosen.stored, name, folder, postgres)
    bare = look_on_nothing(chosen)
    with closing(Site(folder / "site", postgres.url(name), broker.url)) as site:
        site.start()
        site.start_worker()
        programs = {"web": site.process.pid, "PostgreSQL": postgres.pid, "worker": site.worker.pid}
        laid = json.loads(site.run_python(LAY.format(chosen.tables)))
        looking = played(site, laid, Plan(0, chosen.look_on, chosen.followers), programs)
        plan = Plan(chosen.deals, chosen.seconds, chosen.followers)
        part = played(site, laid, plan, programs)
        games = [table.game for table in part.evening.tables]
        sheets = json.loads(site.run_python(READ.format(games)))
        found = compare(sheets, part.evening.tables, part.evening.followers)
        if chosen.sizes:
            print(site.run_python(SIZES), end="")
    print("\n".join(lines_of_control(bare, looking)))
    print(f"{chosen.tables} tables, {chosen.deals} deals each, {chosen.stored:,} games stored:")
    print("\n".join(lines_of(part, looking, found)))
    return 1 if found.problems or part.evening.tally.errors else 0


def look_on_nothing(chosen: argparse.Namespace) -> Part:
    """The control: the same phones ask a server that only answers them."""
    with closing(Bare()) as bare:
        laid = [{"game": "", "write": "/", "follow": "/"}]
        plan = Plan(0, chosen.look_on, chosen.followers)
        return played(bare, laid, plan, {"web": bare.process.pid}, listening=False)


def played(
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


def store(games: int, name: str, folder: Path, postgres: Postgres) -> None:
    """Make a database with so many games; under its name only when it is whole."""
    postgres.tell("DROP DATABASE IF EXISTS {}", "filling")
    postgres.tell("CREATE DATABASE {}", "filling")
    with closing(Site(folder / "site", postgres.url("filling"), "memory://")) as site:
        if games:
            site.run_python(FILL.format(games))
    postgres.tell("ALTER DATABASE {} RENAME TO {}", "filling", name)


def used_by(programs: dict[str, int]) -> dict[str, float]:
    """Seconds of processor that each program has used so far."""
    return {name: processor_seconds(pid) for name, pid in programs.items()}


if __name__ == "__main__":
    sys.exit(main())
