"""Commands of records from their start to their end, beside the same command started by Django."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.figures import Figure, against, in_turn
from benchmarks.one import ROOT

SIZES = {
    "tiny": {"times": 1, "warm_up": 0},
    "usual": {"times": 15, "warm_up": 1},
    "full": {"times": 40, "warm_up": 1},
}
FIELD = {
    "format": "kingscore-pairing/1",
    "entrants": [{"id": f"p{n}", "score": n % 7} for n in range(16)],
}
BY_DJANGO = "--traceback"
"""An option of Django, which makes `manage.py` start it, as it did before."""


def measure(times: int, warm_up: int) -> Iterator[Figure]:
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


def run(command: list[str]) -> None:
    """Run a command of `manage.py` from its start to its end."""
    line = [sys.executable, "manage.py", *command]
    subprocess.run(line, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
