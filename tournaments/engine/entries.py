"""What a table writes down: deals, and the few things that are no deal."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tournaments.engine.rulesets import Points
from tournaments.engine.units import Counts

NOTHING: Mapping[str, Any] = MappingProxyType({})

SUITS = ("spades", "hearts", "diamonds", "clubs")
NO_TRUMP = "none"
STOP_REASONS = ("time", "agreement", "other")

IMPORTED = "imported"
"""The reason of adjustments that are the totals of a game of which nothing else is known."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal: the contract, who declared it (a seat), and the units each side took.

    `counts` is None while the deal is open, `contract` None where it is sealed, or where
    the game has none. `details` holds the fields that only some rulesets or contracts have
    (`trump`, `king`, `sale`, `maker` …), as plain JSON values.
    """

    contract: str | None = None
    declarer: int | None = None
    counts: Counts | None = None
    details: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    author: str | None = None


@dataclass(frozen=True, slots=True)
class Void:
    """A deal that is played again; it uses no quota and the turn stays.

    `details` holds what proves a sealed contract (`sealed`, `salt`).
    """

    reason: str
    contract: str | None = None
    declarer: int | None = None
    details: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    author: str | None = None


@dataclass(frozen=True, slots=True)
class Redeal:
    """New cards, asked for before play by the seat `by`."""

    by: int
    reason: str
    author: str | None = None


@dataclass(frozen=True, slots=True)
class Passed:
    """A hand that nobody played; the next player deals."""

    author: str | None = None


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Points given or taken outside a deal; with `to="others"` the others get the opposite."""

    seat: int
    points: Points
    reason: str
    to: str = "none"
    author: str | None = None


@dataclass(frozen=True, slots=True)
class Stopped:
    """The table ends the game before its last deal."""

    reason: str
    author: str | None = None


Entry = Deal | Void | Redeal | Passed | Adjustment | Stopped
