"""Buttons for the next steps of a director, and for steps that can be undone."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.models import AuditEntry, Round, Tournament
from tournaments.queries.tournaments.steps import LifecycleStep
from tournaments.services.rounds.proposals import number_of
from tournaments.services.rounds.undo import details_of
from tournaments.texts.labels import round_name, stage_name

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
    "go-to-called": ("running_table", gettext_lazy("Go to table %(table)s: called the director")),
    "go-to-disputed": ("running_table", gettext_lazy("Go to table %(table)s: disputed deal")),
    "go-to-unconfirmed": ("running_table", gettext_lazy("Go to table %(table)s: not confirmed")),
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
        known = {each.number: each.shown_name for each in rows}
        names = [known.get(number, f"№ {number}") for number in sorted(numbers)]
    shown = ", ".join(names[:MOST_NAMES] + ["…"] * (len(names) > MOST_NAMES))
    return text % {"names": shown}


def button_of(step: LifecycleStep, tournament: Tournament) -> Button:
    """Return the button of a next step; it takes the step once, as it was seen."""
    at: tuple[str | int, ...] = (tournament.event.club.slug, tournament.slug)
    said = {"number": step.round, "table": step.table, "stage": stage_name(step.stage)}
    if step.code in LINKS:
        name, label = LINKS[step.code]
        more = (number for number in (step.round, step.table) if number is not None)
        return Button(str(label) % said, name, (*at, *more), is_link=True)
    sends = {"step": step.code, "round": str(step.round or ""), "seen": str(tournament.revision)}
    label = IN_FINALS.get(step.code, NEXT[step.code]) if step.stage else NEXT[step.code]
    return Button(str(label) % said, "next_step", at, sends)


def line_ups_button(step: LifecycleStep, tournament: Tournament) -> Button:
    """Return the link to the line-ups of the round that a step seats."""
    at = (tournament.event.club.slug, tournament.slug, step.round or 1)
    label = _("Line-ups of round %(number)s") % {"number": at[-1]}
    return Button(label, "line_ups", at, is_link=True)


def back_button_of(step: LifecycleStep, tournament: Tournament) -> Button:
    """Return the button of a step that can be undone."""
    at: tuple[str | int, ...] = (tournament.event.club.slug, tournament.slug)
    if step.code in MOVES_BACK:
        state, label = MOVES_BACK[step.code]
        return Button(str(label), "move_tournament", at, {"state": state})
    name, label = ROUNDS_BACK[step.code]
    return Button(str(label), name, (*at, *filter(None, [step.round])))
