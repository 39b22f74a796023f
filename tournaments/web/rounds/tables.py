"""A table of a running round, for its directors: its time, its end, and a call that was heard."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from tournaments.models import Round, Ruling, Table, Tournament
from tournaments.queries.sheets import LaterEntryInvalid
from tournaments.queries.tournaments import settings_of
from tournaments.services.play.writing import RoundClosed
from tournaments.services.tournaments.calls import answer_call
from tournaments.services.tournaments.clocks import NotThatLong, add_table_time
from tournaments.services.tournaments.leading import WrongState
from tournaments.services.tournaments.overtime import finish_for_time
from tournaments.visitors import actor_of, directed_tournament_round
from tournaments.web.rounds.pages import MINUTES, added_in
from tournaments.web.rounds.view import running_tables
from tournaments.web.rounds.words import ruling_name
from tournaments.web.tournaments.pages import page_of
from tournaments.web.tournaments.words import round_name


@never_cache
@require_safe
def running_table(
    request: HttpRequest, slug: str, tournament: str, number: int, table: int
) -> HttpResponse:
    """A table with all that a director can do there."""
    row, place, at_table = _table(request, slug, tournament, number, table)
    now = timezone.now()
    place.event = row.event
    line = next(each for each in running_tables(row, place, now) if each.table.pk == at_table.pk)
    page = page_of(request, row) | {
        "round": place,
        "round_name": round_name(place),
        "line": line,
        "minutes": MINUTES,
        "last_void": settings_of(row).overtime == "last-deal-void",
        "rulings": told_rulings(
            Ruling.objects.filter(round=place, entrant__sittings__table=line.table)
        ),
    }
    return render(request, "tournaments/running_table.html", page)


@require_POST
def time(request: HttpRequest, slug: str, tournament: str, number: int, table: int) -> HttpResponse:
    """Give one table more time than the others."""
    row, _place, at_table = _table(request, slug, tournament, number, table)
    try:
        add_table_time(at_table.pk, added_in(request), actor_of(request), at=timezone.now())
    except NotThatLong:
        messages.error(request, _("Between 1 minute and 2 hours, and not below nothing."))
    except WrongState:
        messages.error(request, _("The clock goes while the round is open."))
    except (Table.DoesNotExist, Round.DoesNotExist) as error:
        raise Http404 from error
    return redirect("running_table", slug, row.slug, number, table)


@require_POST
def finish(
    request: HttpRequest, slug: str, tournament: str, number: int, table: int
) -> HttpResponse:
    """End the game of a table for time, as the settings say."""
    row, _place, at_table = _table(request, slug, tournament, number, table)
    reason = _("the time was over")
    try:
        finish_for_time(at_table.pk, reason, actor_of(request), at=timezone.now())
    except LaterEntryInvalid:
        said = _("The sheet does not go without its last deal: correct it by hand, and stop it.")
        messages.error(request, said)
    except (WrongState, RoundClosed):
        messages.error(request, _("The round has not begun."))
    except Table.DoesNotExist as error:
        raise Http404 from error
    else:
        said = _("The game of table %(number)s is over.") % {"number": table}
        messages.success(request, said)
    return redirect("running_table", slug, row.slug, number, table)


@require_POST
def answer(
    request: HttpRequest, slug: str, tournament: str, number: int, table: int
) -> HttpResponse:
    """Say that somebody has gone to a table that called."""
    row, _place, at_table = _table(request, slug, tournament, number, table)
    try:
        answer_call(at_table.pk, actor_of(request), at=timezone.now())
    except Table.DoesNotExist as error:
        raise Http404 from error
    return redirect("running", slug, row.slug, number)


def told_rulings(rows: Any) -> list[tuple[Ruling, str]]:
    """Rulings with what they are called, the newest first."""
    found = rows.select_related("entrant__player", "entrant__partner", "round").order_by("-pk")
    return [(ruling, ruling_name(ruling.kind)) for ruling in found]


def _table(
    request: HttpRequest, slug: str, tournament: str, number: int, table: int
) -> tuple[Tournament, Round, Table]:
    row, place = directed_tournament_round(request, slug, tournament, number)
    return row, place, get_object_or_404(Table, round=place, number=table)
