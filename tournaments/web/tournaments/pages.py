"""Tournaments of a club: create, change, and move from state to state."""

import json
import secrets
from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import cache, partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments.engine.rules.rulesets import LONGEST_NAME, InvalidEntry
from tournaments.engine.standings.tournament_settings import write_settings
from tournaments.models import Club, Event, Round, Season, Tournament
from tournaments.models.clubs import DIRECTING
from tournaments.permissions import (
    actor_of,
    directed_club,
    directed_tournament,
    role_in,
    seen_tournament,
)
from tournaments.queries.rulesets import rulesets_of_club
from tournaments.queries.site import coming
from tournaments.queries.tournaments.state import (
    TournamentState,
    load_state,
    rules_of_tournament,
    settings_of,
)
from tournaments.queries.tournaments.steps import HowFar, current_round, how_far, version_of
from tournaments.services.events.events import OtherLeaguePoints
from tournaments.services.tournaments.lifecycle import (
    WrongState,
    change_tournament,
    create_tournament,
    move_tournament,
    replace_links,
)
from tournaments.texts import labels
from tournaments.texts.documents import CONFIRMATIONS
from tournaments.texts.labels import round_name
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.base.htmx import HtmxRequest, not_modified, tag_of
from tournaments.web.base.link_preview import LinkPreview, as_of, link_preview
from tournaments.web.base.phone import remember_entrant
from tournaments.web.base.refusals import refusal_shown
from tournaments.web.events.view import etag_of
from tournaments.web.games.clock_view import clock_of
from tournaments.web.games.forms import key_of
from tournaments.web.ratings.predictions import accuracy_lines
from tournaments.web.rulesets.option_fields import options_text
from tournaments.web.tournaments.corrections import standings_moved
from tournaments.web.tournaments.forms import TournamentForm
from tournaments.web.tournaments.leaders import leaders_of
from tournaments.web.tournaments.my_card import card_of, entrant_known
from tournaments.web.tournaments.notifications import card_switches
from tournaments.web.tournaments.overview import overview_page, overview_shown, register_address
from tournaments.web.tournaments.rules_told import rules_told
from tournaments.web.tournaments.steps import back_button_of
from tournaments.web.tournaments.strip import strip_of
from tournaments.web.tournaments.texts import (
    PRESETS,
    ROUND_STATES,
    settings_that_matter,
    state_name,
)

State = Tournament.State
MOST_SEEDS = 2**31
LONGEST_NUMBER = 6


def page_of(request: HttpRequest, row: Tournament) -> dict[str, Any]:
    """Return the context of every page of a tournament (up to 1 query).

    The callables ask more, where a template uses them.
    """
    event, role = row.event, role_in(request, row.event.club)
    directs, seen = role in DIRECTING, event.club.published or not event.published
    # Their long documents are of no use here.
    rows = event.rounds.order_by("number").defer("seating", "standings")
    rounds = cache(lambda: list(rows))
    state = cache(lambda: load_state(row))
    corrected = cache(lambda: directs and standings_moved(row, rounds()))

    def preview_as(title: str, line: Callable[[], str]) -> LinkPreview | None:
        """Return what a chat shows of a page; its picture has the standings."""
        if directs or not event.published:
            return None
        path = reverse("standings_picture", args=[event.club.slug, row.slug])
        return link_preview(request, title, line(), as_of(path, row.revision))

    return {
        "tournament": row,
        "event": event,
        "club": event.club,
        "club_seen": seen or role is not None,
        "directs": directs,
        "member": role is not None,
        "all_rounds": rounds,
        "nav_round": lambda: _to_see(rounds(), directs=directs),
        "strip": cache(lambda: strip_of(request, row, rounds(), corrected)),
        "strip_at": request.path,
        "corrected": corrected,
        "load_state": state,
        "preview_as": preview_as,
        "preview": cache(lambda: preview_as(event.name, partial(_who_leads, row, state))),
    }


def _who_leads(row: Tournament, load: Callable[[], TournamentState]) -> str:
    event = row.event
    day = date_format(event.held_on, "DATE_FORMAT")
    where = event.details if row.state == State.REGISTRATION else ()
    parts = [event.club.name, day, *where, str(state_name(row.state)), leaders_of(row, load)]
    return " · ".join(filter(None, parts))


def preview_below(page: dict[str, Any], title: str, line: Callable[[], str]) -> dict[str, Any]:
    """Return the preview of a page below the tournament's, with a title and a line of its own."""
    title = f"{title} · {page['event'].name}"
    return {"preview": cache(lambda: page["preview_as"](title, line))}


def round_to_see(event: Event, *, directs: bool) -> Round | None:
    """Return the round to link to: the current one, once it is visible."""
    return _to_see(event.rounds.order_by("number"), directs=directs)


def _to_see(rounds: Iterable[Round], *, directs: bool) -> Round | None:
    return current_round(each for each in rounds if directs or each.published_at is not None)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_tournament(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a tournament; the seed of its random draws is random."""
    club = directed_club(request, slug)

    def create(form: TournamentForm) -> Tournament:
        plan, by = form.plan_with(secrets.randbelow(MOST_SEEDS)), actor_of(request)
        return create_tournament(club, plan, by, at=timezone.now(), key=key_of(request.POST))

    return _edit(request, club, None, create)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def change(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Change the description and settings of a tournament."""
    row = directed_tournament(request, slug, tournament)
    if row.state == State.FINISHED:
        return _finished(request, row)

    def store(form: TournamentForm) -> Tournament:
        plan, by = form.plan_with(row.seed), actor_of(request)
        return change_tournament(row.pk, plan, by, at=timezone.now())

    try:
        return _edit(request, row.event.club, row, store)
    except WrongState:
        return _finished(request, row)


def _edit(
    request: HttpRequest,
    club: Club,
    row: Tournament | None,
    store: Callable[[TournamentForm], Tournament],
) -> HttpResponse:
    """Show the form of a tournament, fill it with a preset, or store it."""
    posted = request.POST if request.method == "POST" else None
    rulesets, today = dict(rulesets_of_club(club)), timezone.localdate()
    form = TournamentForm(club, posted, rulesets=rulesets, tournament=row, today=today)
    preset = request.POST.get("preset", "")
    if preset in PRESETS:
        form = form.filled(preset)
    elif form.is_valid():
        try:
            stored = store(form)
        except Season.DoesNotExist:
            form.add_error("season", _("This season has been removed meanwhile."))
        except OtherLeaguePoints as error:
            form.add_error("season", str(error))
        except InvalidEntry as error:
            form.add_refused(error)
        else:
            return redirect("tournament", club.slug, stored.slug)
    page = {"club": club, "tournament": row, "form": form, "presets": PRESETS.items()}
    page |= page_of(request, row) if row is not None else {}
    status = 422 if form.is_bound else 200
    return render(
        request,
        "tournaments/tournaments/form.html",
        page,
        status=status,
    )


def _finished(request: HttpRequest, row: Tournament) -> HttpResponse:
    messages.error(request, _("The tournament is finished: its settings no longer change."))
    return redirect("tournament", row.event.club.slug, row.slug)


@kept_for_going_back
@require_safe
def tournament(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    """Show the state of a tournament, polled every few seconds; show directors the next step."""
    row = seen_tournament(request, slug, tournament)
    page = page_of(request, row)
    version, known = version_of(row), entrant_known(request, row)
    asked = request.GET.get("find", "")[:LONGEST_NAME]
    event_tag = etag_of(request, row.event, directs=page["directs"])
    etag = tag_of([event_tag, version, known, asked])
    fragment = bool(request.htmx)
    if fragment:
        unchanged = not_modified(request, etag)
        if unchanged is not None:
            return unchanged
    page |= {"hub": True, "headers": json.dumps({"If-None-Match": etag})}
    has_strip = page["directs"] and not fragment
    far = page["strip"]().far if has_strip else how_far(row, page["all_rounds"]())
    page |= standing_of(row, far)
    seen = overview_shown(version, page["load_state"])
    page |= overview_page(seen, asked) | {"card": card_of(request, row, seen, known)}
    page["switches"] = card_switches(request, row, known)
    if not fragment:
        page |= hub_page(row, page["member"])
        page["accuracy"] = accuracy_lines(request, row, directs=page["directs"])
    template = (
        "tournaments/tournaments/_now.html"
        if fragment
        else "tournaments/tournaments/tournament.html"
    )
    response = render(request, template, page)
    response["ETag"] = etag
    return response


def standing_of(row: Tournament, far: HowFar) -> dict[str, Any]:
    """Return the state of a tournament and the step back."""
    round_, now = far.round_, timezone.now()
    clock = clock_of(round_, now) if round_ is not None and round_.is_open else None
    return {
        "round": round_,
        "clock": clock,
        "ends_at": now + timedelta(seconds=clock.left) if clock and clock.running else None,
        "round_name": round_ and round_name(round_),
        "round_state": round_ and ROUND_STATES[round_.state],
        "rounds": settings_of(row).rounds,
        "state": state_name(row.state),
        "is_before": row.state in (State.DRAFT, State.REGISTRATION),
        "progress": far.progress,
        "back": None if far.back is None else back_button_of(far.back, row),
        "playing": far.playing,
        "here": far.here,
        "withdrawn": far.withdrawn,
        "too_few": "" if far.enough else _too_few(far.needed),
    }


def hub_page(row: Tournament, member: bool) -> dict[str, Any]:
    """Return what stays on a tournament's page: the rules in sentences, and every setting."""
    event, rules, settings = row.event, rules_of_tournament(row), settings_of(row)
    return {
        "register_at": register_address(row, member=member),
        "told": rules_told(rules, settings),
        "game": labels.name_of(rules),
        "options": options_text(event.options) if event.options else "",
        "settings": list(settings_that_matter(write_settings(settings))),
        "confirmations": CONFIRMATIONS[event.confirmations],
        "afterwards": after_it(event) if row.state == State.FINISHED else None,
        "days_left": (event.held_on - timezone.localdate()).days,
    }


def after_it(event: Event) -> Event | None:
    """Return what the club plays next in public (1 query): here a reader decides to come again."""
    own = Event.objects.listed_for(None).filter(club=event.club)
    return coming(own, timezone.localdate()).first() if event.club.published else None


def _too_few(needed: int) -> str:
    return ngettext(
        "A table needs %(number)s entrant.", "A table needs %(number)s entrants.", needed
    ) % {"number": needed}


@require_POST
def move(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Move a tournament one step forward or back."""
    row = directed_tournament(request, slug, tournament)
    state = request.POST.get("state", "")
    with refusal_shown(request):
        if state in Tournament.State.values:
            move_tournament(row.pk, state, actor_of(request), at=timezone.now())
    return redirect("tournament", slug, tournament)


@require_POST
def choose_entrant(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Remember on this phone who of the entrants it belongs to; an unknown number forgets it."""
    row = seen_tournament(request, slug, tournament)
    number = request.POST.get("number", "")
    named = number.isdecimal() and len(number) < LONGEST_NUMBER
    is_there = named and row.entrants.filter(number=number, house=False).exists()
    response = redirect("tournament", slug, tournament)
    remember_entrant(request, response, row, int(number) if is_there else None)
    return response


@require_POST
def replace(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Revoke the registration and check-in links."""
    row = directed_tournament(request, slug, tournament)
    replace_links(row.pk, actor_of(request), at=timezone.now())
    messages.success(request, _("The old links work no more; there are new ones."))
    return redirect("tournament", slug, tournament)
