"""Plays a big evening: `python -m benchmarks.evening [--tables 250] [--deals 20] [--seconds 300]`.

PostgreSQL and Redis of its own, gunicorn as production starts it and a worker, on this machine
alone; everything is stopped by its process id at the end, also with Ctrl-C. Each deal has its
moment beforehand, and what is measured begins there, whatever the answers before it took.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import django

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
# For what the tests have; the server has settings, a folder and a database of its own.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from benchmarks.evening.comparing import compare  # noqa: E402 - the path comes first
from benchmarks.evening.machines import Postgres, Redis, Site, processor_seconds, running  # noqa: E402
from benchmarks.evening.playing import Plan, come, play  # noqa: E402
from benchmarks.evening.report import lines_of  # noqa: E402

LAY = "from benchmarks.evening.laying import print_evening; print_evening({})"


def main() -> int:
    words = argparse.ArgumentParser(
        "python -m benchmarks.evening", description=__doc__.splitlines()[0]
    )
    words.add_argument("--tables", type=int, default=250)
    words.add_argument("--deals", type=int, default=20)
    words.add_argument("--seconds", type=float, default=300)
    words.add_argument("--followers", type=int, default=1000)
    words.add_argument("--folder", type=Path)
    chosen = words.parse_args()
    plan = Plan(chosen.deals, chosen.seconds, chosen.followers)
    with tempfile.TemporaryDirectory(prefix="kingscore-evening-") as place:
        folder = chosen.folder or Path(place)
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
        postgres, broker = Postgres(folder), Redis(folder)
        with (
            running(postgres, broker),
            closing(
                Site(folder / "site", postgres.url(), broker.url, "kingscore.settings")
            ) as site,
        ):
            site.start()
            site.start_worker()
            laid = json.loads(site.run_python(LAY.format(chosen.tables)))
            evening = come(site.host, site.port, laid, plan)
            pids = {"web": site.process.pid, "postgres": postgres.pid, "worker": site.worker.pid}
            before = {name: processor_seconds(pid) for name, pid in pids.items()}
            asyncio.run(play(evening, plan))
            used = {name: processor_seconds(pid) - before[name] for name, pid in pids.items()}
            found = compare(site.read_sheets(), evening.tables, evening.followers)
            print("\n".join(lines_of(evening, found, used)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
