import io
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.engine.documents.pairings import NINE, SPOILED
from tests.sample_games import NAMES, RECORDS, load
from tests.waiting import PATIENCE
from tournaments.engine.documents.pairings import read_pairing, seat_document
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.texts import messages

ROOT = Path(__file__).parents[2]
WHOLE = RECORDS / "turkish-king-whole.json"
WRONG = {**load("stopped-at-once"), "first_declarer": 4}


def run(command, *files, stdin=None, monkeypatch=None, **options):
    out, err = io.StringIO(), io.StringIO()
    if stdin is not None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    status = 0
    try:
        call_command(command, *map(str, files), stdout=out, stderr=err, **options)
    except SystemExit as leaving:
        status = leaving.code
    return status, out.getvalue(), err.getvalue()


score = partial(run, "score")


def results(out):
    return [json.loads(line) for line in out.splitlines()]


def codes(result):
    return [problem["code"] for problem in result["problems"]]


def write_lines(path, *texts):
    path.write_bytes(b"\n".join(texts) + b"\n")
    return path


def test_score_prints_one_result_a_line():
    files = [RECORDS / f"{name}.json" for name in NAMES]
    status, out, err = score(*files)
    assert (status, err) == (0, "")
    assert results(out) == [load(f"{name}.result") for name in NAMES]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["\\n", "as on Windows"])
def test_score_reads_a_game_a_line(tmp_path, end):
    lines = [json.dumps(load(name)).encode() for name in NAMES]
    file = tmp_path / "games.jsonl"
    file.write_bytes(end.join([*lines[:3], b"no JSON", b"", *lines[3:], b""]))
    status, out, _err = score(file)
    found = results(out)
    assert status == 1
    assert codes(found.pop(3)) == ["bad-json"]
    assert found == [load(f"{name}.result") for name in NAMES]


@pytest.mark.parametrize("first", [b"", b"no JSON\n", b'{"format": "kings\n'])
def test_score_reads_a_game_a_line_from_standard_input(monkeypatch, first):
    lines = first + b"".join(json.dumps(load(name)).encode() + b"\n" for name in NAMES)
    status, out, _err = score("-", stdin=lines, monkeypatch=monkeypatch)
    found = results(out)
    assert status == bool(first)
    if first:
        assert codes(found.pop(0)) == ["bad-json"]
    assert found == [load(f"{name}.result") for name in NAMES]


def test_score_draws_the_sheet_as_a_table():
    status, out, _err = score(WHOLE, table=True)
    lines = out.splitlines()
    assert status == 0
    assert lines[0] == "The whole game of rules.md §1.1"
    assert lines[2].split() == ["Contract", "Ayşe", "Burak", "Cem", "Deniz", "Σ"]
    drawn = [line.split()[0] for line in lines[3:23]]
    assert drawn == [str(number) for number in range(1, 21)]
    last = "20 Trump 100 / 540 0 / −110 200 / −330 350 / −100 0"
    assert " ".join(lines[22].split()) == last


def test_score_says_what_is_wrong_below_the_table(tmp_path):
    game = load("turkish-king-whole")
    game["entries"][4]["counts"]["tricks"][0] += 1
    status, out, _err = score(
        write_lines(tmp_path / "wrong.json", json.dumps(game).encode()), table=True
    )
    assert status == 1
    assert out.splitlines()[-1] == "Entry 4: Tricks: must be 13 in all, 14 written."


@pytest.mark.parametrize("options", [[], ["--table"]])
def test_score_runs_as_a_program_on_a_terminal_without_our_letters(tmp_path, options):
    bad = write_lines(
        tmp_path / "bad.jsonl", json.dumps({**WRONG, "x\ud800": 1}).encode(), b"{", b'"\xff"'
    )
    run = subprocess.run(
        [sys.executable, "manage.py", "score", *options, WHOLE, bad, tmp_path / "absent", "-"],
        cwd=ROOT,
        input=(RECORDS / "open.json").read_bytes(),
        capture_output=True,
        env={
            "PYTHONIOENCODING": "ascii",
            "PATH": "",
            "KINGSCORE_DATA": str(tmp_path),
            "DJANGO_SETTINGS_MODULE": "kingscore.settings",
        },
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 2
    assert run.stderr.decode().splitlines() == [f"{tmp_path / 'absent'}: No such file or directory"]
    if options:
        assert b"Contract" in run.stdout
    else:
        found = results(run.stdout.decode())
        assert [codes(result) for result in found] == [
            [],
            ["bad-seat", "unexpected-field"][::-1],
            ["bad-json"],
            ["bad-json"],
            [],
        ]


def test_score_ends_quietly_when_its_reader_has_enough():
    words = " ".join(["manage.py", "score", *[f'"{WHOLE}"'] * 200])
    done = subprocess.run(
        ["/bin/bash", "-c", f"{sys.executable} {words} | head -n 1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )

    assert done.stderr == ""
    assert len(results(done.stdout)) == 1


def test_pair_prints_the_seating_of_the_next_round(monkeypatch):
    status, out, err = run("pair", "-", stdin=json.dumps(NINE).encode(), monkeypatch=monkeypatch)

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
    wrong = json.dumps(NINE | {"table_size": 3}).encode()
    status, out, _err = run("pair", "-", stdin=wrong, monkeypatch=monkeypatch)

    answer = json.loads(out)
    assert (status, answer["format"], answer["valid"]) == (1, "kingscore-seating/1", False)
    params = {"expected": "2, 4", "got": 3}
    problem = {"entry": None, "code": "odd-table", "where": "table_size", "params": params}
    assert answer["problems"] == [problem]


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
    lines, other = tmp_path / "evening.jsonl", tmp_path / "other.json"
    lines.write_text(f"{json.dumps(NINE)}\n\n{{\n{json.dumps(NINE | {'seed': 8})}\n")
    other.write_text(json.dumps(NINE, indent=1))

    status, out, err = run("pair", lines, tmp_path / "none", other)

    answers = results(out)
    assert (status, err) == (2, f"{tmp_path / 'none'}: No such file or directory\n")
    assert [each.get("seed") for each in answers] == [7, None, 8, 7]
    assert codes(answers[1]) == ["bad-json"]


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
