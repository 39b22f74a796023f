"""Simulate tournaments: `python -m benchmarks.seating_evidence [--players 40] [--tournaments N]`.

Every 25 tournaments a line is added to `evidence.jsonl`, so that a stopped run continues where it
was; `--table` prints what is there. Without numba (`uv sync --group experiments`) it takes days.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.seating_evidence.luck import fitted
from benchmarks.seating_evidence.methods import METHODS
from benchmarks.seating_evidence.results import KEPT, SCENARIOS, simulate, table, tidy


def main(words: Sequence[str]) -> None:
    """Simulate, or print what was found."""
    reader = argparse.ArgumentParser("python -m benchmarks.seating_evidence", description=__doc__)
    reader.add_argument("--players", type=int, nargs="*", help="only fields of this size")
    reader.add_argument("--methods", nargs="*", choices=METHODS, default=tuple(METHODS))
    reader.add_argument("--tournaments", type=int, default=1000, help="of each kind")
    reader.add_argument("--strengths", type=int, default=100, help="percent of those of the bots")
    reader.add_argument("--kept", type=Path, default=KEPT)
    reader.add_argument("--table", action="store_true")
    given = reader.parse_args(words)
    if given.table:
        tidy(given.kept)
        print(worth_of_a_seat(), table(given.kept), sep="\n\n")
        return
    for players, rounds in SCENARIOS:
        if given.players is None or players in given.players:
            for method in given.methods:
                where = (players, rounds, given.strengths)
                simulate(where, method, given.tournaments, given.kept)


def worth_of_a_seat() -> str:
    """Return what each seat is worth."""
    luck = fitted()
    worth = ", ".join(
        f"{own:+.1f} ± {error:.1f}" for own, error in zip(luck.seats, luck.errors, strict=True)
    )
    return f"Points of a seat, the first declarer first: {worth}"


if __name__ == "__main__":
    main(sys.argv[1:])
