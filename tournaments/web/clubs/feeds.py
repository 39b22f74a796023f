"""A club's events as a calendar, and its results as RSS."""

from collections.abc import Callable
from datetime import datetime, time, timedelta
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.feedgenerator import Rss201rev2Feed
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import conditional_page, require_safe

from tournaments.engine.rules.entries import clean_line
from tournaments.models import Club, Event
from tournaments.models.events import EventQuerySet
from tournaments.origin import absolute
from tournaments.permissions import seen_event
from tournaments.presenters.standings.standings import EVERYBODY
from tournaments.presenters.statistics.statistics import FrontReader, front_of
from tournaments.reports.calendar import calendar_of
from tournaments.texts.labels import points_text
from tournaments.web.clubs.front import last_events

RESULTS = 20
BACK = timedelta(days=60)
"""Calendars keep the events of so many days before today."""

KEPT_SECONDS = 300

View = Callable[..., HttpResponseBase]


def for_everybody(view: View) -> View:
    """Answer what is published about a club: cached, with an ETag, in the language of the address.

    The answer depends on the address alone, so that any cache may keep it.
    """

    @wraps(view)
    def answer(request: HttpRequest, slug: str, **where: str) -> HttpResponseBase:
        club = get_object_or_404(Club, slug=slug, published=True)
        wanted = request.GET.get("language", "")
        language = wanted if wanted in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
        with translation.override(language):
            shown = view(request, club, **where)
        # Scripts of any site may read it, too: no cookie counts.
        shown["Access-Control-Allow-Origin"] = "*"
        return shown

    kept = cache_control(public=True, max_age=KEPT_SECONDS)(conditional_page(answer))
    return require_safe(kept)


def page_of(request: HttpRequest, event: Event) -> str:
    """Return the whole address of an event's page."""
    return absolute(request, reverse("event", args=[event.club.slug, event.public_id]))


def calendar_response(request: HttpRequest, name: str, events: EventQuerySet) -> HttpResponse:
    """Return events as a calendar, without those long past (1 query)."""
    since = timezone.localdate() - BACK
    rows = events.filter(held_on__gte=since).select_related("club").order_by("held_on", "pk")
    content = calendar_of(name, rows, lambda event: page_of(request, event))
    return HttpResponse(content, content_type="text/calendar; charset=utf-8")


@for_everybody
def club_calendar(request: HttpRequest, club: Club) -> HttpResponse:
    """Return the published events of a club as a calendar to subscribe to."""
    return calendar_response(request, club.name, Event.objects.listed_for(None).filter(club=club))


@never_cache
@require_safe
def event_calendar(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Return one event as a calendar, to add it to one's own."""
    event = seen_event(request, slug, public_id)
    return calendar_response(request, event.name, Event.objects.filter(pk=event.pk))


@for_everybody
def club_results(request: HttpRequest, club: Club) -> HttpResponse:
    """Return the winners of the last published evenings as RSS."""
    events = Event.objects.listed_for(None).filter(club=club).select_related("club")
    past = list(last_events(events, ())[:RESULTS])
    today = timezone.localdate()
    found = front_of(club, FrontReader(None, EVERYBODY, records=False), None, past, today)
    feed = Rss201rev2Feed(
        title=clean_line(club.name),
        link=absolute(request, reverse("club", args=[club.slug])),
        description=_("Winners of the last evenings"),
        language=translation.get_language(),
        feed_url=absolute(request, request.get_full_path()),
    )
    for event in past:
        winner = found.winners.get(event.pk)
        if winner is None or not winner.players:
            continue
        names = ", ".join(found.names[player].name for player in winner.players)
        link = page_of(request, event)
        feed.add_item(
            title=clean_line(f"{event.name}: {names}, {points_text(winner.points)}"),
            link=link,
            unique_id=link,
            description=clean_line(", ".join([names, *event.details])),
            pubdate=timezone.make_aware(datetime.combine(event.held_on, time.max)),
        )
    return HttpResponse(feed.writeString("utf-8"), content_type=feed.content_type)
