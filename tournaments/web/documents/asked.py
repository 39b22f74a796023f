"""Documents of a player or a club, requested on the page they belong to."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from tournaments.models import Club, Player, Report
from tournaments.permissions import account_of
from tournaments.reports.documents import formats_of
from tournaments.services.documents.reporting import Order, request_document
from tournaments.texts.documents import NAMES, NOTES
from tournaments.web.documents.event_documents import language_of
from tournaments.web.documents.pages import to_report


def asking(kind: Report.Kind) -> dict[str, Any]:
    """Return the context of a form that requests a document (no query)."""
    return {
        "title": NAMES[kind],
        "note": NOTES[kind],
        "formats": formats_of(kind),
        "languages": settings.LANGUAGES,
    }


def ask_for_members(
    request: HttpRequest, kind: Report.Kind, subject: Player | Club, parameters: dict[str, Any]
) -> HttpResponse:
    """Request a document for members of a club, in the chosen format."""
    form = request.POST.get("format", "")
    if form not in formats_of(kind):
        raise Http404
    club = subject if isinstance(subject, Club) else subject.club
    order = Order(
        kind=kind,
        subject=subject,
        audience=Report.Audience.MEMBERS,
        language=language_of(request),
        format=Report.Format(form),
        paper=club.paper,
        parameters=parameters,
        asked_by=account_of(request),
    )
    return to_report(request_document(order, timezone.now()))
