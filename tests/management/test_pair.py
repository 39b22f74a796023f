"""`manage.py pair`: what it prints, how it leaves, and what it refuses (docs/records.md §2)."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.engine.documents.pairings import NINE, SPOILED
from tests.waiting import PATIENCE
from tournaments.engine.documents.pairings import read_pairing, seat_document
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.texts import messages

ROOT = Path(__file__).parents[2]


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


def test_pair_seats_a_line_at_a_time_and_tells_which_is_wrong(tmp_path):
    lines = tmp_path / "evening.jsonl"
    lines.write_text(f"{json.dumps(NINE)}\n\n{{\n{json.dumps(NINE | {'seed': 8})}\n")
    other = tmp_path / "other.json"
    other.write_text(json.dumps(NINE, indent=1))
    out, err = io.StringIO(), io.StringIO()

    with pytest.raises(SystemExit) as leaving:
        call_command("pair", str(lines), str(tmp_path / "none"), str(other), stdout=out, stderr=err)

    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    assert leaving.value.code == 2
    assert [each.get("seed") for each in answers] == [7, None, 8, 7]
    assert answers[1]["problems"][0]["code"] == "bad-json"
    assert "none" in err.getvalue()


@pytest.mark.parametrize("command", ["pair", "score"])
def test_records_are_computed_without_django(command, tmp_path):
    file = tmp_path / "empty.json"
    file.write_text("{}")

    # Django would look for these settings.
    done = subprocess.run(
        [sys.executable, "manage.py", command, file],
        cwd=ROOT,
        env={"DJANGO_SETTINGS_MODULE": "none"},
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )

    assert (done.returncode, done.stderr) == (1, b"")
    assert json.loads(done.stdout)["valid"] is False
