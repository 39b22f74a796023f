"""What single fields of a record can hold, as JSON Schema."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tournaments.engine.fields import ALL_TRICKS, CARDS_OF_BOTH_PACKS, PILES, TRICKS_OF_FIVE
from tournaments.engine.rulesets import LARGEST_COUNT, Option, Ruleset
from tournaments.engine.units import UNITS

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
LEAST_SEATS, MOST_SEATS = 2, 4


@dataclass(frozen=True, slots=True)
class Table:
    """How many people sit at a table, and how many sides they are: at the least and at the most.

    `together` is how many people a side can have.
    """

    seats: tuple[int, int]
    sides: tuple[int, int]
    together: int

    @classmethod
    def of(cls, ruleset: Ruleset) -> "Table":
        """The only table at which a ruleset can be played."""
        seats, sides = ruleset.seats, ruleset.side_count
        return cls((seats, seats), (sides, sides), ruleset.seats_in_a_side)

    @property
    def side_names(self) -> str:
        """How many sides of which kind."""
        if self.sides[0] < self.sides[1]:
            return "any_sides"
        return f"{self.sides[0]}_{'pairs' if self.together > 1 else 'players'}"


ANY_TABLE = Table((LEAST_SEATS, MOST_SEATS), (LEAST_SEATS, MOST_SEATS), MOST_SEATS // LEAST_SEATS)


@dataclass(frozen=True, slots=True)
class Definitions:
    """What a schema names once and refers to: what is alike has one name."""

    by_name: Schema = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def define(self, name: str, schema: Schema) -> Schema:
        """A reference to `schema`, which gets this name unless it has one already."""
        # As text: to Python, true is 1.
        known = self.names.setdefault(json.dumps(schema), name)
        if known == name:
            assert self.by_name.setdefault(name, schema) == schema, f"{name} is two things"
        return refer(known)


def refer(name: str) -> Schema:
    """A reference to a definition."""
    return {"$ref": f"#/$defs/{name}"}


def where(name: str, shape: Schema | bool) -> Schema:
    """The schema of objects of which one field has a shape, if it is there."""
    return {"properties": {name: shape}}


TEXT: Schema = {
    "description": "Anything but NUL and halves of characters.",
    "type": "string",
    "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
}
NAME: Schema = {"allOf": [refer("text"), {"pattern": "\\S"}]}
NONZERO_POINTS: Schema = {
    "description": 'Points other than 0: a whole number, or a string such as "-9/2".',
    "type": ["integer", "string"],
    "not": {"const": 0},
    "pattern": "^-?[0-9]{1,30}/(?!0+$)[0-9]{1,30}$",
}
MONEY: Schema = {
    "type": ["integer", "string"],
    "minimum": 1,
    "pattern": "^(?!0+/)[0-9]{1,30}/(?!0+$)[0-9]{1,30}$",
}
COUNT: Schema = {"type": "integer", "minimum": 1, "maximum": LARGEST_COUNT}
OPTIONS: Mapping[str, Schema] = {
    "count": COUNT,
    "even-count": {**COUNT, "multipleOf": 2},
    "money": MONEY,
}


def option_shape(option: Option) -> Schema:
    """What an option can be set to."""
    return {"enum": list(option.values)} if option.kind == "one-of" else OPTIONS[option.kind]


def seat_shape(table: Table) -> Schema:
    """A seat, from 0."""
    return {"enum": list(range(table.seats[1]))}


def define_counts(table: Table, shared: Definitions) -> Schema:
    """The units taken, one number per side."""
    numbers = shared.define(f"one_for_each_of_{table.side_names}", _numbers(table.sides))
    most = {
        unit.id: unit.most * table.together if unit.total is None else unit.total
        for unit in UNITS.values()
    }
    counts = {
        "description": "Units taken, one number per side; they add up to what there is of them.",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            unit: {**numbers, "items": {"maximum": number}} for unit, number in most.items()
        },
    }
    return shared.define(f"counts_of_{table.side_names}", counts)


def deal_shapes(table: Table, contract: Schema, trumps: Iterable[str]) -> dict[str, Schema]:
    """What the fields of a deal can hold, where they exist; all but its counts."""
    seat = seat_shape(table)
    return {
        "contract": contract,
        "declarer": seat,
        "trump": {"enum": list(trumps)},
        "king": seat,
        "king_declared_by": seat,
        "tricks_played": {"type": "integer", "minimum": 1, "maximum": ALL_TRICKS},
        "rifki_holder": seat,
        "sealed": {"type": "string", "pattern": "^[0-9a-fA-F]{64}$"},
        "salt": {"type": "string", "pattern": "^[0-9a-fA-F]{32,1000}$"},
        "blind": {"type": "boolean"},
        "sale": _object(
            buyer=seat, tricks={"type": "integer", "minimum": 1, "maximum": ALL_TRICKS}
        ),
        "partner": seat,
        "offered": _list(contract, 2),
        "third": {"type": "boolean"},
        "closed_by": {"enum": list(range(table.sides[1]))},
        "doubles": _doubles(seat),
        "maker": seat,
        "tricks": {"type": "integer", "minimum": 0, "maximum": TRICKS_OF_FIVE},
        # Only one of a pair can leave a partner out.
        "alone": {"type": "boolean"} if table.together > 1 else {"const": False},
        "defender_alone": _or_null(table.seats[1] if table.together > 1 else 0),
        "winner": _or_null(table.seats[1]),
        "left": _object(**dict.fromkeys(PILES, _numbers(table.seats, CARDS_OF_BOTH_PACKS))),
        "calls": _numbers(table.seats),
    }


def described(shapes: Mapping[str, Schema]) -> dict[str, Schema]:
    """The fields of a deal with a word about each."""
    return {name: {"description": ABOUT[name], **shape} for name, shape in shapes.items()}


ABOUT: Mapping[str, str] = {
    "contract": "Its id in the ruleset; none where a game has only one.",
    "declarer": "Whose turn it is; in Italian King the dealer, also of a sale.",
    "counts": "Without counts the deal is open, which only the last entry may be.",
    "trump": "The suit, or none for a declaration without trump.",
    "king": "Who took all 13 tricks.",
    "king_declared_by": "Who declared King before the first lead.",
    "tricks_played": "13 when left out.",
    "rifki_holder": "Who was dealt the king of hearts.",
    "sealed": "SHA-256 of contract, colon and salt, in hex.",
    "salt": "Random bits in hex, at least 128, shown with the contract.",
    "blind": "Declared before the cards were seen.",
    "sale": "To whom the dealer sold the declaration, and for how many tricks.",
    "partner": "Who held the card that the dealer called.",
    "offered": "The two contracts the dealer offered.",
    "third": "The partner took neither of them.",
    "closed_by": "The side that went out first.",
    "doubles": "Pairs of seats that doubled each other.",
    "maker": "Who named or ordered up the trump.",
    "tricks": "Tricks of the makers, of five.",
    "alone": "The maker played without a partner.",
    "defender_alone": "The defender who played without a partner.",
    "winner": "Null in a stalemate.",
    "left": "Cards left in each pile, one number per seat.",
    "calls": "Calls of krapet, one number per seat.",
}


def schema_text(schema: Schema) -> str:
    """A schema as it is published: what fits on a line stands on one."""
    return _lines(schema, "", "") + "\n"


WIDTH = 120


def _lines(value: Any, indent: str, before: str) -> str:
    """A JSON value in as few lines as fit; `before` stands in front of it on its first line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(before) + len(line) < WIDTH or not isinstance(value, list | dict):
        return line
    inner = indent + "  "
    if isinstance(value, list):
        items = [inner + _lines(item, inner, "") for item in value]
        return "[\n" + ",\n".join(items) + f"\n{indent}]"
    names = [(f"{json.dumps(name)}: ", item) for name, item in value.items()]
    items = [inner + name + _lines(item, inner, name) for name, item in names]
    return "{\n" + ",\n".join(items) + f"\n{indent}}}"


def _numbers(length: tuple[int, int], most: int | None = None) -> Schema:
    """A list of numbers from 0, one for each seat or side."""
    number: Schema = {"type": "integer", "minimum": 0}
    if most is not None:
        number["maximum"] = most
    return {"type": "array", "items": number, "minItems": length[0], "maxItems": length[1]}


def _list(item: Schema, length: int) -> Schema:
    return {"type": "array", "items": item, "minItems": length, "maxItems": length}


def _or_null(seats: int) -> Schema:
    return {"enum": [*range(seats), None]}


def _object(**fields: Schema) -> Schema:
    """An object with all of these fields and no others."""
    return {
        "type": "object",
        "required": list(fields),
        "additionalProperties": False,
        "properties": fields,
    }


def _doubles(seat: Schema) -> Schema:
    double = _object(seats={**_list(seat, 2), "uniqueItems": True})
    double["properties"]["redoubled"] = {"type": "boolean"}
    return {"type": "array", "items": double, "uniqueItems": True}
