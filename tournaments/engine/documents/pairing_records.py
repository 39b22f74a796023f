"""The documents of a seating: `kingscore-pairing/1` in, `kingscore-seating/1` out.

Both are described in `docs/records.md` §2; their forms are those of `pairing_schema`.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from tournaments.engine.documents.pairing_schema import PAIRING, SEATING_FORMAT, TABLE_SIZES
from tournaments.engine.pairing.byes import ImpossibleFixed
from tournaments.engine.pairing.draw import draw_round
from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.judging import Seating
from tournaments.engine.rules.problems import (
    Code,
    InvalidEntry,
    Problem,
    check_known,
    check_repeated,
    refuse,
    write_problem,
)


def seat_document(document: Any) -> dict[str, Any]:
    """Return the seating of a pairing document, or its problems, as a document."""
    try:
        return write_seating(draw_round(read_pairing(document)))
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
    refuse(PAIRING.check("", document))
    refuse(_check_sense(document, document.get("table_size", 4)))
    field: PairingField = PAIRING.read(document)
    return field


def write_seating(seating: Seating) -> dict[str, Any]:
    """Return a seating as a `kingscore-seating/1` document."""
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
    """Return the document that reports problems in place of a seating."""
    found = list(map(write_problem, problems))
    return {"format": SEATING_FORMAT, "valid": False, "problems": found}


def _check_sense(document: Mapping[str, Any], size: int) -> Iterator[Problem]:
    """Yield the contradictions between parts of a document whose form is valid."""
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
