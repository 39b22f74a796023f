"""The games of a club: a list to look for players in, and the sheet of one."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments import words
from tournaments.models import Club, Game, Player, Seat
from tournaments.queries.rulesets import rules_of
from tournaments.queries.sheets import load_sheets
from tournaments.telling.sheets import state_of
from tournaments.visitors import directs_club, seen_club
from tournaments.web.phone import address
from tournaments.web.scoring.following import follow_page

PAGE = 20


@never_cache
@require_safe
def club_games(request: HttpRequest, slug: str) -> HttpResponse:
    """All games of a club that the visitor may see, the last first; those of a player, by name."""
    club = seen_club(request, slug)
    rows = Game.objects.seen_by(request.user).filter(table__round__event__club=club)
    asked = request.GET.get("q", "").replace("\0", "").strip()
    if asked:
        rows = rows.filter(pk__in=_of_players(request, club, asked))
    rows = rows.select_related("table__round__event").order_by("-played_at", "-pk")
    part = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    keys = [row.pk for row in part.object_list]
    sheets = {sheet.row.pk: sheet for sheet in load_sheets(Game.objects.filter(pk__in=keys))}
    lines = [
        (row, words.name_of(rules_of(row)), state_of(sheet.game, sheet.outcome, row.players))
        for row, sheet in ((row, sheets[row.pk]) for row in part.object_list)
    ]
    page = {"club": club, "asked": asked, "part": part, "lines": lines}
    return render(request, "tournaments/club_games.html", page)


def _of_players(request: HttpRequest, club: Club, asked: str) -> QuerySet[Any, Any]:
    """The games of the players who are called like that."""
    players = Player.objects.present().filter(club=club).matching(asked)
    if not directs_club(request, club):
        # Whoever is shown by initials is not found by the name behind them.
        players = players.filter(initials=False)
    return Seat.objects.filter(player__in=players).values("game")


@never_cache
@require_safe
def club_game(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """The sheet of a club's game, for whoever may see its evening."""
    seen = Game.objects.seen_by(request.user).select_related("table__round__event__club")
    row = get_object_or_404(seen, public_id=public_id, table__round__event__club__slug=slug)
    assert row.table is not None
    event = row.table.round.event
    page = follow_page(request, row) | {
        "club": event.club,
        "event": event,
        "table": row.table,
        "directs": directs_club(request, event.club),
        "write": address(row, "write"),
    }
    return render(request, "tournaments/club_game.html", page)
