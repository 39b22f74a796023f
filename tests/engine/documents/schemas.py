"""The published JSON Schemas, each with a validator."""

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

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


def is_game(document):
    return GAMES.is_valid(document)


def check_result(result):
    RESULTS.validate(result)


def an_empty_game(ruleset):
    return {
        "format": "kingscore-game/1",
        "ruleset": ruleset,
        "players": list("ABCD"[: RULESETS[ruleset].seats]),
        "entries": [],
    }
