"""A game as data: units and contracts, quotas, order, outcome, options.

A ruleset consists of values and of the names of strategies. No code asks which ruleset it plays.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any

from tournaments.engine.rules.problems import Code, InvalidEntry, Problem
from tournaments.engine.rules.units import UNITS, Unit

Points = int | Fraction
PerSide = tuple[Points, ...]
Setting = str | int | bool

PENALTY = "penalty"
TRUMP = "trump"

LARGEST_COUNT = 10_000
"""The greatest number of deals in one game, and the greatest target in points."""

LONGEST_SHEET = 400
"""The most entries of any sheet, of a game to a target too: more deals than an evening has."""

ENTRIES_PER_DEAL = 4
FURTHER_ENTRIES = 100
"""Room on every sheet for adjustments, and for what happens between deals."""

MOST_GAMES_AT_TABLE = 120
"""The most games at a table in an evening, and of a match."""

LONGEST_EVENING = 2_000
"""The most revisions of all sheets of a table together: the page of an evening reads them all."""

LAST_FOR_DIRECTORS = 100
"""The last revisions of a sheet: at a club's table they are for its directors."""


@dataclass(frozen=True)
class Contract:
    """A contract that a declarer can name.

    `kind` is what quotas count (`penalty`, `trump`). `values` gives, for each unit written down,
    the points of each one for the side that takes it. `quota` limits how often the contract may be
    named in one game, and `quota_each` how often by one side (None: no limit of its own). `scoring`
    names the strategy that turns counts into points. A contract that `may_end_early` is over once
    all its units are out; with `replay_one_each` a deal of one unit each is played again.

    `trumps` are the suits that may be named with it, `fields` the further fields of its deals,
    `redeals` the reasons for new cards when it may be played next, `badges` those that can be
    earned in it. `prizes` are points for places or for going out first, not for units. With
    `cappotto` the table may score all units taken by one side differently (an option). A contract
    that is not `named` applies to every deal of its game and appears in no record; one that is not
    `declared` has only a leader. A `name` is used in every language.
    """

    id: str
    kind: str
    values: Mapping[str, Points]
    quota: int | None = None
    quota_each: int | None = None
    scoring: str = "per-unit"
    may_end_early: bool = False
    replay_one_each: bool = False
    trumps: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    redeals: tuple[str, ...] = ()
    badges: tuple[str, ...] = ()
    prizes: tuple[Points, ...] = ()
    cappotto: bool = False
    named: bool = True
    declared: bool = True
    name: str = ""

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The units that the table writes down for this contract, in order."""
        return tuple(UNITS[unit] for unit in self.values)

    @cached_property
    def unit_sum(self) -> Points:
        """The worth of all units of one deal together, in points."""
        return sum((UNITS[unit].total or 0) * each for unit, each in self.values.items())


@dataclass(frozen=True)
class Option:
    """A setting of the ruleset that a table may choose, and its possible values.

    `kind` names the check of a value: `one-of` the `values`, a `count` from 1, an `even-count`, or
    `money` (a positive whole number or `"p/q"`).
    """

    setting: str
    values: tuple[Setting, ...] = ()
    kind: str = "one-of"


@dataclass(frozen=True)
class Stage:
    """A part of the game: a number of deals, each of one of `contracts`."""

    deals: int
    contracts: tuple[str, ...]


@dataclass(frozen=True)
class Ruleset:
    """The rules of a whole game.

    `sides` maps each seat to its side. `quotas` gives the number of contracts of each kind that one
    side declares. `deals` is the length of the game (None: it ends at a target). `stages` restrict
    contracts to parts of the game (none: any at any time). The declarer changes after `in_a_row`
    deals; `declares` names the declarer (`turn`: the seat whose turn it is, `pair`: that seat or
    its partner). In a game that `passes`, all players can pass a hand. `fields` are further fields
    of every deal. `steps` name further changes to the points of a deal, in order. If there are
    `all_units`, these may be written down instead of those of the contract. `settings` holds the
    names of strategies and switches; the table may change those in `options`, and `implied` are the
    defaults that follow from other options. `redeals` and `voids` are the reasons that a table may
    give for one; `badges` can be earned at the end of the game. A house ruleset has a `name` of its
    own; other rulesets are named after their id, in the reader's language.
    """

    id: str
    family: str
    contracts: tuple[Contract, ...]
    quotas: Mapping[str, int] = field(default_factory=dict)
    deals: int | None = None
    sides: tuple[int, ...] = (0, 1, 2, 3)
    clockwise: bool = False
    stages: tuple[Stage, ...] = ()
    in_a_row: int = 1
    declares: str = "turn"
    passes: bool = False
    fields: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    all_units: tuple[str, ...] = ()
    settings: Mapping[str, Setting] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    implied: Mapping[str, Mapping[Setting, Mapping[str, Setting]]] = field(default_factory=dict)
    redeals: tuple[str, ...] = ("misdeal",)
    voids: tuple[str, ...] = ("misdeal",)
    badges: tuple[str, ...] = ()
    name: str = ""

    @cached_property
    def by_id(self) -> Mapping[str, Contract]:
        """The contracts by id, in the order of the table."""
        return MappingProxyType({contract.id: contract for contract in self.contracts})

    @cached_property
    def unnamed(self) -> Contract | None:
        return next((contract for contract in self.contracts if not contract.named), None)

    @cached_property
    def usual_contracts(self) -> dict[str, Any]:
        """The contracts played so far, by id, as `documents.usual_deals` keeps them."""
        return {}

    @cached_property
    def seats(self) -> int:
        return len(self.sides)

    @cached_property
    def side_count(self) -> int:
        return max(self.sides) + 1

    @cached_property
    def seats_in_a_side(self) -> int:
        return self.seats // self.side_count

    @cached_property
    def plan(self) -> tuple[tuple[str, ...], ...]:
        """For each deal the contracts of its stage; empty if any contract may come at any time."""
        return tuple(stage.contracts for stage in self.stages for _ in range(stage.deals))

    @cached_property
    def length(self) -> int | None:
        """The number of deals, from the table's options or the ruleset."""
        chosen = self.settings.get("deals")
        return self.deals if chosen is None else int(chosen)

    @cached_property
    def most_entries(self) -> int:
        """How many entries a sheet takes: each deal may be void, dealt anew and passed as well."""
        if self.length is None:
            return LONGEST_SHEET
        return min(ENTRIES_PER_DEAL * self.length + FURTHER_ENTRIES, LONGEST_SHEET)

    @cached_property
    def most_revisions(self) -> int:
        """How many revisions a sheet takes: its entries, with completions and corrections."""
        return 2 * self.most_entries + LAST_FOR_DIRECTORS

    @cached_property
    def target(self) -> int | None:
        """The points at which the game ends; None without a target."""
        target = self.settings.get("target")
        return None if target is None else int(target)

    @cached_property
    def side_quotas(self) -> Mapping[str, int]:
        return {} if self.settings.get("declarations") == "free" else self.quotas

    def contract_named(self, name: str | None) -> Contract | None:
        """The contract that a deal names, or that of every deal; None if there is none."""
        return self.unnamed or self.by_id.get(name or "")

    def side_names(self, players: Sequence[str]) -> list[str]:
        """One name per side, from names in seat order: a player, or both players of a pair."""
        names: list[list[str]] = [[] for _side in range(self.side_count)]
        for side, name in zip(self.sides, players, strict=True):
            names[side].append(name)
        return list(map(" + ".join, names))

    def next_seat(self, seat: int) -> int:
        return (seat + 1) % self.seats

    def with_options(self, options: Mapping[str, object]) -> "Ruleset":
        """This ruleset with the options of a table.

        Raises:
            InvalidEntry: if an option does not exist here, or has an invalid value.
        """
        problems = list(self._check_options(options))
        if problems:
            raise InvalidEntry(problems)
        if not options:
            return self
        settings: dict[str, object] = dict(self.settings)
        for name, value in options.items():
            settings.update(self.implied.get(name, {}).get(value, {}))  # type: ignore[call-overload]
        return replace(self, settings=MappingProxyType({**settings, **options}))  # type: ignore[dict-item]

    def _check_options(self, options: Mapping[str, object]) -> Iterator[Problem]:
        choices = {option.setting: option for option in self.options}
        for name, value in options.items():
            option = choices.get(name)
            if option is None or not OPTION_KINDS[option.kind](option, value):
                allowed = [] if option is None else list(option.values)
                yield Problem(
                    Code.UNKNOWN_OPTION, f"options.{name}", {"option": name, "allowed": allowed}
                )


def _is_one_of(option: Option, value: object) -> bool:
    # True == 1 in Python: reject values of the wrong type.
    return any(value == choice and type(value) is type(choice) for choice in option.values)


def _is_count(_option: Option, value: object) -> bool:
    return type(value) is int and 1 <= value <= LARGEST_COUNT


def _is_even_count(option: Option, value: object) -> bool:
    return _is_count(option, value) and type(value) is int and value % 2 == 0


def _is_money(_option: Option, value: object) -> bool:
    amount = number_of(value)
    return amount is not None and amount > 0


_FRACTION = re.compile(r"-?[0-9]{1,30}/[0-9]{1,30}")


def number_of(value: object) -> Points | None:
    """Parse a number of a record: whole, or `"p/q"`; None if it is neither."""
    if type(value) is int:
        return value
    if not isinstance(value, str) or not _FRACTION.fullmatch(value):
        return None
    numerator, denominator = map(int, value.split("/"))
    return whole(Fraction(numerator, denominator)) if denominator else None


def whole(points: Points) -> Points:
    """Return `points` as an int if they are whole."""
    if type(points) is int:
        return points
    return points.numerator if points.denominator == 1 else points


OPTION_KINDS: Mapping[str, Callable[[Option, object], bool]] = MappingProxyType(
    {
        "one-of": _is_one_of,
        "count": _is_count,
        "even-count": _is_even_count,
        "money": _is_money,
    }
)
"""The checks of option values, by kind."""
