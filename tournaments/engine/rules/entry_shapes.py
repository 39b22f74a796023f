"""Shapes of the fields of entries, at any table or at those of one ruleset."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tournaments.engine.rules.entries import NO_TRUMP, SUITS
from tournaments.engine.rules.rulesets import Ruleset, number_of
from tournaments.engine.rules.shapes import (
    LARGEST,
    LEAST,
    POINTS_SCHEMA,
    SWITCH,
    TEXT,
    Schema,
    Shape,
    is_integer,
    is_text,
    list_schema,
    mapping,
    object_schema,
    or_null,
    plain,
    refer,
)
from tournaments.engine.rules.units import ALL_TRICKS

LEAST_SEATS, MOST_SEATS = 2, 4
TRICKS_OF_FIVE = 5
CARDS_OF_BOTH_PACKS = 104
PILES = ("reserve", "stock", "waste")
REDEALS = ("misdeal", "no-high-card")
VOIDS = ("misdeal", "one-each", "over-quota")


@dataclass(frozen=True, slots=True)
class TableShape:
    """The least and the greatest numbers of people and of sides at a table.

    `together` is the number of people that a side can have. The other fields list the names that a
    table can use; `contract` and `counts` are schemas.
    """

    seats: tuple[int, int] = (LEAST_SEATS, MOST_SEATS)
    sides: tuple[int, int] = (LEAST_SEATS, MOST_SEATS)
    together: int = MOST_SEATS // LEAST_SEATS
    trumps: tuple[str, ...] = (*SUITS, NO_TRUMP)
    voids: tuple[str, ...] = VOIDS
    redeals: tuple[str, ...] = REDEALS
    contract: Schema | None = None
    counts: Schema | None = None

    @classmethod
    def of(cls, ruleset: Ruleset) -> "TableShape":
        """The only table shape for a ruleset."""
        seats, sides = ruleset.seats, ruleset.side_count
        trumps = dict.fromkeys(t for contract in ruleset.contracts for t in contract.trumps)
        return cls(
            (seats, seats),
            (sides, sides),
            ruleset.seats_in_a_side,
            tuple(trumps),
            ruleset.voids,
            ruleset.redeals,
        )

    @property
    def side_names(self) -> str:
        """The number of sides and their kind, for messages."""
        if self.sides[0] < self.sides[1]:
            return "any_sides"
        return f"{self.sides[0]}_{'pairs' if self.together > 1 else 'players'}"


ANY_TABLE = TableShape()
ShapeAt = Callable[[TableShape], Shape]
"""The shape of a field at a table."""


def _integer(schema: Schema) -> Shape:
    return plain("integer", is_integer, schema)


def _word(schema: Schema) -> Shape:
    return plain("string", is_text, schema)


def _is_list_of(is_it: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(is_it, value))


def are_integers(value: Any) -> bool:
    """Return whether a JSON value is a list of integers, each as in `is_integer`."""
    if type(value) is not list:
        return False
    for number in value:  # noqa: SIM110 - `all` takes half as long again
        # Not `is_integer`: a call for each number of each deal takes too long.
        if type(number) is not int or not LEAST < number < LARGEST:
            return False
    return True


def numbers(length: tuple[int, int], most: int | None = None) -> Shape:
    """A list of numbers from 0, one for each seat or side."""
    number: Schema = {"type": "integer", "minimum": 0}
    number |= {} if most is None else {"maximum": most}
    schema = {"type": "array", "items": number, "minItems": length[0], "maxItems": length[1]}
    return plain("list of integers", are_integers, schema)


def seat(table: TableShape) -> Shape:
    """A seat, from 0."""
    return _integer({"enum": list(range(table.seats[1]))})


def side(table: TableShape) -> Shape:
    """A side, from 0."""
    return _integer({"enum": list(range(table.sides[1]))})


def seat_or_null(table: TableShape) -> Shape:
    """A seat, or null."""
    return _or_null(table.seats[1])


def partner_or_null(table: TableShape) -> Shape:
    """A seat, at tables with partners; else null."""
    return _or_null(table.seats[1] if table.together > 1 else 0)


def _or_null(seats: int) -> Shape:
    return or_null(_integer({})).with_schema({"enum": [*range(seats), None]})


def number(least: int, most: int) -> ShapeAt:
    """A number; the rest of the game checks its bounds."""
    return lambda _table: _integer({"type": "integer", "minimum": least, "maximum": most})


def switch(_table: TableShape) -> Shape:
    """A boolean."""
    return SWITCH


def pairs_switch(table: TableShape) -> Shape:
    """A boolean that can be true only at a table of pairs."""
    return SWITCH if table.together > 1 else SWITCH.with_schema({"const": False})


def hexadecimal(least: int, most: int | None = None) -> ShapeAt:
    """A string of hexadecimal digits."""
    digits = f"{least}" if most is None else f"{least},{most}"
    return lambda _table: _word({"type": "string", "pattern": f"^[0-9a-fA-F]{{{digits}}}$"})


def contract(table: TableShape) -> Shape:
    """The id of a contract."""
    return _word(refer("text") if table.contract is None else table.contract)


def offer(table: TableShape) -> Shape:
    """Two contracts."""
    schema = list_schema(contract(table).schema, 2)
    return plain("list of contracts", _is_list_of(is_text), schema)


def counts(table: TableShape) -> Shape:
    """For each unit one number per side."""
    return mapping(
        numbers(table.sides),
        table.counts or {},
        lambda value: {unit: tuple(each) for unit, each in value.items()},
    )


def sale(table: TableShape) -> Shape:
    """A buyer and a price."""
    parts = {"buyer": seat(table).schema, "tricks": number(1, ALL_TRICKS)(table).schema}
    return mapping(_integer({}), object_schema(parts))


def piles(table: TableShape) -> Shape:
    """For each pile one number per seat."""
    each = numbers(table.seats, CARDS_OF_BOTH_PACKS)
    return mapping(each, object_schema(dict.fromkeys(PILES, each.schema)))


def calls(table: TableShape) -> Shape:
    """One number per seat."""
    return numbers(table.seats)


def doubles(table: TableShape) -> Shape:
    """Pairs of seats, and for each pair whether it was redoubled."""
    seats = {**list_schema(seat(table).schema, 2), "uniqueItems": True}
    double = object_schema({"seats": seats, "redoubled": SWITCH.schema}, ["seats"])
    schema = {**list_schema(double), "uniqueItems": True}
    return plain("list of doubled pairs", _is_list_of(_is_double), schema)


def _is_double(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and are_integers(value.get("seats"))
        and value.keys() <= {"seats", "redoubled"}
        and isinstance(value.get("redoubled", False), bool)
    )


def _is_points(value: Any) -> bool:
    points = number_of(value)
    return points is not None and LEAST < points < LARGEST


def points(_table: TableShape) -> Shape:
    """Points other than 0."""
    return plain('integer or "p/q"', _is_points, refer("points"), number_of)


def totals(table: TableShape) -> Shape:
    """Final points, one for each side."""
    sizes = {"minItems": table.sides[0], "maxItems": table.sides[1]}
    return plain(
        "list of points",
        _is_list_of(_is_points),
        {"type": "array", "items": POINTS_SCHEMA, **sizes},
        lambda value: tuple(map(number_of, value)),
    )


def text(_table: TableShape) -> Shape:
    """A text of any length."""
    return TEXT.named("text")


def name(_table: TableShape) -> Shape:
    """A text that is not blank; the rest of the game checks that."""
    return TEXT.named("name")


def word(choices: Callable[[TableShape], Sequence[str]]) -> ShapeAt:
    """One of several words; the rest of the game checks which."""
    return lambda table: _word({"enum": list(choices(table))})


def receiver(_table: TableShape) -> Shape:
    """The receiver of the opposite of an adjustment."""
    return _word({"enum": ["none", "others"], "default": "none"})
