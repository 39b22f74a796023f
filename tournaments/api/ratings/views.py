"""Addresses of leaderboards and ratings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import anybody, game_to_read
from tournaments.api.filtering import PAGES, CursorPages, Part
from tournaments.api.ratings.serializers import (
    AccuracySerializer,
    GameRatedSerializer,
    LeaderboardQuerySerializer,
    LeaderboardSerializer,
    RatingCurvesSerializer,
)
from tournaments.api.views import BaseAPIView, ClubMixin, TournamentMixin
from tournaments.engine.ratings.ratings import COIN
from tournaments.models import Club, Game, Player, PlayerRating, RatingPool, Season
from tournaments.permissions import account_of, directs_club, members_club
from tournaments.queries.leaderboards import BoardReader, called, listed_in
from tournaments.queries.players import RatingStep, ratings_of, steps_of
from tournaments.queries.ratings import (
    MOST_FOUND,
    Line,
    Listed,
    ListedInSeason,
    accuracy_of_tournament,
    displayed,
    is_to_be_rated,
    pools_with_ratings,
    rating_at,
    seats_rated,
)
from tournaments.queries.sheets import load_sheet

Json = dict[str, Any]
Row = TypeVar("Row")


@dataclass(frozen=True)
class BoardRequest:
    """The leaderboard requested, its subject, and the reader."""

    query: Json
    club: Club | None
    reader: BoardReader
    now: datetime
    part: Part

    def details(self, pools: Sequence[RatingPool]) -> Json:
        """One part of it, in a fixed number of queries.

        Raises:
            Http404: there is no such kind of game, season or player on it.
        """
        seasons = list(self.club.seasons.all()) if self.club is not None else []
        season = self._season(seasons)
        details: Json = {"season": season and season.pk, "seasons": seasons}
        if not pools:
            if "family" in self.query:
                raise Http404
            nobody = {"total": 0, "page": 1, "pages": 1, "results": []}
            return {**details, "family": None, "families": [], **nobody, **self.part.links(0)}
        pool = self._pool(pools)
        families = {"family": pool.family, "families": [each.family for each in pools]}
        return {**details, **families, **self._part(pool, season)}

    def _season(self, seasons: Sequence[Season]) -> Season | None:
        if "season" not in self.query:
            return None
        return _first(each for each in seasons if each.pk == self.query["season"])

    def _pool(self, pools: Sequence[RatingPool]) -> RatingPool:
        if "family" not in self.query:
            return pools[0]
        return _first(each for each in pools if each.family == self.query["family"])

    def _part(self, pool: RatingPool, season: Season | None) -> Json:
        query = self.query
        shown = {"active": query["active"], "provisional": query["provisional"]}
        listed = listed_in(pool, season, self.now, **shown)
        name = query.get("name", "").strip()
        found = listed.keys_called(called(name, self.reader, self.club)) if name else None
        total = listed.ranks.total if found is None else len(found[:MOST_FOUND])
        size = self.part.size or 1
        first = self._first(pool, listed, size)
        keys = listed.keys(first, size) if found is None else found[:MOST_FOUND][first:][:size]
        return {
            "total": total,
            "page": first // size + 1,
            "pages": max(1, -(-total // size)),
            "results": [self._line(line) for line in listed.lines(keys)],
            **replace(self.part, first=first).links(total),
        }

    def _first(self, pool: RatingPool, listed: Listed | ListedInSeason, size: int) -> int:
        """How many lines come before the part that was asked for."""
        if self.part.first:
            return self.part.first
        if "player" in self.query:
            return self._before_player(pool, listed) // size * size
        page: int = self.query["page"]
        return (page - 1) * size

    def _before_player(self, pool: RatingPool, listed: Listed | ListedInSeason) -> int:
        """How many lines come before a player whom one may know."""
        rows = PlayerRating.objects.filter(pool=pool, player__public_id=self.query["player"])
        row = rows.select_related("player__club").first()
        place = listed.place(row) if row is not None and self._knows(row) else None
        if place is None:
            raise Http404
        return place[1]

    def _knows(self, row: PlayerRating) -> bool:
        return row.player.club_id in self.reader.roles and row.player.removed_at is None

    def _line(self, line: Line) -> Json:
        player = line.row.player
        known = player.club_id in self.reader.roles or player.club.published
        return {
            "rank": line.rank,
            "name": player.shown_name,
            "player": player.public_id if self._knows(line.row) else None,
            "club": player.club.slug if known else None,
            "rating": line.rating,
            "games": line.games,
            "change": line.change,
        }


def _first(found: Iterator[Row]) -> Row:
    row = next(found, None)
    if row is None:
        raise Http404
    return row


class LeaderboardView(BaseAPIView):
    serializer_class = LeaderboardSerializer

    def respond_board(self, club: Club | None, pools: list[RatingPool]) -> Response:
        query = LeaderboardQuerySerializer(data=self.request.query_params.dict())
        query.is_valid(raise_exception=True)
        reader = BoardReader.of(account_of(self.http_request))
        part = Part.of(self.request, CursorPages.page_size)
        board = BoardRequest(query.validated_data, club, reader, timezone.now(), part)
        return self.respond(board.details(pools))


class ServerLeaderboardView(LeaderboardView):
    read_permission = staticmethod(anybody)

    @extend_schema(parameters=[LeaderboardQuerySerializer, *PAGES])
    def get(self, request: Request) -> Response:
        """The ratings of all clubs that take part, for everybody."""
        return self.respond_board(None, pools_with_ratings(RatingPool.objects.filter(club=None)))


def club_leaderboards(request: HttpRequest, slug: str) -> tuple[Club | None, list[RatingPool]]:
    """A club and its leaderboards, for whoever may see them.

    Its members see the list before anybody is rated, too; 404 for all others.
    """
    visible = RatingPool.objects.seen_by(request.user).filter(club__slug=slug)
    pools = pools_with_ratings(visible.select_related("club"))
    return (pools[0].club if pools else members_club(request, slug)), pools


class ClubLeaderboardView(LeaderboardView):
    read_permission = staticmethod(club_leaderboards)

    def resolve_parents(self) -> None:
        self.board = self.get_permission()(self.http_request, self.kwargs["slug"])

    @extend_schema(parameters=[LeaderboardQuerySerializer, *PAGES])
    def get(self, request: Request, slug: str) -> Response:
        """The ratings of a club; its members see the list before anybody is rated, too."""
        return self.respond_board(*self.board)


class PlayerRatingsView(ClubMixin, BaseAPIView):
    read_permission = staticmethod(members_club)
    serializer_class = RatingCurvesSerializer

    @extend_schema(parameters=PAGES)
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """How the ratings of a player have changed, game by game, for members of the club."""
        player = get_object_or_404(Player.objects.present(), club=self.club, public_id=public_id)
        rows = [row for row in ratings_of(player) if row.pool.club_id is not None]
        return self.respond({"results": _curves(rows)})


def _curves(rows: list[PlayerRating]) -> list[Json]:
    now = timezone.now()
    steps = {row.pk: steps_of(row) for row in rows}
    keys = {step.game for each in steps.values() for step in each}
    games = dict(Game.objects.filter(pk__in=keys).values_list("pk", "public_id"))
    return [
        {
            "family": row.pool.family,
            "rating": displayed(rating_at(row, now)),
            "games": row.games,
            "steps": [_step(step, games) for step in steps[row.pk] if step.game in games],
        }
        for row in rows
    ]


def _step(step: RatingStep, games: dict[int, str]) -> Json:
    before, after = displayed(step.before), displayed(step.after)
    return {"game": games[step.game], "at": step.at, "before": before, "after": after}


class GameRatingsView(BaseAPIView):
    read_permission = staticmethod(game_to_read)
    serializer_class = GameRatedSerializer

    def resolve_parents(self) -> None:
        self.game = self.get_permission()(self.request, self.kwargs["public_id"])

    def get(self, request: Request, public_id: str) -> Response:
        """The changes of a finished game to the ratings of its club, per seat."""
        row = self.game
        sheet = load_sheet(row)
        if row.table_id is None or not sheet.game.finished:
            raise Http404
        seats = seats_rated(row, sheet.game.ruleset.sides, sheet.outcome.ranks, request.user)
        due = not seats and is_to_be_rated(row, request.user)
        details = [{"name": name, **seat} for name, seat in zip(row.players, seats, strict=False)]
        return self.respond({"due": due, "seats": details})


class TournamentAccuracyView(TournamentMixin, BaseAPIView):
    deprecated = {"get": "The page of the tournament shows these figures."}
    serializer_class = AccuracySerializer

    def get(self, request: Request, **kwargs: Any) -> Response:
        """How well the ratings predicted a tournament; before its end for directors only."""
        directs = directs_club(self.http_request, self.tournament.event.club)
        details = accuracy_of_tournament(self.tournament, request.user, directs=directs)
        figures = {
            "pairs": details.pairs,
            "share": details.share if details.pairs else None,
            "log_loss": details.log_loss if details.pairs else None,
            "log_loss_of_a_coin": COIN,
        }
        return self.respond(figures)
