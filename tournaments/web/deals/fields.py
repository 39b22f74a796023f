"""The parts of the form in which a table writes down a deal, as its page shows them."""

from dataclasses import dataclass

from tournaments.engine.rulesets import Points
from tournaments.web.deals.sheet_view import Symbol


@dataclass(frozen=True)
class SuitField:
    """A trump suit to choose."""

    id: str
    name: str
    symbol: str
    checked: bool


@dataclass(frozen=True)
class ContractField:
    """A contract to choose: how often it is left, and in words what forbids it.

    `asks` are the further fields that only some contracts have.
    """

    id: str
    name: str
    symbol: Symbol
    kind: str
    left: int | None
    reasons: tuple[str, ...]
    units: tuple[str, ...]
    values: str
    checked: bool
    advised: bool
    replay: bool
    says_king: bool
    asks: tuple[str, ...]
    suits: tuple[SuitField, ...]


@dataclass(frozen=True)
class Tile:
    """A player at the table as drawn, or a side with the number typed for it.

    `seats` are all the seats of the side, `left` what it still has to declare: kind, name
    and number.
    """

    seat: int
    side: int
    seats: tuple[int, ...]
    name: str
    place: str
    total: Points
    declares: bool
    left: tuple[tuple[str, str, int], ...]
    field: str = ""
    value: str = ""


@dataclass(frozen=True)
class UnitField:
    """The numbers of one unit, a tile for each side.

    `total` is None where it is not fixed, and no sum where the numbers are an order;
    `most` is what one side can have.
    """

    id: str
    name: str
    total: int | None
    has_sum: bool
    most: int
    one_tap: bool
    tiles: tuple[Tile, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True)
class PlayerField:
    """A player or side to choose; one that cannot be is `barred`."""

    value: int
    name: str
    checked: bool
    barred: bool = False


@dataclass(frozen=True)
class DoubleField:
    """Two players who may have doubled each other, and what was chosen."""

    field: str
    names: tuple[str, str]
    value: str


@dataclass(frozen=True)
class OfferField:
    """One of the two offered contracts: what can be offered, and what was chosen."""

    field: str
    contracts: tuple[tuple[str, str], ...]
    value: str
