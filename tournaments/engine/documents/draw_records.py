"""What a round was drawn with, as it is kept with the round, and the draw made again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tournaments.engine.documents.tournament_schema import DRAW
from tournaments.engine.pairing.field import PairingField, PlayedRound
from tournaments.engine.pairing.judging import Seating
from tournaments.engine.pairing.manual import seat_rest
from tournaments.engine.pairing.methods import seat_round
from tournaments.engine.pairing.quality import Quality
from tournaments.engine.pairing.weights import SEATING_VERSION
from tournaments.engine.rules.shapes import write_points
from tournaments.engine.work import spend

Kept = Mapping[int, Sequence[str]]
"""Tables that stayed as they were, by their places from 0."""

COMMON = ("seed", "rounds_left", "table_size", "separate_clubs", "score_before_seats")
"""The fields of a draw that are the same in all its sections."""


def write_draw(
    method: str, first: int, sections: Sequence[tuple[PairingField, Kept]], seating: Seating
) -> dict[str, Any]:
    """Return the document of a drawn round.

    `first` is the round from which a method that draws all rounds at once was asked to draw.
    `sections` are the fields of its sections with the tables kept in each, and `seating` is theirs
    together.
    """
    field, _kept = sections[0]
    return {
        "version": SEATING_VERSION,
        "method": method,
        "weights": asdict(field.weights),
        "first": first,
        **{name: getattr(field, name) for name in COMMON},
        "sections": [_write_section(*section) for section in sections],
        "tables": [list(table) for table in seating.tables],
        "byes": list(seating.byes),
    }


def write_fewest_repeats(quality: Quality) -> dict[str, Any]:
    """Return the part of a draw's document that says how it would be with fewer repeats."""
    spread = write_points(quality.score_spread)
    return {
        "fewest_repeats": {
            "repeat_meetings": quality.repeat_meetings,
            "score_spread": spread,
        }
    }


def redraw(
    document: Mapping[str, Any], earlier: Sequence[PlayedRound]
) -> tuple[list[tuple[str, ...]], list[str]]:
    """Draw a round again; return its tables, in seat order, and its byes.

    `earlier` are the rounds before `first` as they were played, and those from there on as they
    were drawn. Its version is one of `REDRAWN`.

    Raises:
        InvalidEntry: if the document has not the form of a draw.
        ImpossibleFixed, NoRoundRobin, InvalidSeating: if there is no such seating.
    """
    said = DRAW.load(document)
    common = {name: said[name] for name in ("weights", *COMMON)}
    common["absence_counts"] = said["version"] < SEATING_VERSION
    seatings = [_redraw_section(said["method"], each, common, earlier) for each in said["sections"]]
    tables = [table for each in seatings for table in each.tables]
    return tables, [name for each in seatings for name in each.byes]


def _redraw_section(
    method: str, said: Mapping[str, Any], common: dict[str, Any], earlier: Sequence[PlayedRound]
) -> Seating:
    names = {entrant.id for entrant in said["entrants"]}
    # Each is held against each other.
    spend(len(names) ** 2 // 500)
    rounds = tuple(played.among(names) for played in earlier)
    field = PairingField(said["entrants"], rounds, avoid=said["avoid"], **common)
    kept = {each["place"]: each["entrants"] for each in said["kept"]}
    return seat_rest(field, method, kept) if kept else seat_round(field, method)


def _write_section(field: PairingField, kept: Kept) -> dict[str, Any]:
    return {
        "entrants": [
            {"id": each.id, "score": write_points(each.score), "club": each.club}
            for each in field.entrants
        ],
        "avoid": [list(pair) for pair in field.avoid],
        "kept": [{"place": at, "entrants": list(table)} for at, table in sorted(kept.items())],
    }
