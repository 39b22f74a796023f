"""Forms of the pages of seasons and evenings."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from datetime import date
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments import messages
from tournaments.engine.problems import InvalidEntry
from tournaments.engine.rulesets import Ruleset
from tournaments.models import Club, Confirmations, Event, Game, Season
from tournaments.services.clubs.events import EventPlan
from tournaments.services.clubs.seasons import SeasonDates, dates_of, season_on
from tournaments.services.people.players import LONGEST_PLAYER_NAME
from tournaments.services.play.tables import Laying
from tournaments.web.club_words import CONFIRMATIONS, choices_of
from tournaments.web.phone import Table
from tournaments.web.rules.option_fields import changed_options
from tournaments.web.tables.forms import NewTableForm, SeatFields, option_names
from tournaments.web.tables.seats import seated_sentence

BY_THE_DAY, NO_SEASON = "day", ""
LONGEST_NAME = 80
MOST_EVENINGS = 366


def _day(label: Any) -> forms.DateField:
    """A day, chosen as the browser lets it be chosen."""
    picker = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
    return forms.DateField(label=label, widget=picker)


class SeasonForm(forms.Form):
    """A season's name and days, and how many evenings count in its league."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=LONGEST_NAME)
    starts_on = _day(gettext_lazy("First day"))
    ends_on = _day(gettext_lazy("Last day"))
    league_best = forms.IntegerField(
        label=gettext_lazy("Best evenings that count in the league"),
        help_text=gettext_lazy("Left empty, all tournaments of the season count."),
        min_value=1,
        max_value=MOST_EVENINGS,
        required=False,
    )

    @classmethod
    def of(cls, season: Season) -> "SeasonForm":
        """The form as a season stands."""
        return cls(initial=asdict(dates_of(season)))

    def clean(self) -> dict[str, Any]:
        """Refuse a season that ends before it starts."""
        cleaned: dict[str, Any] = self.cleaned_data
        first, last = cleaned.get("starts_on"), cleaned.get("ends_on")
        if first and last and last < first:
            self.add_error("ends_on", _("The last day is before the first."))
        return cleaned

    @property
    def dates(self) -> SeasonDates:
        """What was typed, once the form is valid."""
        return SeasonDates(**self.cleaned_data)


class OfferForm(NewTableForm):
    """What some tables play, without who sits there; `OWN` are the further fields of a form."""

    OWN: tuple[str, ...] = ()

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        rulesets: Mapping[str, Ruleset],
        event: Event | None = None,
    ) -> None:
        offered = Table(ruleset=event.ruleset, options=event.options) if event else Table()
        super().__init__(data, table=offered, rulesets=rulesets)
        for name in ("first_declarer", "title", "place", "match", "match_to"):
            del self.fields[name]
        for seat in range(4):
            del self.fields[f"name{seat}"]

    def table(self) -> Iterator[forms.BoundField]:
        """The fields that say what is played."""
        yield self["ruleset"]
        yield from (self[name] for name in option_names(self.rules).values())

    def clean(self) -> dict[str, Any]:
        """What was typed for another game than the chosen one hinders nobody."""
        asked = {field.html_name for field in self.table()} | set(self.OWN)
        for name in set(self.errors) - asked:
            del self.errors[name]
        return self.cleaned_data

    @property
    def options(self) -> dict[str, Any]:
        """The options that are not as the ruleset has them, once the form is valid."""
        names = option_names(self.rules)
        chosen = {setting: self.cleaned_data[name] for setting, name in names.items()}
        return changed_options(self.rules, chosen)


class EventForm(OfferForm):
    """What is said of an evening, and what its tables are offered to play."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=LONGEST_NAME)
    held_on = _day(gettext_lazy("Day"))
    season = forms.ChoiceField(label=gettext_lazy("Season"), required=False)
    published = forms.BooleanField(
        label=gettext_lazy("Everybody may see the tables and their sheets"), required=False
    )
    table_codes = forms.BooleanField(
        label=gettext_lazy("A table asks for a code of four digits"), required=False
    )
    confirmations = forms.ChoiceField(
        label=gettext_lazy("Who confirms the result of a table"),
        choices=choices_of(CONFIRMATIONS),
        widget=forms.RadioSelect,
    )

    OWN = ("name", "held_on", "season", "published", "table_codes", "confirmations")

    def __init__(
        self,
        club: Club,
        data: Mapping[str, Any] | None = None,
        *,
        rulesets: Mapping[str, Ruleset],
        event: Event | None = None,
        today: date | None = None,
    ) -> None:
        super().__init__(data, rulesets=rulesets, event=event)
        self.club, self.known = club, {str(s.pk): s for s in club.seasons.all()}
        season = self.fields["season"]
        assert isinstance(season, forms.ChoiceField)
        season.choices = [
            (BY_THE_DAY, _("the one of the day")),
            (NO_SEASON, _("none")),
            *((key, each.name) for key, each in self.known.items()),
        ]
        self.initial = {**self.initial, **self._begin(event, today)}

    def _begin(self, event: Event | None, today: date | None) -> dict[str, Any]:
        if event is None:
            settings = {n: getattr(self.club, n) for n in ("table_codes", "confirmations")}
            return {"held_on": today, "season": BY_THE_DAY, **settings}
        return {n: getattr(event, n) for n in self.OWN} | {"season": str(event.season_id or "")}

    @property
    def plan(self) -> EventPlan:
        """What was chosen, once the form is valid."""
        cleaned = self.cleaned_data
        season = self.known.get(cleaned["season"])
        if cleaned["season"] == BY_THE_DAY:
            season = season_on(self.club, cleaned["held_on"])
        return EventPlan(
            name=cleaned["name"],
            held_on=cleaned["held_on"],
            ruleset=self.rules.id,
            options=self.options,
            season=season,
            published=cleaned["published"],
            table_codes=cleaned["table_codes"],
            confirmations=Confirmations(cleaned["confirmations"]),
        )


class EventTableForm(NewTableForm):
    """Who sits at a new table of a round, by their whole names, and what it plays."""

    def __init__(
        self,
        event: Event,
        data: Mapping[str, Any] | None = None,
        *,
        rulesets: Mapping[str, Ruleset],
    ) -> None:
        offered = Table(ruleset=event.ruleset, options=event.options)
        super().__init__(data, table=offered, rulesets=rulesets)
        for seat in range(4):
            name = forms.CharField(max_length=LONGEST_PLAYER_NAME, required=False)
            self.fields[f"name{seat}"] = name

    def seats(self) -> Iterator[SeatFields]:
        """The seats by their numbers: the phone is in no hand yet."""
        for seat in super().seats():
            number = _("Seat %(number)s") % {"number": seat.seat + 1}
            yield replace(seat, places=tuple((drawn, number) for drawn, _place in seat.places))

    @property
    def laying(self) -> Laying:
        """The table, once the form is valid."""
        return Laying(self.head, self.head.players, self.terms, self.key)

    def add_refusal(self, error: Exception) -> None:
        """Show why the players cannot sit there, or what the engine refused."""
        add_refusal(self, error)


class AdoptForm(forms.Form):
    """The round into which an open table is taken, and which players sit at it."""

    round = forms.TypedChoiceField(
        label=gettext_lazy("Evening"),
        coerce=int,
        error_messages={"required": gettext_lazy("Into which evening?")},
        widget=forms.RadioSelect,
    )

    def __init__(
        self,
        row: Game,
        rounds: list[tuple[int, str]],
        data: Mapping[str, Any] | None = None,
    ) -> None:
        first = rounds[0][0] if len(rounds) == 1 else None
        names = {f"name{seat}": name for seat, name in enumerate(row.players)}
        super().__init__(data, initial={"round": first, **names})
        choice = self.fields["round"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = rounds
        self.count = len(row.players)
        for seat in range(self.count):
            label = _("Seat %(number)s") % {"number": seat + 1}
            widget = forms.TextInput(
                attrs={"list": "names", "autocomplete": "off", "autocapitalize": "words"}
            )
            self.fields[f"name{seat}"] = forms.CharField(
                label=label,
                max_length=LONGEST_PLAYER_NAME,
                widget=widget,
                error_messages={"required": _("Who sits here?")},
            )

    def seats(self) -> list[forms.BoundField]:
        """The fields of the names, in seat order."""
        return [self[f"name{seat}"] for seat in range(self.count)]

    @property
    def who(self) -> list[str]:
        """The names, once the form is valid."""
        return [self.cleaned_data[f"name{seat}"] for seat in range(self.count)]


def add_refusal(form: forms.Form, error: Exception) -> None:
    """Show on a form why its table cannot be."""
    if isinstance(error, InvalidEntry):
        for problem in error.problems:
            form.add_error(None, messages.explain(problem))
    else:
        form.add_error(None, seated_sentence(error))
