"""Pages of a tournament."""

import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from tournaments.engine.documents.games import parse_json
from tournaments.engine.documents.tournaments import write_tournament
from tournaments.engine.rules.rulesets import LONGEST_NAME, InvalidEntry, Ruleset
from tournaments.engine.standings.results import BYE_AVERAGE
from tournaments.engine.standings.tournament_settings import TournamentSettings, write_settings
from tournaments.models import Club, Event, Game, Role, Round, Season, Tournament
from tournaments.models.clubs import DIRECTING
from tournaments.permissions import (
    actor_of,
    directed_club,
    directed_tournament,
    owned_club,
    role_in,
    seen_tournament,
)
from tournaments.queries.overview import Strip, scores_at
from tournaments.queries.rulesets import rulesets_of_club
from tournaments.queries.sheets import load_sheet
from tournaments.queries.site import coming
from tournaments.queries.standings import tie_break_name
from tournaments.queries.state import (
    TournamentState,
    can_register,
    load_state,
    registration_closes,
    rules_of_tournament,
    settings_of,
)
from tournaments.queries.states import state_name, tournament_state
from tournaments.queries.steps import HowFar, Version, current_round, how_far, version_of
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.base.writes import Refused
from tournaments.services.entrants.registration import (
    EntrantsRefused,
    TooMany,
    create_with_everybody,
)
from tournaments.services.entrants.substituting import CopyPlan, copy_tournament, month_later
from tournaments.services.events.events import OtherLeaguePoints
from tournaments.services.games.tables import current_game
from tournaments.services.rounds.running import standings_moved
from tournaments.services.tournaments.lifecycle import (
    WrongState,
    cancel_tournament,
    change_tournament,
    create_tournament,
    delete_tournament,
    lock_tournament,
    move_tournament,
    remove_tournament,
    replace_links,
    restore_tournament,
)
from tournaments.services.tournaments.record_import import (
    GamesExist,
    Into,
    TournamentExists,
    import_tournament,
)
from tournaments.texts import labels
from tournaments.texts.labels import Text, points_text, round_name
from tournaments.texts.messages import explain
from tournaments.texts.questions import options_text
from tournaments.web.base.forms import LineField, warn_of_boxes
from tournaments.web.base.pages import (
    HtmxRequest,
    access_link,
    add_refused,
    cached_for_going_back,
    day_field,
    etag_of,
    not_modified,
    out_of_reach,
    show_refusal,
    tag_of,
)
from tournaments.web.base.phone import LinkPreview, as_of, link_preview, remember_entrant
from tournaments.web.events.views import card_path, directed_table, line_of
from tournaments.web.games.starting import key_of
from tournaments.web.games.views import clock_of
from tournaments.web.ratings.views import accuracy_lines
from tournaments.web.tournaments.forms import (
    PRESETS,
    TournamentForm,
    settings_that_matter,
)
from tournaments.web.tournaments.my_card import (
    card_of,
    card_switches,
    entrant_known,
    leaders_of,
    overview_fragment,
    overview_page,
    register_address,
)
from tournaments.web.tournaments.steps import StripView, back_button_of, strip_of

SEATED: Mapping[str, Text] = {
    "swiss": gettext_lazy(
        "The first round is drawn by lot; after it those with about the same points meet, and"
        " whoever has met sits apart as far as possible."
    ),
    "random": gettext_lazy("The tables of each round are drawn by lot."),
    "fixed": gettext_lazy(
        "A plan seats all rounds before the start, so that as few as possible meet twice."
    ),
    "rank-near": gettext_lazy(
        "In each round neighbours in the standings sit together: the first four at one table, then"
        " the next."
    ),
    "rank-spread": gettext_lazy(
        "In each round the first places are spread over the tables, then the next."
    ),
    "round-robin": gettext_lazy("Everybody meets everybody."),
    "manual": gettext_lazy("The director says who sits with whom."),
}

WORTH: Mapping[str, Text] = {
    "game": gettext_lazy(
        "The points of your game are those of the round, and the largest sum wins"
    ),
    "places": gettext_lazy(
        "The place at your table gives points (%(points)s), and the largest sum wins"
    ),
    "out": gettext_lazy("Each game that you win, or get out of, gives 1, and the largest sum wins"),
    "pair-difference": gettext_lazy(
        "What you are ahead of the others at the table counts, and the largest sum wins"
    ),
}


def rules_sentences(rules: Ruleset, settings: TournamentSettings) -> list[str]:
    """Return the sentences: the game, the rounds, the tables, the points, and who is left over."""
    finals = []
    if settings.finals:
        text = (
            _(
                "After the last round the first %(number)s play on for the victory, with their"
                " points."
            )
            if settings.carry
            else _("After the last round the first %(number)s play on for the victory, from zero.")
        )
        finals = [text % {"number": settings.finals}]
    return [
        _game(rules),
        _rounds(settings),
        str(SEATED[settings.seating]),
        _worth(settings),
        *finals,
        _left_over(settings),
    ]


def _game(rules: Ruleset) -> str:
    name = labels.name_of(rules)
    if rules.deals is None:
        return _("The game is %(game)s.") % {"game": name}
    text = ngettext(
        "The game is %(game)s: %(number)s deal.",
        "The game is %(game)s: %(number)s deals.",
        rules.deals,
    )
    return text % {"game": name, "number": rules.deals}


def _rounds(settings: TournamentSettings) -> str:
    number = settings.rounds
    if settings.minutes is None:
        text = ngettext(
            "There is %(number)s round, one game at a table.",
            "There are %(number)s rounds, each one game at a new table.",
            number,
        )
        return text % {"number": number}
    text = ngettext(
        "There is %(number)s round, one game of at most %(minutes)s minutes.",
        "There are %(number)s rounds, each one game at a new table, of at most"
        " %(minutes)s minutes.",
        number,
    )
    return text % {"number": number, "minutes": settings.minutes}


def _worth(settings: TournamentSettings) -> str:
    points = " · ".join(map(points_text, settings.place_points))
    text = str(WORTH[settings.points]) % {"points": points}
    if not settings.tie_breaks:
        return f"{text}."
    first = tie_break_name(settings.tie_breaks[0])
    return _("%(worth)s; between equals this comes first: %(tie_break)s.") % {
        "worth": text,
        "tie_break": first,
    }


def missed_sentence(settings: TournamentSettings) -> str:
    """Return what the rounds are worth that somebody who comes late has missed."""
    if settings.missed is None or settings.line_up:
        return _("Missed rounds are worth nothing; sitting out is worth as much as at any time.")
    text = _(
        "Each missed round is worth %(points)s points; sitting out on arrival is worth no more."
    )
    return text % {"points": points_text(settings.missed)}


def _left_over(settings: TournamentSettings) -> str:
    if settings.odd == "house":
        return _("Free chairs go to house players, whose results count for nobody.")
    if settings.bye == BYE_AVERAGE:
        return _("Who finds no chair sits a round out and gets the average of the own rounds.")
    text = _("Who finds no chair sits a round out and gets %(points)s points.")
    return text % {"points": points_text(settings.bye)}


State = Tournament.State
MOST_SEEDS = 2**31
LONGEST_NUMBER = 6


class TournamentPage:
    """What pages of a tournament share; each part is loaded where a page shows it."""

    def __init__(self, request: HttpRequest, row: Tournament) -> None:
        self.request, self.row, self.event = request, row, row.event
        self.role = role_in(request, row.event.club)
        self.directs = self.role in DIRECTING

    @cached_property
    def rounds(self) -> list[Round]:
        # Their long documents are of no use here.
        return list(self.event.rounds.order_by("number").defer("seating", "standings"))

    @cached_property
    def version(self) -> Version:
        return version_of(self.row)

    @cached_property
    def state(self) -> TournamentState:
        return load_state(self.row)

    @cached_property
    def corrected(self) -> int:
        return standings_moved(self.row, self.rounds) if self.directs else 0

    @cached_property
    def strip(self) -> StripView:
        return strip_of(self.request, self.row, self.rounds, lambda: self.corrected)

    @cached_property
    def preview(self) -> LinkPreview | None:
        day = date_format(self.event.held_on, "DATE_FORMAT")
        place = self.event.details if self.row.state == State.REGISTRATION else ()
        return self.preview_as(self.event.name, lambda: self.line_of_leaders(day, *place))

    def line_of_leaders(self, *details: str) -> str:
        leaders = leaders_of(self.version, lambda: self.state)
        parts = [self.event.club.name, *details, state_name(self.row), leaders]
        return " · ".join(filter(None, parts))

    def preview_as(self, title: str, line: Callable[[], str]) -> LinkPreview | None:
        """Return what a chat shows of a page; its picture has the standings."""
        if self.directs or not self.event.published:
            return None
        path = reverse("standings_picture", args=[self.event.club.slug, self.row.slug])
        return link_preview(self.request, title, line(), as_of(path, self.row.revision))


def page_of(request: HttpRequest, row: Tournament) -> dict[str, Any]:
    """Return the context of every page of a tournament (up to 1 query)."""
    shared, event = TournamentPage(request, row), row.event
    member = shared.role is not None
    return {
        "shared": shared,
        "tournament": row,
        "event": event,
        "club": event.club,
        "club_seen": event.club.published or not event.published or member,
        "directs": shared.directs,
        "member": member,
        "nav_round": lambda: round_to_see(shared.rounds, directs=shared.directs),
        "strip": lambda: shared.strip,
        "strip_at": request.path,
        "corrected": lambda: shared.corrected,
        "preview": lambda: shared.preview,
    }


@require_safe
def table(request: HttpRequest, slug: str, public_id: str, table: str) -> HttpResponse:
    """Show a table of an event to its director: card, code, new address, removal."""
    row = directed_table(request, slug, public_id, table)
    event, game = row.round.event, current_game(row)
    page = (
        page_of(request, event.tournament)
        if event.is_tournament
        else {"club": event.club, "event": event}
    )
    page |= {
        "table": row,
        "line": line_of(row, load_sheet(game), event),
        "seats": game.seats.select_related("player"),
        "card": access_link(request, card_path(row)),
        "out_of_reach": out_of_reach(request),
    }
    return render(request, "tournaments/events/table.html", page)


def preview_below(page: dict[str, Any], title: str, line: Callable[[], str]) -> dict[str, Any]:
    """Return the preview of a page below the tournament's, with a title and a line of its own."""
    title = f"{title} · {page['event'].name}"
    return {"preview": cache(lambda: page["shared"].preview_as(title, line))}


def round_to_see(rounds: Iterable[Round], *, directs: bool) -> Round | None:
    """Return the round to link to, of those in order: the current one, once it is visible."""
    return current_round(round_ for round_ in rounds if directs or round_.published_at is not None)


def new_tournament(request: HtmxRequest, slug: str) -> HttpResponse:
    """Create a tournament; the seed of its random draws is random."""
    return _edit(request, directed_club(request, slug), None)


def change(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    row = directed_tournament(request, slug, tournament)
    if row.state == State.FINISHED:
        return _finished(request, row)
    try:
        return _edit(request, row.event.club, row)
    except WrongState:
        return _finished(request, row)


def _edit(request: HtmxRequest, club: Club, row: Tournament | None) -> HttpResponse:
    posted = request.POST if request.method == "POST" else None
    rulesets, today = dict(rulesets_of_club(club)), timezone.localdate()
    form = TournamentForm(club, posted, rulesets=rulesets, tournament=row, today=today)
    preset = request.POST.get("preset", "")
    if request.htmx:
        return render(request, "tournaments/tournaments/_outlook.html", {"form": form})
    if preset in PRESETS:
        form = form.filled(preset)
    elif form.is_valid():
        seed = row.seed if row else secrets.randbelow(MOST_SEEDS)
        plan, by, at = form.plan_with(seed), actor_of(request), timezone.now()
        try:
            if row is None:
                everybody = form.cleaned_data.get("everybody")
                create = create_with_everybody if everybody else create_tournament
                stored = create(club, plan, by, at=at, key=key_of(request.POST))
            else:
                stored = change_tournament(row.pk, plan, by, at=at)
        except Season.DoesNotExist:
            form.add_error("season", _("This season has been removed meanwhile."))
        except OtherLeaguePoints as error:
            add_refused(form, error, "season")
        except InvalidEntry as error:
            form.add_refused(error)
        except (EntrantsRefused, TooMany) as error:
            add_refused(form, next(iter(error.faults), error), "everybody")
        else:
            warn_of_boxes(request, stored.event.name)
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


@cached_for_going_back
@require_safe
def tournament(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    """Show the state of a tournament, polled every few seconds; show directors the next step."""
    row = seen_tournament(request, slug, tournament)
    page = page_of(request, row)
    shared: TournamentPage = page["shared"]
    version, known = shared.version, entrant_known(request, row)
    query = request.GET.get("find", "")[:LONGEST_NAME]
    event_tag = etag_of(request, row.event, directs=page["directs"])
    etag = tag_of([event_tag, version, known, query])
    fragment = bool(request.htmx)
    if fragment and (unchanged := not_modified(request, etag)):
        return unchanged
    page |= {"hub": True, "headers": json.dumps({"If-None-Match": etag})}
    has_strip = page["directs"] and not fragment
    far = shared.strip.far if has_strip else how_far(row, shared.rounds)
    page |= standing_of(row, far)
    seen = overview_fragment(version, lambda: shared.state)
    page |= overview_page(seen, query, settings_of(row).capacity)
    if seen.current and far.round_ is not None and far.round_.is_open and not seen.hidden:
        # The leaders' tables; before anybody leads, the first ones.
        numbers = [each.table for each in seen.rows if each.table]
        numbers += [table.number for table in seen.current.tables]
        first = list(dict.fromkeys(numbers))[:MOST_TABLES]
        page["top_tables"] = scores_at(rules_of_tournament(row), far.round_, first)
    page["card"] = card_of(request, row, seen, known)
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
    """Return the state of a tournament as visitors read it, and the step back."""
    round_, now = far.round_, timezone.now()
    clock = clock_of(round_, now) if round_ is not None and round_.is_open else None
    strip = Strip(far, settings_of(row), left=clock.left if clock else None)
    return {
        "round": round_,
        "clock": None if strip.not_started else clock,
        "round_name": round_ and round_name(round_),
        "state": tournament_state(row, strip, directs=False),
        "is_before": row.state in (State.DRAFT, State.REGISTRATION),
        "progress": far.progress,
        "back": None if far.back is None else back_button_of(far.back, row),
    }


MOST_TABLES = 6

MAP = "https://www.google.com/maps/search/"
"""Opens the app of phones that have it; takes words instead of coordinates."""


def hub_page(row: Tournament, member: bool) -> dict[str, Any]:
    """Return what stays on a tournament's page: the rules in sentences, and every setting."""
    event, rules, settings = row.event, rules_of_tournament(row), settings_of(row)
    today, afterwards = timezone.localdate(), None
    if row.state == State.FINISHED and event.club.published:
        # What the club plays next in public: here a reader decides to come again.
        own = Event.objects.listed_for(None).filter(club=event.club)
        afterwards = coming(own, today).first()
    return {
        "register_at": register_address(row, member=member),
        "closes": registration_closes(row),
        "closed": row.state == State.REGISTRATION and not can_register(row, timezone.now()),
        "directions": f"{MAP}?{urlencode({'api': 1, 'query': event.venue})}",
        "told": rules_sentences(rules, settings),
        "game": labels.name_of(rules),
        "options": options_text(event.options),
        "settings": list(settings_that_matter(write_settings(settings))),
        "confirmations": event.get_confirmations_display(),
        "afterwards": afterwards,
        "days_left": (event.held_on - today).days,
    }


@require_POST
def move(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Move a tournament one step forward or back."""
    row = directed_tournament(request, slug, tournament)
    state = request.POST.get("state", "")
    with show_refusal(request):
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
    messages.success(request, _("The old links no longer work; there are new ones."))
    return redirect("tournament", slug, tournament)


MOST_FAULTS = 20
"""Problems of a document that the page lists; a document that was broken has thousands."""


class CopyForm(forms.Form):
    """Name and date of a copy, and the parts to copy."""

    name = LineField(label=gettext_lazy("Name"))
    held_on = day_field(gettext_lazy("Day"))
    entrants = forms.BooleanField(
        label=gettext_lazy("The entrants come along"), required=False, initial=True
    )
    links = forms.BooleanField(
        label=gettext_lazy(
            "Printed links to register and to check in lead to the copy from now on"
        ),
        required=False,
    )


class ImportForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("The file of a tournament: JSON"),
        widget=forms.FileInput(attrs={"accept": ".json"}),
    )
    elsewhere = forms.BooleanField(
        label=gettext_lazy("If one is here at this address, take another address"), required=False
    )


def copy(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Copy a tournament, for the same weekday of next month unless another day is chosen."""
    row = directed_tournament(request, slug, tournament)
    event, posted = row.event, request.POST if request.method == "POST" else None
    # The name mostly says the month: whoever copies says the new one.
    offered = {"held_on": month_later(event.held_on)}
    form, key = CopyForm(posted, initial=offered), key_of(request.POST)
    if form.is_valid():
        plan = CopyPlan(**form.cleaned_data, seed=secrets.randbelow(MOST_SEEDS))
        try:
            made = copy_tournament(row.pk, plan, actor_of(request), at=timezone.now(), key=key)
        except (InvalidEntry, OtherLeaguePoints) as error:
            add_refused(form, error)
        else:
            messages.success(request, _("This is the copy: a draft, until registration opens."))
            return redirect("tournament", slug, made.slug)
    page = page_of(request, row) | {"form": form, "key": key}
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/tournaments/copy.html", page, status=status)


@require_safe
def export(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Download the whole tournament as a document."""
    row = directed_tournament(request, slug, tournament)
    with transaction.atomic():
        text = write_tournament(tournament_document(lock_tournament(row.pk)))
    answer = HttpResponse(text, content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="{row.slug}.json"'
    return answer


def import_document(request: HttpRequest, slug: str) -> HttpResponse:
    """Import a tournament from its document; for owners, as its sheets count for ratings."""
    club = owned_club(request, slug)
    posted = request.POST if request.method == "POST" else None
    form = ImportForm(posted, request.FILES or None)
    if form.is_valid():
        file: UploadedFile[Any] = form.cleaned_data["file"]
        into = Into(club, elsewhere=form.cleaned_data["elsewhere"])
        try:
            document = parse_json(file.read())
            row = import_tournament(document, actor_of(request), at=timezone.now(), into=into)
        except InvalidEntry as error:
            for problem in error.problems[:MOST_FAULTS]:
                form.add_error("file", f"{problem.where}: {explain(problem)}")
        except TournamentExists as error:
            add_refused(form, error, "elsewhere")
        except GamesExist as error:
            add_refused(form, error, "file")
        else:
            messages.success(request, _("The tournament is imported."))
            return redirect("tournament", slug, row.slug)
    page = {"club": club, "form": form}
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/tournaments/import.html", page, status=status)


@require_POST
def cancel(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    row = directed_tournament(request, slug, tournament)
    cancel_tournament(row.pk, actor_of(request), at=timezone.now())
    return redirect("tournament", slug, tournament)


@require_POST
def restore(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Take back that a tournament was cancelled."""
    row = directed_tournament(request, slug, tournament)
    restore_tournament(row.pk, actor_of(request), at=timezone.now())
    messages.success(request, _("The tournament is back."))
    return redirect("tournament", slug, tournament)


def remove(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Ask, then remove a tournament: with rounds only for an owner who types its name."""
    club = directed_club(request, slug)
    rows = Tournament.objects.filter(event__club=club, slug=tournament)
    row = rows.select_related("event__club").first()
    if row is None:
        # Tapped twice.
        return redirect("events", slug)
    rounds, owns = row.event.rounds.count(), role_in(request, club) == Role.OWNER
    error = ""
    if request.method == "POST":
        by, at = actor_of(request), timezone.now()
        try:
            if rounds and owns:
                delete_tournament(row.pk, request.POST.get("name", ""), by, at=at)
            else:
                remove_tournament(row.pk, by, at=at)
        except Refused as refused:
            error = str(refused)
        else:
            messages.success(request, _("%(name)s is removed.") % {"name": row.event.name})
            return redirect("events", slug)
    page = page_of(request, row) | {
        "rounds": rounds,
        "games": Game.objects.filter(table__round__event=row.event, revision__gt=0).count(),
        "entrants": row.entrants.count(),
        "owns": owns,
        "error": error,
    }
    status = 422 if error else 200
    return render(request, "tournaments/tournaments/remove.html", page, status=status)
