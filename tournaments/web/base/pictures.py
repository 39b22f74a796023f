"""The answer with a picture that the worker draws."""

import time
from threading import BoundedSemaphore

from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournaments.models import Report
from tournaments.presenters.documents import CONTENT_TYPES, file_name

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
    later = _("The picture is being drawn. Try again in a moment.")
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
