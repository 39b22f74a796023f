"""Names of states, presets and settings of tournaments."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from tournaments.engine.rules.rulesets import number_of
from tournaments.engine.standings.results import BYE_AVERAGE
from tournaments.engine.standings.tournament_settings import SECTIONS
from tournaments.models import Tournament
from tournaments.presenters.standings.standings import tie_break_name
from tournaments.texts.labels import POINTS, points_text

Text = str | Promise
State = Tournament.State

STATES: Mapping[str, Text] = {
    State.DRAFT: pgettext_lazy("state of a tournament", "draft"),
    State.REGISTRATION: pgettext_lazy("state of a tournament", "registration is open"),
    State.RUNNING: pgettext_lazy("state of a tournament", "running"),
    State.FINISHED: pgettext_lazy("state of a tournament", "finished"),
}

ROUND_STATES: Mapping[str, Text] = {
    "seated": pgettext_lazy("state of a round", "seated, not published yet"),
    "published": pgettext_lazy("state of a round", "published, not open yet"),
    "open": pgettext_lazy("state of a round", "open"),
    "closed": pgettext_lazy("state of a round", "closed"),
}

PRESETS: Mapping[str, Text] = {
    "club-evening": gettext_lazy("Club evening of 3 rounds"),
    "swiss-day": gettext_lazy("One-day Swiss of 5"),
    "league-night": gettext_lazy("League night"),
    "final-of-four": gettext_lazy("Final of four"),
}

SEATINGS: Mapping[str, Text] = {
    "swiss": gettext_lazy("Swiss: equals meet, nobody twice"),
    "random": gettext_lazy("by lot"),
    "fixed": gettext_lazy("a plan for the whole tournament, nobody twice"),
    "rank-near": gettext_lazy("neighbours by rank: 1, 2, 3, 4 together"),
    "rank-spread": gettext_lazy("cross-seeded: 1, 5, 9, 13"),
    "round-robin": gettext_lazy("everybody with everybody"),
    "manual": gettext_lazy("as the director says"),
}

OBJECTIVES: Mapping[str, Text] = {
    "new-opponents": gettext_lazy("everyone meets everyone: nobody twice where possible"),
    "near-scores": gettext_lazy("players with like points meet, some of them again"),
    "leaders": gettext_lazy("the leaders meet as often as possible"),
}

ODD: Mapping[str, Text] = {
    "bye": gettext_lazy("sits out (a bye)"),
    "house": gettext_lazy("plays with a house player, whose results count for nobody"),
}

FINALS: Mapping[int, Text] = {
    0: gettext_lazy("none"),
    4: gettext_lazy("the first 4 play a final"),
    8: gettext_lazy("the first 8 play semi-finals and a final"),
    16: gettext_lazy("the first 16 play on to a final"),
}

SECTION_COUNTS: Mapping[Any, Text] = {
    0: gettext_lazy("none"),
    **{number: " · ".join(SECTIONS[:number]) for number in range(2, len(SECTIONS) + 1)},
}

OVERTIME: Mapping[str, Text] = {
    "as-it-stands": gettext_lazy("counts as it stands"),
    "last-deal-void": gettext_lazy("counts without the last deal written"),
}

CHECK_INS: Mapping[str, Text] = {
    "none": gettext_lazy("nobody has to"),
    "once": gettext_lazy("once"),
    "round": gettext_lazy("before each round"),
}

SETTINGS: Mapping[str, Text] = {
    "rounds": gettext_lazy("Rounds"),
    "seating": gettext_lazy("Who sits with whom"),
    "objective": gettext_lazy("What the seating is for"),
    "leaders_last": gettext_lazy("Leaders meet in the last round, even if they have met before"),
    "separate_clubs": gettext_lazy("Players of one club are kept apart where possible"),
    "score_before_seats": gettext_lazy("Near scores matter more than even seats"),
    "points": gettext_lazy("What a round is worth"),
    "place_points": gettext_lazy("Points of the places"),
    "tie_breaks": gettext_lazy("Between equals"),
    "odd": gettext_lazy("Who is left over"),
    "bye": gettext_lazy("A bye is worth"),
    "missed": gettext_lazy("A missed round is worth"),
    "finals": gettext_lazy("Finals"),
    "carry": gettext_lazy("Points are carried into the finals"),
    "minutes": gettext_lazy("Minutes for a round"),
    "overtime": gettext_lazy("A game that runs out of time"),
    "check_in": gettext_lazy("Players say that they are there"),
    "hide_last": gettext_lazy("Standings are hidden during the last round"),
    "confirm_deals": gettext_lazy("An opponent confirms each deal"),
    "correct_minutes": gettext_lazy("Minutes to correct a confirmed deal without a director"),
    "capacity": gettext_lazy("Places for entrants"),
    "fee": gettext_lazy("Fee"),
    "prizes": gettext_lazy("Prizes by place"),
    "sections": gettext_lazy("Sections"),
    "line_up": gettext_lazy("Players of a team in each round"),
    "open_registration": gettext_lazy("Everybody may register"),
}
"""The settings by name, in reading order."""


def setting_text(name: str, value: Any) -> str:
    """Return the text of a setting's value, as in its document; a value without a text is kept."""
    if value is None:
        return _("no limit")
    return TOLD.get(name, _plain)(value)


def settings_that_matter(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the relevant settings of a document as text: no bye if nobody sits out."""
    for name, label in SETTINGS.items():
        if name in settings and (name not in MATTERS or MATTERS[name](settings)):
            yield str(label), setting_text(name, settings[name])


def settings_changes(before: Any, after: Any) -> Iterator[str]:
    """Yield the changed settings of an audit entry; all settings of a new tournament."""
    if not before or not after:
        details = settings_that_matter(after or before or {})
        yield from (f"{label}: {value}" for label, value in details)
        return
    for name, label in SETTINGS.items():
        sides = [setting_text(name, side.get(name)) for side in (before, after)]
        if sides[0] != sides[1]:
            yield f"{label}: {' → '.join(sides)}"


def state_name(state: str) -> str:
    return str(STATES[state])


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(value)


def _points(value: Any) -> str:
    number = number_of(value)
    return str(value) if number is None else points_text(number)


def _bye(value: Any) -> str:
    return _("the average of the rounds so far") if value == BYE_AVERAGE else _points(value)


def _minutes(value: int) -> str:
    return ngettext("%(number)s minute", "%(number)s minutes", value) % {"number": value}


def _chosen_from(words: Mapping[Any, Text]) -> Callable[[Any], str]:
    return lambda value: str(words.get(value, value))


TOLD: Mapping[str, Callable[[Any], str]] = {
    "seating": _chosen_from(SEATINGS),
    "objective": _chosen_from(OBJECTIVES),
    "points": _chosen_from(POINTS),
    "place_points": lambda value: " · ".join(map(_points, value)),
    "tie_breaks": lambda value: " · ".join(map(tie_break_name, value)) or "–",
    "odd": _chosen_from(ODD),
    "bye": _bye,
    "missed": _points,
    "finals": _chosen_from(FINALS),
    "overtime": _chosen_from(OVERTIME),
    "check_in": _chosen_from(CHECK_INS),
    "minutes": _minutes,
    "correct_minutes": _minutes,
    "sections": _chosen_from(SECTION_COUNTS),
    "fee": lambda value: value or "–",
    "prizes": lambda value: " · ".join(value) or "–",
    "line_up": lambda value: str(value or "–"),
}


MATTERS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "objective": lambda settings: settings["seating"] == "swiss",
    "leaders_last": lambda settings: bool(settings["leaders_last"]),
    "separate_clubs": lambda settings: bool(settings["separate_clubs"]),
    "score_before_seats": lambda settings: bool(settings["score_before_seats"]),
    "place_points": lambda settings: settings["points"] == "places",
    "bye": lambda settings: settings["odd"] == "bye",
    "missed": lambda settings: settings["missed"] is not None,
    "finals": lambda settings: bool(settings["finals"]),
    "carry": lambda settings: bool(settings["finals"]),
    "overtime": lambda settings: settings["minutes"] is not None,
    "check_in": lambda settings: settings["check_in"] != "none",
    "hide_last": lambda settings: bool(settings["hide_last"]),
    "confirm_deals": lambda settings: bool(settings.get("confirm_deals")),
    "correct_minutes": lambda settings: bool(settings.get("confirm_deals")),
    "capacity": lambda settings: settings["capacity"] is not None,
    "fee": lambda settings: bool(settings["fee"]),
    "prizes": lambda settings: bool(settings["prizes"]),
    "sections": lambda settings: bool(settings["sections"]),
    "line_up": lambda settings: bool(settings.get("line_up")),
    "open_registration": lambda settings: bool(settings.get("open_registration")),
}
"""The conditions under which a setting is relevant; the others always are."""
