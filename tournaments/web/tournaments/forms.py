"""The form of a tournament, and the texts of its settings."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, time, timedelta
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
    LARGEST_WORTH,
    SETTING_FIELDS,
    TournamentSettings,
    read_settings,
    read_stored_settings,
    write_settings,
)
from tournaments.engine.standings.tournament_settings import PRESETS as TOURNAMENT_SETTINGS_PRESETS
from tournaments.models import Club, Tournament
from tournaments.queries.standings import tie_break_name
from tournaments.queries.state import rules_of_tournament
from tournaments.queries.states import A_TABLE
from tournaments.queries.steps import PLAYED
from tournaments.services.events.events import EventPlan
from tournaments.services.tournaments.lifecycle import TABLES, TournamentPlan
from tournaments.texts import messages
from tournaments.texts.labels import duration_text, points_text
from tournaments.web.base.pages import declared_field, labels_of
from tournaments.web.events.forms import EventForm

Text = str | Promise
State = Tournament.State

BREAK = 10
"""Minutes between two rounds, where somebody wants to know when the last one ends."""

FINAL_ROUNDS = {"4": 1, "8": 2, "16": 3}

PRESETS: Mapping[str, tuple[Text, Text]] = {
    "club-evening": (
        gettext_lazy("Club evening"),
        gettext_lazy("3 rounds; the points of the games add up."),
    ),
    "swiss-day": (
        gettext_lazy("One-day Swiss"),
        gettext_lazy("5 rounds of 75 minutes; points by place; the leaders meet in the last one."),
    ),
    "league-night": (
        gettext_lazy("League night"),
        gettext_lazy("2 rounds; points by place; house players fill the tables."),
    ),
    "final-of-four": (
        gettext_lazy("Final of four"),
        gettext_lazy("3 rounds, then a final of the first four that starts at 0."),
    ),
}


def setting_text(name: str, value: Any) -> str:
    """Return the text of a setting's value, as in its document; a value without a text is kept."""
    if value is None:
        return _("no limit")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return " · ".join(setting_text(name, each) for each in value) or "–"
    if name in TEXTS:
        return TEXTS[name](value)
    names = LABELLED[name].names
    return _(names[value]) if value in names else str(value or "–")


def settings_that_matter(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the relevant settings of a document as text: no bye if nobody sits out."""
    for name, about in LABELLED.items():
        if name in settings and (about.matters(settings) if about.matters else settings[name]):
            yield _(about.label), setting_text(name, settings[name])


def settings_changes(before: Any, after: Any) -> Iterator[str]:
    """Yield the changed settings of an audit entry; all settings of a new tournament."""
    if not before or not after:
        details = settings_that_matter(after or before or {})
        yield from (f"{label}: {value}" for label, value in details)
        return
    for name, about in LABELLED.items():
        sides = [setting_text(name, side.get(name)) for side in (before, after)]
        if sides[0] != sides[1]:
            yield f"{_(about.label)}: {' → '.join(sides)}"


def _points(value: Any) -> str:
    number = number_of(value)
    return str(value) if number is None else points_text(number)


def _minutes(value: int) -> str:
    return ngettext("%(number)s minute", "%(number)s minutes", value) % {"number": value}


LABELLED = {name: about for name, about in SETTING_FIELDS.items() if about.label}
TEXTS: Mapping[str, Callable[[Any], str]] = {
    "place_points": _points,
    "tie_breaks": tie_break_name,
    "bye": lambda value: str(BYES.get(value) or _points(value)),
    "missed": _points,
    "minutes": _minutes,
    "correct_minutes": _minutes,
}
"""The texts of the values of settings, or of the items in them, that are not said by themselves."""


LEAST_TIE_BREAKS = 6
"""The number of fields, or more if there are more values."""

BYE_FIXED = "fixed"
BYES: Mapping[str, Any] = {
    BYE_AVERAGE: gettext_lazy("the average of the rounds so far"),
    BYE_FIXED: gettext_lazy("so many points:"),
}

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
        text = str(super().clean(value)).replace("−", "-").strip()
        if not text:
            return []
        worth = [worth_of(each) for each in _BETWEEN.split(text) if each]
        wrong = _("Two to four numbers, none larger than the one before it.")
        _check("place_points", worth, wrong)
        return worth


class FeeField(forms.CharField):
    """An amount, with a comma or a point."""

    def clean(self, value: Any) -> str:
        text = str(super().clean(value)).strip().replace(",", ".")
        _check("fee", text, _("An amount, like 20 or 12.50"))
        return text


class PrizesField(forms.CharField):
    """The prizes by place, apart by spaces, as 50% 30% 20% or 300 200 100."""

    def clean(self, value: Any) -> list[str]:
        typed = _PRIZE.findall(str(super().clean(value)).replace(",", "."))
        prizes = [each.strip("% ") + "%" if "%" in each else each for each in typed]
        wrong = _("Shares like 50% 30% 20%, 100% at most together, or amounts like 300 200 100")
        _check("prizes", prizes, wrong)
        return prizes


def _check(name: str, value: Any, wrong: str) -> None:
    if SETTING_FIELDS[name].shape.check(value):
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


class TournamentForm(EventForm):
    """A tournament; once it runs, the fields of the game are fixed and left out.

    Its settings have the fields that follow from their descriptions, but for those below.
    """

    place_points = PlacePointsField(
        max_length=40, required=False, **labels_of(LABELLED["place_points"])
    )
    bye = forms.ChoiceField(choices=BYES, widget=forms.RadioSelect, **labels_of(LABELLED["bye"]))
    bye_points = WorthField(label=gettext_lazy("Points of a bye"), max_length=12, required=False)
    missed = WorthField(max_length=12, required=False, **labels_of(LABELLED["missed"]))
    everybody = forms.BooleanField(required=False)
    fee = FeeField(max_length=10, required=False, **labels_of(LABELLED["fee"]))
    prizes = PrizesField(max_length=200, required=False, **labels_of(LABELLED["prizes"]))

    SETTINGS = (*(name for name in LABELLED if name != "tie_breaks"), "bye_points")
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
        self.fields["ruleset"].error_messages["invalid_choice"] = str(messages.OWN["tables"])
        for name in self.SETTINGS:
            if name not in self.fields:
                self.fields[name] = declared_field(LABELLED[name])
        self.fields["rounds"].required, self.fields["sections"].required = True, False
        seating = self.fields["seating"]
        assert isinstance(seating, forms.ChoiceField)
        seating.widget, choices = forms.RadioSelect(), seating.choices
        seating.choices = choices
        if self.fixed:
            self.fields["ruleset"].required = False
        for number in range(self.tie_count):
            self.fields[f"tie{number}"] = _tie_break(number)
        self.initial = {**self.initial, **_typed(settings)}
        self.players = 0 if tournament else club.players.present().count()
        if self.players < A_TABLE:
            del self.fields["everybody"]
        else:
            text = ngettext(
                "%(number)s player of the club takes part, and registration opens",
                "All %(number)s players of the club take part, and registration opens",
                self.players,
            )
            self.fields["everybody"].label = text % {"number": self.players}
            # As the first event of a club is for those who were just added.
            self.initial["everybody"] = not self.held_before

    def filled(self, preset: str) -> "TournamentForm":
        form = type(self)(self.club, rulesets=self.rulesets, tournament=self.row)
        typed = {name: self[name].value() for name in self.fields}
        form.initial = {**typed, **_typed(TOURNAMENT_SETTINGS_PRESETS[preset])}
        form.key = self.key
        return form

    def few(self) -> Iterator[forms.BoundField]:
        return (self[name] for name in self.FEW)

    def outlook(self) -> str:
        """Return how many tables are filled, and when the last round ends, by what is typed.

        Those who have registered are counted, and without any the places for entrants.
        """
        rounds, minutes, places = (
            int(text)
            if (text := str(self[name].value() or "")).isdecimal() and len(text) < 5
            else 0
            for name in ("rounds", "minutes", "capacity")
        )
        playing = self.row.entrants.playing().competing().count() if self.row else 0
        if "everybody" in self.fields and self["everybody"].value():
            playing = self.players
        parts = []
        if number := playing or places:
            tables, over = divmod(number, self.rules.side_count)
            people = ngettext("%(number)s entrant", "%(number)s entrants", number)
            filled = ngettext("%(number)s table", "%(number)s tables", tables)
            text = f"{people % {'number': number}}: {filled % {'number': tables}}"
            if over and self["odd"].value() != "house":
                left = ngettext("%(number)s sits out", "%(number)s sit out", over)
                text += f", {left % {'number': over}}"
            parts.append(text)
        rounds += FINAL_ROUNDS.get(str(self["finals"].value()), 0)
        if rounds and minutes:
            lasts = timedelta(minutes=rounds * minutes + (rounds - 1) * BREAK)
            played = ngettext("%(number)s round", "%(number)s rounds", rounds) % {"number": rounds}
            try:
                start = time.fromisoformat(str(self["starts_at"].value() or ""))
            except ValueError:
                ends = _("about %(time)s") % {"time": duration_text(int(lasts.total_seconds()))}
            else:
                at = datetime.combine(date.min, start) + lasts
                ends = _("the last ends at about %(time)s") % {"time": f"{at:%H:%M}"}
            parts.append(f"{played}, {ends}")
        return "; ".join(parts)

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
        before = read_settings(self.row.settings) if self.row else TournamentSettings()
        places = cleaned["place_points"] or list(map(write_points, before.place_points))
        bye = cleaned["bye_points"] if cleaned["bye"] == BYE_FIXED else cleaned["bye"]
        chosen = (cleaned[f"tie{number}"] for number in range(self.tie_count))
        document = {name: cleaned[name] for name in LABELLED if name in cleaned} | {
            "place_points": places,
            "tie_breaks": [name for name in chosen if name],
            "bye": bye,
            "tie_break_version": self.tie_break_version,
        }
        # An empty field means the default, but for missed rounds.
        filled = {name: value for name, value in document.items() if value not in (None, "")}
        return read_settings({"missed": None} | filled)

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
        choices=[("", "–"), *((name, tie_break_name(name)) for name in TIE_BREAKS)],
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
