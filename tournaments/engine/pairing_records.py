"""The documents of a seating: `kingscore-pairing/1` in, `kingscore-seating/1` out.

Both are described in `docs/records.md` §2; their forms are those of `pairing_schema`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain
from typing import Any

from tournaments.engine.pairing.byes import ImpossibleFixed
from tournaments.engine.pairing.draw import draw_round
from tournaments.engine.pairing.field import Entrant, Field, PlayedRound
from tournaments.engine.pairing.judging import Seating
from tournaments.engine.pairing_schema import PAIRING, SEATING_FORMAT, TABLE_SIZES
from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.rulesets import number_of


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
        InvalidEntry: with every problem of the form, or where that is right, of the sense;
            `where` is the path of the field.
    """
    _refuse(PAIRING.check("", document))
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
