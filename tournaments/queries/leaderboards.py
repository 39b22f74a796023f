"""Leaderboards, curves of ratings, and how predictions came out."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from math import ceil, floor, sqrt
from operator import attrgetter
from typing import Any

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import pgettext

from tournaments.engine.ratings.ratings import COIN, Rating
from tournaments.models import Club, Member, Player, RatingPool, Season, User, Visitor
from tournaments.models.clubs import DIRECTING
from tournaments.queries.players import RatingStep
from tournaments.queries.ratings import (
    MOST_FOUND,
    CurrentRatings,
    Line,
    SeasonRatings,
    displayed,
    displayed_points,
    first_moves,
    pools_with_ratings,
)
from tournaments.texts.labels import family_name, ruleset_name


@dataclass(frozen=True)
class BoardReader:
    """The visitor: the account, and its roles in clubs by their keys."""

    user: User | None
    roles: Mapping[int, str]

    @staticmethod
    def of(user: User | None) -> "BoardReader":
        """Load a visitor with all clubs (1 query for a signed-in account)."""
        members = Member.objects.of_user(user).values_list("club_id", "role")
        return BoardReader(user, dict(members) if user is not None else {})

    def knows(self, player: Player) -> bool:
        """Whether a player is listed with an id, as those of the visitor's clubs are."""
        return player.club_id in self.roles and player.removed_at is None

    def may_see(self, club: Club) -> bool:
        return club.published or club.pk in self.roles


def pools_of_club(slug: str, visitor: Visitor) -> list[RatingPool]:
    """Return the pools of a club that a visitor may see, the most played first (1 query)."""
    pools = RatingPool.objects.seen_by(visitor).filter(club__slug=slug)
    return pools_with_ratings(pools.select_related("club"))


def pools_of_server() -> list[RatingPool]:
    return pools_with_ratings(RatingPool.objects.filter(club=None))


@dataclass(frozen=True)
class Leaderboard:
    """Today's leaderboard, or that of a season; with a `name`, only the players found by it."""

    pool: RatingPool
    season: Season | None
    reader: BoardReader
    now: datetime
    active: bool
    provisional: bool
    name: str = ""

    @cached_property
    def listed(self) -> CurrentRatings | SeasonRatings:
        """The whole list; that of a season has everybody who played in it."""
        if self.season is not None:
            return SeasonRatings(self.pool, self.season, provisional=self.provisional)
        return CurrentRatings(self.pool, self.now, active=self.active, provisional=self.provisional)

    @cached_property
    def found(self) -> list[int] | None:
        """The ratings found by the name, one more than are listed; None without a name.

        Directors also find those who asked for initials.
        """
        if not self.name:
            return None
        directs = self.reader.roles.get(self.pool.club_id or 0) in DIRECTING
        return self.listed.keys_of_players(Player.objects.matching(self.name, directs=directs))

    @property
    def total(self) -> int:
        return self.listed.ranks.total if self.found is None else len(self.found[:MOST_FOUND])

    def lines(self, first: int, size: int) -> list[Line]:
        """Return `size` lines after the `first` ones; the list is read by its index."""
        if self.found is None:
            return self.listed.lines(self.listed.keys(first, size))
        return self.listed.lines(self.found[:MOST_FOUND][first : first + size])


COLUMNS = 150
"""The number of moments that a curve of this width can show."""

MOST_DOTS = 30
"""With more games than this, the curve has no dots."""

MOST_ROWS = 24
"""With more games than this, the table is by months."""

STEPS = (10, 20, 50, 100, 200, 500)
MOST_MARKS = 6
MOST_DATES = 4
MONTHS = (1, 2, 3, 6, 12, 24, 60, 120)
DAYS_OF_MONTHS = 75
"""A longer curve is labelled by months, a shorter one by days."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The size of a drawing, with margins for the scale, the end and the dates."""

    width: int = 358
    height: int = 220
    left: int = 40
    right: int = 10
    top: int = 10
    bottom: int = 24

    @property
    def end(self) -> int:
        return self.width - self.right

    @property
    def floor(self) -> int:
        return self.height - self.bottom


PAGE = Frame()
"""The width of a phone."""


def draw_curve(
    steps: Sequence[RatingStep], until: datetime | None, frame: Frame = PAGE
) -> dict[str, Any] | None:
    """Return the curve of a rating, up to `until` if given; None before the first game.

    The band is the rating plus and minus two deviations. It widens to the deviation at the start of
    each game, and after the last game as it does without play.
    """
    if not steps:
        return None
    moments = list(_moments(steps))
    end_at, end = moments[-1]
    if until is not None and until > end_at:
        days = (until - end_at) / timedelta(days=1)
        moments.append((until, end.rested(days)))
    lower = [(at, rating.mean - 2 * rating.deviation) for at, rating in moments]
    upper = [(at, rating.mean + 2 * rating.deviation) for at, rating in moments]
    first, last = moments[0][0], max(moments[-1][0], moments[0][0] + timedelta(days=1))
    span = (last - first).total_seconds()
    step, low, high = _scale(min(y for _at, y in lower), max(y for _at, y in upper))

    def x_of(at: datetime) -> float:
        share = (at - first).total_seconds() / span
        return round(frame.left + (frame.width - frame.left - frame.right) * share, 1)

    def y_of(points: float) -> float:
        room = frame.height - frame.top - frame.bottom
        return round(frame.top + room * (high - points) / (high - low), 1)

    band = [(x_of(at), y_of(y)) for at, y in (*upper, *reversed(lower))]
    dots = steps if len(steps) <= MOST_DOTS else ()
    return {
        "line": _points((x_of(at), y_of(rating.mean)) for at, rating in moments),
        "band": _points(iter(band)),
        "dots": tuple((x_of(each.at), y_of(each.after.mean)) for each in dots),
        "end": (x_of(end_at), y_of(end.mean)),
        "marks": tuple(
            {"at": y_of(mark), "label": str(mark)} for mark in range(low, high + 1, step)
        ),
        "dates": tuple({"at": x_of(at), "label": label} for at, label in _dates(first, last)),
        "rows": tuple(_rows(steps)),
        "by_months": len(steps) > MOST_ROWS,
        "width": PAGE.width,
        "height": PAGE.height,
        "left": PAGE.left,
        "right": PAGE.width - PAGE.right,
        "bottom": PAGE.height - PAGE.bottom,
        "foot": PAGE.height - 6,
    }


def _points(places: Iterator[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in places)


def _moments(steps: Sequence[RatingStep]) -> Iterator[tuple[datetime, Rating]]:
    """Yield the ratings to draw; with many games, the first and last of each pixel column."""
    first, last = steps[0].at, steps[-1].at
    span = (last - first).total_seconds() or 1.0
    columns = [int(COLUMNS * (each.at - first).total_seconds() / span) for each in steps]
    yield first, steps[0].after
    for number, each in enumerate(steps):
        if number and columns[number - 1] != columns[number]:
            yield each.at, each.before
        if number + 1 == len(steps) or columns[number + 1] != columns[number]:
            yield each.at, each.after


def _scale(lowest: float, highest: float) -> tuple[int, int, int]:
    step = next((s for s in STEPS if (highest - lowest) / s <= MOST_MARKS - 1), STEPS[-1])
    low, high = floor(lowest / step) * step, ceil(highest / step) * step
    return step, low, max(high, low + step)


# Dates.


def _dates(first: datetime, last: datetime) -> Iterator[tuple[datetime, str]]:
    days = (last - first).days
    if days >= DAYS_OF_MONTHS:
        yield from _months(first, last)
        return
    every = max(1, ceil((days + 1) / MOST_DATES))
    day = localtime(first).replace(hour=0, minute=0, second=0, microsecond=0)
    while day <= last:
        if day >= first - timedelta(days=1):
            yield max(day, first), date_format(day, "MONTH_DAY_FORMAT")
        day += timedelta(days=every)


def _months(first: datetime, last: datetime) -> Iterator[tuple[datetime, str]]:
    start = localtime(first)
    number, end = (_month_of(start) + (start.day > 1)), _month_of(localtime(last))
    every = next((n for n in MONTHS if (end - number) / n < MOST_DATES), MONTHS[-1])
    while number % min(every, 12):
        number += 1
    while number <= end:
        day = start.replace(
            year=number // 12, month=number % 12 + 1, day=1, hour=0, minute=0, second=0
        )
        # The first game may be on the first day of its month.
        yield max(day, start), date_format(day, pgettext("month and year", "M Y"))
        number += every


def _month_of(day: date) -> int:
    return 12 * day.year + day.month - 1


# The table.


def _rows(steps: Sequence[RatingStep]) -> Iterator[dict[str, Any]]:
    by_months = len(steps) > MOST_ROWS
    style = "YEAR_MONTH_FORMAT" if by_months else "SHORT_DATE_FORMAT"
    last = len(steps) - 1
    while last >= 0:
        at = localtime(steps[last].at)
        first = last
        if by_months:
            month = at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
            first = bisect_left(steps, month, hi=last, key=attrgetter("at"))
        rating = displayed(steps[last].after)
        change = rating.points - displayed_points(steps[first].before)
        yield {
            "label": date_format(at, style),
            "games": last - first + 1,
            "rating": rating,
            "change": change,
        }
        last = first - 1


MOST_MONTHS = 24

FEWEST_PAIRS = 10
"""A part of the chart with fewer pairs shows only chance."""

CHART = Frame(width=358, height=300, left=44, right=12, top=10, bottom=40)
LOWEST = 0.3
"""What happened may lie below one half by chance, but hardly below this."""


def calibration_view(pools: Sequence[RatingPool], family: str) -> dict[str, Any]:
    """Present the pool of a family, or the first (1 query)."""
    pool = next((each for each in pools if each.family == family), pools[0])
    stored = pool.calibration or {"bins": [], "months": {}}
    rows = [_month(month, *values) for month, values in sorted(stored["months"].items())]
    steps = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    return {
        "families": [(each.family, family_name(each.family)) for each in pools],
        "family": pool.family,
        "version": pool.version,
        "deviation": round(sqrt(pool.start)),
        "fitted_at": pool.fitted_at,
        "games": pool.fitted_games,
        "luck": [
            {"ruleset": ruleset_name(name.removeprefix("house ")), "points": round(points)}
            for name, points in pool.luck.items()
        ],
        "parts": [_part(*values) for values in stored["bins"] if values[0] >= FEWEST_PAIRS],
        "months": rows[: -MOST_MONTHS - 1 : -1],
        "whole": _whole(rows),
        "moves": first_moves(pool),
        "frame": CHART,
        "across": [{"at": _x(step), "label": f"{100 * step:.0f}%"} for step in steps],
        "up": [{"at": _y(step), "label": f"{100 * step:.0f}%"} for step in (0.3, 0.4, *steps)],
        "diagonal": f"M{_x(0.5)} {_y(0.5)}L{_x(1.0)} {_y(1.0)}",
        "coin": COIN,
    }


def _part(pairs: float, predicted: float, above: float) -> dict[str, Any]:
    chance, came = predicted / pairs, above / pairs
    within = 2 * sqrt(chance * (1 - chance) / pairs)
    return {
        "pairs": int(pairs),
        "predicted": 100 * chance,
        "happened": 100 * came,
        "x": _x(chance),
        "y": _y(came),
        "low": _y(max(LOWEST, came - within)),
        "high": _y(min(1.0, came + within)),
    }


def _x(chance: float) -> float:
    wide = CHART.width - CHART.left - CHART.right
    return round(CHART.left + (chance - 0.5) / 0.5 * wide, 1)


def _y(share: float) -> float:
    high = CHART.height - CHART.top - CHART.bottom
    return round(CHART.top + (1.0 - max(LOWEST, share)) / (1.0 - LOWEST) * high, 1)


def _month(month: str, pairs: float, loss: float, by_places: float) -> dict[str, Any]:
    year, number = map(int, month.split("-"))
    label = date_format(date(year, number, 1), "YEAR_MONTH_FORMAT")
    return {
        "label": label,
        "pairs": int(pairs),
        "loss": loss / (pairs or 1),
        "by_places": by_places / (pairs or 1),
    }


def _whole(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    pairs = sum(row["pairs"] for row in rows)
    if not pairs:
        return None
    loss = sum(row["pairs"] * row["loss"] for row in rows) / pairs
    return {
        "label": "",
        "pairs": pairs,
        "loss": loss,
        "by_places": sum(row["pairs"] * row["by_places"] for row in rows) / pairs,
    }
