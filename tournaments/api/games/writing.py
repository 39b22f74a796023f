"""The needs of every write of a sheet: game, author and revision."""

from secrets import token_urlsafe

from django.http import Http404
from django.utils import timezone
from django.utils.http import parse_etags
from django.utils.translation import gettext_lazy as _
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import round_closed_since, scoring_taken_since, writable_game
from tournaments.api.games.serializers import GameSerializer
from tournaments.api.idempotency import HEADER
from tournaments.api.views import Resource
from tournaments.models import Game
from tournaments.permissions import actor_of
from tournaments.queries.games.sheets import Sheet
from tournaments.services.audit import Actor
from tournaments.services.base.refusals import Refused
from tournaments.services.games.playing import ScoringTaken
from tournaments.services.games.writing import RoundClosed, WriteContext

GONE = ("410",)
"""Answered where another phone has taken over the scoring."""


class ScoringGone(ScoringTaken, status=410):
    sentence = _("The scoring has been handed over: another phone writes now.")


class IfMatchNeeded(Refused, code="if-match-needed", status=428):
    sentence = _("If-Match with a revision is required.")


def game_to_write(request: Request, public_id: str) -> Game:
    """The game whose sheet this visitor may write.

    Raises:
        Refused: their key wrote it until the round was closed (409) or handed over (410).
        Http404: they never could, or only look.
    """
    row = writable_game(request, public_id).select_related("table").first()
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
    return row.revision if said is None or said.strip() == "*" else _revision(said)


def key_of(request: Request) -> str:
    """The key of a write: that of the request, else one that nobody has."""
    return request.headers.get(HEADER) or token_urlsafe(24)


def writer(view: Resource, row: Game) -> Actor:
    """The author: an account, or the table of the phone."""
    return actor_of(view.visitor, row.table.public_id if row.table else "")


def written(view: Resource, sheet: Sheet, status: int = 200, **headers: str) -> Response:
    return view.shown(GameSerializer, sheet, status, ETag=tag_of(sheet.row), **headers)


def _revision(said: str) -> int:
    """The revision of a tag; one that no sheet has where it is none."""
    tags = [tag.removeprefix("W/").strip('"') for tag in parse_etags(said)]
    is_one = len(tags) == 1 and tags[0].isascii() and tags[0].isdecimal() and len(tags[0]) < 10
    return int(tags[0]) if is_one else -1


def tag_of(row: Game) -> str:
    """The entity tag of a sheet: its revision."""
    return f'"{row.revision}"'
