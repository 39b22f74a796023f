"""The home page: a new table, this phone's games, a sample, and display preferences."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from tournaments.engine.rules.rulesets import Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Event, Member
from tournaments.permissions import account_of
from tournaments.presenters.games.evenings import beginning_of, begins
from tournaments.presenters.games.sheets import state_of
from tournaments.queries.games.sheets import Sheet, load_kept_sheets, rules_of
from tournaments.queries.ratings.ratings import has_ratings
from tournaments.queries.rulesets import find_ruleset
from tournaments.queries.site import coming, playing_now
from tournaments.services.games.tables import start_sample
from tournaments.texts import labels
from tournaments.web.base.going_back import keep_for_going_back
from tournaments.web.base.link_preview import LinkPreview, link_preview
from tournaments.web.base.phone import (
    A_YEAR,
    LastTable,
    PhoneGame,
    address,
    new_key,
    phone_games,
    phone_table,
    remember_game,
)
from tournaments.web.clubs.front import NextEvent, next_event
from tournaments.web.clubs.pages import members_of
from tournaments.web.games.forms import NewTableForm, key_of
from tournaments.web.site.sample_sheet import sample_names, sample_sheet
from tournaments.web.tournaments.overview import playing_text

SOON = timedelta(days=14)
SHOWN = 4
MOST_LOOKED_AT = 40
"""The number of coming events among which the next one of each club is looked for."""

ACCOUNT = "Kingscore-Account"
"""The header in which kept pages say for whose account they are, to those who cannot know it."""

PREFERENCES = {"theme": ("auto", "light", "dark"), "suits": ("two", "four")}
"""Display preferences, each kept in a cookie of its name; the first value is the default."""


@dataclass(frozen=True)
class PhoneGameRow:
    game: PhoneGame
    sheet: Sheet
    ruleset: str
    state: str
    delete: str


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the home page.

    5 queries; 1 more after a game by house rules, 1 for tables being played, and 2 for the clubs of
    a signed-in user.
    """
    games = phone_games(request)
    sheets = {sheet.row: sheet for sheet in load_kept_sheets(game.row for game in games)}
    last = phone_table(request)
    rules = find_ruleset(last.ruleset, request.user) if last.players else None
    page = {
        "again": _again(last, rules) if rules is not None else None,
        "again_players": last.players,
        "again_ruleset": labels.name_of(rules) if rules is not None else "",
        "again_begins": begins(rules) if rules is not None else "",
        "again_question": beginning_of(rules).question if rules is not None else "",
        "games": [_line(game, sheets[game.row]) for game in games if game.row in sheets],
        **_events(request),
        "preview": _preview(request),
        "sample": None if last.players else sample_sheet(get_language() or ""),
        "server_rated": has_ratings(None),
        "deleted": "deleted" in request.GET,
        "empty_sheets": [(id_, labels.ruleset_name(id_)) for id_ in RULESETS],
        "key": new_key(),
    }
    response = render(request, "tournaments/site/home.html", page)
    if not games and not last.players:
        keep_for_going_back(request, response)
    return response


def _events(request: HttpRequest) -> dict[str, Any]:
    """Return each club of the visitor with its next event, and public ones now and soon."""
    today = timezone.localdate()
    members = members_of(account_of(request))
    clubs = [each.club for each in members]
    public = Event.objects.listed_for(None).filter(club__published=True)
    own = Event.objects.listed_for(request.user).filter(club__in=clubs)
    following: dict[int, Any] = {}
    for event in coming(own, today)[:MOST_LOOKED_AT] if clubs else ():
        following.setdefault(event.club_id, event)
    soon = coming(public.exclude(club__in=clubs), today)
    return {
        "clubs": [(each.club, _next_event(following.get(each.club_id), each)) for each in members],
        "now": [(each, playing_text(each)) for each in playing_now(public, today)[:SHOWN]],
        "soon": soon.filter(held_on__lte=today + SOON)[:SHOWN],
    }


def _next_event(event: Event | None, member: Member) -> NextEvent | None:
    return next_event(event, member.role) if event else None


def _preview(request: HttpRequest) -> LinkPreview:
    line = _(
        "Play with real cards; write each deal here. Kingscore refuses what cannot be right and"
        " adds up."
    )
    return link_preview(request, _("The scoresheet for King"), line, static("kingscore-wide.png"))


def _again(last: LastTable, rules: Ruleset) -> NewTableForm | None:
    """Return a form for the last table again; None if its rules now have other seats."""
    if len(last.players) != rules.seats:
        return None
    return NewTableForm(table=last, rulesets={last.ruleset: rules})


@never_cache
@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    """Return the start page for phones without signal (1 query, and 2 for an account).

    It contains nothing of the account; the header lets the phone drop another account's cache.
    """
    games = [(game, labels.name_of(rules_of(game.row))) for game in phone_games(request)]
    response = render(request, "tournaments/site/offline.html", {"games": games})
    user = account_of(request)
    if user is not None:
        response[ACCOUNT] = salted_hmac(ACCOUNT, str(user.pk)).hexdigest()[:16]
    return response


@require_POST
def open_sample(request: HttpRequest) -> HttpResponse:
    """Create a half-finished game to try the program."""
    title = _("Sample game")
    row = start_sample(sample_names(), title, at=timezone.now(), key=key_of(request.POST))
    response = redirect(address(row, "write"))
    remember_game(request, response, row, "write")
    return response


@require_POST
def change_preferences(request: HttpRequest) -> HttpResponse:
    """Store theme and suit colours, and go back."""
    response = HttpResponseRedirect(_back(request))
    for name, values in PREFERENCES.items():
        if request.POST.get(name) in values:
            response.set_cookie(
                name,
                request.POST[name],
                max_age=A_YEAR,
                httponly=True,
                samesite="Lax",
                secure=request.is_secure(),
            )
    return response


def _back(request: HttpRequest) -> str:
    """Return the page of this site that the reader came from."""
    back = request.headers.get("Referer", "")
    ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, request.is_secure())
    return back if ours else "/"


def _line(game: PhoneGame, sheet: Sheet) -> PhoneGameRow:
    row = game.row
    # Only directors delete a club's game, with its table.
    deletes = game.kind == "write" and row.table_id is None
    delete = reverse("delete", args=[row.public_id, row.secret("write")]) if deletes else ""
    state = state_of(sheet.game, sheet.outcome, row.players)
    return PhoneGameRow(game, sheet, labels.name_of(sheet.game.ruleset), state, delete)
