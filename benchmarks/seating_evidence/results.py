"""Simulated tournaments as lines of sums, and the table of them."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import hypot, sqrt
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from benchmarks.seating_evidence.events import Event, played
from benchmarks.seating_evidence.methods import METHODS, by_lot

KEPT = Path(__file__).with_name("evidence.jsonl")
SCENARIOS = (
    (16, 5), (20, 5), (24, 5), (28, 3), (32, 5), (40, 8), (88, 9), (100, 10), (400, 9),
)  # fmt: skip
AT_ONCE = 25
USUAL = 100

Where = tuple[int, int, int]
"""Players, rounds, percent of the bots' strengths."""

Key = tuple[int, int, int, str]
"""The same, and the method."""

Cell = Callable[["Sums"], str]


class Sums(NamedTuple):
    """The number of tournaments, and for each figure its sum and that of its squares."""

    count: int
    sums: dict[str, float]
    squares: dict[str, float]

    def with_more(self, other: "Sums") -> "Sums":
        """Return the sums of both."""
        both = (
            {name: one.get(name, 0.0) + two[name] for name in two}
            for one, two in ((self.sums, other.sums), (self.squares, other.squares))
        )
        return Sums(self.count + other.count, *both)

    def mean(self, name: str) -> float:
        """Return the mean of a figure."""
        return self.sums[name] / self.count

    def error(self, name: str) -> float:
        """Return the standard error of the mean."""
        variance = self.squares[name] / self.count - self.mean(name) ** 2
        return sqrt(max(0.0, variance) / max(1, self.count - 1))


NOTHING = Sums(0, {}, {})


def simulate(where: Where, method: str, wanted: int, kept: Path) -> None:
    """Play what is missing to so many tournaments; add a line every now and then."""
    have = read(kept).get((*where, method), NOTHING).count
    for first in range(have, wanted, AT_ONCE):
        numbers = range(first, min(wanted, first + AT_ONCE))
        each = [one_event(where, method, number) for number in numbers]
        line = {"players": where[0], "rounds": where[1], "strengths": where[2], "method": method}
        with kept.open("a") as file:
            file.write(json.dumps(line | _summed(each)) + "\n")


def one_event(where: Where, method: str, number: int) -> dict[str, float]:
    """Play one tournament; "over lot" is what it gains over the same one drawn by lot."""
    own, lot = played(_event(where, number), METHODS[method]), _drawn_by_lot(where, number)
    over = {f"{name}_over_lot": own[name] - lot[name] for name in ("strongest_wins", "tau")}
    return own | over


def _event(where: Where, number: int) -> Event:
    players, rounds, percent = where
    return Event(players, rounds, number, percent)


@cache
def _drawn_by_lot(where: Where, number: int) -> dict[str, float]:
    return played(_event(where, number), by_lot)


def read(kept: Path) -> dict[Key, Sums]:
    """Return what is kept, in the order of the file."""
    found: dict[Key, Sums] = {}
    for line in kept.read_text().splitlines() if kept.exists() else ():
        row = json.loads(line)
        key = (row["players"], row["rounds"], row["strengths"], row["method"])
        sums = Sums(row["count"], row["sums"], row["squares"])
        found[key] = found.get(key, NOTHING).with_more(sums)
    return found


def tidy(kept: Path) -> None:
    """Write one line for each method and field."""
    order = [*METHODS]
    # First what can no longer be played: the program before a change.
    places = {name: order.index(name) if name in order else -1 for *_, name in read(kept)}
    rows = sorted(read(kept).items(), key=lambda row: (*row[0][:3], places[row[0][3]]))
    kept.write_text("".join(json.dumps(_line(key, sums)) + "\n" for key, sums in rows))


def table(kept: Path) -> str:
    """Return everything as Markdown: a table of all fields together, and one for each."""
    rows = read(kept)
    fields = sorted({key[:3] for key in rows})
    tables = [_table("All fields together", _together(rows), OVER_LOT)]
    for field in fields:
        players, rounds, percent = field
        strengths = "" if percent == USUAL else f", strengths × {percent / 100:g}"
        here = {key[3]: rows[key] for key in rows if key[:3] == field}
        tables.append(_table(f"{players} × {rounds}{strengths}", here, COLUMNS))
    return "\n\n".join(tables)


def _together(rows: Mapping[Key, Sums]) -> dict[str, Sums]:
    """Return the mean of the fields for each method that was simulated in all of them."""
    usual = {key: sums for key, sums in rows.items() if key[2] == USUAL}
    fields = sorted({key[:3] for key in usual})
    return {
        method: _mean([usual[*field, method] for field in fields])
        for *_, method in usual
        if all((*field, method) in usual for field in fields)
    }


def _mean(fields: Sequence[Sums]) -> Sums:
    """Weigh all fields alike, however many tournaments of each there are."""
    count = sum(field.count for field in fields)
    sums, squares = {}, {}
    for name in fields[0].sums:
        mean = fmean(field.mean(name) for field in fields)
        error = hypot(*(field.error(name) for field in fields)) / len(fields)
        sums[name] = count * mean
        squares[name] = count * (mean**2 + error**2 * (count - 1))
    return Sums(count, sums, squares)


def _table(title: str, rows: Mapping[str, Sums], columns: Sequence[tuple[str, Cell]]) -> str:
    heads = ("method", "n", *(head for head, _ in columns))
    lines = [f"**{title}**\n", f"| {' | '.join(heads)} |", "|---|" + "---:|" * (len(heads) - 1)]
    for method, sums in rows.items():
        cells = (method, f"{sums.count:,}", *(show(sums) for _, show in columns))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _number(name: str, digits: int = 1, times: int = 1) -> Cell:
    """Return what shows a mean and its error."""
    return lambda sums: (
        f"{times * sums.mean(name):.{digits}f} ± {times * sums.error(name):.{digits}f}"
    )


def _spread(name: str) -> Cell:
    """Return what shows a spread in times of neighbours, and in points."""
    times = _number(name.replace("spread", "times"), 2)
    return lambda sums: f"{times(sums)} × ({sums.mean(name):,.0f})"


OVER_LOT = (
    ("strongest wins, %, than by lot", _number("strongest_wins_over_lot", 1, 100)),
    ("tau, ‰, than by lot", _number("tau_over_lot", 1, 1000)),
    ("1st and 2nd meet late, %", _number("first_two_met", 0, 100)),
)
COLUMNS = (
    ("strongest wins, %", _number("strongest_wins", 0, 100)),
    ("than by lot", _number("strongest_wins_over_lot", 0, 100)),
    ("tau, ‰", _number("tau", 0, 1000)),
    ("than by lot", _number("tau_over_lot", 0, 1000)),
    ("1st and 2nd meet late, %", _number("first_two_met", 0, 100)),
    ("tables of the top four", _number("leaders_tables", 2)),
    ("repeats", _number("repeats")),
    ("in the last round", _number("last_repeats")),
    ("2 out, %", _number("uneven", 1, 100)),
    ("spread", _spread("spread")),
    ("top quarter", _spread("spread_above")),
    ("last round", _spread("spread_last")),
)


def _summed(each: Sequence[dict[str, float]]) -> dict[str, Any]:
    squares = {name: sum(one[name] ** 2 for one in each) for name in each[0]}
    return _short(
        Sums(len(each), {name: sum(one[name] for one in each) for name in each[0]}, squares)
    )


def _line(key: Key, sums: Sums) -> dict[str, Any]:
    names = ("players", "rounds", "strengths", "method")
    return dict(zip(names, key, strict=True)) | _short(sums)


def _short(sums: Sums) -> dict[str, Any]:
    """Return the sums as they are kept, with seven digits."""
    return {
        "count": sums.count,
        "sums": {name: float(f"{value:.7g}") for name, value in sums.sums.items()},
        "squares": {name: float(f"{value:.7g}") for name, value in sums.squares.items()},
    }
