"""The form of a tournament: the fields of every event, and its settings."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from django import forms
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
    PRESETS,
    SETTING_SHAPES,
    TournamentSettings,
    read_settings,
    read_stored_settings,
    write_settings,
)
from tournaments.models import Club, Tournament
from tournaments.presenters.standings import standings
from tournaments.queries.tournaments.state import rules_of_tournament
from tournaments.queries.tournaments.steps import PLAYED
from tournaments.services.events.events import EventPlan
from tournaments.services.tournaments.lifecycle import TABLES, TournamentPlan
from tournaments.texts import messages
from tournaments.texts.documents import Text, choices_of
from tournaments.texts.labels import POINTS
from tournaments.web.events.forms import EventForm
from tournaments.web.tournaments import texts as details

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

    Raises:
        ValidationError: the text is not a number, or the number is too large.
    """
    whole = re.fullmatch(r"-?[0-9]{1,6}", text)
    worth = number_of(int(text) if whole else text)
    if worth is None or not -LARGEST_WORTH <= worth <= LARGEST_WORTH:
        raise forms.ValidationError(_("A number of points, like 4 or 1/2"), code="invalid")
    return write_points(worth)


def _label(name: str) -> Any:
    # Django's stubs know only their own lazy text.
    return details.SETTINGS[name]


def _choice(name: str, choices: Mapping[Any, Text]) -> forms.ChoiceField:
    return forms.ChoiceField(label=_label(name), choices=choices_of(choices))


def _switch(name: str, help_text: Any = "") -> forms.BooleanField:
    return forms.BooleanField(label=_label(name), required=False, help_text=help_text)


class TournamentForm(EventForm):
    """A tournament; once it runs, the fields of the game are fixed and left out."""

    rounds = forms.IntegerField(label=_label("rounds"), min_value=1, max_value=MOST_ROUNDS)
    seating = _choice("seating", details.SEATINGS)
    objective = _choice("objective", details.OBJECTIVES)
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
    odd = _choice("odd", details.ODD)
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
    finals = _choice("finals", details.FINALS)
    carry = _switch("carry")
    minutes = forms.IntegerField(
        label=_label("minutes"),
        min_value=1,
        max_value=LONGEST_ROUND,
        required=False,
        help_text=gettext_lazy("Nothing: no limit."),
    )
    overtime = _choice("overtime", details.OVERTIME)
    check_in = _choice("check_in", details.CHECK_INS)
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
        choices=choices_of(details.SECTION_COUNTS),
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
        played = {id_: rules for id_, rules in rulesets.items() if _is_played(rules)}
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
        form.initial = {**typed, **_typed(PRESETS[preset])}
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
        asked = {*self.OWN, *self.SETTINGS, *ties}
        asked |= set() if self.fixed else {field.html_name for field in self.table()}
        for name in set(self.errors) - asked:
            del self.errors[name]
        cleaned: dict[str, Any] = self.cleaned_data
        if cleaned.get("bye") == BYE_FIXED and cleaned.get("bye_points", "") is None:
            self.add_error("bye_points", _("How many points is it worth?"))
        if cleaned.get("points") == "places" and cleaned.get("place_points") == []:
            self.add_error("place_points", _("How many points is a place worth?"))
        if cleaned.get("line_up") and cleaned.get("seating") in DRAWN_AT_ONCE:
            said = _("All rounds of this seating are drawn at once: choose another one above.")
            self.add_error("line_up", said)
        self._refuse_twice(ties)
        return cleaned

    def _refuse_twice(self, ties: list[str]) -> None:
        seen: set[str] = set()
        for name in ties:
            chosen = self.cleaned_data.get(name)
            if chosen and chosen in seen:
                self.add_error(name, _("This is listed twice."))
            seen.add(chosen or "")

    def add_refused(self, error: InvalidEntry) -> None:
        """Show a refusal of the service, at its field if there is one."""
        for problem in error.problems:
            name, sentence = _refusal(problem)
            self.add_error(name, sentence)

    @property
    def settings(self) -> TournamentSettings:
        """Return the settings, once the form is valid."""
        cleaned = self.cleaned_data
        names = (*self.FEW, "objective", "odd", "overtime", "check_in", "fee", "prizes")
        document = {name: cleaned[name] for name in (*names, *SWITCHES)}
        chosen = (cleaned[f"tie{number}"] for number in range(self.tie_count))
        bye = cleaned["bye"]
        return read_settings(
            document
            | {
                "place_points": cleaned["place_points"] or self._places_before(),
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

    def _places_before(self) -> list[int | str]:
        """Return the points of places for an empty field, where places score nothing."""
        settings = read_settings(self.row.settings) if self.row else TournamentSettings()
        return [write_points(worth) for worth in settings.place_points]

    def plan_with(self, seed: int) -> TournamentPlan:
        """Return the plan, once the form is valid."""
        plan: EventPlan = self.plan
        if self.row is not None and self.fixed:
            event = self.row.event
            plan = replace(plan, ruleset=event.ruleset, options=event.options)
        return TournamentPlan(plan, self.settings, seed)


def _is_played(rules: Ruleset) -> bool:
    return (rules.seats, rules.side_count) in TABLES


def _tie_break(number: int) -> forms.ChoiceField:
    """Return the field of a tie-break by its position; an empty value ends the list."""
    return forms.ChoiceField(
        label=_("Between equals, %(number)s") % {"number": number + 1},
        choices=[("", "–"), *((name, standings.tie_break_name(name)) for name in TIE_BREAKS)],
        required=False,
    )


def _typed(settings: TournamentSettings) -> dict[str, Any]:
    """Return settings as values of the form's fields."""
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
    """Return the field for a refusal of the service, and its text."""
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
