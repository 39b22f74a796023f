"""The entries of a table: deals, and the few others that are not deals."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tournaments.engine.rules.declarations import (
    Declared,
    declared,
    declared_fields,
    gettext_noop,
)
from tournaments.engine.rules.limits import LONGEST_REASON
from tournaments.engine.rules.rulesets import Points
from tournaments.engine.rules.shapes import text
from tournaments.engine.rules.units import Counts

SUITS = ("spades", "hearts", "diamonds", "clubs")
NO_TRUMP = "none"
STOP_REASONS = ("time", "agreement", "other")

IMPORTED = "imported"
"""The reason of adjustments for the totals of an imported game, of which nothing else is known."""

TOTALS = "totals"
"""The reason of adjustments for final totals entered from paper; such a game is rated by them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The fields of every entry, all optional: its author, and remarks."""

    author: str | None = None
    note: str | None = field(
        default=None,
        metadata=declared(text(LONGEST_REASON), gettext_noop("Note"), shown=True, free=True),
    )


REMARKS: Mapping[str, Declared] = MappingProxyType(dict(declared_fields(Written)))
"""The described fields of every entry; pages and documents show them as they are written."""


@dataclass(frozen=True, slots=True)
class Deal(Written):
    """A deal: the contract, the declarer (a seat), and the units that each side took.

    `counts` is None while the deal is open. `contract` is None if it is sealed, or if the game has
    none. `details` holds the fields that only some rulesets or contracts have (`trump`, `king`,
    `sale`, `maker` …), as plain JSON values.
    """

    contract: str | None = None
    declarer: int | None = None
    counts: Counts | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Void(Written):
    """A void deal, to be played again; it uses no quota, and the turn does not change.

    `details` holds the proof of a sealed contract (`sealed`, `salt`).
    """

    reason: str
    contract: str | None = None
    declarer: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Redeal(Written):
    """New cards, requested before play by the seat `by`."""

    by: int
    reason: str


@dataclass(frozen=True, slots=True)
class Passed(Written):
    """A hand that everybody passed; the next player deals."""


@dataclass(frozen=True, slots=True)
class Adjustment(Written):
    """Points given or taken outside a deal; with `to="others"` the others get the opposite."""

    seat: int
    points: Points
    reason: str
    to: str = "none"


@dataclass(frozen=True, slots=True)
class Stopped(Written):
    """The table ended the game before its last deal."""

    reason: str


Entry = Deal | Void | Redeal | Passed | Adjustment | Stopped
