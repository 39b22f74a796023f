import os
import shutil
import signal
import subprocess
import threading
import zipfile
from contextlib import contextmanager

import psycopg
import pytest

from benchmarks.kill import Table
from tests.phones import Phone
from tests.servers import ROOT, database_of_its_own, migrated, prepared, serve
from tests.services.backups.site import Site, rows_in
from tests.waiting import PATIENCE, wait_until

LETTERS = """
from secrets import token_hex
from tests.club_factories import AccountFactory
from tests.factories import EVENING
from tournaments.models import Email
user = AccountFactory()
Email.objects.bulk_create(
    Email(user=user, about=str(number), subject="x", body=token_hex(20), written_at=EVENING)
    for number in range(10_000)
)
"""
"""Read between games and what was written down in them, and long enough for more to be written."""

OTHERS = """
SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
AND backend_type = 'client backend'
"""

SOMEBODY_WAITS = """
SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
WHERE datname = current_database() AND NOT granted
"""

URL = os.environ.get("KINGSCORE_DATABASE_URL")
PHONES = 2


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server with a table of letters, while phones write without a pause."""
    folder = tmp_path_factory.mktemp("running") / "data"
    with serve(folder, URL, ready=prepared(), processes=1) as server:
        site = Site(folder, server.database_url)
        site.run_python(LETTERS)
        yield server, site


@pytest.fixture(scope="module")
def whole(site, tmp_path_factory):
    return site[1].backup(tmp_path_factory.mktemp("backup") / "whole.zip")


def answered(tables):
    """Return the game and deal number of each answer that promised storage."""
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


def start(place, *words, stderr=subprocess.DEVNULL, **more):
    out = {"stdout": subprocess.DEVNULL, "stderr": stderr}
    return subprocess.Popen(place.words(*words), cwd=ROOT, env=place.environment, **out, **more)


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
    with database_of_its_own(URL) as own:
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


@pytest.mark.skipif(not URL, reason="of PostgreSQL: SQLite's transaction shuts all out")
def test_row_written_during_a_restore_is_not_lost(whole, tmp_path):
    with database_of_its_own(URL) as own:
        site = Site(tmp_path / "restored", own)
        shutil.copytree(migrated(), site.folder)
        # Not committed: whoever looks for rows sees none yet.
        with psycopg.connect(own) as writer:
            writer.execute("INSERT INTO auth_group (name) VALUES ('written meanwhile')")
            restore = start(site, "restore", whole, stderr=subprocess.PIPE, text=True)
            wait_until_somebody_waits(own, restore)
        said = restore.communicate(timeout=PATIENCE)[1]
        with psycopg.connect(own) as reader:
            kept = reader.execute("SELECT name FROM auth_group").fetchall()

    assert "there are data here already (in auth_group)" in said
    assert kept == [("written meanwhile",)]


def wait_until_somebody_waits(url, restore):
    with psycopg.connect(url, autocommit=True) as looker:

        def somebody_waits():
            assert restore.poll() is None, restore.stderr.read()
            return looker.execute(SOMEBODY_WAITS).fetchone()

        wait_until(somebody_waits)
