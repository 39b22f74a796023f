"""Injects faults one after the other, and lists the failures they must not cause.

`python -m benchmarks.faults` makes one alone and tells more. It takes several minutes for each, so
that all of them are only run with `--full`.
"""

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.figures import Figure
from benchmarks.one import ROOT

SIZES = {"tiny": {"faults": 1}, "usual": {"faults": 3}, "full": {"faults": 5}}
FAULTS = ("away", "clock", "disk", "kills", "together")


def measure(faults: int) -> Iterator[Figure]:
    wrong = []
    for fault in FAULTS[:faults]:
        words = [sys.executable, "-m", "benchmarks.faults", fault]
        done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        told = "; ".join(line.strip() for line in done.stdout.splitlines())
        yield Figure(f"fault “{fault}”: runs that went wrong", done.returncode, "", "of", 1, told)
        wrong += [fault] * bool(done.returncode)
    if wrong:
        raise AssertionError(", ".join(wrong))
