"""Forms of the pages around the table."""

import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments import messages, words
from tournaments.engine.problems import Problem
from tournaments.engine.rulesets import Option, Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.services.playing import Head
from tournaments.web.phone import Table

SEATS = 4
LONGEST_NAME = 30

KEY = re.compile(r"[0-9A-Za-z_-]{22,64}")
"""Whoever knows the key of a form is shown what it opened: at least 128 bits."""

PLACES = (
    gettext_lazy("You, with this phone"),
    gettext_lazy("To your right"),
    gettext_lazy("Opposite"),
    gettext_lazy("To your left"),
)
"""Where the seats are, seen from the phone: King is played counter-clockwise."""


def new_key() -> str:
    """A key for one form, so that sending it twice does its work once."""
    return secrets.token_urlsafe(18)


def key_of(data: Mapping[str, str]) -> str:
    """The key a form was sent with, or a fresh one where it has none that is good."""
    key = data.get("key", "")
    return key if KEY.fullmatch(key) else new_key()


@dataclass(frozen=True)
class SeatFields:
    """The fields of one seat, and whether it is ticked to declare first."""

    seat: int
    place: str
    name: forms.BoundField
    first: bool


@dataclass(frozen=True)
class RulesetFields:
    """One ruleset to choose, with the fields of its options."""

    id: str
    name: str
    summary: str
    chosen: bool
    options: tuple[forms.BoundField, ...]
    changed: bool


class NewTableForm(forms.Form):
    """Who sits where, what is played and who declares first."""

    ruleset = forms.ChoiceField(choices=[(id_, id_) for id_ in RULESETS])
    first_declarer = forms.TypedChoiceField(
        coerce=int, choices=[(str(seat), str(seat)) for seat in range(SEATS)], required=False
    )
    title = forms.CharField(max_length=80, required=False, label=gettext_lazy("Title"))
    place = forms.CharField(max_length=80, required=False, label=gettext_lazy("Place"))

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, table: Table | None = None
    ) -> None:
        table = table or Table()
        super().__init__(data, initial=initial_of(table))
        self.key = key_of(data) if data is not None else new_key()
        for seat in range(SEATS):
            self.fields[f"name{seat}"] = forms.CharField(
                max_length=LONGEST_NAME, error_messages={"required": _("Who sits here?")}
            )
        for rules in RULESETS.values():
            for option in rules.options:
                self.fields[option_field(rules, option)] = option_choice(rules, option)

    def seats(self) -> Iterator[SeatFields]:
        """The seats, the phone's own first, then in order of play."""
        first = str(self["first_declarer"].value())
        for seat in range(SEATS):
            yield SeatFields(seat, str(PLACES[seat]), self[f"name{seat}"], first == str(seat))

    def rulesets(self) -> Iterator[RulesetFields]:
        """The rulesets, each with its options."""
        chosen = self["ruleset"].value()
        for rules in RULESETS.values():
            fields = tuple(self[option_field(rules, option)] for option in rules.options)
            yield RulesetFields(
                rules.id,
                words.ruleset_name(rules.id),
                words.ruleset_summary(rules.id),
                chosen == rules.id,
                fields,
                changed=any(str(field.value()) != str(field.field.initial) for field in fields),
            )

    def table(self) -> Iterator[forms.BoundField]:
        """The fields that say who plays what, without who begins."""
        return (field for field in self if field.name not in ("first_declarer", "title", "place"))

    def heading(self) -> Iterator[forms.BoundField]:
        """The fields of what stands above the sheet."""
        return (self[name] for name in ("title", "place"))

    def clean(self) -> dict[str, Any]:
        """Refuse a name that stands twice, at its second seat."""
        cleaned: dict[str, Any] = self.cleaned_data
        names: list[str] = []
        for seat in range(SEATS):
            name = cleaned.get(f"name{seat}")
            if name and name in names:
                self.add_error(f"name{seat}", _("%(name)s sits here twice.") % {"name": name})
            names.append(name or "")
        return cleaned

    def add_problems(self, problems: tuple[Problem, ...]) -> None:
        """Show what the engine refused."""
        for problem in problems:
            self.add_error(None, messages.explain(problem))

    @property
    def head(self) -> Head:
        """The head of the sheet, once the form is valid; defaults are left out of the options."""
        cleaned = self.cleaned_data
        rules = RULESETS[cleaned["ruleset"]]
        chosen = {o.setting: cleaned[option_field(rules, o)] for o in rules.options}
        changed = {name: v for name, v in chosen.items() if str(v) != str(rules.settings[name])}
        return Head(
            ruleset=rules.id,
            players=[cleaned[f"name{seat}"] for seat in range(SEATS)],
            first_declarer=cleaned["first_declarer"] or 0,
            options=changed,
            title=cleaned["title"],
            place=cleaned["place"],
        )


def initial_of(table: Table) -> dict[str, Any]:
    """What stands in the form of the next table, after the last one."""
    rules = RULESETS.get(table.ruleset)
    names = {f"name{seat}": name for seat, name in enumerate(table.players)}
    if rules is None:
        return {"ruleset": next(iter(RULESETS)), "first_declarer": 0, **names}
    chosen = {
        option_field(rules, option): table.options[option.setting]
        for option in rules.options
        if option.setting in table.options
    }
    return {"ruleset": rules.id, "first_declarer": 0, **names, **chosen}


def option_field(rules: Ruleset, option: Option) -> str:
    """The name of the field of an option."""
    return f"{rules.id}.{option.setting}"


def option_choice(rules: Ruleset, option: Option) -> forms.TypedChoiceField:
    """The field of an option, in the reader's words; left out, it is the default."""
    values = {str(value): value for value in option.values}
    default = str(rules.settings[option.setting])
    return forms.TypedChoiceField(
        choices=[(v, words.option_value_name(option.setting, values[v])) for v in values],
        coerce=values.__getitem__,
        empty_value=default,
        initial=default,
        required=False,
        label=words.option_name(option.setting),
        help_text=words.option_help(option.setting),
        widget=forms.RadioSelect,
    )


class RematchForm(forms.Form):
    """The same four once more: seats kept or moved on, and who declares first."""

    seats = forms.ChoiceField(choices=[("kept", "kept"), ("moved", "moved")])
    first = forms.TypedChoiceField(
        coerce=int, choices=[(str(seat), str(seat)) for seat in range(SEATS)]
    )

    def head(self, before: Head) -> Head:
        """The head of the next game; `first` is the seat a player had in the game before."""
        players, first = list(before.players), self.cleaned_data["first"]
        if self.cleaned_data["seats"] == "moved":
            players, first = [players[-1], *players[:-1]], (first + 1) % len(players)
        return Head(before.ruleset, players, first, before.options, before.title, before.place)
