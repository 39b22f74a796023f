"""The sections of a tournament, for directors: who plays in which."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.models import Tournament
from tournaments.permissions import actor_of, directed_tournament
from tournaments.presenters.entrants import list_entrants, with_ratings
from tournaments.queries.tournaments.state import settings_of
from tournaments.services.entrants.registration import next_round
from tournaments.services.rounds.running import divide_by_rating, move_entrants, sizes_of
from tournaments.web.base.refusals import refusal_shown
from tournaments.web.tournaments.pages import page_of


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sections(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """List the entrants by section; move the ticked ones (`to`), or divide all by rating."""
    row = directed_tournament(request, slug, tournament)
    names = settings_of(row).section_names
    if request.method == "POST":
        with refusal_shown(request):
            _move(request, row)
        return redirect("sections", slug, tournament)
    lines = with_ratings(list_entrants(row, directs=True), row, request.user).lines
    playing = sum(each.entrant.is_playing and not each.entrant.house for each in lines)
    page = page_of(request, row) | {
        "names": names,
        "groups": [(name, [each for each in lines if each.section == name]) for name in names],
        "sizes": list(zip(names, sizes_of(row, playing), strict=True)) if names else [],
        "changing": names and row.state != Tournament.State.FINISHED,
        "hub": False,
    }
    return render(request, "tournaments/entrants/sections.html", page)


def _move(request: HttpRequest, row: Tournament) -> None:
    by, at = actor_of(request), timezone.now()
    if "divide" in request.POST:
        moved = len(divide_by_rating(row.pk, request.user, by, at=at))
    else:
        ticked = request.POST.getlist("entrant")
        numbers = [int(each) for each in ticked if each.isdecimal() and len(each) < 6]
        if not numbers:
            messages.error(request, _("Nobody is chosen."))
            return
        moved = len(move_entrants(row.pk, numbers, request.POST.get("to", ""), by, at=at))
    text = ngettext("%(number)s has moved.", "%(number)s have moved.", moved)
    said = [text % {"number": moved}]
    number = next_round(row)
    if moved and number > 1:
        from_now = _("They keep their points, and play there from round %(number)s.")
        said.append(from_now % {"number": number})
    messages.success(request, " ".join(said))
