import resource
from contextlib import contextmanager
from io import StringIO
from secrets import token_hex

import pytest
from django.core.management import CommandError, call_command

from tests.check_factories import EmailFactory
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory
from tests.services.backups.site import rows_in
from tournaments.models import Backup

# On SQLite a backup begins a transaction by hand.
pytestmark = pytest.mark.django_db(transaction=True)


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
