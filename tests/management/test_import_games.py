"""`manage.py import_games`: folders of records, looked at or imported."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from tests.club_factories import ClubFactory, PlayerFactory
from tests.services.imports.record_files import OTHERS, record
from tournaments.models import AuditEntry, Game

pytestmark = pytest.mark.django_db


@pytest.fixture
def club():
    return ClubFactory(slug="moda")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "one.json").write_text(json.dumps(record(title="Cuma")))
    (tmp_path / "all.jsonl").write_text(json.dumps(record(OTHERS, hours=24)))
    (tmp_path / "readme.txt").write_text("no record")
    return tmp_path


def run(*args):
    out, err = StringIO(), StringIO()
    try:
        call_command("import_games", *args, stdout=out, stderr=err)
    except SystemExit as end:
        return out.getvalue(), err.getvalue(), end.code
    return out.getvalue(), err.getvalue(), 0


def test_dry_run_says_what_would_be_done_and_does_nothing(club, folder):
    PlayerFactory(club=club, name="Ayşe Ak")

    out, err, status = run("moda", str(folder), "--dry-run", "--evening", "Pazar")

    assert (err, status) == ("", 0)
    assert out.splitlines() == [
        f"{folder}/all.jsonl:1: Pazar, 2025-03-15, round 1, table 1: Elif, Fatma, Gül, Hakan",
        f"{folder}/b/one.json: Cuma, 2025-03-14, round 1, table 1: Ayşe, Burak, Cem, Deniz",
        *(f"new player: {name}" for name in OTHERS),
        "new player: Ayşe (there is Ayşe Ak)",
        *(f"new player: {name}" for name in ("Burak", "Cem", "Deniz")),
        "2 games would be imported.",
    ]
    assert not Game.objects.exists()


def test_folder_is_imported_once(club, folder):
    assert run("moda", str(folder))[0].endswith("2 games imported, 8 players added.\n")

    out, _err, status = run("moda", str(folder))

    assert (out.count("there already"), status) == (2, 0)
    assert out.endswith("0 games imported, 0 players added.\n")
    assert Game.objects.count() == 2
    assert AuditEntry.objects.filter(action="import-records", user=None).count() == 1


def test_one_wrong_record_keeps_all_others_out(club, folder):
    PlayerFactory(club=club, name="Ayşe Ak")
    PlayerFactory(club=club, name="Ayşe Bal")
    (folder / "z.json").write_text("{}")

    out, err, status = run("moda", str(folder))

    assert (err, status) == ("Nothing was imported: 2 records are wrong.\n", 1)
    assert "one.json: ambiguous players (name: Ayşe, players: Ayşe Ak, Ayşe Bal)" in out
    assert out.count("z.json: ") == 4
    assert not Game.objects.exists()


def test_what_is_not_there_is_said(club, tmp_path):
    assert run("kadife", str(tmp_path))[1:] == ("No club has the slug 'kadife'.\n", 1)
    assert run("moda", str(tmp_path))[1:] == ("This file is empty.\n", 2)
    assert run("moda", str(tmp_path / "x"))[2] == 2
