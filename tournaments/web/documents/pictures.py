"""Pictures of games, drawn by the worker when somebody asks for them."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.models import Game
from tournaments.services.documents.reporting import request_picture
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


def _of_game(request: HttpRequest, public_id: str, secret: str, *, wide: bool) -> HttpResponseBase:
    row = get_object_or_404(Game.objects.readable_at(public_id, secret))
    asked = request_picture(row, wide=wide, language=language_of(request), at=timezone.now())
    return picture_response(asked)
