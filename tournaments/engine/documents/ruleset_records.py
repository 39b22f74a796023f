"""The portable ruleset: `kingscore-ruleset/1` read strictly, checked, written and published.

The document names strategies from the closed lists of the engine. A field with a default may be
left out, and is written only if it differs. So a document stays readable when rulesets get new
fields.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, replace
from types import MappingProxyType
from typing import Any

from tournaments.engine.play.games import FINEST_PART, REDEAL_SWITCHES
from tournaments.engine.play.outcomes import AT_THE_END, IN_A_DEAL
from tournaments.engine.play.ruleset_checks import SETTINGS, check_ruleset
from tournaments.engine.rules import entries
from tournaments.engine.rules.entries import (
    INTEGER,
    MOST_SEATS,
    NO_TRUMP,
    OBJECT,
    POINTS_PATTERN,
    REDEALS,
    SUITS,
    SWITCH,
    TEXT,
    VOIDS,
    WORTH,
    Check,
    Problems,
    Schema,
    Shape,
    below,
    head_schema,
    is_text,
    listed,
    object_schema,
    or_null,
    plain,
    write_value,
)
from tournaments.engine.rules.fields import NAMES, STEPS
from tournaments.engine.rules.rulesets import (
    LARGEST_COUNT,
    LONGEST_ID,
    LONGEST_NAME,
    OPTION_KINDS,
    UNITS,
    Code,
    Contract,
    InvalidEntry,
    Option,
    Problem,
    Ruleset,
    Stage,
    number_of,
)
from tournaments.engine.rules.scoring import SCORINGS

RULESET_FORMAT = "kingscore-ruleset/1"

MOST_CONTRACTS = 40
LARGEST_VALUE = 1_000_000

DECLARERS = ("turn", "pair")


def read_ruleset(document: Any, where: str = "") -> Ruleset:
    """Read the ruleset of a `kingscore-ruleset/1` document; every game of it can be played.

    Raises: InvalidEntry: with every problem, each at its path below `where`.
    """
    ruleset: Ruleset = RULESET.load(document, where)
    problems = [replace(p, where=below(where, p.where)) for p in check_ruleset(ruleset)]
    if problems:
        raise InvalidEntry(problems)
    return ruleset


def write_ruleset(ruleset: Ruleset) -> dict[str, Any]:
    """Return a ruleset as a `kingscore-ruleset/1` document; `read_ruleset` reads it back."""
    return {"format": RULESET_FORMAT, **_write(ruleset)}


def _write(thing: Any) -> Any:
    if isinstance(thing, tuple):
        return list(map(_write, thing))
    if not isinstance(thing, Ruleset | Contract | Option | Stage):
        return write_value(thing)
    written = {}
    for field in fields(thing):
        value = getattr(thing, field.name)
        default = field.default
        if field.default_factory is not MISSING:
            default = field.default_factory()
        if default is MISSING or value != default:
            written[field.name] = _write(value)
    if isinstance(thing, Ruleset) and thing.implied:
        written["implied"] = [
            {"setting": setting, "value": value, "settings": dict(follows)}
            for setting, by_value in thing.implied.items()
            for value, follows in by_value.items()
        ]
    return written


# Shapes of single values.


def _bad(where: str, why: str, **params: object) -> Problem:
    return Problem(Code.BAD_RULESET, where, {"why": why, **params})


def _unless(fits: Callable[[Any], bool], why: str, **params: object) -> Check:
    def check(where: str, value: Any) -> Problems:
        return () if fits(value) else (_bad(where, why, **params),)

    return check


def _whole(least: int, most: int) -> Shape:
    return INTEGER.also(
        _unless(lambda value: least <= value <= most, "out-of-range", least=least, most=most),
        {"type": "integer", "minimum": least, "maximum": most},
    )


def _one_of(names: Iterable[str]) -> Shape:
    allowed = list(names)

    def check(where: str, value: Any) -> Problems:
        if value not in allowed:
            yield _bad(where, "unknown", got=value, allowed=allowed)

    return TEXT.also(check, {"enum": allowed})


def _check_format(where: str, value: Any) -> Problems:
    if value != RULESET_FORMAT:
        yield Problem(Code.UNKNOWN_FORMAT, where, {"expected": RULESET_FORMAT})


# Shapes of values that contain others.


def _list(item: Shape, most: int) -> Shape:
    items = listed(item, at="{}.{}")

    def check(where: str, value: Any) -> Problems:
        if isinstance(value, list) and len(value) > most:
            return [_bad(where, "too-many", most=most)]
        return items.check(where, value)

    return replace(items, check=check, schema={**items.schema, "maxItems": most})


def _names(*groups: Iterable[str]) -> Shape:
    allowed = [name for group in groups for name in group]
    schema = {"type": "array", "items": {"enum": allowed}, "uniqueItems": True}
    repeated = _unless(lambda value: len(set(value)) == len(value), "repeated")
    return _list(_one_of(allowed), len(allowed)).also(repeated, schema)


def _table(key: Shape, item: Shape, schema: Schema, order: Iterable[str] | None = None) -> Shape:
    """An object whose names are checked too, read in our own order: databases keep none."""
    known = None if order is None else list(order)

    def check_keys(where: str, value: Any) -> Problems:
        for name in value:
            yield from key.check(below(where, name), name)

    def check_items(where: str, value: Any) -> Problems:
        for name, content in value.items():
            yield from item.check(below(where, name), content)

    def read(value: Any) -> Mapping[str, Any]:
        names = value if known is None else [name for name in known if name in value]
        return MappingProxyType({name: item.read(value[name]) for name in names})

    return replace(OBJECT.also(check_keys).also(check_items, schema), read=read)


def _object(table: Mapping[str, Shape], required: Iterable[str], make: Callable[..., Any]) -> Shape:
    return entries.fields(table, tuple(required), make, strangers_first=True)


def _null_last(shape: Shape) -> Shape:
    return or_null(shape).with_schema({"oneOf": [shape.schema, {"type": "null"}]})


_ID = TEXT.also(
    _unless(
        lambda value: len(value) <= LONGEST_ID and bool(entries.SLUG.fullmatch(value)),
        "no-id",
        most=LONGEST_ID,
    ),
    {
        "description": "Small letters, digits and single hyphens.",
        "type": "string",
        "maxLength": LONGEST_ID,
        "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
    },
)
_TEXT = replace(
    TEXT.also(
        _unless(lambda value: len(value) <= LONGEST_NAME, "too-long", most=LONGEST_NAME),
        {
            "type": "string",
            "maxLength": LONGEST_NAME,
            "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
        },
    ),
    read=str.strip,
)
_POINTS = WORTH.also(
    _unless(
        lambda value: (
            -LARGEST_VALUE <= (number := number_of(value) or 0) <= LARGEST_VALUE
            and number.denominator <= FINEST_PART
        ),
        "out-of-range",
        least=-LARGEST_VALUE,
        most=LARGEST_VALUE,
    ),
    {
        "description": 'A whole number, or a string such as "-9/2".',
        "oneOf": [
            {"type": "integer", "minimum": -LARGEST_VALUE, "maximum": LARGEST_VALUE},
            {"type": "string", "pattern": POINTS_PATTERN},
        ],
    },
)
_SETTING = plain(
    "string, integer, true or false",
    lambda value: is_text(value) or isinstance(value, int),
    {"type": ["string", "integer", "boolean"]},
)
_FROM_ONE = _whole(1, LARGEST_COUNT)


def _setting_schema(option: Option) -> Schema:
    if option.kind == "one-of":
        return {"enum": list(option.values)}
    return _FROM_ONE.schema if option.kind == "count" else {"type": ["integer", "string"]}


_SETTINGS = _table(
    _one_of(SETTINGS),
    _SETTING,
    object_schema({name: _setting_schema(option) for name, option in SETTINGS.items()}, ()),
    SETTINGS,
)

# Defined once in the document and referenced.
ID, POINTS = _ID.named("id"), _POINTS.named("points")
NAME = _TEXT.named("text").about("For people.")
SETTINGS_OF = _SETTINGS.named("settings")

CONTRACT = _object(
    {
        "id": ID,
        "name": NAME,
        "kind": ID.about("What quotas count."),
        "values": _table(
            _one_of(UNITS), POINTS, object_schema(dict.fromkeys(UNITS, POINTS.schema), ()), UNITS
        ).about("Points for each unit taken."),
        "quota": _null_last(_FROM_ONE).about("How often in a game; null: no limit."),
        "quota_each": _null_last(_FROM_ONE).about("How often by one side."),
        "scoring": _one_of(SCORINGS),
        "may_end_early": SWITCH,
        "replay_one_each": SWITCH,
        "trumps": _names(SUITS, (NO_TRUMP,)),
        "fields": _names(NAMES),
        "redeals": _names(REDEAL_SWITCHES),
        "badges": _names(IN_A_DEAL),
        "prizes": _list(POINTS, MOST_SEATS),
        "cappotto": SWITCH,
        "named": SWITCH,
        "declared": SWITCH,
    },
    ("id", "kind", "values"),
    Contract,
)
STAGE = _object(
    {"deals": _FROM_ONE, "contracts": _list(ID, MOST_CONTRACTS)}, ("deals", "contracts"), Stage
)
OPTION = _object(
    {
        "setting": _one_of(SETTINGS),
        "values": _list(_SETTING, MOST_CONTRACTS),
        "kind": _one_of(OPTION_KINDS),
    },
    ("setting",),
    Option,
)
IMPLIED = _object(
    {"setting": _one_of(SETTINGS), "value": _SETTING, "settings": SETTINGS_OF},
    ("setting", "value", "settings"),
    dict,
)


def _read_implied(value: Any) -> Mapping[str, Mapping[Any, Mapping[str, Any]]]:
    implied: dict[str, dict[Any, Mapping[str, Any]]] = {}
    for follows in map(IMPLIED.read, value):
        implied.setdefault(follows["setting"], {})[follows["value"]] = follows["settings"]
    return MappingProxyType(
        {name: MappingProxyType(by_value) for name, by_value in implied.items()}
    )


def _make_ruleset(*, contracts: tuple[Contract, ...], **found: Any) -> Ruleset:
    del found["format"]
    quotas = found.pop("quotas", {})
    kinds = dict.fromkeys(c.kind for c in contracts if c.kind in quotas)
    in_order = {kind: quotas[kind] for kind in (*kinds, *quotas)}
    return Ruleset(contracts=contracts, quotas=MappingProxyType(in_order), **found)


RULESET = _object(
    {
        "format": TEXT.also(_check_format, {"const": RULESET_FORMAT}),
        "id": ID,
        "name": NAME,
        "family": ID,
        "contracts": _list(CONTRACT.named("contract"), MOST_CONTRACTS),
        "quotas": _table(
            ID,
            _FROM_ONE,
            {
                "type": "object",
                "propertyNames": ID.schema,
                "additionalProperties": _FROM_ONE.schema,
            },
        ).about("How many contracts of each kind one side declares."),
        "deals": _null_last(_FROM_ONE).about("Null: the game ends at a target."),
        "sides": _list(_whole(0, MOST_SEATS - 1), MOST_SEATS).about(
            "For each seat its side: players in turn, or pairs."
        ),
        "clockwise": SWITCH,
        "stages": _list(STAGE.named("stage"), MOST_CONTRACTS),
        "in_a_row": _FROM_ONE.about("Deals until the declarer changes."),
        "declares": _one_of(DECLARERS),
        "passes": SWITCH,
        "fields": _names(NAMES),
        "steps": _names(STEPS),
        "all_units": _names(UNITS),
        "settings": SETTINGS_OF,
        "options": _list(OPTION.named("option"), len(SETTINGS)),
        "implied": replace(_list(IMPLIED.named("implied"), MOST_CONTRACTS), read=_read_implied),
        "redeals": _names(REDEALS),
        "voids": _names(VOIDS),
        "badges": _names(AT_THE_END),
    },
    ("format", "id", "family", "contracts"),
    _make_ruleset,
)


def ruleset_schema() -> Schema:
    """Return the JSON Schema of a `kingscore-ruleset/1` document."""
    return {
        **head_schema("ruleset", RULESET_FORMAT),
        "description": "The rules of a game. The form only: whether every game of it comes to"
        " its end is told when it is read. What is left out has its default.",
        **RULESET.schema,
        "$defs": {
            "id": _ID.schema,
            "text": _TEXT.schema,
            "points": _POINTS.schema,
            "contract": CONTRACT.schema,
            "stage": STAGE.schema,
            "option": OPTION.schema,
            "settings": _SETTINGS.schema,
            "implied": IMPLIED.schema,
        },
    }
