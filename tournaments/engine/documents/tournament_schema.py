"""The form of `kingscore-tournament/1`: one table of shapes, checked strictly and published.

`tournament_records` checks how the parts of a document agree.
"""

from typing import Any

from tournaments.engine.documents.event_fields import EVENT_FIELDS
from tournaments.engine.documents.pairing_schema import WEIGHTS, is_score
from tournaments.engine.pairing.field import Entrant
from tournaments.engine.pairing.methods import METHODS
from tournaments.engine.rules.limits import (
    LONGEST_ID,
    LONGEST_NAME,
    LONGEST_REASON,
    LONGEST_SHOWN_NAME,
    LONGEST_TOURNAMENT_SLUG,
)
from tournaments.engine.rules.rulesets import number_of
from tournaments.engine.rules.shapes import (
    DAY,
    INTEGER,
    LARGE,
    MOMENT,
    OBJECT,
    POINTS_SCHEMA,
    SMALL,
    SWITCH,
    WORTH,
    Problems,
    Schema,
    Shape,
    below,
    fields,
    head_schema,
    listed,
    matching,
    one_of,
    or_null,
    plain,
    slug,
    text,
    whole,
    wrong_type,
)
from tournaments.engine.standings.finals import STAGES
from tournaments.engine.standings.round_results import RULINGS
from tournaments.engine.standings.tournament_settings import SECTIONS, SETTINGS

TOURNAMENT_FORMAT = "kingscore-tournament/1"

STATES = ("draft", "registration", "running", "finished")
HEAD_WRITE, WITHDRAWAL = "head", "withdrawal"
WRITES = ("entry", "completion", "reveal", "correction", WITHDRAWAL, HEAD_WRITE)


def _check_standings(where: str, value: Any) -> Problems:
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


PLAYER_ID = matching("p[1-9][0-9]{0,5}", "p1, p2, …")
ENTRANT_ID = matching("e[1-9][0-9]{0,3}", "e1, e2, …")
NAME = text(LONGEST_NAME, least=1)
TITLE = text(LONGEST_NAME)
COUNT, PLACE, NUMBER = whole(0, LARGE), whole(1, SMALL), whole(1, SMALL)
ROUND_NUMBER = whole(1, 200)
STANDINGS = Shape(
    _check_standings,
    {
        "type": "object",
        "propertyNames": ENTRANT_ID.schema,
        "additionalProperties": {
            "type": "array",
            "prefixItems": [PLACE.schema, WORTH.schema],
            "minItems": 2,
            "maxItems": 2,
        },
    },
)
"""The places and points of entrants, by id, when a round was closed."""

SEASON = fields(
    {"name": NAME, "starts_on": DAY, "ends_on": DAY, "league_best": or_null(whole(1, SMALL))}
)


def _of_event(*names: str) -> dict[str, Shape]:
    return {name: EVENT_FIELDS[name].shape for name in names}


_NEEDED = {
    "slug": slug(LONGEST_TOURNAMENT_SLUG),
    **_of_event("name", "held_on"),
    "season": or_null(SEASON),
    "state": one_of(STATES),
    **_of_event("published", "table_codes", "confirmations"),
    "seed": COUNT,
}
FURTHER = tuple(name for name in EVENT_FIELDS if name not in _NEEDED)
"""The fields of events that are newer than the format; a document leaves out empty ones."""

DIGEST = matching("[0-9a-f]{64}", "SHA-256, in hexadecimal digits")
TOURNAMENT = fields(
    {**_NEEDED, **_of_event(*FURTHER), "cancelled_at": MOMENT, "digest": DIGEST},
    required=_NEEDED,
)
_ENTRANT = {
    "id": ENTRANT_ID,
    "players": listed(PLAYER_ID, 1, 2),
    "team": text(LONGEST_NAME),
    "represents": text(LONGEST_NAME),
    "house": SWITCH,
    "joins_in": NUMBER,
    "withdrawn_at": or_null(MOMENT),
    "checked_in": whole(0, SMALL),
    "registered_at": MOMENT,
}
_LATER = {"waiting": SWITCH, "paid": SWITCH, "section": one_of(("", *SECTIONS))}
ENTRANT = fields(_ENTRANT | _LATER, required=_ENTRANT)
SUBSTITUTE = fields(
    {
        "entrant": ENTRANT_ID,
        "round": ROUND_NUMBER,
        "instead_of": PLAYER_ID,
        "player": PLAYER_ID,
    }
)
LINE_UP = fields(
    {
        "round": ROUND_NUMBER,
        "team": text(LONGEST_NAME, least=1),
        "entrants": listed(ENTRANT_ID),
    }
)
WRITE = fields(
    {
        "revision": NUMBER,
        "kind": one_of(WRITES),
        "position": or_null(whole(0, SMALL)),
        "body": or_null(OBJECT),
        "before": or_null(OBJECT),
        "author": text(LONGEST_NAME),
        "reason": text(LONGEST_REASON),
        "at": MOMENT,
        "key": matching("[0-9A-Za-z_-]{1,64}", "1 to 64 letters, digits, - or _"),
    }
)
HEAD = fields(
    {
        "players": listed(text(LONGEST_SHOWN_NAME, least=1), 2, 4),
        "first_declarer": whole(0, 3),
        "options": OBJECT,
        "title": TITLE,
        "place": TITLE,
    }
)
_SIDES = listed(whole(0, 3), 0, 4)
RESULT = fields(
    {
        "totals": listed(WORTH, 2, 4),
        "ranks": listed(PLACE, 2, 4),
        "out": _SIDES,
        "sunk": _SIDES,
        "kings": listed(whole(0, 3)),
    }
)
_GAME = {
    "record": OBJECT.with_schema({"$ref": "urn:kingscore:game:1"}),
    "writes": listed(WRITE),
    "confirmations": listed(fields({"seat": whole(0, 3), "revision": NUMBER, "at": MOMENT})),
}
GAME = fields(_GAME | {"result": RESULT, "digest": DIGEST}, required=_GAME)
TABLE = fields(
    {
        "number": NUMBER,
        "entrants": listed(ENTRANT_ID, 2, 4),
        "seats": listed(PLAYER_ID, 2, 4),
        "extra_seconds": COUNT,
        "game": GAME,
    }
)
SEATING = fields(
    {
        "tables": listed(listed(ENTRANT_ID, 2, 4)),
        "byes": listed(ENTRANT_ID),
        "locked": listed(whole(0, SMALL)),
    }
)
SEATS = listed(ENTRANT_ID, 2, 4)
_DRAW = {
    "version": NUMBER,
    "method": one_of(tuple(METHODS)),
    "seed": INTEGER,
    "weights": WEIGHTS,
    "first": ROUND_NUMBER,
    "rounds_left": ROUND_NUMBER,
    "table_size": whole(2, 4),
    "separate_clubs": SWITCH,
    "score_before_seats": SWITCH,
    "sections": listed(
        fields(
            {
                "entrants": listed(
                    fields(
                        {
                            "id": ENTRANT_ID,
                            "score": plain('integer or "p/q"', is_score, POINTS_SCHEMA, number_of),
                            "club": text(LONGEST_NAME),
                        },
                        make=Entrant,
                    )
                ),
                "avoid": listed(listed(ENTRANT_ID, 2, 2)),
                "kept": listed(fields({"place": whole(0, SMALL), "entrants": SEATS})),
            }
        )
    ),
    "tables": listed(SEATS),
    "byes": listed(ENTRANT_ID),
}
DRAW = fields(
    _DRAW | {"fewest_repeats": fields({"repeat_meetings": COUNT, "score_spread": WORTH})},
    required=_DRAW,
)
"""What a round was drawn with, by sections, and what came out.

`fewest_repeats` is how it would be with as few repeats as possible, if there are more.
"""

RANKING = listed(
    fields(
        {
            "entrant": ENTRANT_ID,
            "section": one_of(("", *SECTIONS)),
            "place": PLACE,
            "shared": SWITCH,
            "points": WORTH,
            "penalties": WORTH,
            "round": or_null(WORTH),
            "tie_breaks": listed(or_null(WORTH)),
        }
    )
)
"""The standings after a closed round, by section and place."""

_ROUND = {
    "number": ROUND_NUMBER,
    "stage": one_of(("", *STAGES)),
    "published_at": or_null(MOMENT),
    "opened_at": or_null(MOMENT),
    "closed_at": or_null(MOMENT),
    "clock": fields({"seconds": or_null(COUNT), "used": COUNT, "started_at": or_null(MOMENT)}),
    "seating": or_null(SEATING),
    "standings": or_null(STANDINGS),
    "tables": listed(TABLE),
    "byes": listed(ENTRANT_ID),
}
_LATER_OF_A_ROUND = {"draw": DRAW, "ranking": RANKING, "digest": DIGEST}
ROUND = fields(_ROUND | _LATER_OF_A_ROUND, required=_ROUND)
RULING = fields(
    {
        "round": ROUND_NUMBER,
        "entrant": ENTRANT_ID,
        "kind": one_of(RULINGS),
        "points": WORTH,
        "reason": text(LONGEST_REASON, least=1),
        "at": MOMENT,
        "withdrawn_at": or_null(MOMENT),
    }
)
DOCUMENT = fields(
    {
        "format": plain(
            TOURNAMENT_FORMAT,
            lambda value: isinstance(value, str),
            {"const": TOURNAMENT_FORMAT},
        ),
        "club": fields({"slug": slug(LONGEST_ID), "name": NAME}),
        "tournament": TOURNAMENT,
        "ruleset": plain(
            "string or object",
            lambda value: isinstance(value, str | dict),
            {"type": ["string", "object"], "else": {"$ref": "urn:kingscore:ruleset:1"}}
            | {"if": {"type": "string"}},
        ),
        "options": OBJECT,
        "settings": SETTINGS,
        "players": listed(fields({"id": PLAYER_ID, "name": or_null(NAME), "initials": SWITCH})),
        "entrants": listed(ENTRANT),
        "substitutes": listed(SUBSTITUTE),
        "rounds": listed(ROUND),
        "rulings": listed(RULING),
        "line_ups": listed(LINE_UP),
        "digest": DIGEST,
    },
    required=(
        *("format", "club", "tournament", "ruleset", "options", "settings"),
        *("players", "entrants", "substitutes", "rounds", "rulings"),
    ),
)


def tournament_schema() -> Schema:
    """Return the schema of a `kingscore-tournament/1` document."""
    return {
        **head_schema("tournament", TOURNAMENT_FORMAT),
        "description": "A whole tournament: who took part, who sat where, every sheet with its"
        " history, and what was ruled. The form only: what the parts say of each other is"
        " checked when it is imported.",
        **DOCUMENT.schema,
    }
