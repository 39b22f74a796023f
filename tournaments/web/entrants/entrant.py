"""One entrant, for directors: withdraw, bring back, change, substitute, remove."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from tournaments.models import Entrant, Substitute, Tournament
from tournaments.permissions import actor_of, directed_tournament
from tournaments.presenters.entrants import line_of, name_of, seats_left
from tournaments.queries.tournaments.state import settings_of
from tournaments.services.base.writes import Refused
from tournaments.services.entrants.registration import (
    NoLabel,
    change_entrant,
    let_in,
    mark_house,
    next_round,
    remove_entrant,
    return_entrant,
    withdraw_entrant,
)
from tournaments.services.entrants.substituting import Place, put_substitute, take_out_substitute
from tournaments.services.tournaments.lifecycle import Depended, WrongState
from tournaments.web.base.refusals import add_refused, refusal_shown
from tournaments.web.entrants.forms import LabelsForm, SubstituteForm
from tournaments.web.entrants.pages import numbered
from tournaments.web.events.tables import names_lately
from tournaments.web.tournaments.pages import page_of


@never_cache
@require_safe
def entrant(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Show an entrant with everything that a director can do."""
    return _page(request, directed_entrant(request, slug, tournament, entrant))


@require_POST
def withdraw(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Withdraw an entrant from all further rounds."""
    row = directed_entrant(request, slug, tournament, entrant)
    return _after(request, row, lambda: withdraw_entrant(row.pk, actor_of(request), at=_now()))


@require_POST
def come_back(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Let an entrant who withdrew play again."""
    row = directed_entrant(request, slug, tournament, entrant)
    return _after(request, row, lambda: return_entrant(row.pk, actor_of(request), at=_now()))


@require_POST
def let_in_entrant(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Let in somebody from the waiting list."""
    row = directed_entrant(request, slug, tournament, entrant)
    return _after(request, row, lambda: let_in(row.pk, actor_of(request), at=_now()))


@require_POST
def mark(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Make an entrant a house player (`house` is 1), or one like all others."""
    row = directed_entrant(request, slug, tournament, entrant)
    house = request.POST.get("house") == "1"
    return _after(
        request, row, lambda: mark_house(row.pk, actor_of(request), at=_now(), house=house)
    )


@require_POST
def remove(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Remove an entrant who was never seated."""
    row = directed_tournament(request, slug, tournament)
    found = row.entrants.select_related("player", "partner").filter(number=entrant).first()
    if found is None:
        # Tapped twice.
        return redirect("entrants", slug, tournament)
    queue = [each for each in row.entrants.queued() if each.pk != found.pk]
    try:
        remove_entrant(found.pk, actor_of(request), at=_now())
    except Depended as error:
        messages.error(request, str(error))
        return redirect("entrant", slug, tournament, entrant)
    gone = {"name": name_of(found, directs=True)}
    messages.success(request, _("%(name)s is taken off the list.") % gone)
    _tell_let_in(request, row, queue)
    return redirect("entrants", slug, tournament)


@require_POST
def change(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Change the team and the home club of an entrant."""
    row = directed_entrant(request, slug, tournament, entrant)
    form = LabelsForm(request.POST)
    if form.is_valid():
        said = form.cleaned_data
        try:
            change_entrant(row.pk, said["team"], said["represents"], actor_of(request), at=_now())
        except NoLabel as error:
            add_refused(form, error)
        else:
            return redirect("entrant", slug, tournament, entrant)
    return _page(request, row, labels=form)


@require_POST
def substitute(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Let a substitute play a round for one of the entrant's players."""
    row = directed_entrant(request, slug, tournament, entrant)
    form = _substitute_form(row, request.POST)
    if form.is_valid():
        said = form.cleaned_data
        place = Place(row.pk, said["round_number"], said["instead_of"])
        try:
            put_substitute(place, said["name"], actor_of(request), at=_now())
        except WrongState as error:
            form.add_error("round_number", str(error))
        except Refused as error:
            form.add_error("name", str(error))
        else:
            return redirect("entrant", slug, tournament, entrant)
    return _page(request, row, substitute=form)


@require_POST
def no_substitute(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Cancel a substitution; `substitute` is the key of the row."""
    row = directed_entrant(request, slug, tournament, entrant)
    key = request.POST.get("substitute", "")
    found = row.substitutes.filter(pk=key).first() if key.isdecimal() and len(key) < 15 else None
    if found is not None:
        place = Place(row.pk, found.round_number, found.instead_of_id)
        with refusal_shown(request):
            take_out_substitute(place, actor_of(request), at=_now())
    return redirect("entrant", slug, tournament, entrant)


def directed_entrant(request: HttpRequest, slug: str, tournament: str, entrant: int) -> Entrant:
    """Return an entrant by number for one of the tournament's directors; 404 for all others."""
    return numbered(directed_tournament(request, slug, tournament), entrant)


def _after(request: HttpRequest, row: Entrant, change: Callable[[], Entrant]) -> HttpResponse:
    """Apply a change, and go back to the entrant."""
    tournament = row.tournament
    queue = list(tournament.entrants.queued())
    with refusal_shown(request):
        change()
        _tell_let_in(request, tournament, [each for each in queue if each.pk != row.pk])
    return redirect("entrant", tournament.event.club.slug, tournament.slug, row.number)


def _tell_let_in(request: HttpRequest, tournament: Tournament, queue: list[Entrant]) -> None:
    """Tell the director who of the waiting list has moved up."""
    still = set(tournament.entrants.queued().values_list("pk", flat=True))
    for each in queue:
        if each.pk not in still:
            name = {"name": name_of(each, directs=True)}
            messages.success(request, _("%(name)s moves up from the waiting list.") % name)


def _page(request: HttpRequest, row: Entrant, **forms: Any) -> HttpResponse:
    tournament = row.tournament
    said = {"team": row.team, "represents": row.represents}
    stand_ins = Substitute.objects.filter(entrant=row).select_related("player", "instead_of")
    page = page_of(request, tournament) | {
        "line": line_of(row, directs=True),
        "entrant": row,
        "labels": forms.get("labels") or LabelsForm(initial=said),
        "substitute": forms.get("substitute") or _substitute_form(row),
        "substitutes": stand_ins.order_by("round_number"),
        "seated": row.sittings.exists(),
        "seats_left": seats_left(row),
        "sittings": row.sittings.select_related("round", "table").order_by("round__number"),
        "names": names_lately(tournament.event.club),
        "hub": False,
    }
    return render(request, "tournaments/entrants/entrant.html", page, status=422 if forms else 200)


def _substitute_form(row: Entrant, data: Any = None) -> SubstituteForm:
    """Return the form of a substitute, for the first round that is not closed."""
    event = row.tournament.event
    going = event.rounds.filter(closed_at=None).order_by("number").first()
    number = going.number if going is not None else next_round(row.tournament)
    last = max(settings_of(row.tournament).rounds, event.rounds.count())
    suggest = reverse("player_names", args=[event.club.slug])
    return SubstituteForm(row.players, data, number=min(number, last), last=last, suggest=suggest)


def _now() -> Any:
    return timezone.now()
