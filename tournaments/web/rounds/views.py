"""A running round: its tables, its clock, opening and closing, and rulings."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import cache, partial, wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext
from django.views.decorators.http import require_POST, require_safe

from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import LONGEST_REASON, PerSide, number_of
from tournaments.engine.standings.results import PENALTY
from tournaments.engine.standings.results import Ruling as EngineRuling
from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.models import Entrant, Game, Round, Ruling, Sitting, Table, Tournament
from tournaments.permissions import (
    actor_of,
    directed_tournament,
    directed_tournament_round,
    directs_club,
    seen_tournament,
)
from tournaments.queries.scoresheets import going_text
from tournaments.queries.sheets import Agreement, LaterEntryInvalid
from tournaments.queries.state import load_state, rules_of_tournament, settings_of
from tournaments.queries.steps import LifecycleStep
from tournaments.queries.tables import SmallRow, ruling_effect, watch_tables
from tournaments.services.base.writes import Refused
from tournaments.services.games.playing import confirm_all
from tournaments.services.games.tables import current_game
from tournaments.services.rounds.rulings import (
    NoReason,
    NoSuchPoints,
    NotInRound,
    RulingDecision,
    SeenDeal,
    answer_call,
    rule,
    settle_deal,
    withdraw_ruling,
)
from tournaments.services.rounds.running import (
    STEPS,
    Added,
    RoundNotReady,
    accept_changes,
    add_table_time,
    add_time,
    can_reopen,
    changes_since_closing,
    close_round,
    fingerprint,
    finish_for_time,
    open_round,
    pause_clock,
    reopen_round,
    start_clock,
    take_step,
)
from tournaments.services.rounds.undo import details_of, undo_act
from tournaments.services.tournaments.lifecycle import WrongState
from tournaments.texts import labels
from tournaments.texts.labels import (
    MEANINGS,
    ROUND_STATES,
    Text,
    ago_text,
    duration_text,
    points_text,
    round_name,
    ruling_unit,
)
from tournaments.web.base.forms import LineField
from tournaments.web.base.pages import (
    HtmxRequest,
    access_link,
    add_refused,
    cached_for_going_back,
    etag_of,
    not_modified,
    out_of_reach,
    show_refusal,
    tag_of,
)
from tournaments.web.base.phone import address
from tournaments.web.events.views import card_path
from tournaments.web.games.correcting import disputes_of
from tournaments.web.games.views import Clock, clock_of, number_in
from tournaments.web.rounds.seating import round_action
from tournaments.web.tournaments.steps import act_text, strip_etag
from tournaments.web.tournaments.views import page_of, preview_below, round_to_see

MINUTE = 60


@dataclass(frozen=True)
class RunningTable:
    """A table of a round: players, progress, last scorer, and problems.

    `deals` are played, of `length` (None: without a fixed number).
    """

    table: Table
    row: Game
    names: tuple[str, ...]
    totals: PerSide
    deals: int
    length: int | None
    state: str
    last: str
    ago: str
    agreement: Agreement
    clock: Clock | None
    small: tuple[SmallRow, ...]
    troubles: list[dict[str, Any]]

    @property
    def finished(self) -> bool:
        return self.row.result is not None

    @property
    def by_totals(self) -> bool:
        return bool((self.row.result or {}).get("by_totals"))

    @property
    def sides(self) -> list[tuple[str, object]]:
        return list(zip(self.names, self.totals, strict=True))

    @property
    def lead(self) -> list[bool]:
        """Return which sides lead: none before the first row, nor if all have the same points."""
        best = max(self.totals)
        level = min(self.totals) == best or not (self.small or self.finished)
        return [not level and total == best for total in self.totals]

    @property
    def columns(self) -> list[tuple[str, object, bool]]:
        return list(zip(self.names, self.totals, self.lead, strict=True))

    @property
    def leader(self) -> tuple[str, object] | None:
        """Return the first side that leads, with its points."""
        return next(((name, total) for name, total, leads in self.columns if leads), None)

    @property
    def problems(self) -> list[dict[str, Any]]:
        return [trouble for trouble in self.troubles if trouble["code"] in KINDS]

    @property
    def kind(self) -> str:
        return self.problems[0]["code"] if self.problems else ""

    @property
    def silent(self) -> bool:
        """Whether nothing was written for long; once the time is over, no table is silent."""
        codes = {trouble["code"] for trouble in self.troubles}
        return "silent" in codes and "over-time" not in codes

    @property
    def to_confirm(self) -> bool:
        return self.finished and not self.agreement.enough

    @property
    def has_own_clock(self) -> bool:
        return bool(self.table.extra_seconds and self.clock)

    @property
    def contents(self) -> tuple[object, ...]:
        """Return all that the line of a table shows directors, but for its problem and clock."""
        place = (self.row.public_id, self.row.generation("write"), self.table.number)
        progress = (self.names, self.totals, self.state, self.last, self.finished, self.by_totals)
        return place, progress, self.silent

    @property
    def disputed(self) -> bool:
        return any(trouble["code"] == "disputed" for trouble in self.troubles)

    @property
    def write(self) -> str:
        return address(self.row, "write")


def running_tables(tournament: Tournament, round_: Round, at: datetime) -> list[RunningTable]:
    """Return the tables of a round, those with problems first (4 queries)."""
    rules = rules_of_tournament(tournament)
    # Most tables were written at in the same few minutes, and are at the same few deals.
    written, going = cache(_written_text), cache(partial(going_text, rules))
    tables = []
    for seen in watch_tables(tournament, round_, at):
        row, table, progress = seen.row, seen.table, seen.progress
        state, last, ago = pgettext("a game", "finished"), _("nothing written yet"), ""
        if row.result is not None and "stopped" in row.result:
            state = f"{state}: {labels.reason_name('stopped', row.result['stopped'])}"
        if progress is not None:
            state = going(progress["deals"], progress["totals"] if rules.length is None else ())
        if seen.last_at is not None:
            minutes = int((at - seen.last_at).total_seconds()) // MINUTE
            last, ago = written(minutes, seen.last_by), written(minutes, "")
        troubles = []
        for each in seen.troubles:
            some = each.seats if len(each.seats) < len(row.players) else ()
            names = ", ".join(row.players[seat] for seat in some)
            troubles.append({"code": each.code, "text": TEXTS[each.code](each.seconds, names)})
        line = RunningTable(
            table=table,
            row=row,
            names=tuple(rules.side_names(row.players)),
            totals=seen.totals,
            deals=0 if progress is None else progress["deals"],
            length=rules.length,
            state=state,
            last=last,
            ago=ago,
            agreement=seen.agreement,
            clock=None if progress is None else clock_of(table.round, at, table.extra_seconds),
            small=() if progress is None else progress["rows"],
            troubles=troubles,
        )
        tables.append(line)
    return tables


def etag_of_round(request: HttpRequest, tournament: Tournament, at: datetime) -> str:
    """Return the ETag of the page, from every change in the club and the current minute."""
    return tag_of([etag_of(request, tournament.event, directs=True), int(at.timestamp() // 60)])


# Overdue minutes are rounded up, minutes of silence down.
TEXTS: Mapping[str, Callable[[int, str], str]] = {
    "called": lambda age, _names: _("called %(ago)s") % {"ago": ago_text(age)},
    "disputed": lambda _age, names: _("a deal is disputed by %(names)s") % {"names": names},
    "left": lambda _age, names: _("%(names)s has withdrawn and still sits here") % {"names": names},
    "over-time": lambda age, _names: (
        _("over time by %(minutes)s") % {"minutes": duration_text(age)}
    ),
    "silent": lambda age, _names: (
        _("nothing written for %(minutes)s") % {"minutes": duration_text(age // MINUTE * MINUTE)}
    ),
    "unconfirmed": lambda _age, names: (
        _("not confirmed by %(names)s") % {"names": names} if names else _("confirmed by nobody")
    ),
    "new-phone": lambda age, _names: (
        _("another phone took over the scoring %(ago)s") % {"ago": ago_text(age)}
    ),
}


KINDS: Mapping[str, Text] = {
    "called": gettext_lazy("Called you"),
    "disputed": gettext_lazy("Disputed deal"),
    "left": gettext_lazy("Withdrawn, still seated"),
    "unconfirmed": gettext_lazy("To be confirmed"),
    "new-phone": gettext_lazy("New phone"),
}
"""The problems that need a director, the most urgent first, as headings of their tables."""


def _written_text(minutes: int, name: str) -> str:
    params = {"ago": ago_text(minutes * MINUTE), "name": name}
    return _("%(ago)s, by %(name)s") % params if name else params["ago"]


MINUTES = (1, 3, 5, 10)
"""Minutes that one button adds."""


@cached_for_going_back
@require_safe
def running(request: HtmxRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Show a round with all its tables; the page of directors polls every few seconds."""
    try:
        row, round_ = directed_tournament_round(request, slug, tournament, number)
    except Http404:
        return _tables(request, seen_tournament(request, slug, tournament), number)
    if round_.published_at is None:
        # Not published yet: its seating has a page of its own.
        return redirect("seating", slug, row.slug, number)
    etag = etag_of_round(request, row, timezone.now())
    fragment = bool(request.htmx)
    if fragment and (unchanged := not_modified(request, etag)):
        return unchanged
    page = _page(request, row, round_)
    page |= {"headers": json.dumps({"If-None-Match": etag}), "fragment": fragment}
    template = "tournaments/rounds/_running.html" if fragment else "tournaments/rounds/running.html"
    response = render(request, template, page)
    response["ETag"] = etag
    return response


@require_safe
def live(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    """Show the tables of the round that is on to everybody, directors too; it goes on by itself."""
    row = seen_tournament(request, slug, tournament)
    round_ = round_to_see(row.event.rounds.order_by("number"), directs=False)
    if round_ is None:
        return redirect("tournament", slug, tournament)
    return _tables(request, row, round_.number)


def _tables(request: HtmxRequest, row: Tournament, number: int) -> HttpResponse:
    """Show a published round to everybody, without the results of a hidden one; the page polls."""
    rounds = list(row.event.rounds.exclude(published_at=None).with_hiding())
    round_ = next((each for each in rounds if each.number == number), None)
    if round_ is None:
        raise Http404
    now = timezone.now()
    round_.event = row.event
    etag = etag_of_round(request, row, now)
    fragment = bool(request.htmx)
    if fragment and (unchanged := not_modified(request, etag)):
        return unchanged
    tables = sorted(running_tables(row, round_, now), key=lambda each: each.table.number)
    hidden, now_on = round_.hides_results, round_to_see(rounds, directs=False)
    page = page_of(request, row) | {
        "round": round_,
        "rounds": rounds,
        "round_name": round_name(round_),
        "round_state": ROUND_STATES[round_.state],
        "tables": tables,
        "board": [] if hidden else [each for each in tables if not each.finished],
        "listed": [table for table in tables if table.finished or hidden],
        "hidden": hidden,
        "clock": clock_of(round_, now),
        "newer": now_on if now_on is not None and now_on.number > number else None,
        "headers": json.dumps({"If-None-Match": etag}),
    }
    text = _("The tables of %(round)s, who leads at each, and their sheets.")
    page |= preview_below(page, page["round_name"], lambda: text % {"round": page["round_name"]})
    template = "tournaments/rounds/_tables.html" if fragment else "tournaments/rounds/tables.html"
    response = render(request, template, page)
    response["ETag"] = etag
    return response


def _page(request: HttpRequest, row: Tournament, round_: Round) -> dict[str, Any]:
    now = timezone.now()
    round_.event = row.event
    tables = running_tables(row, round_, now)
    quiet = [table for table in tables if not table.kind]
    clock = clock_of(round_, now)
    return page_of(request, row) | {
        "round": round_,
        "round_name": round_name(round_),
        "round_state": ROUND_STATES[round_.state],
        "tables": tables,
        "in_order": sorted(tables, key=lambda each: each.table.number),
        "kinds": [
            (name, lines)
            for kind, name in KINDS.items()
            if (lines := [table for table in tables if table.kind == kind])
        ],
        # The last to finish comes first.
        "playing": sorted((each for each in quiet if not each.finished), key=lambda t: t.deals),
        "finished": [each for each in quiet if each.finished],
        "can_reopen": round_.closed_at is not None and can_reopen(row, round_),
        "clock": clock,
        # Before anybody has written, and after the end, little else is to be done.
        "more_open": not round_.is_open or not any(each.row.revision for each in tables),
        "minutes": MINUTES,
    }


@round_action("tournament")
def open_now(request: HttpRequest, row: Tournament, round_: Round) -> HttpResponse:
    open_round(round_.pk, actor_of(request), at=timezone.now())
    return redirect("running", row.event.club.slug, row.slug, round_.number)


@round_action("tournament")
def close(request: HttpRequest, row: Tournament, round_: Round) -> HttpResponse | None:
    """Close a round, or name the tables that prevent it."""
    try:
        close_round(round_.pk, actor_of(request), at=timezone.now())
    except RoundNotReady as refused:
        return _not_ready(request, row, round_, refused)
    messages.success(request, _("The round is closed: its standings count."))
    return None


def _not_ready(
    request: HttpRequest, row: Tournament, round_: Round, refused: RoundNotReady
) -> HttpResponse:
    page = _page(request, row, round_) | {"unready": refused.faults}
    page["strip_at"] = reverse("running", args=[row.event.club.slug, row.slug, round_.number])
    return render(request, "tournaments/rounds/running.html", page, status=409)


def next_step(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    """Show the strip, which open pages poll, or take its step, once as it was seen."""
    row = directed_tournament(request, slug, tournament)
    if request.method != "POST":
        return _strip(request, row)
    number = number_in(request.POST, "round", 0)
    step = LifecycleStep(request.POST.get("step", ""), number)
    seen = number_in(request.POST, "seen", -1)
    if step.code not in STEPS:
        return redirect("tournament", slug, row.slug)
    try:
        take_step(row.pk, step, actor_of(request), seen=seen, at=timezone.now())
    except RoundNotReady as refused:
        return _not_ready(request, row, row.event.rounds.get(number=number), refused)
    except Refused as error:
        messages.error(request, str(error))
    if step.code in AFTER and row.event.rounds.filter(number=number).exists():
        return redirect(AFTER[step.code], slug, row.slug, number)
    return redirect("tournament", slug, row.slug)


AFTER: Mapping[str, str] = {
    "start-and-seat": "seating",
    "seat-round": "seating",
    "seat-finals": "seating",
    "publish-seating": "seating",
    "open-round": "running",
    "start-clock": "running",
}
"""The pages of a round that steps lead to; the others lead to the tournament."""


@require_POST
def undo(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Undo the last act of the directors, once as it was seen."""
    row = directed_tournament(request, slug, tournament)
    entry = number_in(request.POST, "entry", 0)
    try:
        act = undo_act(row.pk, entry, actor_of(request), at=timezone.now())
    except Refused as error:
        messages.error(request, str(error))
        return redirect("tournament", slug, row.slug)
    messages.success(request, _("Undone: “%(act)s”") % {"act": act_text(act, row)})
    if act.action in AFTER_UNDOING:
        return redirect(AFTER_UNDOING[act.action], slug, row.slug, details_of(act)["round"])
    return redirect("tournament", slug, row.slug)


AFTER_UNDOING: Mapping[str, str] = {
    "publish-round": "seating",
    "take-back-round": "seating",
    "close-round": "running",
    "exchange-seats": "seating",
    "leave-table": "running",
    "arrive-late": "running",
    "change-seating": "seating",
    "put-line-up": "line_ups",
}
"""The pages of a round that undoing an act leads to; the others lead to the tournament."""


def _strip(request: HtmxRequest, row: Tournament) -> HttpResponse:
    if not request.htmx:
        return redirect("tournament", row.event.club.slug, row.slug)
    etag = strip_etag(request, row, timezone.now())
    if unchanged := not_modified(request, etag):
        return unchanged
    page = page_of(request, row) | {"strip_at": request.GET.get("at", ""), "swapped": True}
    response = render(request, "tournaments/tournaments/_strip.html", page)
    response["ETag"] = etag
    return response


@round_action("running")
def reopen(request: HttpRequest, _row: Tournament, round_: Round) -> None:
    """Let the phones of a round write again."""
    reopen_round(round_.pk, actor_of(request), at=timezone.now())


@round_action("running")
def clock(request: HttpRequest, _row: Tournament, round_: Round) -> None:
    """Start or stop the clock of a round, or give all tables more time."""
    by, now, what = actor_of(request), timezone.now(), request.POST.get("do", "")
    if what == "start":
        start_clock(round_.pk, by, at=now)
    elif what == "pause":
        pause_clock(round_.pk, by, at=now)
    elif what == "add":
        add_time(round_.pk, added_in(request), by, at=now)


def added_in(request: HttpRequest) -> Added:
    """Return the added time of a form, in minutes, and the value when it was shown."""
    back = -1 if request.POST.get("less") else 1
    minutes = number_in(request.POST, "less", 0) or number_in(request.POST, "minutes", 0)
    return Added(back * minutes * 60, number_in(request.POST, "seen", -1))


def changes(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Show the effects of corrections in closed rounds, until a director acknowledges them."""
    row = directed_tournament(request, slug, tournament)
    if request.method == "POST":
        seen = request.POST.get("seen", "")
        if accept_changes(row.pk, seen, actor_of(request), at=timezone.now()):
            messages.success(request, _("Seen. The standings are kept as they are now."))
            return redirect("tournament", slug, row.slug)
        messages.error(request, _("More has changed meanwhile: here is all of it."))
        return redirect("round_changes", slug, row.slug)
    state = load_state(row)
    moved = changes_since_closing(state)
    rounds = {seated.row.number: round_name(seated.row) for seated in state.seated_rounds}
    lines: dict[str, list[dict[str, Any]]] = {}
    # Entrants whose points changed come first; the other places follow from them.
    for each in sorted(moved, key=lambda each: (each.round, each.before[1] == each.after[1])):
        params = {
            "name": state.entrants[each.entrant].shown_name,
            "before": each.before,
            "after": each.after,
        }
        lines.setdefault(rounds[each.round], []).append(params)
    number = len({each.entrant for each in moved})
    entrants = ngettext(
        "The place of %(number)s entrant changes.",
        "The places of %(number)s entrants change.",
        number,
    )
    page = page_of(request, row) | {
        "rounds": lines,
        "seen": fingerprint(moved),
        "summary": entrants % {"number": number},
        "later": any(seated.row.closed_at is None for seated in state.seated_rounds),
    }
    return render(request, "tournaments/rounds/changes.html", page)


@require_safe
def running_table(
    request: HttpRequest, slug: str, tournament: str, number: int, table: int
) -> HttpResponse:
    """Show a table with everything that a director can do."""
    row, round_, at_table = _table(request, slug, tournament, number, table)
    now = timezone.now()
    round_.event = row.event
    line = next(each for each in running_tables(row, round_, now) if each.table.pk == at_table.pk)
    page = page_of(request, row) | {
        "round": round_,
        "round_name": round_name(round_),
        "line": line,
        "minutes": MINUTES,
        "disputes": disputes_of(line.row) if line.disputed else [],
        "last_void": settings_of(row).overtime == "last-deal-void",
        "seated": Entrant.objects.filter(sittings__table=line.table).select_related(
            "player", "partner"
        )
        if round_.closed_at is None and not line.finished
        else (),
        "rulings": ruling_lines(
            Ruling.objects.filter(round=round_, entrant__sittings__table=line.table)
        ),
    }
    return render(request, "tournaments/rounds/table.html", page)


@require_safe
def round_codes(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Show the QR codes of all tables of a round on one page, for screen and print."""
    row, round_ = directed_tournament_round(request, slug, tournament, number)
    page = page_of(request, row) | {
        "round": round_,
        "round_name": round_name(round_),
        "codes": [
            (table.number, access_link(request, card_path(table))["code"])
            for table in round_.tables.order_by("number")
        ],
        "out_of_reach": out_of_reach(request),
    }
    return render(request, "tournaments/rounds/codes.html", page)


@require_safe
def sheet(
    request: HttpRequest, slug: str, tournament: str, number: int, table: int
) -> HttpResponse:
    """Lead to the sheet of a table: directors to where they correct it, others to read it."""
    row = seen_tournament(request, slug, tournament)
    games = Game.objects.filter(table__number=table, table__round__number=number)
    game = games.filter(table__round__event=row.event).order_by("-pk").first()
    if game is None:
        raise Http404
    if directs_club(request, row.event.club):
        totals = f"{reverse('round_totals', args=[slug, row.slug, number])}?table={table}"
        return redirect(totals if (game.result or {}).get("by_totals") else address(game, "write"))
    return redirect("club_game", slug, game.public_id)


def table_action(
    leads_to: str,
) -> Callable[[Callable[[HttpRequest, Table], None]], Callable[..., HttpResponse]]:
    """Make a view of what directors do at a table, which may be refused, and leads to a page."""

    def decorator(act: Callable[[HttpRequest, Table], None]) -> Callable[..., HttpResponse]:
        @require_POST
        @wraps(act)
        def view(
            request: HttpRequest, slug: str, tournament: str, number: int, table: int
        ) -> HttpResponse:
            row, _round, at_table = _table(request, slug, tournament, number, table)
            with show_refusal(request):
                act(request, at_table)
            at_page = (table,) if leads_to == "running_table" else ()
            return redirect(leads_to, slug, row.slug, number, *at_page)

        return view

    return decorator


@table_action("running_table")
def time(request: HttpRequest, table: Table) -> None:
    add_table_time(table.pk, added_in(request), actor_of(request), at=timezone.now())


@table_action("running_table")
def finish(request: HttpRequest, table: Table) -> None:
    """End the game of a table when time is up, as the settings say."""
    try:
        finish_for_time(table.pk, _("the time was over"), actor_of(request), at=timezone.now())
    except LaterEntryInvalid:
        text = _("The sheet does not go without its last deal: correct it by hand, and stop it.")
        messages.error(request, text)
        return
    text = _("The game of table %(number)s is over.") % {"number": table.number}
    messages.success(request, text)


@table_action("running_table")
def settle(request: HttpRequest, table: Table) -> None:
    """Let one of the two versions of a disputed deal count."""
    game = get_object_or_404(Game, table=table)
    position, revision = (number_in(request.POST, name, -1) for name in ("position", "seen"))
    seen = SeenDeal(position, revision, actor_of(request), timezone.now())
    try:
        settle_deal(game.pk, seen, disputed_counts=request.POST.get("counts") == "disputed")
    except LaterEntryInvalid:
        text = _("A later deal does not fit this version: correct the sheet by hand.")
        messages.error(request, text)
        return
    messages.success(request, _("The disputed deal is settled."))


@table_action("running")
def answer(request: HttpRequest, table: Table) -> None:
    answer_call(table.pk, actor_of(request), at=timezone.now())


@table_action("running")
def confirm(request: HttpRequest, table: Table) -> None:
    """Confirm the result of a table for all its players, as it was seen."""
    seen = number_in(request.POST, "revision", -1)
    confirm_all(current_game(table).pk, seen, actor_of(request), at=timezone.now())
    messages.success(request, _("Table %(number)s is confirmed.") % {"number": table.number})


def ruling_lines(rows: QuerySet[Ruling]) -> QuerySet[Ruling]:
    sat = Sitting.objects.filter(round=OuterRef("round"), entrant=OuterRef("entrant"))
    found = rows.select_related("entrant__player", "entrant__partner", "round").order_by("-pk")
    return found.annotate(table=Subquery(sat.values("table__number")[:1]))


def _table(
    request: HttpRequest, slug: str, tournament: str, number: int, table: int
) -> tuple[Tournament, Round, Table]:
    row, round_ = directed_tournament_round(request, slug, tournament, number)
    return row, round_, get_object_or_404(Table, round=round_, number=table)


NUMBER = re.compile(r"([-−+]?)(\d{1,5})(?:[.,](\d{1,3})|/(\d{1,3}))?")
"""A number as people type it: 12, −12, 2,5 or 1/2."""


class RulingForm(forms.Form):
    """A ruling: entrant, decision, points and reason."""

    entrant = forms.ChoiceField(label=gettext_lazy("Entrant"))
    kind = forms.ChoiceField(
        label=gettext_lazy("Decision"),
        choices=Ruling.Kind.choices,
        widget=forms.RadioSelect,
    )
    points = forms.CharField(
        label=gettext_lazy("Points"),
        max_length=12,
        initial="0",
        widget=forms.TextInput(attrs={"inputmode": "text", "autocomplete": "off"}),
    )
    reason = LineField(
        label=gettext_lazy("Why?"),
        max_length=LONGEST_REASON,
        error_messages={"required": gettext_lazy("Say why: everybody will ask.")},
    )

    def __init__(
        self, entrants: list[Entrant], settings: TournamentSettings, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.worth = settings.points
        choices = [(entrant.key, entrant.shown_name) for entrant in entrants]
        self.fields["entrant"].choices = choices  # type: ignore[attr-defined]
        self.by_key = {each.key: each for each in entrants}

    def clean_points(self) -> int | str:
        points = typed_points(self.cleaned_data["points"])
        if points is None:
            raise forms.ValidationError(_("A number, as 50, −50, 2,5 or 1/2."))
        return points

    @property
    def kinds(self) -> list[tuple[Any, str]]:
        return [
            (choice, f"{MEANINGS[kind]}, {ruling_unit(kind, self.worth)}".removesuffix(", "))
            for kind, choice in zip(Ruling.Kind, self["kind"], strict=True)
        ]

    @property
    def decision(self) -> RulingDecision:
        cleaned = self.cleaned_data
        return RulingDecision(cleaned["kind"], cleaned["points"], cleaned["reason"])


def typed_points(text: str) -> int | str | None:
    """Return typed points as in a record; None if they are not a number."""
    found = NUMBER.fullmatch(text.strip())
    if found is None or found[4] in ("0", "00", "000"):
        return None
    sign, whole, decimals, parts = found.groups()
    points = Fraction(int(whole), int(parts or 1))
    if decimals:
        points += Fraction(int(decimals), 10 ** len(decimals))
    return write_points(-points if sign in ("-", "−") else points)


def new_ruling(request: HtmxRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Create a ruling about an entrant of a round, optionally of one table."""
    row, round_ = directed_tournament_round(request, slug, tournament, number)
    table = number_in(request.GET, "table", 0)
    entrants = _entrants(round_, table)
    posted = request.POST if request.method == "POST" else None
    form = RulingForm(entrants, settings_of(row), posted)
    effect = _effect(row, round_, form, posted or request.GET)
    if request.htmx:
        return render(request, "tournaments/rounds/_ruling_effect.html", {"effect": effect})
    page = page_of(request, row)
    # A page left open may be about a round that has become an earlier one.
    newest = page["shared"].strip.tables.number
    outdated = posted is not None and number < newest != number_in(posted, "newest", newest)
    # A number that was meant for another unit is asked about once more.
    doubtful = effect and effect["asks"] and request.POST.get("sure") != effect["said"]
    if form.is_valid() and not doubtful and not outdated and _decide(request, round_, form):
        if effect is not None:
            messages.success(request, effect["text"])
        if table:
            return redirect("running_table", slug, row.slug, number, table)
        return redirect("rulings", slug, row.slug)
    page |= {
        "round": round_,
        "round_name": round_name(round_),
        "table": table,
        "form": form,
        "newest": newest,
        "outdated": outdated,
        "effect": effect,
        "asked": posted is not None and form.is_valid() and doubtful,
    }
    status = 200 if posted is None else 422
    return render(request, "tournaments/rounds/ruling_new.html", page, status=status)


def _effect(
    row: Tournament, round_: Round, form: RulingForm, data: QueryDict
) -> dict[str, Any] | None:
    """Return the effect of the ruling as typed so far; None if it is not complete."""
    entrant, kind = form.by_key.get(data.get("entrant", "")), data.get("kind", "")
    points = number_of(typed_points(data.get("points", "")))
    if entrant is None or kind not in Ruling.Kind.values or points is None:
        return None
    if kind == PENALTY and points <= 0:
        return None
    effect = ruling_effect(load_state(row), round_.number, EngineRuling(entrant.key, kind, points))
    params = {
        "name": entrant.shown_name,
        "before": points_text(effect["before"]),
        "after": points_text(effect["after"]),
        "unit": ruling_unit(PENALTY, form.worth),
    }
    text = _("Sum of %(name)s, %(unit)s: %(before)s → %(after)s") % params
    return {"text": text, "asks": effect["large"], "said": f"{entrant.key} {kind} {points}"}


def _decide(request: HttpRequest, round_: Round, form: RulingForm) -> bool:
    entrant = form.by_key[form.cleaned_data["entrant"]]
    try:
        rule(round_.pk, entrant.pk, form.decision, actor_of(request), at=timezone.now())
    except Round.DoesNotExist:
        add_refused(form, NotInRound())
    except (NoReason, NoSuchPoints, NotInRound, WrongState) as error:
        add_refused(form, error, "entrant")
    return not form.errors


def _entrants(round_: Round, table: int) -> list[Entrant]:
    rows = Entrant.objects.competing().filter(sittings__round=round_)
    if table:
        rows = rows.filter(sittings__round=round_, sittings__table__number=table)
    return list(rows.select_related("player", "partner").order_by("number"))


@cached_for_going_back
@require_safe
def rulings(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """List the rulings of a tournament, the newest first, optionally of one entrant."""
    row = seen_tournament(request, slug, tournament)
    rows = Ruling.objects.filter(round__event=row.event)
    chosen = number_in(request.GET, "entrant", 0)
    if chosen:
        rows = rows.filter(entrant__number=chosen)
    page = page_of(request, row) | {
        "rulings": ruling_lines(rows),
        "places": row.event.rounds.exclude(published_at=None).order_by("-number"),
        "asked": chosen,
    }
    return render(request, "tournaments/rounds/rulings.html", page)


@require_POST
def withdraw(request: HttpRequest, slug: str, tournament: str, pk: int) -> HttpResponse:
    row = directed_tournament(request, slug, tournament)
    ruling = get_object_or_404(Ruling, round__event=row.event, pk=pk)
    withdraw_ruling(ruling.pk, actor_of(request), at=timezone.now())
    messages.success(request, _("The ruling is withdrawn: it no longer counts."))
    return redirect("rulings", slug, row.slug)
