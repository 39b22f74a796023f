"""Who holds the pen: let others follow, hand the writing over, take it, delete the game."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tournaments import words
from tournaments.models import Game
from tournaments.services.play.playing import PenTaken, delete_game, hand_over
from tournaments.visitors import actor_of, writable_game
from tournaments.web.doors import door, out_of_reach
from tournaments.web.phone import address, forget_game, remember_game
from tournaments.web.tables.forms import key_of


@never_cache
@require_safe
def pen(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """The addresses of a game as QR codes: to follow, to write as well, to take the pen."""
    row = get_object_or_404(writable_game(request, public_id, secret))
    take_path = reverse("take", args=[row.public_id, row.secret("pen")])
    page = {
        "row": row,
        "back": address(row, "write"),
        "follow": door(request, address(row, "follow")),
        "take": door(request, take_path),
        "write": door(request, address(row, "write")),
        "delete": reverse("delete", args=[public_id, secret]),
        "out_of_reach": out_of_reach(request),
    }
    return render(request, "tournaments/pen.html", page)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def take(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Take the pen: from now on this phone writes, and the one before follows."""
    key = key_of(request.POST)
    # Asked again after a lost answer: the address is used up, but the key is the taker's.
    row = Game.objects.taken_with(public_id, key).first()
    if row is None:
        row = get_object_or_404(Game.objects.takeable_at(public_id, secret))
        if request.method != "POST":
            page = {"row": row, "ruleset": words.ruleset_name(row.ruleset), "key": key}
            return render(request, "tournaments/take.html", page)
        row = _take(request, row, key)
    response = redirect(address(row, "write"))
    remember_game(request, response, row, "write")
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Delete a game for good, after asking once."""
    # A club's game is removed by its directors, with the table.
    row = get_object_or_404(writable_game(request, public_id, secret).filter(table=None))
    if request.method != "POST":
        page = {
            "row": row,
            "ruleset": words.ruleset_name(row.ruleset),
            "back": address(row, "write"),
        }
        return render(request, "tournaments/delete.html", page)
    delete_game(row.pk)
    response = HttpResponseRedirect(f"{reverse('home')}?deleted=1")
    forget_game(request, response, row)
    return response


def _take(request: HttpRequest, row: Game, key: str) -> Game:
    by = actor_of(request, row.table.public_id if row.table else "")
    try:
        return hand_over(row.pk, row.write_generation, key, by, at=timezone.now())
    except (PenTaken, Game.DoesNotExist) as error:
        raise Http404 from error
