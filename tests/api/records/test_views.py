"""Records computed for anybody, and how much may be asked for."""

import json
from itertools import combinations
from random import Random

import pytest
from django.db import connection

from tests.api.conftest import faults, refused
from tests.club_factories import AccountFactory
from tests.sample_games import SAMPLE, load
from tournaments.api.fields import MOST_OF_STRANGERS
from tournaments.api.records import views
from tournaments.engine.documents.pairings import seat_document
from tournaments.models import Game
from tournaments.services.base.writes import place_to_compute

pytestmark = pytest.mark.django_db


ENTRANTS = [{"id": name} for name in ("Ayşe", "Burak", "Cem", "Deniz")]
PAIRING = {"format": "kingscore-pairing/1", "entrants": ENTRANTS, "seed": 3}


@pytest.mark.parametrize("name", SAMPLE)
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


def test_round_is_seated_as_by_the_command_or_answered_with_its_problems(program):
    answer = program.post("pair/", PAIRING)
    assert (answer.status_code, answer.json()) == (200, seat_document(PAIRING))
    few = program.post("pair/", PAIRING | {"entrants": ENTRANTS[:3]})
    assert few.status_code == 200
    assert [p["code"] for p in few.json()["problems"]] == ["too-few-entrants"]


def too_long(entries, entrants, rounds, avoid):
    """Documents with more than so much, and the lists that are too long."""
    yield "score/", load("open") | {"entries": [{}] * (entries + 1)}, ["entries"]
    yield "pair/", PAIRING | {"entrants": ENTRANTS * (entrants // 4 + 1)}, ["entrants"]
    half = ENTRANTS * (entrants // 8 + 1)
    yield "pair/", PAIRING | {"table_size": 2, "entrants": half}, ["entrants"]
    long = {"rounds": [{}] * (rounds + 1), "avoid": [[]] * (avoid + 1)}
    yield "pair/", PAIRING | long, ["rounds", "avoid"]


@pytest.mark.parametrize(("path", "document", "where"), [*too_long(1000, 1000, 100, 500)])
def test_record_that_would_take_long_is_refused_at_its_lists(program, path, document, where):
    assert faults(program.post(path, document)) == [("too-long", at) for at in where]


@pytest.mark.parametrize(("path", "document", "where"), [*too_long(200, 200, 20, 200)])
def test_larger_record_wants_a_token(program, path, document, where):
    assert faults(program.post(path, document)) == [("too-long", at) for at in where]

    assert program.as_(AccountFactory()).post(path, document).status_code == 200


def field(entrants, rounds, parts):
    """A field whose parts played among themselves, so that nearly all in each have met."""
    names, random, met, played = [f"e{n}" for n in range(entrants)], Random(5), set(), []
    for _ in range(rounds):
        tables = []
        for part in range(parts):
            left = names[part * entrants // parts : (part + 1) * entrants // parts]
            random.shuffle(left)
            while len(left) >= 4:
                table = [left.pop()]
                while len(table) < 4:
                    fewest = min(left, key=lambda n: sum(frozenset((n, m)) in met for m in table))
                    left.remove(fewest)
                    table.append(fewest)
                met.update(map(frozenset, combinations(table, 2)))
                tables.append(table)
        seated = {name for table in tables for name in table}
        played.append({"tables": tables, "byes": [name for name in names if name not in seated]})
    return PAIRING | {"entrants": [{"id": name} for name in names], "rounds": played}


@pytest.mark.parametrize("entrants", [120, 132, 144, 156])
def test_field_that_would_take_long_wants_a_token(program, entrants):
    assert faults(program.post("pair/", field(entrants, 20, 3))) == [("too-large", "")]


@pytest.mark.parametrize(
    ("entrants", "rounds"), [(100, 0), (100, 6), (100, 20), (200, 20), (28, 6), (40, 14), (64, 20)]
)
def test_field_of_an_evening_is_paired_for_strangers(program, entrants, rounds):
    answer = program.post("pair/", field(entrants, rounds, 1))
    assert (answer.status_code, "tables" in answer.json()) == (200, True)


def test_field_that_takes_long_is_paired_with_a_token(program):
    answer = program.as_(AccountFactory()).post("pair/", field(132, 20, 3))
    assert len(answer.json()["tables"]) == 33


def test_strangers_and_accounts_have_places_of_their_own_to_be_computed_in(program):
    known = program.as_(AccountFactory())
    large = load("open") | {"entries": [{}] * 201}
    with place_to_compute("strangers"):
        busy = program.post("pair/", PAIRING)
        assert refused(busy) == (429, "too-many-requests")
        assert int(busy["Retry-After"]) >= 1
        assert known.post("pair/", PAIRING).status_code == 200
        # As quick as any page.
        assert program.post("score/", load("open")).status_code == 200
    assert program.post("pair/", PAIRING).status_code == 200

    with place_to_compute("accounts"):
        assert known.post("pair/", PAIRING).status_code == 200
        with place_to_compute("accounts"):
            assert known.post("pair/", PAIRING).status_code == 429
            assert known.post("score/", large).status_code == 429
            assert program.post("pair/", PAIRING).status_code == 200


def test_body_that_takes_long_to_read_wants_a_token(program):
    padding = {"padding": "x" * MOST_OF_STRANGERS}
    assert refused(program.post("games/", padding)) == (413, "too-large")
    # It is read up to there and no further.
    just = json.dumps(PAIRING)
    body = just + " " * (MOST_OF_STRANGERS - len(just))
    at_most = program.client.post("/api/v1/pair/", body, content_type="application/json")
    assert at_most.status_code == 200

    assert program.as_(AccountFactory()).post("games/", padding).status_code == 422


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_to_write_while_a_record_with_a_key_is_computed(program, monkeypatch):
    seen = []
    monkeypatch.setattr(
        views, "seat_document", lambda _: seen.append(connection.in_atomic_block) or {}
    )

    for replayed in (None, "true"):
        answer = program.post("pair/", PAIRING, idempotency_key="a-key-of-mine")
        assert (answer.status_code, answer.get("Idempotency-Replayed")) == (200, replayed)

    assert seen == [False, False]
