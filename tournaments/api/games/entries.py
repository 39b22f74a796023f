"""Addresses of the entries of a game: add, correct, void, seal and reveal."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.games.serializers import (
    CorrectionSerializer,
    EntryVersionsSerializer,
    GameSerializer,
    NewEntriesSerializer,
    NewEntrySerializer,
    SealSerializer,
    TotalsSerializer,
    WithdrawalSerializer,
)
from tournaments.api.games.writing import (
    GONE,
    game_to_write,
    key_of,
    told_of,
    write_context,
    written,
)
from tournaments.api.idempotency import idempotent
from tournaments.api.views import Resource
from tournaments.engine.documents.entries import parse_entry, read_entry
from tournaments.engine.documents.games import play_entry
from tournaments.engine.rules.entries import Entry
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Game, Scope
from tournaments.queries.games.sheets import load_sheet
from tournaments.services.games.playing import (
    KeyedEntry,
    correct_entry,
    record_entry,
    record_keyed,
    record_totals,
    reveal_contract,
    seal_contract,
    totals_on,
    withdraw_entry,
)
from tournaments.services.games.writing import NoSuchEntry

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
