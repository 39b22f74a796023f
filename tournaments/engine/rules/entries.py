"""Entries of deals: their shapes, read strictly, and what is declared in them."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, is_dataclass, replace
from dataclasses import fields as dataclasses_fields
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from tournaments.engine.rules.rulesets import (
    LEAST_SEATS,
    LONGEST_REASON,
    MOST_SEATS,
    SUITS,
    Code,
    Counts,
    Pack,
    PerSide,
    Points,
    Problem,
    Ruleset,
    Setting,
    Unit,
    count_units,
    number_of,
    refuse,
)

Json = Mapping[str, Any]

_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
LARGEST = 10**100
LEAST = -LARGEST


def write_points(points: Points) -> int | str:
    """Return points as JSON: an integer, or `"-9/2"` if they are not whole."""
    if points.denominator == 1:
        return points.numerator
    return f"{points.numerator}/{points.denominator}"


def write_all_points(points: PerSide) -> list[int | str]:
    return list(map(write_points, points))


def write_value(value: Any) -> Any:
    """Return a value of the engine as JSON: lists for tuples, and points as in `write_points`."""
    if isinstance(value, tuple):
        return [write_value(item) for item in value]
    if isinstance(value, Mapping):
        return {name: write_value(item) for name, item in value.items()}
    return value if isinstance(value, str | bool | None) else write_points(value)


def is_integer(value: Any) -> bool:
    """Return whether a JSON value is an integer, small enough that sums of it can be stored."""
    return type(value) is int and LEAST < value < LARGEST


def is_text(value: Any) -> bool:
    """Return whether a JSON value is a string that can be stored: no NUL, no lone surrogate."""
    # Printable strings contain neither, and that is quicker to check than to search.
    return isinstance(value, str) and (value.isprintable() or not _NO_TEXT.search(value))


# Blank letters, and what no Unicode text may contain.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufdd0-\ufdef"
    + "".join(chr(0x10000 * plane - last) for plane in range(1, 18) for last in (1, 2))
    + "]"
)


def clean_line(text: str) -> str:
    """Return a text as it is shown: one line in NFC, single spaces, no invisible characters.

    Control characters and line breaks become spaces. Marks of format and of writing direction and
    zero-width joiners go: with them two names look alike. Emoji keep their variation selectors.
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    kinds = {"Cc": " ", "Cf": "", "Cs": ""}
    seen = "".join(kinds.get(unicodedata.category(c), c) for c in _INVISIBLE.sub("", text))
    return unicodedata.normalize("NFC", " ".join(seen.split()))


def clean_lines(value: Any, but: Collection[str] = ()) -> Any:
    """Return JSON with every text in it as by `clean_line`, but those in fields named in `but`."""
    if isinstance(value, str):
        return clean_line(value)
    if isinstance(value, list):
        return [clean_lines(item, but) for item in value]
    if isinstance(value, dict):
        return {k: v if k in but else clean_lines(v, but) for k, v in value.items()}
    return value


def missing(name: str, below: str = "") -> Problem:
    return Problem(Code.MISSING_FIELD, below + name, {"field": name})


def unexpected(name: str, below: str = "") -> Problem:
    return Problem(Code.UNEXPECTED_FIELD, below + name, {"field": name})


def wrong_type(where: str, expected: str) -> Problem:
    """Return the problem of a value of another type than `expected`, a word for the message."""
    return Problem(Code.WRONG_TYPE, where, {"expected": expected})


def within(place: str, problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems of a part with its place, such as `.name` or `[3]`, before theirs."""
    return [Problem(found.code, place + found.where, found.params) for found in problems]


SMALL, LARGE = 32_767, 2**31 - 1
"""The largest numbers that every database can store in a small and in a normal column."""

Schema = dict[str, Any]
Problems = Iterable[Problem]
Check = Callable[[Any], Sequence[Problem]]


def as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Shape:
    """The values allowed somewhere in documents.

    A shape does not know the place of its value: `check` returns every problem at its place below
    the value, and what holds the value puts its own place before (`within`). `read` converts a
    value without problems for the engine. A field that is not `required` may be left out.
    """

    check: Check
    schema: Schema
    read: Callable[[Any], Any] = as_it_is
    required: bool = True

    def problems(self, value: Any, where: str = "") -> list[Problem]:
        """Return every problem of a value, each at its path in a document, below `where`."""
        found = within(where, self.check(value))
        return found if where else [replace(p, where=p.where.removeprefix(".")) for p in found]

    def load(self, value: Any, where: str = "") -> Any:
        """Check and read a value.

        Raises: InvalidEntry: with every problem, each at its path below `where`.
        """
        refuse(self.problems(value, where))
        return self.read(value)

    def also(self, more: Check, schema: Schema | None = None) -> "Shape":
        """This shape with a second check, for values that pass the first one."""
        return replace(
            self,
            check=lambda value: self.check(value) or more(value),
            schema=self.schema if schema is None else schema,
        )

    def limited(
        self, fits: Callable[[Any], bool], problem: Problem, schema: Schema | None = None
    ) -> "Shape":
        return self.also(lambda value: () if fits(value) else (problem,), schema)

    def optional(self) -> "Shape":
        return replace(self, required=False)

    def with_schema(self, schema: Schema) -> "Shape":
        return replace(self, schema=schema)

    def about(self, text: str) -> "Shape":
        return self.with_schema({"description": text, **self.schema})

    def named(self, name: str) -> "Shape":
        return self.with_schema(refer(name))


def refer(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def plain(
    wanted: str, is_it: Callable[[Any], bool], schema: Schema, read: Callable[[Any], Any] = as_it_is
) -> Shape:
    """A single value; `wanted` names the expected type in messages."""
    wrong = (wrong_type("", wanted),)
    return Shape(lambda value: () if is_it(value) else wrong, schema, read)


def listed(item: Shape, least: int = 0, most: int | None = None, at: str = "[{}]") -> Shape:
    """A list of values of one shape; `at` formats the place of an item."""

    def check(value: Any) -> Sequence[Problem]:
        if not isinstance(value, list):
            return (wrong_type("", "list"),)
        found: list[Problem] = []
        if len(value) < least or (most is not None and len(value) > most):
            found.append(wrong_type("", f"list of {least} to {most}"))
        for number, content in enumerate(value):
            if problems := item.check(content):
                found += within(at.format(number), problems)
        return found

    schema: Schema = {"type": "array", "items": item.schema}
    schema |= {"minItems": least} if least else {}
    schema |= {} if most is None else {"maxItems": most}
    return Shape(check, schema, lambda value: tuple(map(item.read, value)))


def mapping(item: Shape, schema: Schema, read: Callable[[Any], Any] = as_it_is) -> Shape:
    """An object with any names and values of one shape."""

    def check(value: Any) -> Sequence[Problem]:
        if not isinstance(value, dict):
            return (wrong_type("", "object"),)
        found: list[Problem] = []
        for name, content in value.items():
            if problems := item.check(content):
                found += within(f".{name}", problems)
        return found

    return Shape(check, schema, read)


def or_null(shape: Shape) -> Shape:
    return Shape(
        lambda value: () if value is None else shape.check(value),
        {"oneOf": [{"type": "null"}, shape.schema]},
        lambda value: None if value is None else shape.read(value),
    )


def without_default(kind: type) -> list[str]:
    """Return the names of the fields of a dataclass that have no default."""
    return [f.name for f in dataclasses_fields(kind) if {f.default, f.default_factory} == {MISSING}]


def fields(
    shapes: Mapping[str, Shape],
    kind: type = dict,
    make: Callable[..., Any] | None = None,
    *,
    strangers_first: bool = False,
) -> Shape:
    """An object with these fields and no others, read by `make` as one of a `kind`.

    Required are those whose shape is, but for those that have a default in a dataclass.
    """
    needed = [name for name, shape in shapes.items() if shape.required]
    if is_dataclass(kind):
        own, given = {f.name for f in dataclasses_fields(kind)}, without_default(kind)
        needed = [name for name in needed if name in given or name not in own]

    def check(value: Any) -> Sequence[Problem]:
        if not isinstance(value, dict):
            return (wrong_type("", "object"),)
        found = [missing(name, ".") for name in needed if name not in value]
        for name in sorted(value, key=shapes.__contains__) if strangers_first else value:
            if name not in shapes:
                found.append(unexpected(name, "."))
            elif problems := shapes[name].check(value[name]):
                found += within(f".{name}", problems)
        return found

    def read(value: Any) -> Any:
        return (make or kind)(**{name: shapes[name].read(part) for name, part in value.items()})

    schema = object_schema({name: shape.schema for name, shape in shapes.items()}, needed)
    return Shape(check, schema, read)


def head_schema(name: str, title: str) -> Schema:
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, "$id": f"urn:kingscore:{name}:1", "title": title}


def object_schema(properties: Schema, required: Collection[str] | None = None) -> Schema:
    """An object with these properties and no others; by default all of them are required."""
    needed = list(properties if required is None else required)
    return {
        "type": "object",
        **({"required": needed} if needed else {}),
        "additionalProperties": False,
        "properties": properties,
    }


def list_schema(items: Schema, length: int | None = None) -> Schema:
    sizes = {} if length is None else {"minItems": length, "maxItems": length}
    return {"type": "array", "items": items, **sizes}


def text(longest: int, least: int = 0) -> Shape:
    """One line of shown text with a limited number of characters; reading cleans it."""
    schema = {"type": "string", "maxLength": longest} | ({"minLength": least} if least else {})
    return plain(
        f"string of {least} to {longest} characters",
        lambda value: is_text(value) and least <= len(value) <= longest,
        schema,
        lambda value: clean_line(value)[:longest],
    )


def matching(pattern: str, wanted: str) -> Shape:
    form = re.compile(pattern)
    return plain(
        wanted,
        lambda value: isinstance(value, str) and form.fullmatch(value) is not None,
        {"type": "string", "pattern": f"^(?:{pattern})$"},
    )


def whole(least: int, most: int) -> Shape:
    return plain(
        f"integer from {least} to {most}",
        lambda value: type(value) is int and least <= value <= most,
        {"type": "integer", "minimum": least, "maximum": most},
    )


def one_of(choices: tuple[str, ...]) -> Shape:
    return plain(" | ".join(choices), lambda value: value in choices, {"enum": list(choices)})


SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def slug(longest: int) -> Shape:
    """A name for use in addresses."""
    return plain(
        "slug",
        lambda value: (
            isinstance(value, str) and len(value) <= longest and bool(SLUG.fullmatch(value))
        ),
        {"type": "string", "pattern": f"^{SLUG.pattern}$", "maxLength": longest},
    )


def _is_moment(value: Any) -> bool:
    try:
        moment = datetime.fromisoformat(value)
        # Also reject times that are out of range in UTC.
        return moment.tzinfo is not None and bool(moment.astimezone(UTC))
    except (TypeError, ValueError, OverflowError):
        return False


def _is_day(value: Any) -> bool:
    try:
        return bool(date.fromisoformat(value).isoformat() == value)
    except (TypeError, ValueError):
        return False


POINTS_PATTERN = "^-?[0-9]{1,30}/(?!0+$)[0-9]{1,30}$"
POINTS_SCHEMA: Schema = {"type": ["integer", "string"], "pattern": POINTS_PATTERN}
MONEY: Schema = {
    "type": ["integer", "string"],
    "minimum": 1,
    "pattern": "^(?!0+/)[0-9]{1,30}/(?!0+$)[0-9]{1,30}$",
}
STRING = plain("string", lambda value: type(value) is str, {"type": "string"})
TEXT = plain("string", is_text, {"type": "string"})
INTEGER = plain("integer", lambda value: type(value) is int, {"type": "integer"})
SWITCH = plain("true or false", lambda value: type(value) is bool, {"type": "boolean"})
MOMENT = plain(
    "ISO 8601 with its offset from UTC", _is_moment, {"type": "string", "format": "date-time"}
)
DAY = plain("ISO 8601 date", _is_day, {"type": "string", "format": "date"})
TIME_OF_DAY = matching("(([01][0-9]|2[0-3]):[0-5][0-9])?", "HH:MM or empty").with_schema(
    {
        "type": "string",
        "maxLength": 5,
        "pattern": "^(([01][0-9]|2[0-3]):[0-5][0-9])?$",
        "examples": ["13:00"],
    }
)
WORTH = plain(
    'integer or "p/q"', lambda value: number_of(value) is not None, POINTS_SCHEMA, number_of
)
LIST = plain("list", lambda value: isinstance(value, list), {"type": "array"})
OBJECT = plain("object", lambda value: isinstance(value, dict), {"type": "object"})


def gettext_noop(text: str) -> str:
    """Mark a text for translation; it is translated where it is shown."""
    return text


@dataclass(frozen=True, slots=True)
class Declared:
    """The description of a field.

    `label` names it in forms and in the audit; `question` replaces the label in forms, where `help`
    stands below the field. With `shown` the value stands under the name of its object. With `free`
    people write it as they like, so that it may contain a player's name. `names` are those of the
    values to choose from. `matters` returns whether the value is relevant among those of the other
    fields; without it, every value is that is not empty.
    """

    shape: Shape
    label: str
    question: str = ""
    help: str = ""
    shown: bool = False
    free: bool = False
    names: Mapping[Any, str] = field(default_factory=dict)
    matters: Callable[[Json], bool] | None = None


def declared(shape: Shape, label: str, **more: Any) -> Mapping[str, Declared]:
    """Return the metadata of a dataclass field: its description."""
    return {"declared": Declared(shape, label, **more)}


def declared_fields(kind: type) -> Mapping[str, Declared]:
    return {
        field.name: field.metadata["declared"]
        for field in dataclasses_fields(kind)
        if "declared" in field.metadata
    }


LONGEST_THING = 20
"""The length of the name of what a game is played for."""

STAKES = ("point", "sinking", "pot", "last", "place")


class Stake(NamedTuple):
    """What a game is played for: the `amount` of a `thing`; without a thing it is money.

    `per` says who owes it: for each point below the mean to those above it (`point`), each who is
    sunk to each who is out (`sinking`), each side that is sunk once, shared by those that are out
    (`pot`), the last to each other player (`last`), each to everybody ahead (`place`).
    """

    per: str
    amount: Points
    thing: str = ""


STAKE = or_null(
    fields(
        {
            "per": one_of(STAKES),
            "amount": plain(
                'integer or "p/q" above 0',
                lambda value: LARGEST > (number_of(value) or 0) > 0,
                MONEY,
                number_of,
            ),
            "thing": text(LONGEST_THING).optional(),
        },
        Stake,
    )
)


def read_stake(stored: Any, settings: Mapping[str, Setting]) -> Stake | None:
    """Read the stake of a record, or else that of its rules: money for each point or sinking."""
    amount = number_of(settings.get("stake"))
    if stored is None and amount is not None:
        return Stake("pot" if settings.get("stake_per") == "sinking" else "point", amount)
    stake: Stake | None = STAKE.read(stored)
    return stake


NO_TRUMP = "none"
STOP_REASONS = ("time", "agreement", "left", "other")

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
    """Points given or taken outside a deal; with `to="others"` the others get the opposite.

    Without `to` the setting `adjustment_to` says so.
    """

    seat: int
    points: Points
    reason: str
    to: str | None = None


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


ANY_TRICKS = 52
"""The most tricks of any deal: two packs for two players."""
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
    tricks: int = ANY_TRICKS
    hand_tricks: int = ANY_TRICKS
    units: Mapping[str, Unit] = field(
        default_factory=lambda: count_units(Pack(packs=2), ANY_TRICKS, MOST_SEATS, 3)
    )

    @classmethod
    def of(cls, ruleset: Ruleset) -> "TableShape":
        seats, sides = ruleset.seats, ruleset.side_count
        trumps = dict.fromkeys(t for contract in ruleset.contracts for t in contract.trumps)
        return cls(
            (seats, seats),
            (sides, sides),
            ruleset.seats_in_a_side,
            tuple(trumps),
            ruleset.voids,
            ruleset.redeals,
            tricks=ruleset.tricks,
            hand_tricks=ruleset.hand_tricks,
            units=ruleset.units,
        )

    @property
    def side_names(self) -> str:
        """The number of sides and their kind, for messages."""
        if self.sides[0] < self.sides[1]:
            return "any_sides"
        return f"{self.sides[0]}_{('players', 'pairs', 'threes')[self.together - 1]}"


ANY_TABLE = TableShape()


def _nothing(_ruleset: Ruleset, _value: Any) -> Problems:
    return ()


# Compared by identity: two kinds may be alike.
@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of field of an entry, and all that follows from it whatever the field means.

    `shape` is its form at any table, `schema` its schema at one. `check` finds what a table does
    not have, at places below the field. If a kind names seats or sides, `moved` is its value after
    people have moved: every seat and every side has become another. One that is `of_pairs` says
    something only at a table of pairs; elsewhere it is null or false.
    """

    shape: Shape
    schema: Callable[[TableShape], Schema]
    check: Callable[[Ruleset, Any], Problems] = _nothing
    moved: Callable[[Any, Sequence[int], Sequence[int]], Any] | None = None
    of_pairs: bool = False


# The forms.


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


def _is_double(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and are_integers(value.get("seats"))
        and value.keys() <= {"seats", "by", "redoubled"}
        and isinstance(value.get("redoubled", False), bool)
        and is_integer(value.get("by", 0))
    )


def _is_points(value: Any) -> bool:
    points = number_of(value)
    return points is not None and LEAST < points < LARGEST


_INTEGER = plain("integer", is_integer, {})
_NUMBERS = plain("list of integers", are_integers, {})


# The schemas at a table.


def numbers(length: tuple[int, int], most: int | None = None) -> Schema:
    """Return the schema of a list of numbers from 0, one for each seat or side."""
    number: Schema = {"type": "integer", "minimum": 0}
    number |= {} if most is None else {"maximum": most}
    return {"type": "array", "items": number, "minItems": length[0], "maxItems": length[1]}


def seats_of(table: TableShape) -> Schema:
    """Return the schema of a seat, from 0."""
    return {"enum": list(range(table.seats[1]))}


def _contract(table: TableShape) -> Schema:
    return refer("text") if table.contract is None else table.contract


def _sale(table: TableShape) -> Schema:
    price = {"type": "integer", "minimum": 1, "maximum": table.tricks}
    return object_schema({"buyer": seats_of(table), "tricks": price})


def _piles(table: TableShape) -> Schema:
    return object_schema(dict.fromkeys(PILES, numbers(table.seats, CARDS_OF_BOTH_PACKS)))


def _doubles(table: TableShape) -> Schema:
    seats = {**list_schema(seats_of(table), 2), "uniqueItems": True}
    by = {"description": "Who doubled, one of the two.", **seats_of(table)}
    double = object_schema({"seats": seats, "by": by, "redoubled": SWITCH.schema}, ["seats"])
    return {**list_schema(double), "uniqueItems": True}


# What a table does not have.


def check_seat(ruleset: Ruleset, where: str, seat: int) -> Problems:
    if seat not in range(ruleset.seats):
        yield Problem(Code.BAD_SEAT, where, {"seats": ruleset.seats, "got": seat})


def _check_seat(ruleset: Ruleset, seat: int | None) -> Problems:
    return () if seat is None else check_seat(ruleset, "", seat)


def _check_side(ruleset: Ruleset, side: int) -> Problems:
    if side not in range(ruleset.side_count):
        yield Problem(Code.BAD_SEAT, "", {"seats": ruleset.side_count, "got": side})


def _check_numbers(ruleset: Ruleset, numbers: Sequence[int]) -> Problems:
    if len(numbers) != ruleset.seats:
        yield Problem(Code.WRONG_SEATS, "", {"expected": ruleset.seats, "got": len(numbers)})
    elif min(numbers) < 0:
        yield Problem(Code.NEGATIVE_COUNT, "", {"got": min(numbers)})


def _check_keys(value: Json, keys: Sequence[str]) -> Problems:
    yield from (missing(key, ".") for key in keys if key not in value)
    yield from (unexpected(key, ".") for key in value if key not in keys)


def _check_piles(ruleset: Ruleset, left: Json) -> Problems:
    yield from _check_keys(left, PILES)
    for pile in PILES:
        if pile in left:
            yield from within(f".{pile}", _check_numbers(ruleset, left[pile]))


# After people have moved.


def _move_seat(seat: int | None, seats: Sequence[int], _sides: Sequence[int]) -> int | None:
    return None if seat is None else seats[seat]


def _in_order(values: Sequence[Any], to: Sequence[int]) -> list[Any]:
    return [values[to.index(place)] for place in range(len(to))]


# The kinds.


def constant(shape: Shape) -> Kind:
    """A kind with one schema at every table."""
    return Kind(shape, lambda _table: shape.schema)


def word(choices: Callable[[TableShape], Sequence[str]]) -> Kind:
    """One of several words; the rest of the game checks which."""
    return Kind(plain("string", is_text, {}), lambda table: {"enum": list(choices(table))})


def number_of_tricks(
    least: int, most: Callable[[TableShape], int] = lambda table: table.tricks
) -> Kind:
    """A number of tricks, as many as a deal has; the rest of the game checks its bounds."""
    return Kind(
        _INTEGER,
        lambda table: {"type": "integer", "minimum": least, "maximum": most(table)},
    )


def hexadecimal(least: int, most: int | None = None) -> Kind:
    digits = f"{least}" if most is None else f"{least},{most}"
    schema = {"type": "string", "pattern": f"^[0-9a-fA-F]{{{digits}}}$"}
    return constant(plain("string", is_text, schema))


SEAT = Kind(_INTEGER, seats_of, _check_seat, _move_seat)
SEAT_OR_NULL = Kind(
    or_null(_INTEGER),
    lambda table: {"enum": [*range(table.seats[1]), None]},
    _check_seat,
    _move_seat,
)
PARTNER_OR_NULL = Kind(
    or_null(_INTEGER),
    lambda table: {"enum": [*range(table.seats[1] if table.together > 1 else 0), None]},
    _check_seat,
    _move_seat,
    of_pairs=True,
)
SIDE = Kind(
    _INTEGER,
    lambda table: {"enum": list(range(table.sides[1]))},
    _check_side,
    lambda side, _seats, sides: sides[side],
)
YES = constant(SWITCH)
YES_IN_PAIRS = Kind(
    SWITCH,
    lambda table: SWITCH.schema if table.together > 1 else {"const": False},
    of_pairs=True,
)
CONTRACT = Kind(plain("string", is_text, {}), _contract)
OFFER = Kind(
    plain("list of contracts", _is_list_of(is_text), {}),
    lambda table: list_schema(_contract(table), 2),
)
COUNTS = Kind(
    mapping(_NUMBERS, {}, lambda value: {unit: tuple(row) for unit, row in value.items()}),
    lambda table: table.counts or {},
    moved=lambda counts, _seats, sides: {u: _in_order(row, sides) for u, row in counts.items()},
)
"""For each unit one number per side."""
SALE = Kind(
    mapping(_INTEGER, {}),
    _sale,
    lambda _ruleset, sale: _check_keys(sale, ("buyer", "tricks")),
    lambda sale, seats, _sides: {**sale, "buyer": seats[sale["buyer"]]},
)
LEFT = Kind(
    mapping(_NUMBERS, {}),
    _piles,
    _check_piles,
    lambda left, seats, _sides: {pile: _in_order(row, seats) for pile, row in left.items()},
)
"""For each pile one number of cards per seat."""
CALLS = Kind(
    _NUMBERS,
    lambda table: numbers(table.seats),
    _check_numbers,
    lambda calls, seats, _sides: _in_order(calls, seats),
)
DOUBLES = Kind(
    plain("list of doubled pairs", _is_list_of(_is_double), {}),
    _doubles,
    moved=lambda doubles, seats, _sides: [
        {
            **double,
            "seats": [seats[seat] for seat in double["seats"]],
            **({"by": seats[double["by"]]} if "by" in double else {}),
        }
        for double in doubles
    ],
)
"""Pairs of seats, and for each pair who doubled, and whether it was redoubled."""
POINTS = constant(plain('integer or "p/q"', _is_points, refer("points"), number_of))
"""Points other than 0; the rest of the game checks that."""
TOTALS_OF_SIDES = Kind(
    plain(
        "list of points",
        _is_list_of(_is_points),
        {},
        lambda value: tuple(map(number_of, value)),
    ),
    lambda table: {
        "type": "array",
        "items": POINTS_SCHEMA,
        "minItems": table.sides[0],
        "maxItems": table.sides[1],
    },
    moved=lambda totals, _seats, sides: _in_order(totals, sides),
)
ANY_TEXT = constant(TEXT.named("text"))
NAME = constant(TEXT.named("name"))
"""A text that is not blank; the rest of the game checks that."""
RECEIVER = constant(plain("string", is_text, {"enum": ["none", "others"]}))
