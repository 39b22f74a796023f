import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from io import StringIO
from pathlib import Path
from secrets import token_hex

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from tests.check_factories import EmailFactory
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory
from tests.servers import ROOT, migrated
from tests.services.backups.site import Site, rows_in
from tournaments.models import Backup, Game
from tournaments.services.backups.archives import DamagedBackup, open_backup

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

# A restore is a transaction of its own, and on SQLite a backup begins one by hand.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("site")
    site = Site(place / "data")
    shutil.copytree(migrated(), site.folder)
    site.run_python(MAKE.format(str(place / "whole.zip")))
    return place / "whole.zip"


@pytest.fixture
def whole(made, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.SECRET_FILE = tmp_path / "secret-key"
    settings.SECRET_FILE.write_text("of this site")
    return made


@pytest.fixture
def rewritten(whole, tmp_path):
    """Make a backup with other parts that are not damaged, and another manifest where given."""

    def rewrite(change=bool, told=bool, of=whole):
        with zipfile.ZipFile(of) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        manifest = json.loads(parts.pop("manifest.json"))
        change(parts)
        told(manifest)
        path = tmp_path / f"{token_hex(4)}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, part in parts.items():
                archive.writestr(name, part)
            archive.writestr("manifest.json", json.dumps(manifest))
        return path

    return rewrite


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


def test_data_and_files_are_never_replaced(whole, tmp_path):
    foreign = tmp_path / "files" / "logos" / "other.png"
    foreign.parent.mkdir(parents=True)
    foreign.write_bytes(b"of somebody")
    assert "other.png" in refused(whole, tmp_path)

    GameFactory()
    assert "there are data here already" in refused(whole, tmp_path)


GAMES = "rows/tournaments.game.jsonl"


def with_games(parts, content=b""):
    parts[GAMES] = content


def counting_games(told, rows):
    next(table for table in told["tables"] if table["name"] == "tournaments.game")["rows"] = rows


WRONG = {
    "newer": (bool, lambda told: told["migrations"].append("tournaments.9999_tomorrow"),
              "tournaments.9999_tomorrow"),
    # Nothing is damaged, and a write belongs to a game that is not there.
    "orphans": (with_games, partial(counting_games, rows=0), "do not fit each other"),
    "short": (bool, partial(counting_games, rows=2), "has 1 rows, not 2"),
    "other format": (bool, lambda told: told.update(format="kingscore-backup/2"),
                     "kingscore-backup/2"),
    **{
        f"deep {opened} {depth}": (partial(with_games, content=opened.encode() * depth), bool,
                                   "a line cannot be read")
        for opened in ("[", '{"a":') for depth in (5_000, 200_000)
    },
}  # fmt: skip


@pytest.mark.parametrize(("change", "told", "said"), WRONG.values(), ids=WRONG)
def test_backup_that_cannot_be_right_is_refused_with_the_reason(
    rewritten, tmp_path, change, told, said
):
    assert said in refused(rewritten(change, told), tmp_path)


def test_secret_of_the_environment_must_be_that_of_the_backup(whole, tmp_path, settings):
    settings.SECRET_FILE, settings.SECRET_KEY = None, "another"

    assert "unzip -p FILE secret-key" in refused(whole, tmp_path)

    settings.SECRET_KEY = zipfile.ZipFile(whole).read("secret-key").decode()
    call_command("restore", whole, stdout=StringIO())
    assert Game.objects.count() == 1


@pytest.mark.parametrize("secret", [b"", b"x" * 31, b"\0" * 64])
def test_backup_with_a_damaged_secret_is_restored_only_with_a_new_one(
    rewritten, tmp_path, settings, secret
):
    damaged = rewritten(lambda parts: parts.update({"secret-key": secret}))

    assert "its secret is empty, damaged, or shorter" in refused(damaged, tmp_path)
    with pytest.raises(CommandError, match="its secret is empty"):
        call_command("restore", "--check", damaged)

    settings.SECRET_FILE, settings.SECRET_KEY = None, "n" * 32
    call_command("restore", damaged, stdout=StringIO())
    assert Game.objects.count() == 1


def test_backup_from_before_the_first_release_is_restored(rewritten):
    """It names the migrations that one replaces now."""
    (squashed,) = Path("tournaments/migrations").glob("0001_squashed*.py")
    replaced = import_module(f"tournaments.migrations.{squashed.stem}").Migration.replaces

    def name_replaced(told):
        told["migrations"].remove(f"tournaments.{squashed.stem}")
        told["migrations"] += [".".join(key) for key in replaced]

    call_command("restore", rewritten(told=name_replaced), stdout=StringIO())

    assert Game.objects.count() == 1


def damaged(path):
    with pytest.raises(DamagedBackup) as found, open_backup(path):
        pass
    return str(found.value)


def test_half_a_file_and_any_changed_byte_of_what_is_read_are_found(whole, tmp_path):
    content = whole.read_bytes()
    wrong = tmp_path / "wrong.zip"
    for share in (0, 0.01, 0.5, 0.99):
        wrong.write_bytes(content[: int(share * len(content))])
        damaged(wrong)
    with zipfile.ZipFile(whole) as archive:
        parts = [part for part in archive.infolist() if part.compress_size > 20]
    for part in parts:
        at = part.header_offset + 30 + len(part.filename) + 20 + part.compress_size // 2
        wrong.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])

        damaged(wrong)


@pytest.mark.parametrize(
    "name",
    [
        *("files/../../outside", "files//outside", "files/a/../../../outside", "files/."),
        *("files/a\\..\\..\\outside", "/files/outside", "outside"),
        "rows/tournaments.nothing.jsonl",
    ],
)
def test_part_that_leads_elsewhere_is_refused(rewritten, name):
    evil = rewritten(lambda parts: parts.update({name: b"evil"}))

    assert "parts that no backup has" in damaged(evil)


def back_up(where, **options):
    call_command("backup", str(where), stdout=(said := StringIO()), **options)
    return said.getvalue()


def test_backup_is_noted(tmp_path):
    GameFactory(entries=WHOLE_GAME)

    back_up(path := tmp_path / "noted.zip")

    noted = Backup.objects.get()
    assert noted.size == path.stat().st_size
    assert noted.rows == sum(len(rows) for rows in rows_in(path).values())
    assert noted.began_at < noted.ended_at


def test_file_that_is_there_is_replaced_by_force_only(tmp_path):
    path = tmp_path / "kept.zip"
    path.write_text("another one")

    with pytest.raises(CommandError, match="--force"):
        back_up(path)
    assert path.read_text() == "another one"

    back_up(path, force=True)
    assert rows_in(path)


def test_command_gets_the_complete_backup_and_its_failure_is_told(tmp_path):
    GameFactory()

    said = back_up(kept := tmp_path / "kept.zip", pipe=f"cat > {tmp_path}/sent-$BACKUP")
    back_up("-", pipe=f"cat > {tmp_path}/alone.zip")

    assert (tmp_path / "sent-kept.zip").read_bytes() == kept.read_bytes()
    assert str(kept) in said
    assert len(rows_in(tmp_path / "alone.zip")["rows/tournaments.game.jsonl"]) == 1
    with pytest.raises(CommandError, match="failed with status 3"):
        back_up("-", pipe="exit 3 | cat")


def test_folder_keeps_the_latest(tmp_path):
    days = [f"kingscore-2026010{day}T030000Z.zip" for day in range(1, 6)]
    # The clock of the machine was wrong once.
    ahead = "kingscore-20990101T030000Z.zip"
    others = ["kingscore-20260101T030000Z.zip.txt", "holiday.zip"]
    for name in (*days, ahead, *others):
        (tmp_path / name).write_text("")

    said = back_up(tmp_path, keep=3)

    new = {path.name for path in tmp_path.iterdir()} - {*days, ahead, *others}
    assert len(new) == 1
    assert {path.name for path in tmp_path.iterdir()} == {*new, ahead, days[-1], *others}
    assert said.count("removed") == 4


@contextmanager
def full_disk():
    """Let no file of this process grow, as on a disk with no room left."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Enough for the files that SQLite makes to read.
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_disk_that_is_full_leaves_no_file(tmp_path):
    EmailFactory(body=token_hex(100_000))
    path = tmp_path / "full.zip"
    path.write_text("the one before")

    with full_disk(), pytest.raises(CommandError, match=f"No backup: {path}: File too large"):
        back_up(path, force=True)

    assert [each.name for each in tmp_path.iterdir()] == ["full.zip"]
    assert path.read_text() == "the one before"


UNITS = sorted((ROOT / "deploy" / "systemd").iterdir())
SERVICES = [unit for unit in UNITS if unit.suffix == ".service" and "@" not in unit.name]
LEAST_EXPOSED = 2.0


@pytest.fixture(scope="module")
def systemd():
    if found := shutil.which("systemd-analyze"):
        return found
    if os.environ.get("KINGSCORE_TEST_REQUIRE_ALL") == "1":
        pytest.fail("no systemd-analyze, and KINGSCORE_TEST_REQUIRE_ALL=1 wants every test run")
    pytest.skip("no systemd-analyze on this machine")


@pytest.fixture
def units(tmp_path):
    python = str(Path(sys.executable))
    for unit in UNITS:
        text = unit.read_text().replace("/opt/kingscore/.venv/bin/python", python)
        (tmp_path / unit.name).write_text(text.replace("/opt/kingscore", str(ROOT)))
    return tmp_path


def value(unit, name):
    return re.search(rf"^{name}=(.*)$", unit.read_text(), re.MULTILINE)[1]


def test_units_are_what_systemd_understands_and_give_no_more_than_is_needed(systemd, units):
    def analyze(*words):
        run = [systemd, *map(str, words)]
        return subprocess.run(run, capture_output=True, text=True, check=False)

    done = analyze("verify", "--man=no", *sorted(units.iterdir()))
    assert (done.returncode, done.stderr) == (0, "")
    for unit in SERVICES:
        done = analyze("security", "--offline=true", "--no-pager", units / unit.name)
        exposed = re.search(r"exposure level for .*: ([\d.]+)", done.stdout)[1]
        assert float(exposed) < LEAST_EXPOSED


def test_units_share_what_is_kept_and_who_reads_it():
    kept = [
        [value(unit, name) for name in ("User", "Environment", "EnvironmentFile", "UMask")]
        for unit in SERVICES
    ]
    hidden = [value(unit, "InaccessiblePaths") for unit in SERVICES]

    assert (
        kept
        == [["kingscore", "KINGSCORE_DATA=/var/lib/kingscore", "-/etc/kingscore.env", "0077"]] * 2
    )
    assert hidden == ["-/opt/kingscore/.git"] * 2


def test_nightly_backup_makes_one(tmp_path):
    site = Site(tmp_path / "data")
    shutil.copytree(migrated(), site.folder)
    unit = next(unit for unit in SERVICES if "backup" in unit.name)
    folder = tmp_path / "backups"
    folder.mkdir()
    _, _, *words = shlex.split(value(unit, "ExecStart"))

    done = site.manage(*(word.replace("/var/lib/kingscore-backups", str(folder)) for word in words))

    assert done.returncode == 0, done.stderr
    assert [path.suffix for path in folder.iterdir()] == [".zip"]
