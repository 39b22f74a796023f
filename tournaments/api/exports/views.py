"""Addresses that answer all rows of a club as NDJSON: a JSON object on each line.

Rows are read and written as they are sent, so that the memory needed does not grow with them.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from django.db.models import Prefetch
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from tournaments.api.entrants.serializers import EntrantSerializer
from tournaments.api.games.serializers import GameLineSerializer
from tournaments.api.ratings.serializers import RatingSerializer
from tournaments.api.views import BaseAPIView, ClubMixin
from tournaments.engine.ratings.ratings import Rating
from tournaments.models import Event, Game, RatingChange, Revision, Tournament
from tournaments.models.clubs import DIRECTING
from tournaments.permissions import members_club, role_in
from tournaments.queries.overview import lines_of, with_ratings
from tournaments.queries.ratings import displayed
from tournaments.queries.sheets import record_of

NDJSON = "application/x-ndjson"
AT_ONCE = 50
"""Rows that are read with what belongs to them."""

LINES = {(200, NDJSON): OpenApiTypes.BINARY}

Json = dict[str, Any]


class ExportView(ClubMixin, BaseAPIView):
    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """NDJSON, whatever `Accept` says."""
        return super().perform_content_negotiation(request, force=True)

    def lines(self, rows: Iterable[Json]) -> StreamingHttpResponse:
        """Answer one line for each row."""
        written = JSONRenderer()
        return StreamingHttpResponse(
            (written.render(row) + b"\n" for row in rows), content_type=NDJSON
        )


class GamesExportView(ExportView):
    @extend_schema("clubs_exports_games_read", responses=LINES)
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Export the games of a club that you may see, the oldest first, as NDJSON.

        Each line has the fields of the list of games, and the `kingscore-game/1` document as
        `record`.
        """
        events = Event.objects.listed_for(request.user).filter(club=self.club)
        where = ("match", "table__round__event__club", "table__round__event__tournament")
        written = Prefetch("revisions", Revision.objects.order_by("revision"))
        games = Game.objects.filter(table__round__event__in=events).select_related(*where)
        visible = games.results_visible_to(request.user)
        rows = visible.prefetch_related(written).order_by("played_at", "pk")
        return self.lines(self._games(rows.iterator(AT_ONCE)))

    def _games(self, rows: Iterable[Game]) -> Iterator[Json]:
        serializer = GameLineSerializer(context=self.get_serializer_context())
        for row in rows:
            writes = [each for each in row.revisions.all() if each.revision <= row.revision]
            yield {**serializer.to_representation(row), "record": record_of(row, writes)}


class RatingsExportView(ExportView):
    read_permission = staticmethod(members_club)

    @extend_schema("clubs_exports_ratings_read", responses=LINES)
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Export the rated games of a club, player by player, as NDJSON, for its members.

        Each line is a rated game of a player: `family`, `player`, `name`, `game`, `seat`, `at`, the
        `number` of the game among theirs, and the rating `before` and `after` it.
        """
        changes = RatingChange.objects.filter(
            rating__pool__club=self.club, rating__player__removed_at=None
        ).select_related("rating__pool", "rating__player", "game")
        rows = changes.order_by("rating__pool__family", "rating", "number")
        return self.lines(_change(each) for each in rows.iterator(AT_ONCE))


def _change(row: RatingChange) -> Json:
    rating, player = row.rating, row.rating.player
    before = Rating(row.mean_before, row.variance_before, rating.start)
    after = Rating(row.mean, row.variance, rating.start)
    return {
        "family": rating.pool.family,
        "player": player.public_id,
        "name": player.shown_name,
        "number": row.number,
        "game": row.game.public_id,
        "seat": row.seat,
        "at": row.at,
        "before": RatingSerializer(displayed(before)).data,
        "after": RatingSerializer(displayed(after)).data,
    }


class EntrantsExportView(ExportView):
    @extend_schema("clubs_exports_entrants_read", responses=LINES)
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Export the entrants of a club's tournaments that you may see, oldest first, as NDJSON.

        Each line has the fields of the list of entrants, and the slug of the `tournament`.
        """
        visible = Tournament.objects.seen_by(request.user).filter(event__club=self.club)
        rows = visible.select_related("event__club").order_by("event__held_on", "pk")
        return self.lines(self._entrants(rows.iterator(AT_ONCE)))

    def _entrants(self, tournaments: Iterable[Tournament]) -> Iterator[Json]:
        role = role_in(self.http_request, self.club)
        self.directs = role in DIRECTING
        who = {"directs": self.directs, "member": role is not None}
        serializer = EntrantSerializer(context={**self.get_serializer_context(), **who})
        for row in tournaments:
            entrants = row.entrants.select_related("player", "partner").iterator(AT_ONCE)
            while some := list(islice(entrants, AT_ONCE)):
                listed = lines_of(some, row, directs=self.directs)
                for line in with_ratings(listed, row, self.http_request.user).lines:
                    yield {"tournament": row.slug, **serializer.to_representation(line)}
