"""A table that writes deals in a process of its own, while something else is done."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from django.db import OperationalError

from benchmarks.figures import Figure, Work, answered
from tests.deals import WHOLE_GAME
from tests.factories import ContextFactory, GameFactory, record
from tournaments.services.games.playing import withdraw_entry

ROOT = Path(__file__).resolve().parent.parent
TABLE = "import django; django.setup(); from benchmarks.writing_table import write; write({!r})"


def write(stop: str) -> None:
    """A table that writes until it is told to stop; its waits, in ms, as JSON."""
    game = GameFactory(entries=WHOLE_GAME[:1])
    waits, refused = [], 0
    print("begun", flush=True)
    while not Path(stop).exists():
        start = time.perf_counter()
        try:
            sheet = record(game, WHOLE_GAME[1])
        except OperationalError:
            refused += 1
            continue
        waits.append(1000 * (time.perf_counter() - start))
        context = ContextFactory(revision=sheet.row.revision)
        withdraw_entry(game.pk, max(sheet.positions), "", context)
        time.sleep(0.02)
    print(json.dumps([waits, refused]))


def with_a_table(do: Work) -> tuple[list[float], int]:
    """Do something while a table writes: how long its deals took, and how many were refused."""
    with tempfile.TemporaryDirectory() as folder:
        stop = Path(folder) / "stop"
        words = [sys.executable, "-c", TABLE.format(str(stop))]
        table = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert table.stdout is not None
        table.stdout.readline()
        try:
            do()
        finally:
            # Otherwise it would write for ever.
            stop.touch()
            written = table.communicate()[0]
    waits, refused = json.loads(written)
    return waits, refused


def told(what: str, waits: Sequence[float], refused: int, calm: Sequence[float]) -> Figure:
    """How long deals took; those refused were waiting for longer than a table may."""
    if refused:
        what += f" ({refused} refused, the database was locked)"
    return answered(what, waits, "with nothing else going on", calm)
