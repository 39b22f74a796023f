"""Commands of records beside the same command started by Django, and `make up` to its first page.

The first start is that of a fresh clone: it installs all packages, which the machine has kept, and
makes the database.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from statistics import median
from urllib.request import urlopen

from benchmarks.figures import Figure, against, in_turn, readable
from benchmarks.one import ROOT
from tests.servers import free_ports

SIZES = {
    "tiny": {"times": 1, "warm_up": 0, "starts": 0},
    "usual": {"times": 15, "warm_up": 1, "starts": 5},
    "full": {"times": 40, "warm_up": 1, "starts": 9},
}
FIELD = {
    "format": "kingscore-pairing/1",
    "entrants": [{"id": f"p{n}", "score": n % 7} for n in range(16)],
}
OF_BENCHMARKS = re.compile("KINGSCORE_|DJANGO_|PYTHONDONTWRITEBYTECODE|VIRTUAL_ENV")
"""Variables that a site started by hand has not."""
BY_DJANGO = "--traceback"
"""An option of Django, which makes `manage.py` start it, as it did before."""


def measure(times: int, warm_up: int, starts: int) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        one, many = Path(folder) / "round.json", Path(folder) / "rounds.jsonl"
        one.write_text(json.dumps(FIELD))
        many.write_text("\n".join(json.dumps(FIELD | {"seed": seed}) for seed in range(50)))
        commands = {
            "pair, 16 players": (["pair", str(one)], ["pair", str(one), BY_DJANGO]),
            "pair, 50 lines of 16 players": (["pair", str(many)], ["pair", str(many), BY_DJANGO]),
            "score --help": (["score", "--help"], ["help", "score"]),
        }
        for what, (plain, by_django) in commands.items():
            works = {what: partial(run, plain), "by Django": partial(run, by_django)}
            yield from against(in_turn(works, times, warm_up), "by Django")
        if starts:
            yield from site_starts(Path(folder) / "clone", starts)


def site_starts(clone: Path, starts: int) -> Iterator[Figure]:
    """The first start of a fresh clone, and the later ones."""
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    [port] = free_ports(1)
    first, *later = [start(clone, port) for _ in range(1 + starts)]
    yield Figure("make up, first start", first, "s", "at most", 12)
    note = f"slowest {readable(max(later))} of {starts}"
    yield Figure("make up, later starts", median(later), "s", "at most", 1.5, note)


def start(clone: Path, port: int) -> float:
    """Return the seconds from `make up` to the first page; then end it."""
    own = {name: value for name, value in os.environ.items() if not OF_BENCHMARKS.match(name)}
    began = time.perf_counter()
    process = subprocess.Popen(
        ["make", "up", f"ARGS=--port {port}"],
        cwd=clone,
        env=own,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not answers(port):
            if process.poll() is not None:
                raise RuntimeError(f"make up ended with {process.returncode}")
            time.sleep(0.01)
        return time.perf_counter() - began
    finally:
        process.terminate()
        process.wait()


def answers(port: int) -> bool:
    """Whether the first page is there."""
    with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/") as answer:
        return bool(answer.status == HTTPStatus.OK)
    return False


def run(command: list[str]) -> None:
    """Run a command of `manage.py` from its start to its end."""
    line = [sys.executable, "manage.py", *command]
    subprocess.run(line, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
