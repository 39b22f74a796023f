"""The published JSON Schemas, each with a validator, and records scored as the program does it."""

import json

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tournaments.engine.documents.games import parse_json, read_game, write_result
from tournaments.engine.documents.verify import SCHEMAS
from tournaments.engine.variants import RULESETS

PUBLISHED = {name: schema() for name, schema in SCHEMAS.items()}


GAME, RESULT = PUBLISHED["kingscore-game-1.json"], PUBLISHED["kingscore-result-1.json"]
REGISTRY = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in PUBLISHED.values()
)
# Once for all tests: a validator need not look up twice what it refers to.
GAMES = Draft202012Validator(GAME, registry=REGISTRY)
RESULTS = Draft202012Validator(RESULT, registry=REGISTRY)


def score_document(document):
    """The result as it leaves the program: through JSON and back."""
    return json.loads(json.dumps(write_result(read_game(parse_json(json.dumps(document))))))


def is_game(document):
    return GAMES.is_valid(document)


def check_result(result):
    RESULTS.validate(result)


def an_empty_game(ruleset):
    return {
        "format": "kingscore-game/1",
        "ruleset": ruleset,
        "players": list("ABCDEF"[: RULESETS[ruleset].seats]),
        "entries": [],
    }
