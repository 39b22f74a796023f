"""`manage.py pair`: what it prints, how it leaves, and what it refuses (docs/records.md §2)."""

import io
import json
import sys

import pytest
from django.core.management import call_command

from tests.engine.documents.pairings import NINE, SPOILED
from tournaments.engine.documents.pairing_records import read_pairing, seat_document
from tournaments.engine.rules.problems import InvalidEntry
from tournaments.texts import messages


def pair(text, monkeypatch):
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    status = 0
    try:
        call_command("pair", "-", stdout=out, stderr=err)
    except SystemExit as leaving:
        status = leaving.code
    return status, out.getvalue(), err.getvalue()


def test_pair_prints_the_seating_of_the_next_round(monkeypatch):
    status, out, err = pair(json.dumps(NINE).encode(), monkeypatch)

    seating = json.loads(out)
    assert (status, err) == (0, "")
    assert seating == seat_document(NINE)
    assert list(seating) == ["format", "tables", "byes", "quality", "why", "seed"]
    assert (seating["format"], seating["seed"]) == ("kingscore-seating/1", 7)
    assert seating["byes"] == ["p0"]
    assert any({"p1", "p4"} <= {*table} for table in seating["tables"])
    assert seating["quality"]["avoided_met"] == 0
    assert seating["quality"]["same_club"] == 12


def test_pair_leaves_with_1_where_there_can_be_no_seating(monkeypatch):
    status, out, _err = pair(json.dumps(NINE | {"table_size": 3}).encode(), monkeypatch)

    assert status == 1
    answer = json.loads(out)
    assert (answer["format"], answer["valid"]) == ("kingscore-seating/1", False)
    assert answer["problems"][0] == {
        "entry": None,
        "code": "odd-table",
        "where": "table_size",
        "params": {"expected": "2, 4", "got": 3},
    }


def test_pair_leaves_with_1_for_what_is_no_json(monkeypatch):
    status, out, _err = pair(b"{", monkeypatch)

    assert (status, json.loads(out)["problems"][0]["code"]) == (1, "bad-json")


def test_pair_leaves_with_2_for_a_file_that_cannot_be_read(tmp_path):
    err = io.StringIO()

    with pytest.raises(SystemExit) as leaving:
        call_command("pair", str(tmp_path / "none.json"), stderr=err)

    assert (leaving.value.code, err.getvalue().strip().endswith("No such file or directory")) == (
        2,
        True,
    )


@pytest.mark.parametrize("name", SPOILED)
def test_what_is_wrong_is_found_where_it_is(name):
    change, expected = SPOILED[name]

    answer = seat_document(None if change is None else NINE | change)

    assert not answer.get("valid", True)
    assert [(p["code"], p["where"]) for p in answer["problems"]] == expected


def test_every_problem_of_a_seating_can_be_explained():
    for change, _expected in SPOILED.values():
        try:
            read_pairing(None if change is None else NINE | change)
        except InvalidEntry as invalid:
            for problem in invalid.problems:
                assert messages.explain(problem)


def test_a_rating_is_any_number_and_seats_nobody_elsewhere():
    rated = [{**each, "rating": 1500.5 - each["score"]} for each in NINE["entrants"]]

    assert seat_document(NINE | {"entrants": rated}) == seat_document(NINE)


def test_half_points_are_compared_exactly():
    thirds = [{"id": f"p{n}", "score": f"{n}/3"} for n in range(8)]

    seating = seat_document({"format": "kingscore-pairing/1", "entrants": thirds, "seed": 3})

    assert seating["quality"]["score_spread"] == 1.0
    assert {frozenset(table) for table in seating["tables"]} == {
        frozenset(f"p{n}" for n in range(4)),
        frozenset(f"p{n}" for n in range(4, 8)),
    }
