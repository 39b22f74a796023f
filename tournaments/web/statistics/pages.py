"""The statistics of a club, for visitors who may see its ratings."""

from collections.abc import Iterable
from datetime import date

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tournaments.models import Club, Report
from tournaments.models.clubs import DIRECTING
from tournaments.permissions import role_in
from tournaments.presenters.standings.standings import LeagueReader
from tournaments.presenters.statistics.statistics import Wanted
from tournaments.queries.site import month_key, months_of
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.base.link_preview import club_page_preview
from tournaments.web.documents.asked import asking
from tournaments.web.statistics.view import numbers_shown


@kept_for_going_back
@require_safe
def club_records(request: HttpRequest, slug: str) -> HttpResponse:
    """Show champions, records and playing times of a club, for all time or for a season."""
    club = get_object_or_404(Club.objects.showing_ratings_to(request.user), slug=slug)
    role = role_in(request, club)
    looker = LeagueReader(member=role is not None, directs=role in DIRECTING)
    wanted = Wanted(request.GET.get("game", ""), request.GET.get("season", ""), looker)
    shown = numbers_shown(club, request.user, wanted)
    line = _("Records, champions and playing times of %(club)s.")
    page = {
        "club": club,
        "looker": looker,
        "scope": shown.scope,
        "numbers": shown.html,
        "preview": club_page_preview(request, club, _("The club in numbers"), line),
    }
    if looker.member:
        months = months_of(club, timezone.localdate())
        page |= {"asking": asking(Report.Kind.CLUB_MONTH), "months": _choices(months)}
    return render(request, "tournaments/statistics/club.html", page)


def _choices(months: Iterable[date]) -> list[tuple[str, str]]:
    return [(month_key(month), date_format(month, "YEAR_MONTH_FORMAT")) for month in months]
