"""A backup goes from one database to another and back, and nothing is lost on the way.

With KINGSCORE_DATABASE_URL from PostgreSQL to SQLite and back, otherwise from SQLite to SQLite.
"""

import json
import os
import shutil
from dataclasses import dataclass

import pytest
from django.urls import reverse

from tests.backups.site import MAKE, Site, manifest_of, rows_in
from tests.phones import Phone
from tests.servers import database_of_its_own, migrated, prepared, serve

EMPTY = {
    # Codes are sent, and groups of accounts are not made, by nothing that we have.
    *("account.emailconfirmation", "auth.group", "auth.group_permissions"),
    *("tournaments.user_groups", "tournaments.user_user_permissions"),
    # What waits to be rated has been.
    "tournaments.ratingdue",
    # The first backup does not know itself.
    "tournaments.backup",
}
"""Tables with nothing in them here."""


@dataclass
class Journey:
    """The site as it was, on SQLite, and back where it was; the backups made of each."""

    sites: list
    backups: list
    exports: list
    addresses: dict


@pytest.fixture(scope="module")
def journey(tmp_path_factory):
    place = tmp_path_factory.mktemp("journey")
    url = os.environ.get("KINGSCORE_DATABASE_URL")
    with database_of_its_own(url) as first, database_of_its_own(url) as last:
        began = Site(place / "began", first)
        shutil.copytree(migrated(), began.folder)
        addresses = json.loads(began.run_python(MAKE))
        # With files for the browser: it is to be opened.
        between = Site(place / "between")
        shutil.copytree(prepared(), between.folder)
        back = Site(place / "back", last)
        shutil.copytree(migrated(), back.folder)
        sites, backups = [began, between, back], []
        for number, site in enumerate(sites):
            if backups:
                site.restore(backups[-1])
            backups.append(site.backup(place / f"{number}.zip"))
        yield Journey(sites, backups, [site.exports() for site in sites], addresses)


def test_backup_knows_every_table(journey):
    empty = {
        table["name"] for table in manifest_of(journey.backups[0])["tables"] if not table["rows"]
    }

    assert empty == EMPTY


def test_exports_are_the_same_everywhere(journey):
    began, between, back = journey.exports

    assert all(began.values())
    assert began == between
    assert began == back


def test_rows_are_the_same_everywhere(journey):
    began, between, back = map(rows_in, journey.backups)

    assert began == between
    assert began == back


def test_caches_are_what_they_are_computed_from(journey):
    looked = [site.manage("check_caches") for site in journey.sites]

    assert [done.stdout for done in looked if done.returncode != 0] == []
    assert len({done.stdout for done in looked}) == 1


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
    assert files == [files[0]] * 3


def test_secret_comes_along_for_its_owner_only(journey):
    secrets = [site.folder / "secret-key" for site in journey.sites]

    assert len({secret.read_text() for secret in secrets}) == 1
    assert {secret.stat().st_mode & 0o777 for secret in (*secrets, *journey.backups)} == {0o600}


def test_key_once_given_is_not_given_again(journey):
    clubs = [len(rows_in(path)["rows/tournaments.club.jsonl"]) for path in journey.backups]

    assert [each["next club"] for each in journey.exports] == [clubs[0] + 2] * 3


def test_addresses_from_before_open_what_they_opened(journey):
    right, wrong = journey.addresses["right"], journey.addresses["wrong"]
    paths = [
        reverse(name, kwargs=told[place])
        for told in (right, wrong)
        for name, place in (("write", "write"), ("follow", "follow"), ("table_door", "table"))
    ]

    with serve(journey.sites[1].folder) as server:
        phone = Phone(server.host, server.port)
        answered = [phone.ask("GET", path).status for path in paths]
        phone.hang_up()

    # The door of a table leads on to its game.
    assert answered == [200, 200, 302, 404, 404, 404]
