"""Feeds of a club, and what other sites embed."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, time, timedelta
from functools import wraps
from itertools import islice
from urllib.parse import urlencode

from csp.decorators import csp_replace
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.feedgenerator import Rss201rev2Feed
from django.utils.formats import date_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import conditional_page, require_safe

from tournaments.engine.rules.entries import clean_line
from tournaments.engine.rules.rulesets import Points
from tournaments.models import Club, Event, Player, RatingPool, Tournament
from tournaments.models.events import EventQuerySet
from tournaments.origin import absolute
from tournaments.permissions import seen_club, seen_event
from tournaments.queries.player_pages import named_player
from tournaments.queries.ratings import CurrentRatings, pools_with_ratings
from tournaments.queries.site import coming
from tournaments.queries.standings import EVERYBODY, public_league, standings_seen
from tournaments.queries.state import load_state
from tournaments.queries.statistics import FrontReader, front_of
from tournaments.reports.calendar import calendar_of
from tournaments.texts.labels import points_text
from tournaments.web.clubs.views import last_events

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
            response = view(request, club, **where)
        # Scripts of any site may read it, too: no cookie counts.
        response["Access-Control-Allow-Origin"] = "*"
        return response

    cached = cache_control(public=True, max_age=KEPT_SECONDS)(conditional_page(answer))
    return require_safe(cached)


def page_of(request: HttpRequest, event: Event) -> str:
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


@require_safe
def event_calendar(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    event = seen_event(request, slug, public_id)
    return calendar_response(request, event.name, Event.objects.filter(pk=event.pk))


class ResultsFeed(Rss201rev2Feed):
    def latest_post_date(self) -> datetime:
        # Without items Django takes the time of now, which is another feed each second.
        return super().latest_post_date() if self.items else self.feed["created_at"]


@for_everybody
def club_results(request: HttpRequest, club: Club) -> HttpResponse:
    """Return the winners of the last published evenings as RSS."""
    events = Event.objects.listed_for(None).filter(club=club).select_related("club")
    past = list(last_events(events, ())[:RESULTS])
    today = timezone.localdate()
    found = front_of(club, FrontReader(None, EVERYBODY, records=False), None, past, today)
    feed = ResultsFeed(
        title=clean_line(club.name),
        link=absolute(request, reverse("club", args=[club.slug])),
        description=_("Winners of the last evenings"),
        language=translation.get_language(),
        feed_url=absolute(request, request.get_full_path()),
        created_at=club.created_at,
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


SHOWN = 10
COLOURS = {"paper": "faf7ef", "ink": "1d1c18", "accent": "1d6843"}
"""The colours of the page in a frame, and what they are by default."""

HEX = re.compile(r"[0-9a-fA-F]{6}")

Row = tuple[str, str, str, str]
"""What stands before the name, the name, its address or none, and what follows."""

ClubPart = tuple[str, str, Iterable[Row]]
"""A part of a club: its title, the address of its page here, and its first rows."""


def _events(request: HttpRequest, club: Club) -> ClubPart:
    seen = coming(Event.objects.listed_for(None).filter(club=club), timezone.localdate())
    rows = [
        (
            date_format(event.held_on, "MONTH_DAY_FORMAT"),
            event.name,
            page_of(request, event),
            event.starts_at,
        )
        for event in seen[:SHOWN]
    ]
    return _("Next evenings"), reverse("events", args=[club.slug]), rows


def _league(_request: HttpRequest, club: Club) -> ClubPart:
    league = public_league(club, timezone.localdate())
    if league is None:
        raise Http404
    season, found = league
    lines = ((row.place, [found.people[row.player]], row.points) for row in found.rows)
    url = reverse("league", args=[club.slug, season.pk])
    return f"{_('League')} · {season.name}", url, _rows(club, lines)


def _standings(request: HttpRequest, club: Club) -> ClubPart:
    """Return the standings of a tournament, or of the latest one (up to 6 queries)."""
    seen = Tournament.objects.counted().seen_by(None).filter(event__club=club)
    played = seen.filter(state__in=(Tournament.State.RUNNING, Tournament.State.FINISHED))
    if slug := request.GET.get("tournament", ""):
        played = played.filter(slug=slug.replace("\0", ""))
    latest = played.select_related("event__club").order_by("-event__held_on", "-pk")
    row: Tournament = get_object_or_404(latest[:1])
    state = load_state(row)
    lines = (
        (each.place, state.entrants[each.entrant].players, each.points)
        for each in standings_seen(state, directs=False).rows
    )
    return row.event.name, reverse("standings", args=[club.slug, row.slug]), _rows(club, lines)


def _ratings(_request: HttpRequest, club: Club) -> ClubPart:
    pools = pools_with_ratings(RatingPool.objects.seen_by(None).filter(club=club))
    if not pools:
        raise Http404
    board = CurrentRatings(pools[0], timezone.now(), active=True, provisional=False)
    lines = (
        (line.rank, [line.row.player], line.rating.points)
        for line in board.lines(board.keys(0, SHOWN))
    )
    return _("Ratings"), reverse("club_ratings", args=[club.slug]), _rows(club, lines)


def _rows(club: Club, lines: Iterable[tuple[int, Iterable[Player], Points]]) -> Iterator[Row]:
    for place, players, points in islice(lines, SHOWN):
        name = " + ".join(named_player(club, player, member=False).name for player in players)
        yield str(place), name, "", points_text(points)


PARTS: dict[str, Callable[[HttpRequest, Club], ClubPart]] = {
    "events": _events,
    "league": _league,
    "standings": _standings,
    "ratings": _ratings,
}


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})
@for_everybody
def embed(request: HttpRequest, club: Club, part: str) -> HttpResponse:
    """Show a part of a club as a page for the frame of another site."""
    if part not in PARTS:
        raise Http404
    title, url, rows = PARTS[part](request, club)
    page = {
        "club": club,
        "title": title,
        "url": absolute(request, url),
        "rows": list(rows),
        "colours": urlencode(_colours(request)),
        "language": get_language(),
    }
    return render(request, "tournaments/clubs/embed.html", page)


@require_safe
@cache_control(public=True, max_age=24 * 60 * 60)
def embed_colours(request: HttpRequest) -> HttpResponse:
    """Return the colours in the address as a style sheet, since pages allow no inline styles."""
    lines = "".join(f"--{name}:#{value};" for name, value in _colours(request).items())
    return HttpResponse(f":root{{{lines}}}", content_type="text/css; charset=utf-8")


def _colours(request: HttpRequest) -> dict[str, str]:
    chosen = {name: request.GET.get(name, "") for name in COLOURS}
    return {name: value for name, value in chosen.items() if HEX.fullmatch(value)}


@require_safe
def share(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the addresses of a club's feeds, and lines to copy into another site."""
    club = seen_club(request, slug)
    titles = {
        "events": _("Next evenings"),
        "league": _("League"),
        "standings": _("Standings of the latest tournament"),
        "ratings": _("Ratings"),
    }
    language = f"?language={get_language()}"

    def whole(page: str, *args: str) -> str:
        return absolute(request, reverse(page, args=[club.slug, *args])) + language

    calendar = whole("club_calendar")
    page = {
        "club": club,
        "calendar": calendar,
        "webcal": re.sub(r"^https?", "webcal", calendar),
        "results": whole("club_results"),
        "parts": [(part, title, whole("embed", part)) for part, title in titles.items()],
        "colours": "&".join(f"{name}={value}" for name, value in COLOURS.items()),
    }
    return render(request, "tournaments/clubs/share.html", page)
