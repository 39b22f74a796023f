"""Plants bugs in a copy of the project, one at a time, and shows which test finds each.

`python -m tests.mutations` plants all, `python -m tests.mutations tournaments/api` those below.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from tests.postgres import FORGETFUL, started

ROOT = Path(__file__).resolve().parent.parent
LEFT_BEHIND = shutil.ignore_patterns(".*", "data*", "__pycache__")
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


BUGS = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
"""Files, each with the paths of the tests that fail with a bug in it; then a piece of it, which is
there once, and what stands in its place. Locks are found by races on PostgreSQL."""

PIECE = re.compile(r"((?:^-.*\n)+)((?:^\+.*\n)+)", re.MULTILINE)


class Mutation(NamedTuple):
    file: str
    tests: str
    old: str
    new: str


def mutations() -> Iterator[Mutation]:
    for file, tests, pieces in re.findall(r"^(\w\S+): (.+)\n((?:[-+].*\n)+)", BUGS, re.MULTILINE):
        for piece in PIECE.findall(pieces):
            old, new = ("\n".join(line[2:] for line in part.splitlines()) for part in piece)
            yield Mutation(file, tests, old, new)


MUTATIONS = tuple(mutations())


def found_by(mutation: Mutation, copy: Path, marker: str) -> str:
    """The first test with the marker that fails with the bug; "" if none does."""
    words = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", "-m", marker]
    words += mutation.tests.split()
    with started(FORGETFUL) if "_together" in mutation.tests else nullcontext() as postgres:
        url = {"KINGSCORE_DATABASE_URL": postgres[1].url()} if postgres else {}
        environment = {**os.environ, **url}
        run = subprocess.run(
            words, cwd=copy, env=environment, capture_output=True, text=True, check=False
        )
    # 5: no test has this marker.
    if run.returncode not in (0, 1, 5):
        raise RuntimeError(f"pytest left with {run.returncode} for {mutation.tests}: {run.stdout}")
    return FAILED.findall(run.stdout)[0] if run.returncode == 1 else ""


def main(*below: str) -> int:
    """1 if a bug is not found."""
    found = {"not slow": 0, "slow": 0, "": 0}
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(ROOT, Path(folder, "project"), ignore=LEFT_BEHIND)
        for mutation in MUTATIONS:
            if below and not mutation.file.startswith(below):
                continue
            file = copy / mutation.file
            right = file.read_text()
            if right.count(mutation.old) != 1:
                raise ValueError(f"not once in {mutation.file}: {mutation.old}")
            file.write_text(right.replace(mutation.old, mutation.new))
            by, test = "", ""
            for marker in ("not slow", "slow"):
                if test := found_by(mutation, copy, marker):
                    by = marker
                    break
            file.write_text(right)
            found[by] += 1
            print(f"{test or 'NOT FOUND'}  {mutation.file}: {mutation.new!r}", flush=True)
    print(f"{found['not slow']} by `make test`, {found['slow']} by the rest, {found['']} not found")
    return int(bool(found[""]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
