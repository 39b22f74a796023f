"""The games of a club: a list to search by player, and the sheet of a game."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tournaments.models import Club, Game, Player, Seat
from tournaments.permissions import directs_club, seen_club
from tournaments.presenters.games.sheets import state_of
from tournaments.queries.games.sheets import Sheet, load_kept_sheets, rules_of
from tournaments.texts import labels
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.base.phone import address
from tournaments.web.games.following import follow_page, preview_of

PAGE = 20


@kept_for_going_back
@require_safe
def club_games(request: HttpRequest, slug: str) -> HttpResponse:
    """List the games that the visitor may see, the last first, optionally of players by name."""
    club = seen_club(request, slug)
    rows = Game.objects.seen_by(request.user).filter(
        table__round__event__club=club, table__round__event__tournament__cancelled_at=None
    )
    asked = request.GET.get("q", "").replace("\0", "").strip()
    if asked:
        rows = rows.filter(pk__in=_of_players(request, club, asked))
    rows = rows.select_related("table__round__event").order_by("-played_at", "-pk")
    part = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    keys = [row.pk for row in part.object_list]
    sheets = {sheet.row.pk: sheet for sheet in load_kept_sheets(Game.objects.filter(pk__in=keys))}
    lines = [
        (row, labels.name_of(rules_of(row)), _state_of(row, sheets.get(row.pk)))
        for row in part.object_list
    ]
    page = {"club": club, "asked": asked, "part": part, "lines": lines}
    return render(request, "tournaments/games/club_games.html", page)


def _state_of(row: Game, sheet: Sheet | None) -> str:
    return _("archived") if sheet is None else state_of(sheet.game, sheet.outcome, row.players)


def _of_players(request: HttpRequest, club: Club, asked: str) -> QuerySet[Any, Any]:
    players = Player.objects.present().filter(club=club).matching(asked)
    if not directs_club(request, club):
        # Players shown by initials are not found by their full name.
        players = players.filter(initials=False)
    return Seat.objects.filter(player__in=players).values("game")


@kept_for_going_back
@require_safe
def club_game(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Show the sheet of a club's game to visitors who may see its evening."""
    seen = Game.objects.seen_by(request.user).select_related("table__round__event__club")
    row = get_object_or_404(seen, public_id=public_id, table__round__event__club__slug=slug)
    assert row.table is not None
    event = row.table.round.event
    page, directs = follow_page(request, row), directs_club(request, event.club)
    page |= {
        "club": event.club,
        "event": event,
        "table": row.table,
        "directs": directs,
        "write": address(row, "write"),
        "preview": None if directs else preview_of(request, row, page["sheet"]),
    }
    return render(request, "tournaments/games/club_game.html", page)
