"""The portable ruleset: `kingscore-ruleset/1` read strictly, checked, written and published.

The document names strategies from the closed lists of the engine. A field with a default may be
left out, and is written only if it differs. So a document stays readable when rulesets get new
fields.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from types import MappingProxyType
from typing import Any

from tournaments.engine.play.games import FINEST_PART, REDEAL_SWITCHES
from tournaments.engine.play.outcomes import AT_THE_END, IN_A_DEAL
from tournaments.engine.play.ruleset_checks import SETTINGS, check_ruleset
from tournaments.engine.rules import entries
from tournaments.engine.rules.entries import (
    INTEGER,
    LIST,
    NO_TRUMP,
    OBJECT,
    POINTS_PATTERN,
    REDEALS,
    SLUG,
    SWITCH,
    TEXT,
    VOIDS,
    WORTH,
    Schema,
    Shape,
    head_schema,
    is_text,
    listed,
    mapping,
    object_schema,
    or_null,
    plain,
    within,
    write_value,
)
from tournaments.engine.rules.fields import NAMES, STEPS
from tournaments.engine.rules.rulesets import (
    LARGEST_COUNT,
    LONGEST_ID,
    LONGEST_NAME,
    MOST_SEATS,
    OPTION_KINDS,
    PLACES,
    RANKS,
    SUITS,
    TALONS,
    UNITS,
    Code,
    Contract,
    Option,
    Pack,
    Problem,
    Ruleset,
    Stage,
    cards_of,
    number_of,
    refuse,
)
from tournaments.engine.rules.scoring import SCORINGS

RULESET_FORMAT = "kingscore-ruleset/1"

MOST_CONTRACTS = 40
LARGEST_VALUE = 1_000_000

DECLARERS = ("turn", "pair")


def read_ruleset(document: Any, where: str = "", *, stored: bool = False) -> Ruleset:
    """Read the ruleset of a `kingscore-ruleset/1` document; every game of it can be played.

    One that is `stored` may be of a version that checked less.

    Raises: InvalidEntry: with every problem, each at its path below `where`.
    """
    ruleset: Ruleset = RULESET.load(document, where)
    if not stored:
        refuse(within(f"{where}." if where else "", check_ruleset(ruleset)))
    return ruleset


def write_ruleset(ruleset: Ruleset) -> dict[str, Any]:
    """Return a ruleset as a `kingscore-ruleset/1` document; `read_ruleset` reads it back."""
    return {"format": RULESET_FORMAT, **_write(ruleset)}


def _write(thing: Any) -> Any:
    if isinstance(thing, tuple):
        return list(map(_write, thing))
    if not isinstance(thing, Ruleset | Contract | Option | Stage | Pack):
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


def _bad(why: str, **params: object) -> Problem:
    return Problem(Code.BAD_RULESET, "", {"why": why, **params})


def _whole(least: int, most: int) -> Shape:
    return INTEGER.limited(
        lambda value: least <= value <= most,
        _bad("out-of-range", least=least, most=most),
        {"type": "integer", "minimum": least, "maximum": most},
    )


def _one_of(names: Iterable[str]) -> Shape:
    allowed = list(names)

    def check(value: Any) -> Sequence[Problem]:
        return () if value in allowed else (_bad("unknown", got=value, allowed=allowed),)

    return TEXT.also(check, {"enum": allowed})


_ID = TEXT.limited(
    lambda value: len(value) <= LONGEST_ID and bool(SLUG.fullmatch(value)),
    _bad("no-id", most=LONGEST_ID),
    {
        "description": "Small letters, digits and single hyphens.",
        "type": "string",
        "maxLength": LONGEST_ID,
        "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
    },
)
_TEXT = replace(
    TEXT.limited(
        lambda value: len(value) <= LONGEST_NAME,
        _bad("too-long", most=LONGEST_NAME),
        {
            "type": "string",
            "maxLength": LONGEST_NAME,
            "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
        },
    ),
    read=str.strip,
)
_POINTS = WORTH.limited(
    lambda value: (
        -LARGEST_VALUE <= (number := number_of(value) or 0) <= LARGEST_VALUE
        and number.denominator <= FINEST_PART
    ),
    _bad("out-of-range", least=-LARGEST_VALUE, most=LARGEST_VALUE),
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


# Shapes of values that contain others.


def _list(item: Shape, most: int) -> Shape:
    items = listed(item, at=".{}")
    few = LIST.limited(lambda value: len(value) <= most, _bad("too-many", most=most))
    return replace(few.also(items.check, {**items.schema, "maxItems": most}), read=items.read)


def _names(*groups: Iterable[str]) -> Shape:
    allowed = [name for group in groups for name in group]
    return _list(_one_of(allowed), len(allowed)).limited(
        lambda value: len(set(value)) == len(value),
        _bad("repeated"),
        {"type": "array", "items": {"enum": allowed}, "uniqueItems": True},
    )


def _table(key: Shape, item: Shape, schema: Schema, order: Iterable[str] | None = None) -> Shape:
    """An object with checked keys, read in the order of its keys: JSON in databases has none."""
    known = None if order is None else list(order)

    def check_names(value: Any) -> Sequence[Problem]:
        return [problem for name in value for problem in within(f".{name}", key.check(name))]

    def read(value: Any) -> Mapping[str, Any]:
        names = value if known is None else [name for name in known if name in value]
        return MappingProxyType({name: item.read(value[name]) for name in names})

    return replace(OBJECT.also(check_names).also(mapping(item, {}).check, schema), read=read)


def _object(
    table: Mapping[str, Shape], kind: type = dict, make: Callable[..., Any] | None = None
) -> Shape:
    return entries.fields(table, kind, make, strangers_first=True)


def _null_last(shape: Shape) -> Shape:
    return or_null(shape).with_schema({"oneOf": [shape.schema, {"type": "null"}]})


def _setting_schema(option: Option) -> Schema:
    if option.kind == "one-of":
        return {"enum": list(option.values)}
    if option.kind == "number":
        return _whole(0, LARGEST_COUNT).schema
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
        "base": POINTS.about("Points for every side in each deal."),
        "may_end_early": SWITCH,
        "replay_one_each": SWITCH,
        "trumps": _names(SUITS, (NO_TRUMP,)),
        "fields": _names(NAMES),
        "redeals": _names(REDEAL_SWITCHES),
        "badges": _names(IN_A_DEAL),
        "prizes": _list(POINTS, MOST_SEATS),
        "leads": _one_of(PLACES).about("Who plays the first card; only shown."),
        "cappotto": SWITCH,
        "named": SWITCH,
        "declared": SWITCH,
    },
    Contract,
)
PACK = _object(
    {
        "ranks": _names(RANKS).about("In every suit, rising."),
        "suits": _names(SUITS),
        "without": _names(sorted(cards_of())).about("Cards that every pack lacks."),
        "packs": _whole(1, 2),
        "tricks": _FROM_ONE.about("The cards in each hand: as many as there are, if left out."),
        "talon": _one_of(TALONS).about("Who gets the cards left over."),
    },
    Pack,
)
STAGE = _object({"deals": _FROM_ONE, "contracts": _list(ID, MOST_CONTRACTS)}, Stage)
OPTION = _object(
    {
        "setting": _one_of(SETTINGS),
        "values": _list(_SETTING, MOST_CONTRACTS),
        "kind": _one_of(OPTION_KINDS),
    },
    Option,
)
IMPLIED = _object({"setting": _one_of(SETTINGS), "value": _SETTING, "settings": SETTINGS_OF})


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
        "format": TEXT.limited(
            lambda value: value == RULESET_FORMAT,
            Problem(Code.UNKNOWN_FORMAT, "", {"expected": RULESET_FORMAT}),
            {"const": RULESET_FORMAT},
        ),
        "id": ID,
        "name": NAME,
        "family": ID,
        "pack": PACK.named("pack").about("Without it 13 tricks of 52 cards."),
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
    Ruleset,
    _make_ruleset,
)


def ruleset_schema() -> Schema:
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
            "pack": PACK.schema,
            "stage": STAGE.schema,
            "option": OPTION.schema,
            "settings": _SETTINGS.schema,
            "implied": IMPLIED.schema,
        },
    }
