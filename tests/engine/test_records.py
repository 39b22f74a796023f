"""Games kept as records are replayed; the result beside each was written without the engine."""

import json
import random
from pathlib import Path

import pytest

from tests.engine.drawing import draw_record
from tests.engine.oracle import SCORED, score
from tournaments.engine.entry_records import write_entry
from tournaments.engine.records import parse_json, play_record, read_game, write_result
from tournaments.engine.variants import RULESETS

RECORDS = Path(__file__).parents[1] / "records"
NAMES = sorted(path.stem for path in RECORDS.glob("*.json") if ".result" not in path.name)

NO_GAME = {
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
"""The result of a record whose head is at fault, but for its problems."""

# docs/rules.md §1.1, "A whole game": units, running totals, sum.
WHOLE_GAME = """
0 0 1 0 | 0/0/-320/0 | -320
1 0 2 1 | -100/0/-520/-100 | -720
2 1 3 2 | -220/-60/-700/-220 | -1200
2 3 1 7 | -120/90/-650/130 | -550
2 5 3 3 | -220/-160/-800/-20 | -1200
1 8 4 0 | -170/240/-600/-20 | -550
0 6 4 3 | -170/60/-720/-110 | -940
1 0 0 1 | -350/60/-720/-290 | -1300
7 2 2 2 | 0/160/-620/-190 | -650
0 3 0 1 | 0/-140/-620/-290 | -1050
3 3 6 1 | 150/10/-320/-240 | -400
0 1 0 0 | 150/-310/-320/-240 | -720
1 4 0 3 | 90/-550/-320/-420 | -1200
4 2 6 1 | -110/-650/-620/-470 | -1850
0 0 2 0 | -110/-650/-980/-470 | -2210
0 2 5 6 | -110/-710/-1130/-650 | -2600
6 4 1 2 | 190/-510/-1080/-550 | -1950
2 7 3 1 | 290/-160/-930/-500 | -1300
3 1 8 1 | 440/-110/-530/-450 | -650
2 0 4 7 | 540/-110/-330/-100 | 0
"""


def load(name):
    return json.loads((RECORDS / f"{name}.json").read_text())


def score_document(document):
    """The result as it leaves the program: through JSON and back."""
    return json.loads(json.dumps(write_result(read_game(parse_json(json.dumps(document))))))


@pytest.mark.parametrize("name", NAMES)
def test_record_gives_the_result_kept_beside_it(name):
    assert score_document(load(name)) == load(f"{name}.result")


@pytest.mark.parametrize("name", [name for name in NAMES if load(name)["ruleset"] in SCORED])
def test_record_is_scored_alike_by_the_naive_scorer(name):
    assert score(load(name)) == load(f"{name}.result")


def test_records_cover_every_ruleset_and_every_ending():
    documents = [load(name) for name in NAMES]
    results = [load(f"{name}.result") for name in NAMES]
    endings = {(d["ruleset"], r["ended_by"]) for d, r in zip(documents, results, strict=True)}
    assert {ruleset for ruleset, _ in endings} == set(RULESETS)
    assert {ended_by for _, ended_by in endings} == {
        None, "king", "failed-king", "length", "stopped", "target",
    }  # fmt: skip


def test_whole_game_has_the_units_totals_and_sums_of_the_table():
    lines = [line.split(" | ") for line in WHOLE_GAME.strip().splitlines()]

    deals = load("turkish-king-whole")["entries"]
    rows = score_document(load("turkish-king-whole"))["entries"]

    units = [next(iter(deal["counts"].values())) for deal in deals]
    assert units == [[int(unit) for unit in line[0].split()] for line in lines]
    assert [row["totals"] for row in rows] == [
        [int(total) for total in line[1].split("/")] for line in lines
    ]
    assert [row["expected_sum"] for row in rows] == [int(line[2]) for line in lines]


@pytest.mark.parametrize("after", [16, 17, 18, 19])
def test_whole_game_makes_each_declarer_name_trump_at_last(after):
    document = load("turkish-king-whole")
    document["entries"] = document["entries"][:after]

    ahead = score_document(document)["next"]

    expected = {"declarer": after % 4, "contracts": ["trump"], "must": "trump", "deal": after + 1}
    assert ahead == expected


@pytest.mark.parametrize("name", NAMES)
def test_entry_survives_being_written_and_read_again(name):
    game = read_game(load(name)).game
    before = read_game({**load(name), "entries": []}).game

    for entry in game.entries:
        before = play_record(before, write_entry(entry))

    assert before == game


@pytest.mark.parametrize("ruleset", SCORED)
def test_drawn_games_are_scored_alike_by_the_naive_scorer(ruleset):
    for seed in range(150):
        document = draw_record(random.Random(f"{ruleset} {seed}"), ruleset)
        assert score_document(document) == score(document), f"{ruleset} {seed}"
