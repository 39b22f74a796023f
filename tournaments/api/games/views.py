"""Games in the API: listed, started, read, played again, taken over.

Begin at `GameViewSet`. `entries.py` writes their sheets.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api import access
from tournaments.api.fields import MOMENTS
from tournaments.api.filtering import expanding
from tournaments.api.games import entries, serializers
from tournaments.api.problems import engine_faults, fault
from tournaments.api.schema import component
from tournaments.api.views import APIViewSet, ListMixin
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.documents.games import Reading, read_game, read_rules, write_result
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.rules.entries import clean_lines
from tournaments.engine.rules.rulesets import (
    Code,
    InvalidEntry,
    Problem,
    Ruleset,
    check_repeated,
    refuse,
)
from tournaments.models import Club, Event, Game, Player, Revision, Round, Scope, Seat, Visitor
from tournaments.permissions import account_of
from tournaments.queries.rulesets import find_ruleset, house_document
from tournaments.queries.sheets import games_until, load_sheet, rules_of
from tournaments.services.base.writes import Invalid
from tournaments.services.games import playing, tables
from tournaments.services.games.seating import seated, who_rests
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
    name = filters.CharFilter(method="filter_name", label="The name of a player of the club.")

    class Meta:
        model = Game
        fields: list[str] = []

    def filter_name(self, games: QuerySet[Game], _field: str, name: str) -> QuerySet[Game]:
        """The games of the players who are called like that.

        Whoever is shown by initials is found by the name behind them by directors only.
        """
        found = Player.objects.present().matching(name)
        directed = Club.objects.directed_by(account_of(self.request))
        players = found.filter(initials=False) | found.filter(club__in=directed)
        return games.filter(pk__in=Seat.objects.filter(player__in=players).values("game"))


FOLLOWING = {201: serializers.StartedGameSerializer, 200: serializers.GameSerializer}
"""The answers with a next game, by status: it has keys only where it was started now."""

SETUP_FIELDS = ("players", "first_declarer", "options", "title", "place", "stake")


def game_to_take_over(request: Request, public_id: str) -> Game:
    """Return the game if its key lets the visitor take over the scoring; else 404."""
    return get_object_or_404(access.takeable_game(request, public_id).select_related("table"))


class GameViewSet(entries.GameMixin, ListMixin, APIViewSet):
    descriptions = {
        "list": "List the games of clubs that you may see, and the game that your key opens.",
    }
    deprecated = {"adopt": "The page of the game does this."}
    action_scopes = {"create": None, "adopt": Scope.DIRECT, "keys": Scope.SCORE}
    action_permissions = {
        "list": access.anybody,
        "create": access.anybody,
        "adopt": access.account_needed,
        "keys": entries.game_to_write,
        "pen": game_to_take_over,
    }
    queryset = Game.objects.none()
    lookup_field = "public_id"
    lookup_value_converter = "slug"
    filterset_class = GameFilter
    ordering_fields = ["played_at", "ruleset"]
    ordering = ["-played_at"]
    serializer_class = serializers.GameSerializer
    serializer_classes = {
        "list": serializers.GameLineSerializer,
        "create": serializers.StartedGameSerializer,
        "form": serializers.EntryFormSerializer,
        "match": serializers.MatchSerializer,
        "keys": serializers.GameKeysSerializer,
        "pen": serializers.GameKeysSerializer,
        "record": component("GameRecord"),
        "result": component("ResultRecord"),
    }
    request_serializer_classes = {
        "create": serializers.NewGameSerializer,
        "partial_update": serializers.GameSetupSerializer,
        "rematch": serializers.RematchSerializer,
        "adopt": serializers.AdoptionSerializer,
    }

    def get_refusals(self) -> tuple[str, ...]:
        return self.refusals if self.detail else ()

    def get_queryset(self) -> QuerySet[Game]:
        user = self.http_request.user
        listed = Event.objects.listed_for(user)
        games = Game.objects.filter(table__round__event__in=listed)
        games = games.results_visible_to(user) | access.game_of_key(self.request)
        where = ("table__round__event__club", "table__round__event__tournament")
        return games.select_related("match", *where)

    def create(self, request: Request) -> Response:
        """Start a game at an open table. The answer has its keys, to write it and to follow it.

        A whole record is stored with all its entries, at most 200, or not at all.
        """
        game = start(self.get_validated(), request.user, at=timezone.now())
        return self.respond_sheet(load_sheet(game), Location=f"{request.path}{game.public_id}/")

    def retrieve(self, request: Request, public_id: str) -> Any:
        """Read a game. Its entity tag is the revision, unless it is expanded."""
        game = self.game
        if expanding(request):
            return self.respond(load_sheet(game))
        unchanged = get_conditional_response(self.http_request, etag=entries.tag_of(game))
        if unchanged is not None:
            unchanged["ETag"] = entries.tag_of(game)
            return unchanged
        return self.respond_sheet(load_sheet(game))

    def partial_update(self, request: Request, public_id: str) -> Response:
        """Correct players, first declarer, options, title, place or stake; it is scored again.

        At a club's table the names say which of its players has which seat.
        """
        game, data = self.game, self.get_validated()
        setup = {name: getattr(game, name) for name in SETUP_FIELDS}
        changed = playing.GameSetup(game.ruleset, **{**setup, **data})
        with entries.named_players(changed.players):
            sheet = playing.change_head(game.pk, changed, self.write_context())
        return self.respond_sheet(sheet)

    def destroy(self, request: Request, public_id: str) -> Response:
        """Delete a game at an open table with all its entries. This cannot be undone.

        A club's game is deleted with its table, by the club's directors.
        """
        game = self.game
        with transaction.atomic():
            locked = get_object_or_404(Game.objects.select_for_update(), pk=game.pk, table=None)
            if entries.revision_of(request, locked) != locked.revision:
                raise StaleRevision(load_sheet(locked))
            playing.delete_game(locked.pk)
        return Response(status=204)

    @action(detail=True, refusals=())
    def record(self, request: Request, public_id: str) -> Response:
        """Read a game as a `kingscore-game/1` document."""
        return Response(load_sheet(self.game).record)

    @action(detail=True, refusals=())
    def result(self, request: Request, public_id: str) -> Response:
        """Read the result of a game as a `kingscore-result/1` document."""
        return Response(write_result(Reading(load_sheet(self.game).game)))

    @action(detail=True, refusals=())
    def form(self, request: Request, public_id: str) -> Response:
        """Read what can be entered next: the rules, the player on turn, and the contracts left."""
        sheet = load_sheet(self.game)
        return self.respond(serializers.form_details(sheet), ETag=entries.tag_of(sheet.row))

    @action(detail=True, refusals=())
    def match(self, request: Request, public_id: str) -> Response:
        """Read the match of a game."""
        game = self.game
        if game.match is None:
            raise Http404
        match = tables.load_match(game.match)
        games = [sheet.row.public_id for sheet in match.sheets]
        later, following = match.after(game), None
        if later is not None:
            followable = later if gives_keys(request, game) else None
            following = {"public_id": later.public_id, "followable": followable}
        return self.respond({"match": match, "games": games, "next": following})

    @extend_schema(responses=FOLLOWING)
    @action(methods=["post"], detail=True, url_path="next-game")
    def next_game(self, request: Request, public_id: str) -> Response:
        """Start the next game of a match. Points carried over become its first entry.

        The answer is 201 with the keys of the game, or 200 without them if it was started before.
        """
        key, by, reason = entries.key_of(request), self.get_writer(), labels.option_name("laps")
        following, is_new = tables.start_next_game(
            self.game.pk, at=timezone.now(), key=key, reason=reason, by=by
        )
        return self.respond_following(following, is_new=is_new)

    @extend_schema(responses=FOLLOWING)
    @action(methods=["post"], detail=True)
    def rematch(self, request: Request, public_id: str) -> Response:
        """Start another game at the open table of a game. All its phones move on to it.

        The answer is 201 with the keys of the game. If somebody has moved on already, it is 200
        with the last game of the table, without keys.
        """
        game = self.game
        if game.table_id is not None or game.open_table_id is None:
            # At a club's table its directors decide who plays next.
            raise Http404
        plan = next_game_of(game, self.get_validated(), request.user)
        key, now = entries.key_of(request), timezone.now()
        following, is_new = tables.start_rematch(game.pk, plan, at=now, key=key)
        return self.respond_following(following, is_new=is_new)

    def respond_following(self, game: Game, *, is_new: bool) -> Response:
        status = 201 if is_new else 200
        location = reverse("api:game-detail", args=[game.public_id])
        found, sheet = FOLLOWING[status], load_sheet(game)
        return self.respond_sheet(sheet, status=status, serializer_class=found, Location=location)

    @action(methods=["post"], detail=True, refusals=())
    def adopt(self, request: Request, public_id: str) -> Response:
        """Move an open table, with all games of its match, into an open round of an evening.

        Directors may do this who also have the key to write the game.
        """
        user, data = self.account, self.get_validated()
        kind, _dot, rest = data["key"].partition(".")
        key_id, _dot, secret = rest.partition(".")
        if (kind, key_id) != ("write", public_id):
            raise Http404
        games = Game.objects.writable_at(public_id, secret, user).filter(table=None)
        game = get_object_or_404(games)
        # Of tournaments it is drawn who sits where.
        events = Event.objects.directed_by(user).filter(tournament=None)
        round_ = get_object_or_404(
            Round, event__in=events.filter(public_id=data["event"]), number=data["round"]
        )
        who = data.get("players") or game.players
        if len(who) != len(game.players):
            params = {"expected": len(game.players), "got": len(who)}
            raise InvalidEntry([Problem(Code.WRONG_PLAYERS, "players", params)])
        tables.adopt_game(game.pk, round_.pk, who, self.actor, at=timezone.now())
        return self.respond_sheet(load_sheet(Game.objects.get(pk=game.pk)))

    @action(detail=True, refusals=())
    def keys(self, request: Request, public_id: str) -> Response:
        """Read the keys of a game that you may write. A token needs the scope `score`."""
        return self.respond(self.game)

    @action(methods=["post"], detail=True, refusals=())
    def pen(self, request: Request, public_id: str) -> Response:
        """Take over the scoring, with the key `pen`. Earlier scorers can then only follow."""
        game, key = self.game, entries.key_of(request)
        by = self.get_writer()
        taken = playing.hand_over(game.pk, game.write_generation, key, by, at=timezone.now())
        return self.respond(taken)


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


def start(data: Mapping[str, Any], visitor: Visitor, *, at: datetime) -> Game:
    """Open a table as it was sent, and write every entry down: all of it, or nothing.

    Raises: Invalid, InvalidEntry: every problem of the head, or of the first impossible entry.
    """
    rules, document = ruleset_of(data["ruleset"], visitor)
    setup = {field: data[field] for field in SETUP_FIELDS}
    record = {**setup, "ruleset": document or rules.id}
    # Before anything is written.
    reading = read_game(record | {field: data[field] for field in ("format", "entries")})
    if reading.problems:
        where = "" if reading.entry is None else f"entries.{reading.entry}"
        raise Invalid(faults=engine_faults(reading.problems, where, data["players"]))
    played_at = moment_of(data["played_at"], at) if "played_at" in data else at
    if played_at is None:
        text = _("This must be a date or time in the past.")
        raise fault("wrong-type", "played_at", text)
    terms = data.get("match")
    length = (terms["length"], terms["number"]) if terms else None
    head = playing.GameSetup(rules.id, document=document, **setup)
    with transaction.atomic():
        game = tables.start_table(head, length, at=played_at)
        parsed = map(parse_entry, data["entries"])
        playing.record_entries(game.pk, parsed, WriteContext("of-record", 0, at))
        game.refresh_from_db()
    return game


def next_game_of(game: Game, data: Mapping[str, Any], visitor: Visitor) -> tables.NextGame:
    """Return the game after another one, as it was sent.

    Raises: InvalidEntry: unknown rules, or somebody would sit out and play, or sit out twice.
    """
    name, document, options, rules = game.ruleset, game.document, game.options, rules_of(game)
    terms = (game.match.length, game.match.number) if game.match else None
    if "ruleset" in data:
        rules, document = ruleset_of(data["ruleset"], visitor)
        if rules.id != name:
            name, options, terms = rules.id, {}, None
    options = data.get("options", options)
    if "match" in data:
        match = data["match"]
        terms = match and (match["length"], match["number"])
    seats = rules.with_options(options).seats
    resting = data.get("resting")
    if "players" in data:
        players, resting = data["players"], resting or []
    else:
        people = [*game.players, *game.resting]
        if resting is None:
            resting = who_rests(games_until(game), people, seats)
        players = seated(people, [name for name in people if name not in resting], seats)
    refuse(check_repeated("resting", [*dict.fromkeys(players), *resting]))
    setup = playing.GameSetup(
        name, players, data["first_declarer"], options, game.title, game.place, document, game.stake
    )
    return tables.NextGame(setup, terms, list(resting))


def gives_keys(request: Request, game: Game) -> bool:
    """Return whether a reader of a game also gets the keys of its match.

    Whoever only sees the game, as that of a published evening, gets none that lasts longer.
    """
    if access.game_of_key(request).filter(match=game.match_id).exists():
        return True
    directed = Game.objects.directed_by(request.user).filter(pk=game.pk)
    return access.has_scope(request, Scope.SCORE) and directed.exists()


class LogViewSet(entries.GameMixin, ListMixin, APIViewSet):
    read_permission = staticmethod(entries.game_to_write)
    descriptions = {
        "list": "List every revision of a sheet that you may write, withdrawn entries included."
    }
    refusals = ()
    queryset = Revision.objects.none()
    filterset_fields = ["kind", "position"]
    ordering_fields = ["revision"]
    ordering = ["revision"]
    serializer_class = serializers.GameRevisionSerializer

    def get_queryset(self) -> QuerySet[Revision]:
        return self.game.revisions.all()
