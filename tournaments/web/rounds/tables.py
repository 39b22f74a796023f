"""A table of a running round, for directors: its time, its end, and calls."""

from typing import Any

from django.contrib import messages
from django.db.models import OuterRef, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from tournaments.models import Game, Round, Ruling, Sitting, Table, Tournament
from tournaments.permissions import (
    actor_of,
    directed_tournament_round,
    directs_club,
    seen_tournament,
)
from tournaments.queries.games.sheets import LaterEntryInvalid
from tournaments.queries.tournaments.state import settings_of
from tournaments.services.base.refusals import Refused
from tournaments.services.games.confirming import confirm_all
from tournaments.services.games.tables import current_game
from tournaments.services.games.writing import RoundClosed
from tournaments.services.rounds.calls import answer_call
from tournaments.services.rounds.clocks import add_table_time
from tournaments.services.rounds.deal_reviews import SeenDeal, settle_deal
from tournaments.services.rounds.overtime import finish_for_time
from tournaments.services.tournaments.lifecycle import WrongState
from tournaments.texts.labels import round_name, ruling_name
from tournaments.web.base.access_links import access_link, out_of_reach
from tournaments.web.base.phone import address
from tournaments.web.base.refusals import refusal_shown
from tournaments.web.events.tables import card_path
from tournaments.web.games.deal_reviews import disputes_shown
from tournaments.web.games.pages import number_in
from tournaments.web.rounds.pages import MINUTES, added_in
from tournaments.web.rounds.view import running_tables
from tournaments.web.tournaments.pages import page_of


@never_cache
@require_safe
def running_table(
    request: HttpRequest, slug: str, tournament: str, number: int, table: int
) -> HttpResponse:
    """Show a table with everything that a director can do."""
    row, round_, at_table = _table(request, slug, tournament, number, table)
    now = timezone.now()
    round_.event = row.event
    line = next(each for each in running_tables(row, round_, now) if each.table.pk == at_table.pk)
    page = page_of(request, row) | {
        "round": round_,
        "round_name": round_name(round_),
        "line": line,
        "minutes": MINUTES,
        "disputes": disputes_shown(line.row) if line.disputed else [],
        "last_void": settings_of(row).overtime == "last-deal-void",
        "rulings": ruling_lines(
            Ruling.objects.filter(round=round_, entrant__sittings__table=line.table)
        ),
    }
    return render(request, "tournaments/rounds/table.html", page)


@never_cache
@require_safe
def round_codes(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Show the QR codes of all tables of a round on one page, for screen and print."""
    row, round_ = directed_tournament_round(request, slug, tournament, number)
    page = page_of(request, row) | {
        "round": round_,
        "round_name": round_name(round_),
        "codes": [
            (table.number, access_link(request, card_path(table))["code"])
            for table in round_.tables.order_by("number")
        ],
        "out_of_reach": out_of_reach(request),
    }
    return render(request, "tournaments/rounds/codes.html", page)


@never_cache
@require_safe
def sheet(
    request: HttpRequest, slug: str, tournament: str, number: int, table: int
) -> HttpResponse:
    """Lead to the sheet of a table: directors to where they correct it, others to read it."""
    row = seen_tournament(request, slug, tournament)
    games = Game.objects.filter(table__number=table, table__round__number=number)
    game = games.filter(table__round__event=row.event).order_by("-pk").first()
    if game is None:
        raise Http404
    if directs_club(request, row.event.club):
        return redirect(address(game, "write"))
    return redirect("club_game", slug, game.public_id)


@require_POST
def time(request: HttpRequest, slug: str, tournament: str, number: int, table: int) -> HttpResponse:
    """Give one table extra time."""
    row, _place, at_table = _table(request, slug, tournament, number, table)
    with refusal_shown(request):
        add_table_time(at_table.pk, added_in(request), actor_of(request), at=timezone.now())
    return redirect("running_table", slug, row.slug, number, table)


@require_POST
def finish(
    request: HttpRequest, slug: str, tournament: str, number: int, table: int
) -> HttpResponse:
    """End the game of a table when time is up, as the settings say."""
    row, _place, at_table = _table(request, slug, tournament, number, table)
    reason = _("the time was over")
    try:
        finish_for_time(at_table.pk, reason, actor_of(request), at=timezone.now())
    except LaterEntryInvalid:
        said = _("The sheet does not go without its last deal: correct it by hand, and stop it.")
        messages.error(request, said)
    except (WrongState, RoundClosed) as error:
        messages.error(request, str(error))
    else:
        said = _("The game of table %(number)s is over.") % {"number": table}
        messages.success(request, said)
    return redirect("running_table", slug, row.slug, number, table)


@require_POST
def settle(
    request: HttpRequest, slug: str, tournament: str, number: int, table: int
) -> HttpResponse:
    """Let one of the two versions of a disputed deal count."""
    row, _place, at_table = _table(request, slug, tournament, number, table)
    game = get_object_or_404(Game, table=at_table)
    fields = request.POST
    position, revision = (number_in(fields, name, -1) for name in ("position", "seen"))
    seen = SeenDeal(position, revision, actor_of(request), timezone.now())
    try:
        settle_deal(game.pk, seen, disputed_counts=fields.get("counts") == "disputed")
    except LaterEntryInvalid:
        said = _("A later deal does not fit this version: correct the sheet by hand.")
        messages.error(request, said)
    except Refused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The disputed deal is settled."))
    return redirect("running_table", slug, row.slug, number, table)


@require_POST
def answer(
    request: HttpRequest, slug: str, tournament: str, number: int, table: int
) -> HttpResponse:
    """Mark the call of a table as answered."""
    row, _place, at_table = _table(request, slug, tournament, number, table)
    answer_call(at_table.pk, actor_of(request), at=timezone.now())
    return redirect("running", slug, row.slug, number)


@require_POST
def confirm(
    request: HttpRequest, slug: str, tournament: str, number: int, table: int
) -> HttpResponse:
    """Confirm the result of a table for all its players, as it was seen."""
    row, _place, at_table = _table(request, slug, tournament, number, table)
    with refusal_shown(request):
        seen = number_in(request.POST, "revision", -1)
        confirm_all(current_game(at_table).pk, seen, actor_of(request), at=timezone.now())
        messages.success(request, _("Table %(number)s is confirmed.") % {"number": table})
    return redirect("running", slug, row.slug, number)


def ruling_lines(rows: Any) -> list[tuple[Ruling, str]]:
    sat = Sitting.objects.filter(round=OuterRef("round"), entrant=OuterRef("entrant"))
    found = rows.select_related("entrant__player", "entrant__partner", "round").order_by("-pk")
    found = found.annotate(table=Subquery(sat.values("table__number")[:1]))
    return [(ruling, ruling_name(ruling.kind)) for ruling in found]


def _table(
    request: HttpRequest, slug: str, tournament: str, number: int, table: int
) -> tuple[Tournament, Round, Table]:
    row, round_ = directed_tournament_round(request, slug, tournament, number)
    return row, round_, get_object_or_404(Table, round=round_, number=table)
