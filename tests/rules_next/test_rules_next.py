"""Packs, switches of real tables, auctions: documents, short cases and whole games of each.

Every game was computed twice without the engine; `test_pages.py` plays them on pages.
"""

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.api.conftest import Program
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


def load(name):
    return json.loads((FOLDER / name).read_text())


def whole(game):
    """Return a game with its ruleset, which may not be built in."""
    rules = game["ruleset"]
    if isinstance(rules, str) and rules not in RULESETS:
        return {**game, "ruleset": load(f"rulesets/{rules}.json")}
    return game


def score(game):
    return write_result(read_game(whole(game)))


def fits(result, expected):
    if "problem" in expected:
        found = [{k: p[k] for k in ("entry", "code", "where")} for p in result["problems"]]
        return expected["problem"] in found
    if result["next"]:
        result = {**result, "next": {k: v for k, v in result["next"].items() if k != "must"}}
    return {key: result[key] for key in expected} == expected


ALL = {name: (case["game"], case["expect"]) for name, case in CASES.items()}
ALL |= {name: (load(f"{name}.game.json"), load(f"{name}.expect.json")) for name in GAMES}


@pytest.mark.parametrize("name", ALL)
def test_case(name):
    game, expected = ALL[name]
    result = score(game)
    assert schemas.is_game(whole(game)) or not result["valid"]
    assert fits(result, expected), result


def test_command_scores_all_cases(tmp_path, capsys):
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(json.dumps(whole(game)) + "\n" for game, _expected in ALL.values()))
    with pytest.raises(SystemExit):
        call_command("score", str(file))
    results = map(json.loads, capsys.readouterr().out.splitlines())
    assert [
        name for name, result in zip(ALL, results, strict=True) if not fits(result, ALL[name][1])
    ] == []


@pytest.mark.django_db
def test_api_scores_all_cases():
    program = Program()
    answers = {name: program.post("score/", whole(game)) for name, (game, _expected) in ALL.items()}
    assert [name for name, answer in answers.items() if not fits(answer.json(), ALL[name][1])] == []


@pytest.mark.parametrize("name", PACKS)
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


@pytest.mark.parametrize("name", DOCUMENTS)
def test_document_of_a_ruleset_is_written_as_it_was_read(name):
    document = load(f"rulesets/{name}")
    four = {"sides": [0, 1, 2, 3]}
    assert four | write_ruleset(read_ruleset(document)) == four | document
