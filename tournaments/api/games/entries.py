"""The sheet of a game in the API: its entries, totals, confirmations and reviews.

Begin at `EntryViewSet`. `GameMixin` finds the game and who may write it, also for `views.py`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from secrets import token_urlsafe
from typing import Any

from django.http import Http404
from django.utils import timezone
from django.utils.http import parse_etags
from django.utils.translation import gettext_lazy as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api import access
from tournaments.api.games import serializers
from tournaments.api.idempotency import HEADER
from tournaments.api.problems import LaterInvalid, engine_faults
from tournaments.api.views import APIViewSet, BaseAPIView
from tournaments.engine.documents.entries import parse_entry, read_entry
from tournaments.engine.documents.games import play_entry
from tournaments.engine.rules.entries import Entry
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Event, Game, Revision, Scope
from tournaments.permissions import actor_of
from tournaments.queries import sheets
from tournaments.services.audit import Actor
from tournaments.services.base.writes import Invalid, Refused
from tournaments.services.games import playing
from tournaments.services.games.writing import NoSuchEntry, RoundClosed, WriteContext
from tournaments.services.rounds.rulings import SeenDeal, confirm_deal, dispute_deal

GONE = ("410",)
"""Answered where another phone has taken over the scoring."""


class ScoringGone(playing.ScoringTaken, status=410):
    sentence = _("The scoring has been handed over: another phone writes now.")


class IfMatchNeeded(Refused, code="if-match-needed", status=428):
    sentence = _("If-Match with a revision is required.")


@contextmanager
def named_players(
    players: Sequence[str], at: str = "", position: int | None = None
) -> Iterator[None]:
    """Name players in the engine's problems, at the path `at` of the entry in the request.

    Problems of the entry at `position` are those of the request, too.
    """
    try:
        yield
    except InvalidEntry as error:
        raise Invalid(faults=engine_faults(error.problems, at, players)) from error
    except sheets.LaterEntryInvalid as error:
        if error.position == position:
            raise Invalid(faults=engine_faults(error.problems, at, players)) from error
        faults = engine_faults(error.problems, "", players)
        raise LaterInvalid(data={"position": error.position}, faults=faults) from error


def game_to_write(request: Request, public_id: str) -> Game:
    """Return the game if the visitor may write its sheet, else 404.

    Refused: its key wrote until the round was closed (409) or the scoring handed over (410).
    """
    row = access.writable_row(request, public_id)
    if row is not None:
        return row
    if request.method in SAFE_METHODS:
        raise Http404
    if access.round_closed_since(request, public_id).exists():
        raise RoundClosed
    if access.scoring_taken_since(request, public_id).exists():
        raise ScoringGone
    raise Http404


class GameMixin:
    """The game in the address."""

    scope: Scope | None = Scope.SCORE
    permission: Any = staticmethod(game_to_write)
    read_permission: Any = staticmethod(access.game_to_read)
    refusals: tuple[str, ...] = GONE
    game: Game

    def resolve_parents(self: Any) -> None:
        self.game = self.get_permission()(self.request, self.kwargs.get("public_id", ""))

    def get_writer(self: Any) -> Actor:
        """The author: an account, or the table of the phone."""
        table = self.game.table
        return actor_of(self.http_request, table.public_id if table else "")

    def write_context(self: Any, author: str = "", *, must_match: bool = False) -> WriteContext:
        """Return the WriteContext, with the revision of `If-Match`, or else the current one."""
        revision = revision_of(self.request, self.game, must_match=must_match)
        key, by = key_of(self.request), self.get_writer()
        return WriteContext(key, revision, timezone.now(), author, by)

    def respond_sheet(self: Any, sheet: sheets.Sheet, **more: Any) -> Response:
        return self.respond(sheet, ETag=tag_of(sheet.row), **more)  # type: ignore[no-any-return]


def revision_of(request: Request, row: Game, *, must_match: bool = False) -> int:
    """Return the revision of `If-Match`, or else the current one; 428 if it must be sent."""
    header = request.headers.get("If-Match")
    if header is None and must_match:
        raise IfMatchNeeded
    if header is None or header.strip() == "*":
        return row.revision
    tags = [tag.removeprefix("W/").strip('"') for tag in parse_etags(header)]
    found = [int(tag) for tag in tags if tag.isascii() and tag.isdecimal() and len(tag) < 10]
    # The newest that is named; -1 is no revision.
    return row.revision if row.revision in found else max(found, default=-1)


def key_of(request: Request) -> str:
    """The key of a write: that of the request, else one that nobody has."""
    return request.headers.get(HEADER) or token_urlsafe(24)


def tag_of(row: Game) -> str:
    """The entity tag of a sheet: its revision."""
    return f'"{row.revision}"'


Json = Mapping[str, Any]


class EntryViewSet(GameMixin, APIViewSet):
    deprecated = {"retrieve": "Use `games/{id}/log/`."}
    read_permission = staticmethod(game_to_write)
    queryset = Revision.objects.none()
    lookup_field = "position"
    lookup_value_converter = "int"
    if_match = {"POST": False, "PUT": True, "DELETE": True}
    serializer_class = serializers.GameSerializer
    serializer_classes = {
        "retrieve": serializers.EntryVersionsSerializer,
        "confirm": serializers.ReviewsSerializer,
        "dispute": serializers.ReviewsSerializer,
    }
    request_serializer_classes = {
        "create": serializers.NewEntrySerializer,
        "batch": serializers.NewEntriesSerializer,
        "update": serializers.CorrectionSerializer,
        "confirm": serializers.NewReviewSerializer,
        "dispute": serializers.NewDisputeSerializer,
    }

    def create(self, request: Request, public_id: str) -> Response:
        """Write an entry at the end of the sheet.

        With `If-Match`, only if nothing was written since that revision. Without it the entry is
        refused, too, if somebody else writes at the same moment.
        """
        game = self.game

        def play(entry: Any) -> None:
            play_entry(sheets.load_sheet(game).game, entry)

        with named_players(game.players, "entry"):
            data = self.get_validated(also=partial(_check_entry, game, play))
            context = self.write_context(data["author"])
            sheet = playing.record_entry(game.pk, _entry_of(game, data["entry"]), context)
        # An entry that was sent again may have been withdrawn meanwhile.
        position = next(w.position for w in sheet.revisions if w.key == context.key)
        return self.respond_sheet(sheet, Location=f"{request.path}{position}/")

    @action(methods=["post"], detail=False, success_status=201)
    def batch(self, request: Request, public_id: str) -> Response:
        """Write several entries at the end of the sheet, in order: all or none.

        An entry whose `key` was written before is skipped, also if `If-Match` has the revision
        before it. So a phone can send every entry of which it is not sure.
        """
        game, data = self.game, self.get_validated()
        context = self.write_context(data["author"])
        with named_players(game.players, "entries"):
            sheet = playing.record_keyed(game.pk, _keyed(data["entries"], context.key), context)
        return self.respond_sheet(sheet)

    def retrieve(self, request: Request, public_id: str, position: int) -> Response:
        """Read an entry with all its versions."""
        sheet = sheets.load_sheet(self.game)
        versions = sheet.versions(position)
        if not versions:
            raise NoSuchEntry
        entry = sheet.body(position)
        return self.respond({"position": position, "entry": entry, "versions": versions})

    def update(self, request: Request, public_id: str, position: int) -> Response:
        """Correct an entry. The old version stays in the log."""
        game = self.game
        with named_players(game.players, "entry", position):
            data = self.get_validated(also=partial(_check_entry, game, parse_entry))
            context = self.write_context(data["author"], must_match=True)
            entry = parse_entry(data["entry"])
            sheet = playing.correct_entry(game.pk, position, entry, data["reason"], context)
        return self.respond_sheet(sheet)

    @extend_schema(
        responses={200: serializers.GameSerializer},
        parameters=[
            OpenApiParameter("reason", OpenApiTypes.STR, description="The reason, for the log."),
            OpenApiParameter(
                "author", OpenApiTypes.STR, description="The player at whose seat it is."
            ),
        ],
    )
    def destroy(self, request: Request, public_id: str, position: int) -> Response:
        """Withdraw an entry. It stays in the log."""
        game = self.game
        data = self.get_query(serializers.WithdrawalSerializer)
        context = self.write_context(data["author"], must_match=True)
        with named_players(game.players):
            sheet = playing.withdraw_entry(game.pk, position, data["reason"], context)
        return self.respond_sheet(sheet)

    @action(methods=["post"], detail=True)
    def reveal(self, request: Request, public_id: str, position: int) -> Response:
        """Reveal the sealed contract with its proof. If it is over its quota, the deal is void."""
        game = self.game
        with named_players(game.players):
            sheet = playing.reveal_contract(game.pk, position, self.write_context())
        return self.respond_sheet(sheet)

    @action(methods=["post"], detail=True, if_match={}, success_status=201)
    def confirm(self, request: Request, public_id: str, position: int) -> Response:
        """Confirm a deal for an opponent of its declarer. One opponent is enough."""
        game, data = self.game, self.get_validated()
        confirm_deal(game.pk, self.get_seen(data), data["seat"])
        return self.respond(reviews_of(game))

    @action(methods=["post"], detail=True, if_match={}, success_status=201)
    def dispute(self, request: Request, public_id: str, position: int) -> Response:
        """Dispute a deal: store another version beside it, and call a director."""
        game, data = self.game, self.get_validated()
        with named_players(game.players, "entry"):
            entry = parse_entry(data["entry"])
            dispute_deal(game.pk, self.get_seen(data), data["seat"], entry)
        return self.respond(reviews_of(game))

    def get_seen(self, data: Json) -> SeenDeal:
        position, by = self.kwargs["position"], self.get_writer()
        return SeenDeal(position, data["revision"], by, timezone.now())


class ReviewsView(GameMixin, BaseAPIView):
    serializer_class = serializers.ReviewsSerializer

    def get(self, request: Request, public_id: str) -> Response:
        """List the deals of a game that players confirm, each with its last review."""
        return self.respond(reviews_of(self.game))


def reviews_of(game: Game) -> dict[str, Any]:
    """Return the deals that players confirm, as `ReviewsSerializer` writes them."""
    game.refresh_from_db()
    reviews = sheets.load_reviews(sheets.load_sheet(game))
    deals = list(reviews.deals.values()) if reviews else []
    return {"minutes": reviews and reviews.minutes, "results": deals}


def _keyed(entries: Sequence[Json], key: str) -> list[tuple[str, Entry]]:
    """Parse entries, each with its key, or else that of the request with its number.

    Raises: InvalidEntry: with every problem of form, of all of them.
    """
    read = [read_entry(each["entry"]) for each in entries]
    problems = [
        replace(problem, where=".".join(filter(None, (str(number), "entry", problem.where))))
        for number, (_entry, faults) in enumerate(read)
        for problem in faults
    ]
    if problems:
        raise InvalidEntry(problems)
    return [
        (each.get("key") or f"{key[:60]}-{number:03}", parse_entry(each["entry"]))
        for number, each in enumerate(entries)
    ]


def _entry_of(row: Game, raw: Any) -> Entry:
    """Parse an entry at the end of a sheet.

    Raises: InvalidEntry: with every problem of its form, and of its content as far as it is read.
    """
    entry, faults = read_entry(raw)
    if faults:
        play_entry(sheets.load_sheet(row).game, raw)
    return entry or parse_entry(raw)


def _check_entry(row: Game, read: Callable[[Any], object], data: Json) -> None:
    """Check the entry of a request that is refused for other reasons already."""
    if isinstance(data.get("entry"), dict):
        with named_players(row.players, "entry"):
            read(data["entry"])


class TotalsView(GameMixin, BaseAPIView):
    if_match = {"POST": False}
    serializer_class = serializers.GameSerializer
    request_serializer_class = serializers.TotalsSerializer
    also_success_status = 201

    def post(self, request: Request, public_id: str) -> Response:
        """End a game with the final totals from a sheet of paper. It is rated by them.

        Totals that are on the sheet already are replaced, which needs `If-Match`.
        """
        game, data = self.game, self.get_validated()
        before = sheets.load_sheet(game)
        is_repeated = any(each.key == key_of(request) for each in before.revisions)
        stands = None if is_repeated else playing.totals_on(before)
        context = self.write_context(data["author"], must_match=stands is not None)
        totals, more = tuple(data["totals"]), {name: data[name] for name in ("early", "reason")}
        with named_players(game.players, position=None if stands is None else stands[0]):
            sheet = playing.record_totals(game.pk, totals, context, **more)
        return self.respond_sheet(sheet, status=201 if stands is None else 200)


class SealView(GameMixin, BaseAPIView):
    # A repeat that is refused for its contract would tell which one was sealed.
    secret_fields = ("contract",)
    if_match = {"POST": False}
    serializer_class = serializers.GameSerializer
    request_serializer_class = serializers.SealSerializer
    success_status = 201

    def post(self, request: Request, public_id: str) -> Response:
        """Begin a deal with a contract that only the declarer knows. The sheet stores its hash.

        A repeat with the same `Idempotency-Key` gets the same answer, even with another contract:
        the first one stays.
        """
        game, data = self.game, self.get_validated()
        context = self.write_context(data["author"])
        with named_players(game.players):
            sheet = playing.seal_contract(game.pk, data["contract"], context)
        return self.respond_sheet(sheet)


def game_to_confirm(_request: Request, public_id: str) -> Game | None:
    """A club's game, if there is one; who may confirm it depends on the seat in the body."""
    return Game.objects.named(public_id).filter(table__isnull=False).first()


class ConfirmationsView(GameMixin, BaseAPIView):
    permission = staticmethod(game_to_confirm)
    game: Any
    if_match = {"POST": True}
    serializer_class = serializers.ConfirmationsSerializer
    request_serializer_class = serializers.ConfirmationSerializer

    def get(self, request: Request, public_id: str) -> Response:
        """Read the confirmations of the current result of a club's game."""
        if self.game.table_id is None:
            raise Http404
        return self.respond_agreement(self.game)

    @extend_schema(responses={201: serializers.ConfirmationsSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Confirm the result: for a seat with the key of the table, or as one of the players.

        `If-Match` has the revision that was confirmed.
        """
        seat, now = self.get_validated().get("seat"), timezone.now()
        if seat is None:
            # Players of the game, whether or not they may look at its evening.
            if self.game is None or playing.own_seat(self.game, self.actor) is None:
                raise playing.NotSeated
            revision = revision_of(request, self.game, must_match=True)
            sheet = playing.confirm_own_result(self.game.pk, revision, self.actor, at=now)
        else:
            self.game = game_to_write(request, public_id)
            revision, by = revision_of(request, self.game, must_match=True), self.get_writer()
            sheet = playing.confirm_result(self.game.pk, seat, revision, by, at=now)
        return self.respond_agreement(sheet.row, status=201)

    def respond_agreement(self, game: Game, **more: Any) -> Response:
        event = Event.objects.get(rounds__tables=game.table_id)
        agreement = sheets.agreement_of(game, event.confirmations, game.confirmations.all())
        return self.respond({"revision": game.revision, "agreement": agreement}, **more)
