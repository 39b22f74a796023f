"""Right games spoiled in every way: what is wrong is found, where it is, and can be explained.

`tests/records/spoiled.jsonl` lists a change of kept games (`put` a value at a place, `drop` a
field, `insert` an entry) with the problems that must be `found`: entry, code and place.
"""

import json
import re
from functools import reduce

import pytest
from django.utils import translation

from tests.engine.documents.schemas import check_result, is_game
from tests.engine.documents.score_documents import NO_GAME, score_document
from tests.sample_games import BAD_JSON, RECORDS, load
from tournaments.engine.documents.games import parse_json, read_game
from tournaments.engine.rules.rulesets import Code, InvalidEntry
from tournaments.texts import messages

SPOILED = [json.loads(line) for line in (RECORDS / "spoiled.jsonl").read_text().splitlines()]
CODES = sorted({code for case in SPOILED for _entry, code, _where in case["found"]})

OF_SEATINGS = {
    "odd-table",
    "too-few-entrants",
    "duplicate-entrant",
    "unknown-entrant",
    "impossible-fixed",
}
OF_TOTALS = {"bad-sum", "below-target"}
OF_LIMITS = {"too-many-entries", "too-many-revisions", "too-large"}
"""Only a seating has these: see `test_score.py`."""
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


def spoiled(case):
    for name in case["games"]:
        game = load(name)
        for place, value in case.get("put", {}).items():
            holder, field = holder_of(game, place)
            holder[field] = value
        for place in case.get("drop", ()):
            holder, field = holder_of(game, place)
            del holder[field]
        if "insert" in case:
            game["entries"].insert(*case["insert"])
        yield name, game


def holder_of(game, place):
    *path, field = (int(step) if step.isdigit() else step for step in place.split("."))
    return reduce(lambda holder, step: holder[step], path, game), field


def cases_of(code):
    """The cases in which a code is found first: a test for each case would cost more than it."""
    return [case for case in SPOILED if case["found"][0][1] == code]


def found_in(result):
    found = [[p["entry"], p["code"], p["where"]] for p in result["problems"]]
    return sorted(found, key=str)


@pytest.mark.parametrize("code", CODES)
def test_what_is_wrong_is_found_and_the_game_before_it_stays(code):
    for case in cases_of(code):
        entry = case["found"][0][0]
        for name, game in spoiled(case):
            result = score_document(game)
            assert found_in(result) == sorted(case["found"], key=str), (name, case)
            before = NO_GAME
            if entry is not None:
                before = score_document({**game, "entries": game["entries"][:entry]})
            expected = {**before, "valid": False, "problems": result["problems"]}
            assert result == expected, (name, case)
            check_result(result)


@pytest.mark.parametrize("code", sorted(FOUND_BY_FORM))
def test_what_has_a_wrong_form_does_not_fit_the_schema(code):
    fits = []
    for case in cases_of(code):
        entry, _code, where = case["found"][0]
        for name, game in spoiled(case):
            if isinstance(game.get("entries"), list):
                # The fault has to be found where it is.
                game["entries"] = [] if entry is None else [game["entries"][entry]]
            if (code, where) not in FOUND_BY_THE_GAME and is_game(game):
                fits.append((name, case))
    # JSON Schema knows one kind of number, of any size, and no dates.
    beyond = re.compile(r"\d\.0\b|\d{101}|yesterday")
    assert [fit for fit in fits if not beyond.search(json.dumps(fit))] == []


def test_every_code_is_found_somewhere():
    found = {code for case in SPOILED for _entry, code, _where in case["found"]}
    assert found | {"bad-json"} | OF_SEATINGS | OF_TOTALS | OF_LIMITS == {
        str(code) for code in Code
    }


def test_every_problem_can_be_explained():
    players = ("Ayşe", "Burak", "Cem", "Deniz")
    games = [game for case in SPOILED for _name, game in spoiled(case)]
    problems = [problem for game in games for problem in read_game(game).problems]
    for language in ("en", "tr", "it"):
        with translation.override(language):
            for problem in problems:
                sentence = messages.explain(problem, players)
                assert sentence.strip(), problem
                assert not {"%", "None"} & set(re.findall(r"%|None", sentence)), problem


@pytest.mark.parametrize("text", BAD_JSON.values(), ids=BAD_JSON)
def test_what_is_no_json_is_refused(text):
    with pytest.raises(InvalidEntry) as refusal:
        parse_json(text)
    assert [(p.code, p.where) for p in refusal.value.problems] == [(Code.BAD_JSON, "")]


@pytest.mark.parametrize("document", [None, [], "kingscore-game/1", 1, True])
def test_what_is_no_object_is_no_game(document):
    result = score_document(document)
    assert found_in(result) == [[None, "wrong-type", ""]]
    check_result(result)
