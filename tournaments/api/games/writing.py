"""The needs of every write of a sheet: game, author and revision."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from secrets import token_urlsafe

from django.http import Http404
from django.utils import timezone
from django.utils.http import parse_etags
from django.utils.translation import gettext_lazy as _
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import round_closed_since, scoring_taken_since, writable_row
from tournaments.api.games.serializers import GameSerializer
from tournaments.api.idempotency import HEADER
from tournaments.api.problems import LaterInvalid, engine_faults
from tournaments.api.views import Resource
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Game
from tournaments.permissions import actor_of
from tournaments.queries.games.sheets import LaterEntryInvalid, Sheet
from tournaments.services.audit import Actor
from tournaments.services.base.writes import Invalid, Refused
from tournaments.services.games.playing import ScoringTaken
from tournaments.services.games.writing import RoundClosed, WriteContext

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
