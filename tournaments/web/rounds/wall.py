"""The page for the wall: the clock, who sits where, the standings, and who still plays.

It shows one screen after another: each names the one that comes next, and how long it stays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.models import Round
from tournaments.queries.tournaments import Course, load_course
from tournaments.telling.wall import seated, shown_round, still_playing, top_places
from tournaments.visitors import seen_tournament
from tournaments.web.scoring.clock_view import clock_of
from tournaments.web.scoring.pages import number_in
from tournaments.web.tournaments.words import round_name

TABLES_ON_A_SCREEN, PLACES_ON_A_SCREEN, GOING_ON_A_SCREEN = 10, 12, 40
"""So many can be read from ten metres; the sizes of the letters are in `wall.css`."""

SECONDS = 10
"""How long a screen stays."""


@dataclass(frozen=True)
class Screen:
    """One of the screens: `kind` names its template part, `number` of `of` those of its kind."""

    kind: str
    rows: Sequence[Any] = ()
    number: int = 1
    of: int = 1


@never_cache
@require_safe
def wall(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """The round that is played now, for everybody in the room."""
    row = seen_tournament(request, slug, tournament)
    now = timezone.now()
    course = load_course(row)
    place = shown_round(course)
    screens = screens_of(course, place)
    at = number_in(request.GET, "screen", 0) % len(screens)
    following = (at + 1) % len(screens)
    page = {
        "tournament": row,
        "event": row.event,
        "club": row.event.club,
        "round": place,
        "round_name": "" if place is None else round_name(place),
        "clock": None if place is None else clock_of(place, now),
        "screen": screens[at],
        "next": f"{reverse('wall', args=[slug, row.slug])}?screen={following}",
        "seconds": SECONDS,
    }
    fragment = bool(request.htmx)  # type: ignore[attr-defined]
    template = "tournaments/_wall.html" if fragment else "tournaments/wall.html"
    return render(request, template, page)


def screens_of(course: Course, place: Round | None) -> list[Screen]:
    """All screens, in their order; there is always one."""
    screens: list[Screen] = []
    if place is not None and place.closed_at is None:
        screens += _in_parts("seating", seated(course, place), TABLES_ON_A_SCREEN)
    screens += _in_parts("standings", top_places(course), PLACES_ON_A_SCREEN)
    if place is not None and place.is_open:
        screens += _in_parts("going", still_playing(place), GOING_ON_A_SCREEN)
    return screens or [Screen("nothing")]


def _in_parts(kind: str, rows: Sequence[Any], size: int) -> list[Screen]:
    parts = [rows[at : at + size] for at in range(0, len(rows), size)]
    return [Screen(kind, part, number, len(parts)) for number, part in enumerate(parts, 1)]
