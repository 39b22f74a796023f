"""The seasons of a club."""

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from tournaments.models import Club, Event, Season
from tournaments.models.clubs import LeaguePoints
from tournaments.permissions import actor_of, directed_club, directs_club, seen_club
from tournaments.services.events.events import (
    OtherLeaguePoints,
    SeasonCountsOthers,
    SeasonInUse,
    SeasonNameTaken,
    change_season,
    create_season,
    points_added,
    remove_season,
)
from tournaments.services.tournaments.lifecycle import put_in_season
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.events.forms import SeasonForm


@kept_for_going_back
@require_http_methods(["GET", "HEAD", "POST"])
def seasons(request: HttpRequest, slug: str) -> HttpResponse:
    """List the seasons of a club with their number of evenings; directors can add one."""
    if request.method != "POST":
        club = seen_club(request, slug)
        return _list(request, club, SeasonForm())
    club = directed_club(request, slug)
    form = SeasonForm(request.POST)
    if form.is_valid():
        try:
            create_season(club, form.dates, actor_of(request), at=timezone.now())
        except SeasonNameTaken as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, _("Saved."))
            return redirect("seasons", slug)
    return _list(request, club, form, status=422)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def season(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change or delete a season."""
    row = _season(request, slug, pk)
    form, status = SeasonForm.of(row), 200
    if request.method == "POST":
        form, status = SeasonForm(request.POST), 422
        if form.is_valid():
            try:
                change_season(row.pk, form.dates, actor_of(request), at=timezone.now())
            except SeasonNameTaken as error:
                form.add_error("name", str(error))
            except SeasonCountsOthers as error:
                form.add_error("league_points", str(error))
            else:
                messages.success(request, _("Saved."))
                return redirect("seasons", slug)
    events = row.club.events.select_related("tournament").order_by("held_on", "pk")
    of_days = events.filter(season=None, held_on__range=(row.starts_on, row.ends_on))
    page = {
        "club": row.club,
        "season": row,
        "form": form,
        "members": list(events.filter(season=row)),
        "offered": list(of_days),
        "mixed": row.league_points != LeaguePoints.EVENING and len(points_added(row)) > 1,
    }
    return render(request, "tournaments/events/season.html", page, status=status)


@require_POST
def put_in(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Put evenings and tournaments into a season, finished ones too."""
    return _move(request, _season(request, slug, pk), pk)


@require_POST
def take_out(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take evenings and tournaments out of a season."""
    return _move(request, _season(request, slug, pk), None)


def _move(request: HttpRequest, row: Season, into: int | None) -> HttpResponse:
    """Put the events that are sent into a season or take them out; those refused stay."""
    wanted = row.club.events.filter(public_id__in=request.POST.getlist("event"))
    # From elsewhere they are moved on their own pages, and what was moved twice stays.
    wanted = wanted.filter(season=None if into else row)
    moved = 0
    for event_pk in wanted.order_by("held_on", "pk").values_list("pk", flat=True):
        try:
            put_in_season(event_pk, into, actor_of(request), at=timezone.now())
            moved += 1
        except OtherLeaguePoints as error:
            messages.error(request, str(error))
    if moved:
        messages.success(request, _("Saved."))
    return redirect("season", row.club.slug, row.pk)


@require_POST
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete a season without evenings."""
    row = directed_club(request, slug).seasons.filter(pk=pk).first()
    if row is None:
        # Tapped twice.
        return redirect("seasons", slug)
    try:
        remove_season(row.pk, actor_of(request), at=timezone.now())
    except SeasonInUse as error:
        messages.error(request, str(error))
        return redirect("season", slug, pk)
    messages.success(request, _("%(name)s is removed.") % {"name": row.name})
    return redirect("seasons", slug)


def _season(request: HttpRequest, slug: str, pk: int) -> Season:
    club = directed_club(request, slug)
    return get_object_or_404(Season.objects.select_related("club"), club=club, pk=pk)


def _list(request: HttpRequest, club: Club, form: SeasonForm, status: int = 200) -> HttpResponse:
    seen = Event.objects.listed_for(request.user).filter(club=club).order_by().values("season")
    counts = dict(seen.annotate(number=Count("pk")).values_list("season", "number"))
    page = {
        "club": club,
        "seasons": [(each, counts.get(each.pk, 0)) for each in club.seasons.all()],
        "directs": directs_club(request, club),
        "form": form,
    }
    return render(request, "tournaments/events/seasons.html", page, status=status)
