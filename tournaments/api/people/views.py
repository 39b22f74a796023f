"""Addresses of players, of their numbers and games, and of merging them."""

import json
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from django.db import transaction
from django.db.models import F, Prefetch, Q, QuerySet, prefetch_related_objects
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from tournaments.api.fields import LARGEST_KEY
from tournaments.api.filtering import (
    PAGES,
    CursorPages,
    Filters,
    LimitsSerializer,
    Ordering,
    UnknownFamily,
    expand,
    expanding,
    read_limits,
)
from tournaments.api.people.serializers import (
    AddedPlayersSerializer,
    ChangedPlayerSerializer,
    HeadToHeadSerializer,
    MergePreviewSerializer,
    NewPlayersSerializer,
    OnePlayerSerializer,
    OpponentsSerializer,
    OtherPlayerSerializer,
    PlayerCardSerializer,
    PlayerDataSerializer,
    PlayerGameSerializer,
    PlayerNumbersSerializer,
    PlayerSerializer,
)
from tournaments.api.views import Resource, idempotent
from tournaments.engine.ratings.ratings import chance_above
from tournaments.engine.variants import RULESETS
from tournaments.models import (
    Club,
    Game,
    Player,
    PlayerRating,
    RatingChange,
    Scope,
    Season,
    Visitor,
    fields,
)
from tournaments.models.people import PlayerQuerySet
from tournaments.permissions import directed_club, directs_club, members_club
from tournaments.queries.names import (
    badges_of,
    favourite_of,
    opponents_of,
    rating_row,
    rows_of,
    rulesets_of,
)
from tournaments.queries.players import (
    Meeting,
    PlayerGame,
    PlayerSums,
    add_up,
    compare,
    family_of_both,
    games_of,
    meetings,
    rank_of,
    ratings_of,
    seats_beside,
)
from tournaments.queries.ratings import rating_at, shown
from tournaments.queries.statistics import chosen_family
from tournaments.services.audit import Actor
from tournaments.services.base.writes import Refused
from tournaments.services.people.changes import (
    export_player,
    remove_player,
    rename_player,
    set_initials,
)
from tournaments.services.people.merging import (
    merge_players,
    new_claim,
    undo_merge,
    unlink_account,
    why_not_one,
)
from tournaments.services.people.players import add_players, lock_people


class PlayerResource(Resource):
    """An address of players: it knows whether the visitor directs the club."""

    directs = False

    def club_of(self, slug: str) -> Club:
        club = members_club(self.visitor, slug)
        self.directs = directs_club(self.visitor, club)
        return club

    def player_of(self, slug: str, public_id: str) -> Player:
        """A player, for the members of the club; 404 for one merged or removed."""
        return present_player(self.club_of(slug), public_id)

    def directed_player(self, slug: str, public_id: str) -> Player:
        """A player, for those who direct the club."""
        self.directs = True
        return present_player(directed_club(self.visitor, slug), public_id)

    def called(self, club: Club, asked: str) -> PlayerQuerySet:
        """The players of today who are called what is asked for, as the visitor may know them."""
        present = Player.objects.present().filter(club=club)
        return present.matching(asked) if self.directs else present.matching_visible(asked)

    def get_serializer_context(self) -> dict[str, object]:
        """Whether the visitor directs the club, too."""
        return {**super().get_serializer_context(), "directs": self.directs}


def present_player(club: Club, public_id: str) -> Player:
    """The player of a club with this id; 404 for one merged or removed."""
    rows = fields.named(Player.objects.present().filter(club=club), public_id)
    row = get_object_or_404(rows.select_related("account"))
    row.club = club
    return row


class PlayerFilter(filters.FilterSet):  # type: ignore[misc]
    """Which players."""

    initials = filters.BooleanFilter()


class ByName(Ordering):
    """Orders players by name as the pages do: without case, with one i, ç after c."""

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> Any:
        """Return the search by the columns it uses."""
        ordering = super().get_ordering(request, queryset, view)
        return [each.replace("name", "name_key") for each in ordering or ()] or None


class SealedPages(CursorPages):
    """Pages whose cursors tell nothing: the name where a page ends may be a hidden one."""

    def encode_cursor(self, cursor: Cursor) -> str:
        details = json.dumps([cursor.offset, cursor.reverse, cursor.position])
        sealed = _seal().encrypt(details.encode()).decode()
        return replace_query_param(self.base_url or "", self.cursor_query_param, sealed)

    def decode_cursor(self, request: Any) -> Cursor | None:
        """Return the position at which a page begins.

        Raises:
            NotFound: this is no cursor of ours.
        """
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
    request: Request, club: Club, games: Sequence[PlayerGame]
) -> tuple[dict[str, Any], list[PlayerGame]]:
    """Return the limits, the possible ones, and the games (at most 2 queries).

    Raises:
        ValidationError, UnknownSeason, UnknownFamily: the limits are none.
    """
    limits = read_limits(request, club)
    by_family = Counter(game.family for game in games)
    family = chosen_family(by_family, limits.family)
    if limits.family not in ("", family):
        raise UnknownFamily
    own = [game for game in games if game.family == family]
    details = {
        "family": family,
        "season": limits.season,
        "families": [{"family": f, "games": n} for f, n in by_family.most_common()],
        "seasons": _seasons(own),
    }
    return details, [game for game in own if limits.season in (None, game.season)]


def _seasons(games: Sequence[PlayerGame]) -> list[dict[str, Any]]:
    counted = Counter(game.season for game in games if game.season is not None)
    rows = Season.objects.in_bulk(counted.keys())
    return [{"id": pk, "name": row.name, "games": counted[pk]} for pk, row in rows.items()]


BY_NAME = OpenApiParameter("q", str, description="Words of the name.")


def club_ratings(club: Club) -> Any:
    """The ratings of players in their club, by kind of game (1 query)."""
    rows = PlayerRating.objects.filter(pool__club=club).select_related("pool").order_by("pk")
    return Prefetch("ratings", rows, to_attr="club_ratings")


class HasAccount(Refused, code="has-account"):
    sentence = _("The player has an account already.")


class Players(PlayerResource):
    queryset = Player.objects.all()
    filterset_class = PlayerFilter
    filter_backends = (Filters, ByName)
    also_asked = ("q",)
    pagination_class = SealedPages
    ordering_fields = ("name", "created_at")
    ordering = ("name",)
    chosen = PlayerSerializer

    @extend_schema(
        responses=PlayerSerializer(many=True), parameters=[BY_NAME, expand(PlayerSerializer)]
    )
    def get(self, request: Request, slug: str) -> Response:
        """The players of a club by name, for its members; those merged or removed are not there.

        Whoever asked to be shown by initials is found by no part of the name, but by directors.
        """
        club = self.club_of(slug)
        rows = self.called(club, request.query_params.get("q", ""))
        if expanding(request):
            rows = rows.prefetch_related(club_ratings(club))
        return self.pages_of(PlayerSerializer, rows.select_related("account"))

    @extend_schema(request=NewPlayersSerializer, responses={201: AddedPlayersSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Add players, all or none."""
        club = directed_club(self.visitor, slug)
        self.directs = True
        names = self.said(NewPlayersSerializer)["names"]
        added = add_players(club, names, self.actor, at=timezone.now())
        return self.shown(AddedPlayersSerializer, {"results": added}, 201)


class OnePlayer(PlayerResource):
    chosen = OnePlayerSerializer

    @extend_schema(responses=OnePlayerSerializer, parameters=[expand(OnePlayerSerializer)])
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """A player, for the members of the club; statistics are at `numbers/`."""
        row = self.player_of(slug, public_id)
        if expanding(request):
            prefetch_related_objects([row], club_ratings(row.club))
        return self.shown(OnePlayerSerializer, row)

    @extend_schema(request=ChangedPlayerSerializer, responses=OnePlayerSerializer)
    def patch(self, request: Request, slug: str, public_id: str) -> Response:
        """Give a player another name, or show them by initials; all their sheets follow."""
        club = self.directed_player(slug, public_id).club
        with transaction.atomic():
            row = self._locked(club, public_id)
            said = self.said(ChangedPlayerSerializer, partial=True)
            now = timezone.now()
            if "name" in said:
                rename_player(row.pk, said["name"], self.actor, at=now)
            if "initials" in said:
                set_initials(row.pk, said["initials"], self.actor, at=now)
        return self.shown(OnePlayerSerializer, present_player(club, public_id))

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, slug: str, public_id: str) -> Response:
        """Take the name of a player out of everything for good; the results stay."""
        club = self.directed_player(slug, public_id).club
        with transaction.atomic():
            row = self._locked(club, public_id)
            remove_player(row.pk, self.actor, at=timezone.now())
        return Response(status=204)

    def _locked(self, club: Club, public_id: str) -> Player:
        """The player, unless they have changed since they were read."""
        lock_people(club.pk)
        row = present_player(club, public_id)
        self.check_unchanged(OnePlayerSerializer, row)
        return row


class Unlink(PlayerResource):
    @extend_schema(request=None, responses=OnePlayerSerializer)
    @idempotent
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Untie a player from the account; twice is no error."""
        row = self.directed_player(slug, public_id)
        unlink_account(row.pk, self.actor, at=timezone.now())
        return self.shown(OnePlayerSerializer, present_player(row.club, public_id))


class PlayerCard(PlayerResource):
    # The card lets its holder claim the player, so a token that only reads gets none.
    read_scope = Scope.DIRECT

    @extend_schema(responses=PlayerCardSerializer)
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """Link and code with which a person comes to a player who has no account."""
        row = self.directed_player(slug, public_id)
        if row.account_id is not None:
            raise HasAccount
        return self.shown(PlayerCardSerializer, row)


class NewCode(PlayerResource):
    @extend_schema(request=None, responses=PlayerCardSerializer)
    @idempotent
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Make a new link and code; those before are worthless."""
        row = self.directed_player(slug, public_id)
        return self.shown(PlayerCardSerializer, new_claim(row.pk, self.actor, at=timezone.now()))


class PlayerData(PlayerResource):
    @extend_schema(request=None, responses=PlayerDataSerializer)
    @idempotent
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """All that is kept about a player; the audit notes who has asked for it."""
        return exported(self.directed_player(slug, public_id), self.actor, timezone.now())


def exported(row: Player, by: Actor, at: datetime) -> Response:
    with export_player(row.pk, by, at=at) as document:
        details: Any = json.load(document)
    return Response(details)


Json = dict[str, Any]


class PlayerNumbers(PlayerResource):
    @extend_schema(responses=PlayerNumbersSerializer, parameters=[LimitsSerializer])
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """The statistics of a player in one kind of game."""
        row = self.player_of(slug, public_id)
        details, games = limited(request, row.club, games_of(row, request.user))
        sums = add_up(games)
        rows = rows_of([sums.best, sums.worst])
        numbers = {
            **{name: getattr(sums, name) for name in COUNTED},
            "limited_to": details,
            "rating": _rating(ratings_of(row), details["family"], timezone.now()),
            "ranks": _ranks(sums),
            "contracts": _contracts(sums, games),
            "badges": _badges(sums),
            "best": _extreme(sums.best, rows),
            "worst": _extreme(sums.worst, rows),
        }
        return self.shown(PlayerNumbersSerializer, numbers)


COUNTED = ("games", "points", "won", "out", "sunk", "kings")


def _rating(rows: Sequence[PlayerRating], family: str, at: datetime) -> Json | None:
    """The rating of today in the club and on the whole server (2 queries)."""
    own = rating_row(rows, family)
    if own is None:
        return None
    everywhere = [r for r in rows if r.pool.club_id is None and r.pool.family == family]
    rank, ranked = rank_of(own, at) or (None, 0)
    return {
        **asdict(shown(rating_at(own, at))),
        "games": own.games,
        "rank": rank,
        "ranked": ranked,
        "on_server": shown(rating_at(everywhere[-1], at)) if everywhere else None,
    }


def _ranks(sums: PlayerSums) -> list[Json]:
    counted = sorted(sums.places.items())
    return [{"sides": s, "rank": rank, "games": n} for (s, rank), n in counted]


def _contracts(sums: PlayerSums, games: Sequence[PlayerGame]) -> list[Json]:
    """In the order of the rulesets that were played."""
    rulesets = rulesets_of(games)
    favourite = favourite_of(sums, rulesets.values())
    order = list(dict.fromkeys(name for rules in rulesets.values() for name in rules.by_id))
    known = [name for name in order if name in sums.contracts]
    names = [*known, *(name for name in sums.contracts if name not in known)]
    return [
        {**asdict(sums.contracts[name]), "contract": name, "favourite": name == favourite}
        for name in names
    ]


def _badges(sums: PlayerSums) -> list[Json]:
    details = zip(sums.badges.most_common(), badges_of(sums), strict=True)
    return [{"badge": badge, **asdict(row)} for (badge, _number), row in details]


def _extreme(game: PlayerGame | None, rows: Mapping[int, Game]) -> Json | None:
    if game is None:
        return None
    details = {"rank": game.place, "points": game.points}
    return {"id": rows[game.pk].public_id, "played_at": game.at, **details}


MOST_FOUND = 50
"""As on the page: a search by name finds this many, including players never met."""


class Opponents(PlayerResource):
    @extend_schema(
        "clubs_players_opponents_read",
        responses=OpponentsSerializer,
        parameters=[LimitsSerializer, BY_NAME, *PAGES],
    )
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """Everybody a player has met; with `q` whoever of the club is called so."""
        row = self.player_of(slug, public_id)
        details, games = limited(request, row.club, games_of(row, request.user))
        met = meetings(games, seats_beside(row))
        asked = request.query_params.get("q", "").strip()
        if asked:
            found = self.called(row.club, asked).exclude(pk=row.pk).order_by("name_key")
            keys = found.values_list("pk", flat=True)[:MOST_FOUND]
            met = {pk: met.get(pk) or Meeting(pk) for pk in keys}
        opponents = opponents_of(met, len(met))
        return self.shown(OpponentsSerializer, {"limited_to": details, "results": opponents})


class Against(PlayerResource):
    @extend_schema(responses=HeadToHeadSerializer, parameters=[LimitsSerializer])
    def get(self, request: Request, slug: str, public_id: str, other: str) -> Response:
        """Two players of a club beside each other."""
        row = self.player_of(slug, public_id)
        beside = present_player(row.club, other)
        if row.pk == beside.pk:
            raise Http404
        details, games = limited(request, row.club, games_of(row, request.user, beside))
        seats = seats_beside(row, beside)
        both = {
            "limited_to": details,
            "id": row.public_id,
            "name": self._called(row),
            "other": beside.public_id,
            "other_name": self._called(beside),
            "meeting": meetings(games, seats).get(beside.pk) or Meeting(beside.pk),
            "compared": compare(games, seats),
            "chance": _chance(row, beside, details["family"], timezone.now()),
        }
        return self.shown(HeadToHeadSerializer, both)

    def _called(self, player: Player) -> str:
        return player.name if self.directs else player.shown_name


def _chance(row: Player, other: Player, family: str, at: datetime) -> dict[str, Any] | None:
    """Return the expected result between the two; None unless both are rated."""
    own, theirs = ratings_of(row), ratings_of(other)
    kind = family or family_of_both(own, theirs)
    rated = [rating_row(rows, kind) for rows in (own, theirs)]
    now = [rating_at(each, at) for each in rated if each is not None]
    if len(now) < 2:
        return None
    above = round(100 * chance_above([now[0]], [now[1]]))
    return {"above": above, "own": shown(now[0]), "other": shown(now[1])}


Games = QuerySet[Game]


class PlayerGameFilter(filters.FilterSet):  # type: ignore[misc]
    """Which games."""

    family = filters.CharFilter(method="of_family", label="A kind of game, as `turkish-king`.")
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

    def of_family(self, games: Games, _field: str, family: str) -> Games:
        own = [name for name, rules in RULESETS.items() if rules.family == family]
        program = Q(document__isnull=True, ruleset__in=own)
        return games.filter(program | Q(document__family=family))

    def with_other(self, games: Games, _field: str, public_id: str) -> Games:
        return games.filter(seats__player__public_id=public_id)


class PlayerGames(PlayerResource):
    queryset = Game.objects.all()
    filterset_class = PlayerGameFilter
    ordering_fields = ("played_at",)
    ordering = ("-played_at",)

    @extend_schema(responses=PlayerGameSerializer(many=True))
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """The games of a player, the latest first, with what each changed in the rating."""
        games = _games_of(self.player_of(slug, public_id), request.user)
        return self.pages_of(PlayerGameSerializer, games)


def _games_of(player: Player, visitor: Visitor) -> Games:
    """Those whose ruleset there still is, each with the player's `seat`."""
    changes = RatingChange.objects.filter(
        rating__pool__club=player.club_id, rating__person=f"p{player.pk}"
    ).select_related("rating")
    known = Q(document__isnull=False) | Q(ruleset__in=list(RULESETS))
    games = Game.objects.filter(known, seats__player=player).annotate(seat=F("seats__number"))
    return (
        games.results_visible_to(visitor)
        .select_related("table__round__event")
        .prefetch_related(Prefetch("rating_changes", changes, to_attr="own_changes"))
    )


class MergePlayer(PlayerResource):
    @extend_schema(
        responses=MergePreviewSerializer, parameters=[OpenApiParameter("other", str, required=True)]
    )
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """Preview the merge of the player `other` into this one."""
        kept = self.directed_player(slug, public_id)
        gone = present_player(kept.club, request.query_params.get("other", ""))
        details = {
            "kept": kept,
            "gone": gone,
            "games": gone.seats.count(),
            "why_not": why_not_one(kept, gone),
        }
        return self.shown(MergePreviewSerializer, details)

    @extend_schema(request=OtherPlayerSerializer, responses=OnePlayerSerializer)
    @idempotent
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Give games, tournaments and account of `other` to this player, who keeps the name."""
        kept = self.directed_player(slug, public_id)
        gone = present_player(kept.club, self.said(OtherPlayerSerializer)["other"])
        merge_players(kept.pk, gone.pk, self.actor, at=timezone.now())
        return self.shown(OnePlayerSerializer, present_player(kept.club, public_id))


class PartPlayer(PlayerResource):
    @extend_schema(request=None, responses=OnePlayerSerializer)
    @idempotent
    def post(self, request: Request, slug: str, public_id: str, pk: int) -> Response:
        """Undo a merge. Games played since stay. Idempotent."""
        kept = self.directed_player(slug, public_id)
        row = get_object_or_404(kept.merges, pk=pk)
        undo_merge(row.pk, self.actor, at=timezone.now())
        return self.shown(OnePlayerSerializer, present_player(kept.club, public_id))
