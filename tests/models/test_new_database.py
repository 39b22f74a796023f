import os
import re
import sqlite3
from contextlib import closing

import psycopg
import pytest

from tests.servers import database_of_its_own, migrated, tell_database
from tests.services.backups.site import Site

pytestmark = pytest.mark.slow

URL = os.environ.get("KINGSCORE_DATABASE_URL")

GO_THROUGH_HISTORY = """
from django.core.management import call_command
from django.core.management.sql import emit_post_migrate_signal
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
executor = MigrationExecutor(connection)
executor.migrate(executor.loader.graph.leaf_nodes())
emit_post_migrate_signal(verbosity=0, interactive=False, db="default")
call_command("createcachetable", verbosity=0)
"""

BREAK_OFF = """
from django.core.management import call_command
from django.db.models.signals import post_migrate
def fail(**_):
    raise RuntimeError("broken off")
post_migrate.connect(fail)
try:
    call_command("migrate")
except RuntimeError as error:
    print(error)
"""

ANOTHER = """
import django
django.setup()
from django.core.management import call_command
from tournaments.models import server
look = server.is_new
def look_aloud(using):
    found = look(using)
    print("It is new." if found else "It is there.", flush=True)
    return found
server.is_new = look_aloud
call_command("migrate")
"""

TWO_AT_ONCE = f"""
import subprocess
import sys
import time
from django.core.management import call_command
from django.db.models.signals import post_migrate
others = []
def let_another_look(**_):
    if not others:
        told = dict(stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        others.append(subprocess.Popen([sys.executable, "-c", {ANOTHER!r}], **told))
        print(others[0].stdout.readline(), end="")
        # Enough to begin as well, if nothing keeps it from that.
        time.sleep(1)
post_migrate.connect(let_another_look)
call_command("migrate")
print(others[0].communicate()[0])
"""

SQLITE = "SELECT type, name, sql FROM sqlite_master WHERE sql > '' AND name NOT LIKE 'sqlite%'"
COLUMNS = 'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)'

ROWS = (
    "SELECT app, name FROM django_migrations",
    "SELECT app_label, model FROM django_content_type",
    """
    SELECT app_label, model, codename, name FROM auth_permission
    JOIN django_content_type ON django_content_type.id = content_type_id
    """,
)

POSTGRESQL = {
    "columns": """
        SELECT attrelid::regclass::text, attname, format_type(atttypid, atttypmod), attnotnull,
            attidentity::text, pg_get_expr(adbin, adrelid)
        FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        JOIN pg_class ON pg_class.oid = attrelid
        WHERE relnamespace = 'public'::regnamespace AND attnum > 0 AND relkind <> 'i'
        AND NOT attisdropped
    """,
    "constraints": """
        SELECT conrelid::regclass::text, regexp_replace(conname, '(_[0-9a-f]{8})?_(key|uniq)$', ''),
            pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    """,
    "indexes": """
        SELECT regexp_replace(indexdef, '(_[0-9a-f]{8})?_(key|uniq) ON', ' ON')
        FROM pg_indexes WHERE schemaname = 'public'
    """,
    "extensions": "SELECT extname FROM pg_extension",
}


@pytest.fixture
def empty(tmp_path):
    with database_of_its_own(URL) as url:
        if url:
            tell_database(url, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        yield Site(tmp_path, url)


def test_new_database_is_like_one_that_went_through_all_migrations(empty):
    empty.run_python(GO_THROUGH_HISTORY)

    with database_of_its_own(URL) as url:
        assert contents(Site(migrated(), url)) == contents(empty)


def test_database_that_broke_off_halfway_is_still_new(empty):
    assert empty.run_python(BREAK_OFF) == "broken off\n"

    assert empty.manage("migrate").stdout == "All tables of a new database are made.\n"


def test_of_two_at_once_one_makes_the_database_and_the_other_finds_it(empty):
    said = empty.run_python(TWO_AT_ONCE).splitlines()

    assert said[:3] == ["It is new.", "All tables of a new database are made.", "It is there."]
    assert "  No migrations to apply." in said


def contents(site):
    """The parts of all tables in no order, and the number of rows of each."""
    return in_postgresql(site.database_url) if site.database_url else in_sqlite(site.folder)


def in_postgresql(url):
    with psycopg.connect(url) as connection:
        parts = {name: set(connection.execute(asked)) for name, asked in POSTGRESQL.items()}
        names = {table for table, *_ in parts["columns"]}
        return parts | {"rows": rows_of(connection, names)}


def in_sqlite(folder):
    with closing(sqlite3.connect(folder / "db.sqlite3")) as connection:
        # Neither the order of columns nor that of constraints says anything.
        parts = {
            (kind, name): sorted(re.findall(r"[^\s,()]+", statement))
            for kind, name, statement in connection.execute(SQLITE)
        }
        columns = {
            (name, *column) for _, name in parts for column in connection.execute(COLUMNS, [name])
        }
        tables = [name for kind, name in parts if kind == "table"]
        return parts, columns, rows_of(connection, tables)


def rows_of(connection, tables):
    counts = {
        table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables
    }
    return counts, [sorted(connection.execute(asked)) for asked in ROWS]
