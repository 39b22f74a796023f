"""The shape of a game, as data: units and contracts, quotas, order, outcome, options.

A ruleset says everything in values and in the names of strategies; no code asks
which ruleset it plays.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType

from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.units import UNITS, Unit

Points = int | Fraction
PerSide = tuple[Points, ...]
Setting = str | int | bool

PENALTY = "penalty"
TRUMP = "trump"

LARGEST_COUNT = 10_000
"""No table plays more deals, or to more points, in one game."""


@dataclass(frozen=True)
class Contract:
    """What a declarer can name.

    `kind` is what quotas count (`penalty`, `trump`); `values` gives, for each unit
    written down, the points each is worth to the side that takes it; `quota` is how
    often it may be named in one game and `quota_each` how often by one side (None: no limit
    of its own); `scoring` names the strategy that turns counts into points. A contract that
    `may_end_early` is over once all its units are out; with `replay_one_each` a deal of one
    unit each is played again.
    `trumps` are the suits that may be named with it, `fields` the further fields a deal
    of it may have, `redeals` the reasons for new cards when it may be played next,
    `badges` what can be earned in it. `prizes` are points for what is no unit: places, or
    going out first. With `cappotto` taking every unit may count otherwise (an option).
    A contract that is not `named` stands for every deal of its game and in no record; one
    that is not `declared` has only a leader. With a `name` it is called so in every language.
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
        """The units the table writes down for this contract, in the order written."""
        return tuple(UNITS[unit] for unit in self.values)

    @cached_property
    def unit_sum(self) -> Points:
        """What all the units of one deal are worth together."""
        return sum((UNITS[unit].total or 0) * each for unit, each in self.values.items())


@dataclass(frozen=True)
class Option:
    """A setting of the ruleset that a table may choose, and the values it can take.

    `kind` names how a value is checked: `one-of` the `values`, a `count` from 1, an
    `even-count`, or `money` (a positive whole number or `"p/q"`).
    """

    setting: str
    values: tuple[Setting, ...] = ()
    kind: str = "one-of"


@dataclass(frozen=True)
class Stage:
    """A part of the game: so many deals, in each of which one of `contracts` is played."""

    deals: int
    contracts: tuple[str, ...]


@dataclass(frozen=True)
class Ruleset:
    """A whole game as a table.

    `sides` maps each seat to its side; `quotas` says how many contracts of each kind
    one side declares; `deals` is the length of the game (None: it ends at a target);
    `stages` say which contracts are played when (none: any at any time). The declarer
    changes after `in_a_row` deals; `declares` names who that is (`turn`: the seat whose
    turn it is, `pair`: that seat or its partner). A game that `passes` knows hands that
    nobody plays. `fields` are further fields of every deal, `steps` name what else moves
    the points of a deal, in this order; where there are `all_units`, these may be written
    down instead of those of the contract. `settings` holds the names of strategies and
    switches, of which `options` may be changed by the table; `implied` are the defaults
    that follow from other options. `redeals` and `voids` are the reasons a table may give
    for one; `badges` can be earned at the end of the game. A house ruleset has a `name` of
    its own; without one the name is that of its id, in the reader's language.
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
        """The contracts by their ids, in the order of the table."""
        return MappingProxyType({contract.id: contract for contract in self.contracts})

    @cached_property
    def unnamed(self) -> Contract | None:
        """The contract of every deal, where none is named."""
        return next((contract for contract in self.contracts if not contract.named), None)

    @cached_property
    def seats(self) -> int:
        """How many people play."""
        return len(self.sides)

    @cached_property
    def side_count(self) -> int:
        """How many sides are scored: players, or pairs."""
        return max(self.sides) + 1

    @cached_property
    def seats_in_a_side(self) -> int:
        """How many people play together."""
        return self.seats // self.side_count

    @cached_property
    def plan(self) -> tuple[tuple[str, ...], ...]:
        """For each deal the contracts of its stage; empty where any may come at any time."""
        return tuple(stage.contracts for stage in self.stages for _ in range(stage.deals))

    @cached_property
    def length(self) -> int | None:
        """How many deals are played: as the table chose, or as the ruleset says."""
        chosen = self.settings.get("deals")
        return self.deals if chosen is None else int(chosen)

    @property
    def target(self) -> int | None:
        """The points at which the game ends, where there is such a target."""
        target = self.settings.get("target")
        return None if target is None else int(target)

    @cached_property
    def side_quotas(self) -> Mapping[str, int]:
        """The quotas as the table plays them."""
        return {} if self.settings.get("declarations") == "free" else self.quotas

    def contract_named(self, name: str | None) -> Contract | None:
        """The contract a deal names, or that of every deal; None where there is no such."""
        if self.unnamed is not None:
            return self.unnamed
        return None if name is None else self.by_id.get(name)

    def side_names(self, players: Sequence[str]) -> list[str]:
        """One name per side, from names in seat order: a player, or the two of a pair."""
        return [
            " + ".join(name for seat, name in enumerate(players) if self.sides[seat] == side)
            for side in range(self.side_count)
        ]

    def next_seat(self, seat: int) -> int:
        """The seat after `seat` in the order of play."""
        return (seat + 1) % self.seats

    def with_options(self, options: Mapping[str, object]) -> "Ruleset":
        """This ruleset as a table plays it.

        Raises:
            InvalidEntry: an option that does not exist here, or a value it cannot have.
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
    # True == 1 in Python: an option of the wrong type is no choice.
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
    """A number as a record has it: a whole one or `"p/q"`; None where it is neither."""
    if type(value) is int:
        return value
    if not isinstance(value, str) or not _FRACTION.fullmatch(value):
        return None
    numerator, denominator = map(int, value.split("/"))
    return whole(Fraction(numerator, denominator)) if denominator else None


def whole(points: Points) -> Points:
    """`points` as an int wherever they are whole."""
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
"""How the value of an option is checked."""
