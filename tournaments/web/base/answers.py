"""Answers that are no pages: pictures and streams."""

import time
from collections.abc import Callable, Mapping
from threading import BoundedSemaphore

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import Resolver404, resolve
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from tournaments.models import Club, OpenTable, RatingPool, Report, Tournament
from tournaments.permissions import (
    directs_club,
    network_of,
    seen_event,
    seen_tournament,
    writable_game,
)
from tournaments.queries.documents import CONTENT_TYPES, file_name
from tournaments.queries.versions import mark_followed

LONGEST_WAIT = 3.0
"""Seconds for which a request waits for the worker."""

LOOK_EVERY = 0.1
RETRY_AFTER = 2

WAITING = BoundedSemaphore(2)
"""Few of the threads of a process wait for pictures; the others serve pages."""


def language_of(request: HttpRequest) -> str:
    """Return the language in the address: whoever fetches a preview has none of its own."""
    chosen = request.GET.get("language", "")
    return chosen if chosen in dict(settings.LANGUAGES) else get_language() or "en"


def picture_response(report: Report) -> HttpResponseBase:
    """Return a picture, waiting a moment for it; 503 with `Retry-After` while it is not there."""
    _wait(report)
    if report.state == Report.State.DONE:
        try:
            drawn = report.file.open("rb")
        except FileNotFoundError:
            pass
        else:
            kind = CONTENT_TYPES[Report.Format.PNG]
            return FileResponse(drawn, filename=file_name(report), content_type=kind)
    later = _("The picture is being prepared. Try again in a moment.")
    headers = {"Retry-After": str(RETRY_AFTER)}
    kind = "text/plain; charset=utf-8"
    return HttpResponse(later, status=503, content_type=kind, headers=headers)


def _wait(report: Report) -> None:
    """Wait until a report is built, unless too many requests wait already."""
    if not report.is_going or not WAITING.acquire(blocking=False):
        return
    try:
        deadline = time.monotonic() + LONGEST_WAIT
        while _still_going(report) and time.monotonic() < deadline:
            time.sleep(LOOK_EVERY)
    finally:
        WAITING.release()


def _still_going(report: Report) -> bool:
    report.refresh_from_db(fields=["state", "file"])
    return report.is_going


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
    table = get_object_or_404(OpenTable.objects.readable_at(public_id, secret))
    return f"evening {table.public_id}"


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
