"""A big evening over HTTP: tables write by the clock while others look on, and nothing is lost.

`benchmarks/evening/` plays it on PostgreSQL and Redis of its own, with gunicorn as production
starts it and a worker, all on this machine. Waits begin when something was due to be asked for,
whatever the answers before it took. As the control as many followers ask the same web server with
an application that answers 304 and nothing else.
"""

import json
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.evening.__main__ import FILL, LAY, READ, look_on_nothing, played
from benchmarks.evening.comparing import Comparison, compare
from benchmarks.evening.machines import Postgres, Redis, Site, running
from benchmarks.evening.playing import Evening, Plan
from benchmarks.figures import Figure, answered, readable

SIZES = {
    "tiny": {"tables": 2, "deals": 2, "seconds": 4, "followers": 2, "stored": 0},
    "usual": {"tables": 250, "deals": 1, "seconds": 60, "followers": 1000, "stored": 0},
    "full": {"tables": 250, "deals": 20, "seconds": 300, "followers": 1000, "stored": 0},
}
BARE = "an application that answers 304 only"


def measure(tables: int, deals: int, seconds: int, followers: int, stored: int) -> Iterator[Figure]:
    bare = look_on_nothing(Namespace(look_on=min(seconds, 20), followers=followers))
    nothing = bare.evening.tally.waits["follower 304"]
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
            laid = json.loads(site.run_python(LAY.format(tables)))
            part = played(site, laid, Plan(deals, seconds, followers), programs)
            where = f"{tables} tables, a deal each in {seconds / deals:.0f} s"
            for kind, times in sorted(part.evening.tally.waits.items()):
                yield answered(f"{where}: {kind}", times, f"{BARE}, {followers}", nothing)
            yield computing(where, part.evening, part.used)
            games = [table.game for table in part.evening.tables]
            sheets = json.loads(site.run_python(READ.format(games)))
            found = compare(sheets, part.evening.tables, part.evening.followers)
            yield from lost(found, part.evening)


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
