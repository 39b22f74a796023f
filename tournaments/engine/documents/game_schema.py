"""The published JSON Schema of `kingscore-game/1`, built from the tables of the games.

JSON Schema (Draft 2020-12) describes the form only: the fields of each game and their values, not
whether the deals are possible. A new game needs no change here.
"""

from collections.abc import Iterator, Sequence

from tournaments.engine.documents.entry_records import FORMS
from tournaments.engine.documents.entry_schema import any_entry, entry_form, of_type
from tournaments.engine.documents.record_shapes import (
    NAME,
    NONZERO_POINTS,
    TEXT,
    Definitions,
    option_shape,
    where,
)
from tournaments.engine.documents.records import GAME_FORMAT, HEAD
from tournaments.engine.play.games import (
    allowed_anywhere,
    needed_fields,
    redeal_reasons,
    trumps_anywhere,
)
from tournaments.engine.rules.entry_shapes import TableShape, seat
from tournaments.engine.rules.rulesets import Ruleset, Setting
from tournaments.engine.rules.shapes import Schema, head_schema
from tournaments.engine.variants import RULESETS


def game_schema() -> Schema:
    """Return the schema of a `kingscore-game/1` document."""
    shared = Definitions({"text": TEXT, "name": NAME, "points": NONZERO_POINTS})
    return {
        **head_schema("game", GAME_FORMAT),
        "description": "One game at one table. The form only: whether the deals could have been"
        " played is told by a kingscore-result/1 document. A whole number is written without a"
        " decimal point.",
        **HEAD.schema,
        "dependentSchemas": {
            "ruleset": {"allOf": [_game_of_a_house(shared), *_games_of_the_rules(shared)]}
        },
        "$defs": shared.by_name,
    }


def _games_of_the_rules(shared: Definitions) -> Iterator[Schema]:
    """The conditions of each ruleset for its games; rulesets with equal conditions are grouped."""
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


# The fields that a table with a ruleset may write.


def _game_form(ruleset: Ruleset, shared: Definitions) -> Schema:
    """The conditions of a ruleset for the head and the entries of its records."""
    form: Schema = {
        "properties": {
            "options": {
                "additionalProperties": False,
                "properties": {o.setting: option_shape(o) for o in ruleset.options},
            },
            "players": {"minItems": ruleset.seats, "maxItems": ruleset.seats},
            "first_declarer": seat(TableShape.of(ruleset)).schema,
            "entries": {"items": shared.define(f"{ruleset.id}.entry", entry_form(ruleset, shared))},
        }
    }
    if chosen := list(_by_options(ruleset)):
        form |= shared.define(f"{ruleset.id}.options", {"allOf": chosen})
    return form


# Conditions that depend on the options.


def _by_options(ruleset: Ruleset) -> Iterator[Schema]:
    """Yield the fields that each value of an option forbids or requires in entries."""
    for option in ruleset.options:
        ways = {value: ruleset.with_options({option.setting: value}) for value in option.values}
        for value, way in ways.items():
            if narrowed := _narrowed(way, list(ways.values())):
                default = value == ruleset.settings.get(option.setting)
                condition = _option_is(option.setting, value, default=default)
                yield {"if": condition, "then": where("entries", {"items": narrowed})}


def _option_is(setting: str, value: Setting, *, default: bool) -> Schema:
    """Match tables that play by a value of an option; the default may be left out."""
    chosen = where(setting, {"const": value})
    if default:
        return where("options", chosen)
    return {**where("options", {**chosen, "required": [setting]}), "required": ["options"]}


def _narrowed(way: Ruleset, ways: Sequence[Ruleset]) -> Schema:
    """Return the fields that an entry cannot have, or must have, at one of the tables."""
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
