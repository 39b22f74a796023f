"""Players in the API: listed, changed and merged; their statistics and their games.

Begin at `PlayerViewSet`. Names may be hidden, so that pages and filters say nothing about them.
"""

import json
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from operator import attrgetter
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from django.db.models import F, Prefetch, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from tournaments.api.fields import LARGEST_KEY
from tournaments.api.filtering import (
    KeysetPagination,
    LimitsSerializer,
    StrictFilterBackend,
    StrictOrderingFilter,
    UnknownFamily,
    expanding,
    read_limits,
)
from tournaments.api.people import serializers
from tournaments.api.views import (
    APIViewSet,
    BaseAPIView,
    ClubMixin,
    DestroyMixin,
    ListMixin,
    RetrieveMixin,
    UpdateMixin,
)
from tournaments.engine.variants import RULESETS
from tournaments.models import (
    Club,
    Entrant,
    Event,
    Game,
    Player,
    PlayerRating,
    RatingChange,
    Scope,
    Seat,
)
from tournaments.models.fields import named
from tournaments.models.people import PlayerQuerySet
from tournaments.permissions import directed_club, members_club, role_in, seen_club
from tournaments.queries import player_pages, players
from tournaments.queries.statistics import NumbersFilter, filter_of
from tournaments.services.audit import Actor
from tournaments.services.base.writes import Refused
from tournaments.services.people import changes, export, merging
from tournaments.services.people.players import add_players, lock_people


class PlayerFilter(filters.FilterSet):  # type: ignore[misc]
    initials = filters.BooleanFilter()


class NameOrderingFilter(StrictOrderingFilter):
    """Orders players by name as the pages do: without case, with one i, ç after c."""

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> Any:
        """Return the search by the columns it uses."""
        ordering = super().get_ordering(request, queryset, view)
        return [each.replace("name", "name_key") for each in ordering or ()] or None


class SealedPagination(KeysetPagination):
    """Pages whose cursors tell nothing: the name where a page ends may be a hidden one."""

    def encode_cursor(self, cursor: Cursor) -> str:
        details = json.dumps([cursor.offset, cursor.reverse, cursor.position])
        sealed = _seal().encrypt(details.encode()).decode()
        return replace_query_param(self.base_url or "", self.cursor_query_param, sealed)

    def decode_cursor(self, request: Any) -> Cursor | None:
        """Return the position at which a page begins; NotFound if this is no cursor of ours."""
        sealed = request.query_params.get(self.cursor_query_param)
        if sealed is None:
            return None
        try:
            return Cursor(*json.loads(_seal().decrypt(sealed.encode())))
        except InvalidToken as error:
            raise NotFound(self.invalid_cursor_message) from error


def _seal() -> Fernet:
    key = salted_hmac("kingscore.cursors", "seal", algorithm="sha256").digest()
    return Fernet(urlsafe_b64encode(key))


def limited(
    request: Request, club: Club, games: Sequence[players.PlayerGame]
) -> tuple[NumbersFilter, list[players.PlayerGame]]:
    """Return the filter of a request, and the games in it (at most 2 queries).

    Raises: ValidationError, UnknownSeason, UnknownFamily: the limits are none.
    """
    limits = read_limits(request, club)
    counted = Counter((game.family, game.season) for game in games)
    scope = filter_of(counted, limits.family, "")
    if limits.family not in ("", scope.family):
        raise UnknownFamily
    # Of a season in which they did not play, there are no games.
    scope = replace(scope, season=limits.season)
    return scope, scope.select(games)


BY_NAME = OpenApiParameter("q", str, description="Words of the name.")


class HasAccount(Refused, code="has-account"):
    sentence = _("The player has an account already.")


class PlayerMixin(ClubMixin):
    """The club in the address, for its members; changes are for its directors."""

    read_permission: Any = staticmethod(members_club)

    def get_player(self, public_id: str) -> Player:
        """A player of the club; 404 for one merged or removed."""
        rows = named(Player.objects.present().filter(club=self.club), public_id)
        row = get_object_or_404(rows.select_related("account"))
        row.club = self.club
        return row


class PlayerViewSet(PlayerMixin, ListMixin, RetrieveMixin, UpdateMixin, DestroyMixin, APIViewSet):
    descriptions = {
        "retrieve": "Return a player, for the members of the club. Statistics are at `numbers/`.",
        "partial_update": "Rename a player, or show them by initials. All their sheets follow.",
        "destroy": "Remove the name of a player everywhere, for good. The results stay.",
    }
    # The card lets its holder claim the player, so a token that only reads gets none.
    action_scopes = {"card": Scope.DIRECT}
    action_permissions = {
        "card": directed_club,
        "list": seen_club,
        "preview_merge": directed_club,
    }
    queryset = Player.objects.all()
    lookup_field = "public_id"
    filterset_class = PlayerFilter
    filter_backends = (StrictFilterBackend, NameOrderingFilter)
    extra_parameters = ("q",)
    pagination_class = SealedPagination
    ordering_fields = ("name", "created_at")
    ordering = ("name",)
    serializer_class = serializers.PlayerDetailSerializer
    serializer_classes = {
        "list": serializers.PlayerSerializer,
        "create": serializers.AddedPlayersSerializer,
        "merge": serializers.PlayerDetailSerializer,
        "card": serializers.PlayerCardSerializer,
        "renew_card": serializers.PlayerCardSerializer,
    }
    request_serializer_classes = {
        "create": serializers.NewPlayersSerializer,
        "partial_update": serializers.ChangedPlayerSerializer,
        "merge": serializers.OtherPlayerSerializer,
    }

    def get_queryset(self) -> PlayerQuerySet:
        words = self.request.query_params.get("q", "")
        rows = players.players_found(self.club, words, directs=self.directs)
        rows = rows.select_related("account")
        if not self.directs and role_in(self.http_request, self.club) is None:
            # Others read who played or registered where they may look.
            events = Event.objects.listed_for(self.request.user).filter(club=self.club)
            seats = Seat.objects.filter(game__table__round__event__in=events)
            entrants = Entrant.objects.filter(tournament__event__in=events)
            rows = rows.filter(
                Q(pk__in=seats.values("player"))
                | Q(pk__in=entrants.values("player"))
                | Q(pk__in=entrants.exclude(partner=None).values("partner"))
            )
        if not expanding(self.request):
            return rows
        shown = Club.objects.showing_ratings_to(self.request.user).filter(pk=self.club.pk)
        ratings = PlayerRating.objects.filter(pool__club__in=shown).select_related("pool")
        return rows.prefetch_related(
            Prefetch("ratings", ratings.order_by("pk"), to_attr="club_ratings")
        )

    def get_object(self) -> Player:
        row: Player = super().get_object()
        row.club = self.club
        return row

    @extend_schema(parameters=[BY_NAME])
    def list(self, request: Request, **kwargs: Any) -> Response:
        """List the players of a club by name; of a published club for everybody.

        Those merged or removed are left out. Only directors find players shown by initials by parts
        of their names. Who is no member reads those who played or registered in public.
        """
        return super().list(request)

    def create(self, request: Request, **kwargs: Any) -> Response:
        """Add players: all of them, or none."""
        new = self.get_validated()["names"]
        return self.respond({"results": add_players(self.club, new, self.actor, at=timezone.now())})

    def lock(self) -> None:
        lock_people(self.club.pk)

    def perform_update(self, row: Player, data: Mapping[str, Any]) -> None:
        now = timezone.now()
        if "name" in data:
            changes.rename_player(row.pk, data["name"], self.actor, at=now)
        if "initials" in data:
            changes.set_initials(row.pk, data["initials"], self.actor, at=now)

    def perform_destroy(self, row: Player) -> None:
        changes.remove_player(row.pk, self.actor, at=timezone.now())

    @action(methods=["post"], detail=True)
    def unlink(self, request: Request, **kwargs: Any) -> Response:
        """Unlink a player from the account. Repeating it is no error."""
        merging.unlink_account(self.get_object().pk, self.actor, at=timezone.now())
        return self.respond(self.get_object())

    @action(detail=True)
    def card(self, request: Request, **kwargs: Any) -> Response:
        """Return the link and the code by which a person claims a player without an account."""
        row = self.get_object()
        if row.account_id is not None:
            raise HasAccount
        return self.respond(row)

    @action(methods=["post"], detail=True, url_path="card/new")
    def renew_card(self, request: Request, **kwargs: Any) -> Response:
        """Create a new link and code. The old ones no longer work."""
        return self.respond(merging.new_claim(self.get_object().pk, self.actor, at=timezone.now()))

    @action(methods=["post"], detail=True, serializer_class=serializers.PlayerDataSerializer)
    def data(self, request: Request, **kwargs: Any) -> Response:
        """Return all data stored about a player. The audit records this request."""
        return exported(self.get_object(), self.actor, timezone.now())

    @extend_schema(parameters=[OpenApiParameter("other", str, required=True)])
    @action(detail=True, url_path="merge", serializer_class=serializers.MergePreviewSerializer)
    def preview_merge(self, request: Request, **kwargs: Any) -> Response:
        """Preview the merge of the player `other` into this one."""
        player, other = self.get_object(), self.get_player(request.query_params.get("other", ""))
        why, games = merging.why_not_one(player, other), other.seats.count()
        return self.respond({"player": player, "other": other, "games": games, "why_not": why})

    @extend_schema(responses=serializers.PlayerDetailSerializer, parameters=[])
    @preview_merge.mapping.post
    def merge(self, request: Request, **kwargs: Any) -> Response:
        """Merge the player `other` into this one, who keeps the name.

        This player gets the games, tournaments and account of the other.
        """
        player, other = self.get_object(), self.get_player(self.get_validated()["other"])
        merging.merge_players(player.pk, other.pk, self.actor, at=timezone.now())
        return self.respond(self.get_object())

    @action(methods=["post"], detail=True, url_path="merges/<int:pk>/undo")
    def undo_merge(self, request: Request, pk: int, **kwargs: Any) -> Response:
        """Undo a merge. Games played since then stay. Repeating it is no error."""
        row = get_object_or_404(self.get_object().merges, pk=pk)
        merging.undo_merge(row.pk, self.actor, at=timezone.now())
        return self.respond(self.get_object())


def exported(row: Player, by: Actor, at: datetime) -> Response:
    with export.export_player(row.pk, by, at=at) as document:
        details: Any = json.load(document)
    return Response(details)


class PlayerNumbersView(PlayerMixin, BaseAPIView):
    serializer_class = serializers.PlayerNumbersSerializer

    @extend_schema(parameters=[LimitsSerializer])
    def get(self, request: Request, public_id: str, **kwargs: Any) -> Response:
        """Return the statistics of a player in one kind of game."""
        row = self.get_player(public_id)
        scope, games = limited(request, row.club, players.games_of(row, request.user))
        sums, ratings = players.add_up(games), players.ratings_of(row)
        self.serializer_context = {"rows": player_pages.rows_of([sums.best, sums.worst])}
        own = players.rating_row(ratings, scope.family)
        contracts = player_pages.contracts_in_order(sums, player_pages.rulesets_of(games))
        numbers = {
            "limited_to": scope,
            "sums": sums,
            "rating": own and players.rating_details(own, ratings, timezone.now()),
            "ranks": [
                {"sides": sides, "rank": rank, "games": games}
                for (sides, rank), games in sorted(sums.places.items())
            ],
            "contracts": [
                {**asdict(earned), "contract": name, "favourite": is_favourite}
                for name, earned, is_favourite in contracts
            ],
            "badges": player_pages.badges_of(sums),
        }
        return self.respond(numbers)


class PlayerOpponentsView(PlayerMixin, BaseAPIView):
    serializer_class = serializers.OpponentsSerializer

    @extend_schema("clubs_players_opponents_read", parameters=[LimitsSerializer, BY_NAME])
    def get(self, request: Request, public_id: str, **kwargs: Any) -> Response:
        """List everybody whom a player has met; with `q`, the players of the club found by name."""
        row = self.get_player(public_id)
        scope, games = limited(request, row.club, players.games_of(row, request.user))
        met = players.meetings(games, players.seats_beside(row))
        if words := request.query_params.get("q", "").strip():
            others = players.players_found(self.club, words, directs=self.directs)
            met, _more = players.meetings_with(others.exclude(pk=row.pk), met)
        return self.respond(
            {"limited_to": scope, "results": player_pages.opponents_of(met, len(met))}
        )


class HeadToHeadView(PlayerMixin, BaseAPIView):
    serializer_class = serializers.HeadToHeadSerializer

    @extend_schema(parameters=[LimitsSerializer])
    def get(self, request: Request, public_id: str, other: str, **kwargs: Any) -> Response:
        """Compare two players of a club."""
        row, beside = self.get_player(public_id), self.get_player(other)
        if row.pk == beside.pk:
            raise Http404
        scope, games = limited(request, row.club, players.games_of(row, request.user, beside))
        both = players.head_to_head(row, beside, games, scope.family, timezone.now())
        name_of = attrgetter("name" if self.directs else "shown_name")
        both |= {"id": row.public_id, "name": name_of(row)}
        both |= {"other": beside.public_id, "other_name": name_of(beside)}
        return self.respond({"limited_to": scope, **both})


Games = QuerySet[Game]


class PlayerGameFilter(filters.FilterSet):  # type: ignore[misc]
    family = filters.CharFilter(method="filter_family", label="A kind of game, as `turkish-king`.")
    season = filters.NumberFilter(
        "table__round__event__season",
        min_value=1,
        max_value=LARGEST_KEY,
        label="The id of a season.",
    )
    beside = filters.CharFilter(method="with_other", label="The id of another player there.")
    finished = filters.BooleanFilter(
        "result", "isnull", exclude=True, label="Whether the game is over."
    )

    def filter_family(self, games: Games, _field: str, family: str) -> Games:
        own = [name for name, rules in RULESETS.items() if rules.family == family]
        program = Q(document__isnull=True, ruleset__in=own)
        return games.filter(program | Q(document__family=family))

    def with_other(self, games: Games, _field: str, public_id: str) -> Games:
        return games.filter(seats__player__public_id=public_id)


class PlayerGameViewSet(PlayerMixin, ListMixin, APIViewSet):
    descriptions = {
        "list": "List the games of a player, latest first, with the change of the rating by each.",
    }
    queryset = Game.objects.all()
    filterset_class = PlayerGameFilter
    ordering_fields = ("played_at",)
    ordering = ("-played_at",)
    serializer_class = serializers.PlayerGameSerializer

    def get_queryset(self) -> Games:
        """Return the games of rulesets that still exist, each with the player's `seat`."""
        player = self.get_player(self.kwargs["public_id"])
        changes = RatingChange.objects.select_related("rating").filter(
            rating__pool__club=player.club_id, rating__person=f"p{player.pk}"
        )
        known = Q(document__isnull=False) | Q(ruleset__in=list(RULESETS))
        games = Game.objects.filter(known, seats__player=player).annotate(seat=F("seats__number"))
        games = games.results_visible_to(self.http_request.user)
        own = Prefetch("rating_changes", changes, to_attr="own_changes")
        return games.select_related("table__round__event").prefetch_related(own)
