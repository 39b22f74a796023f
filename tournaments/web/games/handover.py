"""Share a game: let others follow, hand over the scoring, delete the game."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tournaments.models import Game
from tournaments.permissions import actor_of, writable_game
from tournaments.services.games.playing import ScoringTaken, delete_game, hand_over
from tournaments.texts import labels
from tournaments.web.base.access_links import access_link, out_of_reach
from tournaments.web.base.phone import address, evening_address, forget_game
from tournaments.web.games.forms import key_of


@never_cache
@require_safe
def share(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Show the links of a game as QR codes: follow, write, take over the scoring."""
    row = get_object_or_404(writable_game(request, public_id, secret))
    take_path = reverse("take", args=[row.public_id, row.secret("pen")])
    page = {
        "row": row,
        "back": address(row, "write"),
        "follow": access_link(
            request,
            address(row, "follow") if row.open_table is None else evening_address(row.open_table),
        ),
        "take": access_link(request, take_path),
        "write": access_link(request, address(row, "write")),
        "delete": reverse("delete", args=[public_id, secret]),
        "out_of_reach": out_of_reach(request),
    }
    return render(request, "tournaments/games/handover.html", page)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def take(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Take over the scoring: this phone writes, the previous one follows."""
    key = key_of(request.POST)
    # A retry after a lost answer: the link is used up, but the key is the taker's.
    row = Game.objects.taken_with(public_id, key).first()
    if row is None:
        row = get_object_or_404(Game.objects.takeable_at(public_id, secret))
        if request.method != "POST":
            page = {"row": row, "ruleset": labels.ruleset_name(row.ruleset), "key": key}
            return render(request, "tournaments/games/take.html", page)
        row = _take(request, row, key)
    # The table page remembers the game, and asks a phone that it does not know who holds it.
    return redirect(address(row, "write"))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Delete a game for good, after a confirmation."""
    # Only directors delete a club's game, with its table.
    row = get_object_or_404(writable_game(request, public_id, secret).filter(table=None))
    if request.method != "POST":
        page = {
            "row": row,
            "ruleset": labels.ruleset_name(row.ruleset),
            "back": address(row, "write"),
        }
        return render(request, "tournaments/games/delete.html", page)
    delete_game(row.pk)
    response = HttpResponseRedirect(f"{reverse('home')}?deleted=1")
    forget_game(request, response, row)
    return response


def _take(request: HttpRequest, row: Game, key: str) -> Game:
    by = actor_of(request, row.table.public_id if row.table else "")
    try:
        return hand_over(row.pk, row.write_generation, key, by, at=timezone.now())
    except ScoringTaken as error:
        raise Http404 from error
