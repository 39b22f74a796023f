"""The documents of a seating: `kingscore-pairing/1` in, `kingscore-seating/1` out.

Both are described in `docs/records.md` §2.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain
from typing import Any

from tournaments.engine.entry_records import is_integer, is_text, missing, wrong_type
from tournaments.engine.pairing.byes import ImpossibleFixed
from tournaments.engine.pairing.draw import draw_round
from tournaments.engine.pairing.field import Entrant, Field, PlayedRound
from tournaments.engine.pairing.judging import Seating
from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.rulesets import number_of

PAIRING_FORMAT = "kingscore-pairing/1"
SEATING_FORMAT = "kingscore-seating/1"
TABLE_SIZES = (2, 4)

SHAPE: Mapping[str, tuple[type, str]] = {
    "format": (str, "string"),
    "table_size": (int, "integer"),
    "seed": (int, "integer"),
    "entrants": (list, "list of objects"),
    "rounds": (list, "list of objects"),
    "rounds_left": (int, "integer"),
    "avoid": (list, "list of lists"),
    "fixed": (list, "list of lists"),
    "separate_clubs": (bool, "true or false"),
}
REQUIRED = ("format", "entrants")


def seat_document(document: Any) -> dict[str, Any]:
    """The seating of a pairing document, or what is wrong with it, as a document."""
    try:
        return write_seating(draw_round(read_pairing(document)))
    except InvalidEntry as invalid:
        return write_refusal(invalid.problems)
    except ImpossibleFixed:
        return write_refusal([Problem(Code.IMPOSSIBLE_FIXED, "fixed")])


def read_pairing(document: Any) -> Field:
    """The field of a `kingscore-pairing/1` document.

    Raises:
        InvalidEntry: with every problem; `where` is the path of the field.
    """
    _refuse(_check_shape(document))
    _refuse(_check_parts(document))
    size = document.get("table_size", 4)
    _refuse(_check_sense(document, size))
    return Field(
        entrants=tuple(_entrant(each) for each in document["entrants"]),
        rounds=tuple(
            PlayedRound(tuple(map(tuple, each["tables"])), tuple(each.get("byes", ())))
            for each in document.get("rounds", ())
        ),
        rounds_left=document.get("rounds_left", 1),
        avoid=tuple((one, other) for one, other in document.get("avoid", ())),
        fixed=tuple(map(tuple, document.get("fixed", ()))),
        table_size=size,
        separate_clubs=document.get("separate_clubs", False),
        seed=document.get("seed", 0),
    )


def write_seating(seating: Seating) -> dict[str, Any]:
    """A seating as a `kingscore-seating/1` document."""
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


def write_refusal(problems: Iterable[Problem]) -> dict[str, Any]:
    """What stands in place of a seating where there can be none."""
    found = [
        {"entry": None, "code": p.code, "where": p.where, "params": dict(p.params)}
        for p in problems
    ]
    return {"format": SEATING_FORMAT, "valid": False, "problems": found}


def _refuse(problems: Iterable[Problem]) -> None:
    found = list(problems)
    if found:
        raise InvalidEntry(found)


def _check_shape(document: Any) -> Iterator[Problem]:
    if not isinstance(document, dict):
        yield wrong_type("", "object")
        return
    yield from (missing(name) for name in REQUIRED if name not in document)
    for name, value in document.items():
        if name not in SHAPE:
            yield Problem(Code.UNEXPECTED_FIELD, name, {"field": name})
        elif type(value) is not SHAPE[name][0] or (SHAPE[name][0] is int and not is_integer(value)):
            yield wrong_type(name, SHAPE[name][1])
    if document.get("format", PAIRING_FORMAT) != PAIRING_FORMAT:
        yield Problem(Code.UNKNOWN_FORMAT, "format", {"expected": PAIRING_FORMAT})


def _check_parts(document: Mapping[str, Any]) -> Iterator[Problem]:
    for number, entrant in enumerate(document["entrants"]):
        yield from _check_entrant(f"entrants[{number}]", entrant)
    for number, played in enumerate(document.get("rounds", ())):
        yield from _check_round(f"rounds[{number}]", played)
    for name in ("avoid", "fixed"):
        for number, group in enumerate(document.get(name, ())):
            if not _is_names(group):
                yield wrong_type(f"{name}[{number}]", "list of strings")
    if document.get("rounds_left", 1) < 0:
        yield wrong_type("rounds_left", "integer")


def _check_entrant(where: str, entrant: Any) -> Iterator[Problem]:
    if not isinstance(entrant, dict):
        yield wrong_type(where, "object")
        return
    if "id" not in entrant:
        yield Problem(Code.MISSING_FIELD, f"{where}.id", {"field": "id"})
    elif not is_text(entrant["id"]) or not entrant["id"]:
        yield wrong_type(f"{where}.id", "string")
    if number_of(entrant.get("score", 0)) is None:
        yield wrong_type(f"{where}.score", 'integer or "p/q"')
    if not is_text(entrant.get("club", "")):
        yield wrong_type(f"{where}.club", "string")
    rating = entrant.get("rating", 0)
    if isinstance(rating, bool) or not isinstance(rating, int | float):
        yield wrong_type(f"{where}.rating", "integer")
    for name in entrant.keys() - {"id", "score", "club", "rating"}:
        yield Problem(Code.UNEXPECTED_FIELD, f"{where}.{name}", {"field": name})


def _check_round(where: str, played: Any) -> Iterator[Problem]:
    if not isinstance(played, dict):
        yield wrong_type(where, "object")
        return
    if "tables" not in played:
        yield Problem(Code.MISSING_FIELD, f"{where}.tables", {"field": "tables"})
    tables = played.get("tables", [])
    if not isinstance(tables, list) or not all(map(_is_names, tables)):
        yield wrong_type(f"{where}.tables", "list of lists")
    if not _is_names(played.get("byes", [])):
        yield wrong_type(f"{where}.byes", "list of strings")
    for name in played.keys() - {"tables", "byes"}:
        yield Problem(Code.UNEXPECTED_FIELD, f"{where}.{name}", {"field": name})


def _check_sense(document: Mapping[str, Any], size: int) -> Iterator[Problem]:
    """What can only be said of a document whose parts are what they should be."""
    names = [entrant["id"] for entrant in document["entrants"]]
    if size not in TABLE_SIZES:
        yield Problem(Code.ODD_TABLE, "table_size", {"expected": "2, 4", "got": size})
        return
    if len(names) < size:
        yield Problem(Code.TOO_FEW_ENTRANTS, "entrants", {"expected": size, "got": len(names)})
    yield from _twice("entrants", names)
    for number, played in enumerate(document.get("rounds", ())):
        for at, table in enumerate(played["tables"]):
            if len(table) != size:
                where = f"rounds[{number}].tables[{at}]"
                yield Problem(Code.ODD_TABLE, where, {"expected": size, "got": len(table)})
        everybody = [*chain.from_iterable(played["tables"]), *played.get("byes", ())]
        yield from _twice(f"rounds[{number}]", everybody)
    yield from _check_groups(document, "avoid", set(names), (2, 2))
    yield from _check_groups(document, "fixed", set(names), (2, size))


def _check_groups(
    document: Mapping[str, Any], field: str, names: set[str], sizes: tuple[int, int]
) -> Iterator[Problem]:
    for number, group in enumerate(document.get(field, ())):
        where = f"{field}[{number}]"
        yield from _twice(where, group)
        for name in group:
            if name not in names:
                yield Problem(Code.UNKNOWN_ENTRANT, where, {"entrant": name})
        if not sizes[0] <= len(group) <= sizes[1]:
            code = Code.IMPOSSIBLE_FIXED if field == "fixed" else Code.WRONG_TYPE
            yield Problem(code, where, {"expected": "list of two", "got": len(group)})


def _twice(where: str, names: Iterable[str]) -> Iterator[Problem]:
    for name, times in Counter(names).items():
        if times > 1:
            yield Problem(Code.DUPLICATE_ENTRANT, where, {"entrant": name})


def _entrant(raw: Mapping[str, Any]) -> Entrant:
    score = number_of(raw.get("score", 0))
    return Entrant(raw["id"], Fraction(0) if score is None else score, raw.get("club", ""))


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_text, value))
