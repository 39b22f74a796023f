"""A big evening over HTTP: tables write by the clock while others look on, and nothing is lost.

`benchmarks/evening/` plays it on PostgreSQL and Redis of its own, with gunicorn as production
starts it and a worker, all on this machine. Waits begin when something was due to be asked for,
whatever the answers before it took. The control asks the same server for `/healthz`, when it has
nothing else to do.
"""

import asyncio
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

from benchmarks.evening.comparing import Comparison, compare
from benchmarks.evening.machines import Postgres, Redis, Site, processor_seconds, running
from benchmarks.evening.playing import Evening, Plan, come, play
from benchmarks.figures import Figure, answered, readable

LAY = "from benchmarks.evening.laying import print_evening; print_evening({})"
FILL = "from benchmarks.evening.stored import fill; fill({})"
READ = "from benchmarks.evening.laying import print_sheets; print_sheets({})"
SIZES = {
    "tiny": {"tables": 2, "deals": 2, "seconds": 4, "followers": 2, "stored": 0},
    "usual": {"tables": 250, "deals": 1, "seconds": 60, "followers": 1000, "stored": 0},
    "full": {"tables": 250, "deals": 20, "seconds": 300, "followers": 1000, "stored": 0},
}
ASKED = 200
NOTHING = "the server at rest: /healthz"


def measure(tables: int, deals: int, seconds: int, followers: int, stored: int) -> Iterator[Figure]:
    plan = Plan(deals, seconds, followers)
    with tempfile.TemporaryDirectory(prefix="kingscore-evening-") as place:
        folder = Path(place)
        # For PostgreSQL, which runs as somebody else.
        folder.chmod(0o755)
        postgres, broker = Postgres(folder), Redis(folder)
        with (
            running(postgres, broker),
            closing(Site(folder / "site", postgres.url(), broker.url)) as site,
        ):
            if stored:
                site.run_python(FILL.format(stored))
            site.start()
            site.start_worker()
            programs = {"web": site.process.pid, "PostgreSQL": postgres.pid}
            programs["worker"] = site.worker.pid
            yield from figures(site, programs, tables, plan)


def figures(site: Site, programs: dict[str, int], tables: int, plan: Plan) -> Iterator[Figure]:
    """Play it, and tell what came of it."""
    laid = json.loads(site.run_python(LAY.format(tables)))
    evening = come(site.host, site.port, laid, plan)
    before = {name: processor_seconds(pid) for name, pid in programs.items()}
    asyncio.run(play(evening, plan))
    used = {name: processor_seconds(pid) - before[name] for name, pid in programs.items()}
    idle = ask_for_nothing(site)
    where = f"{tables} tables, a deal each in {plan.seconds / plan.deals:.0f} s"
    for kind, times in sorted(evening.tally.waits.items()):
        if times:
            yield answered(f"{where}: {kind}", times, NOTHING, idle)
    yield computing(where, evening, used)
    games = [table.game for table in evening.tables]
    sheets = json.loads(site.run_python(READ.format(games)))
    yield from lost(compare(sheets, evening.tables, evening.followers), evening)


def computing(where: str, evening: Evening, used: dict[str, float]) -> Figure:
    """How much of the processors the evening took."""
    told = ", ".join(f"{name} {readable(seconds)}" for name, seconds in used.items())
    return Figure(
        f"{where}: computing of the server", sum(used.values()), "s of CPU",
        "of the phones", evening.used, f"in {evening.seconds:.0f} s: {told}",
    )  # fmt: skip


def lost(found: Comparison, evening: Evening) -> Iterator[Figure]:
    """What is stored, beside what was sent."""
    errors = sum(evening.tally.errors.values())
    yield Figure("acknowledged deals lost", found.lost, "", "acknowledged in all", found.answered)
    yield Figure(
        "errors", errors, "", "answers in all", sum(map(len, evening.tally.waits.values())),
        ", ".join(f"{kind}: {number}" for kind, number in evening.tally.errors.items()),
    )  # fmt: skip
    if found.problems or errors:
        raise AssertionError("; ".join([*found.problems[:5], f"{errors} errors"]))


def ask_for_nothing(site: Site) -> list[float]:
    """Milliseconds of answers for which nothing is looked up."""
    taken = []
    with closing(HTTPConnection(site.host, site.port)) as connection:
        for _ in range(ASKED):
            start = time.perf_counter()
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            taken.append(1000 * (time.perf_counter() - start))
    return taken
