"""Records computed without being stored: what the command line says, the API says."""

import pytest

from tests.engine.test_records import NAMES, load
from tournaments.engine.pairing_records import seat_document
from tournaments.models import Game

ENTRANTS = [{"id": name} for name in ("Ayşe", "Burak", "Cem", "Deniz")]
PAIRING = {"format": "kingscore-pairing/1", "entrants": ENTRANTS, "seed": 3}


@pytest.mark.parametrize("name", NAMES)
def test_record_is_answered_with_the_result_kept_beside_it(program, name):
    answer = program.post("score/", load(name))
    assert (answer.status_code, answer.json()) == (200, load(f"{name}.result"))


def test_game_that_cannot_be_is_answered_with_its_problems_and_nothing_is_stored(program):
    wrong = load("turkish-king-whole") | {"players": ["Ayşe"]}
    answer = program.post("score/", wrong)
    assert answer.status_code == 200
    assert answer.json()["valid"] is False
    assert [p["code"] for p in answer.json()["problems"]] == ["wrong-players"]
    assert not Game.objects.exists()


def test_whatever_is_no_game_is_answered_as_the_command_does(program):
    for other in ([], "x", 3, None, {"format": "kingscore-game/2"}):
        answer = program.ask("POST", "score/", other) if other else program.post("score/", other)
        assert (answer.status_code, answer.json()["valid"]) == (200, False)


@pytest.mark.parametrize("body", ['{"format": 1, "format": 1}', "[NaN]", "{", "[" * 100_000])
def test_what_is_no_strict_json_is_refused(program, body):
    answer = program.client.post("/api/v1/score/", body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad-json")


def test_round_is_seated_as_by_the_command(program):
    answer = program.post("pair/", PAIRING)
    assert (answer.status_code, answer.json()) == (200, seat_document(PAIRING))
    assert sorted(answer.json()["tables"][0]) == ["Ayşe", "Burak", "Cem", "Deniz"]


def test_round_that_cannot_be_seated_is_answered_with_its_problems(program):
    answer = program.post("pair/", PAIRING | {"entrants": ENTRANTS[:3]})
    assert answer.status_code == 200
    assert [p["code"] for p in answer.json()["problems"]] == ["too-few-entrants"]


@pytest.mark.parametrize(
    ("path", "document", "where"),
    [
        ("score/", load("open") | {"entries": [{}] * 1001}, ["entries"]),
        ("pair/", PAIRING | {"entrants": ENTRANTS * 251}, ["entrants"]),
        ("pair/", PAIRING | {"table_size": 2, "entrants": ENTRANTS * 126}, ["entrants"]),
        ("pair/", PAIRING | {"rounds": [{}] * 101, "avoid": [[]] * 501}, ["rounds", "avoid"]),
    ],
)
def test_record_that_would_take_long_is_refused_at_its_lists(program, path, document, where):
    answer = program.post(path, document)
    assert answer.status_code == 422
    problems = answer.json()["problems"]
    assert [(p["code"], p["where"]) for p in problems] == [("too-long", at) for at in where]
