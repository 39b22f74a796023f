"""Addresses of games: start one, read it, and write its sheet."""

from secrets import token_urlsafe

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.http import parse_etags
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import readable_game, writable_game
from tournaments.api.games.serializers import (
    CorrectionSerializer,
    GameSerializer,
    NewEntrySerializer,
    NewGameSerializer,
    StartedGameSerializer,
)
from tournaments.api.idempotency import HEADER, idempotent
from tournaments.api.problems import REFUSALS, Answer, Refused, placed, refuses
from tournaments.api.views import Resource
from tournaments.models import Game, Scope
from tournaments.queries import Sheet, find_ruleset, house_document, load_sheet
from tournaments.services.play.playing import (
    Head,
    KeyReused,
    NoSuchEntry,
    Pen,
    RoundClosed,
    StaleRevision,
    correct_entry,
    record_entry,
    start_game,
    withdraw_entry,
)
from tournaments.visitors import actor_of

refuses(KeyReused, "key-reused", _("This key was used for another request."), as_status=422)
refuses(NoSuchEntry, "no-such-entry", _("There is no entry at this position."), as_status=404)
refuses(RoundClosed, "round-closed", _("The round is closed: only a director writes here."))


def _stale(error: StaleRevision) -> Answer:
    row = error.sheet.row
    title = _("The sheet has moved on since you read it.")
    more = {"revision": row.revision}
    return Answer(412, "changed-meanwhile", title, more=more, headers={"ETag": tag_of(row)})


REFUSALS[StaleRevision] = _stale


def tag_of(row: Game) -> str:
    """The entity tag of a sheet: its revision."""
    return f'"{row.revision}"'


class Games(Resource):
    """`/games/`."""

    scope = None

    @extend_schema(request=NewGameSerializer, responses={201: StartedGameSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Start a game at an open table; whoever has its keys writes and follows it."""
        said = self.said(NewGameSerializer)
        document = house_document(find_ruleset(said["ruleset"], request.user))
        row = start_game(Head(**said, document=document), at=timezone.now())
        place = f"{request.path}{row.public_id}/"
        tag = tag_of(row)
        return self.shown(StartedGameSerializer, load_sheet(row), 201, Location=place, ETag=tag)


class OneGame(Resource):
    """`/games/{id}/`."""

    scope = Scope.SCORE

    @extend_schema(responses=GameSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """The game as it stands; its tag is its revision."""
        row = get_object_or_404(readable_game(request, public_id))
        unchanged = get_conditional_response(self.visitor, etag=tag_of(row))
        if unchanged is not None:
            return unchanged  # type: ignore[return-value]
        return self.shown(GameSerializer, load_sheet(row), ETag=tag_of(row))


class Entries(Resource):
    """`/games/{id}/entries/`."""

    scope = Scope.SCORE

    @extend_schema(request=NewEntrySerializer, responses={201: GameSerializer})
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Write an entry at the end of the sheet.

        With `If-Match` only if nothing was written since that revision.
        """
        row = get_object_or_404(writable_game(request, public_id))
        said = self.said(NewEntrySerializer)
        pen = pen_of(self, row, said["author"])
        with placed("entry"):
            sheet = record_entry(row.pk, said["entry"], pen)
        return written(self, sheet, 201)


class OneEntry(Resource):
    """`/games/{id}/entries/{position}/`."""

    scope = Scope.SCORE

    @extend_schema(request=CorrectionSerializer, responses=GameSerializer)
    def put(self, request: Request, public_id: str, position: int) -> Response:
        """Put a new version of an entry above the old one, which stays in the log."""
        row = get_object_or_404(writable_game(request, public_id))
        said = self.said(CorrectionSerializer)
        pen = pen_of(self, row, said["author"], must_match=True)
        return written(self, correct_entry(row.pk, position, said["entry"], said["reason"], pen))

    @extend_schema(request=None, responses=GameSerializer)
    def delete(self, request: Request, public_id: str, position: int) -> Response:
        """Take an entry off the sheet; it stays in the log."""
        row = get_object_or_404(writable_game(request, public_id))
        pen = pen_of(self, row, "", must_match=True)
        return written(self, withdraw_entry(row.pk, position, "", pen))


def pen_of(view: Resource, row: Game, author: str, *, must_match: bool = False) -> Pen:
    """Whose write it is, of which revision: that of `If-Match`, else the sheet as it stands.

    Raises:
        Refused: 428 where a revision must be said, and is not.
    """
    said = view.request.headers.get("If-Match")
    if said is None and must_match:
        raise Refused(Answer(428, "if-match-needed", _("Say by If-Match which revision you mean.")))
    revision = row.revision if said in {None, "*"} else _revision(str(said))
    key = view.request.headers.get(HEADER) or token_urlsafe(24)
    return Pen(key, revision, timezone.now(), author, actor_of(view.visitor, _table_of(row)))


def written(view: Resource, sheet: Sheet, status: int = 200) -> Response:
    """The sheet after a write."""
    return view.shown(GameSerializer, sheet, status, ETag=tag_of(sheet.row))


def _revision(said: str) -> int:
    """The revision of a tag; one that no sheet has where it is none."""
    tags = [tag.removeprefix("W/").strip('"') for tag in parse_etags(said)]
    return int(tags[0]) if len(tags) == 1 and tags[0].isdecimal() and len(tags[0]) < 10 else -1


def _table_of(row: Game) -> str:
    """The public id of the table at whose phone one writes."""
    return row.table.public_id if row.table else ""
