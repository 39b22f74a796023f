"""Forms of the pages around the table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.engine.rules.entries import REMARKS
from tournaments.engine.rules.rulesets import LONGEST_NAME, Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.presenters.games.evenings import BEGINNINGS, begins
from tournaments.presenters.rulesets import plays_without_signal
from tournaments.queries.rulesets import house_document
from tournaments.services.games.playing import GameSetup
from tournaments.texts import labels
from tournaments.web.base.declared import declared_field
from tournaments.web.base.fields import LineField
from tournaments.web.base.phone import MATCHES, LastTable, new_key, option_names
from tournaments.web.rulesets.families import tile_name, tile_of
from tournaments.web.rulesets.option_fields import (
    OptionField,
    changed_options,
    field_of,
    option_fields,
)

SEATS = 4
"""The largest number of seats of any game; values of seats that a game lacks are ignored."""

LONGEST_TYPED_NAME = 30
LONGEST_MATCH = 99

KEY = re.compile(r"[0-9A-Za-z_-]{22,64}")
"""The key of a form gives access to the game it opened: at least 128 bits."""

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
"""Positions of the seats as seen from the phone, by their number and the direction of play."""


def key_of(data: Mapping[str, str]) -> str:
    """Return the key of a form, or a new one if it is missing or invalid."""
    key = data.get("key", "")
    return key if KEY.fullmatch(key) else new_key()


def drawn_as(rules: Ruleset) -> str:
    """Return the drawing of a game's table: a key of `PLACES`."""
    return f"{rules.seats}-{'left' if rules.clockwise else 'right'}"


@dataclass(frozen=True)
class SeatFields:
    """The fields of one seat: `places` are its positions in each drawing of a table."""

    seat: int
    name: forms.BoundField
    first: bool
    places: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class RulesetFields:
    """A ruleset to choose, with the fields of its options and the drawing of its table."""

    rules: Ruleset
    name: str
    summary: str
    chosen: bool
    options: tuple[OptionField, ...]

    @property
    def id(self) -> str:
        return self.rules.id

    @property
    def drawn(self) -> str:
        return drawn_as(self.rules)

    @property
    def pairs(self) -> bool:
        return self.rules.seats_in_a_side > 1

    @property
    def begins(self) -> str:
        """How the first player is found."""
        return begins(self.rules)

    @property
    def here(self) -> bool:
        """Whether a phone can start it without a signal."""
        return plays_without_signal(self.rules)

    @property
    def matches(self) -> bool:
        """Whether its games can form a match: games played to a target."""
        return self.rules.target is not None

    @property
    def changed(self) -> bool:
        return any(option.changed for option in self.options)


@dataclass(frozen=True)
class FamilyFields:
    """A family of games; the last played or the first is chosen."""

    id: str
    name: str
    chosen: bool
    rulesets: tuple[RulesetFields, ...]


class RemarksForm(forms.Form):
    """The remarks of an entry."""

    def __init__(self, initial: Mapping[str, Any] | None) -> None:
        super().__init__(initial=dict(initial or {}))
        for name, about in REMARKS.items():
            self.fields[name] = declared_field(about)


class NewTableForm(forms.Form):
    """A new table: players, seats, game and first player.

    A page has fields for the `family` and, in `form.<family>`, for its game; together they give
    the `ruleset`, which may also be sent by itself.
    """

    ruleset = forms.ChoiceField()
    first_declarer = forms.TypedChoiceField(
        coerce=int, choices=[(str(seat), str(seat)) for seat in range(SEATS)], required=False
    )
    title = LineField(max_length=LONGEST_NAME, required=False, label=gettext_lazy("Title"))
    place = LineField(max_length=LONGEST_NAME, required=False, label=gettext_lazy("Place"))
    match = forms.ChoiceField(choices=[(name, name) for name in ("", *MATCHES)], required=False)
    match_to = forms.IntegerField(min_value=1, max_value=LONGEST_MATCH, required=False)

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        table: LastTable | None = None,
        rulesets: Mapping[str, Ruleset] = RULESETS,
    ) -> None:
        self.rulesets = rulesets
        super().__init__(_with_ruleset(data), initial=(table or LastTable()).initial(rulesets))
        self.key = key_of(data) if data is not None else new_key()
        choice = self.fields["ruleset"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [(id_, id_) for id_ in rulesets]
        for seat in range(SEATS):
            self.fields[f"name{seat}"] = LineField(max_length=LONGEST_TYPED_NAME, required=False)
        for rules in rulesets.values():
            names = option_names(rules)
            for option in rules.options:
                self.fields[names[option.setting]] = field_of(rules, option)

    @property
    def rules(self) -> Ruleset:
        """Return the chosen ruleset, or else the first."""
        first = next(iter(self.rulesets.values()))
        return self.rulesets.get(str(self["ruleset"].value()), first)

    @property
    def shown(self) -> RulesetFields:
        """Return the chosen ruleset for the first state of the page."""
        return self._ruleset(self.rules, self.rules.id)

    def seats(self) -> Iterator[SeatFields]:
        """Yield all possible seats of a table, the phone's own first, then in order of play."""
        first = str(self["first_declarer"].value())
        for seat in range(SEATS):
            places = tuple(
                (drawn, str(texts[seat])) for drawn, texts in PLACES.items() if seat < len(texts)
            )
            yield SeatFields(seat, self[f"name{seat}"], first == str(seat), places)

    def families(self) -> Iterator[FamilyFields]:
        """Yield the families with their games; in each, the chosen game or else the first."""
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
            labels.name_of(rules),
            labels.ruleset_summary(rules.id),
            chosen == rules.id,
            option_fields(self, rules, option_names(rules)),
        )

    def beginnings(self) -> list[tuple[str, str, str]]:
        """Return the ways to find the first player: as labels beside a name, and as sentences."""
        return [(id_, str(each.says), str(each.hint)) for id_, each in BEGINNINGS.items()]

    def table(self) -> Iterator[forms.BoundField]:
        """Yield the fields of players and game, without the first player."""
        yield self["ruleset"]
        yield from (self[name] for name in self.names())
        yield from (self[name] for name in option_names(self.rules).values())
        yield from (self["match"], self["match_to"])

    def names(self) -> Iterator[str]:
        """Yield the names of the fields for those who play."""
        return (f"name{seat}" for seat in range(self.rules.seats))

    def heading(self) -> Iterator[forms.BoundField]:
        return (self[name] for name in ("title", "place"))

    def clean(self) -> dict[str, Any]:
        """Refuse an empty seat, a duplicate name, and a match without a length."""
        cleaned: dict[str, Any] = self.cleaned_data
        self._forget_other_games()
        self.check_names()
        if self.match_chosen == "first-to" and not cleaned.get("match_to"):
            self.add_error("match_to", _("To how many games?"))
        return cleaned

    def check_names(self) -> None:
        """Refuse an empty seat and a duplicate name."""
        names: list[str] = []
        for field in self.names():
            name = self.cleaned_data.get(field)
            if name is not None and not name:
                self.add_error(field, _("Who sits here?"))
            elif name in names:
                self.add_error(field, _("%(name)s sits here twice.") % {"name": name})
            names.append(name or "")

    def _forget_other_games(self) -> None:
        """Ignore values typed for another game than the chosen one."""
        of_games = {name for name in self.fields if "." in name or name.startswith("name")}
        others = of_games - {field.html_name for field in self.table()}
        if self.match_chosen != "first-to":
            others.add("match_to")
        for name in others & set(self.errors):
            del self.errors[name]

    @property
    def head(self) -> GameSetup:
        """Return the setup, once the form is valid."""
        cleaned = self.cleaned_data
        first = cleaned["first_declarer"] or 0
        # A tick at a seat that this game does not have is ignored.
        first = first if first < self.rules.seats else 0
        head = self.setup([cleaned[name] for name in self.names()], first)
        return replace(head, title=cleaned["title"], place=cleaned["place"])

    def setup(self, players: Sequence[str], first: int) -> GameSetup:
        """Return the setup of the chosen game; options at their defaults are left out."""
        rules, cleaned = self.rules, self.cleaned_data
        chosen = {setting: cleaned[name] for setting, name in option_names(rules).items()}
        return GameSetup(
            ruleset=rules.id,
            players=players,
            first_declarer=first,
            options=changed_options(rules, chosen),
            document=house_document(rules),
        )

    @property
    def match_chosen(self) -> str:
        """Return the chosen match; empty if none is chosen, or if the game allows none."""
        return self.cleaned_data.get("match", "") if self.rules.target is not None else ""

    @property
    def terms(self) -> tuple[str, int] | None:
        """Return length and number of the match, once the form is valid; None for one game."""
        length, _dot, number = self.match_chosen.partition(".")
        return (length, int(number or self.cleaned_data["match_to"])) if length else None


def _with_ruleset(data: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return the form's data, with the ruleset given by family and game."""
    if data is None or "ruleset" in data:
        return data
    return {**dict(data.items()), "ruleset": data.get(f"form.{data.get('family', '')}", "")}
