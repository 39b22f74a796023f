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
from tests.servers import database_of_its_own, migrated, prepared

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
    looks: list

    @property
    def exports(self):
        return [look["exports"] for look in self.looks]


@pytest.fixture(scope="module")
def journey(tmp_path_factory):
    place = tmp_path_factory.mktemp("journey")
    url = os.environ.get("KINGSCORE_DATABASE_URL")
    with database_of_its_own(url) as first, database_of_its_own(url) as last:
        began = Site(place / "began", first)
        shutil.copytree(migrated(), began.folder)
        paths = addresses_of(json.loads(began.run_python(MAKE)))
        # With files for the browser: its addresses are to be opened.
        between = Site(place / "between")
        shutil.copytree(prepared(), between.folder)
        back = Site(place / "back", last)
        shutil.copytree(migrated(), back.folder)
        sites, backups = [began, between, back], []
        for number, site in enumerate(sites):
            if backups:
                site.restore(backups[-1])
            backups.append(site.backup(place / f"{number}.zip"))
        looks = [site.look(paths if site is between else ()) for site in sites]
        yield Journey(sites, backups, looks)


def addresses_of(told):
    """What writes, what follows and the door of a table; the right ones, then wrong ones."""
    return [
        reverse(name, kwargs=told[kind][place])
        for kind in ("right", "wrong")
        for name, place in (("write", "write"), ("follow", "follow"), ("table_door", "table"))
    ]


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
    said = [look["caches"] for look in journey.looks]

    assert said == ["every cache is what it is computed from\n"] * 3


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
    # The door of a table leads on to its game.
    assert journey.looks[1]["answered"] == [200, 200, 302, 404, 404, 404]
