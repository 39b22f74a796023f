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
from tournaments import messages
from tournaments.engine.problems import Code, InvalidEntry
from tournaments.engine.records import parse_json, read_game, write_result

CASES = [
    pytest.param(mutation, ruleset, id=f"{mutation.name[:60]}-{ruleset}")
    for mutation in MUTATIONS
    for ruleset in mutation.rulesets
]


def spoiled(mutation, ruleset):
    """A whole game of `ruleset` after the mutation, and its reading."""
    record = whole_game(ruleset)
    mutation.spoil(record)
    return record, read_game(record)


def found_in(result):
    return sorted(
        (problem["entry"], problem["code"], problem["where"]) for problem in result["problems"]
    )


@pytest.mark.parametrize("ruleset", sorted({case.values[1] for case in CASES}))
def test_whole_game_is_right_before_it_is_spoiled(ruleset):
    result = write_result(read_game(whole_game(ruleset)))
    assert (result["valid"], result["ended_by"]) == (True, "length")


@pytest.mark.parametrize(("mutation", "ruleset"), CASES)
def test_mutation_is_found(mutation, ruleset):
    _record, reading = spoiled(mutation, ruleset)
    assert found_in(write_result(reading)) == sorted(mutation.problems)


@pytest.mark.parametrize(("mutation", "ruleset"), CASES)
def test_mutation_leaves_the_game_before_it(mutation, ruleset):
    record, reading = spoiled(mutation, ruleset)
    result = json.loads(json.dumps(write_result(reading)))

    entry = result["problems"][0]["entry"]
    assert result["valid"] is False
    if entry is None:
        rest = {name: result[name] for name in result if name not in ("valid", "problems")}
        assert rest == {
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
    else:
        before = write_result(read_game({**record, "entries": record["entries"][:entry]}))
        assert {**result, "valid": True, "problems": []} == json.loads(json.dumps(before))


@pytest.mark.parametrize("text", [pytest.param(BAD_JSON[name], id=name) for name in BAD_JSON])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(InvalidEntry) as refusal:
        parse_json(text)
    assert [(p.code, p.where) for p in refusal.value.problems] == [(Code.BAD_JSON, "")]


@pytest.mark.parametrize("document", [None, [], "kingscore-game/1", 1, True])
def test_what_is_no_object_is_no_game(document):
    assert found_in(write_result(read_game(document))) == [(None, "wrong-type", "")]


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
    assert codes | {"bad-json"} == {str(code) for code in Code}


def test_no_problem_is_listed_twice():
    for case in CASES:
        problems = spoiled(*case.values)[1].problems
        assert len({(p.code, p.where) for p in problems}) == len(problems)


@pytest.mark.parametrize("language", ["en", "tr", "it"])
def test_every_problem_can_be_explained(language):
    players = ("Ayşe", "Burak", "Cem", "Deniz")
    with translation.override(language):
        for case in CASES:
            for problem in spoiled(*case.values)[1].problems:
                sentence = messages.explain(problem, players)
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
