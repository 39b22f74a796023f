"""Addresses of the entries of a game, its confirmations, reviews and keeper."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from secrets import token_urlsafe
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.http import parse_etags
from django.utils.translation import gettext_lazy as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import (
    readable_game,
    round_closed_since,
    scoring_taken_since,
    takeable_game,
    writable_row,
)
from tournaments.api.fields import Moment, Strict
from tournaments.api.filtering import PAGES, PartSerializer
from tournaments.api.games.serializers import (
    CorrectionSerializer,
    EntryField,
    EntryVersionsSerializer,
    GameKeysSerializer,
    GameSerializer,
    NewEntriesSerializer,
    NewEntrySerializer,
    SealSerializer,
    TotalsSerializer,
    WithdrawalSerializer,
)
from tournaments.api.idempotency import HEADER
from tournaments.api.problems import LaterInvalid, engine_faults
from tournaments.api.schema import component
from tournaments.api.views import Resource, idempotent
from tournaments.engine.documents.entries import parse_entry, read_entry
from tournaments.engine.documents.games import play_entry
from tournaments.engine.rules.entries import Entry
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import DealReview, Event, Game, Scope
from tournaments.permissions import actor_of
from tournaments.queries.sheets import (
    Agreement,
    LaterEntryInvalid,
    ReviewedDeal,
    Sheet,
    agreement_of,
    load_reviews,
    load_sheet,
)
from tournaments.services.audit import Actor
from tournaments.services.base.writes import Invalid, Refused
from tournaments.services.games.playing import (
    KeyedEntry,
    NotSeated,
    ScoringTaken,
    confirm_own_result,
    confirm_result,
    correct_entry,
    hand_over,
    own_seat,
    record_entry,
    record_keyed,
    record_totals,
    reveal_contract,
    seal_contract,
    totals_on,
    withdraw_entry,
)
from tournaments.services.games.writing import NoSuchEntry, RoundClosed, WriteContext
from tournaments.services.rounds.rulings import SeenDeal, confirm_deal, dispute_deal

GONE = ("410",)
"""Answered where another phone has taken over the scoring."""


class ScoringGone(ScoringTaken, status=410):
    sentence = _("The scoring has been handed over: another phone writes now.")


class IfMatchNeeded(Refused, code="if-match-needed", status=428):
    sentence = _("If-Match with a revision is required.")


@contextmanager
def told_of(players: Sequence[str], at: str = "", position: int | None = None) -> Iterator[None]:
    """Name players in the engine's problems, at the path `at` of the entry in the request.

    Problems of the entry at `position` are those of the request, too.
    """
    try:
        yield
    except InvalidEntry as error:
        raise Invalid(faults=engine_faults(error.problems, at, players)) from error
    except LaterEntryInvalid as error:
        if error.position == position:
            raise Invalid(faults=engine_faults(error.problems, at, players)) from error
        faults = engine_faults(error.problems, "", players)
        raise LaterInvalid(data={"position": error.position}, faults=faults) from error


def game_to_write(request: Request, public_id: str) -> Game:
    """The game whose sheet this visitor may write.

    Raises:
        Refused: their key wrote it until the round was closed (409) or handed over (410).
        Http404: they never could, or only look.
    """
    row = writable_row(request, public_id)
    if row is not None:
        return row
    if request.method in SAFE_METHODS:
        raise Http404
    if round_closed_since(request, public_id).exists():
        raise RoundClosed
    if scoring_taken_since(request, public_id).exists():
        raise ScoringGone
    raise Http404


def write_context(
    view: Resource, row: Game, author: str, *, must_match: bool = False
) -> WriteContext:
    """Return the WriteContext, with the revision of `If-Match`, or else the current one.

    Raises:
        Refused: 428 if a revision is required but missing.
    """
    revision = revision_of(view.request, row, must_match=must_match)
    return WriteContext(key_of(view.request), revision, timezone.now(), author, writer(view, row))


def revision_of(request: Request, row: Game, *, must_match: bool = False) -> int:
    """Return the revision of `If-Match`, or else the current one.

    Raises:
        Refused: 428 where it must be said, and is not.
    """
    said = request.headers.get("If-Match")
    if said is None and must_match:
        raise IfMatchNeeded
    return row.revision if said is None or said.strip() == "*" else _revision(said, row.revision)


def key_of(request: Request) -> str:
    """The key of a write: that of the request, else one that nobody has."""
    return request.headers.get(HEADER) or token_urlsafe(24)


def writer(view: Resource, row: Game) -> Actor:
    """The author: an account, or the table of the phone."""
    return actor_of(view.visitor, row.table.public_id if row.table else "")


def written(view: Resource, sheet: Sheet, status: int = 200, **headers: str) -> Response:
    return view.shown(GameSerializer, sheet, status, ETag=tag_of(sheet.row), **headers)


def _revision(said: str, current: int) -> int:
    """The current revision if a tag names it, else the newest named; -1 if none is a revision."""
    tags = [tag.removeprefix("W/").strip('"') for tag in parse_etags(said)]
    found = [int(tag) for tag in tags if tag.isascii() and tag.isdecimal() and len(tag) < 10]
    return current if current in found else max(found, default=-1)


def tag_of(row: Game) -> str:
    """The entity tag of a sheet: its revision."""
    return f'"{row.revision}"'


Json = Mapping[str, Any]


class Entries(Resource):
    scope = Scope.SCORE
    refusals = GONE
    if_match = {"POST": False}

    @extend_schema(request=NewEntrySerializer, responses={201: GameSerializer})
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Write an entry at the end of the sheet.

        With `If-Match` only if nothing was written since that revision; without it another
        one's write at the same moment is refused, too.
        """
        row = game_to_write(request, public_id)
        with told_of(row.players, "entry"):
            said = self.said(NewEntrySerializer, also=partial(_check_new, row))
            context = write_context(self, row, said["author"])
            sheet = record_entry(row.pk, _entry_of(row, said["entry"]), context)
        # An entry that was sent again may have been withdrawn meanwhile.
        position = next(w.position for w in sheet.revisions if w.key == context.key)
        return written(self, sheet, 201, Location=f"{request.path}{position}/")


class SeveralEntries(Resource):
    scope = Scope.SCORE
    refusals = GONE
    if_match = {"POST": False}

    @extend_schema(request=NewEntriesSerializer, responses={201: GameSerializer})
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Write several entries at the end of the sheet, in order: all or none.

        Those whose `key` was written before are left out, also where `If-Match` has the revision
        before them; so a phone sends all that it is not sure of.
        """
        row = game_to_write(request, public_id)
        said = self.said(NewEntriesSerializer)
        context = write_context(self, row, said["author"])
        with told_of(row.players, "entries"):
            sheet = record_keyed(row.pk, _keyed(said["entries"], context.key), context)
        return written(self, sheet, 201)


def _keyed(said: Sequence[Json], key: str) -> list[KeyedEntry]:
    """Parse entries, each with its key, or else that of the request with its number.

    Raises:
        InvalidEntry: with every problem of form, of all of them.
    """
    read = [read_entry(each["entry"]) for each in said]
    problems = [
        replace(problem, where=".".join(filter(None, (str(number), "entry", problem.where))))
        for number, (_entry, faults) in enumerate(read)
        for problem in faults
    ]
    if problems:
        raise InvalidEntry(problems)
    return [
        KeyedEntry(each.get("key") or f"{key[:60]}-{number:03}", parse_entry(each["entry"]))
        for number, each in enumerate(said)
    ]


def _entry_of(row: Game, raw: Any) -> Entry:
    """Parse an entry at the end of a sheet.

    Raises:
        InvalidEntry: with every problem of its form, and of its content as far as it can be read.
    """
    entry, faults = read_entry(raw)
    if faults:
        play_entry(load_sheet(row).game, raw)
    return entry or parse_entry(raw)


def _check_new(row: Game, said: Json) -> None:
    """Check the entry of a request that is refused for other reasons already."""
    if isinstance(said.get("entry"), dict):
        with told_of(row.players, "entry"):
            play_entry(load_sheet(row).game, said["entry"])


def _check_corrected(row: Game, said: Json) -> None:
    if isinstance(said.get("entry"), dict):
        with told_of(row.players, "entry"):
            parse_entry(said["entry"])


class Totals(Resource):
    scope = Scope.SCORE
    refusals = GONE
    if_match = {"POST": False}

    @extend_schema(request=TotalsSerializer, responses={200: GameSerializer, 201: GameSerializer})
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """End a game with the final totals from a sheet of paper; it is rated by them.

        Totals that are on the sheet are corrected as a whole, which needs `If-Match`.
        """
        row = game_to_write(request, public_id)
        said = self.said(TotalsSerializer)
        before = load_sheet(row)
        is_repeated = any(each.key == key_of(request) for each in before.revisions)
        stands = None if is_repeated else totals_on(before)
        context = write_context(self, row, said["author"], must_match=stands is not None)
        totals, more = tuple(said["totals"]), {name: said[name] for name in ("early", "reason")}
        with told_of(row.players, position=None if stands is None else stands[0]):
            sheet = record_totals(row.pk, totals, context, **more)
        return written(self, sheet, 201 if stands is None else 200)


class OneEntry(Resource):
    scope = Scope.SCORE
    refusals = GONE
    if_match = {"PUT": True, "DELETE": True}

    @extend_schema(responses=EntryVersionsSerializer)
    def get(self, request: Request, public_id: str, position: int) -> Response:
        """An entry with all its versions, for whoever may write it."""
        row = game_to_write(request, public_id)
        sheet = load_sheet(row)
        versions = sheet.versions(position)
        if not versions:
            raise NoSuchEntry
        said = {"position": position, "entry": sheet.body(position), "versions": versions}
        return self.shown(EntryVersionsSerializer, said)

    @extend_schema(request=CorrectionSerializer, responses=GameSerializer)
    def put(self, request: Request, public_id: str, position: int) -> Response:
        """Put a new version of an entry above the old one, which stays in the log."""
        row = game_to_write(request, public_id)
        with told_of(row.players, "entry", position):
            said = self.said(CorrectionSerializer, also=partial(_check_corrected, row))
            context = write_context(self, row, said["author"], must_match=True)
            entry = parse_entry(said["entry"])
            sheet = correct_entry(row.pk, position, entry, said["reason"], context)
        return written(self, sheet)

    @extend_schema(
        request=None,
        responses={200: GameSerializer},
        parameters=[
            OpenApiParameter("reason", OpenApiTypes.STR, description="Why, for the log."),
            OpenApiParameter("author", OpenApiTypes.STR, description="Whose seat the phone is at."),
        ],
    )
    def delete(self, request: Request, public_id: str, position: int) -> Response:
        """Take an entry off the sheet; it stays in the log."""
        row = game_to_write(request, public_id)
        asked = WithdrawalSerializer(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        said = asked.validated_data
        context = write_context(self, row, said["author"], must_match=True)
        with told_of(row.players):
            sheet = withdraw_entry(row.pk, position, said["reason"], context)
        return written(self, sheet)


class Seal(Resource):
    scope = Scope.SCORE
    # A repeat that is refused for its contract would tell which one was sealed.
    secret_fields = ("contract",)
    refusals = GONE
    if_match = {"POST": False}

    @extend_schema(request=SealSerializer, responses={201: GameSerializer})
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Begin a deal with a contract that only the declarer knows; the sheet gets its hash.

        A repeat with the same `Idempotency-Key` gets the same answer whatever its contract; the one
        that was sent first stays.
        """
        row = game_to_write(request, public_id)
        said = self.said(SealSerializer)
        context = write_context(self, row, said["author"])
        with told_of(row.players):
            sheet = seal_contract(row.pk, said["contract"], context)
        return written(self, sheet, 201)


class Reveal(Resource):
    scope = Scope.SCORE
    refusals = GONE
    if_match = {"POST": False}

    @extend_schema(request=None, responses=GameSerializer)
    @idempotent
    def post(self, request: Request, public_id: str, position: int) -> Response:
        """Show the contract that was sealed, with its proof; over quota the deal is void."""
        row = game_to_write(request, public_id)
        with told_of(row.players):
            sheet = reveal_contract(row.pk, position, write_context(self, row, ""))
        return written(self, sheet)


class ConfirmationSerializer(Strict):
    """The seat, from 0, for which the phone of the table confirms; left out: one's own."""

    seat = serializers.IntegerField(required=False, min_value=0, max_value=3)


class ConfirmationsSerializer(serializers.Serializer[Agreement]):
    """The seats that have confirmed the current result, and how many must."""

    revision = serializers.SerializerMethodField()
    confirmed = serializers.ListField(child=serializers.IntegerField())
    missing = serializers.ListField(child=serializers.IntegerField())
    needed = serializers.IntegerField()
    enough = serializers.BooleanField()

    def get_revision(self, _agreement: Agreement) -> int:
        revision: int = self.context["game"].revision
        return revision


class GameConfirmations(Resource):
    scope = Scope.SCORE
    refusals = GONE
    if_match = {"POST": True}

    @extend_schema(responses=ConfirmationsSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """The confirmations of the current result of a club's game."""
        games = readable_game(request, public_id).filter(table__isnull=False)
        return self._agreement(get_object_or_404(games))

    @extend_schema(request=ConfirmationSerializer, responses={201: ConfirmationsSerializer})
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Confirm the result: for a seat with the key of the table, or as one of its players.

        `If-Match` says which revision was looked at.
        """
        seat = self.said(ConfirmationSerializer).get("seat")
        now = timezone.now()
        if seat is None:
            row = _own_game(self, public_id)
            revision = revision_of(request, row, must_match=True)
            sheet = confirm_own_result(row.pk, revision, self.actor, at=now)
        else:
            row = game_to_write(request, public_id)
            revision = revision_of(request, row, must_match=True)
            sheet = confirm_result(row.pk, seat, revision, writer(self, row), at=now)
        return self._agreement(sheet.row, 201)

    def _agreement(self, row: Game, status: int = 200) -> Response:
        event = Event.objects.get(rounds__tables=row.table_id)
        agreement = agreement_of(row, event.confirmations, row.confirmations.all())
        context = {**self.get_serializer_context(), "game": row}
        data = ConfirmationsSerializer(agreement, context=context).data
        return Response(data, status)


def _own_game(view: Resource, public_id: str) -> Game:
    """The game at which whoever asks has sat, whether or not they may look at its evening."""
    games = Game.objects.named(public_id).filter(table__isnull=False)
    row = games.first()
    if row is None or own_seat(row, view.actor) is None:
        raise NotSeated
    return row


STATES = ("unconfirmed", *DealReview.Kind.values)


class ReviewSerializer(serializers.Serializer[ReviewedDeal]):
    """A deal that players confirm, as it stands since a `revision`.

    `confirmers` are the seats that may confirm it, the next declarer first. `seat` and `at` are
    those of its last review; `other` is the deal as whoever disputes it says.
    """

    position = serializers.IntegerField()
    revision = serializers.IntegerField()
    state = serializers.ChoiceField(STATES)
    confirmers = serializers.ListField(child=serializers.IntegerField())
    seat = serializers.IntegerField(source="last.seat", default=None, allow_null=True)
    at = Moment(source="last.at", default=None, allow_null=True)
    other = serializers.SerializerMethodField()

    @extend_schema_field({"oneOf": [component("Entry"), {"type": "null"}]})
    def get_other(self, deal: ReviewedDeal) -> Any:
        return deal.dispute and deal.dispute.body


class ReviewsSerializer(PartSerializer):
    """The deals of a game that players confirm; none where the tournament does not ask."""

    minutes = serializers.IntegerField(
        allow_null=True,
        help_text="For so long a confirmed deal may be corrected without a director.",
    )
    results = ReviewSerializer(many=True)


class NewReviewSerializer(Strict):
    """The seat, from 0, that speaks of a deal, and the `revision` of the deal that it saw."""

    seat = serializers.IntegerField(min_value=0, max_value=3)
    revision = serializers.IntegerField(min_value=1)


class NewDisputeSerializer(NewReviewSerializer):
    """A dispute, with the deal as it should be."""

    entry = EntryField()


class Reviews(Resource):
    refusals = GONE

    @extend_schema(parameters=PAGES, responses=ReviewsSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """The deals of a game that players confirm, each with what was said of it."""
        return _shown(self, get_object_or_404(readable_game(request, public_id)))


class ConfirmDeal(Resource):
    scope = Scope.SCORE
    refusals = GONE

    @extend_schema(request=NewReviewSerializer, responses={201: ReviewsSerializer})
    @idempotent
    def post(self, request: Request, public_id: str, position: int) -> Response:
        """Confirm a deal for an opponent of its declarer; one of them is enough."""
        row = game_to_write(request, public_id)
        said = self.said(NewReviewSerializer)
        confirm_deal(row.pk, _seen(self, row, position, said), said["seat"])
        return _shown(self, row, 201)


class DisputeDeal(Resource):
    scope = Scope.SCORE
    refusals = GONE

    @extend_schema(request=NewDisputeSerializer, responses={201: ReviewsSerializer})
    @idempotent
    def post(self, request: Request, public_id: str, position: int) -> Response:
        """Keep another version of a deal beside the written one, and call a director."""
        row = game_to_write(request, public_id)
        said = self.said(NewDisputeSerializer)
        with told_of(row.players, "entry"):
            entry = parse_entry(said["entry"])
            dispute_deal(row.pk, _seen(self, row, position, said), said["seat"], entry)
        return _shown(self, row, 201)


def _seen(view: Resource, row: Game, position: int, said: dict[str, Any]) -> SeenDeal:
    return SeenDeal(position, said["revision"], writer(view, row), timezone.now())


def _shown(view: Resource, row: Game, status: int = 200) -> Response:
    row.refresh_from_db()
    reviews = load_reviews(load_sheet(row))
    deals = list(reviews.deals.values()) if reviews else []
    said = {"minutes": reviews and reviews.minutes, "results": deals}
    return view.shown(ReviewsSerializer, said, status)


class Keys(Resource):
    scope = read_scope = Scope.SCORE

    @extend_schema(responses=GameKeysSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """The keys of a game, for whoever may write it; a token needs the scope `score`."""
        return self.shown(GameKeysSerializer, game_to_write(request, public_id))


class TakeScoring(Resource):
    scope = Scope.SCORE

    @extend_schema(request=None, responses=GameKeysSerializer)
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Take over the scoring with its key; earlier writers can then only follow."""
        row = get_object_or_404(takeable_game(request, public_id).select_related("table"))
        now = timezone.now()
        taken = hand_over(row.pk, row.write_generation, key_of(request), writer(self, row), at=now)
        return self.shown(GameKeysSerializer, taken)
