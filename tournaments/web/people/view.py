"""The page of a player: the rating, the totals, and each game."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from tournaments.models import Player, PlayerRating, Season
from tournaments.presenters.people.names import has_page
from tournaments.presenters.people.player_sums import (
    badges_of,
    contracts_of,
    figures_of,
    places_of,
    rulesets_of,
)
from tournaments.presenters.people.players import opponents_of, played, rating_row, rows_of
from tournaments.presenters.people.public_player import facts_of
from tournaments.presenters.ratings.rating_curve import Curve, draw_curve
from tournaments.presenters.statistics.scope import NumbersFilter, family_asked, scope_of
from tournaments.queries.people.players import (
    PlayerGame,
    PlayerSums,
    RatingStep,
    add_up,
    games_of,
    meetings,
    rank_of,
    ratings_of,
    seats_beside,
    steps_of,
)
from tournaments.queries.ratings.ratings import ShownRating, rating_at, shown
from tournaments.web.base.link_preview import LinkPreview, as_of, link_preview

GAMES = 25
OPPONENTS = 6
"""The number of frequent opponents; the others have a page of their own."""


def limited(
    request: HttpRequest, games: Sequence[PlayerGame], rated: str = ""
) -> tuple[NumbersFilter, list[PlayerGame]]:
    """Return the filter of the address and its games (1 query).

    Default: the most played kind; without games, the `rated` one.
    """
    by_family = Counter(game.family for game in games)
    family = family_asked(by_family, request.GET.get("game", "")) or rated
    own = [game for game in games if game.family == family]
    by_season = Counter(game.season for game in own if game.season is not None)
    rows = Season.objects.filter(pk__in=list(by_season))
    seasons = [(row, by_season[row.pk]) for row in rows]
    scope = scope_of(by_family, family, seasons, request.GET.get("season", ""))
    return scope, [game for game in own if scope.season in (None, game.season)]


# The rating.


@dataclass(frozen=True, slots=True)
class RatingView:
    """The current rating in the club and on the whole server, and its curve.

    `rank` is that on the club's leaderboard of `ranked` players, None for unranked players.
    """

    now: ShownRating
    on_server: ShownRating | None
    games: int
    rank: int | None
    ranked: int
    curve: Curve | None


def rating_of(
    rows: Sequence[PlayerRating], scope: NumbersFilter, steps: Sequence[RatingStep], at: datetime
) -> RatingView | None:
    """Return the rating in the shown kind of game; None without rated games (2 queries)."""
    own = rating_row(rows, scope.family)
    if own is None:
        return None
    everywhere = [r for r in rows if r.pool.club_id is None and r.pool.family == scope.family]
    on_server = shown(rating_at(everywhere[-1], at)) if everywhere else None
    curve = draw_curve(steps, at if scope.season is None else None)
    rank, ranked = rank_of(own, at) or (None, 0)
    return RatingView(shown(rating_at(own, at)), on_server, own.games, rank, ranked, curve)


# The list of games.


def page_of(games: Sequence[PlayerGame], number: str | None) -> Page[PlayerGame]:
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


def player_page(request: HttpRequest, row: Player, *, member: bool) -> dict[str, Any]:
    """Return the context of a player's page, in a fixed number of queries.

    Others than members see published games.
    """
    at = timezone.now()
    ratings = ratings_of(row)
    rated = next((each.pool.family for each in ratings if each.pool.club_id), "")
    scope, games = limited(request, games_of(row, published=not member), rated)
    own = rating_row(ratings, scope.family)
    steps = [] if own is None else steps_of(own)
    keys = {game.pk for game in games}
    whole = member and scope.season is None
    within = [step for step in steps if whole or step.game in keys]
    sums = add_up(games)
    part = page_of(games, request.GET.get("page"))
    rows = rows_of([*part, sums.best, sums.worst])
    ends = [game for game in (sums.best, sums.worst) if game is not None]
    rating = rating_of(ratings, scope, within, at)
    return {
        "scope": scope,
        "rating": rating,
        "preview": preview_of(request, row, rating, sums),
        "sums": sums,
        "figures": figures_of(sums),
        "places": places_of(sums),
        "contracts": contracts_of(sums, rulesets_of(games)),
        "badges": badges_of(sums),
        "opponents": opponents_of(meetings(games, seats_beside(row)), OPPONENTS),
        "extremes": played(ends, steps, rows) if sums.games > 1 else [],
        "part": part,
        "games": played(list(part), steps, rows),
    }
