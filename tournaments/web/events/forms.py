"""Forms of the pages of seasons and evenings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from random import SystemRandom
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.engine.documents.shapes import EVENT_FIELDS
from tournaments.engine.rules.rulesets import Ruleset
from tournaments.models import Club, Event, Game, Player, Season
from tournaments.models.clubs import LeaguePoints
from tournaments.services.events.events import EventPlan, SeasonDates, dates_of, season_on
from tournaments.services.games.tables import Laying
from tournaments.texts import labels
from tournaments.texts.questions import ELSEWHERE, answers_in
from tournaments.web.base.forms import LineField
from tournaments.web.base.pages import day_field, declared_field
from tournaments.web.base.phone import LastTable
from tournaments.web.games.starting import NewTableForm, SeatFields, StakeForm
from tournaments.web.rulesets.forms import check_answers, options_in

BY_THE_DAY, NO_SEASON = "day", ""
MOST_EVENINGS = 366
MOST_REMEMBERED = 20


class SeasonForm(forms.Form):
    """A season's name and dates, and how many evenings count in its league."""

    name = LineField(label=gettext_lazy("Name"))
    starts_on = day_field(gettext_lazy("First day"))
    ends_on = day_field(gettext_lazy("Last day"))
    league_best = forms.IntegerField(
        label=gettext_lazy("Best evenings that count in the league"),
        help_text=gettext_lazy("Left empty, all tournaments of the season count."),
        min_value=1,
        max_value=MOST_EVENINGS,
        required=False,
    )
    league_points = forms.ChoiceField(
        label=gettext_lazy("What the league adds up"),
        help_text=gettext_lazy(
            "Tournaments that count other points are not taken into the season. Places of the"
            " evening suit them all: 1 point for coming, and 1 for each behind."
        ),
        choices=LeaguePoints.choices,
        required=False,
    )

    @classmethod
    def of(cls, season: Season) -> "SeasonForm":
        return cls(initial=asdict(dates_of(season)))

    @property
    def dates(self) -> SeasonDates:
        return SeasonDates(**self.cleaned_data)


class OfferForm(NewTableForm):
    """A game offer without seats; `OWN` are the further fields of a form."""

    OWN: tuple[str, ...] = ()

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        rulesets: Mapping[str, Ruleset],
        event: Event | None = None,
    ) -> None:
        offered = LastTable(ruleset=event.ruleset, options=event.options) if event else LastTable()
        super().__init__(data, table=offered, rulesets=rulesets)
        self.offered = offered
        seats = ("first_declarer", "title", "place", "match", "match_to")
        for name in (*seats, *StakeForm.base_fields):
            del self.fields[name]
        for seat in self.seat_numbers:
            del self.fields[f"name{seat}"]

    def table(self) -> Iterator[forms.BoundField]:
        yield self["ruleset"]
        yield from (self[name] for name in self.question_names())

    def clean(self) -> dict[str, Any]:
        """Ignore values typed for another game than the chosen one."""
        visible = {field.html_name for field in self.table()} | set(self.OWN)
        for name in set(self.errors) - visible:
            del self.errors[name]
        check_answers(self, self.rules, f"{self.rules.id}.")
        return self.cleaned_data

    @property
    def options(self) -> dict[str, Any]:
        """Return the options that differ from the ruleset, once the form is valid."""
        options = options_in(self, self.rules, f"{self.rules.id}.")
        if self.rules.id == self.offered.ruleset:
            # A stake of earlier versions has no field.
            options |= {s: v for s, v in self.offered.options.items() if s in ELSEWHERE}
        return options


class EventForm(OfferForm):
    """An evening, and the game that it offers to its tables."""

    season = forms.ChoiceField(label=gettext_lazy("Season"), required=False)

    OWN = ("season", *EVENT_FIELDS)
    PLACED = ("name", "held_on", "published", "table_codes", "confirmations")
    """The fields that a template puts somewhere by name; the others follow the day."""

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
        for name, about in EVENT_FIELDS.items():
            self.fields[name] = declared_field(about, getattr(Event, name).field.choices)
        self.club, self.known = club, {str(s.pk): s for s in club.seasons.all()}
        season = self.fields["season"]
        assert isinstance(season, forms.ChoiceField)
        season.choices = [
            (BY_THE_DAY, _("the one of the day")),
            (NO_SEASON, _("none")),
            *((key, each.name) for key, each in self.known.items()),
        ]
        if event is None:
            # Each game as the club played it last.
            played = club.events.order_by("-held_on", "-pk").values_list("ruleset", "options")
            remembered = played[:MOST_REMEMBERED]
            self.held_before = bool(remembered)
            for id_, options in dict(reversed(remembered)).items():
                if id_ in rulesets:
                    self.initial.update(answers_in(rulesets[id_], options, f"{id_}."))
            self.initial.update({n: getattr(club, n) for n in ("table_codes", "confirmations")})
            self.initial.update(held_on=today, season=BY_THE_DAY)
        else:
            self.initial.update({n: getattr(event, n) for n in self.OWN})
            self.initial["season"] = str(event.season_id or "")

    def further(self) -> list[forms.BoundField]:
        return [self[name] for name in EVENT_FIELDS if name not in self.PLACED]

    @property
    def plan(self) -> EventPlan:
        cleaned = self.cleaned_data
        season = self.known.get(cleaned["season"])
        if cleaned["season"] == BY_THE_DAY:
            season = season_on(self.club, cleaned["held_on"])
        return EventPlan(
            ruleset=self.rules.id,
            options=self.options,
            season=season,
            **{name: cleaned[name] for name in EVENT_FIELDS},
        )


class EventTableForm(NewTableForm):
    """A new table of a round: the whole names of its players, and its game."""

    def __init__(
        self,
        event: Event,
        data: Mapping[str, Any] | None = None,
        *,
        rulesets: Mapping[str, Ruleset],
    ) -> None:
        offered = LastTable(ruleset=event.ruleset, options=event.options)
        super().__init__(data, table=offered, rulesets=rulesets)
        for seat in self.seat_numbers:
            name = LineField(required=False)
            self.fields[f"name{seat}"] = name

    def seats(self) -> Iterator[SeatFields]:
        """Return the seats by number, since no player holds the phone yet."""
        for seat in super().seats():
            number = _("Seat %(number)s") % {"number": seat.seat + 1}
            yield replace(seat, places=tuple((drawn, number) for drawn, _place in seat.places))

    @property
    def laying(self) -> Laying:
        return Laying(self.head, self.head.players, self.terms, self.key)


MOST_SEATED = 200


class WhoForm(forms.Form):
    """Who is here, to be drawn by lot to tables of a game; at first those of last time, or all.

    The game is asked for where there are several.
    """

    ruleset = forms.ChoiceField(label=gettext_lazy("What is played"), required=False)
    player = forms.MultipleChoiceField(required=False)

    def __init__(
        self,
        offered: Mapping[str, Sequence[Player]],
        rulesets: Mapping[str, Ruleset],
        data: QueryDict | None = None,
    ) -> None:
        super().__init__(data)
        self.offered, self.rulesets = offered, rulesets
        self.people = {each.public_id: each for group in offered.values() for each in group}
        ruleset, player = self.fields["ruleset"], self.fields["player"]
        assert isinstance(ruleset, forms.ChoiceField)
        assert isinstance(player, forms.ChoiceField)
        ruleset.choices = [(id_, labels.name_of(rules)) for id_, rules in rulesets.items()]
        player.choices = [(key, each.name) for key, each in self.people.items()]
        here = offered["last"] or offered["others"]
        self.initial["player"] = [each.public_id for each in here]

    @property
    def rules(self) -> Ruleset:
        chosen = self.cleaned_data.get("ruleset") if self.is_bound else ""
        return self.rulesets[chosen or next(iter(self.rulesets))]

    def clean_player(self) -> list[Player]:
        """Return those who are here in an order drawn by lot, if they fill a table."""
        here = [self.people[key] for key in self.cleaned_data["player"]]
        seats = self.rules.seats
        if len(here) < seats:
            text = _("A table needs %(number)s players.") % {"number": seats}
            raise forms.ValidationError(text)
        if len(here) > MOST_SEATED:
            raise forms.ValidationError(
                _("At most %(most)s can take part.") % {"most": MOST_SEATED}
            )
        return SystemRandom().sample(here, len(here))


class AdoptForm(forms.Form):
    """The round that adopts an open table, and the players at the table."""

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
            self.fields[f"name{seat}"] = LineField(
                label=label,
                widget=widget,
                error_messages={"required": _("Who sits here?")},
            )

    def seats(self) -> list[forms.BoundField]:
        return [self[f"name{seat}"] for seat in range(self.count)]

    @property
    def who(self) -> list[str]:
        return [self.cleaned_data[f"name{seat}"] for seat in range(self.count)]
