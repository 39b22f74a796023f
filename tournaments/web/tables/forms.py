"""Forms of the pages around the table."""

import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments import messages, words
from tournaments.engine.problems import Problem
from tournaments.engine.rulesets import Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.queries.rulesets import house_document
from tournaments.services.play.playing import Head
from tournaments.telling.beginnings import BEGINNINGS, begins
from tournaments.web.phone import Table
from tournaments.web.rules.families import tile_name, tile_of
from tournaments.web.rules.option_fields import (
    OptionField,
    changed_options,
    field_of,
    option_fields,
)

SEATS = 4
"""As many as any game has; what stands in those that a game has not is left aside."""

LONGEST_NAME = 30
LONGEST_MATCH = 99

KEY = re.compile(r"[0-9A-Za-z_-]{22,64}")
"""Whoever knows the key of a form is shown what it opened: at least 128 bits."""

YOU = gettext_lazy("You, with this phone")
RIGHT, OPPOSITE, LEFT = (
    gettext_lazy("To your right"),
    gettext_lazy("Opposite"),
    gettext_lazy("To your left"),
)
PLACES: Mapping[str, tuple[Any, ...]] = {
    "2-right": (YOU, OPPOSITE),
    "2-left": (YOU, OPPOSITE),
    "3-right": (YOU, RIGHT, LEFT),
    "3-left": (YOU, LEFT, RIGHT),
    "4-right": (YOU, RIGHT, OPPOSITE, LEFT),
    "4-left": (YOU, LEFT, OPPOSITE, RIGHT),
}
"""Where the seats are, seen from the phone: by how many they are, and to which side play goes."""

MATCHES = ("best-of.3", "best-of.5", "best-of.7", "first-to")
"""Matches that can be chosen; only the last asks how many games."""


def new_key() -> str:
    """A key for one form, so that sending it twice does its work once."""
    return secrets.token_urlsafe(18)


def key_of(data: Mapping[str, str]) -> str:
    """The key a form was sent with, or a fresh one where it has none that is good."""
    key = data.get("key", "")
    return key if KEY.fullmatch(key) else new_key()


def drawn_as(rules: Ruleset) -> str:
    """How the table of a game is drawn: a key of `PLACES`."""
    return f"{rules.seats}-{'left' if rules.clockwise else 'right'}"


@dataclass(frozen=True)
class SeatFields:
    """The fields of one seat: `places` says where it is, for each way a table is drawn."""

    seat: int
    places: tuple[tuple[str, str], ...]
    name: forms.BoundField
    first: bool


@dataclass(frozen=True)
class RulesetFields:
    """One ruleset to choose, with the fields of its options, and what its table looks like."""

    rules: Ruleset
    name: str
    summary: str
    chosen: bool
    options: tuple[OptionField, ...]

    @property
    def id(self) -> str:
        """The ruleset's id."""
        return self.rules.id

    @property
    def drawn(self) -> str:
        """How its table is drawn."""
        return drawn_as(self.rules)

    @property
    def pairs(self) -> bool:
        """Whether those who sit opposite play together."""
        return self.rules.seats_in_a_side > 1

    @property
    def begins(self) -> str:
        """How it is found who begins."""
        return begins(self.rules)

    @property
    def matches(self) -> bool:
        """Whether several games of it make a match: those that are played to a target."""
        return self.rules.target is not None

    @property
    def changed(self) -> bool:
        """Whether an option is not as the ruleset has it."""
        return any(option.changed for option in self.options)


@dataclass(frozen=True)
class FamilyFields:
    """Games that belong together, of which the last played or the first is chosen."""

    id: str
    name: str
    chosen: bool
    rulesets: tuple[RulesetFields, ...]


class NewTableForm(forms.Form):
    """Who sits where, what is played and who begins.

    A page asks for the `family` and then, in `form.<family>`, for the form of it; both together
    are the `ruleset`, which may be sent by itself as well.
    """

    ruleset = forms.ChoiceField()
    first_declarer = forms.TypedChoiceField(
        coerce=int, choices=[(str(seat), str(seat)) for seat in range(SEATS)], required=False
    )
    title = forms.CharField(max_length=80, required=False, label=gettext_lazy("Title"))
    place = forms.CharField(max_length=80, required=False, label=gettext_lazy("Place"))
    match = forms.ChoiceField(choices=[(name, name) for name in ("", *MATCHES)], required=False)
    match_to = forms.IntegerField(min_value=1, max_value=LONGEST_MATCH, required=False)

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        table: Table | None = None,
        rulesets: Mapping[str, Ruleset] = RULESETS,
    ) -> None:
        self.rulesets = rulesets
        super().__init__(_with_ruleset(data), initial=initial_of(table or Table(), rulesets))
        self.key = key_of(data) if data is not None else new_key()
        choice = self.fields["ruleset"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [(id_, id_) for id_ in rulesets]
        for seat in range(SEATS):
            self.fields[f"name{seat}"] = forms.CharField(max_length=LONGEST_NAME, required=False)
        for rules in rulesets.values():
            names = option_names(rules)
            for option in rules.options:
                self.fields[names[option.setting]] = field_of(rules, option)

    @property
    def rules(self) -> Ruleset:
        """What is chosen, or else the first of all."""
        first = next(iter(self.rulesets.values()))
        return self.rulesets.get(str(self["ruleset"].value()), first)

    @property
    def shown(self) -> RulesetFields:
        """What is chosen, for how the page first looks."""
        return self._ruleset(self.rules, self.rules.id)

    def seats(self) -> Iterator[SeatFields]:
        """All seats that a table can have, the phone's own first, then in order of play."""
        first = str(self["first_declarer"].value())
        for seat in range(SEATS):
            places = tuple(
                (drawn, str(texts[seat])) for drawn, texts in PLACES.items() if seat < len(texts)
            )
            yield SeatFields(seat, places, self[f"name{seat}"], first == str(seat))

    def families(self) -> Iterator[FamilyFields]:
        """The families with their forms; in each the chosen form, or else the first."""
        tiles: dict[str, list[Ruleset]] = {}
        for rules in self.rulesets.values():
            tiles.setdefault(tile_of(rules), []).append(rules)
        for tile, members in tiles.items():
            chosen = self.rules.id if self.rules in members else members[0].id
            fields = tuple(self._ruleset(rules, chosen) for rules in members)
            yield FamilyFields(tile, tile_name(tile), tile == tile_of(self.rules), fields)

    def _ruleset(self, rules: Ruleset, chosen: str) -> RulesetFields:
        return RulesetFields(
            rules,
            words.name_of(rules),
            words.ruleset_summary(rules.id),
            chosen == rules.id,
            option_fields(self, rules, option_names(rules)),
        )

    def beginnings(self) -> list[tuple[str, str, str]]:
        """The ways to find out who begins: beside a name, and in a sentence."""
        return [(id_, str(each.says), str(each.hint)) for id_, each in BEGINNINGS.items()]

    def table(self) -> Iterator[forms.BoundField]:
        """The fields that say who plays what, without who begins."""
        yield self["ruleset"]
        yield from (self[f"name{seat}"] for seat in range(self.rules.seats))
        yield from (self[name] for name in option_names(self.rules).values())
        yield from (self["match"], self["match_to"])

    def heading(self) -> Iterator[forms.BoundField]:
        """The fields of what stands above the sheet."""
        return (self[name] for name in ("title", "place"))

    def clean(self) -> dict[str, Any]:
        """Refuse an empty seat, a name that stands twice, and a match to nobody knows how many."""
        cleaned: dict[str, Any] = self.cleaned_data
        self._forget_other_games()
        names: list[str] = []
        for seat in range(self.rules.seats):
            name = cleaned.get(f"name{seat}")
            if name is not None and not name:
                self.add_error(f"name{seat}", _("Who sits here?"))
            elif name in names:
                self.add_error(f"name{seat}", _("%(name)s sits here twice.") % {"name": name})
            names.append(name or "")
        if self.match_chosen == "first-to" and not cleaned.get("match_to"):
            self.add_error("match_to", _("To how many games?"))
        return cleaned

    def _forget_other_games(self) -> None:
        """What was typed for another game than the chosen one hinders nobody."""
        asked = {field.html_name for field in self.table()} | {"first_declarer", "title", "place"}
        if self.match_chosen != "first-to":
            asked.remove("match_to")
        for name in set(self.errors) - asked:
            del self.errors[name]

    def add_problems(self, problems: tuple[Problem, ...]) -> None:
        """Show what the engine refused."""
        for problem in problems:
            self.add_error(None, messages.explain(problem))

    @property
    def head(self) -> Head:
        """The head of the sheet, once the form is valid; defaults are left out of the options."""
        cleaned, rules = self.cleaned_data, self.rules
        chosen = {setting: cleaned[name] for setting, name in option_names(rules).items()}
        first = cleaned["first_declarer"] or 0
        return Head(
            ruleset=rules.id,
            players=[cleaned[f"name{seat}"] for seat in range(rules.seats)],
            # Who was ticked at a seat that this game has not does not begin it.
            first_declarer=first if first < rules.seats else 0,
            options=changed_options(rules, chosen),
            title=cleaned["title"],
            place=cleaned["place"],
            document=house_document(rules),
        )

    @property
    def match_chosen(self) -> str:
        """The match as chosen; empty where none is, or where the game makes none."""
        return self.cleaned_data.get("match", "") if self.rules.target is not None else ""

    @property
    def terms(self) -> tuple[str, int] | None:
        """The length of the match and its number, once the form is valid; None for one game."""
        length, _dot, number = self.match_chosen.partition(".")
        return (length, int(number or self.cleaned_data["match_to"])) if length else None


def initial_of(table: Table, rulesets: Mapping[str, Ruleset] = RULESETS) -> dict[str, Any]:
    """What stands in the form of the next table, after the last one."""
    rules = rulesets.get(table.ruleset)
    names = {f"name{seat}": name for seat, name in enumerate(table.players)}
    if rules is None:
        return {"ruleset": next(iter(rulesets)), "first_declarer": 0, **names}
    chosen = {
        name: table.options[setting]
        for setting, name in option_names(rules).items()
        if setting in table.options
    }
    length, number = table.match or ("", 0)
    match = f"{length}.{number}" if f"{length}.{number}" in MATCHES else length
    matches = {"match": match, "match_to": number if match == "first-to" else None}
    return {"ruleset": rules.id, "first_declarer": 0, **names, **chosen, **matches}


def option_names(rules: Ruleset) -> dict[str, str]:
    """The names of the fields of a ruleset's options, by option."""
    return {option.setting: f"{rules.id}.{option.setting}" for option in rules.options}


def _with_ruleset(data: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """What was sent, with the ruleset that family and form name together."""
    if data is None or "ruleset" in data:
        return data
    return {**dict(data.items()), "ruleset": data.get(f"form.{data.get('family', '')}", "")}


class RematchForm(forms.Form):
    """The same players once more: seats kept or moved on, and who begins."""

    seats = forms.ChoiceField(choices=[("kept", "kept"), ("moved", "moved")])
    first = forms.TypedChoiceField(coerce=int)

    def __init__(self, players: int, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        first = self.fields["first"]
        assert isinstance(first, forms.ChoiceField)
        first.choices = [(str(seat), str(seat)) for seat in range(players)]

    def head(self, before: Head) -> Head:
        """The head of the next game; `first` is the seat a player had in the game before."""
        players, first = list(before.players), self.cleaned_data["first"]
        if self.cleaned_data["seats"] == "moved":
            players, first = [players[-1], *players[:-1]], (first + 1) % len(players)
        return replace(before, players=players, first_declarer=first)
