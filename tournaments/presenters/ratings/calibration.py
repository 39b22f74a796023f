"""How well the ratings of a pool predict: the chart, the months, and a newcomer's first games."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from math import sqrt

from django.utils.formats import date_format

from tournaments.engine.ratings.ratings import COIN
from tournaments.models import RatingPool
from tournaments.presenters.ratings.rating_curve import AxisMark, Frame
from tournaments.queries.ratings.calibration import first_moves
from tournaments.texts.families import family_name
from tournaments.texts.labels import ruleset_name

MOST_MONTHS = 24

FEWEST_PAIRS = 10
"""A part of the chart with fewer pairs shows only chance."""

CHART = Frame(width=358, height=300, left=44, right=12, top=10, bottom=40)
LOWEST = 0.3
"""What happened may lie below one half by chance, but hardly below this."""


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Predictions of about one chance: what was predicted, what happened, and within what."""

    pairs: int
    predicted: float
    happened: float
    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class MonthRow:
    """The log-loss of a month: by the ratings, and by ratings of places only."""

    label: str
    pairs: int
    loss: float
    by_places: float


@dataclass(frozen=True, slots=True)
class LuckRow:
    ruleset: str
    points: int


@dataclass(frozen=True)
class CalibrationView:
    """The page of a pool; `months` begin with the latest, `whole` is their sum."""

    families: Sequence[tuple[str, str]]
    family: str
    version: int
    deviation: int
    fitted_at: datetime | None
    games: int
    luck: Sequence[LuckRow]
    parts: Sequence[CalibrationBin]
    months: Sequence[MonthRow]
    whole: MonthRow | None
    moves: Sequence[float]
    frame: Frame
    across: Sequence[AxisMark]
    up: Sequence[AxisMark]
    # From one corner of the chart to the other: what happened is what was predicted.
    diagonal: str
    coin: float = COIN


def calibration_view(pools: Sequence[RatingPool], family: str) -> CalibrationView:
    """Present the pool of a family, or the first (1 query)."""
    pool = next((each for each in pools if each.family == family), pools[0])
    stored = pool.calibration or {"bins": [], "months": {}}
    rows = [_month(month, *values) for month, values in sorted(stored["months"].items())]
    steps = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    return CalibrationView(
        families=[(each.family, family_name(each.family)) for each in pools],
        family=pool.family,
        version=pool.version,
        deviation=round(sqrt(pool.start)),
        fitted_at=pool.fitted_at,
        games=pool.fitted_games,
        luck=[
            LuckRow(ruleset_name(name.removeprefix("house ")), round(points))
            for name, points in pool.luck.items()
        ],
        parts=[_part(*values) for values in stored["bins"] if values[0] >= FEWEST_PAIRS],
        months=rows[: -MOST_MONTHS - 1 : -1],
        whole=_whole(rows),
        moves=first_moves(pool),
        frame=CHART,
        across=[AxisMark(_x(step), f"{100 * step:.0f}%") for step in steps],
        up=[AxisMark(_y(step), f"{100 * step:.0f}%") for step in (0.3, 0.4, *steps)],
        diagonal=f"M{_x(0.5)} {_y(0.5)}L{_x(1.0)} {_y(1.0)}",
    )


def _part(pairs: float, predicted: float, above: float) -> CalibrationBin:
    chance, came = predicted / pairs, above / pairs
    within = 2 * sqrt(chance * (1 - chance) / pairs)
    return CalibrationBin(
        int(pairs),
        100 * chance,
        100 * came,
        _x(chance),
        _y(came),
        _y(max(LOWEST, came - within)),
        _y(min(1.0, came + within)),
    )


def _x(chance: float) -> float:
    wide = CHART.width - CHART.left - CHART.right
    return round(CHART.left + (chance - 0.5) / 0.5 * wide, 1)


def _y(share: float) -> float:
    high = CHART.height - CHART.top - CHART.bottom
    return round(CHART.top + (1.0 - max(LOWEST, share)) / (1.0 - LOWEST) * high, 1)


def _month(month: str, pairs: float, loss: float, by_places: float) -> MonthRow:
    year, number = map(int, month.split("-"))
    label = date_format(date(year, number, 1), "YEAR_MONTH_FORMAT")
    return MonthRow(label, int(pairs), loss / (pairs or 1), by_places / (pairs or 1))


def _whole(rows: Sequence[MonthRow]) -> MonthRow | None:
    pairs = sum(row.pairs for row in rows)
    if not pairs:
        return None
    loss = sum(row.pairs * row.loss for row in rows) / pairs
    return MonthRow("", pairs, loss, sum(row.pairs * row.by_places for row in rows) / pairs)
