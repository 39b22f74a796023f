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
from tournaments.engine.rules.rulesets import PerSide, Points
from tournaments.engine.rules.shapes import text
from tournaments.engine.rules.units import Counts

SUITS = ("spades", "hearts", "diamonds", "clubs")
NO_TRUMP = "none"
STOP_REASONS = ("time", "agreement", "other")

IMPORTED = "imported"
"""The reason of adjustments that stood for the totals of an imported game before `Totals`."""

TOTALS = "totals"
"""The reason of adjustments that stood for totals from paper before `Totals`."""


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


@dataclass(frozen=True, slots=True)
class Totals(Written):
    """The final totals of a game, one per side, as they stand on paper; they end it.

    They stand for all deals, those on the sheet too; adjustments before and after are added. With
    `early`, a King or the table ended the game before its last deal, so that any sum goes.
    `imported` ones, of a past result, are not rated. `unchecked` marks totals that were corrected
    before corrections were checked: their sum may be wrong, and is shown so.
    """

    totals: PerSide
    early: bool = False
    imported: bool = False
    unchecked: bool = False


TOTALS_FLAGS = ("early", "imported", "unchecked")

Entry = Deal | Void | Redeal | Passed | Adjustment | Stopped | Totals
