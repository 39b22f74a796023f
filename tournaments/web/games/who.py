"""Whose phone it is: asked by a page, once.

The answer stays on the phone (`static/who.js`): all followers get the same page. The server only
knows that a phone has a seat, so that another one can ask for it.
"""

from datetime import datetime
from typing import Any

from allauth.core.ratelimit import consume, respond_429
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from tournaments.engine.rules.rulesets import Ruleset
from tournaments.models import Game
from tournaments.services.games.seating import answer_for_seat, ask_for_seat, leave_seat, take_seat
from tournaments.web.base.phone import in_game, knows_game, remember_phone
from tournaments.web.games.deals.fields import place_of


def question_of(request: HttpRequest, row: Game, rules: Ruleset) -> dict[str, Any]:
    """Return the chairs, and whether to ask: not the phone that started the game, others once."""
    chairs = [(seat, name, place_of(rules, seat)) for seat, name in enumerate(row.players)]
    return {"chairs": chairs, "asks": not knows_game(request, row)}


@never_cache
@require_POST
def seat(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Take a seat, ask for it, answer a phone that asks, or leave it: 409 if that is not so."""
    if not consume(request, action="phone_seats"):
        refused: HttpResponse = respond_429(request)
        return refused
    row = get_object_or_404(Game.objects.readable_at(public_id, secret))
    response = HttpResponse(status=204)
    phone, at = in_game(remember_phone(request, response), row), timezone.now()
    does, chosen = request.POST.get("does", ""), request.POST.get("seat", "")
    number = int(chosen) if chosen in map(str, range(len(row.players))) else None
    if does == "leave":
        leave_seat(row.pk, phone)
    elif number is None or not _change(row, does, number, phone, at):
        response.status_code = 409
    return response


def _change(row: Game, does: str, number: int, phone: str, at: datetime) -> bool:
    match does:
        case "take":
            return take_seat(row.pk, number, phone, at=at)
        case "ask":
            return ask_for_seat(row.pk, number, phone, at=at)
        case "yes" | "no":
            return answer_for_seat(row.pk, number, phone, gives=does == "yes")
        case _:
            return False
