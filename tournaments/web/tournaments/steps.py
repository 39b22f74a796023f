"""The directors' next step of a tournament, and the strip that shows it on every page."""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.db import Error
from django.http import HttpRequest
from django.urls import Resolver404, ResolverMatch, resolve, reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.models import AuditEntry, Round, Tournament
from tournaments.queries.overview import load_strip, strip_step
from tournaments.queries.states import tournament_state
from tournaments.queries.steps import HowFar, LifecycleStep, how_far
from tournaments.services.rounds.proposals import number_of
from tournaments.services.rounds.undo import details_of, last_act
from tournaments.texts.labels import round_name, stage_name
from tournaments.web.base.pages import etag_of, tag_of
from tournaments.web.games.views import Clock, clock_of

State = Tournament.State
Text = str | Promise


@dataclass(frozen=True)
class Button:
    """A button that posts `sends` to the page `name`, or a link to it."""

    label: str
    name: str
    args: tuple[str | int, ...]
    sends: Mapping[str, str] = field(default_factory=dict)
    is_link: bool = False

    @property
    def url(self) -> str:
        return reverse(self.name, args=self.args)


NEXT: Mapping[str, Text] = {
    "open-registration": gettext_lazy("Open registration"),
    "start": gettext_lazy("Start the tournament"),
    "start-and-seat": gettext_lazy("Close entries, seat round %(number)s"),
    "seat-round": gettext_lazy("Seat round %(number)s"),
    "seat-finals": gettext_lazy("Seat the finals"),
    "publish-seating": gettext_lazy("Publish the seating"),
    "open-round": gettext_lazy("Open the round"),
    "start-clock": gettext_lazy("Start the clock"),
    "close-round": gettext_lazy("Close round %(number)s"),
    "finish": gettext_lazy("Finish and publish the result"),
}
"""The steps that need no choice: their button takes them."""

IN_FINALS: Mapping[str, Text] = {"close-round": gettext_lazy("Close: %(stage)s")}
"""Steps that name the stage of the finals instead of the number of the round."""

LINKS: Mapping[str, tuple[str, Text]] = {
    "add-entrants": ("entrants", gettext_lazy("Add entrants")),
    "look-at-entrants": ("entrants", gettext_lazy("Look at the entrants")),
    "look-at-tables": ("running", gettext_lazy("Look at the tables")),
    "go-to-table": ("running_table", gettext_lazy("Go to table %(table)s")),
    "look-at-correction": ("round_changes", gettext_lazy("Look at the correction")),
    "see-standings": ("standings", gettext_lazy("See the standings")),
}
"""The steps that only open a page, by the names of their pages."""

MOVES_BACK: Mapping[str, tuple[str, Text]] = {
    "back-to-draft": (State.DRAFT, gettext_lazy("Back to the draft")),
    "back-to-registration": (State.REGISTRATION, gettext_lazy("Back to registration")),
    "not-finished": (State.RUNNING, gettext_lazy("It is not finished after all")),
}
"""The steps that move the tournament back to a state."""

ROUNDS_BACK: Mapping[str, tuple[str, Text]] = {
    "throw-seating-away": ("unseat_round", gettext_lazy("Throw the proposal away")),
    "take-seating-back": ("take_back_round", gettext_lazy("Take the seating back")),
    "reopen-round": ("reopen_tournament_round", gettext_lazy("Open the last round again")),
}
"""The steps back of a round, by the names of the routes."""


ACTS: Mapping[str, Text] = {
    "publish-round": gettext_lazy("Published: %(round)s"),
    "take-back-round": gettext_lazy("Taken back: %(round)s"),
    "close-round": gettext_lazy("Closed: %(round)s"),
    "withdraw-entrant": gettext_lazy("Withdrawn: %(names)s"),
    "rule": gettext_lazy("Ruling on %(names)s"),
    "withdraw-ruling": gettext_lazy("Ruling withdrawn: %(names)s"),
    "move-section": gettext_lazy("Section changed: %(names)s"),
    "exchange-seats": gettext_lazy("Chairs exchanged: %(names)s"),
    "put-line-up": gettext_lazy("Line-up of %(team)s, %(round)s"),
    "change-seating": gettext_lazy("Seating changed: %(round)s"),
    "leave-table": gettext_lazy("Left the table: %(names)s"),
    "arrive-late": gettext_lazy("Came late: %(names)s"),
}
"""The acts that can be undone, by the actions of their audit entries."""


MOST_NAMES = 4
"""More names than this would fill the screen of a phone."""


def act_text(entry: AuditEntry, tournament: Tournament) -> str:
    """Return an act that can be undone as text (1 query).

    A round that is not seated yet, and rows that were removed since, are named by their numbers.
    """
    details, text = details_of(entry), str(ACTS[entry.action])
    if "%(round)s" in text:
        number = details["round"]
        round_ = tournament.event.rounds.filter(number=number).first() or Round(number=number)
        return text % {"round": round_name(round_), "team": details.get("team")}
    numbers = [number_of(key) for key in details.get("entrants", ())]
    names = []
    if numbers:
        rows = tournament.entrants.filter(number__in=numbers).select_related("player", "partner")
        known = {row.number: row.shown_name for row in rows}
        names = [known.get(number, f"№ {number}") for number in sorted(numbers)]
    listed = ", ".join(names[:MOST_NAMES] + ["…"] * (len(names) > MOST_NAMES))
    return text % {"names": listed}


def button_of(step: LifecycleStep, tournament: Tournament) -> Button:
    """Return the button of a next step; it takes the step once, as it was seen."""
    at: tuple[str | int, ...] = (tournament.event.club.slug, tournament.slug)
    params = {"number": step.round, "table": step.table, "stage": stage_name(step.stage)}
    if step.code in LINKS:
        name, label = LINKS[step.code]
        more = (number for number in (step.round, step.table) if number is not None)
        return Button(str(label) % params, name, (*at, *more), is_link=True)
    sends = {"step": step.code, "round": str(step.round or ""), "seen": str(tournament.revision)}
    label = IN_FINALS.get(step.code, NEXT[step.code]) if step.stage else NEXT[step.code]
    return Button(str(label) % params, "next_step", at, sends)


def back_button_of(step: LifecycleStep, tournament: Tournament) -> Button:
    at: tuple[str | int, ...] = (tournament.event.club.slug, tournament.slug)
    if step.code in MOVES_BACK:
        state, label = MOVES_BACK[step.code]
        return Button(str(label), "move_tournament", at, {"state": state})
    name, label = ROUNDS_BACK[step.code]
    return Button(str(label), name, (*at, *filter(None, [step.round])))


logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class StripView:
    """The strip: what leads, the running `clock` of the open round, and the sentence after it.

    `rounds` are all rounds of the tournament; `tables` is the last one with tables. `page` is the
    page that it stands on. A correction changes the places of `moved` entrants. `act` is the audit
    entry of the act that can be undone, and `act_text` says it. Without a `button` the strip has
    failed, and says so. `over` is whether tables play on after the end.
    """

    far: HowFar
    headers: str
    page: ResolverMatch | None = None
    head: str = ""
    sentence: str = ""
    clock: Clock | None = None
    button: Button | None = None
    urgent: bool = False
    over: bool = False
    moved: int = 0
    act: AuditEntry | None = None
    act_text: str = ""

    @property
    def rounds(self) -> list[Round]:
        return list(self.far.rounds)

    @property
    def tables(self) -> Round | None:
        """Return the round whose tables to look at: the last published one, or else the seated."""
        laid = [round_ for round_ in self.far.rounds if round_.published_at is not None]
        going = (each for each in laid if each.closed_at is None)
        return next(going, laid[-1] if laid else self.far.round_)

    @property
    def earlier(self) -> str:
        """Return the name of the round of the page if it is not the current one any more."""
        number = self.page.kwargs.get("number") if self.page is not None else None
        now = self.tables
        if number is None or now is None or number >= now.number:
            return ""
        return next((round_name(each) for each in self.rounds if each.number == number), "")

    @property
    def current(self) -> str:
        return round_name(self.tables) if self.tables is not None else ""


def strip_of(
    request: HttpRequest, row: Tournament, rounds: Sequence[Round], moved: Callable[[], int]
) -> StripView:
    """Return the strip of a tournament for its directors (up to 8 queries).

    `rounds` are all in order; a correction changes the places of `moved` entrants. A strip that
    fails is logged and says so: the page around it is shown all the same.
    """
    now, far = timezone.now(), how_far(row, rounds)
    at = request.GET.get("at", request.path)
    try:
        page = resolve(at)
    except Resolver404:
        page = None
    headers = json.dumps({"If-None-Match": strip_etag(request, row, now)})
    try:
        strip = load_strip(row, far, moved(), now)
        round_, act, step = far.round_, last_act(row, now), strip_step(strip)
        button = button_of(step, row)
        if step.code == "go-to-table" and page is not None and page.url_name == "running":
            # The table is the first of that page.
            tables = button_of(replace(step, code="look-at-tables", table=None), row)
            button = tables if tables.url == at else button
        if step.code in ("start-and-seat", "seat-round") and strip.settings.line_up:
            # Before a round is seated, the line-ups come first.
            args = (row.event.club.slug, row.slug, step.round or 1)
            label = _("Line-ups of round %(number)s") % {"number": args[-1]}
            line_ups = Button(label, "line_ups", args, is_link=True)
            if line_ups.url != at:
                button = line_ups
        clock = clock_of(round_, now) if round_ is not None and round_.is_open else None
        head, sentence = tournament_state(row, strip, directs=True)
        return StripView(
            far=far,
            headers=headers,
            page=page,
            head=head,
            sentence=sentence,
            clock=None if strip.not_started else clock,
            button=button,
            urgent=strip.over or bool(strip.called),
            over=strip.over,
            moved=0 if step.code == "look-at-correction" else strip.moved,
            act=act,
            act_text="" if act is None else act_text(act, row),
        )
    except Error:
        # A database that is away has its own answer.
        raise
    except Exception:
        logger.exception("The strip of tournament %s failed", row.pk)
        return StripView(far, headers, page)


def strip_etag(request: HttpRequest, row: Tournament, at: datetime) -> str:
    """Return the ETag of the strip, from every change in the club and the current minute."""
    return tag_of(["strip", etag_of(request, row.event, directs=True), int(at.timestamp() // 60)])
