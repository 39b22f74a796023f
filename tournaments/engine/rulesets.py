"""The shape of a game, as data: units and contracts, quotas, order, outcome, options.

A ruleset says everything in values and in the names of strategies; no code asks
which ruleset it plays.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType

from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.units import UNITS, Unit

Points = int | Fraction
Setting = str | int | bool

PENALTY = "penalty"
TRUMP = "trump"


@dataclass(frozen=True)
class Contract:
    """What a declarer can name.

    `kind` is what quotas count (`penalty`, `trump`); `values` gives, for each unit
    written down, the points each is worth to the side that takes it; `quota` is how
    often it may be named in one game (None: no limit of its own); `scoring` names the
    strategy that turns counts into points. A contract that `may_end_early` is over once
    all its units are out; with `replay_one_each` a deal of one unit each is played again.
    `trumps` are the suits that may be named with it, `fields` the further fields a deal
    of it may have, `badges` what can be earned in it.
    """

    id: str
    kind: str
    values: Mapping[str, Points]
    quota: int | None = None
    scoring: str = "per-unit"
    may_end_early: bool = False
    replay_one_each: bool = False
    trumps: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    badges: tuple[str, ...] = ()

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The units the table writes down for this contract, in the order written."""
        return tuple(UNITS[unit] for unit in self.values)

    @cached_property
    def deal_sum(self) -> Points:
        """What one deal of this contract adds to the sum of all scores."""
        return sum(UNITS[unit].total * each for unit, each in self.values.items())


@dataclass(frozen=True)
class Option:
    """A setting of the ruleset that a table may choose, and the values it can take."""

    setting: str
    values: tuple[Setting, ...]


@dataclass(frozen=True)
class Ruleset:
    """A whole game as a table.

    `sides` maps each seat to its side; `quotas` says how many contracts of each kind
    one player declares; `settings` holds the names of strategies and switches, of
    which `options` may be changed by the table; `redeals` and `voids` are the reasons
    a table may give for one; `badges` can be earned at the end of the game.
    """

    id: str
    family: str
    contracts: tuple[Contract, ...]
    quotas: Mapping[str, int]
    deals: int
    sides: tuple[int, ...] = (0, 1, 2, 3)
    clockwise: bool = False
    settings: Mapping[str, Setting] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    redeals: tuple[str, ...] = ("misdeal",)
    voids: tuple[str, ...] = ("misdeal",)
    badges: tuple[str, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, Contract]:
        """The contracts by their ids, in the order of the table."""
        return MappingProxyType({contract.id: contract for contract in self.contracts})

    @cached_property
    def seats(self) -> int:
        """How many people play."""
        return len(self.sides)

    @cached_property
    def side_count(self) -> int:
        """How many sides are scored: players, or pairs."""
        return max(self.sides) + 1

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
        return replace(self, settings=MappingProxyType({**self.settings, **options}))  # type: ignore[dict-item]

    def _check_options(self, options: Mapping[str, object]) -> Iterator[Problem]:
        choices = {option.setting: option.values for option in self.options}
        for name, value in options.items():
            allowed = choices.get(name, ())
            # True == 1 in Python: an option of the wrong type is no choice.
            if not any(value == choice and type(value) is type(choice) for choice in allowed):
                yield Problem(
                    Code.UNKNOWN_OPTION,
                    f"options.{name}",
                    {"option": name, "allowed": list(allowed)},
                )
