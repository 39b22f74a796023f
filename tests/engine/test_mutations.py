"""Every way to be wrong is found, where it is, and can be explained in each language."""

import json

import pytest
from django.utils import translation

from tests.engine import (
    italian_deal_mutations,
    italian_mutations,
    piles_and_makers_mutations,
    turkish_forms_end_mutations,
)
from tests.engine.mutations import BAD_JSON, MUTATIONS, whole_game
from tests.engine.test_records import NO_GAME
from tests.engine.test_schemas import MUTATIONS as EVERY_MUTATION
from tests.engine.test_schemas import spoil
from tournaments import messages
from tournaments.engine.problems import Code, InvalidEntry
from tournaments.engine.records import parse_json, read_game, write_result

RULESETS = sorted({ruleset for mutation in MUTATIONS for ruleset in mutation.rulesets})


def mutations_of(ruleset):
    return [mutation for mutation in MUTATIONS if ruleset in mutation.rulesets]


def spoiled(mutation, ruleset):
    """A whole game of `ruleset` after the mutation, and its reading."""
    record = whole_game(ruleset)
    mutation.spoil(record)
    return record, read_game(record)


def found_in(result):
    return sorted(
        (problem["entry"], problem["code"], problem["where"]) for problem in result["problems"]
    )


@pytest.mark.parametrize("ruleset", RULESETS)
def test_whole_game_is_right_before_it_is_spoiled(ruleset):
    result = write_result(read_game(whole_game(ruleset)))
    assert (result["valid"], result["ended_by"]) == (True, "length")


# In one test for each ruleset: a test for each of hundreds of cases costs more than the case.


@pytest.mark.parametrize("ruleset", RULESETS)
def test_mutations_are_found(ruleset):
    for mutation in mutations_of(ruleset):
        _record, reading = spoiled(mutation, ruleset)
        assert found_in(write_result(reading)) == sorted(mutation.problems), mutation.name


@pytest.mark.parametrize("ruleset", RULESETS)
def test_mutations_leave_the_game_before_them(ruleset):
    for mutation in mutations_of(ruleset):
        record, reading = spoiled(mutation, ruleset)
        result = json.loads(json.dumps(write_result(reading)))
        entry = result["problems"][0]["entry"]
        before = NO_GAME
        if entry is not None:
            before = write_result(read_game({**record, "entries": record["entries"][:entry]}))
        expected = {**before, "valid": False, "problems": result["problems"]}
        assert result == json.loads(json.dumps(expected)), mutation.name


@pytest.mark.parametrize("text", [pytest.param(BAD_JSON[name], id=name) for name in BAD_JSON])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(InvalidEntry) as refusal:
        parse_json(text)
    assert [(p.code, p.where) for p in refusal.value.problems] == [(Code.BAD_JSON, "")]


@pytest.mark.parametrize("document", [None, [], "kingscore-game/1", 1, True])
def test_what_is_no_object_is_no_game(document):
    assert found_in(write_result(read_game(document))) == [(None, "wrong-type", "")]


OF_SEATINGS = {
    "odd-table",
    "too-few-entrants",
    "duplicate-entrant",
    "unknown-entrant",
    "impossible-fixed",
}
"""What only a seating can have wrong: see `test_pair_command.py`."""


def test_every_code_is_found_somewhere():
    codes = {
        code
        for mutations in (
            MUTATIONS,
            turkish_forms_end_mutations.MUTATIONS,
            italian_mutations.MUTATIONS,
            italian_deal_mutations.MUTATIONS,
            piles_and_makers_mutations.MUTATIONS,
        )
        for mutation in mutations
        for _, code, _ in mutation.problems
    }
    # What is no JSON is no record that could be spoiled: see BAD_JSON.
    assert codes | {"bad-json"} | OF_SEATINGS == {str(code) for code in Code}


def test_no_problem_is_listed_twice_and_every_one_can_be_explained():
    players = ("Ayşe", "Burak", "Cem", "Deniz")
    for case in EVERY_MUTATION:
        problems = read_game(spoil(*case)).problems
        assert len({(p.code, p.where) for p in problems}) == len(problems), case[1].name
        for language in ("en", "tr", "it"):
            with translation.override(language):
                check_sentences([messages.explain(problem, players) for problem in problems])


def check_sentences(sentences):
    for sentence in sentences:
        assert sentence.strip()
        assert "%" not in sentence
        assert "None" not in sentence


def test_every_code_has_a_sentence():
    assert set(messages.SENTENCES) == set(Code)


@pytest.mark.parametrize("language", ["tr", "it"])
def test_every_sentence_is_translated_with_the_same_words_to_fill_in(language):
    with translation.override("en"):
        originals = {code: str(sentence) for code, sentence in messages.SENTENCES.items()}
    with translation.override(language):
        translated = {code: str(sentence) for code, sentence in messages.SENTENCES.items()}
    untranslated = [str(code) for code in Code if translated[code] == originals[code]]
    assert untranslated == []
    assert {code: places(text) for code, text in translated.items()} == {
        code: places(text) for code, text in originals.items()
    }


def places(text):
    """The names of what is filled into a sentence."""
    return {part.split(")")[0] for part in text.split("%(")[1:]}
