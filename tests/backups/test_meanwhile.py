"""A restore while somebody writes to the same PostgreSQL; SQLite's transaction shuts all out."""

import os
import shutil
import subprocess

import psycopg
import pytest

from tests.backups.site import PATIENCE, Site
from tests.servers import ROOT, database_of_its_own, migrated
from tests.waiting import wait_until

URL = os.environ.get("KINGSCORE_DATABASE_URL")
SOMEBODY_WAITS = """
SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
WHERE datname = current_database() AND NOT granted
"""

pytestmark = pytest.mark.skipif(not URL, reason="of PostgreSQL")


def test_row_written_during_a_restore_is_not_lost(tmp_path):
    whole = Site(tmp_path / "whole")
    shutil.copytree(migrated(), whole.folder)
    path = whole.backup(tmp_path / "whole.zip")
    with database_of_its_own(URL) as own:
        site = Site(tmp_path / "restored", own)
        shutil.copytree(migrated(), site.folder)
        # Not committed: whoever looks for rows sees none yet.
        with psycopg.connect(own) as writer:
            writer.execute("INSERT INTO auth_group (name) VALUES ('written meanwhile')")
            restore = start(site, path)
            wait_until_somebody_waits(own, restore)
        said = restore.communicate(timeout=PATIENCE)[1]
        with psycopg.connect(own) as reader:
            kept = reader.execute("SELECT name FROM auth_group").fetchall()

    assert "there are data here already (in auth_group)" in said
    assert kept == [("written meanwhile",)]


def start(site, path):
    return subprocess.Popen(
        site.words("restore", path),
        cwd=ROOT,
        env=site.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until_somebody_waits(url, restore):
    with psycopg.connect(url, autocommit=True) as looker:

        def somebody_waits():
            assert restore.poll() is None, restore.stderr.read()
            return looker.execute(SOMEBODY_WAITS).fetchone()

        wait_until(somebody_waits, PATIENCE)
