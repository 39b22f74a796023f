"""One benchmark, in a process of its own, on data of its own."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path

from benchmarks.figures import Figure
from tests.servers import database_of_its_own, environment_of, prepared

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 7200


@dataclass
class Run:
    """The result of a benchmark on one database."""

    name: str
    database: str
    figures: list[Figure] = field(default_factory=list)
    failed: str = ""
    seconds: float = 0

    @property
    def says(self) -> str:
        """The first line of its docstring."""
        return (import_module(f"benchmarks.{self.name}").__doc__ or "").splitlines()[0]


def run_one(run: Run, url: str | None, words: Sequence[str]) -> None:
    """Run it in a process that may be stopped at any moment, and collect its figures."""
    print(f"\n== {run.name} {run.database}".rstrip(), flush=True)
    start = time.monotonic()
    try:
        with data_of_its_own(run.database, url) as (environment, place):
            found = place / "found"
            found.touch()
            command = [sys.executable, "-m", "benchmarks", run.name, *words, "--here", str(found)]
            status = status_of(command, environment)
            take_found(run, found)
    # Whatever it is, the others are to be measured.
    except Exception as error:  # noqa: BLE001
        traceback.print_exc()
        run.failed = said(error)
    else:
        run.failed = run.failed or (f"ended with status {status}" if status else "")
    run.seconds = time.monotonic() - start
    print(f"   {run.seconds:.0f} s", flush=True)


def status_of(command: Sequence[str], environment: dict[str, str]) -> int:
    """Run a program, and stop it when it takes too long."""
    process = subprocess.Popen(command, env=environment, cwd=ROOT)
    try:
        return process.wait(LONGEST)
    except BaseException:
        # Asked, not killed: it ends the servers that it has started.
        process.send_signal(signal.SIGINT)
        process.wait()
        raise


def take_found(run: Run, found: Path) -> None:
    """Read the figures of a process, and its errors."""
    for line in found.read_text().splitlines():
        told = json.loads(line)
        if "failed" in told:
            run.failed = told["failed"]
        else:
            run.figures.append(Figure(**told))


def said(error: Exception) -> str:
    """The error on one line."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]


@contextmanager
def data_of_its_own(database: str, url: str | None) -> Iterator[tuple[dict[str, str], Path]]:
    """Return the environment of a process, with a folder and a migrated database."""
    with (
        tempfile.TemporaryDirectory(prefix="kingscore-bench-") as place,
        database_of_its_own(url) as own_url,
    ):
        data = Path(place) / "data"
        if database:
            shutil.copytree(prepared(), data)
        else:
            data.mkdir()
        kept = ("DJANGO_SETTINGS_MODULE", "KINGSCORE_TEST_DATA", "KINGSCORE_TEST_PREPARED")
        own = {name: os.environ[name] for name in kept if name in os.environ}
        if own_url:
            own["KINGSCORE_DATABASE_URL"] = own_url
        yield environment_of(data, **own), Path(place)


def measure_here(name: str, size: str, sizes: Sequence[str], found: Path) -> int:
    """Measure in this process; print a line of JSON for each figure and each error."""
    with found.open("a") as file:

        def keep(told: object) -> None:
            file.write(json.dumps(told) + "\n")
            file.flush()

        try:
            module = import_module(f"benchmarks.{name}")
            numbers = {
                key: int(number) for key, _, number in (each.partition("=") for each in sizes)
            }
            for figure in module.measure(**module.SIZES[size] | numbers):
                print("   " + "   ".join(filter(None, figure.cells)), flush=True)
                keep(asdict(figure))
        # Whatever it is, the others are to be measured.
        except Exception as error:  # noqa: BLE001
            traceback.print_exc()
            keep({"failed": said(error)})
            return 1
    return 0
