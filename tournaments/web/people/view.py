"""The page of a player: the rating, the totals, and each game."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeVar, cast

from django.core.cache import caches
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.timezone import localdate
from django.utils.translation import get_language

from tournaments.models import Player, PlayerRating, Season, Seat
from tournaments.presenters.people.players import (
    PLAYED,
    badges_of,
    contracts_of,
    facts_of,
    figures_of,
    has_page,
    opponents_of,
    places_of,
    played,
    rating_row,
    rows_with,
    rulesets_of,
)
from tournaments.presenters.ratings.ratings import draw_curve
from tournaments.presenters.statistics.statistics import NumbersFilter, family_asked, scope_of
from tournaments.queries.people.players import (
    HistoryPart,
    ListedGames,
    PlayerGame,
    PlayerSums,
    game_at_seat,
    limited_seats,
    newest_of,
    parts_of,
    rank_of,
    ratings_of,
    seats_of,
    steps_by,
    steps_of,
)
from tournaments.queries.ratings.ratings import ShownRating, rating_at, shown
from tournaments.services.people.players import sums_of_games
from tournaments.web.base.link_preview import LinkPreview, as_of, link_preview
from tournaments.web.standings.view import KEPT_SECONDS

Item = TypeVar("Item")

GAMES = 25
OPPONENTS = 6
"""The number of frequent opponents; the others have a page of their own."""


def limited(
    request: HttpRequest, games: Sequence[PlayerGame]
) -> tuple[NumbersFilter, list[PlayerGame]]:
    """Return the filter of the address and its games (1 query)."""
    scope = filter_of(request, Counter((game.family, game.season) for game in games))
    own = [game for game in games if game.family == scope.family]
    return scope, [game for game in own if scope.season in (None, game.season)]


def filter_of(
    request: HttpRequest, counted: Counter[tuple[str, int | None]], rated: str = ""
) -> NumbersFilter:
    """Return the filter of the address, from the number of games by family and season (1 query).

    Default: the most played kind; without games, the `rated` one.
    """
    by_family = Counter[str]()
    for (family, _season), games in counted.items():
        by_family[family] += games
    family = family_asked(by_family, request.GET.get("game", "")) or rated
    by_season = {season: n for (own, season), n in counted.items() if own == family and season}
    rows = Season.objects.in_bulk([pk for pk in by_season if pk])
    seasons = [(row, by_season[pk]) for pk, row in rows.items()]
    return scope_of(by_family, family, seasons, request.GET.get("season", ""))


# The rating.


@dataclass(frozen=True, slots=True)
class RatingView:
    """The current rating in the club and on the whole server, and its curve as HTML.

    `rank` is that on the club's leaderboard of `ranked` players, None for unranked players.
    """

    now: ShownRating
    on_server: ShownRating | None
    games: int
    rank: int | None
    ranked: int
    curve: str


def rating_of(
    own: PlayerRating, rows: Sequence[PlayerRating], curve: str, at: datetime
) -> RatingView:
    """Return the rating in the shown kind of game (2 queries)."""
    family = own.pool.family
    everywhere = [r for r in rows if r.pool.club_id is None and r.pool.family == family]
    on_server = shown(rating_at(everywhere[-1], at)) if everywhere else None
    rank, ranked = rank_of(own, at) or (None, 0)
    return RatingView(shown(rating_at(own, at)), on_server, own.games, rank, ranked, curve)


def curve_of(
    own: PlayerRating,
    games: ListedGames | None,
    parts: Sequence[HistoryPart],
    until: datetime | None,
) -> str:
    """Return the curve of a rating as HTML, by all its games or only some (1 or 2 queries).

    This process keeps it until tomorrow, another game, or a change of these `parts`.
    """
    rated = (own.pk, own.games, own.mean, own.variance, own.last_at)
    version = games is not None and [(each.key, each.checksum) for each in parts]
    said = repr((rated, version, until and localdate(until), get_language()))
    key = f"curve-{sha256(said.encode()).hexdigest()}"
    kept: str | None = caches["pages"].get(key)
    if kept is None:
        keys = None if games is None else games.keys()
        steps = [each for each in steps_of(own) if keys is None or each.game in keys]
        curve = draw_curve(steps, until)
        kept = (
            render_to_string("tournaments/ratings/_curve.html", {"curve": curve}) if curve else ""
        )
        caches["pages"].set(key, kept, KEPT_SECONDS)
    return kept


# The list of games.


def page_of(games: Sequence[Item], number: str | None) -> Page[Item]:
    return Paginator(games, GAMES).get_page(number)


# The whole page.


def preview_of(
    request: HttpRequest, row: Player, rating: RatingView | None, sums: PlayerSums
) -> LinkPreview | None:
    """Return what a chat shows of a player with a public page."""
    if not has_page(row.club, row):
        return None
    rank = (rating.rank, rating.ranked) if rating and rating.rank else None
    facts = facts_of(rating.now if rating else None, rank, sums)
    line = " · ".join([*(f"{name}: {value}" for name, value in facts), row.club.name])
    path = reverse("player_picture", args=[row.club.slug, row.public_id])
    return link_preview(request, row.shown_name, line, as_of(path, sums.games))


def chosen_games(
    request: HttpRequest, seats: QuerySet[Seat], rated: str = ""
) -> tuple[NumbersFilter, list[HistoryPart], ListedGames]:
    """Return the filter of the address, and the parts and games of a player in it (2 queries).

    Without games it is the `rated` family.
    """
    every, number = parts_of(seats, timezone.localdate())
    counted = Counter[tuple[str, int | None]]()
    for each in every:
        counted[each.family, each.season] += each.games
    scope = filter_of(request, counted, rated)
    parts = [p for p in every if p.family == scope.family and scope.season in (None, p.season)]
    listed = sum(each.games for each in parts)
    if listed < number:
        seats = limited_seats(seats, scope.family, scope.season)
    return scope, parts, ListedGames(seats, listed)


def player_page(request: HttpRequest, row: Player, *, member: bool) -> dict[str, Any]:
    """Return the context of a player's page, in a fixed number of queries.

    Others than members see published games.
    """
    at = timezone.now()
    ratings = ratings_of(row)
    rated = next((each.pool.family for each in ratings if each.pool.club_id), "")
    seats = seats_of(row, request.user, published=not member)
    scope, parts, games = chosen_games(request, seats, rated)
    history = sums_of_games(row, seats, parts, keep=member)
    part = page_of(cast("Sequence[tuple[int, int]]", games), request.GET.get("page"))
    sums, keys = history.sums, [pk for pk, _seat in part]
    ends = [game for game in (sums.best, sums.worst) if game is not None]
    rows = rows_with(PLAYED, [*keys, *(game.pk for game in ends)])
    own = rating_row(ratings, scope.family)
    rating, steps = None, []
    if own is not None:
        some, until = (None, at) if scope.season is None else (games, None)
        curve = curve_of(own, some if member else games, parts, until)
        rating, steps = rating_of(own, ratings, curve, at), steps_by(own, rows)
    return {
        "scope": scope,
        "rating": rating,
        "preview": preview_of(request, row, rating, sums),
        "sums": sums,
        "figures": figures_of(sums),
        "places": places_of(sums),
        "contracts": contracts_of(sums, rulesets_of(newest_of(parts))),
        "badges": badges_of(sums),
        "opponents": opponents_of(history.met, OPPONENTS),
        "extremes": played(ends, steps, rows) if sums.games > 1 else [],
        "part": part,
        # One may have been deleted since.
        "games": played(
            [game_at_seat(rows[pk], seat) for pk, seat in part if pk in rows], steps, rows
        ),
    }
