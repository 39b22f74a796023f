"""The wall page: the clock, the seating, the standings, and the running tables.

It shows one screen after another: each names the next one and its own duration.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.models import Round
from tournaments.permissions import seen_tournament
from tournaments.presenters.rounds.wall import seated, shown_round, still_playing, top_places
from tournaments.queries.tournaments.state import TournamentState, load_state
from tournaments.texts.labels import round_name
from tournaments.web.base.htmx import HtmxRequest
from tournaments.web.games.clock_view import clock_of
from tournaments.web.games.pages import number_in

TABLES_ON_A_SCREEN, PLACES_ON_A_SCREEN, GOING_ON_A_SCREEN = 12, 12, 40
"""The most on a screen that is readable from ten metres; `wall.js` makes the type fill it."""

SECONDS = 10
"""The duration of a screen."""


@dataclass(frozen=True)
class Screen:
    """A screen: `kind` is its template part; it is `number` of `of` screens of that kind."""

    kind: str
    rows: Sequence[Any] = ()
    number: int = 1
    of: int = 1


@never_cache
@require_safe
def wall(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    """Show the current round to everybody in the room."""
    row = seen_tournament(request, slug, tournament)
    now = timezone.now()
    state = load_state(row)
    round_ = shown_round(state)
    screens = screens_of(state, round_)
    at = number_in(request.GET, "screen", 0) % len(screens)
    following = (at + 1) % len(screens)
    path = reverse("wall", args=[slug, row.slug])
    page = {
        "tournament": row,
        "event": row.event,
        "club": row.event.club,
        "round": round_,
        "round_name": "" if round_ is None else round_name(round_),
        "clock": None if round_ is None else clock_of(round_, now),
        "unstarted": round_ is not None and not (round_.clock_started_at or round_.clock_used),
        "screen": screens[at],
        "here": f"{path}?screen={at}",
        "next": f"{path}?screen={following}",
        "seconds": SECONDS,
    }
    fragment = bool(request.htmx)
    template = "tournaments/rounds/_wall.html" if fragment else "tournaments/rounds/wall.html"
    return render(request, template, page)


def screens_of(state: TournamentState, round_: Round | None) -> list[Screen]:
    """Return all screens in order; there is at least one."""
    screens: list[Screen] = []
    going = still_playing(round_) if round_ is not None and round_.is_open else None
    if round_ is not None and round_.closed_at is None:
        screens += _in_parts("seating", seated(state, round_, going), TABLES_ON_A_SCREEN)
    for _section, places in groupby(top_places(state), lambda each: each.section):
        screens += _in_parts("standings", list(places), PLACES_ON_A_SCREEN)
    screens += _in_parts("going", going or [], GOING_ON_A_SCREEN)
    return screens or [Screen("nothing")]


def _in_parts(kind: str, rows: Sequence[Any], size: int) -> list[Screen]:
    """Return the rows on as few screens as possible, each with about as many."""
    screens = -(-len(rows) // size)
    size = -(-len(rows) // max(1, screens)) or 1
    parts = [rows[at : at + size] for at in range(0, len(rows), size)]
    return [Screen(kind, part, number, len(parts)) for number, part in enumerate(parts, 1)]
