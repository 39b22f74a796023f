"""The first page, the guide, the state of the service, and its service worker."""

import shutil
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache, reduce
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import user_passes_test
from django.contrib.staticfiles import finders
from django.db import connection
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.crypto import salted_hmac
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.timesince import timesince
from django.utils.translation import get_language, gettext_lazy, ngettext, pgettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from tournaments.engine.play.games import Game, play
from tournaments.engine.rules.rulesets import Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Event
from tournaments.models.server import Check
from tournaments.permissions import account_of
from tournaments.photos.layout import can_be_photographed
from tournaments.queries.evenings import beginning_of, begins
from tournaments.queries.ratings import has_ratings
from tournaments.queries.rulesets import find_ruleset, offered_rulesets
from tournaments.queries.scoresheets import state_of
from tournaments.queries.sheets import Sheet, games_until, last_game_after, load_sheets, rules_of
from tournaments.queries.site import coming_at_clubs, load_running, playing_now
from tournaments.services.games.tables import RULESET, is_sample, sample_entries, start_sample
from tournaments.texts import labels
from tournaments.texts.labels import contract_short, suit_of
from tournaments.web.base.pages import access_link, cached_for_going_back, keep_for_going_back
from tournaments.web.base.phone import (
    A_YEAR,
    LastTable,
    PhoneGame,
    address,
    new_key,
    phone_games,
    phone_table,
    program_preview,
    remember_game,
)
from tournaments.web.clubs.views import members_of, next_event
from tournaments.web.games.deals.forms import form_of
from tournaments.web.games.rematch import RematchForm
from tournaments.web.games.starting import AN_EVENING, NewTableForm, key_of
from tournaments.web.tournaments.my_card import playing_text


def sample_names() -> list[str]:
    # Translators: four names usual among card players of the language, separated by commas.
    return pgettext("players of the sample game", "Alice, Ben, Clara, David").split(", ")


@cache
def sample_sheet(language: str) -> dict[str, Any]:
    """Return the sample game: after each deal the totals, and whether the player declared it."""
    game = reduce(play, sample_entries(), Game(RULESETS[RULESET]))
    with translation.override(language):
        deals = []
        for played, row in zip(game.deals, game.rows, strict=True):
            trump = played.deal.details.get("trump")
            totals = [(total, seat == played.declarer) for seat, total in enumerate(row.totals)]
            deals.append(
                {
                    "contract": contract_short(game.ruleset, played.contract.id),
                    "suit": suit_of(trump),
                    "red": trump in ("hearts", "diamonds"),
                    "totals": totals,
                }
            )
        return {"names": sample_names(), "deals": deals}


SOON = timedelta(days=14)
SHOWN = 4
MOST_LOOKED_AT = 40
"""The number of coming events among which the next one of each club is looked for."""

ACCOUNT = "Kingscore-Account"
"""The header in which kept pages say for whose account they are, to those who cannot know it."""

PREFERENCES = {"theme": ("auto", "light", "dark"), "suits": ("two", "four")}
"""Display preferences, each kept in a cookie of its name; the first value is the default."""


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the home page.

    5 queries; 1 more after a game by house rules, 1 for tables being played, 2 for the clubs of a
    signed-in user, and 3 at most after the last game of an evening.
    """
    games = phone_games(request)
    sheets = {sheet.row: sheet for sheet in load_sheets(game.row for game in games)}
    last = phone_table(request)
    page = {
        **_begin(request, [(game, sheets[game.row]) for game in games], last),
        "games": [_line(game, sheets[game.row]) for game in games],
        **_events(request),
        "preview": program_preview(request, _("The scoresheet for King")),
        "sample": None if last.players else sample_sheet(get_language() or ""),
        "server_rated": has_ratings(None),
        "deleted": "deleted" in request.GET,
        "empty_sheets": [
            (id_, labels.ruleset_name(id_), can_be_photographed(rules))
            for id_, rules in RULESETS.items()
        ],
        "key": new_key(),
    }
    response = render(request, "tournaments/site/home.html", page)
    if not games and not last.players:
        keep_for_going_back(request, response)
    return response


def _begin(
    request: HttpRequest, games: Sequence[tuple[PhoneGame, Sheet]], last: LastTable
) -> dict[str, Any]:
    """Return what goes on: a game, the next one of its evening, or the last table once more."""
    since = timezone.now() - AN_EVENING
    late = [
        (game, sheet)
        for game, sheet in games
        if not is_sample(sheet)
        and any(at >= since for at in (game.row.played_at, *(w.at for w in sheet.revisions[-1:])))
    ]
    for game, sheet in late:
        if not sheet.game.finished:
            who = sheet.row.players[sheet.game.declarer]
            turn = form_of(sheet, 0).turn_word
            return {"going": {**_line(game, sheet), "turn": turn, "who": who}}
    for game, _sheet in late:
        row = game.row
        # At a club's table its page offers the next game; a match goes on by itself.
        if game.kind == "write" and not row.table_id and not row.match_id:
            if last_game_after(row) is not None:
                break
            following = RematchForm(games_until(row), dict(offered_rulesets(request.user)))
            path = reverse("rematch", args=[row.public_id, row.secret("write")])
            starters = [(name, "first", line) for line, name in following.starters()]
            page = {"again": following, "path": path, "starters": starters}
            return page | _question(following.rules)
    rules = find_ruleset(last.ruleset, request.user) if last.players else None
    # The rules of the last table may have other seats now.
    if rules is None or len(last.players) != rules.seats:
        return {}
    again = NewTableForm(table=last, rulesets={last.ruleset: rules})
    chairs = [(name, "first_declarer", seat) for seat, name in enumerate(last.players)]
    return {"again": again, "path": reverse("new"), "starters": chairs, **_question(rules)}


def _question(rules: Ruleset) -> dict[str, Any]:
    return {
        "ruleset": labels.name_of(rules),
        "begins": begins(rules)[1],
        "question": beginning_of(rules).question,
    }


def _events(request: HttpRequest) -> dict[str, Any]:
    today = timezone.localdate()
    members = members_of(account_of(request))
    clubs = [member.club for member in members]
    public = Event.objects.listed_for(None).filter(club__published=True)
    own = Event.objects.listed_for(request.user).filter(club__in=clubs)
    following: dict[int, Any] = {}
    for event in islice(coming_at_clubs(own), MOST_LOOKED_AT) if clubs else ():
        following.setdefault(event.club_id, event)
    others = public.exclude(club__in=clubs).filter(held_on__lte=today + SOON)
    return {
        "clubs": [
            (each.club, event and next_event(event, each.role))
            for each in members
            for event in [following.get(each.club_id)]
        ],
        "now": [(each, playing_text(each)) for each in playing_now(public, today)[:SHOWN]],
        "soon": list(islice(coming_at_clubs(others), SHOWN)),
    }


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
    back = request.headers.get("Referer", "")
    ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, request.is_secure())
    return back if ours else "/"


def _line(game: PhoneGame, sheet: Sheet) -> dict[str, Any]:
    row = game.row
    # Only directors delete a club's game, with its table.
    deletes = game.kind == "write" and row.table_id is None
    return {
        "game": game,
        "sheet": sheet,
        "ruleset": labels.name_of(sheet.game.ruleset),
        "state": state_of(sheet.game, sheet.outcome, row.players),
        "delete": reverse("delete", args=[row.public_id, row.secret("write")]) if deletes else "",
    }


PICTURED = ("en", "tr", "it")
"""The languages with pictures; other languages get the first."""


@cached_for_going_back
@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    """Show nine pictures with short texts (no query)."""
    page = {
        "steps": guide_steps(),
        "link": access_link(request, "/"),
        "preview": program_preview(request, _("How to write the score")),
    }
    return render(request, "tournaments/site/guide.html", page)


def guide_steps() -> list[dict[str, Any]]:
    """Return the steps: picture, title, taps in turn, sentence, and final tap."""
    steps: list[tuple[str, str, list[str], str, str]] = [
        (
            "start",
            _("Start a table"),
            [_("New table"), _("Start")],
            _("Choose the game and type the names as you sit. Nobody needs an account."),
            "",
        ),
        (
            "contract",
            _("What was declared"),
            [],
            _("Tap the contract; for a trump, tap its suit."),
            "",
        ),
        (
            "count",
            _("Who took what"),
            [],
            _("Tap a number for each player; the last one comes by itself. Then:"),
            _("Save"),
        ),
        (
            "correct",
            _("Correct"),
            [_("Undo")],
            _("This takes back the last deal. An older one: tap its contract in the sheet."),
            "",
        ),
        (
            "pen",
            _("Hand over the scoring"),
            [_("Share"), _("Another phone writes instead of this one")],
            _("The other phone scans the code and writes; yours follows."),
            "",
        ),
        (
            "follow",
            _("Follow"),
            [_("Share"), _("Others follow")],
            _("Whoever scans this code sees every deal of the evening, and cannot write."),
            "",
        ),
        (
            "no-signal",
            _("No signal?"),
            [],
            _("Write on, or start a new table: all waits on the phone and is sent by itself."),
            "",
        ),
        (
            "end",
            _("The end"),
            [],
            _("After the last deal you see who has won. Again, or another game:"),
            _("Rematch"),
        ),
        (
            "pdf",
            _("Take the sheet home"),
            [_("Scoresheet (PDF)")],
            _("Below the sheet, at any time."),
            "",
        ),
    ]
    language = (get_language() or "").partition("-")[0]
    folder = language if language in PICTURED else PICTURED[0]
    return [
        {
            # Made by `docs/looks/shots.py`.
            "image": static(f"guide/{folder}/{picture}.png"),
            "title": title,
            "taps": taps,
            "text": text,
            "then": then,
        }
        for picture, title, taps, text, then in steps
    ]


@require_safe
def service_worker(request: HttpRequest) -> FileResponse:
    """Return the script, from the root: a worker controls only addresses below its own."""
    found = finders.find("sw.js")
    if not isinstance(found, str):
        raise Http404
    return FileResponse(Path(found).open("rb"), content_type="text/javascript; charset=utf-8")


BACKUP_EVERY = timedelta(days=2)
COPY_EVERY = timedelta(minutes=1)
CHECK_EVERY = timedelta(days=2)
LONGEST_WAIT = timedelta(minutes=15)
LEAST_ROOM = 1024**3
"""Minimum free bytes: backups and documents need some, and a full disk stops all writes."""

QUEUES = {
    "documents": gettext_lazy("Documents"),
    "ratings": gettext_lazy("Ratings"),
    "letters": gettext_lazy("E-mails"),
    "webhooks": gettext_lazy("Webhooks"),
}


@require_safe
@user_passes_test(attrgetter("is_staff"))
def show_status(request: HttpRequest) -> HttpResponse:
    """Show what runs, what waits and the last backup; warnings first."""
    now = timezone.now()
    running, room = load_running(now), shutil.disk_usage(settings.DATA)
    return render(
        request,
        "tournaments/site/status.html",
        {
            "now": now,
            "running": running,
            "room": room,
            "worries": list(worries(running, room.free, now)),
            "queues": [(QUEUES[kind], *queue) for kind, *queue in running["queues"]],
            "version": settings.VERSION,
            "database": connection.display_name,
            "copy_age": round((now - at).total_seconds()) if (at := running["copied_at"]) else None,
            "copies": bool(settings.COPY_TO),
        },
    )


def worries_of_copy(at: datetime | None, now: datetime) -> Iterator[str]:
    """Yield why a take-over would lose something."""
    if at is None:
        yield _("The continuous copy has not begun; the log of the server says why.")
    elif now - at > COPY_EVERY:
        yield _("The continuous copy is %(time)s old; the log of the server says why.") % {
            "time": timesince(at, now)
        }
    folder = Path(settings.COPY_TO)
    if folder.is_dir() and folder.stat().st_dev == settings.DATA.stat().st_dev:
        yield _("The continuous copy is on the same disk as the site: both would be lost at once.")


def worries(running: dict[str, Any], free: int, now: datetime) -> Iterator[str]:
    """Yield warnings as sentences, the worst first."""
    if missing := running["migrations_missing"]:
        yield ngettext(
            "The database is older than the program: %(count)d migration is missing.",
            "The database is older than the program: %(count)d migrations are missing.",
            missing,
        ) % {"count": missing}
    if free < LEAST_ROOM:
        yield _("The disk is almost full.")
    if running["backup"] is None:
        yield _("There is no backup yet.")
    elif now - running["backup"].ended_at > BACKUP_EVERY:
        yield _("The last backup is more than two days old.")
    if settings.COPY_TO:
        yield from worries_of_copy(running["copied_at"], now)
    if running["failed_starts"]:
        yield _(
            "The worker does not stay up: it has ended %(count)d times in a row. Documents, ratings"
            " and e-mails wait; the log of the server says why."
        ) % {"count": running["failed_starts"]}
    elif not running["alive"]:
        yield _("No worker is running: documents, ratings and e-mails wait.")
    elif any(oldest and now - oldest > LONGEST_WAIT for *_queue, oldest in running["queues"]):
        yield _("Something has been waiting for more than a quarter of an hour.")
    # A new server has had no nightly check yet.
    check: Check | None = running["check"]
    if check is not None and check.error:
        yield _("The last nightly check did not come to its end.")
    elif check is not None and check.found:
        yield _("The last nightly check has found differences.")
    if check is not None and check.finished_at and now - check.finished_at > CHECK_EVERY:
        yield _("The last nightly check is more than two days old.")
