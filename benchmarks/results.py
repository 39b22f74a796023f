"""`results.md`: all figures in one table, and the machine they are of."""

import os
import platform
import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import django

from benchmarks.one import Run

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).with_name("results.md")

HEAD = """# Results

Made by `make bench`; not to be written by hand. Medians, each beside its control, which was
measured in the same run and in turn with it where it can be. “CPU” is computing time, which other
work on the machine disturbs less than the clock. `make bench ARGS=writing` measures one of them,
`ARGS=--full` all with the large sizes; each says in `benchmarks/` what it does.
"""


def write_results(runs: Sequence[Run], postgres: str, size: str, path: Path = RESULTS) -> None:
    """Keep what there is so far; replaced whole, so that nobody reads half of it."""
    lines = [HEAD, *machine(postgres, size), "", *table(runs)]
    aside = path.with_suffix(".new")
    aside.write_text("\n".join(lines) + "\n")
    aside.replace(path)


def machine(postgres: str, size: str) -> Iterator[str]:
    """The kind of machine, without its name."""
    load = os.getloadavg()[1]
    # Without the name that whoever built it has put behind.
    kernel = platform.release().partition("-")[0]
    described = {
        "processor": f"{processor()}, {os.cpu_count()} cores",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB",
        "system": f"{platform.system()} {kernel}, {platform.machine()}",
        "Python, Django": f"{platform.python_version()}, {django.__version__}",
        "SQLite, PostgreSQL": f"{sqlite3.sqlite_version}, {postgres or 'not here'}",
        "sizes, commit": f"{size}, {commit()}",
        "written": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, load of the last 5 minutes {load:.1f}",
    }
    yield from ("| machine | |", "|---|---|")
    yield from (f"| {name} | {text} |" for name, text in described.items())


def processor() -> str:
    """The model of the processor."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def commit() -> str:
    """The measured version; changed result files do not count."""
    told = git("describe", "--always") or "no commit"
    changed = git("status", "--porcelain", "--", ".", f":!{RESULTS}")
    return f"{told} and what was not yet committed" if changed else told


def git(*words: str) -> str:
    """The output of git; empty without git."""
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def table(runs: Sequence[Run]) -> Iterator[str]:
    """A row for each figure, under one for its benchmark."""
    yield "| what | on | figure | beside, in the same run | times | |"
    yield "|---|---|---:|---|---:|---|"
    for name, of_it in groupby(runs, key=lambda run: run.name):
        yield from rows(name, list(of_it))


def rows(name: str, runs: Sequence[Run]) -> Iterator[str]:
    """One benchmark: what it measures, and what it found on each database."""
    yield f"| **{name}**: {runs[0].says} | | | | | |"
    for run in runs:
        for figure in run.figures:
            what, *rest = (cell.replace("|", "/") for cell in figure.cells)
            yield f"| {what} | {run.database} | {' | '.join(rest)} |"
        if run.failed:
            yield f"| **failed**: {run.failed.replace('|', '/')} | {run.database} | | | | |"
