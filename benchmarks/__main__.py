"""Measures: `python -m benchmarks [--full] [--on SQLite] [--keep] [name ...] [size=number ...]`.

A benchmark is a module here with a function `measure`, which yields a `Figure` for each of what it
finds, and with `SIZES`: what it is given at each size. It runs in a process of its own with the
settings `benchmarks.settings`, in a folder and, once for each of its `DATABASES`, on a database of
its own, in which every table is. Without names all are run and kept in `results.md`; those named
are kept with `--keep`. What fails is shown as failed, keeps what it had found, and makes the exit
status 1.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path

import django

from benchmarks.one import Run, measure_here, run_one
from benchmarks.postgres import a_postgres, version_of
from benchmarks.results import Results
from tests.servers import drop_prepared_database

IN_ORDER = (
    "engine",
    "start_up",
    "memory",
    "rating_speed",
    "photo",
    "seating",
    "standings",
    "standings_page",
    "directing",
    "totals",
    "writing",
    "saving",
    "loading",
    "slow_visitors",
    "sign_in",
    "api_entry",
    "players",
    "leaderboard",
    "rebuild_ratings",
    "fitted_ratings",
    "consistency",
    "growth",
    "scoresheet",
    "backup",
    "big_evening",
    "streams",
    "kill",
    "take_over",
    "lighthouse",
)
TAKES_LONG = ("each_fault",)
"""Run when named, and last with `--full`."""


def main(words: Sequence[str]) -> int:
    """Run the chosen benchmarks; return 1 if one failed."""
    given = parsed(words)
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.settings"
    if given.here:
        django.setup()
        return measure_here(given.names[0], given.size, given.sizes, given.here)
    with tempfile.TemporaryDirectory(prefix="kingscore-benchmarks-") as folder:
        os.environ["KINGSCORE_DATA"] = folder
        # What all begin with is prepared there; nothing is measured in it.
        os.environ.setdefault("KINGSCORE_TEST_DATA", folder)
        django.setup()
        wanted = {each for name in given.names for each in databases_of(name, given.on)}
        with a_postgres() if "PostgreSQL" in wanted else nullcontext() as url:
            try:
                runs = run_all(given, url)
            finally:
                drop_prepared_database()
    failed = [f"{run.name} {run.database}".strip() for run in runs if run.failed]
    if failed:
        print(f"\nFailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def parsed(words: Sequence[str]) -> argparse.Namespace:
    """Parse the names of benchmarks and the sizes given."""
    reader = argparse.ArgumentParser("python -m benchmarks", description=__doc__.splitlines()[0])
    reader.add_argument("words", nargs="*", metavar="name or size=number")
    reader.add_argument("--size", choices=("tiny", "usual", "full"), default="usual")
    reader.add_argument("--full", dest="size", action="store_const", const="full")
    reader.add_argument("--on", choices=("SQLite", "PostgreSQL"), help="on this database alone")
    reader.add_argument("--keep", action="store_true", help="keep the figures in results.md")
    reader.add_argument("--here", type=Path, help=argparse.SUPPRESS)
    given = reader.parse_args(words)
    given.names = [word for word in given.words if "=" not in word]
    given.sizes = [word for word in given.words if "=" in word]
    every = IN_ORDER + TAKES_LONG
    if unknown := set(given.names) - set(every):
        reader.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(every)}")
    given.keep = given.keep or not given.names
    given.names = given.names or (every if given.size == "full" else IN_ORDER)
    if given.sizes and len(given.names) != 1:
        reader.error("sizes are those of one benchmark")
    if given.sizes and given.keep:
        reader.error("figures of other sizes are not kept")
    return given


def databases_of(name: str, only: str | None) -> list[str]:
    """Return the databases to run on; a benchmark that uses none runs once."""
    databases = getattr(import_module(f"benchmarks.{name}"), "DATABASES", ("",))
    return [each for each in databases if not (each and only) or each == only]


def run_all(given: argparse.Namespace, url: str | None) -> list[Run]:
    """Run one after the other, and save all results after each."""
    runs: list[Run] = []
    results = Results(IN_ORDER + TAKES_LONG)
    words = [*given.sizes, "--size", given.size]
    for name in given.names:
        for database in databases_of(name, given.on):
            if database == "PostgreSQL" and not url:
                print(f"\n== {name}: no PostgreSQL here", flush=True)
                continue
            runs.append(Run(name, database))
            run_one(runs[-1], url if database == "PostgreSQL" else None, words)
            if given.keep:
                results.keep(runs[-1], given.size)
                results.write(version_of(url))
    return runs


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
