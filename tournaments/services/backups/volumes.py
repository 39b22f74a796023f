"""Archive a volume: its deals and its audit leave the database for a file.

The file is a backup of everything but the deals and the audit of other volumes. So a season can be
looked at again, also by later versions: restored beside the site, in a folder of its own.
"""

from datetime import datetime
from pathlib import Path

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from tournaments.models import Volume
from tournaments.services.backups.archives import open_backup
from tournaments.services.backups.making import Made, Within, write_backup
from tournaments.services.volumes import PARTITIONED, NoVolumes, is_partitioned, part_of

OF_A_VOLUME = {"tournaments.revision": "game_id", "tournaments.auditrow": "id"}

KEEP_UNFINISHED = """
CREATE TEMPORARY TABLE unfinished ON COMMIT DROP AS
SELECT part.* FROM {part} part JOIN tournaments_game game ON game.id = part.game_id
WHERE game.result IS NULL
"""


def archive_volume(number: int, path: Path, *, at: datetime) -> Made:
    """Write a volume to a file, check it, and take its rows out of the database.

    Deals of unfinished games stay in the database, too. Its sheets can be read meanwhile, and
    nothing can be written there.

    Raises:
        NoVolumes: there is no such volume, it is still being written, or it is archived already.
        BackupFault, OSError: as `make_backup`; nothing has left the database.
    """
    volume = _finished_volume(number)
    parts = {table: part_of(table, number) for table in PARTITIONED}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        # Before the first query, of whose moment all is that is seen.
        cursor.execute(f"LOCK TABLE {', '.join(parts.values())} IN SHARE MODE")
        made = _write(volume, path, at)
        with open_backup(path):
            # It is whole.
            pass
        _clear(cursor, parts)
        Volume.objects.filter(pk=volume.pk).update(archived_at=at)
    return made


def _finished_volume(number: int) -> Volume:
    volumes = list(Volume.objects.order_by("number")) if is_partitioned() else []
    found = [volume for volume in volumes[:-1] if volume.number == number]
    if not found or found[0].archived_at is not None:
        raise NoVolumes(f"there is no volume {number} that is over and not archived")
    return found[0]


def _write(volume: Volume, path: Path, at: datetime) -> Made:
    within: Within = {
        label: f"{column} >= {volume.first_key} AND {column} < {volume.end_key}"
        for label, column in OF_A_VOLUME.items()
    }
    kept = transaction.savepoint()
    # In the file it is the others whose deals are elsewhere.
    Volume.objects.exclude(pk=volume.pk).update(archived_at=at)
    made = write_backup(path, within)
    transaction.savepoint_rollback(kept)
    return made


def _clear(cursor: CursorWrapper, parts: dict[str, str]) -> None:
    deals = parts["tournaments_revision"]
    cursor.execute("SET LOCAL lock_timeout = '60s'")
    cursor.execute(KEEP_UNFINISHED.format(part=deals))
    cursor.execute(f"TRUNCATE {', '.join(parts.values())}")
    cursor.execute(f"INSERT INTO {deals} TABLE unfinished")
