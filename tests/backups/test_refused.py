"""What is not restored, why, and that it changes nothing."""

import hashlib
import json
import shutil
import zipfile

import pytest

from tests.backups.site import Site, manifest_of
from tests.servers import migrated
from tournaments.services.backups.archives import open_backup
from tournaments.services.backups.faults import BackupFault, DamagedBackup

GAMES = """
from django.core.files.base import ContentFile
from tests.club_factories import ClubFactory
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory
GameFactory(entries=WHOLE_GAME[:3])
ClubFactory(logo=ContentFile(b"a picture", "moda.png"))
"""

LOOK = "from tournaments.models import Game; Game.objects.exists()"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("site") / "data")
    shutil.copytree(migrated(), site.folder)
    site.run_python(GAMES)
    return site


@pytest.fixture(scope="module")
def whole(site):
    return site.backup(site.folder.parent / "whole.zip")


@pytest.fixture
def empty(tmp_path):
    """A folder in which `up` ran once."""
    folder = tmp_path / "empty"
    shutil.copytree(migrated(), folder)
    return Site(folder)


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


def contents(folder):
    """Every file that is kept; what the database wrote down on the way to it is none."""
    return {
        path: path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm", "secret-key"))
    }


def refused(site, path, **more):
    """What a refused restore says; nothing is changed by it."""
    # Whoever looks first lets the database settle.
    site.run_python(LOOK)
    before = contents(site.folder)
    done = site.manage("restore", path, **more)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert contents(site.folder) == before
    return done.stderr


def test_file_as_it_was_written_is_whole(whole):
    with open_backup(whole) as backup:
        assert {table.name: table.rows for table in backup.manifest.tables}["tournaments.game"] == 1


def test_data_are_never_replaced(site, whole):
    assert "there are data here already" in refused(site, whole)


def test_files_are_never_replaced(empty, whole):
    foreign = empty.folder / "files" / "logos" / "other.png"
    foreign.parent.mkdir(parents=True)
    foreign.write_bytes(b"of somebody")

    assert "other.png" in refused(empty, whole)


def test_secret_of_the_environment_must_be_that_of_the_backup(site, empty, whole):
    said = refused(empty, whole, KINGSCORE_SECRET_KEY="another")
    told = (site.folder / "secret-key").read_text()

    assert "unzip -p FILE secret-key" in said
    assert zipfile.ZipFile(whole).read("secret-key").decode() == told
    assert empty.manage("restore", whole, KINGSCORE_SECRET_KEY=told).returncode == 0


@pytest.mark.parametrize("secret", [b"", b"x" * 31, b"\0" * 64])
def test_backup_with_a_damaged_secret_is_restored_only_with_a_new_one(
    empty, whole, tmp_path, secret
):
    damaged = rewritten(
        whole, tmp_path / "damaged.zip", lambda parts: parts.update({"secret-key": secret})
    )

    assert "its secret is empty, damaged, or shorter" in refused(empty, damaged)
    assert "its secret is empty" in empty.manage("restore", "--check", damaged).stderr
    if not secret:
        done = empty.manage("restore", damaged, KINGSCORE_SECRET_KEY="n" * 32)
        assert done.returncode == 0, done.stderr


def test_newer_version_is_named(empty, whole, tmp_path):
    newer = rewritten(
        whole,
        tmp_path / "newer.zip",
        bool,
        lambda told: told["migrations"].append("tournaments.9999_tomorrow"),
    )

    assert "tournaments.9999_tomorrow" in refused(empty, newer)


def test_rows_that_fit_nowhere_are_taken_back(empty, whole, tmp_path):
    """The sums are right, and a write belongs to a game that is not there."""
    orphaned = rewritten(
        whole,
        tmp_path / "orphaned.zip",
        lambda parts: parts.update({"rows/tournaments.game.jsonl": b""}),
        lambda told: next(
            table for table in told["tables"] if table["name"] == "tournaments.game"
        ).update(rows=0),
    )

    said = refused(empty, orphaned)

    assert "do not fit each other" in said
    assert empty.run_python(
        "from tournaments.models import Write; print(Write.objects.count())"
    ) == ("0\n")


def test_other_format_is_named(whole, tmp_path):
    future = rewritten(
        whole, tmp_path / "future.zip", bool, lambda told: told.update(format="kingscore-backup/2")
    )

    with pytest.raises(BackupFault, match="kingscore-backup/2"), open_backup(future):
        pass


def damaged(path):
    """Why a file is no backup."""
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


def test_part_that_the_manifest_does_not_know_is_refused(whole, tmp_path):
    more = rewritten(
        whole,
        tmp_path / "more.zip",
        lambda parts: parts.update({"files/more": b"more"}),
        lambda told: told["sums"].pop("files/more"),
    )

    assert "not those that its manifest names" in damaged(more)


def test_sum_that_differs_is_refused(whole, tmp_path):
    name = next(name for name in manifest_of(whole)["sums"] if name.startswith("files/"))
    other = rewritten(
        whole, tmp_path / "other.zip", bool, lambda told: told["sums"].update({name: "0" * 64})
    )

    assert damaged(other) == f"{name} is not as it was written"


def test_anything_else_is_no_backup(tmp_path):
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("holiday.txt", "sun")

    assert "manifest.json" in damaged(other)
