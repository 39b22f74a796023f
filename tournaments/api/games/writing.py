"""What every write of a sheet needs: the game, who writes, and of which revision."""

from secrets import token_urlsafe

from django.http import Http404
from django.utils import timezone
from django.utils.http import parse_etags
from django.utils.translation import gettext_lazy as _
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import pen_taken_since, round_closed_since, writable_game
from tournaments.api.games.refusals import tag_of
from tournaments.api.games.serializers import GameSerializer
from tournaments.api.idempotency import HEADER
from tournaments.api.problems import Answer, Refused
from tournaments.api.views import Resource
from tournaments.models import Game
from tournaments.queries.sheets import Sheet
from tournaments.services.auditing import Actor
from tournaments.services.play.writing import Pen
from tournaments.visitors import actor_of

GONE = ("410",)
"""What else is answered where a sheet is written: another has the pen."""


def game_to_write(request: Request, public_id: str) -> Game:
    """The game whose sheet this visitor may write.

    Raises:
        Refused: their key wrote it until the round was closed (409) or the pen taken (410).
        Http404: they never could, or only look.
    """
    row = writable_game(request, public_id).select_related("table").first()
    if row is not None:
        return row
    if request.method in SAFE_METHODS:
        raise Http404
    if round_closed_since(request, public_id).exists():
        title = _("The round is closed: only a director writes here.")
        raise Refused(Answer(409, "round-closed", title))
    if pen_taken_since(request, public_id).exists():
        title = _("The pen has been handed over: another phone writes now.")
        raise Refused(Answer(410, "pen-taken", title))
    raise Http404


def pen_of(view: Resource, row: Game, author: str, *, must_match: bool = False) -> Pen:
    """Whose write it is, of which revision: that of `If-Match`, else the sheet as it stands.

    Raises:
        Refused: 428 where a revision must be said, and is not.
    """
    revision = revision_of(view.request, row, must_match=must_match)
    return Pen(key_of(view.request), revision, timezone.now(), author, writer(view, row))


def revision_of(request: Request, row: Game, *, must_match: bool = False) -> int:
    """The revision that is meant: that of `If-Match`, else the sheet as it stands.

    Raises:
        Refused: 428 where it must be said, and is not.
    """
    said = request.headers.get("If-Match")
    if said is None and must_match:
        raise Refused(Answer(428, "if-match-needed", _("Say by If-Match which revision you mean.")))
    return row.revision if said is None or said.strip() == "*" else _revision(said)


def key_of(request: Request) -> str:
    """The key of a write: that of the request, else one that nobody has."""
    return request.headers.get(HEADER) or token_urlsafe(24)


def writer(view: Resource, row: Game) -> Actor:
    """Who writes: an account, or the table whose phone it is."""
    return actor_of(view.visitor, row.table.public_id if row.table else "")


def written(view: Resource, sheet: Sheet, status: int = 200, **headers: str) -> Response:
    """The sheet after a write."""
    return view.shown(GameSerializer, sheet, status, ETag=tag_of(sheet.row), **headers)


def _revision(said: str) -> int:
    """The revision of a tag; one that no sheet has where it is none."""
    tags = [tag.removeprefix("W/").strip('"') for tag in parse_etags(said)]
    is_one = len(tags) == 1 and tags[0].isascii() and tags[0].isdecimal() and len(tags[0]) < 10
    return int(tags[0]) if is_one else -1
