"""Packs, switches of real tables, auctions: documents, short cases and whole games of each.

Every game was computed twice without the engine. `PENDING` names what does not pass yet; whatever
passes must leave it.
"""

import json
from pathlib import Path

import pytest

from tests.engine.documents import schemas
from tournaments.engine.documents.games import read_game, write_result
from tournaments.engine.documents.ruleset_records import read_ruleset, write_ruleset
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.engine.variants import RULESETS

FOLDER = Path(__file__).parent
CASES, PACKS = (
    {case["name"]: case for case in map(json.loads, (FOLDER / name).read_text().splitlines())}
    for name in ("cases.jsonl", "packs.jsonl")
)
GAMES = sorted(path.name.removesuffix(".game.json") for path in FOLDER.glob("*.game.json"))
DOCUMENTS = sorted(path.name for path in (FOLDER / "rulesets").iterdir())
PENDING = frozenset((FOLDER / "pending.txt").read_text().splitlines())


def load(name):
    return json.loads((FOLDER / name).read_text())


def all_of(names):
    return [
        pytest.param(name, marks=[pytest.mark.xfail(strict=True)] if name in PENDING else [])
        for name in names
    ]


def score(game):
    """Return the result of a game; its ruleset may not be built in yet."""
    rules = game["ruleset"]
    if isinstance(rules, str) and rules not in RULESETS:
        game = {**game, "ruleset": load(f"rulesets/{rules}.json")}
    result = write_result(read_game(game))
    assert schemas.is_game(game) or not result["valid"]
    if result["next"]:
        del result["next"]["must"]
    return result


def test_whatever_is_pending_is_a_case():
    assert PENDING.issubset({*CASES, *PACKS, *GAMES, *DOCUMENTS})


@pytest.mark.parametrize("name", all_of(CASES))
def test_case(name):
    result, expected = score(CASES[name]["game"]), CASES[name]["expect"]
    if "problem" in expected:
        found = [{k: p[k] for k in ("entry", "code", "where")} for p in result["problems"]]
        assert expected["problem"] in found
    else:
        assert {key: result[key] for key in expected} == expected


@pytest.mark.parametrize("name", all_of(PACKS))
def test_pack(name):
    pack = PACKS[name]
    if "totals" in pack:
        units = read_ruleset(pack["ruleset"]).units
        assert {unit: units[unit].total for unit in pack["totals"]} == pack["totals"]
        return
    with pytest.raises(InvalidEntry) as refused:
        read_ruleset(pack["ruleset"])
    found = [
        {"code": p.code, "where": p.where, "why": p.params.get("why")}
        for p in refused.value.problems
    ]
    assert pack["problem"] in found


@pytest.mark.parametrize("name", all_of(GAMES))
def test_game(name):
    expected = load(f"{name}.expect.json")
    result = score(load(f"{name}.game.json"))
    assert {key: result[key] for key in expected} == expected


@pytest.mark.parametrize("name", all_of(DOCUMENTS))
def test_document_of_a_ruleset_is_written_as_it_was_read(name):
    document = load(f"rulesets/{name}")
    four = {"sides": [0, 1, 2, 3]}
    assert four | write_ruleset(read_ruleset(document)) == four | document
