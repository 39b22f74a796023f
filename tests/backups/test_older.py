"""A backup of an older version, restored by this one."""

import json
import os
import shutil

from tests.backups.site import Site, manifest_of
from tests.servers import READ_SHEETS, database_of_its_own, migrated

BACK = """
from django.core.management import call_command
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory
GameFactory(entries=WHOLE_GAME)
call_command("migrate", "tournaments", "0018", verbosity=0)
"""
"""What was there before the table of backups, itself among others."""

MIGRATIONS = """
from django.core.management import call_command
call_command("showmigrations", "tournaments")
"""


def test_older_backup_is_brought_up_to_date(tmp_path):
    older = Site(tmp_path / "older")
    shutil.copytree(migrated(), older.folder)
    older.run_python(BACK)
    path = tmp_path / "older.zip"
    done = older.manage("backup", path)
    tables = {table["name"] for table in manifest_of(path)["tables"]}

    with database_of_its_own(os.environ.get("KINGSCORE_DATABASE_URL")) as url:
        newer = Site(tmp_path / "newer", url)
        newer.restore(path)
        *applied, sheets = newer.run_python(MIGRATIONS + READ_SHEETS).splitlines()

    assert done.returncode == 0
    assert "the site does not know of it" in done.stderr
    assert "tournaments.game" in tables
    assert "tournaments.backup" not in tables
    assert len(applied) > 18
    assert [line for line in applied if "[ ]" in line] == []
    assert [len(sheet["writes"]) for sheet in json.loads(sheets).values()] == [20]
