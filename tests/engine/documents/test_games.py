"""Games as records: replayed, scored, spoiled in every way, and beside their schemas.

The result beside each record was written without the engine. `tests/records/spoiled.jsonl` lists a
change of kept games (`put` a value at a place, `drop` a field, `insert` an entry) with the problems
that must be `found`: entry, code and place.
"""

import json
import re
from functools import reduce

import pytest
from django.utils import translation
from jsonschema import Draft202012Validator

from tests.engine.documents import schemas
from tests.sample_games import BAD_JSON, DRAWN, NAMES, RECORDS, load, load_result
from tournaments.engine.documents import entries, games
from tournaments.engine.documents.entries import move_seats, write_entry
from tournaments.engine.documents.games import parse_json, play_entry, read_game
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.rules.rulesets import UNITS, Code, InvalidEntry
from tournaments.engine.variants import RULESETS
from tournaments.texts import messages


def drawn_of(ruleset):
    return [kept for kept in DRAWN if kept["record"]["ruleset"] == ruleset]


@pytest.mark.parametrize("name", NAMES)
def test_record_gives_the_result_kept_beside_it(name):
    assert schemas.score_document(load(name)) == load(f"{name}.result")


@pytest.mark.parametrize("ruleset", RULESETS)
def test_drawn_games_give_the_results_kept_beside_them(ruleset):
    for kept in drawn_of(ruleset):
        assert schemas.score_document(kept["record"]) == kept["result"]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_entries_survive_being_written_and_read_again(ruleset):
    kept = [load(name) for name in NAMES if load(name)["ruleset"] == ruleset]
    for record in [*kept, *(drawn["record"] for drawn in drawn_of(ruleset))]:
        game = read_game(record).game
        again = read_game({**record, "entries": []}).game
        for entry in game.entries:
            again = play_entry(again, write_entry(entry))
        assert again == game


@pytest.mark.parametrize("ruleset", RULESETS)
def test_game_moved_by_one_seat_gives_the_same_totals_one_seat_on(ruleset):
    for kept in drawn_of(ruleset):
        record, game = kept["record"], read_game(kept["record"]).game
        sides = game.ruleset.sides
        to = [*range(1, len(sides)), 0]
        moved = {
            **record,
            "first_declarer": to[record.get("first_declarer", 0)],
            "entries": [move_seats(body, to, sides) for body in record["entries"]],
        }
        totals = read_game(moved).game.totals
        assert [totals[sides[seat]] for seat in to] == [game.totals[side] for side in sides]


@pytest.mark.parametrize("schema", schemas.PUBLISHED.values(), ids=schemas.PUBLISHED)
def test_schema_is_a_schema(schema):
    Draft202012Validator.check_schema(schema)


def test_records_and_drawn_games_and_their_results_fit_the_schemas():
    assert [name for name in NAMES if not schemas.is_game(load(name))] == []
    assert [kept for kept in DRAWN if not schemas.is_game(kept["record"])] == []
    for result in (*map(load_result, NAMES), *(kept["result"] for kept in DRAWN)):
        schemas.check_result(result)


@pytest.mark.parametrize("kind", entries.FORMS)
def test_game_schema_has_the_fields_of_every_entry(kind):
    form, schema = entries.FORMS[kind], schemas.GAME["$defs"][kind]
    assert set(schema["properties"]) == set(form.shapes)
    assert set(schema["required"]) == {"type", *form.required}


@pytest.mark.parametrize("ruleset", RULESETS)
def test_game_schema_takes_the_options_a_ruleset_has(ruleset):
    record = {**schemas.an_empty_game(ruleset), "options": {}}
    values = {
        (option.setting, value)
        for each in RULESETS.values()
        for option in each.options
        for value in option.values or (2, 7, "3/2")
    }
    taken = {
        (name, repr(value))
        for name, value in values
        if schemas.is_game({**record, "options": {name: value}})
    }
    assert taken == {
        (name, repr(value)) for name, value in values if is_known(RULESETS[ruleset], name, value)
    }


def is_known(ruleset, name, value):
    reading = games.read_game({**schemas.an_empty_game(ruleset.id), "options": {name: value}})
    return reading.problems == ()


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("-whole")])
def test_game_with_a_house_ruleset_fits_the_schema(name):
    record = load(name)
    assert schemas.is_game({**record, "ruleset": write_ruleset(RULESETS[record["ruleset"]])})


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "deal", "contract": 3},
        {"type": "deal", "contract": "half-trump", "declarer": 6},
        {"type": "deal", "contract": "half-trump", "counts": {"tens": [1, 1, 1, 1]}},
        {"type": "deal", "contract": "half-trump", "counts": {"tricks": [53, 0, 0, -40]}},
        {"type": "deal", "contract": "half-trump", "dealer": 0},
        {"type": "void", "reason": "boredom"},
        {"type": "redeal", "reason": "misdeal"},
        {"type": "hand"},
    ],
)
def test_wrong_form_in_a_game_with_a_house_ruleset_does_not_fit_the_schema(entry):
    record = schemas.an_empty_game("turkish-king")
    record["ruleset"] = write_ruleset(RULESETS["turkish-king"])
    assert schemas.is_game(record)
    assert not schemas.is_game({**record, "entries": [entry]})


def is_entry(entry, ruleset, **options):
    return schemas.is_game(
        {**schemas.an_empty_game(ruleset), "options": options, "entries": [entry]}
    )


@pytest.mark.parametrize(
    ("ruleset", "contract"),
    [(r, contract) for r in RULESETS.values() for contract in r.contracts if contract.named],
    ids=lambda table: table.id,
)
def test_deal_holds_the_units_of_its_contract_and_no_others(ruleset, contract):
    needed = {"closed_by": 0, "partner": 1}
    own = {name: needed[name] for name in (*ruleset.fields, *contract.fields) if name in needed}
    pair = {"declarer": 0} if ruleset.declares == "pair" else {}
    played = {"type": "deal", "contract": contract.id, **pair, **own}
    sides = [0] * ruleset.side_count
    units = dict.fromkeys(contract.values, sides)
    assert is_entry({**played, "counts": units}, ruleset.id)
    for unit in contract.values:
        fewer = {name: count for name, count in units.items() if name != unit}
        assert not is_entry({**played, "counts": fewer}, ruleset.id)
    for unit in UNITS.keys() - units.keys():
        assert not is_entry({**played, "counts": {**units, unit: sides}}, ruleset.id)


NEARLY_RIGHT = (RECORDS / "nearly_right.jsonl").read_text().splitlines()
"""Entries of the right form, and what makes each wrong."""


@pytest.mark.parametrize("line", NEARLY_RIGHT)
def test_what_is_nearly_right_does_not_fit_the_schema(line):
    case = json.loads(line)
    entry, ruleset, options = case["entry"], case["ruleset"], case.get("options", {})
    assert is_entry(entry, ruleset, **options)
    assert not is_entry({**entry, **case["wrong"]}, ruleset, **options)


SPOILED = [json.loads(line) for line in (RECORDS / "spoiled.jsonl").read_text().splitlines()]
CODES = sorted({code for case in SPOILED for _entry, code, _where in case["found"]})

FOUND_BY_FORM = {
    *("unknown-format", "unknown-ruleset", "unknown-option", "missing-field", "unexpected-field"),
    *("wrong-type", "wrong-players", "unknown-contract", "wrong-seats", "bad-seat", "bad-trump"),
    *("negative-count", "count-too-large"),
}
NO_GAME = {
    "format": "kingscore-result/1",
    "expected_sum": 0,
    "finished": False,
    **dict.fromkeys(("ended_by", "next")),
    **{name: [] for name in ("entries", "totals", "ranks", "out", "sunk", "badges")},
}
"""The result of a record whose head is at fault, but for its problems."""

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
            result = schemas.score_document(game)
            assert found_in(result) == sorted(case["found"], key=str), (name, case)
            before = NO_GAME
            if entry is not None:
                before = schemas.score_document({**game, "entries": game["entries"][:entry]})
            expected = {**before, "valid": False, "problems": result["problems"]}
            assert result == expected, (name, case)
            schemas.check_result(result)


@pytest.mark.parametrize("code", sorted(FOUND_BY_FORM))
def test_what_has_a_wrong_form_does_not_fit_the_schema(code):
    fits = []
    for case in cases_of(code):
        entry, _code, where = case["found"][0]
        for name, game in spoiled(case):
            if isinstance(game.get("entries"), list):
                # The fault has to be found where it is.
                game["entries"] = [] if entry is None else [game["entries"][entry]]
            if (code, where) not in FOUND_BY_THE_GAME and schemas.is_game(game):
                fits.append((name, case))
    # JSON Schema knows one kind of number, of any size, and no dates.
    beyond = re.compile(r"\d\.0\b|\d{101}|yesterday")
    assert [fit for fit in fits if not beyond.search(json.dumps(fit))] == []


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
    result = schemas.score_document(document)
    assert found_in(result) == [[None, "wrong-type", ""]]
    schemas.check_result(result)
