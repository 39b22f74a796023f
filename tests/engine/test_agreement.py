"""Italian King, Krapet and Euchre: the engine agrees with the naive scorers, right game or wrong.

More games than here: `DRAWN=2000 pytest tests/engine/test_agreement.py -k drawn`.
"""

import copy
import os
import random

import pytest

from tests.engine import (
    italian_deal_mutations,
    italian_drawing,
    italian_faults,
    italian_mutations,
    italian_oracle,
    piles_and_makers_drawing,
    piles_and_makers_faults,
    piles_and_makers_mutations,
    piles_and_makers_oracle,
)
from tests.engine.spoiled_drawing import draw_spoiled
from tests.engine.test_records import NAMES, NO_GAME, load, score_document
from tests.engine.test_schemas import check_result, is_game
from tournaments.engine.entry_records import write_entry
from tournaments.engine.records import play_record, read_game

DRAWN = int(os.environ.get("DRAWN", "60"))
"""Games drawn for each ruleset."""
ITALIAN = italian_oracle.ITALIAN
PILES_AND_MAKERS = piles_and_makers_oracle.PILES_AND_MAKERS
SCORE = dict.fromkeys(ITALIAN, italian_oracle.score) | dict.fromkeys(
    PILES_AND_MAKERS, piles_and_makers_oracle.score
)
DRAW = dict.fromkeys(ITALIAN, italian_drawing.draw_game) | dict.fromkeys(
    PILES_AND_MAKERS, piles_and_makers_drawing.draw_game
)
FAULTS = dict.fromkeys(ITALIAN, italian_faults.FAULTS) | piles_and_makers_faults.FAULTS
LISTS = (
    italian_mutations.MUTATIONS,
    italian_deal_mutations.MUTATIONS,
    piles_and_makers_mutations.MUTATIONS,
)
WHOLE = {
    ruleset: mutations.whole_game(ruleset) for mutations in LISTS for ruleset in mutations.whole
}
KEPT = [name for name in NAMES if load(name)["ruleset"] in SCORE]
# In one test for each ruleset: a test for each of thousands of cases costs more than the case.
MUTATIONS = {
    ruleset: [m for mutations in LISTS for m in mutations if ruleset in m.rulesets]
    for ruleset in WHOLE
}


def found_in(result):
    found = [
        (problem["entry"], problem["code"], problem["where"]) for problem in result["problems"]
    ]
    return sorted(found, key=str)


def drawn(ruleset):
    for seed in range(DRAWN):
        yield seed, DRAW[ruleset](random.Random(f"{ruleset} {seed}"), ruleset)


@pytest.mark.parametrize("ruleset", SCORE)
def test_drawn_game_is_scored_alike(ruleset):
    for seed, record in drawn(ruleset):
        assert score_document(record) == SCORE[ruleset](record), f"{ruleset} {seed}"


@pytest.mark.parametrize("ruleset", SCORE)
def test_drawn_game_adds_up_to_what_was_expected(ruleset):
    for seed, record in drawn(ruleset):
        game = read_game(record).game
        assert sum(game.totals) == game.expected_sum, f"{ruleset} {seed}"


@pytest.mark.parametrize("ruleset", SCORE)
def test_drawn_game_survives_being_written_and_read(ruleset):
    for seed, record in drawn(ruleset):
        game = read_game(record).game
        again = read_game({**record, "entries": []}).game
        for entry in game.entries:
            again = play_record(again, write_entry(entry))
        assert again == game, f"{ruleset} {seed}"


@pytest.mark.parametrize("ruleset", SCORE)
def test_drawn_game_and_its_result_fit_the_schemas(ruleset):
    for seed, record in drawn(ruleset):
        assert is_game(record), f"{ruleset} {seed}"
        check_result(SCORE[ruleset](record))


@pytest.mark.parametrize("name", KEPT)
def test_kept_record_is_scored_alike(name):
    result = load(f"{name}.result")
    assert SCORE[load(name)["ruleset"]](load(name)) == result
    assert score_document(load(name)) == result


def test_kept_records_cover_every_ruleset_and_every_ending():
    endings = {(load(name)["ruleset"], load(f"{name}.result")["ended_by"]) for name in KEPT}
    assert {ruleset for ruleset, _ in endings} == set(SCORE)
    assert {ended_by for _, ended_by in endings} == {None, "length", "target", "stopped"}


@pytest.mark.parametrize("ruleset", SCORE)
def test_drawn_game_with_one_thing_wrong_has_that_found(ruleset):
    for seed in range(3 * DRAWN):
        chance = random.Random(f"wrong {ruleset} {seed}")
        record = DRAW[ruleset](chance, ruleset)
        problems = draw_spoiled(chance, record, FAULTS[ruleset])
        if problems:
            assert found_in(score_document(record)) == sorted(problems, key=str), seed


@pytest.mark.parametrize("ruleset", WHOLE)
def test_whole_game_is_right_before_it_is_spoiled(ruleset):
    result = score_document(WHOLE[ruleset])
    assert (result["valid"], result["finished"]) == (True, True)


def spoiled(mutation, ruleset):
    record = copy.deepcopy(WHOLE[ruleset])
    mutation.spoil(record)
    return record


@pytest.mark.parametrize("ruleset", MUTATIONS)
def test_mutations_are_found(ruleset):
    wrong = [
        mutation.name
        for mutation in MUTATIONS[ruleset]
        if found_in(score_document(spoiled(mutation, ruleset)))
        != sorted(mutation.problems, key=str)
    ]
    assert wrong == []


@pytest.mark.parametrize("ruleset", MUTATIONS)
def test_mutations_leave_the_game_before_them(ruleset):
    for mutation in MUTATIONS[ruleset]:
        record = spoiled(mutation, ruleset)
        result = score_document(record)
        bad = mutation.problems[0][0]
        before = NO_GAME
        if bad is not None:
            before = SCORE[ruleset]({**record, "entries": record["entries"][:bad]})
        expected = {**before, "valid": False, "problems": result["problems"]}
        assert result == expected, mutation.name


def test_mutations_find_every_code_of_these_games():
    codes = {
        code
        for found in MUTATIONS.values()
        for mutation in found
        for _, code, _ in mutation.problems
    }
    assert codes == {
        "bad-adjustment", "bad-domino", "bad-euchre", "bad-krapet", "bad-offer", "bad-partner",
        "bad-sale", "bad-seat", "bad-trump", "contract-used-up", "count-too-large", "game-over",
        "missing-field", "negative-count", "open-deal", "out-of-order", "player-quota-used",
        "redeal-not-allowed", "unexpected-field", "unknown-contract", "unknown-format",
        "unknown-option", "unknown-ruleset", "void-not-allowed", "wrong-declarer",
        "wrong-players", "wrong-seats", "wrong-total", "wrong-type",
    }  # fmt: skip
