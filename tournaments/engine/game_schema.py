"""The published JSON Schema of `kingscore-game/1`, built from the tables of the games.

JSON Schema (Draft 2020-12) tells the form only: which fields each game has and what they can
hold, not whether the deals could have been played. A new game needs no line here.
"""

from collections.abc import Iterator, Sequence

from tournaments.engine.allowances import (
    allowed_anywhere,
    needed_fields,
    redeal_reasons,
    trumps_anywhere,
)
from tournaments.engine.entry_records import FORMS
from tournaments.engine.entry_schema import any_entry, entry_form, of_type
from tournaments.engine.record_shapes import (
    ANY_TABLE,
    DIALECT,
    NAME,
    NONZERO_POINTS,
    TEXT,
    Definitions,
    Schema,
    Table,
    option_shape,
    refer,
    seat_shape,
    where,
)
from tournaments.engine.records import GAME_FORMAT, HEAD
from tournaments.engine.rulesets import Ruleset, Setting
from tournaments.engine.variants import RULESETS

RULESET_ID = "urn:kingscore:ruleset:1"


def game_schema() -> Schema:
    """The schema of a `kingscore-game/1` document."""
    shared = Definitions({"text": TEXT, "name": NAME, "points": NONZERO_POINTS})
    return {
        "$schema": DIALECT,
        "$id": "urn:kingscore:game:1",
        "title": GAME_FORMAT,
        "description": "One game at one table. The form only: whether the deals could have been"
        " played is told by a kingscore-result/1 document. A whole number is written without a"
        " decimal point.",
        "type": "object",
        "required": list(HEAD),
        "additionalProperties": False,
        "properties": _head(),
        "dependentSchemas": {
            "ruleset": {"allOf": [_game_of_a_house(shared), *_games_of_the_rules(shared)]}
        },
        "$defs": shared.by_name,
    }


def _games_of_the_rules(shared: Definitions) -> Iterator[Schema]:
    """What each ruleset says about its games; those that say the same stand together."""
    forms: dict[str, list[str]] = {}
    for ruleset in RULESETS.values():
        form = shared.define(ruleset.id, _game_form(ruleset, shared))
        forms.setdefault(form["$ref"], []).append(ruleset.id)
    for form_of_all, ids in forms.items():
        yield {"if": where("ruleset", {"enum": ids}), "then": {"$ref": form_of_all}}


def _game_of_a_house(shared: Definitions) -> Schema:
    entry = shared.define("entry", any_entry(shared))
    house = where("ruleset", {"type": "object"})
    return {"if": house, "then": where("entries", {"items": entry})}


def _head() -> Schema:
    """The fields of every game; each ruleset says more about some of them."""
    return {
        "format": {"const": GAME_FORMAT},
        "ruleset": {
            "description": "The id of a ruleset, or a kingscore-ruleset/1 document.",
            "type": ["string", "object"],
            "if": {"type": "string"},
            "then": {"enum": list(RULESETS)},
            "else": {"$ref": RULESET_ID},
        },
        "options": {
            "description": "What differs from the defaults of the ruleset; these may be stated.",
            "type": "object",
        },
        "players": {
            "description": "Different names, in seat order, which is the order of play.",
            "type": "array",
            "items": refer("name"),
            "minItems": ANY_TABLE.seats[0],
            "maxItems": ANY_TABLE.seats[1],
            "uniqueItems": True,
        },
        "first_declarer": {**seat_shape(ANY_TABLE), "default": 0},
        "title": refer("text"),
        "place": refer("text"),
        "played_at": {"description": "ISO 8601.", **refer("text")},
        "entries": {"type": "array"},
    }


# What a table may write down that plays by a ruleset.


def _game_form(ruleset: Ruleset, shared: Definitions) -> Schema:
    """What a ruleset says about the head and the entries of its records."""
    form: Schema = {
        "properties": {
            "options": {
                "additionalProperties": False,
                "properties": {o.setting: option_shape(o) for o in ruleset.options},
            },
            "players": {"minItems": ruleset.seats, "maxItems": ruleset.seats},
            "first_declarer": seat_shape(Table.of(ruleset)),
            "entries": {"items": shared.define(f"{ruleset.id}.entry", entry_form(ruleset, shared))},
        }
    }
    if chosen := list(_by_options(ruleset)):
        form |= shared.define(f"{ruleset.id}.options", {"allOf": chosen})
    return form


# What depends on the options.


def _by_options(ruleset: Ruleset) -> Iterator[Schema]:
    """What the entries cannot hold, or have to, with a value of an option."""
    for option in ruleset.options:
        ways = {value: ruleset.with_options({option.setting: value}) for value in option.values}
        for value, way in ways.items():
            if narrowed := _narrowed(way, list(ways.values())):
                default = value == ruleset.settings.get(option.setting)
                condition = _option_is(option.setting, value, default=default)
                yield {"if": condition, "then": where("entries", {"items": narrowed})}


def _option_is(setting: str, value: Setting, *, default: bool) -> Schema:
    """That a table plays by a value of an option, which it has to say unless it is the default."""
    chosen = where(setting, {"const": value})
    if default:
        return where("options", chosen)
    return {**where("options", {**chosen, "required": [setting]}), "required": ["options"]}


def _narrowed(way: Ruleset, ways: Sequence[Ruleset]) -> Schema:
    """What an entry cannot hold, or has to, at one of the tables."""
    every, own = allowed_anywhere(ways), allowed_anywhere([way])
    shapes: Schema = {name: False for name in FORMS["deal"].fields if name in every - own}
    if lost := trumps_anywhere(ways) - trumps_anywhere([way]):
        shapes["trump"] = {"not": {"enum": sorted(lost)}}
    by_type = list(_narrowed_by_type(way, ways))
    narrowed: Schema = {"properties": shapes} if shapes else {}
    return narrowed | ({"allOf": by_type} if by_type else {})


def _narrowed_by_type(way: Ruleset, ways: Sequence[Ruleset]) -> Iterator[Schema]:
    reasons = redeal_reasons([way])
    if len(reasons) < len(redeal_reasons(ways)):
        yield of_type("redeal", where("reason", {"enum": reasons}))
    if way.unnamed is not None:
        needed = needed_fields(way, way.unnamed)
        if any(len(needed_fields(other, way.unnamed)) < len(needed) for other in ways):
            yield of_type("deal", {"required": needed})
