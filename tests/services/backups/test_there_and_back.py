"""A backup goes from one database to another and back, and nothing is lost on the way.

With KINGSCORE_DATABASE_URL from PostgreSQL to SQLite and back, otherwise only from SQLite to
SQLite.
"""

import json
import os
import shutil
from dataclasses import dataclass

import pytest
from django.urls import reverse

from tests.servers import database_of_its_own, prepared
from tests.services.backups.site import MAKE, Site, manifest_of, rows_in

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
    # Only PostgreSQL has partitions, where they are begun.
    "tournaments.partition",
}
"""Tables with nothing in them here."""

BACKUP = """
from io import StringIO
from django.core.management import call_command
call_command("backup", "{path}", stdout=StringIO())
"""


@dataclass
class Journey:
    """The site as it was, on SQLite, and back on PostgreSQL; the backups made of each."""

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
        sites = [Site(place / "began", first), Site(place / "between")]
        if url:
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
        yield Journey(sites, backups, looks)


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
    assert all(journey.exports[0].values())
    for began, *others in (map(rows_in, journey.backups), journey.exports):
        assert others == [began] * len(others)


def test_caches_are_what_they_are_computed_from(journey):
    said = [look["caches"] for look in journey.looks]

    assert set(said) == {"every cache is what it is computed from\n"}


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

    assert {each["next club"] for each in journey.exports} == {clubs[0] + 2}


def test_addresses_from_before_open_what_they_opened(journey):
    # The access link of a table leads on to its game.
    for look in journey.looks:
        assert look["answered"] == [200, 200, 302, 404, 404, 404]
