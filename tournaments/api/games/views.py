"""Addresses of games: listed, started, read, played again, taken over."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import (
    game_of_key,
    games_opened,
    has_scope,
    readable_game,
    takeable_game,
    token_of,
)
from tournaments.api.fields import MOMENTS, LineField, PointsField, Strict, UncachedSerializer
from tournaments.api.filtering import expanding
from tournaments.api.games.entries import (
    GameMixin,
    key_of,
    named_players,
    revision_of,
    tag_of,
)
from tournaments.api.games.serializers import (
    EntryFormSerializer,
    GameKeysSerializer,
    GameLineSerializer,
    GameRevisionSerializer,
    GameSerializer,
    GameSetupSerializer,
    MatchTermsSerializer,
    NewGameSerializer,
    RulesetField,
    StartedGameSerializer,
)
from tournaments.api.problems import engine_faults, fault
from tournaments.api.schema import component
from tournaments.api.views import APIViewSet, ListMixin
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.documents.games import Reading, read_game, read_rules, write_result
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.rules.entries import clean_lines
from tournaments.engine.rules.rulesets import (
    LONGEST_NAME,
    Code,
    InvalidEntry,
    Problem,
    Ruleset,
    check_repeated,
    refuse,
)
from tournaments.models import (
    Club,
    Event,
    Game,
    Match,
    Player,
    Revision,
    Round,
    Scope,
    Seat,
    Visitor,
)
from tournaments.models.games import GameQuerySet
from tournaments.permissions import account_of
from tournaments.queries.rulesets import find_ruleset, house_document
from tournaments.queries.sheets import games_until, load_sheet, rules_of
from tournaments.services.base.writes import Invalid
from tournaments.services.games.playing import (
    GameSetup,
    change_head,
    delete_game,
    hand_over,
    record_entries,
)
from tournaments.services.games.seating import seated, who_rests
from tournaments.services.games.tables import (
    MatchSoFar,
    NextGame,
    Terms,
    adopt_game,
    load_match,
    start_next_game,
    start_rematch,
    start_table,
)
from tournaments.services.games.writing import StaleRevision, WriteContext
from tournaments.services.imports.records import moment_of
from tournaments.texts import labels


class GameFilter(filters.FilterSet):  # type: ignore[misc]
    """Games of a club, an event, a round or a table, of a player, by ruleset and by time."""

    club = filters.CharFilter("table__round__event__club__slug", label="The slug of a club.")
    event = filters.CharFilter("table__round__event__public_id", label="The id of an event.")
    tournament = filters.CharFilter(
        "table__round__event__tournament__slug", label="The slug of a tournament."
    )
    round = filters.NumberFilter("table__round__number", label="The number of a round.")
    table = filters.CharFilter("table__public_id", label="The id of a table.")
    ruleset = filters.CharFilter("ruleset", label="The id of a ruleset.")
    finished = filters.BooleanFilter(
        "result", "isnull", exclude=True, label="Whether the game is over."
    )
    played_from = filters.IsoDateTimeFilter(
        "played_at", "gte", validators=MOMENTS, label="At this moment or later."
    )
    played_until = filters.IsoDateTimeFilter(
        "played_at", "lt", validators=MOMENTS, label="Before this moment, not at it."
    )
    name = filters.CharFilter(method="of_name", label="The name of a player of the club.")

    class Meta:
        model = Game
        fields: list[str] = []

    def of_name(self, games: QuerySet[Game], _field: str, name: str) -> QuerySet[Game]:
        """The games of the players who are called like that.

        Whoever is shown by initials is found by the name behind them by directors only.
        """
        found = Player.objects.present().matching(name)
        directed = Club.objects.directed_by(account_of(self.request))
        players = found.filter(initials=False) | found.filter(club__in=directed)
        return games.filter(pk__in=Seat.objects.filter(player__in=players).values("game"))


def start(data: Mapping[str, Any], visitor: Visitor, *, at: datetime) -> Game:
    """Open a table as it was sent, and write every entry down: all of it, or nothing.

    Raises:
        Invalid, InvalidEntry: every problem of the head, or of the first entry that cannot be.
    """
    head = _head(data, visitor)
    _check_record(data, head)
    terms = data.get("match")
    with transaction.atomic():
        played_at = _moment(data, at)
        length = (terms["length"], terms["number"]) if terms else None
        row = start_table(head, length, at=played_at)
        record_entries(row.pk, map(parse_entry, data["entries"]), WriteContext("of-record", 0, at))
        row.refresh_from_db()
    return row


def _head(data: Mapping[str, Any], visitor: Visitor) -> GameSetup:
    rules, document = ruleset_of(data["ruleset"], visitor)
    stays = ("players", "first_declarer", "options", "title", "place")
    return GameSetup(rules.id, document=document, **{field: data[field] for field in stays})


def ruleset_of(sent: Any, visitor: Visitor) -> tuple[Ruleset, Mapping[str, Any] | None]:
    """Return the ruleset that was sent or named, with the document of house rules.

    Raises:
        InvalidEntry: there is none, or its document is invalid.
    """
    if isinstance(sent, dict):
        ruleset = read_rules(clean_lines(sent))
        return ruleset, write_ruleset(ruleset)
    name = sent if isinstance(sent, str) else ""
    found = find_ruleset(name, visitor)
    if found is None:
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": name})])
    return found, house_document(found)


def _check_record(data: Mapping[str, Any], head: GameSetup) -> None:
    """Refuse a record that cannot be, before anything is written."""
    fields = ("format", "players", "first_declarer", "options", "title", "place", "entries")
    record = {field: data[field] for field in fields}
    reading = read_game(record | {"ruleset": head.document or head.ruleset})
    if reading.problems:
        at = "" if reading.entry is None else f"entries.{reading.entry}"
        raise Invalid(faults=engine_faults(reading.problems, at, head.players))


def _moment(data: Mapping[str, Any], at: datetime) -> datetime:
    """When the game was played."""
    if "played_at" not in data:
        return at
    moment = moment_of(data["played_at"], at)
    if moment is None:
        text = _("This must be a date or time in the past.")
        raise fault("wrong-type", "played_at", text)
    return moment


class RematchSerializer(Strict):
    """The next game at an open table; omitted fields are as in the game before.

    Without `players` all people of the table play on, and where they are more than the game seats,
    those who have played the longest sit out, or whom `resting` names. Another `ruleset` begins
    with its own default options and no match; `match` is null for a game of none.
    """

    ruleset = RulesetField(required=False)
    players = serializers.ListField(
        child=LineField(max_length=LONGEST_NAME), max_length=4, required=False
    )
    resting = serializers.ListField(
        child=LineField(max_length=LONGEST_NAME), max_length=4, required=False
    )
    first_declarer = serializers.IntegerField(default=0, min_value=0, max_value=3)
    options = serializers.DictField(required=False)
    match = MatchTermsSerializer(required=False, allow_null=True)


class LaterGameSerializer(UncachedSerializer):
    """The game after another one.

    The key to `follow` it is shown to holders of a key of a game of the match, and to directors
    whose token may score; else it is null.
    """

    id = serializers.CharField(source="public_id")
    follow = serializers.SerializerMethodField()

    def get_follow(self, row: Game) -> str | None:
        return token_of(row, "follow") if self.context["tells_keys"] else None


class MatchSerializer(serializers.Serializer[MatchSoFar]):
    """A match: games won and points carried into the next game, per side.

    `winners` are the sides that have won it, empty while it goes on; `next` is the game after
    this one.
    """

    length = serializers.ChoiceField(Match.Length.choices, source="row.length")
    number = serializers.IntegerField(source="row.number")
    games = serializers.SerializerMethodField()
    won = serializers.ListField(child=serializers.IntegerField(), source="score.won")
    carry = serializers.ListField(child=PointsField(), source="score.carry")
    over = serializers.BooleanField(source="score.over")
    winners = serializers.ListField(child=serializers.IntegerField(), source="score.winners")
    next = serializers.SerializerMethodField()

    def get_games(self, match: MatchSoFar) -> list[str]:
        return [sheet.row.public_id for sheet in match.sheets]

    @extend_schema_field(LaterGameSerializer(allow_null=True))
    def get_next(self, match: MatchSoFar) -> Any:
        following = match.after(self.context["game"])
        return following and LaterGameSerializer(following, context=self.context).data


class AdoptionSerializer(Strict):
    """Into which round the game is taken, with its `write` key, and who sits there.

    `players` are names in seat order, as the sheet has them where they are left out; whom the
    club does not have is added.
    """

    key = serializers.CharField(max_length=200)
    event = serializers.CharField(max_length=16)
    round = serializers.IntegerField(min_value=1, max_value=32_767)
    players = serializers.ListField(
        child=LineField(max_length=LONGEST_NAME), max_length=4, required=False
    )


class GameViewSet(GameMixin, ListMixin, APIViewSet):
    descriptions = {
        "list": "The games of clubs that the token may see, and the one its key opens.",
    }
    deprecated = {"adopt": "The page of the game does this."}
    action_scopes = {"create": None, "adopt": Scope.DIRECT, "keys": Scope.SCORE}
    queryset = Game.objects.none()
    lookup_field = "public_id"
    lookup_value_converter = "slug"
    filterset_class = GameFilter
    ordering_fields = ["played_at", "ruleset"]
    ordering = ["-played_at"]
    serializer_class = GameSerializer
    serializer_classes = {
        "list": GameLineSerializer,
        "create": StartedGameSerializer,
        "form": EntryFormSerializer,
        "match": MatchSerializer,
        "keys": GameKeysSerializer,
        "pen": GameKeysSerializer,
        "record": None,
        "result": None,
    }
    request_serializer_classes = {
        "create": NewGameSerializer,
        "partial_update": GameSetupSerializer,
        "rematch": RematchSerializer,
        "adopt": AdoptionSerializer,
    }

    def get_refusals(self) -> tuple[str, ...]:
        return self.refusals if self.detail else ()

    def get_queryset(self) -> QuerySet[Game]:
        user = self.http_request.user
        listed = Event.objects.listed_for(user)
        games = Game.objects.filter(table__round__event__in=listed)
        games = games.results_visible_to(user) | games_opened(self.request)
        where = ("table__round__event__club", "table__round__event__tournament")
        return games.select_related("match", *where)

    def create(self, request: Request) -> Response:
        """Start a game at an open table; its keys give access to write and to follow it.

        A whole record is taken over with all its entries, at most 200, or not at all.
        """
        game = start(self.get_validated(), request.user, at=timezone.now())
        place = f"{request.path}{game.public_id}/"
        return self.respond_sheet(load_sheet(game), Location=place)

    def retrieve(self, request: Request, public_id: str) -> Any:
        """The current game; its entity tag is the revision, but of an expanded one."""
        games = readable_game(request, public_id).select_related("match", "table")
        game = get_object_or_404(games)
        if expanding(request):
            return self.respond(load_sheet(game))
        unchanged = get_conditional_response(self.http_request, etag=tag_of(game))
        if unchanged is not None:
            unchanged["ETag"] = tag_of(game)
            return unchanged
        return self.respond_sheet(load_sheet(game))

    def partial_update(self, request: Request, public_id: str) -> Response:
        """Correct names, seats, first declarer, options, title or place; the game is scored anew.

        At a club's table the names say which of its players sit where.
        """
        game, data = self.get_writable(), self.get_validated()
        stays = ("players", "first_declarer", "options", "title", "place")
        setup = GameSetup(game.ruleset, **{name: getattr(game, name) for name in stays})
        changed = replace(setup, **data)
        with named_players(changed.players):
            sheet = change_head(game.pk, changed, self.write_context(game))
        return self.respond_sheet(sheet)

    def destroy(self, request: Request, public_id: str) -> Response:
        """Delete a game at an open table with all that was written; it cannot be undone.

        A club's game is removed by its directors, with the table.
        """
        game = self.get_writable()
        with transaction.atomic():
            locked = get_object_or_404(Game.objects.select_for_update(), pk=game.pk, table=None)
            if revision_of(request, locked) != locked.revision:
                raise StaleRevision(load_sheet(locked))
            delete_game(locked.pk)
        return Response(status=204)

    @extend_schema(responses={200: component("GameRecord")})
    @action(detail=True, refusals=())
    def record(self, request: Request, public_id: str) -> Response:
        """The game as a `kingscore-game/1` document."""
        return Response(load_sheet(self.get_readable()).record)

    @extend_schema(responses={200: component("ResultRecord")})
    @action(detail=True, refusals=())
    def result(self, request: Request, public_id: str) -> Response:
        """The game as a `kingscore-result/1` document."""
        return Response(write_result(Reading(load_sheet(self.get_readable()).game)))

    @action(detail=True, refusals=())
    def form(self, request: Request, public_id: str) -> Response:
        """The possible next entries: the rules, the player on turn, and the contracts left."""
        return self.respond_sheet(load_sheet(self.get_readable()))

    @action(detail=True, refusals=())
    def match(self, request: Request, public_id: str) -> Response:
        """The current state of the match of a game."""
        games = readable_game(request, public_id).filter(match__isnull=False)
        game = get_object_or_404(games.select_related("match"))
        assert game.match is not None
        self.serializer_context = {"game": game, "tells_keys": _tells_keys(request, game)}
        return self.respond(load_match(game.match))

    @extend_schema(responses={201: StartedGameSerializer, 200: GameSerializer})
    @action(methods=["post"], detail=True, url_path="next-game")
    def next_game(self, request: Request, public_id: str) -> Response:
        """Open the next game of a match; points carried over become its first entry.

        201 with its keys; 200 without, where it had been opened already.
        """
        game = self.get_writable()
        key, reason, now = key_of(request), labels.option_name("laps"), timezone.now()
        by = self.writer(game)
        following, opened = start_next_game(game.pk, at=now, key=key, reason=reason, by=by)
        place = request.path.replace(f"{public_id}/next-game", following.public_id)
        return self.respond_game(following, place, opened=opened)

    @extend_schema(responses={201: StartedGameSerializer, 200: GameSerializer})
    @action(methods=["post"], detail=True)
    def rematch(self, request: Request, public_id: str) -> Response:
        """Go on with another game at the open table of a game; all its phones go there.

        201 with its keys; 200 without, and with the last game of the table, where somebody has
        gone on already.
        """
        game = self.get_writable()
        if game.table_id is not None or game.open_table_id is None:
            # At a club's table its directors decide who plays next.
            raise Http404
        plan = _following(game, self.get_validated(), request)
        key, now = key_of(request), timezone.now()
        following, opened = start_rematch(game.pk, plan, at=now, key=key)
        place = request.path.replace(f"{public_id}/rematch", following.public_id)
        return self.respond_game(following, place, opened=opened)

    def respond_game(self, game: Game, place: str, *, opened: bool) -> Response:
        shape, status = (StartedGameSerializer, 201) if opened else (GameSerializer, 200)
        sheet = load_sheet(game)
        return self.respond_sheet(sheet, status=status, serializer_class=shape, Location=place)

    @action(methods=["post"], detail=True, refusals=())
    def adopt(self, request: Request, public_id: str) -> Response:
        """Take an open table, with all games of its match, into an open round of an evening.

        For a director who also has the key that writes it.
        """
        user, data = self.account, self.get_validated()
        game = get_object_or_404(_at(public_id, data["key"], user))
        # Of tournaments it is drawn who sits where.
        events = Event.objects.directed_by(user).filter(tournament=None)
        round_ = get_object_or_404(
            Round, event__in=events.filter(public_id=data["event"]), number=data["round"]
        )
        who = data.get("players") or game.players
        if len(who) != len(game.players):
            params = {"expected": len(game.players), "got": len(who)}
            raise InvalidEntry([Problem(Code.WRONG_PLAYERS, "players", params)])
        adopt_game(game.pk, round_.pk, who, self.actor, at=timezone.now())
        return self.respond_sheet(load_sheet(Game.objects.get(pk=game.pk)))

    @action(detail=True, refusals=())
    def keys(self, request: Request, public_id: str) -> Response:
        """The keys of a game, for whoever may write it; a token needs the scope `score`."""
        return self.respond(self.get_writable())

    @action(methods=["post"], detail=True, refusals=())
    def pen(self, request: Request, public_id: str) -> Response:
        """Take over the scoring with its key; earlier writers can then only follow."""
        game = get_object_or_404(takeable_game(request, public_id).select_related("table"))
        key, by = key_of(request), self.writer(game)
        taken = hand_over(game.pk, game.write_generation, key, by, at=timezone.now())
        return self.respond(taken)


def _following(row: Game, data: Mapping[str, Any], request: Request) -> NextGame:
    """Return the next game as it was sent.

    Raises:
        InvalidEntry: unknown rules, or somebody would sit out and play, or sit out twice.
    """
    name, document, options = row.ruleset, row.document, row.options
    rules, terms = rules_of(row), _terms(row)
    if "ruleset" in data:
        rules, document = ruleset_of(data["ruleset"], request.user)
        if rules.id != name:
            name, options, terms = rules.id, {}, None
    options = data.get("options", options)
    if "match" in data:
        match = data["match"]
        terms = match and (match["length"], match["number"])
    players, resting = _people(row, data, rules.with_options(options))
    refuse(check_repeated("resting", [*dict.fromkeys(players), *resting]))
    head = GameSetup(
        name, players, data["first_declarer"], options, row.title, row.place, document=document
    )
    return NextGame(head, terms, resting)


def _terms(row: Game) -> Terms | None:
    return (row.match.length, row.match.number) if row.match else None


def _people(row: Game, data: Mapping[str, Any], rules: Ruleset) -> tuple[list[str], list[str]]:
    """Return who plays, in their seats, and who sits out."""
    if "players" in data:
        return data["players"], data.get("resting", [])
    people = [*row.players, *row.resting]
    resting = data.get("resting")
    if resting is None:
        resting = who_rests(games_until(row), people, rules.seats)
    playing = [name for name in people if name not in resting]
    return seated(people, playing, rules.seats), list(resting)


def _tells_keys(request: Request, row: Game) -> bool:
    """Return whether a reader of a game also gets the keys of its match.

    Whoever only sees the game, as that of a published evening, gets none that lasts longer.
    """
    if game_of_key(request).filter(match=row.match_id).exists():
        return True
    directed = Game.objects.directed_by(request.user).filter(pk=row.pk)
    return has_scope(request, Scope.SCORE) and directed.exists()


def _at(public_id: str, key: str, user: Visitor) -> GameQuerySet:
    kind, _dot, rest = key.partition(".")
    named, _dot, secret = rest.partition(".")
    if (kind, named) != ("write", public_id):
        return Game.objects.none()
    return Game.objects.writable_at(public_id, secret, user).filter(table=None)


class LogViewSet(GameMixin, ListMixin, APIViewSet):
    descriptions = {
        "list": "Every write of the sheet, also of what was taken off it, for whoever may write it."
    }
    refusals = ()
    queryset = Revision.objects.none()
    filterset_fields = ["kind", "position"]
    ordering_fields = ["revision"]
    ordering = ["revision"]
    serializer_class = GameRevisionSerializer

    def get_queryset(self) -> QuerySet[Revision]:
        return self.get_writable().revisions.all()
