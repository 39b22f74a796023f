"""Adopt an open table into an evening of a club."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.models import Event, Round
from tournaments.permissions import actor_of, may_adopt, writable_game
from tournaments.services.base.writes import Refused
from tournaments.services.games.tables import NotOpen, adopt_game
from tournaments.services.games.writing import NoMoreTables
from tournaments.web.base.phone import address
from tournaments.web.base.refusals import add_refused
from tournaments.web.events.forms import AdoptForm
from tournaments.web.events.tables import names_lately

MOST_ROUNDS = 20


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def adopt(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Ask for the evening and the players of an open table, and adopt it."""
    row = get_object_or_404(writable_game(request, public_id, secret).filter(table=None))
    if not may_adopt(request, row):
        raise Http404
    rounds = _open_rounds(request)
    names = [(round_.pk, _round_text(round_)) for round_ in rounds]
    posted = request.POST if request.method == "POST" else None
    form = AdoptForm(row, names, posted)
    if form.is_valid():
        chosen = form.cleaned_data["round"]
        try:
            adopt_game(row.pk, chosen, form.who, actor_of(request), at=timezone.now())
        except Round.DoesNotExist:
            form.add_error("round", str(NoMoreTables()))
        except NotOpen as error:
            raise Http404 from error
        except Refused as error:
            add_refused(form, error)
        else:
            messages.success(request, _("The table belongs to the evening now."))
            return redirect(address(row, "write"))
    clubs = {round_.event.club_id: round_.event.club for round_ in rounds}
    page = {
        "row": row,
        "form": form,
        "rounds": rounds,
        "names": [name for club in clubs.values() for name in names_lately(club)],
        "back": address(row, "write"),
    }
    status = 200 if posted is None else 422
    return render(request, "tournaments/events/adopt.html", page, status=status)


def _open_rounds(request: HttpRequest) -> list[Round]:
    """Return the open rounds that this visitor directs, of the latest evening first."""
    events = Event.objects.directed_by(request.user)
    rounds = Round.objects.filter(
        event__in=events, event__tournament=None, closed_at=None
    ).select_related("event__club")
    return list(rounds.order_by("-event__held_on", "-event__pk", "-number")[:MOST_ROUNDS])


def _round_text(round_: Round) -> str:
    event = round_.event
    number = pgettext("of an event", "Round %(number)s") % {"number": round_.number}
    day = date_format(event.held_on, "SHORT_DATE_FORMAT")
    return f"{event.club.name} · {event.name}, {day} · {number}"
