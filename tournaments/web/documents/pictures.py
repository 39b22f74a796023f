"""Pictures of games and evenings, drawn by the worker when somebody asks for them."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_list_or_404, get_object_or_404
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.models import Game, OpenTable
from tournaments.services.documents.reporting import request_evening_picture, request_picture
from tournaments.web.base.pictures import language_of, picture_response


@never_cache
@require_safe
def tall(request: HttpRequest, public_id: str, secret: str) -> HttpResponseBase:
    """Return the picture of a game for a phone's screen, 1080 × 1350."""
    return _of_game(request, public_id, secret, wide=False)


@never_cache
@require_safe
def wide(request: HttpRequest, public_id: str, secret: str) -> HttpResponseBase:
    """Return the picture of a game for the preview of a link, 1200 × 630."""
    return _of_game(request, public_id, secret, wide=True)


@never_cache
@require_safe
def evening(request: HttpRequest, public_id: str, secret: str) -> HttpResponseBase:
    """Return the picture of the evening of an open table for the preview of a link."""
    table = get_object_or_404(OpenTable.objects.readable_at(public_id, secret))
    games = get_list_or_404(table.games.order_by("number"))
    asked = request_evening_picture(games, language=language_of(request), at=timezone.now())
    return picture_response(asked)


def _of_game(request: HttpRequest, public_id: str, secret: str, *, wide: bool) -> HttpResponseBase:
    row = get_object_or_404(Game.objects.readable_at(public_id, secret))
    asked = request_picture(row, wide=wide, language=language_of(request), at=timezone.now())
    return picture_response(asked)
