"""Models of ratings: which predicts best who ends above whom.

`python -m benchmarks.ratings_models` compares all of them, and with `--write` keeps the tables in
`ratings.md`; `make bench` a few.

Each model predicts every pair of every game before it learns the game, in games that bots played
with real cards (`king_bots/`) and in games of the same players at the same tables with normal luck.
The figures are of evenings 40 to 99; each model has the constants that predicted evenings 0 to 39
of the bots best (`--calibrate` looks for them again).
"""

import argparse
import itertools
import math
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchmarks.figures import Figure
from benchmarks.king_bots import contenders as models
from benchmarks.king_bots.contenders import Gaussian, OpenSkill
from benchmarks.king_bots.predicting import SEEN, Tally, bots, normal, run

BURN_IN, EVENINGS = 40, 100
FIRST_NEWCOMERS = 15
SIZES = {
    "tiny": {"first": 1, "evenings": 2},
    "usual": {"first": BURN_IN, "evenings": EVENINGS},
    "full": {"first": BURN_IN, "evenings": EVENINGS},
}
KEPT = Path(__file__).with_name("ratings.md")


class Row(NamedTuple):
    """A model, the constants found best for it, and where they were looked for."""

    name: str
    model: Callable[..., models.Model]
    constants: dict[str, float] = {}
    grid: dict[str, tuple[float, ...]] = {}

    @property
    def package(self) -> str:
        return {OpenSkill: "openskill", models.TrueSkill: "trueskill"}.get(self.model, "math")

    def made(self, **constants: float) -> models.Model:
        """A fresh model."""
        if self.model is OpenSkill:
            return OpenSkill(self.name.split(",")[0], **constants)
        return self.model(**constants)


def by(scoring: Callable[[models.Shown], list[float]]) -> Callable[..., Gaussian]:
    """The Gaussian filter with a way to score a game."""

    def made(start: float | None = None) -> Gaussian:
        return Gaussian(scoring, start)

    return made


STARTS = {"start": (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)}
BETAS = {"beta": (0.5, 0.7, 0.9, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)}
MARGINS = BETAS | {"margin": (50.0, 200.0, 800.0)}
CHOSEN = "Gaussian, points by the running spread (the engine)"
BESIDE = (
    "Oracle: true strengths known",
    "PlackettLuce, calibrated",
    "Elo, all pairs of a table",
    "Coin",
)


def openskill(name: str, beta: float, margin: float, with_margin: float) -> Iterator[Row]:
    """One of openskill's models: as it comes, with a better beta, and with margins."""
    yield Row(f"{name}, as it comes", OpenSkill, {"beta": 0.5, "tau": 0.01})
    yield Row(f"{name}, calibrated", OpenSkill, {"beta": beta}, BETAS)
    with_points = {"beta": with_margin, "margin": margin}
    yield Row(f"{name}, calibrated, with margins", OpenSkill, with_points, MARGINS)


ROWS = (
    Row(
        "Oracle: true strengths known",
        models.Oracle,
        {"luck": 530.0},
        {"luck": (490.0, 510.0, 530.0, 550.0)},
    ),
    Row(CHOSEN, by(models.by_points), {"start": 0.5}, STARTS),
    Row("Gaussian, the same, an evening a week", models.Weekly, {}, {}),
    Row("Gaussian, half points, half places", by(models.by_both), {"start": 0.5}, STARTS),
    Row("Gaussian, points by the game's own width", by(models.by_shape), {"start": 0.5}, STARTS),
    Row("Gaussian, places only", by(models.by_places), {"start": 0.55}, STARTS),
    Row("TrueSkill, as it comes", models.TrueSkill, {"beta": 0.5, "tau": 0.01}),
    Row("TrueSkill, calibrated", models.TrueSkill, {"beta": 2.0}, {"beta": (1.5, 2.0, 2.5)}),
    *openskill("PlackettLuce", 0.9, 800.0, 0.9),
    *openskill("BradleyTerryFull", 2.0, 800.0, 2.0),
    *openskill("BradleyTerryPart", 0.9, 800.0, 0.9),
    *openskill("ThurstoneMostellerFull", 4.0, 800.0, 4.0),
    *openskill("ThurstoneMostellerPart", 2.5, 800.0, 2.5),
    Row(
        "Elo, all pairs of a table",
        models.Elo,
        {"step": 28.0},
        {"step": (16.0, 24.0, 28.0, 32.0, 40.0)},
    ),
    Row("Coin", models.Coin),
)


def measure(first: int, evenings: int) -> Iterator[Figure]:
    """The engine beside others: the log-loss of pairs from the first evening on that counts."""
    games = [game for game in bots() if game.evening < evenings]
    rows = {row.name: row for row in ROWS if row.name in (CHOSEN, *BESIDE)}
    found = {
        name: run(row.made(**row.constants), games, first, evenings) for name, row in rows.items()
    }
    own = found.pop(CHOSEN)
    for name, other in found.items():
        yield Figure(
            "log-loss of who ends above whom, games of bots", own.log_loss, "nats",
            name, other.log_loss,
            f"{own.right / own.pairs:.2%} right, {other.right / other.pairs:.2%}",
        )  # fmt: skip


def main() -> None:
    """Compare, and print or keep the tables."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--calibrate", action="store_true")
    words.add_argument("--write", action="store_true")
    given = words.parse_args()
    rows = [row for row in ROWS if find_spec(row.package)]
    if given.calibrate:
        calibrate(rows)
        return
    text = "\n".join(report(rows))
    print(text)
    if len(rows) < len(ROWS):
        print("Not here: TrueSkill (uv sync --group experiments)")
    if given.write:
        KEPT.write_text(text + "\n")


def calibrate(rows: list[Row]) -> None:
    """Print the constants of each model that predict the first evenings of the bots best."""
    games = [game for game in bots() if game.evening < BURN_IN]
    for row in rows:
        if not row.grid:
            continue
        trials = []
        for values in itertools.product(*row.grid.values()):
            constants = dict(zip(row.grid, values, strict=True))
            trials.append((run(row.made(**constants), games, 0, BURN_IN).log_loss, constants))
        trials.sort(key=lambda trial: trial[0])
        print(f"{row.name:50}{trials[0][0]:.5f}  {trials[0][1]}", flush=True)


def report(rows: list[Row]) -> Iterator[str]:
    """The tables, as Markdown."""
    sets = {"bots": bots(), "normal luck": normal()}
    tallies = {
        kind: {row.name: run(row.made(**row.constants), games, BURN_IN, EVENINGS) for row in rows}
        for kind, games in sets.items()
    }
    yield "# Models of ratings compared"
    yield ""
    yield "Made by `python -m benchmarks.ratings_models --write`."
    yield __doc__.split("\n\n", 2)[2].strip()
    yield ""
    yield "Log-loss is in nats: a coin loses 0.6931 on every pair. *Known* is how much of the way"
    yield "from the coin to the oracle a model makes. *Worse* is the log-loss beyond the engine's,"
    yield "± its standard error over evenings, in thousandths. *Games/s* are predicted and learned,"
    yield "all in Python but openskill, which comes compiled; its models predict with the curve and"
    yield "width that they learn by. *Start* is the deviation of newcomers' strengths for a luck of"
    yield "1, *beta* and *tau* are for newcomers' deviation of 1, *margin* is in points."
    for kind, found in tallies.items():
        yield from ("", f"## {kind.capitalize()}", "")
        yield from comparison(rows, found)
    yield from ("", "## By games played", "", *by_games(rows, sets["bots"]))
    yield from ("", "## Is the engine as sure as it should be?", "", *reliability(tallies))


def comparison(rows: list[Row], found: dict[str, Tally]) -> Iterator[str]:
    """All models on one set of games."""
    yield "| model | constants | right | log-loss | known | worse | games/s |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    best, coin = found[ROWS[0].name].log_loss, math.log(2)
    for row in rows:
        tally = found[row.name]
        constants = ", ".join(f"{name} {value:g}" for name, value in row.constants.items())
        yield (
            f"| {row.name} | {constants} | {tally.right / tally.pairs:.2%} | {tally.log_loss:.4f} "
            f"| {max(0.0, (coin - tally.log_loss) / (coin - best)):.0%} "
            f"| {difference(tally, found[CHOSEN])} | {tally.games / tally.seconds:,.0f} |"
        )


def difference(tally: Tally, chosen: Tally) -> str:
    """The log-loss beyond that of the chosen model, and how sure that is."""
    if tally is chosen:
        return "–"
    pairs = tally.pairs / len(tally.losses)
    each = [(tally.losses[e] - chosen.losses[e]) / pairs for e in tally.losses]
    mean = sum(each) / len(each)
    spread = math.sqrt(sum((own - mean) ** 2 for own in each) / (len(each) - 1) / len(each))
    return f"{1000 * mean:+.1f} ± {1000 * spread:.1f}".replace("-", "−")


def by_games(rows: list[Row], games: list[models.Shown]) -> Iterator[str]:
    """How much each model knows by the games of whom it knows less."""
    names = (ROWS[0].name, CHOSEN, "Gaussian, places only", "PlackettLuce, calibrated")
    shown = [row for row in rows if row.name in names]
    yield f"Log-loss of the bots' pairs from evening {FIRST_NEWCOMERS} on, when most players are"
    yield "known and others come for the first time, by the games of the one who has played less."
    yield ""
    yield "| games | pairs | " + " | ".join(row.name for row in shown) + " |"
    yield "|---|---:|" + "---:|" * len(shown)
    found = [run(row.made(**row.constants), games, FIRST_NEWCOMERS, EVENINGS) for row in shown]
    for start, end in zip(SEEN, (*SEEN[1:], None), strict=True):
        label = f"{start} and more" if end is None else f"{start}–{end - 1}"
        losses = [tally.seen[start] for tally in found]
        cells = " | ".join(f"{loss / max(1, number):.4f}" for number, loss in losses)
        yield f"| {'0' if start == 0 else label} | {losses[0][0]:,} | {cells} |"


def reliability(tallies: dict[str, dict[str, Tally]]) -> Iterator[str]:
    """What was predicted and what came, by how sure the engine was."""
    yield "| games | sure of | pairs | predicted | came true |"
    yield "|---|---|---:|---:|---:|"
    for kind, found in tallies.items():
        for tenth, (pairs, sure, true) in found[CHOSEN].bins.items():
            if pairs:
                yield (
                    f"| {kind} | {tenth * 10}–{tenth * 10 + 10} % | {pairs:,} "
                    f"| {sure / pairs:.1%} | {true / pairs:.1%} |"
                )


if __name__ == "__main__":
    main()
