"""Archive a partition: its deals and its audit leave the database for a file.

The file is a backup of everything but the deals and the audit of other partitions. So a season can
be looked at again, also by later versions: restored beside the site, in a folder of its own.
"""

from datetime import datetime
from pathlib import Path

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from tournaments.models import Partition
from tournaments.services.backups.archives import open_backup
from tournaments.services.backups.making import Made, Within, write_backup
from tournaments.services.partitions import PARTITIONED, NoPartition, is_partitioned, part_of

OF_A_PARTITION = {"tournaments.revision": "game_id", "tournaments.auditrow": "id"}

KEEP_UNFINISHED = """
CREATE TEMPORARY TABLE unfinished ON COMMIT DROP AS
SELECT part.* FROM {part} part JOIN tournaments_game game ON game.id = part.game_id
WHERE game.result IS NULL
"""


def archive_partition(number: int, path: Path, *, at: datetime) -> Made:
    """Write a partition to a file, check it, and take its rows out of the database.

    Deals of unfinished games stay in the database, too. Its sheets can be read meanwhile, and
    nothing can be written there.

    Raises:
        NoPartition: there is none of this number, it is being written, or it is archived already.
        BackupFault, OSError: as `make_backup`; nothing has left the database.
    """
    partition = _finished_partition(number)
    parts = {table: part_of(table, number) for table in PARTITIONED}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        # Before the first query, of whose moment all is that is seen.
        cursor.execute(f"LOCK TABLE {', '.join(parts.values())} IN SHARE MODE")
        made = _write(partition, path, at)
        with open_backup(path):
            # It is whole.
            pass
        _clear(cursor, parts)
        Partition.objects.filter(pk=partition.pk).update(archived_at=at)
    return made


def _finished_partition(number: int) -> Partition:
    partitions = list(Partition.objects.order_by("number")) if is_partitioned() else []
    found = [partition for partition in partitions[:-1] if partition.number == number]
    if not found or found[0].archived_at is not None:
        raise NoPartition(f"there is no partition {number} that is over and not archived")
    return found[0]


def _write(partition: Partition, path: Path, at: datetime) -> Made:
    within: Within = {
        label: f"{column} >= {partition.first_key} AND {column} < {partition.end_key}"
        for label, column in OF_A_PARTITION.items()
    }
    kept = transaction.savepoint()
    # In the file it is the others whose deals are elsewhere.
    Partition.objects.exclude(pk=partition.pk).update(archived_at=at)
    made = write_backup(path, within)
    transaction.savepoint_rollback(kept)
    return made


def _clear(cursor: CursorWrapper, parts: dict[str, str]) -> None:
    deals = parts["tournaments_revision"]
    cursor.execute("SET LOCAL lock_timeout = '60s'")
    cursor.execute(KEEP_UNFINISHED.format(part=deals))
    cursor.execute(f"TRUNCATE {', '.join(parts.values())}")
    cursor.execute(f"INSERT INTO {deals} TABLE unfinished")
