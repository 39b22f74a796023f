"""Leaderboards and ratings."""

from collections.abc import Iterable
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import anybody, game_to_read
from tournaments.api.filtering import PAGES, KeysetPagination, ListSlice
from tournaments.api.ratings import serializers
from tournaments.api.views import BaseAPIView, ClubMixin, TournamentMixin
from tournaments.engine.ratings.ratings import COIN
from tournaments.models import Club, Game, Player, PlayerRating, RatingPool
from tournaments.permissions import account_of, club_leaderboards, directs_club, members_club
from tournaments.queries import ratings as queries
from tournaments.queries.leaderboards import BoardReader, Leaderboard, pools_of_server
from tournaments.queries.players import ratings_of, steps_of
from tournaments.queries.sheets import load_sheet

Json = dict[str, Any]


class LeaderboardView(BaseAPIView):
    serializer_class = serializers.LeaderboardSerializer

    def respond_board(self, club: Club | None, pools: list[RatingPool]) -> Response:
        """Return a part of the leaderboard; 404 if no game, season or player is named so."""
        query = self.get_query(serializers.LeaderboardQuerySerializer)
        part = ListSlice.of(self.request, KeysetPagination.page_size)
        seasons = list(club.seasons.all()) if club is not None else []
        season = _find(seasons, "pk", query.get("season"))
        pool = _find(pools, "family", query.get("family")) or next(iter(pools), None)
        details: Json = {
            "family": pool and pool.family,
            "families": [each.family for each in pools],
            "season": season and season.pk,
            "seasons": seasons,
        }
        if pool is None:
            nobody = {"total": 0, "page": 1, "pages": 1, "results": []}
            return self.respond({**details, **nobody, **part.links(0)})
        board = Leaderboard(
            *(pool, season, BoardReader.of(account_of(self.http_request)), timezone.now()),
            active=query["active"],
            provisional=query["provisional"],
            name=query.get("name", "").strip(),
        )
        total, size, first = board.total, part.size or 1, part.first
        if not first and "player" in query:
            first = _lines_before(board, query["player"]) // size * size
        elif not first:
            first = (query["page"] - 1) * size
        details |= {
            "total": total,
            "page": first // size + 1,
            "pages": max(1, -(-total // size)),
            "results": [_line(line, board.reader) for line in board.lines(first, size)],
            **ListSlice(self.request, first, part.size).links(total),
        }
        return self.respond(details)


def _find(rows: Iterable[Any], name: str, value: Any) -> Any:
    """Return the row with this value, None if no value is given; 404 if there is no such row."""
    if value is None:
        return None
    row = next((each for each in rows if getattr(each, name) == value), None)
    if row is None:
        raise Http404
    return row


def _lines_before(board: Leaderboard, public_id: str) -> int:
    """Return how many lines come before a player; 404 if the visitor may not know them."""
    rows = PlayerRating.objects.filter(pool=board.pool, player__public_id=public_id)
    row = rows.select_related("player__club").first()
    knows = row is not None and board.reader.knows(row.player)
    place = board.listed.place(row) if row is not None and knows else None
    if place is None:
        raise Http404
    return place[1]


def _line(line: queries.Line, reader: BoardReader) -> Json:
    player = line.row.player
    return {
        "rank": line.rank,
        "name": player.shown_name,
        "player": player.public_id if reader.knows(player) else None,
        "club": player.club.slug if reader.may_see(player.club) else None,
        "rating": line.rating,
        "games": line.games,
        "change": line.change,
    }


class ServerLeaderboardView(LeaderboardView):
    read_permission = staticmethod(anybody)

    @extend_schema(parameters=[serializers.LeaderboardQuerySerializer, *PAGES])
    def get(self, request: Request) -> Response:
        """Return the leaderboard of all clubs that take part, for everybody."""
        return self.respond_board(None, pools_of_server())


class ClubLeaderboardView(LeaderboardView):
    read_permission = staticmethod(club_leaderboards)

    def resolve_parents(self) -> None:
        self.board = self.get_permission()(self.http_request, self.kwargs["slug"])

    @extend_schema(parameters=[serializers.LeaderboardQuerySerializer, *PAGES])
    def get(self, request: Request, slug: str) -> Response:
        """Return the leaderboard of a club, to its members even before anybody is rated."""
        return self.respond_board(*self.board)


class PlayerRatingsView(ClubMixin, BaseAPIView):
    read_permission = staticmethod(members_club)
    serializer_class = serializers.RatingCurvesSerializer

    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """Return how a player's ratings have changed, game by game, for members of the club."""
        player = get_object_or_404(Player.objects.present(), club=self.club, public_id=public_id)
        now = timezone.now()
        curves = [(row, steps_of(row)) for row in ratings_of(player) if row.pool.club_id]
        keys = {step.game for _row, steps in curves for step in steps}
        games = dict(Game.objects.filter(pk__in=keys).values_list("pk", "public_id"))
        results = [
            {
                "family": row.pool.family,
                "rating": queries.displayed(queries.rating_at(row, now)),
                "games": row.games,
                "steps": [
                    {
                        "game": games[step.game],
                        "at": step.at,
                        "before": queries.displayed(step.before),
                        "after": queries.displayed(step.after),
                    }
                    for step in steps
                    if step.game in games
                ],
            }
            for row, steps in curves
        ]
        return self.respond({"results": results})


class GameRatingsView(BaseAPIView):
    read_permission = staticmethod(game_to_read)
    serializer_class = serializers.GameRatedSerializer

    def resolve_parents(self) -> None:
        self.game = self.get_permission()(self.request, self.kwargs["public_id"])

    def get(self, request: Request, public_id: str) -> Response:
        """Return the changes of a finished game to the ratings of its club, per seat."""
        row = self.game
        sheet = load_sheet(row)
        if row.table_id is None or not sheet.game.finished:
            raise Http404
        seats = queries.seats_rated(
            row, sheet.game.ruleset.sides, sheet.outcome.ranks, request.user
        )
        due = not seats and queries.is_to_be_rated(row, request.user)
        details = [{"name": name, **seat} for name, seat in zip(row.players, seats, strict=False)]
        return self.respond({"due": due, "seats": details})


class TournamentAccuracyView(TournamentMixin, BaseAPIView):
    deprecated = {"get": "The page of the tournament shows these figures."}
    serializer_class = serializers.AccuracySerializer

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return how well ratings predicted a tournament; before its end for directors only."""
        directs = directs_club(self.http_request, self.tournament.event.club)
        details = queries.accuracy_of_tournament(self.tournament, request.user, directs=directs)
        figures = {
            "pairs": details.pairs,
            "share": details.share if details.pairs else None,
            "log_loss": details.log_loss if details.pairs else None,
            "log_loss_of_a_coin": COIN,
        }
        return self.respond(figures)
