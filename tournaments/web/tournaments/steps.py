"""Buttons for the next steps of a director, and for steps that can be undone."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from tournaments.models import Tournament
from tournaments.queries.tournaments.steps import LifecycleStep

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


MOVES: Mapping[str, tuple[str, Text]] = {
    "open-registration": (State.REGISTRATION, gettext_lazy("Open registration")),
    "start": (State.RUNNING, gettext_lazy("Start the tournament")),
    "finish": (State.FINISHED, gettext_lazy("Finish the tournament")),
    "back-to-draft": (State.DRAFT, gettext_lazy("Back to the draft")),
    "back-to-registration": (State.REGISTRATION, gettext_lazy("Back to registration")),
    "not-finished": (State.RUNNING, gettext_lazy("It is not finished after all")),
}
"""The steps that move the tournament to a state."""

LINKS: Mapping[str, tuple[str, Text]] = {
    "add-entrants": ("entrants", gettext_lazy("Add entrants")),
    "look-at-entrants": ("entrants", gettext_lazy("Look at the entrants")),
    "look-at-tables": ("running", gettext_lazy("Look at the tables")),
    "see-standings": ("standings", gettext_lazy("See the standings")),
}
"""The steps that only open a page, by the names of their pages."""

OF_ROUNDS: Mapping[str, tuple[str, Text]] = {
    "publish-seating": ("publish_round", gettext_lazy("Publish the seating")),
    "open-round": ("open_tournament_round", gettext_lazy("Open the round")),
    "close-round": ("close_tournament_round", gettext_lazy("Close the round")),
    "throw-seating-away": ("unseat_round", gettext_lazy("Throw the proposal away")),
    "take-seating-back": ("take_back_round", gettext_lazy("Take the seating back")),
    "reopen-round": ("reopen_tournament_round", gettext_lazy("Open the last round again")),
}
"""The steps of a round, by the names of the routes."""

SEATS: Mapping[str, Text] = {
    "seat-round": gettext_lazy("Seat round %(number)s"),
    "seat-finals": gettext_lazy("Seat the finals"),
}


def button_of(step: LifecycleStep, tournament: Tournament) -> Button:
    """The button of a step."""
    at: tuple[str | int, ...] = (tournament.event.club.slug, tournament.slug)
    if step.code in SEATS:
        return Button(str(SEATS[step.code]) % {"number": step.round}, "seat_round", at)
    if step.code in MOVES:
        state, move = MOVES[step.code]
        return Button(str(move), "move_tournament", at, {"state": state})
    at = at if step.round is None else (*at, step.round)
    is_link = step.code in LINKS
    name, label = (LINKS if is_link else OF_ROUNDS)[step.code]
    return Button(str(label), name, at, is_link=is_link)
