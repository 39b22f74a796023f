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
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import game_of_key, games_opened, has_scope, readable_game, token_of
from tournaments.api.fields import MOMENTS, LineField, PointsField, Strict, UncachedSerializer
from tournaments.api.filtering import expand, expanding
from tournaments.api.games.entries import (
    GONE,
    game_to_write,
    key_of,
    revision_of,
    tag_of,
    told_of,
    write_context,
    writer,
    written,
)
from tournaments.api.games.serializers import (
    EntryFormSerializer,
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
from tournaments.api.views import Resource, idempotent
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
from tournaments.queries.sheets import Sheet, games_until, load_sheet, rules_of
from tournaments.services.base.writes import Invalid
from tournaments.services.games.playing import GameSetup, change_head, delete_game, record_entries
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


Said = Mapping[str, Any]


def start(said: Said, visitor: Visitor, *, at: datetime) -> Game:
    """Open a table with what was said, and write every entry down: all of it, or nothing.

    Raises:
        Invalid, InvalidEntry: every problem of the head, or of the first entry that cannot be.
    """
    head = _head(said, visitor)
    _check_record(said, head)
    terms = said.get("match")
    with transaction.atomic():
        played_at = _moment(said, at)
        length = (terms["length"], terms["number"]) if terms else None
        row = start_table(head, length, at=played_at)
        record_entries(row.pk, map(parse_entry, said["entries"]), WriteContext("of-record", 0, at))
        row.refresh_from_db()
    return row


def _head(said: Said, visitor: Visitor) -> GameSetup:
    rules, document = ruleset_of(said["ruleset"], visitor)
    stays = ("players", "first_declarer", "options", "title", "place")
    return GameSetup(rules.id, document=document, **{field: said[field] for field in stays})


def ruleset_of(said: Any, visitor: Visitor) -> tuple[Ruleset, Mapping[str, Any] | None]:
    """Return the ruleset that was sent or named, with the document of house rules.

    Raises:
        InvalidEntry: there is none, or its document is invalid.
    """
    if isinstance(said, dict):
        ruleset = read_rules(clean_lines(said))
        return ruleset, write_ruleset(ruleset)
    name = said if isinstance(said, str) else ""
    found = find_ruleset(name, visitor)
    if found is None:
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": name})])
    return found, house_document(found)


def _check_record(said: Said, head: GameSetup) -> None:
    """Refuse a record that cannot be, before anything is written."""
    fields = ("format", "players", "first_declarer", "options", "title", "place", "entries")
    record = {field: said[field] for field in fields}
    reading = read_game(record | {"ruleset": head.document or head.ruleset})
    if reading.problems:
        at = "" if reading.entry is None else f"entries.{reading.entry}"
        raise Invalid(faults=engine_faults(reading.problems, at, head.players))


def _moment(said: Said, at: datetime) -> datetime:
    """When the game was played."""
    if "played_at" not in said:
        return at
    moment = moment_of(said["played_at"], at)
    if moment is None:
        text = _("This must be a date or time in the past.")
        raise fault("wrong-type", "played_at", text)
    return moment


class Games(Resource):
    scope = None
    queryset = Game.objects.none()
    filterset_class = GameFilter
    ordering_fields = ["played_at", "ruleset"]
    ordering = ["-played_at"]
    chosen = GameLineSerializer

    @extend_schema(parameters=[expand(GameLineSerializer)], responses=GameLineSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The games of clubs that the token may see, and the one its key opens."""
        listed = Event.objects.listed_for(request.user)
        games = Game.objects.filter(table__round__event__in=listed)
        games = games.results_visible_to(request.user) | games_opened(request)
        where = ("table__round__event__club", "table__round__event__tournament")
        return self.pages_of(GameLineSerializer, games.select_related("match", *where))

    @extend_schema(request=NewGameSerializer, responses={201: StartedGameSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Start a game at an open table; its keys give access to write and to follow it.

        A whole record is taken over with all its entries, at most 200, or not at all.
        """
        row = start(self.said(NewGameSerializer), request.user, at=timezone.now())
        place = f"{request.path}{row.public_id}/"
        tag = tag_of(row)
        return self.shown(StartedGameSerializer, load_sheet(row), 201, Location=place, ETag=tag)


class OneGame(Resource):
    scope = Scope.SCORE
    refusals = GONE
    chosen = GameSerializer

    @extend_schema(parameters=[expand(GameSerializer)], responses=GameSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """The current game; its entity tag is the revision, but of an expanded one."""
        row = get_object_or_404(readable_game(request, public_id).select_related("match", "table"))
        if expanding(request):
            return self.shown(GameSerializer, load_sheet(row))
        unchanged: Any = get_conditional_response(self.visitor, etag=tag_of(row))
        if unchanged is not None:
            unchanged["ETag"] = tag_of(row)
            return unchanged  # type: ignore[no-any-return]
        return self.shown(GameSerializer, load_sheet(row), ETag=tag_of(row))

    @extend_schema(request=GameSetupSerializer, responses=GameSerializer)
    def patch(self, request: Request, public_id: str) -> Response:
        """Correct names, seats, first declarer, options, title or place; the game is scored anew.

        At a club's table the names say which of its players sit where.
        """
        row = game_to_write(request, public_id)
        said = self.said(GameSetupSerializer)
        stays = ("players", "first_declarer", "options", "title", "place")
        head = GameSetup(row.ruleset, **{name: getattr(row, name) for name in stays})
        changed = replace(head, **said)
        with told_of(changed.players):
            sheet = change_head(row.pk, changed, write_context(self, row, ""))
        return written(self, sheet)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, public_id: str) -> Response:
        """Delete a game at an open table with all that was written; it cannot be undone.

        A club's game is removed by its directors, with the table.
        """
        row = game_to_write(request, public_id)
        with transaction.atomic():
            locked = get_object_or_404(Game.objects.select_for_update(), pk=row.pk, table=None)
            if revision_of(request, locked) != locked.revision:
                raise StaleRevision(load_sheet(locked))
            delete_game(locked.pk)
        return Response(status=204)


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


class Rematch(Resource):
    scope = Scope.SCORE
    refusals = GONE

    @extend_schema(
        request=RematchSerializer, responses={201: StartedGameSerializer, 200: GameSerializer}
    )
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Go on with another game at the open table of a game; all its phones go there.

        201 with its keys; 200 without, and with the last game of the table, where somebody has
        gone on already.
        """
        row = game_to_write(request, public_id)
        if row.table_id is not None or row.open_table_id is None:
            # At a club's table its directors decide who plays next.
            raise Http404
        following = _following(row, self.said(RematchSerializer), request)
        key, now = key_of(request), timezone.now()
        game, opened = start_rematch(row.pk, following, at=now, key=key)
        shape, status = (StartedGameSerializer, 201) if opened else (GameSerializer, 200)
        place = request.path.replace(f"{public_id}/rematch", game.public_id)
        return self.shown(shape, load_sheet(game), status, Location=place, ETag=tag_of(game))


def _following(row: Game, said: Said, request: Request) -> NextGame:
    """Return the next game as it was asked for.

    Raises:
        InvalidEntry: unknown rules, or somebody would sit out and play, or sit out twice.
    """
    name, document, options = row.ruleset, row.document, row.options
    rules, terms = rules_of(row), _terms(row)
    if "ruleset" in said:
        rules, document = ruleset_of(said["ruleset"], request.user)
        if rules.id != name:
            name, options, terms = rules.id, {}, None
    options = said.get("options", options)
    if "match" in said:
        match = said["match"]
        terms = match and (match["length"], match["number"])
    players, resting = _people(row, said, rules.with_options(options))
    refuse(check_repeated("resting", [*dict.fromkeys(players), *resting]))
    head = GameSetup(
        name, players, said["first_declarer"], options, row.title, row.place, document=document
    )
    return NextGame(head, terms, resting)


def _terms(row: Game) -> Terms | None:
    return (row.match.length, row.match.number) if row.match else None


def _people(row: Game, said: Said, rules: Ruleset) -> tuple[list[str], list[str]]:
    """Return who plays, in their seats, and who sits out."""
    if "players" in said:
        return said["players"], said.get("resting", [])
    people = [*row.players, *row.resting]
    resting = said.get("resting")
    if resting is None:
        resting = who_rests(games_until(row), people, rules.seats)
    playing = [name for name in people if name not in resting]
    return seated(people, playing, rules.seats), list(resting)


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


class MatchOfGame(Resource):
    @extend_schema(responses=MatchSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """The current state of the match of a game."""
        games = readable_game(request, public_id).filter(match__isnull=False)
        row = get_object_or_404(games.select_related("match"))
        assert row.match is not None
        tells = _tells_keys(request, row)
        context = {**self.get_serializer_context(), "game": row, "tells_keys": tells}
        return Response(MatchSerializer(load_match(row.match), context=context).data)


def _tells_keys(request: Request, row: Game) -> bool:
    """Return whether a reader of a game also gets the keys of its match.

    Whoever only sees the game, as that of a published evening, gets none that lasts longer.
    """
    if game_of_key(request).filter(match=row.match_id).exists():
        return True
    directed = Game.objects.directed_by(request.user).filter(pk=row.pk)
    return has_scope(request, Scope.SCORE) and directed.exists()


class NextOfMatch(Resource):
    scope = Scope.SCORE
    refusals = GONE

    @extend_schema(request=None, responses={201: StartedGameSerializer, 200: GameSerializer})
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Open the next game of a match; points carried over become its first entry.

        201 with its keys; 200 without, where it had been opened already.
        """
        row = game_to_write(request, public_id)
        key, reason, now = key_of(request), labels.option_name("laps"), timezone.now()
        game, opened = start_next_game(row.pk, at=now, key=key, reason=reason, by=writer(self, row))
        shape, status = (StartedGameSerializer, 201) if opened else (GameSerializer, 200)
        place = request.path.replace(f"{public_id}/next-game", game.public_id)
        tag = tag_of(game)
        return self.shown(shape, load_sheet(game), status, Location=place, ETag=tag)


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


class Adopt(Resource):
    scope = Scope.DIRECT

    @extend_schema(request=AdoptionSerializer, responses=GameSerializer)
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Take an open table, with all games of its match, into an open round of an evening.

        For a director who also has the key that writes it.
        """
        user, said = self.account, self.said(AdoptionSerializer)
        row = get_object_or_404(_at(public_id, said["key"], user))
        # Of tournaments it is drawn who sits where.
        events = Event.objects.directed_by(user).filter(tournament=None)
        round_ = get_object_or_404(
            Round, event__in=events.filter(public_id=said["event"]), number=said["round"]
        )
        who = said.get("players") or row.players
        if len(who) != len(row.players):
            wrong = Problem(
                Code.WRONG_PLAYERS, "players", {"expected": len(row.players), "got": len(who)}
            )
            raise InvalidEntry([wrong])
        adopt_game(row.pk, round_.pk, who, self.actor, at=timezone.now())
        return written(self, load_sheet(Game.objects.get(pk=row.pk)))


def _at(public_id: str, key: str, user: Visitor) -> GameQuerySet:
    kind, _dot, rest = key.partition(".")
    named, _dot, secret = rest.partition(".")
    if (kind, named) != ("write", public_id):
        return Game.objects.none()
    return Game.objects.writable_at(public_id, secret, user).filter(table=None)


class GameDocument(Resource):
    @extend_schema(responses={200: component("GameRecord")})
    def get(self, request: Request, public_id: str) -> Response:
        """The game as a `kingscore-game/1` document."""
        return Response(_sheet(request, public_id).record)


class Result(Resource):
    @extend_schema(responses={200: component("ResultRecord")})
    def get(self, request: Request, public_id: str) -> Response:
        """The game as a `kingscore-result/1` document."""
        return Response(write_result(Reading(_sheet(request, public_id).game)))


class GameForm(Resource):
    @extend_schema(responses=EntryFormSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """The possible next entries: the rules, the player on turn, and the contracts left."""
        sheet = _sheet(request, public_id)
        return self.shown(EntryFormSerializer, sheet, ETag=tag_of(sheet.row))


class Log(Resource):
    queryset = Revision.objects.none()
    filterset_fields = ["kind", "position"]
    ordering_fields = ["revision"]
    ordering = ["revision"]

    @extend_schema(responses=GameRevisionSerializer(many=True))
    def get(self, request: Request, public_id: str) -> Response:
        """Every write of the sheet, also of what was taken off it, for whoever may write it."""
        row = game_to_write(request, public_id)
        return self.pages_of(GameRevisionSerializer, row.revisions.all())


def _sheet(request: Request, public_id: str) -> Sheet:
    return load_sheet(get_object_or_404(readable_game(request, public_id)))
