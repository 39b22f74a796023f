"""The benchmarks still run, as small as they can be."""

import subprocess
import sys
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

from benchmarks.__main__ import IN_ORDER, TAKES_LONG
from benchmarks.writing import bare_server
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]

IN_PROCESSES_OF_THEIR_OWN = ("consistency", "rebuild_ratings", "scoresheet", "backup")
"""They need a database that outlives a test's transaction."""

SERVED = ("writing", "api_entry", "slow_visitors")
"""Asked of one server, for its start takes longer than all else."""

IN_BROWSER = ("saving", "loading")
"""In the browser and on the server of all tests, for the same reason."""

ELSEWHERE = ("big_evening", "memory", "streams", "kill", "take_over", "lighthouse", *TAKES_LONG)
"""Each starts whole sites of servers, and takes longer than all others together; that of `kill`
is played by tests/test_concurrency.py, that of `take_over` by tests/management/test_take_over.py.
Lighthouse needs npm."""


def benchmark(name):
    return import_module(f"benchmarks.{name}")


def run(*words):
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *words],
        cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


def test_every_benchmark_is_run():
    found = {
        path.relative_to(ROOT / "benchmarks").with_suffix("").parts[0]
        for path in (ROOT / "benchmarks").glob("**/*.py")
        if "\ndef measure(" in path.read_text() and "SIZES = {" in path.read_text()
    }

    assert found == {*IN_ORDER, *TAKES_LONG}


@pytest.mark.parametrize("name", IN_ORDER + TAKES_LONG)
def test_sizes_are_those_a_benchmark_takes(name):
    module = benchmark(name)

    wanted = list(signature(module.measure).parameters)

    assert list(module.SIZES) == ["tiny", "usual", "full"]
    assert [list(sizes) for sizes in module.SIZES.values()] == [wanted] * 3


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    [
        name
        for name in IN_ORDER
        if name not in (*IN_PROCESSES_OF_THEIR_OWN, *SERVED, *IN_BROWSER, *ELSEWHERE)
    ],
)
def test_benchmark_runs_as_small_as_it_can(name):
    module = benchmark(name)

    figures = list(module.measure(**module.SIZES["tiny"]))

    assert figures
    assert all(figure.what and figure.control for figure in figures)


def test_benchmarks_of_a_server_run():
    with bare_server() as server:
        for name in SERVED:
            module = benchmark(name)
            assert list(module.figures(server, **module.SIZES["tiny"]))


@pytest.mark.browser
@pytest.mark.parametrize("name", IN_BROWSER)
def test_benchmark_in_the_browser_runs(name, browser, server):
    module = benchmark(name)

    figures = list(module.figures(browser, server, **module.SIZES["tiny"]))

    assert [figure.value > 0 for figure in figures] == [True, True]


def test_benchmark_in_processes_of_its_own_runs():
    done = run(*IN_PROCESSES_OF_THEIR_OWN, "--size", "tiny", "--on", "SQLite")

    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" × ") > 3, done.stdout
