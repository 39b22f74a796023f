"""The form of `kingscore-tournament/1`: one table of shapes, checked strictly and published.

What the parts of a document say of each other is checked in `tournament_records`.
"""

from collections.abc import Mapping
from typing import Any

from tournaments.engine.document_shapes import (
    DAY,
    LARGE,
    MOMENT,
    OBJECT,
    POINTS_SCHEMA,
    SMALL,
    SWITCH,
    WORTH,
    Fields,
    Listed,
    OrNull,
    Plain,
    Problems,
    below,
    matching,
    one_of,
    slug,
    text,
    whole,
)
from tournaments.engine.entry_records import wrong_type
from tournaments.engine.finals import STAGES
from tournaments.engine.problems import InvalidEntry, Problem
from tournaments.engine.record_shapes import DIALECT, Schema
from tournaments.engine.round_results import RULINGS
from tournaments.engine.tournament_settings import (
    CHECK_INS,
    FINALS,
    LARGEST_WORTH,
    LONGEST_ROUND,
    MOST_PLACES,
    MOST_ROUNDS,
    ODD,
    OVERTIME,
    POINTS,
    SEATINGS,
    TIE_BREAKS,
    read_settings,
)

TOURNAMENT_FORMAT = "kingscore-tournament/1"

STATES = ("draft", "registration", "running", "finished")
CONFIRMATIONS = ("none", "two", "all")
HEAD_WRITE, WITHDRAWAL = "head", "withdrawal"
WRITES = ("entry", "completion", "reveal", "correction", WITHDRAWAL, HEAD_WRITE)


class Settings:
    """The settings of a tournament."""

    def check(self, where: str, value: Any) -> Problems:
        """As `tournament_settings` reads them."""
        try:
            read_settings(value)
        except InvalidEntry as invalid:
            for problem in invalid.problems:
                yield Problem(problem.code, below(where, problem.where), problem.params)

    @property
    def schema(self) -> Schema:
        """What is left out is as by default."""
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {name: dict(shape) for name, shape in SETTINGS.items()},
        }


_WORTH: Schema = {**POINTS_SCHEMA, "minimum": -LARGEST_WORTH, "maximum": LARGEST_WORTH}

SETTINGS: Mapping[str, Schema] = {
    "rounds": {"type": "integer", "minimum": 1, "maximum": MOST_ROUNDS},
    "seating": {"enum": list(SEATINGS)},
    "separate_clubs": SWITCH.schema,
    "points": {"enum": list(POINTS)},
    "place_points": {"type": "array", "items": _WORTH, "minItems": 2, "maxItems": MOST_PLACES},
    "tie_breaks": {"type": "array", "items": {"enum": list(TIE_BREAKS)}, "uniqueItems": True},
    "odd": {"enum": list(ODD)},
    "bye": {"oneOf": [{"const": "average"}, _WORTH]},
    "finals": {"enum": list(FINALS)},
    "carry": SWITCH.schema,
    "minutes": {"type": ["integer", "null"], "minimum": 1, "maximum": LONGEST_ROUND},
    "overtime": {"enum": list(OVERTIME)},
    "check_in": {"enum": list(CHECK_INS)},
    "hide_last": SWITCH.schema,
}
"""The settings as JSON Schema says them."""


class Standings:
    """Place and points of entrants when a round was closed, by their ids."""

    def check(self, where: str, value: Any) -> Problems:
        """It is no object, or something else stands in it."""
        if not isinstance(value, dict):
            yield wrong_type(where, "object")
            return
        for name, row in value.items():
            yield from ENTRANT_ID.check(below(where, name), name)
            if not isinstance(row, list) or len(row) != len(("place", "points")):
                yield wrong_type(below(where, name), "list of place and points")
                continue
            yield from PLACE.check(f"{below(where, name)}[0]", row[0])
            yield from WORTH.check(f"{below(where, name)}[1]", row[1])

    @property
    def schema(self) -> Schema:
        """A pair for each entrant."""
        pair = {"prefixItems": [PLACE.schema, WORTH.schema], "minItems": 2, "maxItems": 2}
        return {
            "type": "object",
            "propertyNames": ENTRANT_ID.schema,
            "additionalProperties": {"type": "array", **pair},
        }


def _refer(urn: str) -> Schema:
    return {"$ref": urn}


PLAYER_ID = matching("p[1-9][0-9]{0,5}", "p1, p2, …")
ENTRANT_ID = matching("e[1-9][0-9]{0,3}", "e1, e2, …")
NAME = text(80, least=1)
COUNT, PLACE, NUMBER = whole(0, LARGE), whole(1, SMALL), whole(1, SMALL)
ROUND_NUMBER = whole(1, 200)

SEASON = Fields(
    {"name": NAME, "starts_on": DAY, "ends_on": DAY, "league_best": OrNull(whole(1, SMALL))}
)
TOURNAMENT = Fields(
    {
        "slug": slug(60),
        "name": NAME,
        "held_on": DAY,
        "season": OrNull(SEASON),
        "state": one_of(STATES),
        "published": SWITCH,
        "table_codes": SWITCH,
        "confirmations": one_of(CONFIRMATIONS),
        "seed": COUNT,
    }
)
ENTRANT = Fields(
    {
        "id": ENTRANT_ID,
        "players": Listed(PLAYER_ID, 1, 2),
        "team": text(80),
        "represents": text(80),
        "house": SWITCH,
        "joins_in": NUMBER,
        "withdrawn_at": OrNull(MOMENT),
        "checked_in": whole(0, SMALL),
        "registered_at": MOMENT,
    }
)
SUBSTITUTE = Fields(
    {
        "entrant": ENTRANT_ID,
        "round": ROUND_NUMBER,
        "instead_of": PLAYER_ID,
        "player": PLAYER_ID,
    }
)
WRITE = Fields(
    {
        "revision": NUMBER,
        "kind": one_of(WRITES),
        "position": OrNull(whole(0, SMALL)),
        "body": OrNull(OBJECT),
        "before": OrNull(OBJECT),
        "author": text(80),
        "reason": text(200),
        "at": MOMENT,
        "key": matching("[0-9A-Za-z_-]{1,64}", "1 to 64 letters, digits, - or _"),
    }
)
HEAD = Fields(
    {
        "players": Listed(text(100, least=1), 2, 4),
        "first_declarer": whole(0, 3),
        "options": OBJECT,
        "title": text(80),
        "place": text(80),
    }
)
GAME = Fields(
    {
        "record": Plain("object", OBJECT.is_it, _refer("urn:kingscore:game:1")),
        "writes": Listed(WRITE),
        "confirmations": Listed(Fields({"seat": whole(0, 3), "revision": NUMBER, "at": MOMENT})),
    }
)
TABLE = Fields(
    {
        "number": NUMBER,
        "entrants": Listed(ENTRANT_ID, 2, 4),
        "seats": Listed(PLAYER_ID, 2, 4),
        "extra_seconds": COUNT,
        "game": GAME,
    }
)
SEATING = Fields(
    {
        "tables": Listed(Listed(ENTRANT_ID, 2, 4)),
        "byes": Listed(ENTRANT_ID),
        "locked": Listed(whole(0, SMALL)),
    }
)
ROUND = Fields(
    {
        "number": ROUND_NUMBER,
        "stage": one_of(("", *STAGES)),
        "published_at": OrNull(MOMENT),
        "opened_at": OrNull(MOMENT),
        "closed_at": OrNull(MOMENT),
        "clock": Fields({"seconds": OrNull(COUNT), "used": COUNT, "started_at": OrNull(MOMENT)}),
        "seating": OrNull(SEATING),
        "standings": OrNull(Standings()),
        "tables": Listed(TABLE),
        "byes": Listed(ENTRANT_ID),
    }
)
RULING = Fields(
    {
        "round": ROUND_NUMBER,
        "entrant": ENTRANT_ID,
        "kind": one_of(RULINGS),
        "points": WORTH,
        "reason": text(200, least=1),
        "at": MOMENT,
        "withdrawn_at": OrNull(MOMENT),
    }
)
DOCUMENT = Fields(
    {
        "format": Plain(
            TOURNAMENT_FORMAT,
            lambda value: isinstance(value, str),
            {"const": TOURNAMENT_FORMAT},
        ),
        "club": Fields({"slug": slug(40), "name": NAME}),
        "tournament": TOURNAMENT,
        "ruleset": Plain(
            "string or object",
            lambda value: isinstance(value, str | dict),
            {"type": ["string", "object"], "else": _refer("urn:kingscore:ruleset:1")}
            | {"if": {"type": "string"}},
        ),
        "options": OBJECT,
        "settings": Settings(),
        "players": Listed(Fields({"id": PLAYER_ID, "name": OrNull(NAME), "initials": SWITCH})),
        "entrants": Listed(ENTRANT),
        "substitutes": Listed(SUBSTITUTE),
        "rounds": Listed(ROUND),
        "rulings": Listed(RULING),
    }
)


def tournament_schema() -> Schema:
    """The schema of a `kingscore-tournament/1` document."""
    return {
        "$schema": DIALECT,
        "$id": "urn:kingscore:tournament:1",
        "title": TOURNAMENT_FORMAT,
        "description": "A whole tournament: who took part, who sat where, every sheet with its"
        " history, and what was ruled. The form only: what the parts say of each other is"
        " checked when it is imported.",
        **DOCUMENT.schema,
    }
