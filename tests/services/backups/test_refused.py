import hashlib
import json
import shutil
import zipfile
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from tests.factories import GameFactory
from tests.servers import migrated
from tests.services.backups.site import Site, manifest_of
from tournaments.models import Game
from tournaments.services.backups.archives import BackupFault, DamagedBackup, open_backup

MAKE = """
from django.core.files.base import ContentFile
from django.core.management import call_command
from tests.club_factories import ClubFactory
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory
GameFactory(entries=WHOLE_GAME[:3])
ClubFactory(logo=ContentFile(b"a picture", "moda.png"))
call_command("backup", {!r})
"""

# A restore is a transaction of its own.
into_the_database = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    place = tmp_path_factory.mktemp("site")
    site = Site(place / "data")
    shutil.copytree(migrated(), site.folder)
    site.run_python(MAKE.format(str(place / "whole.zip")))
    return place / "whole.zip"


@pytest.fixture(autouse=True)
def site_in_one_folder(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.SECRET_FILE = tmp_path / "secret-key"
    settings.SECRET_FILE.write_text("of this site")


def rewritten(whole, path, change, told=None):
    """A backup with other parts whose sums are right, and another manifest where given."""
    with zipfile.ZipFile(whole) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(parts.pop("manifest.json"))
    change(parts)
    manifest["sums"] = {name: hashlib.sha256(part).hexdigest() for name, part in parts.items()}
    (told or bool)(manifest)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
        archive.writestr("manifest.json", json.dumps(manifest))
    return path


def everything_in(folder):
    rows = {model: list(model._base_manager.values()) for model in apps.get_models()}
    return rows, {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(path, folder):
    before = everything_in(folder)
    with pytest.raises(CommandError, match="Nothing was restored") as error:
        call_command("restore", path)
    assert everything_in(folder) == before
    return str(error.value)


def test_file_as_it_was_written_is_whole(whole):
    with open_backup(whole) as backup:
        assert {table.name: table.rows for table in backup.manifest.tables}["tournaments.game"] == 1


@into_the_database
def test_data_are_never_replaced(whole, tmp_path):
    GameFactory()

    assert "there are data here already" in refused(whole, tmp_path)


@into_the_database
def test_files_are_never_replaced(whole, tmp_path):
    foreign = tmp_path / "files" / "logos" / "other.png"
    foreign.parent.mkdir(parents=True)
    foreign.write_bytes(b"of somebody")

    assert "other.png" in refused(whole, tmp_path)


@into_the_database
def test_secret_of_the_environment_must_be_that_of_the_backup(whole, tmp_path, settings):
    settings.SECRET_FILE, settings.SECRET_KEY = None, "another"

    assert "unzip -p FILE secret-key" in refused(whole, tmp_path)

    settings.SECRET_KEY = zipfile.ZipFile(whole).read("secret-key").decode()
    call_command("restore", whole, stdout=StringIO())
    assert Game.objects.count() == 1


@into_the_database
@pytest.mark.parametrize("secret", [b"", b"x" * 31, b"\0" * 64])
def test_backup_with_a_damaged_secret_is_restored_only_with_a_new_one(
    whole, tmp_path, settings, secret
):
    damaged = rewritten(
        whole, tmp_path / "damaged.zip", lambda parts: parts.update({"secret-key": secret})
    )

    assert "its secret is empty, damaged, or shorter" in refused(damaged, tmp_path)
    with pytest.raises(CommandError, match="its secret is empty"):
        call_command("restore", "--check", damaged)

    settings.SECRET_FILE, settings.SECRET_KEY = None, "n" * 32
    call_command("restore", damaged, stdout=StringIO())
    assert Game.objects.count() == 1


@into_the_database
def test_newer_version_is_named(whole, tmp_path):
    newer = rewritten(
        whole,
        tmp_path / "newer.zip",
        bool,
        lambda told: told["migrations"].append("tournaments.9999_tomorrow"),
    )

    assert "tournaments.9999_tomorrow" in refused(newer, tmp_path)


@into_the_database
def test_backup_from_before_the_first_release_is_restored(whole, tmp_path):
    """It names the migrations that one replaces now."""
    (squashed,) = Path("tournaments/migrations").glob("0001_squashed*.py")
    replaced = import_module(f"tournaments.migrations.{squashed.stem}").Migration.replaces

    def name_replaced(told):
        told["migrations"].remove(f"tournaments.{squashed.stem}")
        told["migrations"] += [".".join(key) for key in replaced]

    older = rewritten(whole, tmp_path / "older.zip", bool, name_replaced)
    call_command("restore", older, stdout=StringIO())

    assert Game.objects.count() == 1


@into_the_database
def test_rows_that_fit_nowhere_are_taken_back(whole, tmp_path):
    """The sums are right, and a write belongs to a game that is not there."""
    orphaned = rewritten(
        whole,
        tmp_path / "orphaned.zip",
        lambda parts: parts.update({"rows/tournaments.game.jsonl": b""}),
        lambda told: next(
            table for table in told["tables"] if table["name"] == "tournaments.game"
        ).update(rows=0),
    )

    assert "do not fit each other" in refused(orphaned, tmp_path)


@into_the_database
def test_part_without_all_its_rows_is_refused(whole, tmp_path):
    short = rewritten(
        whole,
        tmp_path / "short.zip",
        bool,
        lambda told: next(
            table for table in told["tables"] if table["name"] == "tournaments.game"
        ).update(rows=2),
    )

    assert "has 1 rows, not 2" in refused(short, tmp_path)


@into_the_database
@pytest.mark.parametrize("opened", ["[", '{"a":'], ids=["lists", "objects"])
@pytest.mark.parametrize("depth", [5_000, 200_000])
def test_rows_too_deep_to_be_read_are_refused(whole, tmp_path, opened, depth):
    deep = rewritten(
        whole,
        tmp_path / "deep.zip",
        lambda parts: parts.update({"rows/tournaments.game.jsonl": opened.encode() * depth}),
    )

    assert "a line cannot be read" in refused(deep, tmp_path)


def test_other_format_is_named(whole, tmp_path):
    future = rewritten(
        whole, tmp_path / "future.zip", bool, lambda told: told.update(format="kingscore-backup/2")
    )

    with pytest.raises(BackupFault, match="kingscore-backup/2"), open_backup(future):
        pass


def damaged(path):
    with pytest.raises(DamagedBackup) as found, open_backup(path):
        pass
    return str(found.value)


@pytest.mark.parametrize("share", [0, 0.01, 0.5, 0.99])
def test_half_a_file_is_none(whole, tmp_path, share):
    half = tmp_path / "half.zip"
    content = whole.read_bytes()
    half.write_bytes(content[: int(share * len(content))])

    damaged(half)


def test_any_changed_byte_of_what_is_read_is_found(whole, tmp_path):
    content = whole.read_bytes()
    wrong = tmp_path / "wrong.zip"
    with zipfile.ZipFile(whole) as archive:
        parts = [part for part in archive.infolist() if part.compress_size > 20]
    for part in parts:
        at = part.header_offset + 30 + len(part.filename) + 20 + part.compress_size // 2
        wrong.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])

        damaged(wrong)


@pytest.mark.parametrize(
    "name",
    [
        "files/../../outside",
        "files//outside",
        "files/a/../../../outside",
        "files/a\\..\\..\\outside",
        "files/.",
        "/files/outside",
        "outside",
        "rows/tournaments.nothing.jsonl",
    ],
)
def test_part_that_leads_elsewhere_is_refused(whole, tmp_path, name):
    evil = rewritten(whole, tmp_path / "evil.zip", lambda parts: parts.update({name: b"evil"}))

    assert "parts that no backup has" in damaged(evil)
    forgotten = rewritten(evil, tmp_path / "more.zip", bool, lambda told: told["sums"].pop(name))
    assert "not those that its manifest names" in damaged(forgotten)


def test_sum_that_differs_is_refused(whole, tmp_path):
    name = next(name for name in manifest_of(whole)["sums"] if name.startswith("files/"))
    other = rewritten(
        whole, tmp_path / "other.zip", bool, lambda told: told["sums"].update({name: "0" * 64})
    )

    assert damaged(other) == f"{name} is not as it was written"
