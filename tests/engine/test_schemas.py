"""The published JSON Schemas say what the engine reads and writes."""

import json
import random
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import tournaments.engine
from tests.engine.drawing import draw_record
from tests.engine.mutations import MUTATIONS, whole_game
from tests.engine.test_records import NAMES, load, score_document
from tournaments.engine import badges, entry_records, records
from tournaments.engine.entries import STOP_REASONS, SUITS
from tournaments.engine.problems import Code
from tournaments.engine.units import UNITS
from tournaments.engine.variants import RULESETS

SCHEMAS = Path(tournaments.engine.__file__).parent / "schemas"
GAME, RESULT = (
    json.loads((SCHEMAS / f"kingscore-{name}-1.json").read_text()) for name in ("game", "result")
)
ENTRIES = ("deal", "void", "redeal", "adjustment", "stopped")
FOUND_BY_FORM = {
    "unknown-format",
    "unknown-ruleset",
    "unknown-option",
    "missing-field",
    "unexpected-field",
    "wrong-type",
    "wrong-players",
    "unknown-contract",
    "wrong-seats",
    "bad-seat",
    "negative-count",
    "count-too-large",
}


def is_game(document):
    return Draft202012Validator(GAME).is_valid(document)


def check_result(result):
    Draft202012Validator(RESULT).validate(result)


def in_each_ruleset(name):
    """What the rulesets say under a name, once each, in order."""
    values = [value for ruleset in RULESETS.values() for value in getattr(ruleset, name)]
    return list(dict.fromkeys(values))


@pytest.mark.parametrize("schema", [GAME, RESULT], ids=["game", "result"])
def test_schema_is_a_schema(schema):
    Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("name", NAMES)
def test_records_and_their_results_fit_the_schemas(name):
    assert is_game(load(name))
    check_result(load(f"{name}.result"))


@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_drawn_games_and_their_results_fit_the_schemas(ruleset):
    for seed in range(40):
        document = draw_record(random.Random(f"{ruleset} {seed}"), ruleset)
        assert is_game(document), seed
        check_result(score_document(document))


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name[:60])
def test_result_of_a_spoiled_game_fits_the_schema(mutation):
    record = whole_game(mutation.rulesets[0])
    mutation.spoil(record)
    check_result(json.loads(json.dumps(records.write_result(records.read_game(record)))))


@pytest.mark.parametrize("document", [None, [], {}])
def test_result_of_no_game_fits_the_schema(document):
    check_result(score_document(document))


# JSON Schema knows one kind of number, of any size, and no dates.
BEYOND_THE_FORM = {
    "entries.2.declarer=2.0",
    "entries.2.counts.men=[2, 1, 3, 2.0]",
    "first_declarer=0.0",
    "played_at='yesterday'",
    *(m.name for m in MUTATIONS if str(10**4000) in m.name),
}


def found_by_form(mutation):
    return any(
        code in FOUND_BY_FORM and where not in ("king", "king_declared_by")
        for _, code, where in mutation.problems
    )


@pytest.mark.parametrize(
    "mutation",
    [m for m in MUTATIONS if found_by_form(m) and m.name not in BEYOND_THE_FORM],
    ids=lambda mutation: mutation.name[:60],
)
def test_what_has_a_wrong_form_does_not_fit_the_schema(mutation):
    record = whole_game(mutation.rulesets[0])
    mutation.spoil(record)
    assert not is_game(record)


def test_game_schema_lists_what_the_engine_knows():
    defs = GAME["$defs"]
    a_ruleset = RULESETS["turkish-king"]
    options = {o.setting: list(o.values) for r in RULESETS.values() for o in r.options}
    assert GAME["properties"]["format"]["const"] == records.GAME_FORMAT
    assert GAME["properties"]["ruleset"]["enum"] == list(RULESETS)
    assert set(GAME["properties"]) == {*records.HEAD, *records.OPTIONAL_HEAD}
    assert GAME["required"] == list(records.HEAD)
    assert {
        name: option["enum"] for name, option in GAME["properties"]["options"]["properties"].items()
    } == options
    assert defs["contract"]["enum"] == [contract.id for contract in a_ruleset.contracts]
    assert {
        unit: numbers["items"]["maximum"] for unit, numbers in defs["counts"]["properties"].items()
    } == {unit.id: unit.total for unit in UNITS.values()}
    assert defs["deal"]["properties"]["trump"]["enum"] == list(SUITS)
    assert defs["void"]["properties"]["reason"]["enum"] == in_each_ruleset("voids")
    assert defs["redeal"]["properties"]["reason"]["enum"] == in_each_ruleset("redeals")
    assert defs["stopped"]["properties"]["reason"]["enum"] == list(STOP_REASONS)
    assert defs["seat"]["enum"] == list(range(a_ruleset.seats))


@pytest.mark.parametrize("kind", ENTRIES)
def test_game_schema_has_the_fields_of_every_entry(kind):
    form, schema = entry_records.FORMS[kind], GAME["$defs"][kind]
    assert list(entry_records.FORMS) == list(ENTRIES)
    assert set(schema["properties"]) == set(form.fields)
    assert set(schema["required"]) == {"type", *form.required}


@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_game_schema_takes_the_options_a_ruleset_has(ruleset):
    chosen = {option.setting for option in RULESETS[ruleset].options}
    every = {o.setting: o.values[0] for r in RULESETS.values() for o in r.options}
    record = whole_game(ruleset)
    assert {
        name for name, value in every.items() if is_game({**record, "options": {name: value}})
    } == chosen


def test_result_schema_lists_what_the_engine_knows():
    a_ruleset = RULESETS["turkish-king"]
    defs = RESULT["$defs"]
    in_deals = [badge for contract in a_ruleset.contracts for badge in contract.badges]
    known = {*badges.IN_A_DEAL, *badges.AT_THE_END}
    assert RESULT["properties"]["format"]["const"] == records.RESULT_FORMAT
    assert defs["problem"]["properties"]["code"]["enum"] == [str(code) for code in Code]
    assert set(defs["badge"]["properties"]["badge"]["enum"]) == known
    assert {*in_deals, *a_ruleset.badges} == known
    assert defs["next"]["properties"]["contracts"]["items"]["enum"] == list(a_ruleset.by_id)
    assert set(RESULT["properties"]["ended_by"]["enum"]) == {
        load(f"{name}.result")["ended_by"] for name in NAMES
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("valid", False),
        ("problems", [{"entry": 0, "code": "game-over", "where": "", "params": {}}]),
        ("totals", []),
        ("totals", [1.5, 0, 0, 0]),
        ("totals", ["1/0", 0, 0, 0]),
        ("finished", False),
        ("ended_by", None),
        ("ended_by", "target"),
        ("ranks", [1, 2, 3]),
        ("out", [4]),
        ("badges", [{"badge": "ford", "seat": 0, "entry": 0}]),
        ("extra", 1),
    ],
)
def test_result_that_contradicts_itself_does_not_fit_the_schema(field, value):
    result = load("turkish-king-whole.result")
    assert not Draft202012Validator(RESULT).is_valid({**result, field: value})
