"""Documents about seating: `kingscore-pairing/1` asks for it, `kingscore-seating/1` answers.

`seat_document` turns the one into the other. The rows of `PAIRING` and the schemas are below it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain
from typing import Any

from tournaments.engine.documents.shapes import TEXT, if_present
from tournaments.engine.pairing.field import (
    LARGEST_PRICE,
    Entrant,
    ImpossibleFixed,
    PairingField,
    PlayedRound,
    Weights,
)
from tournaments.engine.pairing.judging import Seating
from tournaments.engine.pairing.methods import (
    MOST_OFFERED,
    Alternative,
    Scale,
    draw_alternatives,
    seat_round,
)
from tournaments.engine.rules.entries import (
    LARGEST,
    LEAST,
    POINTS_SCHEMA,
    SMALL,
    SWITCH,
    Schema,
    Shape,
    fields,
    head_schema,
    is_integer,
    is_text,
    list_schema,
    listed,
    object_schema,
    or_null,
    plain,
    refer,
    whole,
    wrong_type,
)
from tournaments.engine.rules.rulesets import (
    Code,
    InvalidEntry,
    Problem,
    check_known,
    check_repeated,
    number_of,
    refuse,
    write_problem,
)

PAIRING_FORMAT = "kingscore-pairing/1"
SEATING_FORMAT = "kingscore-seating/1"
TABLE_SIZES = (2, 4)


def seat_document(document: Any) -> dict[str, Any]:
    """Return the seating of a pairing document, or its problems, as a document."""
    try:
        field, most = read_pairing(document), document.get("alternatives", 0)
        if not most:
            return write_seating(seat_round(field, "swiss"))
        scale, found = draw_alternatives(
            [field], lambda weights: seat_round(replace(field, weights=weights), "swiss"), most
        )
        return write_seating(found[0].seating) | write_alternatives(scale, found)
    except InvalidEntry as invalid:
        return write_refusal(invalid.problems)
    except ImpossibleFixed:
        return write_refusal([Problem(Code.IMPOSSIBLE_FIXED, "fixed")])


def read_pairing(document: Any) -> PairingField:
    """Read the field of a `kingscore-pairing/1` document.

    Raises:
        InvalidEntry: with every problem of the form, or if the form is valid, of the content;
            `where` is the path of the field.
    """
    refuse(PAIRING.problems(document))
    refuse(_check_sense(document, document.get("table_size", 4)))
    field: PairingField = PAIRING.read(document)
    return field


def write_seating(seating: Seating) -> dict[str, Any]:
    quality = seating.quality
    return {
        "format": SEATING_FORMAT,
        "tables": [list(table) for table in seating.tables],
        "byes": list(seating.byes),
        "quality": {
            "repeat_meetings": quality.repeat_meetings,
            "repeat_bound": quality.repeat_bound,
            "score_spread": round(float(quality.score_spread), 2),
            "seat_imbalance": quality.seat_imbalance,
            "avoided_met": quality.avoided_met,
            "same_club": quality.same_club,
        },
        "why": {
            name: [{"code": reason.code, "params": dict(reason.params)} for reason in why]
            for name, why in seating.why.items()
        },
        "seed": seating.seed,
    }


def write_alternatives(scale: Scale, found: Iterable[Alternative]) -> dict[str, Any]:
    """Return the part of a seating that lists the alternatives that were asked for."""
    return {
        "spread_by_lot": round(float(scale.by_lot), 2),
        "spread_nearest": round(float(scale.nearest), 2),
        "alternatives": [
            {
                "weights": asdict(each.weights),
                "as_by_lot": scale.is_as_by_lot(each.spread),
                **{
                    name: value
                    for name, value in write_seating(each.seating).items()
                    if name in ("tables", "byes", "quality")
                },
            }
            for each in found
        ],
    }


def write_refusal(problems: Iterable[Problem]) -> dict[str, Any]:
    """Return the document that reports problems in place of a seating."""
    found = list(map(write_problem, problems))
    return {"format": SEATING_FORMAT, "valid": False, "problems": found}


def _check_sense(document: Mapping[str, Any], size: int) -> Iterator[Problem]:
    names = [entrant["id"] for entrant in document["entrants"]]
    if size not in TABLE_SIZES:
        yield Problem(Code.ODD_TABLE, "table_size", {"expected": "2, 4", "got": size})
        return
    if len(names) < size:
        yield Problem(Code.TOO_FEW_ENTRANTS, "entrants", {"expected": size, "got": len(names)})
    yield from check_repeated("entrants", names)
    for number, played in enumerate(document.get("rounds", ())):
        for at, table in enumerate(played["tables"]):
            if len(table) != size:
                where = f"rounds[{number}].tables[{at}]"
                yield Problem(Code.ODD_TABLE, where, {"expected": size, "got": len(table)})
        everybody = [*chain.from_iterable(played["tables"]), *played.get("byes", ())]
        yield from check_repeated(f"rounds[{number}]", everybody)
    yield from _check_groups(document, "avoid", set(names), (2, 2))
    yield from _check_groups(document, "fixed", set(names), (2, size))


def _check_groups(
    document: Mapping[str, Any], field: str, names: set[str], sizes: tuple[int, int]
) -> Iterator[Problem]:
    for number, group in enumerate(document.get(field, ())):
        where = f"{field}[{number}]"
        yield from check_repeated(where, group)
        yield from check_known(where, group, names)
        if not sizes[0] <= len(group) <= sizes[1]:
            code = Code.IMPOSSIBLE_FIXED if field == "fixed" else Code.WRONG_TYPE
            yield Problem(code, where, {"expected": "list of two", "got": len(group)})


def _check_format(value: Any) -> Sequence[Problem]:
    wrong = [] if is_text(value) else [wrong_type("", "string")]
    unknown = Problem(Code.UNKNOWN_FORMAT, "", {"expected": PAIRING_FORMAT})
    return wrong if value == PAIRING_FORMAT else [*wrong, unknown]


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_text, value))


def is_score(value: Any) -> bool:
    score = number_of(value)
    return score is not None and LEAST < score < LARGEST


def _is_count(value: Any) -> bool:
    return is_integer(value) and value >= 0


def _entrant(**found: Any) -> Entrant:
    """Build an entrant; its rating does not affect the seating."""
    found.pop("rating", None)
    return Entrant(**found)


def _pairing_field(**found: Any) -> PairingField:
    del found["format"]
    found.pop("alternatives", None)
    return PairingField(**found)


def _names(**sizes: int) -> Schema:
    return {"type": "array", "items": refer("text"), "uniqueItems": True, **sizes}


NAME: Schema = {**refer("text"), "minLength": 1}
INTEGER: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
TABLE: Schema = _names(minItems=TABLE_SIZES[0], maxItems=TABLE_SIZES[-1])
TWO: Schema = _names(minItems=2, maxItems=2)
NAMES = "list of strings"

ENTRANT = fields(
    {
        "id": plain("string", lambda value: is_text(value) and value != "", NAME),
        "score": plain('integer or "p/q"', is_score, POINTS_SCHEMA, number_of),
        "club": plain("string", is_text, refer("text")),
        "table": whole(0, SMALL),
        "rating": plain(
            "number",
            lambda value: isinstance(value, int | float) and not isinstance(value, bool),
            {"type": "number"},
        ).optional(),
    },
    Entrant,
    _entrant,
)
ROUND = fields(
    {
        "tables": plain(
            "list of lists",
            lambda value: isinstance(value, list) and all(map(_is_names, value)),
            list_schema(TABLE),
            lambda value: tuple(map(tuple, value)),
        ),
        "byes": plain(NAMES, _is_names, _names(), tuple),
    },
    PlayedRound,
)
PRICE = whole(0, LARGEST_PRICE)
WEIGHTS = fields(
    {
        "repeat": or_null(PRICE),
        "last_repeat": or_null(PRICE),
        "seat": PRICE,
        "leaders": PRICE,
        "last_leaders": PRICE,
    },
    Weights,
)
PAIRING = fields(
    {
        "format": Shape(_check_format, {"const": PAIRING_FORMAT}),
        "table_size": plain("integer", is_integer, {"enum": list(TABLE_SIZES)}),
        "seed": plain("integer", is_integer, INTEGER),
        "entrants": listed(ENTRANT),
        "rounds": listed(ROUND),
        "rounds_left": plain("integer", _is_count, COUNT),
        "avoid": listed(plain(NAMES, _is_names, TWO, tuple)),
        "fixed": listed(plain(NAMES, _is_names, TABLE, tuple)),
        "separate_clubs": SWITCH,
        "score_before_seats": SWITCH,
        "weights": WEIGHTS,
        "alternatives": whole(0, MOST_OFFERED).optional(),
    },
    PairingField,
    _pairing_field,
)

QUALITY = ("repeat_meetings", "repeat_bound", "seat_imbalance", "avoided_met", "same_club")
REASONS: Mapping[str, tuple[str, ...]] = {
    "fixed": ("with",),
    "score-group": ("rank",),
    "met-before": ("players", "times"),
    "not-met": ("tables",),
    "seat": ("seat", "times"),
    "fewest-byes": ("byes", "rounds"),
    "lowest-score": ("lower",),
}
"""The reasons for a table or for a bye, with their parameters: whole numbers from 0."""


def pairing_schema() -> Schema:
    small, large = TABLE_SIZES
    return {
        **head_schema("pairing", PAIRING_FORMAT),
        "description": "Who is to be seated, and what the seating depends on. What is left out"
        " has its default. The form only: who may be named where is checked when it is read.",
        **PAIRING.schema,
        "if": {**if_present("table_size", {"const": small}), "required": ["table_size"]},
        "then": _of_size(small),
        "else": _of_size(large),
        "$defs": {"text": TEXT},
    }


def _of_size(size: int) -> Schema:
    """The conditions for one table size: enough entrants, full earlier tables, groups that fit."""
    tables = if_present("tables", {"items": {"minItems": size, "maxItems": size}})
    return {
        "properties": {
            "entrants": {"minItems": size},
            "rounds": {"items": tables},
            "fixed": {"items": {"maxItems": size}},
        }
    }


SEATING: Schema = {
    "format": {"const": SEATING_FORMAT},
    "tables": {
        "description": "The ids of entrants in order of seats.",
        "type": "array",
        "minItems": 1,
        "oneOf": [{"items": _names(minItems=size, maxItems=size)} for size in TABLE_SIZES],
    },
    "byes": {"description": "Who sits out.", **_names()},
    "quality": refer("quality"),
    "why": {
        "description": "The reasons for each entrant, also for those who sit out.",
        "type": "object",
        "propertyNames": NAME,
        "additionalProperties": {**list_schema(refer("reason")), "minItems": 1},
    },
    "seed": INTEGER,
}
SPREAD: Schema = {
    "description": "Mean over the tables of highest minus lowest score, to 2 decimals.",
    "type": "number",
    "minimum": 0,
}
CHOICE: Schema = {
    "spread_by_lot": SPREAD,
    "spread_nearest": SPREAD,
    "alternatives": {
        "description": "The seatings to choose from, the one of the document first.",
        **list_schema(
            object_schema(
                {
                    "weights": WEIGHTS.schema,
                    "as_by_lot": {"type": "boolean"},
                    **{name: SEATING[name] for name in ("tables", "byes", "quality")},
                }
            )
        ),
        "minItems": 1,
        "maxItems": MOST_OFFERED,
    },
}
PROBLEM: Schema = {
    "entry": {"type": "null"},
    "code": {"enum": list(map(str, Code))},
    "where": {"description": "Path of the field at fault.", "type": "string"},
    "params": {"type": "object"},
}
REFUSAL: Schema = {
    "format": {"const": SEATING_FORMAT},
    "valid": {"const": False},
    "problems": {**list_schema(object_schema(PROBLEM)), "minItems": 1},
}


def seating_schema() -> Schema:
    return {
        **head_schema("seating", SEATING_FORMAT),
        "description": "Who sits where in the next round, how good that is and why; or what is"
        " wrong with the document that asked for it.",
        "oneOf": [refer("seating"), refer("refusal")],
        "$defs": {
            "text": TEXT,
            "count": COUNT,
            "seating": object_schema({**SEATING, **CHOICE}, SEATING),
            "quality": object_schema(
                {"score_spread": SPREAD} | dict.fromkeys(QUALITY, refer("count"))
            ),
            "reason": {"oneOf": [_reason(code) for code in REASONS]},
            "refusal": object_schema(REFUSAL),
        },
    }


def _reason(code: str) -> Schema:
    params = object_schema(dict.fromkeys(REASONS[code], refer("count")))
    return object_schema({"code": {"const": code}, "params": params})
