"""Keeps the figures, and writes them down: the first ones in `results.md`, each with its goal.

`results.jsonl` keeps the newest figures of each benchmark, database and size. Both pages are
written from it: `results.md`, and `all_results.md` with every figure.
"""

import json
import os
import platform
import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import django

from benchmarks import goals
from benchmarks.figures import Figure, readable
from benchmarks.one import Run

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(__file__).parent
WORSE = 1.2
"""A figure that became worse than this against its control is marked."""

HEAD = """# Results

The figures that people ask for first; [all_results.md](all_results.md) has all of them. Made by
`make bench`; not to be written by hand. Medians, each beside its control, which was measured in the
same run and in turn with it where it can be. “CPU” is computing time, which other work on the
machine disturbs less than the clock.

`make bench ARGS=writing` measures one benchmark, and `ARGS="writing --keep"` puts its figures here.
`ARGS=--full` measures all with the large sizes. Each says in `benchmarks/` what it does.
"""
ALL_HEAD = f"""# All results

Every figure beside its control, from the newest kept run of each benchmark;
[results.md](results.md) says how they are made. ▲ marks a figure that became worse by more than
{WORSE - 1:.0%} against its control since the run kept before.
"""


@dataclass
class Kept:
    """The figures of one benchmark on one database at one size; `worse` names those marked."""

    name: str
    database: str
    size: str
    commit: str
    written: str
    load: float
    failed: str = ""
    figures: list[Figure] = field(default_factory=list)
    worse: dict[str, float] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, str]:
        return self.name, self.database, self.size


class Results:
    """The kept figures in a folder, and those that a run puts in their place."""

    def __init__(self, order: Sequence[str], folder: Path = FOLDER) -> None:
        self.folder, self.order = folder, order
        self.kept = {each.key: each for each in read_kept(folder / "results.jsonl")}

    def keep(self, run: Run, size: str) -> None:
        """Put the figures of a run in the place of those before, and mark what became worse."""
        new = Kept(
            run.name, run.database, size, commit(), f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
            round(os.getloadavg()[1], 1), run.failed, run.figures,
        )  # fmt: skip
        before = self.kept.get(new.key)
        if before is not None:
            new.worse = {
                what: ratio
                for what, ratio in ratios(before.figures, new.figures).items()
                if ratio > WORSE
            }
        self.kept[new.key] = new

    def write(self, postgres: str) -> None:
        """Write the three files; each is replaced whole, so that nobody reads half of it."""
        kept = sorted(self.kept.values(), key=lambda each: (self.order.index(each.name), each.key))
        runs = [Run(each.name, each.database, each.figures) for each in kept]
        lines = [json.dumps(asdict(each), ensure_ascii=False) for each in kept]
        replace(self.folder / "results.jsonl", lines)
        replace(self.folder / "results.md", [HEAD, *machine(postgres), "", *goals.rows(runs)])
        replace(self.folder / "all_results.md", [ALL_HEAD, *table(kept)])


def read_kept(path: Path) -> Iterator[Kept]:
    """Read what the runs before kept."""
    for line in path.read_text().splitlines() if path.exists() else ():
        told = json.loads(line)
        yield Kept(**told | {"figures": [Figure(**each) for each in told["figures"]]})


def ratios(before: Sequence[Figure], after: Sequence[Figure]) -> dict[str, float]:
    """Return how much larger each figure became, measured in its control."""
    times = {each.what: each.times for each in before}
    return {
        each.what: each.times / earlier
        for each in after
        if each.times and (earlier := times.get(each.what))
    }


def replace(path: Path, lines: Sequence[str]) -> None:
    aside = path.with_suffix(".new")
    aside.write_text("\n".join(lines) + "\n")
    aside.replace(path)


def machine(postgres: str) -> Iterator[str]:
    """The kind of machine, without its name."""
    # Without the name that whoever built it has put behind.
    kernel = platform.release().partition("-")[0]
    described = {
        "processor": f"{processor()}, {os.cpu_count()} cores",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB",
        "system": f"{platform.system()} {kernel}, {platform.machine()}",
        "Python, Django": f"{platform.python_version()}, {django.__version__}",
        "SQLite, PostgreSQL": f"{sqlite3.sqlite_version}, {postgres or 'not here'}",
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
    changed = git("status", "--porcelain", "--", ".", ":!benchmarks/*results*")
    return f"{told} and what was not yet committed" if changed else told


def git(*words: str) -> str:
    """The output of git; empty without git."""
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def table(kept: Sequence[Kept]) -> Iterator[str]:
    """A row for each figure, under one for its benchmark."""
    yield "| what | on | figure | beside, in the same run | times | |"
    yield "|---|---|---:|---|---:|---|"
    for name, of_it in groupby(kept, key=lambda each: each.name):
        yield f"| **{name}**: {Run(name, '').says} | | | | | |"
        for each in of_it:
            yield from rows(each)


def rows(kept: Kept) -> Iterator[str]:
    """Return when a benchmark ran, and what it found."""
    on = kept.database
    ran = f"sizes {kept.size}, {kept.written} UTC, commit {kept.commit}, load {kept.load:.1f}"
    yield f"| *{ran}* | {on} | | | | |"
    for figure in kept.figures:
        what, *rest, note = (cell.replace("|", "/") for cell in figure.cells)
        if figure.what in kept.worse:
            note = f"▲ {readable(kept.worse[figure.what])} × before; {note}".rstrip("; ")
        yield f"| {what} | {on} | {' | '.join(rest)} | {note} |"
    if kept.failed:
        yield f"| **failed**: {kept.failed.replace('|', '/')} | {on} | | | | |"
