"""`manage.py score`: what it prints and how it leaves (docs/records.md §1)."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.sample_games import NAMES, RECORDS, load
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
WHOLE = RECORDS / "turkish-king-whole.json"
WRONG = {**load("stopped-at-once"), "first_declarer": 4}


def score(*files, stdin=None, monkeypatch=None, **options):
    out, err = io.StringIO(), io.StringIO()
    if stdin is not None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    status = 0
    try:
        call_command("score", *map(str, files), stdout=out, stderr=err, **options)
    except SystemExit as leaving:
        status = leaving.code
    return status, out.getvalue(), err.getvalue()


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


def test_score_leaves_with_1_when_a_game_has_problems(tmp_path):
    wrong = write_lines(tmp_path / "wrong.json", json.dumps(WRONG).encode())
    status, out, _err = score(wrong, WHOLE)
    assert status == 1
    assert [result["valid"] for result in results(out)] == [False, True]
    assert results(out)[0]["problems"] == [
        {
            "entry": None,
            "code": "bad-seat",
            "where": "first_declarer",
            "params": {"seats": 4, "got": 4},
        }
    ]


def test_score_leaves_with_2_when_a_file_cannot_be_read(tmp_path):
    wrong = write_lines(tmp_path / "wrong.json", json.dumps(WRONG).encode())
    status, out, err = score(WHOLE, tmp_path / "absent.json", tmp_path, wrong)
    assert status == 2
    assert [result["valid"] for result in results(out)] == [True, False]
    assert [line.split(": ")[0] for line in err.splitlines()] == [
        str(tmp_path / "absent.json"),
        str(tmp_path),
    ]


def test_score_reads_a_game_a_line(tmp_path):
    lines = [json.dumps(load(name)).encode() for name in NAMES]
    file = write_lines(tmp_path / "games.jsonl", *lines[:3], b"no JSON", b"", *lines[3:])
    status, out, _err = score(file)
    found = results(out)
    assert status == 1
    assert codes(found.pop(3)) == ["bad-json"]
    assert found == [load(f"{name}.result") for name in NAMES]


def test_score_reads_lines_that_end_as_on_windows(tmp_path):
    file = tmp_path / "games.jsonl"
    file.write_bytes(b"\r\n".join([json.dumps(load("open")).encode()] * 2) + b"\r\n")
    assert score(file)[:2] == (0, 2 * (json.dumps(load("open.result")) + "\n"))


@pytest.mark.parametrize("first", [b"", b"no JSON\n", b'{"format": "kings\n'])
def test_score_reads_a_game_a_line_from_standard_input(monkeypatch, first):
    lines = first + b"".join(json.dumps(load(name)).encode() + b"\n" for name in NAMES)
    status, out, _err = score("-", stdin=lines, monkeypatch=monkeypatch)
    found = results(out)
    assert status == bool(first)
    if first:
        assert codes(found.pop(0)) == ["bad-json"]
    assert found == [load(f"{name}.result") for name in NAMES]


@pytest.mark.parametrize("text", [b"", b"{\n}}\n", b'{"a": [\n{"type": "stopped"}\n],\n}\n'])
def test_score_takes_a_broken_document_on_standard_input_for_one(monkeypatch, text):
    status, out, _err = score("-", stdin=text, monkeypatch=monkeypatch)
    assert (status, [codes(result) for result in results(out)]) == (1, [["bad-json"]])


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
