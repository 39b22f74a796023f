"""The club in numbers, for whoever may see its ratings."""

from collections.abc import Iterable
from datetime import date

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.formats import date_format
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.models import Club, Report
from tournaments.models.clubs import DIRECTING
from tournaments.queries.clubs import month_key, months_of
from tournaments.telling.club_numbers import Wanted
from tournaments.telling.league import Looker
from tournaments.visitors import role_in
from tournaments.web.clubs.records_view import numbers_shown
from tournaments.web.documents.asked import asking


@never_cache
@require_safe
def club_records(request: HttpRequest, slug: str) -> HttpResponse:
    """Champions, records, and when and how often a club plays, of all the time or a season."""
    club = get_object_or_404(Club.objects.showing_ratings_to(request.user), slug=slug)
    role = role_in(request, club)
    looker = Looker(member=role is not None, directs=role in DIRECTING)
    wanted = Wanted(request.GET.get("game", ""), request.GET.get("season", ""), looker)
    shown = numbers_shown(club, request.user, wanted)
    page = {"club": club, "looker": looker, "scope": shown.scope, "numbers": shown.html}
    if looker.member:
        months = months_of(club, timezone.localdate())
        page |= {"asking": asking(Report.Kind.CLUB_MONTH), "months": _choices(months)}
    return render(request, "tournaments/club_records.html", page)


def _choices(months: Iterable[date]) -> list[tuple[str, str]]:
    """Months to choose from, as they are sent and as they are called."""
    return [(month_key(month), date_format(month, "YEAR_MONTH_FORMAT")) for month in months]
