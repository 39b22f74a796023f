"""A backup goes from one database to another and back, and nothing is lost on the way.

With KINGSCORE_DATABASE_URL from PostgreSQL to SQLite and back, otherwise only from SQLite to
SQLite.
"""

import json
import os
import shutil
import signal
import subprocess
import threading
import uuid
import zipfile
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import psycopg
import pytest
from django.db import connection
from django.urls import reverse
from oauth2_provider.models import RefreshToken

from benchmarks.kill import Table
from tests.club_factories import ClubFactory
from tests.factories import EVENING, GameFactory
from tests.phones import Phone
from tests.program_factories import ApplicationFactory, IdempotencyRecordFactory
from tests.rating_factories import PlayerRatingFactory
from tests.servers import ROOT, database_of_its_own, migrated, prepared, serve
from tests.services.backups.site import MAKE, Site, manifest_of, rows_in
from tests.waiting import PATIENCE, wait_until
from tournaments.models import Club, Game, IdempotencyRecord, PlayerRating
from tournaments.services.backups.archives import DamagedBackup, columns_of, fill_table, write_rows

URL = os.environ.get("KINGSCORE_DATABASE_URL")

EMPTY = {
    # Codes are sent, and groups of accounts are not made, by nothing that we have.
    *("account.emailconfirmation", "auth.group", "auth.group_permissions"),
    *("tournaments.user_groups", "tournaments.user_user_permissions"),
    # What waits to be rated has been.
    "tournaments.ratingdue",
    # No round is played there by an account that is notified.
    "tournaments.notification",
    # No application acts for anybody there.
    *(
        f"oauth2_provider.{kind}"
        for kind in ("accesstoken", "devicegrant", "grant", "idtoken", "refreshtoken")
    ),
    # The first backup does not know itself.
    "tournaments.backup",
}
"""Tables with nothing in them here."""

BACKUP = """
from io import StringIO
from django.core.management import call_command
call_command("backup", "{path}", stdout=StringIO())
"""


@pytest.fixture(scope="module")
def journey(tmp_path_factory):
    place = tmp_path_factory.mktemp("journey")
    with database_of_its_own(URL) as first, database_of_its_own(URL) as last:
        sites = [Site(place / "began", first), Site(place / "between")]
        if URL:
            sites.append(Site(place / "back", last))
        for site in sites:
            # With files for the browser: addresses are to be opened.
            shutil.copytree(prepared(), site.folder)
        paths = addresses_of(json.loads(sites[0].run_python(MAKE)))
        backups, looks = [], []
        for number, site in enumerate(sites):
            # A program of its own: the secret is another afterwards.
            if backups:
                site.restore(backups[-1])
            backups.append(place / f"{number}.zip")
            looks += site.look(paths, BACKUP.format(path=backups[-1]))
        # The site as it was, on SQLite, and back on PostgreSQL; the backups made of each.
        yield SimpleNamespace(sites=sites, backups=backups, looks=looks)


def addresses_of(told):
    """Return the addresses to write, follow and enter a table; the right ones, then wrong ones."""
    return [
        reverse(name, kwargs=told[kind][place])
        for kind in ("right", "wrong")
        for name, place in (("write", "write"), ("follow", "follow"), ("table_link", "table"))
    ]


def test_backup_knows_every_table(journey):
    empty = {
        table["name"] for table in manifest_of(journey.backups[0])["tables"] if not table["rows"]
    }

    assert empty == EMPTY


def test_rows_and_exports_are_the_same_everywhere(journey):
    exports = [look["exports"] for look in journey.looks]
    assert all(exports[0].values())
    for began, *others in ([*map(rows_in, journey.backups)], exports):
        assert others == [began] * len(others)


def test_caches_are_right_and_addresses_from_before_open_what_they_opened(journey):
    for look in journey.looks:
        assert look["caches"] == "every cache is what it is computed from\n"
        # The access link of a table leads on to its game.
        assert look["answered"] == [200, 200, 302, 404, 404, 404]


def test_files_come_along(journey):
    files = [
        {
            path.relative_to(site.folder): path.read_bytes()
            for path in (site.folder / "files").rglob("*")
            if path.is_file()
        }
        for site in journey.sites
    ]

    assert [path.suffix for path in files[0]] == [".png"]
    assert files == [files[0]] * len(files)


def test_secret_comes_along_for_its_owner_only(journey):
    secrets = [site.folder / "secret-key" for site in journey.sites]

    assert len({secret.read_text() for secret in secrets}) == 1
    assert {secret.stat().st_mode & 0o777 for secret in (*secrets, *journey.backups)} == {0o600}


def test_key_once_given_is_not_given_again(journey):
    clubs = [len(rows_in(path)["rows/tournaments.club.jsonl"]) for path in journey.backups]

    assert {look["exports"]["next club"] for look in journey.looks} == {clubs[0] + 2}


RELEASES = sorted((Path(__file__).parent / "releases").glob("*.zip"))

COUNT = """
import json
from django.apps import apps
from tournaments.models import AuditEntry
from tournaments.queries.site import missing_columns, missing_migrations
tables = {model._meta.label_lower: model for model in apps.get_models(include_auto_created=True)}
rows = {name: tables[name]._base_manager.count() for name in NAMES if name in tables}
missing = [str(each) for each in missing_migrations() | missing_columns()]
lines = list(AuditEntry.objects.filter(pk__in=KEYS).order_by("pk").values(*COLUMNS))
told = {"rows": rows, "missing": missing, "lines": lines}
print(json.dumps(told, default=lambda moment: moment.isoformat()))
"""


def audit_in(backup):
    (table,) = (
        each for each in manifest_of(backup)["tables"] if each["name"] == "tournaments.auditrow"
    )
    rows = rows_in(backup)["rows/tournaments.auditrow.jsonl"]
    return [dict(zip(table["columns"], row, strict=True)) for row in rows]


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.stem)
def test_backup_of_a_release_is_restored_and_migrated(release, tmp_path):
    kept = {table["name"]: table["rows"] for table in manifest_of(release)["tables"]}
    lines = audit_in(release)

    names = f"NAMES, KEYS, COLUMNS = {list(kept)}, {[each['id'] for each in lines]}, {[*lines[0]]}"
    with database_of_its_own(URL) as url:
        site = Site(tmp_path, url)
        site.restore(release)
        found, look = site.look(first=f"{names}\n{COUNT}")

    assert found["missing"] == []
    assert found["lines"] == lines
    # Fewer than there were: a confirmation is an entry itself.
    assert found["rows"].pop("tournaments.auditrow") <= len(lines)
    # Ratings of 0.2.0 were in another order: a worker computes them again.
    found["rows"].pop("tournaments.ratingdue")
    # Each new table brings some of its own.
    grown = {name for name in ("auth.permission", "contenttypes.contenttype") if name in kept}
    assert all(found["rows"][name] >= kept[name] for name in grown)
    rest = found["rows"].keys() - grown
    assert {name: found["rows"][name] for name in rest} == {name: kept[name] for name in rest}
    assert found["rows"]["tournaments.game"] == len(look["exports"]["games"])
    assert look["caches"] == "every cache is what it is computed from\n"


STRANGE = 'İşıl "\\n" \\ \n\t\u2028 ♠ 😀'


def texts():
    GameFactory()
    Game.objects.update(title=STRANGE, phones=[{STRANGE: [None, 1.5, True]}])
    return Game


def floats():
    for mean in (0.1 + 0.2, 1 / 3, 5e-324, 1.7976931348623157e308, -25.0):
        PlayerRatingFactory(mean=mean)
    return PlayerRating


def moments_and_days():
    ClubFactory(created_at=EVENING.replace(microsecond=500_000), published=True)
    ClubFactory(created_at=EVENING.replace(microsecond=0), month_mailed=EVENING.date())
    with connection.cursor() as cursor:
        # In SQLite with its zone.
        for microsecond in (0, 250):
            at = EVENING.replace(microsecond=microsecond, tzinfo=ZoneInfo("Europe/Istanbul"))
            slug = ClubFactory().slug
            cursor.execute(
                "UPDATE tournaments_club SET created_at = %s WHERE slug = %s", [at, slug]
            )
    return Club


def bytes_of_any_kind():
    IdempotencyRecordFactory(body=bytes(range(256)))
    return IdempotencyRecord


def one_that_another_application_made():
    application = ApplicationFactory()
    RefreshToken.objects.create(
        user=application.user, application=application, token="one", token_family=uuid.UUID(int=7)
    )
    return RefreshToken


@pytest.mark.django_db
@pytest.mark.parametrize(
    "make", [texts, floats, moments_and_days, bytes_of_any_kind, one_that_another_application_made]
)
def test_rows_come_back_as_they_were(make):
    model = make()
    before = list(model._base_manager.order_by("pk").values())
    numbers, lines = zip(*write_rows(model), strict=True)
    model._base_manager.all()._raw_delete("default")

    names = [column.attname for column in columns_of(model)]
    count = fill_table(model, names, b"".join(lines).splitlines(keepends=True))

    assert list(model._base_manager.order_by("pk").values()) == before
    assert count == sum(numbers) == len(before)


@pytest.mark.django_db
def test_moment_is_found_by_its_value_afterwards():
    at = ClubFactory(created_at=EVENING.replace(microsecond=500_000)).created_at
    lines = b"".join(lines for _, lines in write_rows(Club))
    Club._base_manager.all()._raw_delete("default")

    fill_table(Club, [column.attname for column in columns_of(Club)], lines.splitlines())

    # SQLite compares the texts.
    assert Club.objects.filter(created_at=at).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("line", [b"[1]\n", b"{}\n", b"[\n", b"null\n"])
def test_line_that_is_no_row_is_damaged(line):
    names = [column.attname for column in columns_of(Game)]

    with pytest.raises(DamagedBackup):
        fill_table(Game, names, [line])


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
