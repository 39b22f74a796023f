"""Pages of a club's statistics."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from hashlib import sha256
from typing import Any

from django.core.cache import caches
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.dates import WEEKDAYS, WEEKDAYS_ABBR
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from tournaments.engine.statistics import NIGHT, ClubSums
from tournaments.models import Club, RatedRound, Report, Visitor
from tournaments.permissions import club_with_ratings, members_club, role_in
from tournaments.queries.player_pages import named_player
from tournaments.queries.site import month_key, version_of_games
from tournaments.queries.site import months_of as site_months_of
from tournaments.queries.standings import LeagueReader
from tournaments.queries.statistics import (
    Champion,
    NumbersFilter,
    Wanted,
    numbers_of,
    rows_of_numbers,
)
from tournaments.services.events.events import dates_of
from tournaments.texts.labels import points_text
from tournaments.web.base.pages import cached_for_going_back
from tournaments.web.base.phone import club_page_preview
from tournaments.web.documents.views import ask_for_members, asking
from tournaments.web.standings.tables import KEPT_SECONDS

YEAR_MONTH = "YEAR_MONTH_FORMAT"
SHADES = 5
MONTHS = 12
"""The number of months in the table."""

Months = Sequence[tuple[int, int, int]]
"""Year, month and number of games."""


def week_of(hours: Mapping[tuple[int, int], int]) -> dict[str, Any] | None:
    """Return games by hour and weekday, from the first to the last hour in which a game began.

    `days` are names, short and long, from Monday. The shades of cells go from 0 to `SHADES`.
    """
    if not hours:
        return None
    first = NIGHT.seconds // 3600
    order = [(first + n) % 24 for n in range(24)]
    at = sorted(order.index(hour) for _day, hour in hours)
    most = max(hours.values())
    rows = []
    for hour in order[at[0] : at[-1] + 1]:
        counts = [hours.get((day, hour), 0) for day in range(7)]
        # Rounded up, so that a single game is visible.
        cells = [{"games": games, "shade": -(-SHADES * games // most)} for games in counts]
        rows.append({"label": f"{hour:02}", "cells": cells, "games": sum(counts)})
    by_day = [sum(hours.get((day, hour), 0) for hour in order) for day in range(7)]
    days = [(str(WEEKDAYS_ABBR[day]), str(WEEKDAYS[day])) for day in range(7)]
    return {"days": days, "rows": rows, "by_day": by_day}


def months_of(months: Months) -> list[dict[str, Any]]:
    labels = [
        (date_format(date(year, month, 1), YEAR_MONTH), games)
        for year, month, games in reversed(months[-MONTHS:])
    ]
    return _spans(labels)


def years_of(months: Months) -> list[dict[str, Any]]:
    """Return the years, the latest first, if not all months are shown."""
    if len(months) <= MONTHS:
        return []
    years: Counter[int] = Counter()
    for year, _month, games in months:
        years[year] += games
    return _spans([(str(year), years[year]) for year in sorted(years, reverse=True)])


def _spans(counted: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    most = max((games for _label, games in counted), default=1)
    return [
        {"label": label, "games": games, "bar": -(-100 * games // most)} for label, games in counted
    ]


def cached_numbers(
    club: Club, visitor: Visitor, wanted: Wanted
) -> tuple[SafeString, NumbersFilter]:
    """Return the statistics as a fragment, and its filters.

    Cached by this process until a change (4 queries, then none).
    """
    seasons = list(club.seasons.all())
    details = [(s.pk, dates_of(s)) for s in seasons]
    rated = RatedRound.objects.filter(pool__club=club).order_by("-pk").values_list("pk", flat=True)
    version = (*version_of_games(club, visitor), rated.first())
    day = timezone.localdate()
    content = repr((club.pk, details, version, wanted, day, get_language()))
    key = f"club-numbers-{sha256(content.encode()).hexdigest()}"
    cached: tuple[SafeString, NumbersFilter] | None = caches["pages"].get(key)
    if cached is None:
        scope, sums, champion = numbers_of(club, visitor, wanted, seasons)
        page = _page(club, sums, wanted.reader, champion)
        cached = render_to_string("tournaments/statistics/_numbers.html", page), scope
        caches["pages"].set(key, cached, KEPT_SECONDS)
    return cached


def _page(
    club: Club, sums: ClubSums, reader: LeagueReader, champion: Champion | None
) -> Mapping[str, Any]:
    players, public_ids = rows_of_numbers(sums, champion)
    names = {pk: named_player(club, row, member=reader.member) for pk, row in players.items()}
    most = max((each.games for each in sums.active), default=1)
    return {
        "club": club,
        "sums": sums,
        "champion": champion,
        "crowned": [names[player] for player in (champion.players if champion else ())],
        "records": [
            (
                title,
                [
                    {
                        "value": text(record.value),
                        "names": [names[player] for player in record.players],
                        "url": reverse("club_game", args=[club.slug, public_ids[record.key]]),
                        "day": record.at.date(),
                    }
                    for record in holders
                ],
            )
            for title, holders, text in (
                (_("Highest game"), sums.highest, points_text),
                (_("Lowest game"), sums.lowest, points_text),
                (_("Most Kings"), sums.kings, str),
                (
                    _("Longest run out"),
                    sums.runs,
                    lambda number: (
                        ngettext("%(number)s game", "%(number)s games", int(number))
                        % {"number": number}
                    ),
                ),
            )
            if holders
        ],
        "active": [
            {
                "named": names[a.player],
                "games": a.games,
                "evenings": a.evenings,
                "bar": max(1, 100 * a.games // most),
            }
            for a in sums.active
        ],
        "week": week_of(sums.hours),
        "months": months_of(sums.months),
        "years": years_of(sums.months),
    }


@cached_for_going_back
@require_safe
def club_records(request: HttpRequest, slug: str) -> HttpResponse:
    """Show champions, records and playing times of a club, for all time or for a season."""
    club = club_with_ratings(request, slug)
    reader = LeagueReader.of(role_in(request, club))
    wanted = Wanted(request.GET.get("game", ""), request.GET.get("season", ""), reader)
    html, scope = cached_numbers(club, request.user, wanted)
    line = _("Records, champions and playing times of %(club)s.")
    page = {
        "club": club,
        "reader": reader,
        "scope": scope,
        "numbers": html,
        "preview": club_page_preview(request, club, _("The club in numbers"), line),
    }
    if reader.member:
        months = site_months_of(club, timezone.localdate())
        page |= {"asking": asking(Report.Kind.CLUB_MONTH)}
        page["months"] = [(month_key(each), date_format(each, YEAR_MONTH)) for each in months]
    return render(request, "tournaments/statistics/club.html", page)


@require_POST
def club_month(request: HttpRequest, slug: str) -> HttpResponse:
    """Request the report of a month in which the club held something."""
    club = members_club(request, slug)
    month = request.POST.get("month", "")
    if month not in map(month_key, site_months_of(club, timezone.localdate())):
        raise Http404
    return ask_for_members(request, Report.Kind.CLUB_MONTH, club, {"month": month})
