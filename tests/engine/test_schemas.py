"""The published JSON Schemas say what the engine reads and writes."""

import json
import random
import re
from functools import cache
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import tournaments.engine
from tests.engine import (
    drawing,
    italian_deal_mutations,
    italian_drawing,
    italian_mutations,
    mutations,
    piles_and_makers_drawing,
    piles_and_makers_mutations,
    turkish_forms_drawing,
    turkish_forms_end_mutations,
    turkish_forms_mutations,
)
from tests.engine.test_records import NAMES, load, score_document
from tournaments.engine import badges, entry_records, records
from tournaments.engine.problems import Code
from tournaments.engine.ruleset_records import write_ruleset
from tournaments.engine.units import UNITS
from tournaments.engine.variants import RULESETS

FOLDER = Path(tournaments.engine.__file__).parent / "schemas"
PUBLISHED = {path.name: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
GAME, RESULT = PUBLISHED["kingscore-game-1.json"], PUBLISHED["kingscore-result-1.json"]
REGISTRY = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in PUBLISHED.values()
)
# Once for all tests: a validator need not look up twice what it refers to.
GAMES = Draft202012Validator(GAME, registry=REGISTRY)
RESULTS = Draft202012Validator(RESULT, registry=REGISTRY)

DRAWN = 12
"""Games drawn for each ruleset."""
DRAW = {
    **dict.fromkeys(mutations.ALL, drawing.draw_record),
    **dict.fromkeys(turkish_forms_drawing.OPTIONS, turkish_forms_drawing.draw_game),
    **dict.fromkeys(italian_drawing.OPTIONS, italian_drawing.draw_game),
    **dict.fromkeys(piles_and_makers_drawing.OPTIONS, piles_and_makers_drawing.draw_game),
}
MUTATIONS = [
    (whole_game, mutation, ruleset)
    for whole_game, listed in (
        (mutations.whole_game, mutations.MUTATIONS),
        (turkish_forms_mutations.whole_game, turkish_forms_end_mutations.MUTATIONS),
        *(
            (each.whole_game, each)
            for each in (
                italian_mutations.MUTATIONS,
                italian_deal_mutations.MUTATIONS,
                piles_and_makers_mutations.MUTATIONS,
            )
        ),
    )
    for mutation in listed
    for ruleset in mutation.rulesets
]
"""With what gives a whole game, and the ruleset to spoil a game of."""
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
    "bad-trump",
    "negative-count",
    "count-too-large",
}
FOUND_BY_THE_GAME = {("missing-field", "offered"), ("count-too-large", "left")}
"""Whether two contracts are left to offer, and how many cards three piles are."""


def is_game(document):
    return GAMES.is_valid(document)


def check_result(result):
    RESULTS.validate(result)


@cache
def text_of(whole_game, ruleset):
    return json.dumps(whole_game(ruleset))


def spoil(whole_game, mutation, ruleset):
    """A whole game after the mutation."""
    record = json.loads(text_of(whole_game, ruleset))
    mutation.spoil(record)
    return record


def problem_of_form(mutation):
    """The first problem that the form alone gives away: its entry, code and place."""
    return next(
        (
            problem
            for problem in mutation.problems
            if problem[1] in FOUND_BY_FORM and problem[1:] not in FOUND_BY_THE_GAME
        ),
        None,
    )


def is_beyond_the_form(record):
    """JSON Schema knows one kind of number, of any size, and no dates."""
    return re.search(r"\d\.0\b|\d{101}|yesterday", json.dumps(record)) is not None


@pytest.mark.parametrize("schema", PUBLISHED.values(), ids=PUBLISHED)
def test_schema_is_a_schema(schema):
    Draft202012Validator.check_schema(schema)


def test_published_schemas_are_those_of_the_tables():
    call_command("write_schemas", "--check")


def test_schemas_are_written_where_they_are_out_of_date(tmp_path):
    call_command("write_schemas", to=tmp_path)
    assert {path.name: json.loads(path.read_text()) for path in tmp_path.iterdir()} == PUBLISHED

    (tmp_path / "kingscore-game-1.json").write_text("{}")
    with pytest.raises(CommandError, match="kingscore-game-1"):
        call_command("write_schemas", "--check", to=tmp_path)
    assert (tmp_path / "kingscore-game-1.json").read_text() == "{}"


def test_records_and_their_results_fit_the_schemas():
    assert [name for name in NAMES if not is_game(load(name))] == []
    for name in NAMES:
        check_result(load(f"{name}.result"))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_drawn_games_and_their_results_fit_the_schemas(ruleset):
    for seed in range(DRAWN):
        document = DRAW[ruleset](random.Random(f"{ruleset} {seed}"), ruleset)
        assert is_game(document), seed
        check_result(score_document(document))


def test_results_of_spoiled_games_fit_the_schema():
    one_of_each = {
        problem[1:]: (whole_game, mutation, ruleset)
        for whole_game, mutation, ruleset in MUTATIONS
        for problem in mutation.problems
    }
    for case in one_of_each.values():
        record = spoil(*case)
        check_result(json.loads(json.dumps(records.write_result(records.read_game(record)))))


@pytest.mark.parametrize("document", [None, [], {}])
def test_result_of_no_game_fits_the_schema(document):
    check_result(score_document(document))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_what_has_a_wrong_form_does_not_fit_the_schema(ruleset):
    fits = []
    for whole_game, mutation, spoiled in MUTATIONS:
        problem = problem_of_form(mutation)
        if spoiled != ruleset or problem is None:
            continue
        record = spoil(whole_game, mutation, ruleset)
        if isinstance(record.get("entries"), list):
            # The fault has to be found where it is.
            entry = problem[0]
            record["entries"] = [] if entry is None else [record["entries"][entry]]
        if is_game(record) and not is_beyond_the_form(record):
            fits.append((mutation.name, problem))
    assert fits == []


@pytest.mark.parametrize(
    "mutation", turkish_forms_end_mutations.REFUSED, ids=lambda mutation: mutation.name[:60]
)
def test_what_cannot_be_read_does_not_fit_the_schema(mutation):
    for ruleset in mutation.rulesets:
        record = spoil(turkish_forms_mutations.whole_game, mutation, ruleset)
        assert is_beyond_the_form(record) or not is_game(record)


def test_game_schema_lists_what_the_engine_knows():
    assert GAME["properties"]["format"]["const"] == records.GAME_FORMAT
    assert set(GAME["properties"]) == {*records.HEAD, *records.OPTIONAL_HEAD}
    assert GAME["required"] == list(records.HEAD)
    assert list(GAME["$defs"]["counts_of_4_players"]["properties"]) == list(UNITS)


@pytest.mark.parametrize("kind", entry_records.FORMS)
def test_game_schema_has_the_fields_of_every_entry(kind):
    form, schema = entry_records.FORMS[kind], GAME["$defs"][kind]
    assert set(schema["properties"]) == set(form.fields)
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
    reading = records.read_game({**an_empty_game(ruleset.id), "options": {name: value}})
    return reading.problems == ()


def an_empty_game(ruleset):
    return {
        "format": "kingscore-game/1",
        "ruleset": ruleset,
        "players": list("ABCD"[: RULESETS[ruleset].seats]),
        "entries": [],
    }


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
    assert RESULT["properties"]["format"]["const"] == records.RESULT_FORMAT
    assert defs["problem"]["properties"]["code"]["enum"] == [str(code) for code in Code]
    assert set(defs["badge"]["properties"]["badge"]["enum"]) == {
        *badges.IN_A_DEAL,
        *badges.AT_THE_END,
    }
    assert set(RESULT["properties"]["ended_by"]["enum"]) == {
        load(f"{name}.result")["ended_by"] for name in NAMES
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("valid", False),
        ("problems", [{"entry": 0, "code": "game-over", "where": "", "params": {}}]),
        ("totals", []),
        ("totals", [0, 0]),
        ("totals", [1.5, 0, 0, 0]),
        ("totals", ["1/0", 0, 0, 0]),
        ("finished", False),
        ("ended_by", None),
        ("ended_by", "boredom"),
        ("ranks", [1, 2, 3]),
        ("out", [4]),
        ("badges", [{"badge": "ford", "seat": 0, "entry": 0}]),
        ("extra", 1),
    ],
)
def test_result_that_contradicts_itself_does_not_fit_the_schema(field, value):
    result = load("turkish-king-whole.result")
    assert RESULTS.is_valid(result)
    assert not RESULTS.is_valid({**result, field: value})


@pytest.mark.parametrize(
    ("field", "value"),
    [("out", [2]), ("ranks", [1, 2, 3]), ("entries", [])],
)
def test_result_of_pairs_has_two_sides(field, value):
    result = load("partners-whole.result")
    assert RESULTS.is_valid({**result, field: value}) == (field == "entries")


@pytest.mark.parametrize(
    ("field", "value"),
    [("must", "choice"), ("contracts", ["No tricks"]), ("deal", 0), ("declarer", 4)],
)
def test_next_deal_that_cannot_be_does_not_fit_the_schema(field, value):
    result = load("open.result")
    assert RESULTS.is_valid(result)
    assert not RESULTS.is_valid({**result, "next": {**result["next"], field: value}})


def test_deal_of_a_long_game_has_any_number():
    result = load("open.result")
    assert RESULTS.is_valid({**result, "next": {**result["next"], "deal": 10_000}})
