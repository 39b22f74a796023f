"""The Turkish forms, Portuguese King and Barbu, scored twice; spoiled records are found."""

import json
import random

import pytest

from tests.engine.test_records import NAMES, load
from tests.engine.turkish_forms_drawing import draw_game
from tests.engine.turkish_forms_end_mutations import MUTATIONS, REFUSED
from tests.engine.turkish_forms_mutations import ALL, whole_game
from tests.engine.turkish_forms_oracle import FORMS, score
from tournaments.engine.entry_records import write_entry
from tournaments.engine.records import parse_json, read_game, write_result

GAMES = 60
"""Drawn per ruleset; thousands were drawn by hand."""

RECORDS = [name for name in NAMES if load(name)["ruleset"] in FORMS]


def cases(mutations):
    return [
        pytest.param(mutation, ruleset, id=f"{mutation.name[:70]}-{ruleset}")
        for mutation in mutations
        for ruleset in mutation.rulesets
    ]


def score_document(document):
    """The result as it leaves the program: through JSON and back."""
    return json.loads(json.dumps(write_result(read_game(parse_json(json.dumps(document))))))


def spoiled(mutation, ruleset):
    record = whole_game(ruleset)
    mutation.spoil(record)
    return record


def where(problem):
    """The place of a problem; a seal is broken at either of its two fields."""
    seal = problem["code"] == "bad-seal" and problem["where"] in ("sealed", "salt")
    return "sealed or salt" if seal else problem["where"]


@pytest.mark.parametrize("ruleset", FORMS)
def test_drawn_games_are_scored_as_by_the_naive_scorer(ruleset):
    for seed in range(GAMES):
        record = draw_game(random.Random(f"{ruleset} {seed}"), ruleset)
        assert score_document(record) == score(record), (seed, record)


@pytest.mark.parametrize("ruleset", FORMS)
def test_drawn_games_survive_being_read_and_written(ruleset):
    for seed in range(GAMES):
        record = draw_game(random.Random(f"{ruleset} {seed}"), ruleset)
        game = read_game(record).game
        written = {**record, "entries": [write_entry(entry) for entry in game.entries]}
        assert read_game(json.loads(json.dumps(written))).game == game, seed


@pytest.mark.parametrize("name", RECORDS)
def test_record_is_scored_alike_by_engine_file_and_naive_scorer(name):
    assert score(load(name)) == load(f"{name}.result")
    assert score_document(load(name)) == load(f"{name}.result")


def test_sealed_examples_have_the_points_of_the_rules():
    for name, points in (
        ("sealed-no-men", [-180, -60, -180, -60]),
        ("sealed-trump", [200, 150, 250, 50]),
        ("sealed-own-unit", [-180, -60, -180, -60]),
    ):
        assert score_document(load(name))["entries"][-1]["points"] == points


def test_double_examples_have_the_points_of_the_rules():
    first, second, *_ = score_document(load("double-whole"))["entries"]
    assert (first["points"], first["expected_sum"]) == ([-950, -650, -890, -110], -2600)
    assert (second["points"][3], second["expected_sum"]) == (-640, -5200)


@pytest.mark.parametrize("name", [name for name in RECORDS if name.endswith("-whole")])
def test_whole_game_ends_by_its_length_with_the_sum_of_the_rules(name):
    result = score_document(load(name))
    expected = 5200 if name == "honeymoon-whole" else 0
    assert (result["ended_by"], result["expected_sum"]) == ("length", expected)


@pytest.mark.parametrize("ruleset", ALL)
def test_whole_game_is_right_before_it_is_spoiled(ruleset):
    result = score_document(whole_game(ruleset))
    assert (result["problems"], result["ended_by"]) == ([], "length")


@pytest.mark.parametrize("ruleset", ALL)
def test_every_beginning_of_a_whole_game_is_scored_as_by_the_naive_scorer(ruleset):
    game = whole_game(ruleset)
    for length in range(len(game["entries"])):
        beginning = {**game, "entries": game["entries"][:length]}
        assert score_document(beginning) == score(beginning), length


@pytest.mark.parametrize("ruleset", ["turkish-king-blind", "turkish-king-sealed"])
def test_declared_king_with_a_queen_each_stands_as_failed(ruleset):
    deal = {
        "type": "deal",
        "contract": "no-queens",
        "king_declared_by": 1,
        "counts": {"queens": [1, 1, 1, 1]},
    }
    record = {**whole_game(ruleset), "options": {"king": "declared"}, "entries": [deal]}
    result = score_document(record)
    assert result == score(record)
    assert (result["ended_by"], result["sunk"]) == ("failed-king", [1])


@pytest.mark.parametrize("name", ["double-whole", "partners-whole", "sealed-whole", "blind-whole"])
def test_option_that_is_stated_with_its_default_changes_nothing(name):
    record = load(name)
    record["options"] = {"king": "ends-game", "king_deals": "all"}
    assert score_document(record) == load(f"{name}.result")


def mutations_of(ruleset):
    return [mutation for mutation in MUTATIONS if ruleset in mutation.rulesets]


# In one test for each ruleset: a test for each of thousands of cases costs more than the case.


@pytest.mark.parametrize("ruleset", ALL)
def test_spoiled_records_are_found(ruleset):
    for mutation in mutations_of(ruleset):
        problems = score_document(spoiled(mutation, ruleset))["problems"]
        found = {(problem["entry"], problem["code"], where(problem)) for problem in problems}
        assert found == set(mutation.problems), mutation.name


@pytest.mark.parametrize("ruleset", ALL)
def test_spoiled_records_leave_the_game_before_them(ruleset):
    for mutation in mutations_of(ruleset):
        record = spoiled(mutation, ruleset)
        result = score_document(record)
        entry = mutation.problems[0][0]
        if entry is None:
            nothing = (result["entries"], result["totals"], result["next"])
            assert nothing == ([], [], None), mutation.name
            continue
        before = score({**record, "entries": record["entries"][:entry]})
        assert {**result, "valid": True, "problems": []} == before, mutation.name


@pytest.mark.parametrize(("mutation", "ruleset"), cases(REFUSED))
def test_spoiled_record_is_refused_in_some_words(mutation, ruleset):
    assert score_document(spoiled(mutation, ruleset))["valid"] is False
