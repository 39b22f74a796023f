"""A player compared with another: opponents, and the results against them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.engine.ratings.ratings import chance_above
from tournaments.engine.rules.rulesets import Points
from tournaments.models import Club, Player, PlayerRating
from tournaments.permissions import members_club
from tournaments.presenters.people.players import (
    ListedGame,
    average,
    opponents_of,
    percent,
    played,
    rating_row,
    rows_of,
)
from tournaments.queries.people.players import (
    Compared,
    Meeting,
    PlayerGame,
    compare,
    family_of_both,
    games_of,
    meetings,
    ratings_of,
    seats_beside,
    seats_of,
)
from tournaments.queries.ratings.ratings import ShownRating, rating_at, shown
from tournaments.services.people.players import sums_of_games
from tournaments.web.people.pages import directs_club, present_player
from tournaments.web.people.view import chosen_games, limited, page_of

PAGE = 50
MOST_FOUND = 50


@dataclass(frozen=True, slots=True)
class Chance:
    """The probability, by current ratings, that each finishes above the other."""

    own: ShownRating
    other: ShownRating
    above: str
    below: str


@dataclass(frozen=True, slots=True)
class Means:
    """Means of both over the games in which they were not partners."""

    points: str
    other_points: str
    place: str
    other_place: str


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """A game at one table: the player's result, and that of the other."""

    played: ListedGame
    pair: bool
    other_place: int | None
    other_points: Points | None


@never_cache
@require_safe
def opponents(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """List a player's opponents, the most frequent first, optionally by name."""
    club = members_club(request, slug)
    row = present_player(club, public_id)
    directs = directs_club(request, club)
    asked = request.GET.get("q", "").replace("\0", "").strip()
    seats = seats_of(row, request.user)
    scope, parts, _games = chosen_games(request, seats)
    met = sums_of_games(row, seats, parts, keep=True).met
    if asked:
        found = list(_called(club, row, asked, directs=directs)[: MOST_FOUND + 1])
        met = {one.pk: met.get(one.pk) or Meeting(one.pk) for one in found[:MOST_FOUND]}
        more = len(found) > MOST_FOUND
    else:
        more = False
    part = Paginator(sorted(met, key=lambda pk: (-met[pk].games, pk)), PAGE).get_page(
        request.GET.get("page")
    )
    page = {
        "club": club,
        "player": row,
        "name": row.name if directs else row.shown_name,
        "directs": directs,
        "asked": asked,
        "scope": scope,
        "part": part,
        "more": more,
        "opponents": opponents_of({pk: met[pk] for pk in part}, PAGE),
    }
    return render(request, "tournaments/people/opponents.html", page)


def _called(club: Club, row: Player, asked: str, *, directs: bool) -> QuerySet[Player]:
    present = Player.objects.present().filter(club=club).exclude(pk=row.pk)
    return present.matching(asked) if directs else present.matching_shown(asked)


@never_cache
@require_safe
def against(request: HttpRequest, slug: str, public_id: str, other: str) -> HttpResponse:
    """Compare two players of a club, in a fixed number of queries."""
    club = members_club(request, slug)
    row, beside = present_player(club, public_id), present_player(club, other)
    if row.pk == beside.pk:
        raise Http404
    directs = directs_club(request, club)
    scope, games = limited(request, games_of(row, request.user, beside))
    seats = seats_beside(row, beside)
    meeting = meetings(games, seats).get(beside.pk) or Meeting(beside.pk)
    part = page_of(games, request.GET.get("page"))
    own, theirs = ratings_of(row), ratings_of(beside)
    family = scope.family or family_of_both(own, theirs)
    page = {
        "club": club,
        "player": row,
        "other": beside,
        "name": row.name if directs else row.shown_name,
        "other_name": beside.name if directs else beside.shown_name,
        "scope": scope,
        "meeting": meeting,
        "compared": _means(compare(games, seats)) if meeting.against else None,
        "chance": _chance(rating_row(own, family), rating_row(theirs, family), timezone.now()),
        "part": part,
        "games": _together(part, seats),
    }
    return render(request, "tournaments/people/against.html", page)


def _means(sums: Compared) -> Means:
    return Means(
        points=average(sums.points, sums.games),
        other_points=average(sums.other_points, sums.games),
        place=average(sums.places, sums.games),
        other_place=average(sums.other_places, sums.games),
    )


def _chance(own: PlayerRating | None, other: PlayerRating | None, at: datetime) -> Chance | None:
    """Return the prediction for an individual game of the two; None unless both are rated."""
    if own is None or other is None:
        return None
    ratings = rating_at(own, at), rating_at(other, at)
    above = round(100 * chance_above([ratings[0]], [ratings[1]]))
    return Chance(
        shown(ratings[0]), shown(ratings[1]), percent(above, 100), percent(100 - above, 100)
    )


def _together(
    games: Iterable[PlayerGame], beside: Iterable[tuple[int, int, int]]
) -> list[HeadToHead]:
    own = list(games)
    seats: Mapping[int, int] = {pk: seat for pk, seat, _player in beside}
    found = []
    for one in played(own, [], rows_of(own)):
        game, seat = one.game, seats[one.game.pk]
        done = game.finished
        found.append(
            HeadToHead(
                one,
                game.sides[seat] == game.side,
                game.place_of(seat) if done else None,
                game.points_of(seat) if done else None,
            )
        )
    return found
