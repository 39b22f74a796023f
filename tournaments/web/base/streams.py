"""Decide who may hear of changes on a page, and of which.

`kingscore/streams.py` turns the answer into a stream. Another server passes it on as it is: no
content, and the page polls.
"""

from collections.abc import Callable, Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import Resolver404, resolve
from django.views.decorators.http import require_GET

from tournaments.models import Club, OpenTable, RatingPool, Tournament
from tournaments.permissions import (
    directs_club,
    network_of,
    seen_event,
    seen_tournament,
    writable_game,
)
from tournaments.queries.games.versions import mark_followed

TOPIC, NETWORK = "Kingscore-Topic", "Kingscore-Network"
"""Headers for the server, which no client gets to see."""


@require_GET
def stream(request: HttpRequest, page: str) -> HttpResponse:
    """Return the topic of a page as a header, for those who may see the page."""
    try:
        match = resolve(f"/{page}")
        topic = TOPICS[str(match.url_name)](request, **match.kwargs)
    except (Resolver404, KeyError) as error:
        raise Http404 from error
    return HttpResponse(status=204, headers={TOPIC: topic, NETWORK: network_of(request)})


def _followed(_request: HttpRequest, public_id: str, secret: str) -> str:
    if mark_followed(public_id, secret) is None:
        raise Http404
    return f"game {public_id}"


def _written(request: HttpRequest, public_id: str, secret: str) -> str:
    if not writable_game(request, public_id, secret).exists():
        raise Http404
    return f"game {public_id}"


def _evening(_request: HttpRequest, public_id: str, secret: str) -> str:
    get_object_or_404(OpenTable.objects.readable_at(public_id, secret))
    return f"evening {public_id}"


def _event(request: HttpRequest, slug: str, public_id: str) -> str:
    return f"club {seen_event(request, slug, public_id).club_id}"


def _tournament(request: HttpRequest, slug: str, tournament: str) -> str:
    row = seen_tournament(request, slug, tournament)
    return _strip(request, row) or f"club {row.event.club_id}"


def _round(request: HttpRequest, slug: str, tournament: str, number: int = 0) -> str:
    return f"round {seen_tournament(request, slug, tournament).event.club_id}"


def _standings(request: HttpRequest, slug: str, tournament: str) -> str:
    row = seen_tournament(request, slug, tournament)
    return _strip(request, row) or f"standings {row.pk}"


def _strip(request: HttpRequest, row: Tournament) -> str:
    """Return the topic of the strip that directors have on top; empty for all others."""
    club = row.event.club
    return f"round {club.pk}" if directs_club(request, club) else ""


def _club_ratings(request: HttpRequest, slug: str) -> str:
    pools = RatingPool.objects.seen_by(request.user).filter(club__slug=slug)
    club = pools.values_list("club", flat=True).first()
    if club is None:
        club = get_object_or_404(Club.objects.of_member(request.user), slug=slug).pk
    return f"ratings {club}"


TOPICS: Mapping[str, Callable[..., str]] = {
    "follow": _followed,
    "write": _written,
    "evening": _evening,
    "evening_games": _evening,
    "event": _event,
    "tournament": _tournament,
    "running": _round,
    "live_board": _round,
    "wall": _tournament,
    "standings": _standings,
    "club_ratings": _club_ratings,
    "server_ratings": lambda _request: "ratings 0",
}
"""The check of a page, which returns its topic, by the name of its route."""
