"""The month report of a club as a document, for its members."""

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from tournaments.models import Report
from tournaments.permissions import members_club
from tournaments.queries.site import month_key, months_of
from tournaments.web.documents.asked import ask_for_members


@never_cache
@require_POST
def club_month(request: HttpRequest, slug: str) -> HttpResponse:
    """Request the report of a month in which the club held something."""
    club = members_club(request, slug)
    asked = request.POST.get("month", "")
    if asked not in map(month_key, months_of(club, timezone.localdate())):
        raise Http404
    return ask_for_members(request, Report.Kind.CLUB_MONTH, club, {"month": asked})
