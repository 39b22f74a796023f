import copy
import json
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.engine.play.table_play import draw_contract, draw_counts, play_on
from tests.sample_games import RECORDS, load
from tournaments.engine.documents import ruleset_records as records
from tournaments.engine.documents.games import read_game, write_result
from tournaments.engine.documents.ruleset_records import ruleset_schema
from tournaments.engine.play.games import Game, check, play
from tournaments.engine.play.outcomes import award, decide
from tournaments.engine.rules.entries import Deal
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.engine.variants import RULESETS

SCHEMA = ruleset_schema()
FUZZ = settings(suppress_health_check=[HealthCheck.too_slow])


def document(ruleset="turkish-king"):
    return json.loads(json.dumps(records.write_ruleset(RULESETS[ruleset])))


def problems_of(rules):
    try:
        records.read_ruleset(rules)
    except InvalidEntry as error:
        return [(str(p.code), p.where, p.params.get("why")) for p in error.problems]
    return []


def at(rules, path):
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        rules = rules[step]
    return rules, last


def changed(ruleset, *changes):
    """A ruleset of the program with values put at paths; `...` takes one away."""
    rules = document(ruleset)
    for path, value in changes:
        place, step = at(rules, path)
        if value is ...:
            del place[step]
        else:
            place[step] = value
    return rules


def fits_schema(rules):
    return Draft202012Validator(SCHEMA).is_valid(rules)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_ruleset_survives_writing_and_reading(ruleset):
    rules = document(ruleset)
    assert records.read_ruleset(rules) == RULESETS[ruleset]
    assert records.write_ruleset(records.read_ruleset(rules)) == rules
    assert fits_schema(rules)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_units_and_quotas_stay_in_their_order_whatever_a_database_does(ruleset):
    # As a database gives it back, which keeps no order of names.
    kept = json.loads(json.dumps(document(ruleset), sort_keys=True))
    read = records.read_ruleset(kept)
    for contract, original in zip(read.contracts, RULESETS[ruleset].contracts, strict=True):
        assert list(contract.values) == list(original.values)
    assert list(read.quotas) == list(RULESETS[ruleset].quotas)


def test_documented_ruleset_is_read():
    text = (Path(__file__).parents[3] / "docs" / "rulesets.md").read_text()
    rules = json.loads(text.partition("```json")[2].partition("```")[0])
    assert problems_of(rules) == []
    assert fits_schema(rules)


CODES = {"missing-field", "unexpected-field", "unknown-contract", "unknown-format", "wrong-type"}


def fault(ruleset, where, why, put=(), drop=()):
    code, why = (why, None) if why in CODES else ("bad-ruleset", why)
    return ruleset, [*dict(put).items(), *((path, ...) for path in drop)], code, where, why


WRONG = (RECORDS / "wrong_rulesets.jsonl").read_text().splitlines()
FAULTS = [fault(**json.loads(line)) for line in WRONG]
"""Rulesets of the program with values put at paths or dropped, and what is wrong where."""


@pytest.mark.parametrize(
    ("ruleset", "changes", "code", "where", "why"),
    FAULTS,
    ids=[f"{f[0]} {f[1][0][0]}={f[1][0][1]}"[:60] for f in FAULTS],
)
def test_fault_is_found_where_it_is(ruleset, changes, code, where, why):
    assert (code, where, why) in problems_of(changed(ruleset, *changes))


def test_all_faults_are_found_at_once():
    rules = changed("turkish-king", ("id", 1), ("colour", 1), ("contracts.0.kind", ...))
    assert {where for _, where, _ in problems_of(rules)} == {"id", "colour", "contracts.0.kind"}


@pytest.mark.parametrize(
    ("ruleset", "changes"),
    [
        ("turkish-king", [("quotas", {}), ("deals", 12)]),
        ("turkish-king", [("deals", 7), ("quotas", {"penalty": 2, "trump": 2})]),
        ("turkish-king", [("contracts.4.values.heart_king", -400)]),
        ("turkish-king", [("contracts.4.values.heart_king", "-641/2")]),
        ("turkish-king", [("settings.target", 1000)]),
        ("turkish-king-bloody", [("settings.order", "strict")]),
        ("italian-king-choice", [("quotas", {})]),
        ("honeymoon-king", [("settings.target", 300), ("deals", ...)]),
        ("barbu", [("in_a_row", 1)]),
    ],
)
def test_house_rules_that_can_be_played_are_read(ruleset, changes):
    rules = changed(ruleset, *changes)
    assert problems_of(rules) == []
    assert fits_schema(rules)


OF_THE_FORM = {"unknown-format", "missing-field", "unexpected-field", "wrong-type"}


@pytest.mark.parametrize(
    ("ruleset", "changes", "code", "where", "why"),
    [
        fault
        for fault in FAULTS
        if (fault[2] in OF_THE_FORM and not fault[3].startswith(("settings", "contracts.7")))
        or fault[4] in ("no-id", "too-long", "unknown", "out-of-range")
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_has_a_wrong_form_does_not_fit_the_schema(ruleset, changes, code, where, why):
    assert not fits_schema(changed(ruleset, *changes))


def house_record(**changes):
    record = {**load("turkish-king-whole"), "ruleset": document()}
    return copy.deepcopy({**record, **changes})


def test_game_of_house_rules_is_scored_by_them():
    record = house_record()
    assert write_result(read_game(record)) == load("turkish-king-whole.result")
    record["ruleset"]["contracts"][4]["values"]["heart_king"] = -400
    result = write_result(read_game(record))
    assert (result["valid"], result["expected_sum"]) == (True, -160)


def test_problems_of_house_rules_stand_under_the_ruleset():
    record = house_record()
    record["ruleset"]["contracts"][2]["values"] = {"tricks": None}
    result = write_result(read_game(record))
    assert [(p["entry"], p["code"], p["where"]) for p in result["problems"]] == [
        (None, "wrong-type", "ruleset.contracts.2.values.tricks")
    ]


@pytest.mark.parametrize("rules", [None, [], 1, True])
def test_ruleset_is_an_id_or_a_document(rules):
    result = write_result(read_game(house_record(ruleset=rules)))
    assert [(p["code"], p["where"]) for p in result["problems"]] == [("wrong-type", "ruleset")]


def test_options_belong_to_the_house_rules():
    record = house_record(options={"king": "off"})
    record["ruleset"]["options"] = record["ruleset"]["implied"] = []
    result = write_result(read_game(record))
    assert [(p["code"], p["where"]) for p in result["problems"]] == [
        ("unknown-option", "options.king")
    ]


# Whatever stands in a document.

JUNK = st.sampled_from(
    json.loads("""[
        null, true, false, 0, 1, 2, 3, 4, 7, 13, -1, 28, 1e30, 1.5, "", "x", "3/2", "1/0", [], {},
        [0, 1], [0, 1, 2], [0, 1, 0, 1], ["tricks"], {"tricks": 3}, {"cards_left": -1},
        {"penalty": 1}, {"penalty": 3}, {"places": 0}, {"tricks": -1, "queens": 5},
        ["doubles"], ["third"], ["partner"], ["sealed", "salt"], ["offered", "third"],
        ["sale"], ["blind"], ["closed_by"], ["maker", "tricks"], ["winner", "left"],
        [45, 20, 5, -5], [10], ["cappotto"], ["blind", "sale"], ["secret-pair"],
        "per-unit", "domino", "pair-domino", "pair-difference", "places", "piles-emptied",
        "makers-and-defenders", "pair", "penalty", "trump", "strict", "ordered", "free",
        "sealed", "pair-out-and-sunk", "highest-wins", "declared", "ends-game", "plus13"
    ]""")
)


def paths_of(value, path=()):
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in inner:
        yield (*path, key)
        yield from paths_of(item, (*path, key))


OPTIONAL = (
    ("settings", "king"),
    ("settings", "order"),
    ("settings", "target"),
    ("settings", "domino_winners"),
    ("settings", "cappotto"),
    ("in_a_row",),
    ("passes",),
    ("declares",),
    ("sides",),
    ("fields",),
    ("steps",),
    ("deals",),
    ("quotas",),
    ("stages",),
    ("all_units",),
    *(("contracts", 0, name) for name in ("quota", "quota_each", "prizes", "fields", "scoring")),
    *(("contracts", 0, name) for name in ("named", "declared", "cappotto", "replay_one_each")),
)


@st.composite
def house_rules(draw):
    """A ruleset of the program with a few things in it replaced or left out."""
    rules = document(draw(st.sampled_from(sorted(RULESETS))))
    for _ in range(draw(st.integers(0, 4))):
        *steps, last = draw(st.sampled_from([*paths_of(rules), *OPTIONAL]))
        place = rules
        for step in steps:
            if isinstance(place, dict):
                place = place.setdefault(step, {})
            elif isinstance(place, list) and step in range(len(place)):
                place = place[step]
        if not (isinstance(place, dict) or (isinstance(place, list) and last in range(len(place)))):
            continue
        if draw(st.integers(0, 4)) == 0 and (isinstance(place, list) or last in place):
            del place[last]
        else:
            place[last] = copy.deepcopy(draw(JUNK))
    return rules


@pytest.mark.slow
@settings(FUZZ, max_examples=200)
@given(house_rules(), st.integers(0, 2**32))
def test_any_document_gives_problems_or_a_game_that_can_be_played(rules, seed):
    try:
        ruleset = records.read_ruleset(rules)
    except InvalidEntry:
        return
    assert records.read_ruleset(json.loads(json.dumps(records.write_ruleset(ruleset)))) == ruleset
    chance = random.Random(seed)
    game, _ = play_on(chance, Game(ruleset, chance.randrange(ruleset.seats)), 40)
    assert sum(game.totals) == game.expected_sum
    decide(game)
    award(game)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_play_by_chance_gets_somewhere_in_every_ruleset(ruleset):
    games = [play_on(random.Random(n), Game(RULESETS[ruleset]), 40)[0] for n in range(20)]
    assert any(game.deals for game in games)


def finish(chance, game):
    while not game.finished:
        assert game.ruleset.unnamed or game.legal_contracts(), len(game.deals)
        contract = draw_contract(chance, game)
        for _ in range(200):
            counts = draw_counts(chance, game.ruleset, contract)
            deal = Deal(contract.id, game.declarer if contract.declared else None, counts)
            if not list(check(game, deal)):
                break
        game = play(game, deal)
    return game


def plain(rules):
    """A document without what a deal needs besides its counts, so that any game is soon over."""
    rules["settings"] = {
        name: value
        for name, value in rules.get("settings", {}).items()
        if name in ("outcome", "order", "declarations", "domino_winners")
    }
    rules["options"] = rules["steps"] = rules["fields"] = []
    rules.pop("stages", None)
    return rules


@st.composite
def limited_rules(draw):
    bases = ["turkish-king", "turkish-king-bloody", "italian-king-choice", "barbu", "rifki"]
    rules = plain(document(draw(st.sampled_from(bases))))
    rules["settings"]["order"] = draw(st.sampled_from(["free", "ordered", "strict"]))
    rules["deals"] = draw(st.integers(1, 30))
    rules["in_a_row"] = draw(st.sampled_from([1, 1, 2, 5, 7]))
    kinds = st.sampled_from(["penalty", "trump", "choice"])
    rules["quotas"] = draw(st.dictionaries(kinds, st.integers(1, 4)))
    for contract in rules["contracts"]:
        contract["fields"] = []
        for limit in ("quota", "quota_each"):
            if draw(st.integers(0, 5)) == 0:
                contract[limit] = draw(st.integers(1, 9))
    return rules


@settings(FUZZ, max_examples=80)
@given(limited_rules(), st.integers(0, 2**32))
def test_game_of_readable_rules_never_runs_out_of_contracts(rules, seed):
    try:
        ruleset = records.read_ruleset(rules)
    except InvalidEntry:
        return
    chance = random.Random(seed)
    for first in range(4):
        assert finish(chance, Game(ruleset, first)).ending.by == "length"
