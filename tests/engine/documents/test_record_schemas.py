import pytest
from jsonschema import Draft202012Validator

from tests.engine.documents.schemas import (
    GAME,
    PUBLISHED,
    RESULT,
    an_empty_game,
    check_result,
    is_game,
)
from tests.sample_games import DRAWN, NAMES, load
from tournaments.engine.documents import entries, games
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.play import outcomes
from tournaments.engine.rules.rulesets import UNITS, Code
from tournaments.engine.variants import RULESETS


@pytest.mark.parametrize("schema", PUBLISHED.values(), ids=PUBLISHED)
def test_schema_is_a_schema(schema):
    Draft202012Validator.check_schema(schema)


def test_records_and_their_results_fit_the_schemas():
    assert [name for name in NAMES if not is_game(load(name))] == []
    for name in NAMES:
        check_result(load(f"{name}.result"))


def test_drawn_games_and_their_results_fit_the_schemas():
    assert [kept for kept in DRAWN if not is_game(kept["record"])] == []
    for kept in DRAWN:
        check_result(kept["result"])


def test_game_schema_lists_what_the_engine_knows():
    assert GAME["properties"]["format"]["const"] == games.GAME_FORMAT
    assert list(GAME["$defs"]["counts_of_4_players"]["properties"]) == list(UNITS)


@pytest.mark.parametrize("kind", entries.FORMS)
def test_game_schema_has_the_fields_of_every_entry(kind):
    form, schema = entries.FORMS[kind], GAME["$defs"][kind]
    assert set(schema["properties"]) == set(form.shapes)
    assert set(schema["required"]) == {"type", *form.required}


@pytest.mark.parametrize("ruleset", RULESETS)
def test_game_schema_takes_the_options_a_ruleset_has(ruleset):
    record = {**an_empty_game(ruleset), "options": {}}
    values = {
        (option.setting, value)
        for each in RULESETS.values()
        for option in each.options
        for value in option.values or (2, 7, "3/2")
    }
    taken = {
        (name, repr(value))
        for name, value in values
        if is_game({**record, "options": {name: value}})
    }
    assert taken == {
        (name, repr(value)) for name, value in values if is_known(RULESETS[ruleset], name, value)
    }


def is_known(ruleset, name, value):
    reading = games.read_game({**an_empty_game(ruleset.id), "options": {name: value}})
    return reading.problems == ()


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("-whole")])
def test_game_with_a_house_ruleset_fits_the_schema(name):
    record = load(name)
    assert is_game({**record, "ruleset": write_ruleset(RULESETS[record["ruleset"]])})


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "deal", "contract": 3},
        {"type": "deal", "contract": "half-trump", "declarer": 4},
        {"type": "deal", "contract": "half-trump", "counts": {"jacks": [1, 1, 1, 1]}},
        {"type": "deal", "contract": "half-trump", "counts": {"tricks": [14, 0, 0, -1]}},
        {"type": "deal", "contract": "half-trump", "dealer": 0},
        {"type": "void", "reason": "boredom"},
        {"type": "redeal", "reason": "misdeal"},
        {"type": "hand"},
    ],
)
def test_wrong_form_in_a_game_with_a_house_ruleset_does_not_fit_the_schema(entry):
    record = an_empty_game("turkish-king")
    record["ruleset"] = write_ruleset(RULESETS["turkish-king"])
    assert is_game(record)
    assert not is_game({**record, "entries": [entry]})


def test_game_with_a_house_ruleset_of_a_wrong_form_does_not_fit_the_schema():
    rules = write_ruleset(RULESETS["turkish-king"])
    record = an_empty_game("turkish-king")
    assert not is_game({**record, "ruleset": {**rules, "declares": "dealer"}})


def test_result_schema_lists_what_the_engine_knows():
    defs = RESULT["$defs"]
    assert RESULT["properties"]["format"]["const"] == games.RESULT_FORMAT
    assert defs["problem"]["properties"]["code"]["enum"] == [str(code) for code in Code]
    assert set(defs["badge"]["properties"]["badge"]["enum"]) == {
        *outcomes.IN_A_DEAL,
        *outcomes.AT_THE_END,
    }
    assert set(RESULT["properties"]["ended_by"]["enum"]) == {
        load(f"{name}.result")["ended_by"] for name in NAMES
    }
