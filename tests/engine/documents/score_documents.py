"""A record scored as the program does it."""

import json

from tournaments.engine.documents.games import parse_json, read_game, write_result

NO_GAME = {
    "format": "kingscore-result/1",
    "entries": [],
    "totals": [],
    "expected_sum": 0,
    "finished": False,
    "ended_by": None,
    "next": None,
    "ranks": [],
    "out": [],
    "sunk": [],
    "badges": [],
}
"""The result of a record whose head is at fault, but for its problems."""


def score_document(document):
    """The result as it leaves the program: through JSON and back."""
    return json.loads(json.dumps(write_result(read_game(parse_json(json.dumps(document))))))
