"""The tables of an evening, for directors: create, show, give a new address, remove."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Club, Event, Player, Seat, Table
from tournaments.permissions import actor_of, directed_club, directed_evening, directed_event
from tournaments.queries.games.sheets import load_sheet
from tournaments.queries.rulesets import rulesets_of_club
from tournaments.services.base.writes import Refused
from tournaments.services.games.tables import add_table, current_game, remove_table, replace_address
from tournaments.services.games.writing import NoMoreTables
from tournaments.web.base.access_links import access_link, out_of_reach
from tournaments.web.base.phone import MATCHES
from tournaments.web.base.refusals import add_refused
from tournaments.web.events.forms import EventTableForm
from tournaments.web.events.pages import directed_round
from tournaments.web.events.view import line_of
from tournaments.web.games.matches import match_text

LAST_EVENTS, LAST_SEATS, MOST_NAMES = 12, 200, 20


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_table(request: HttpRequest, slug: str, public_id: str, number: int) -> HttpResponse:
    """Ask who sits at a new table of a round, and create it."""
    round_ = directed_round(request, slug, public_id, number)
    rulesets = dict(rulesets_of_club(round_.event.club))
    posted = request.POST if request.method == "POST" else None
    form = EventTableForm(round_.event, posted, rulesets=rulesets)
    if form.is_valid():
        try:
            add_table(round_.pk, form.laying, actor_of(request), at=timezone.now())
        except NoMoreTables as error:
            messages.error(request, str(error))
            return redirect("event", slug, public_id)
        except (InvalidEntry, Refused) as error:
            add_refused(form, error)
        else:
            return redirect("event", slug, public_id)
    page = {
        "club": round_.event.club,
        "event": round_.event,
        "round": round_,
        "form": form,
        "names": names_lately(round_.event.club),
        "suggest": reverse("player_names", args=[slug]),
        "matches": [("", _("One game")), *((name, match_text(name)) for name in MATCHES)],
    }
    status = 200 if posted is None else 422
    return render(request, "tournaments/events/table_new.html", page, status=status)


@never_cache
@require_safe
def player_names(request: HttpRequest, slug: str) -> HttpResponse:
    """Return whole names of players that match the text typed at a seat."""
    club = directed_club(request, slug)
    typed = next((v for k, v in request.GET.dict().items() if k.startswith("name")), "")
    found = Player.objects.present().filter(club=club).matching(str(typed).replace("\0", ""))
    names = found.values_list("name", flat=True)[:MOST_NAMES]
    return render(request, "tournaments/people/_name_options.html", {"names": names})


def names_lately(club: Club) -> list[str]:
    """Return the distinct names of players at the club's last evenings (2 queries)."""
    # By the keys of the evenings: otherwise the seats of all years would be sorted.
    last = list(Event.objects.filter(club=club).values_list("pk", flat=True)[:LAST_EVENTS])
    seats = Seat.objects.filter(game__table__round__event__in=last).order_by("-pk")
    names = seats.values_list("player__name", flat=True)[:LAST_SEATS]
    return [name for name in dict.fromkeys(names) if name]


@never_cache
@require_safe
def table(request: HttpRequest, slug: str, public_id: str, table: str) -> HttpResponse:
    """Show a table to its director: card, code, new address, removal."""
    row = directed_table(request, slug, public_id, table)
    event = row.round.event
    game = current_game(row)
    page = {
        "club": event.club,
        "event": event,
        "table": row,
        "line": line_of(row, load_sheet(game), event),
        "seats": game.seats.select_related("player"),
        "card": access_link(request, card_path(row)),
        "out_of_reach": out_of_reach(request),
    }
    return render(request, "tournaments/events/table.html", page)


@require_POST
def replace(request: HttpRequest, slug: str, public_id: str, table: str) -> HttpResponse:
    """Revoke the card and the phone of a table, and show the new card."""
    row = directed_table(request, slug, public_id, table)
    replace_address(row.pk, actor_of(request), at=timezone.now())
    messages.success(
        request,
        _("The old card and the old phone of table %(number)s write no more. Here is the new card.")
        % {"number": row.number},
    )
    return redirect("event_table", slug, public_id, table)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: HttpRequest, slug: str, public_id: str, table: str) -> HttpResponse:
    """Remove a table, after a confirmation."""
    place = directed_evening(request, slug, public_id)
    if request.method == "POST" and not _is_there(place, table):
        # Tapped twice.
        return redirect("event", slug, public_id)
    row = directed_table(request, slug, public_id, table)
    if request.method == "POST":
        remove_table(row.pk, actor_of(request), at=timezone.now())
        messages.success(request, _("Table %(number)s is removed.") % {"number": row.number})
        return redirect("event", slug, public_id)
    event = row.round.event
    line = line_of(row, load_sheet(current_game(row)), event)
    page = {"club": event.club, "event": event, "table": row, "line": line}
    return render(request, "tournaments/events/table_remove.html", page)


def card_path(table: Table) -> str:
    return reverse("table_link", args=[table.public_id, table.secret])


def directed_table(request: HttpRequest, slug: str, public_id: str, table: str) -> Table:
    """Return a table of an evening for one of its directors; 404 for all others."""
    event: Event = directed_event(request, slug, public_id)
    tables: QuerySet[Table] = Table.objects.select_related("round__event__club")
    return get_object_or_404(tables, round__event=event, public_id=table)


def _is_there(event: Event, table: str) -> bool:
    return Table.objects.filter(round__event=event, public_id=table).exists()
