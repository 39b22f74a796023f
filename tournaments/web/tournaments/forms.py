"""The form of a tournament, and the texts of its settings."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import Code, InvalidEntry, Problem, Ruleset, number_of
from tournaments.engine.standings.results import BYE_AVERAGE, TIE_BREAK_VERSION, TIE_BREAKS
from tournaments.engine.standings.tournament_settings import (
    DRAWN_AT_ONCE,
    LARGEST_LINE_UP,
    LARGEST_WORTH,
    LONGEST_ROUND,
    MOST_PLACES,
    MOST_PLAYING,
    MOST_ROUNDS,
    SECTIONS,
    SETTING_SHAPES,
    TournamentSettings,
    read_settings,
    read_stored_settings,
    write_settings,
)
from tournaments.engine.standings.tournament_settings import PRESETS as TOURNAMENT_SETTINGS_PRESETS
from tournaments.models import Club, Tournament
from tournaments.queries import standings
from tournaments.queries.standings import tie_break_name
from tournaments.queries.state import rules_of_tournament
from tournaments.queries.steps import PLAYED
from tournaments.services.events.events import EventPlan
from tournaments.services.tournaments.lifecycle import TABLES, TournamentPlan
from tournaments.texts import messages
from tournaments.texts.documents import Text as DocumentsText
from tournaments.texts.documents import choices_of
from tournaments.texts.labels import POINTS, points_text
from tournaments.web.events.forms import EventForm

Text = str | Promise
State = Tournament.State

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


LEAST_TIE_BREAKS = 6
"""The number of fields, or more if there are more values."""

BYE_FIXED = "fixed"
CORRECT_MINUTES = TournamentSettings().correct_minutes
SWITCHES = (
    *("leaders_last", "separate_clubs", "score_before_seats", "carry", "hide_last"),
    *("confirm_deals", "open_registration"),
)

# In Turkish the sign stands before the number.
_PRIZE = re.compile(r"%\s*[0-9.]+|[0-9.]+\s*%|[^\s;·/]+")
_BETWEEN = re.compile(r"(?<=\d)[-–·](?=\d)|[\s,;·]+")


class WorthField(forms.CharField):
    """Points, a whole number or a fraction like 1/2."""

    def clean(self, value: Any) -> int | str | None:
        """Return the points as in settings; None if empty."""
        text = str(super().clean(value)).replace("−", "-").strip()
        return worth_of(text) if text else None


class PlacePointsField(forms.CharField):
    """The points of the first place and of those after it, as 4 2 1 0 or 4-2-1-0."""

    def clean(self, value: Any) -> list[int | str]:
        """Return the points as in settings."""
        text = str(super().clean(value)).replace("−", "-").strip()
        if not text:
            return []
        worth = [worth_of(each) for each in _BETWEEN.split(text) if each]
        numbers = [number_of(each) or 0 for each in worth]
        if not 2 <= len(numbers) <= MOST_PLACES or numbers != sorted(numbers, reverse=True):
            raise forms.ValidationError(
                _("Two to four numbers, none larger than the one before it."), code="invalid"
            )
        return worth


class FeeField(forms.CharField):
    """An amount, with a comma or a point."""

    def clean(self, value: Any) -> str:
        """Return the amount as in settings."""
        text = str(super().clean(value)).strip().replace(",", ".")
        _check("fee", text, _("An amount, like 20 or 12.50"))
        return text


class PrizesField(forms.CharField):
    """The prizes by place, apart by spaces, as 50% 30% 20% or 300 200 100."""

    def clean(self, value: Any) -> list[str]:
        """Return the prizes as in settings."""
        typed = _PRIZE.findall(str(super().clean(value)).replace(",", "."))
        prizes = [each.strip("% ") + "%" if "%" in each else each for each in typed]
        wrong = _("Shares like 50% 30% 20%, 100% at most together, or amounts like 300 200 100")
        _check("prizes", prizes, wrong)
        return prizes


def _check(name: str, value: Any, wrong: str) -> None:
    if list(SETTING_SHAPES[name].check(name, value)):
        raise forms.ValidationError(wrong, code="invalid")


def worth_of(text: str) -> int | str:
    """Return typed points as in settings.

    Raises: ValidationError: the text is not a number, or the number is too large.
    """
    whole = re.fullmatch(r"-?[0-9]{1,6}", text)
    worth = number_of(int(text) if whole else text)
    if worth is None or not -LARGEST_WORTH <= worth <= LARGEST_WORTH:
        raise forms.ValidationError(_("A number of points, like 4 or 1/2"), code="invalid")
    return write_points(worth)


def _label(name: str) -> Any:
    # Django's stubs know only their own lazy text.
    return SETTINGS[name]


def _choice(name: str, choices: Mapping[Any, DocumentsText]) -> forms.ChoiceField:
    return forms.ChoiceField(label=_label(name), choices=choices_of(choices))


def _switch(name: str, help_text: Any = "") -> forms.BooleanField:
    return forms.BooleanField(label=_label(name), required=False, help_text=help_text)


class TournamentForm(EventForm):
    """A tournament; once it runs, the fields of the game are fixed and left out."""

    rounds = forms.IntegerField(label=_label("rounds"), min_value=1, max_value=MOST_ROUNDS)
    seating = _choice("seating", SEATINGS)
    objective = _choice("objective", OBJECTIVES)
    leaders_last = _switch(
        "leaders_last",
        gettext_lazy("For Swiss seating without finals. The proposal says how many meet again."),
    )
    separate_clubs = _switch("separate_clubs")
    score_before_seats = _switch(
        "score_before_seats",
        gettext_lazy("For Swiss seating: how often each sits in each seat may then differ by two."),
    )
    points = _choice("points", POINTS)
    place_points = PlacePointsField(
        label=_label("place_points"),
        max_length=40,
        required=False,
        help_text=gettext_lazy("From the first place to the last; shared places share them."),
    )
    odd = _choice("odd", ODD)
    bye = forms.ChoiceField(
        label=_label("bye"),
        choices=[
            (BYE_AVERAGE, gettext_lazy("the average of the rounds so far")),
            (BYE_FIXED, gettext_lazy("so many points:")),
        ],
        widget=forms.RadioSelect,
    )
    bye_points = WorthField(label=gettext_lazy("Points of a bye"), max_length=12, required=False)
    missed = WorthField(
        label=_label("missed"),
        max_length=12,
        required=False,
        help_text=gettext_lazy(
            "Of who comes late; sitting out on arrival is worth no more. Empty: missed rounds are"
            " worth nothing, and sitting out on arrival is worth as much as at any time."
        ),
    )
    finals = _choice("finals", FINALS)
    carry = _switch("carry")
    minutes = forms.IntegerField(
        label=_label("minutes"),
        min_value=1,
        max_value=LONGEST_ROUND,
        required=False,
        help_text=gettext_lazy("Nothing: no limit."),
    )
    overtime = _choice("overtime", OVERTIME)
    check_in = _choice("check_in", CHECK_INS)
    hide_last = _switch("hide_last")
    confirm_deals = _switch(
        "confirm_deals",
        gettext_lazy(
            "The next declarer or another opponent, with one tap. A table that disputes a"
            " deal calls the director."
        ),
    )
    correct_minutes = forms.IntegerField(
        label=_label("correct_minutes"),
        min_value=1,
        max_value=LONGEST_ROUND,
        required=False,
    )
    capacity = forms.IntegerField(
        label=_label("capacity"),
        min_value=1,
        max_value=MOST_PLAYING,
        required=False,
        help_text=gettext_lazy("Nothing: no limit. Others wait, in the order they register."),
    )

    fee = FeeField(label=_label("fee"), max_length=10, required=False)
    prizes = PrizesField(
        label=_label("prizes"),
        max_length=200,
        required=False,
        help_text=gettext_lazy(
            "For each place 50% (of the fees) or 300 (an amount), with spaces between them."
        ),
    )

    sections = forms.ChoiceField(
        label=_label("sections"),
        choices=choices_of(SECTION_COUNTS),
        required=False,
        help_text=gettext_lazy("Each is seated and ranked by itself, and has finals of its own."),
    )

    line_up = forms.IntegerField(
        label=_label("line_up"),
        min_value=1,
        max_value=LARGEST_LINE_UP,
        required=False,
        help_text=gettext_lazy(
            "Nothing: everybody plays. Otherwise each team names so many before each round, the"
            " others are its reserves, and players of one team do not sit together."
        ),
    )

    open_registration = _switch(
        "open_registration",
        gettext_lazy(
            "Once the tournament is published, its page shows the button to everybody. Otherwise"
            " members see it, and others need the link."
        ),
    )

    SETTINGS = (
        *("rounds", "seating", "objective", "leaders_last", "separate_clubs"),
        *("score_before_seats", "points", "place_points"),
        *("odd", "bye"),
        *(
            "bye_points",
            "missed",
            "finals",
            "carry",
            "minutes",
            "overtime",
            "check_in",
            "hide_last",
        ),
        *("confirm_deals", "correct_minutes", "capacity", "fee", "prizes", "sections"),
        *("line_up", "open_registration"),
    )
    FEW = ("rounds", "seating", "points", "minutes", "capacity")
    """The settings that are not folded away."""

    def __init__(
        self,
        club: Club,
        data: Mapping[str, Any] | None = None,
        *,
        rulesets: Mapping[str, Ruleset],
        tournament: Tournament | None = None,
        today: date | None = None,
    ) -> None:
        self.row = tournament
        self.fixed = tournament is not None and tournament.state in PLAYED
        if tournament is not None and self.fixed:
            rulesets = {tournament.event.ruleset: rules_of_tournament(tournament)}
        played = {
            id_: rules
            for id_, rules in rulesets.items()
            if ((rules.seats, rules.side_count) in TABLES)
        }
        settings = read_stored_settings(tournament.settings) if tournament else TournamentSettings()
        self.tie_break_version = settings.tie_break_version if self.fixed else TIE_BREAK_VERSION
        ties = sum(f"tie{number}" in (data or {}) for number in range(len(TIE_BREAKS)))
        self.tie_count = max(LEAST_TIE_BREAKS, len(settings.tie_breaks), ties)
        event = tournament.event if tournament else None
        super().__init__(club, data, rulesets=played, event=event, today=today)
        if self.fixed:
            self.fields["ruleset"].required = False
        for number in range(self.tie_count):
            self.fields[f"tie{number}"] = _tie_break(number)
        self.initial = {**self.initial, **_typed(settings)}

    def filled(self, preset: str) -> "TournamentForm":
        form = type(self)(self.club, rulesets=self.rulesets, tournament=self.row)
        typed = {name: self[name].value() for name in self.fields}
        form.initial = {**typed, **_typed(TOURNAMENT_SETTINGS_PRESETS[preset])}
        form.key = self.key
        return form

    def few(self) -> Iterator[forms.BoundField]:
        return (self[name] for name in self.FEW)

    def ties(self) -> list[forms.BoundField]:
        return [self[f"tie{number}"] for number in range(self.tie_count)]

    @property
    def more_is_wrong(self) -> bool:
        folded = {*self.SETTINGS, *(f"tie{n}" for n in range(self.tie_count))} - set(self.FEW)
        return bool(folded & set(self.errors))

    def clean(self) -> dict[str, Any]:
        """Refuse contradictory settings; ignore values typed for another game."""
        ties = [f"tie{number}" for number in range(self.tie_count)]
        visible = {*self.OWN, *self.SETTINGS, *ties}
        visible |= set() if self.fixed else {field.html_name for field in self.table()}
        for name in set(self.errors) - visible:
            del self.errors[name]
        cleaned: dict[str, Any] = self.cleaned_data
        if cleaned.get("bye") == BYE_FIXED and cleaned.get("bye_points", "") is None:
            self.add_error("bye_points", _("How many points is it worth?"))
        if cleaned.get("points") == "places" and cleaned.get("place_points") == []:
            self.add_error("place_points", _("How many points is a place worth?"))
        if cleaned.get("line_up") and cleaned.get("seating") in DRAWN_AT_ONCE:
            sentence = _("All rounds of this seating are drawn at once: choose another one above.")
            self.add_error("line_up", sentence)
        seen: set[str] = set()
        for name in ties:
            chosen = cleaned.get(name)
            if chosen and chosen in seen:
                self.add_error(name, _("This is listed twice."))
            seen.add(chosen or "")
        return cleaned

    def add_refused(self, error: InvalidEntry) -> None:
        """Show a refusal of the service, at its field if there is one."""
        for problem in error.problems:
            name, sentence = _refusal(problem)
            self.add_error(name, sentence)

    @property
    def settings(self) -> TournamentSettings:
        cleaned = self.cleaned_data
        names = (*self.FEW, "objective", "odd", "overtime", "check_in", "fee", "prizes")
        document = {name: cleaned[name] for name in (*names, *SWITCHES)}
        chosen = (cleaned[f"tie{number}"] for number in range(self.tie_count))
        before = read_settings(self.row.settings) if self.row else TournamentSettings()
        bye = cleaned["bye"]
        return read_settings(
            document
            | {
                "place_points": cleaned["place_points"]
                or [write_points(worth) for worth in before.place_points],
                "finals": int(cleaned["finals"]),
                "correct_minutes": cleaned["correct_minutes"]
                or TournamentSettings().correct_minutes,
                "sections": int(cleaned["sections"] or 0),
                "bye": cleaned["bye_points"] if bye == BYE_FIXED else bye,
                "missed": cleaned["missed"],
                "tie_breaks": [name for name in chosen if name],
                "line_up": cleaned["line_up"] or 0,
                "tie_break_version": self.tie_break_version,
            }
        )

    def plan_with(self, seed: int) -> TournamentPlan:
        plan: EventPlan = self.plan
        if self.row is not None and self.fixed:
            event = self.row.event
            plan = replace(plan, ruleset=event.ruleset, options=event.options)
        return TournamentPlan(plan, self.settings, seed)


def _tie_break(number: int) -> forms.ChoiceField:
    """Return the field of a tie-break by its position; an empty value ends the list."""
    return forms.ChoiceField(
        label=_("Between equals, %(number)s") % {"number": number + 1},
        choices=[("", "–"), *((name, standings.tie_break_name(name)) for name in TIE_BREAKS)],
        required=False,
    )


def _typed(settings: TournamentSettings) -> dict[str, Any]:
    document = write_settings(settings)
    fixed = document["bye"] != BYE_AVERAGE
    ties = [*settings.tie_breaks, *("" for _name in TIE_BREAKS)]
    return document | {
        "place_points": " ".join(map(str, document["place_points"])),
        "prizes": " ".join(document["prizes"]),
        "line_up": settings.line_up or "",
        "bye": BYE_FIXED if fixed else BYE_AVERAGE,
        "bye_points": document["bye"] if fixed else "",
        "missed": "" if document["missed"] is None else document["missed"],
        **{f"tie{number}": name for number, name in enumerate(ties)},
    }


def _refusal(problem: Problem) -> tuple[str | None, str]:
    if problem.code == Code.WRONG_TYPE and problem.where == "settings.rounds":
        seated = int(str(problem.params["expected"]))
        text = ngettext(
            "%(number)s round was drawn already.", "%(number)s rounds were drawn already.", seated
        )
        return "rounds", text % {"number": seated}
    if problem.where == "settings.finals":
        return "finals", _("A final is seated: rounds and finals stay as they are.")
    if problem.where == "entrants":
        return None, _("There are entrants already: pairs and single players are not exchanged.")
    return None, messages.explain(problem)
