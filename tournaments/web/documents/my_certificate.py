"""The certificate of the entrant whose phone asks, after the end of a tournament."""

from allauth.core.ratelimit import consume, respond_429
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from tournaments.models import Report, Tournament
from tournaments.origin import absolute
from tournaments.permissions import account_of, role_in, seen_tournament
from tournaments.reports.hall import ENTRANT
from tournaments.services.documents.reporting import Order, request_document
from tournaments.web.documents.pages import to_report
from tournaments.web.tournaments.my_card import entrant_known


@never_cache
@require_POST
def my_certificate(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Request the certificate of the entrant known on this phone, as everybody may see it."""
    row = seen_tournament(request, slug, tournament)
    known = entrant_known(request, row)
    if known is None or row.state != Tournament.State.FINISHED:
        raise Http404
    if role_in(request, row.event.club) is None and not consume(request, action="ask_document"):
        refused: HttpResponse = respond_429(request)
        return refused
    order = Order(
        kind=Report.Kind.CERTIFICATES,
        subject=row.event,
        audience=Report.Audience.VISITORS,
        language=get_language() or "en",
        paper=row.event.club.paper,
        parameters={"host": absolute(request, "/"), ENTRANT: known[0]},
        asked_by=account_of(request),
    )
    return to_report(request_document(order, timezone.now()))
