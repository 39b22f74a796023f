"""The benchmarks still run, as small as they can be, and what they find is told."""

import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

from benchmarks.__main__ import IN_ORDER, TAKES_LONG
from benchmarks.figures import Figure
from benchmarks.one import Run
from benchmarks.results import Results
from benchmarks.writing import bare_server
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]

IN_PROCESSES_OF_THEIR_OWN = ("consistency", "rebuild_ratings", "scoresheet", "backup")
"""They need a database that outlives a test's transaction."""

SERVED = ("writing", "api_entry", "slow_visitors")
"""Asked of one server, for its start takes longer than all else."""

IN_BROWSER = ("saving",)
"""In the browser and on the server of all tests, for the same reason."""

ELSEWHERE = ("big_evening", "memory", "streams", "kill", "lighthouse", *TAKES_LONG)
"""Each starts whole sites of servers, and takes longer than all others together; that of `kill`
is played by tests/test_concurrency.py. Lighthouse needs npm."""


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


def written(folder, *runs):
    """The rows of all results and of the first page after other runs, by how they begin."""
    results = Results(IN_ORDER, folder)
    for each in runs:
        results.keep(each, "usual")
    results.write("16.1")
    pages = [(folder / name).read_text().splitlines() for name in ("all_results.md", "results.md")]
    return [
        lambda begin, page=page: [row for row in page if row.startswith(begin)] for page in pages
    ]


def test_results_keep_each_figure_beside_its_control_and_how_far_its_goal_is(tmp_path):
    deal = Figure("a deal by the page, one phone", 13.7, "ms", "a bare view", 1.5, "95 %: 16.9 ms")
    entry = Figure("an entry by the API", 6, "ms", "a row", 1)
    lost = Run("engine", "", [Figure("lost", 0, "", "acknowledged", 1065)])
    worse = Run("writing", "PostgreSQL", [replace(deal, value=17)])
    broken = Run("writing", "SQLite", [replace(deal, value=1234.5)], "AssertionError: a | b")
    written(tmp_path, lost, Run("writing", "PostgreSQL", [deal]))

    rows, goals = written(tmp_path, worse, broken, Run("api_entry", "PostgreSQL", [entry]))

    assert rows("| what") == ["| what | on | figure | beside, in the same run | times | |"]
    assert rows("| lost") == ["| lost |  | 0 | acknowledged: 1,065 | 0 × |  |"]
    # What was measured before a benchmark failed stays.
    assert [row.split(" | ", 1)[1] for row in rows("| a deal by the page")] == [
        "PostgreSQL | 17 ms | a bare view: 1.5 ms | 11.3 × | ▲ 1.24 × before; 95 %: 16.9 ms |",
        "SQLite | 1,234 ms | a bare view: 1.5 ms | 823 × | 95 %: 16.9 ms |",
    ]
    assert rows("| **failed**") == ["| **failed**: AssertionError: a / b | SQLite | | | | |"]
    for figure, verdict in (
        (entry, "| ≤ 3 × | 2 × the goal |"),
        (replace(entry, value=3), "| ≤ 3 × | ✓ |"),
        (replace(entry, what="another"), "| not measured |  | ≤ 3 × |  |"),
    ):
        _, goals = written(tmp_path, Run("api_entry", "PostgreSQL", [figure]))
        [goal] = goals("| an entry by the API")
        assert goal.endswith(verdict)
