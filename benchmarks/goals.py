"""The figures that people ask for first, each with its goal. All others are in `all_results.md`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchmarks.figures import Figure, readable
from benchmarks.one import Run


@dataclass(frozen=True)
class Goal:
    """How large the first figure of a benchmark may be whose name contains `figure`.

    `most` is in the unit of the figure, or in times of its control if `of_control` is set.
    """

    benchmark: str
    figure: str
    database: str
    most: float
    of_control: bool = False

    def find(self, runs: Iterable[Run]) -> Figure | None:
        """Return the figure; None if it was not measured."""
        for run in runs:
            if (run.name, run.database) == (self.benchmark, self.database):
                for figure in run.figures:
                    if self.figure in figure.what:
                        return figure
        return None

    def row(self, runs: Iterable[Run]) -> str:
        """Return the row of the page: a tick, or by how much the goal is missed."""
        found = self.find(runs)
        goal = f"≤ {readable(self.most)} ×" if self.of_control else f"≤ {readable(self.most)}"
        if found is None:
            return f"| {self.figure} | {self.database} | not measured |  | {goal} |  |"
        what, own, beside, times, _note = found.cells
        value = found.times if self.of_control else found.value
        assert value is not None, f"no control: {what}"
        verdict = "✓" if value <= self.most else "✗"
        if value > self.most > 0:
            verdict = f"{readable(value / self.most)} × the goal"
        beside = f"{beside} ({times})" if times else beside
        return f"| {what} | {self.database} | {own} | {beside} | {goal} | {verdict} |"


SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"
GOALS = (
    Goal("writing", "a deal by the page, one phone", POSTGRESQL, 4, of_control=True),
    Goal("api_entry", "an entry by the API", POSTGRESQL, 3, of_control=True),
    Goal("writing", "8 tables that never wait: 95 %", SQLITE, 3, of_control=True),
    Goal("writing", "8 tables that never wait: 99 %", SQLITE, 5, of_control=True),
    Goal(
        "engine",
        "a game of 20 deals, none like one before, checked and scored",
        "",
        # No checks are written twice, once exactly and once quickly for the usual deal.
        4.5,
        of_control=True,
    ),
    Goal("streams", "1000 followers, a deal each in 60 s: showing by streams", POSTGRESQL, 10),
    Goal("streams", "written until shown, 95 %", POSTGRESQL, 300),
    Goal("streams", "written until shown, 95 %", SQLITE, 1000),
    Goal("streams", ": memory of each", POSTGRESQL, 50),
    Goal("streams", "all streams back", POSTGRESQL, 35),
    Goal("kill", "deals lost", POSTGRESQL, 0),
    Goal("take_over", "until another one answers", SQLITE, 60),
    Goal("take_over", "that the copy lacks", SQLITE, 2),
    Goal("take_over", "lost or doubled", SQLITE, 0),
    Goal("growth", "a game: what it leaves after 30 days", POSTGRESQL, 11_000),
    Goal("backup", "a backup of 40,000 games", POSTGRESQL, 3, of_control=True),
    Goal("backup", "a backup of 40,000 games", SQLITE, 10, of_control=True),
    Goal("rebuild_ratings", "all ratings of 1,000,000 games", SQLITE, 60),
    Goal("rebuild_ratings", "all ratings of 1,000,000 games", POSTGRESQL, 60),
    Goal("players", "who has played the most", POSTGRESQL, 40),
    Goal("directing", "director's page with 250 tables", SQLITE, 40),
    Goal("directing", "a new list of 1,000 entrants", SQLITE, 80),
    Goal("scoresheet", "a sheet of 20 deals", SQLITE, 25),
    Goal("scoresheet", "a book of 100 sheets", SQLITE, 2),
    Goal("scoresheet", "a book of 1,000 sheets", SQLITE, 25),
    Goal("photo", "Turkish King: rows misread", "", 2),
    Goal("photo", "Turkish King: sheets with a silent error", "", 0),
    Goal("photo", "Turkish King: a photograph read", "", 300),
    Goal("start_up", "make up, first start", "", 12),
    Goal("start_up", "make up, later starts", "", 1.5),
    Goal("start_up", "score --help", "", 250),
    Goal("start_up", "pair, 16 players", "", 500),
    Goal("seating", "100 × 10 players × rounds: the slowest round", "", 1000),
)


def rows(runs: Iterable[Run]) -> Iterator[str]:
    """Return the table of goals."""
    runs = list(runs)
    yield "| figure | on | measured | beside, in the same run | goal | |"
    yield "|---|---|---:|---|---:|---|"
    yield from (goal.row(runs) for goal in GOALS)
