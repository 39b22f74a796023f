"""Backups of a running site, many of them, cut off and without room."""

import os
import resource
import shutil
import signal
import subprocess
import threading
import zipfile
from contextlib import contextmanager

import psycopg
import pytest

from benchmarks.kill import Table
from tests.backups.site import Site, rows_in
from tests.phones import Phone
from tests.servers import ROOT, database_of_its_own, migrated, prepared, serve
from tests.waiting import wait_until

LETTERS = """
from secrets import token_hex
from tests.club_factories import AccountFactory
from tests.factories import EVENING
from tournaments.models import Letter
user = AccountFactory()
Letter.objects.bulk_create(
    Letter(user=user, about=str(number), subject="x", body=token_hex(20), written_at=EVENING)
    for number in range(10_000)
)
"""
"""Read between games and what was written down in them, and long enough for more to be written."""

OTHERS = """
SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
AND backend_type = 'client backend'
"""

PHONES = 2


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server with a table of letters, while phones write without a pause."""
    folder = tmp_path_factory.mktemp("running") / "data"
    url = os.environ.get("KINGSCORE_DATABASE_URL")
    with serve(folder, url, ready=prepared(), processes=1) as server:
        site = Site(folder, server.database_url)
        site.run_python(LETTERS)
        yield server, site


@pytest.fixture(scope="module")
def whole(site, tmp_path_factory):
    """A backup made while nothing else happened."""
    return site[1].backup(tmp_path_factory.mktemp("backup") / "whole.zip")


def answered(tables):
    """What the phones were told is stored: the game and the number of the deal."""
    return {
        (game, number)
        for table in tables
        for game, deals in list(table.answered.items())
        for _, number in list(deals)
    }


def test_backup_is_of_one_moment_while_phones_write(site, tmp_path):
    server, place = site
    tables = [Table(Phone(server.host, server.port)) for _ in range(PHONES)]
    stop = threading.Event()
    phones = [threading.Thread(target=table.write_until_cut_off, args=[stop]) for table in tables]
    for phone in phones:
        phone.start()
    wait_until(lambda: len(answered(tables)) > PHONES)
    before = answered(tables)
    path = place.backup(tmp_path / "written.zip")
    after = answered(tables)
    stop.set()
    for phone in phones:
        phone.join()
    for table in tables:
        table.phone.hang_up()
    restored = Site(tmp_path / "restored")
    shutil.copytree(migrated(), restored.folder)
    restored.restore(path)
    sheets = restored.sheets()
    stored = {
        (game, revision - 1) for game, sheet in sheets.items() for revision, _, _ in sheet["writes"]
    }

    assert [table.problem for table in tables] == [""] * PHONES
    assert before <= stored
    # The phones went on meanwhile.
    assert len(after) > len(before)
    for sheet in sheets.values():
        assert [revision for revision, _, _ in sheet["writes"]] == [
            *range(1, sheet["revision"] + 1)
        ]
        assert sum(sheet["totals"]) == sheet["expected_sum"]
    now = place.sheets()
    assert all(
        sheet["writes"] == now[game]["writes"][: sheet["revision"]]
        for game, sheet in sheets.items()
    )


def test_backup_is_noted(site, whole):
    _, place = site
    told = place.run_python(
        "from tournaments.models import Backup\n"
        "for told in Backup.objects.all():\n"
        "    print(told.size, told.rows, told.began_at < told.ended_at)"
    )

    rows = sum(len(rows) for rows in rows_in(whole).values())
    assert told.splitlines().count(f"{whole.stat().st_size} {rows} True") == 1


def test_folder_keeps_the_latest(site, tmp_path):
    _, place = site
    folder = tmp_path / "backups"
    folder.mkdir()
    days = [f"kingscore-2026010{day}T030000Z.zip" for day in range(1, 6)]
    # The clock of the machine was wrong once.
    ahead = "kingscore-20990101T030000Z.zip"
    others = ["kingscore-20260101T030000Z.zip.txt", "holiday.zip"]
    for name in (*days, ahead, *others):
        (folder / name).write_text("")

    done = place.manage("backup", folder, "--keep", 3)

    new = {path.name for path in folder.iterdir()} - {*days, ahead, *others}
    assert len(new) == 1
    assert {path.name for path in folder.iterdir()} == {*new, ahead, days[-1], *others}
    assert done.stdout.count("removed") == 4


def test_disk_that_is_full_leaves_no_file(site, tmp_path):
    _, place = site
    path = tmp_path / "full.zip"
    path.write_text("the one before")

    done = subprocess.run(
        place.words("backup", path),
        cwd=ROOT,
        env=place.environment,
        capture_output=True,
        text=True,
        check=False,
        # No file may grow larger, as on a disk with no room left.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )

    assert done.returncode == 1
    assert done.stderr == f"CommandError: No backup: {path}: File too large\n"
    assert [each.name for each in tmp_path.iterdir()] == ["full.zip"]
    assert path.read_text() == "the one before"


def start(place, *words):
    return subprocess.Popen(
        place.words(*words),
        cwd=ROOT,
        env=place.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def test_backup_killed_leaves_nothing_under_its_name(site, tmp_path):
    _, place = site
    path = tmp_path / "killed.zip"
    process = start(place, "backup", path)
    wait_until(lambda: any(half.stat().st_size for half in tmp_path.iterdir()), every=0.002)

    process.kill()

    assert process.wait() == -signal.SIGKILL
    assert not path.exists()
    place.backup(path)
    assert [each.name for each in tmp_path.iterdir()] == ["killed.zip"]


@pytest.fixture
def again(tmp_path):
    """An empty site, on the kind of database that these tests run on."""
    with database_of_its_own(os.environ.get("KINGSCORE_DATABASE_URL")) as own:
        site = Site(tmp_path / "again", own)
        shutil.copytree(migrated(), site.folder)
        yield site


@pytest.mark.parametrize("at", ["its beginning", "its end"])
def test_restore_killed_is_done_again_or_was_done(whole, again, tmp_path, at):
    # The secret is placed before the rows are there for all.
    moment = secret_placed(again, whole) if at == "its end" else database_opened(again)
    with moment as reached:
        process = start(again, "restore", whole)
        wait_until(reached, every=0.002)
        process.kill()

    assert process.wait() == -signal.SIGKILL
    done = again.manage("restore", whole)
    assert done.returncode == 0 or "there are data here already" in done.stderr
    assert rows_in(again.backup(tmp_path / "again.zip")) == rows_in(whole)


@contextmanager
def database_opened(place):
    if place.database_url is None:
        yield (place.folder / "db.sqlite3-shm").exists
        return
    # Asked by one connection: each that is made takes longer than the question.
    with psycopg.connect(place.database_url, autocommit=True) as looker:
        yield lambda: looker.execute(OTHERS).fetchone() is not None


@contextmanager
def secret_placed(place, path):
    secret = place.folder / "secret-key"
    with zipfile.ZipFile(path) as archive:
        placed = archive.read("secret-key")
    yield lambda: secret.exists() and secret.read_bytes() == placed
