"""Limits that hold over all processes, robust to a clock that was set back.

They are caches chosen in `settings.CACHES`; allauth and `api/access.py` count with them.
"""

import math
import sqlite3
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.db import DatabaseCache
from django.db import connection

CLOCKS_APART = 60
"""Allowed difference in seconds between the clocks of machines that count together."""


class CountingCache(DatabaseCache):
    """Removes future moments from a list, which show that the clock was set back.

    allauth keeps the time of each attempt, and would count those until the clock has caught up.
    """

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        stored = super().get(key, default, version)
        if isinstance(stored, list):
            latest = time.time() + CLOCKS_APART
            return [
                moment for moment in stored if not isinstance(moment, float) or moment <= latest
            ]
        return stored


COUNT = """
INSERT INTO {table} AS kept (cache_key, value, expires) {first}
ON CONFLICT (cache_key) DO UPDATE SET
    value = CASE WHEN {goes_on} THEN CAST(CAST(kept.value AS integer) + 1 AS text) ELSE '1' END,
    expires = CASE WHEN {goes_on} THEN kept.expires ELSE excluded.expires END
RETURNING value, expires
"""
"""Counts in one statement. A window that would end later than a new one shows that the clock was
set back: it begins anew."""

GOES_ON = "kept.expires > {now} AND kept.expires <= {latest}"


class FileCounts(BaseCache):
    """Counts in a file that all processes of a machine share, in some 15 µs each.

    Nothing is waited for: a power cut may lose the counts, and a full disk counts nothing.
    """

    TABLE = "CREATE TABLE IF NOT EXISTS counts (cache_key text PRIMARY KEY, value text, expires)"
    SQL = COUNT.format(
        table="counts",
        first="VALUES (:key, '1', :ends)",
        goes_on=GOES_ON.format(now=":now", latest=":latest"),
    )

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self.file = Path(location)
        # Django makes a cache for each thread.
        self.opened: sqlite3.Connection | None = None

    def count(self, key: str, seconds: int) -> tuple[int, int]:
        """Count once more under a key; return the number, and the seconds until it begins anew."""
        now = time.time()
        ends = now + seconds
        values = {"key": key, "ends": ends, "now": now, "latest": ends + CLOCKS_APART}
        try:
            opened = self.opened = self.opened or self._open()
            number, ends = opened.execute(self.SQL, values).fetchone()
            if number == "1":
                opened.execute("DELETE FROM counts WHERE expires < ?", [now])
        except sqlite3.OperationalError:
            return 1, seconds
        except sqlite3.DatabaseError:
            # A power cut has broken it.
            self._remove()
            return 1, seconds
        return int(number), math.ceil(ends - now)

    def clear(self) -> None:
        with suppress(sqlite3.Error):
            opened = self.opened = self.opened or self._open()
            opened.execute("DELETE FROM counts")

    def _open(self) -> sqlite3.Connection:
        opened = sqlite3.connect(self.file, timeout=1, isolation_level=None)
        opened.executescript(f"PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; {self.TABLE}")
        return opened

    def _remove(self) -> None:
        if self.opened is not None:
            self.opened.close()
        self.opened = None
        for end in ("", "-wal", "-shm"):
            Path(f"{self.file}{end}").unlink(missing_ok=True)


class DatabaseCounts(BaseCache):
    """Counts in the table of the cache, which all machines share; for PostgreSQL."""

    # Nobody waits for the disk: a power cut may lose the counts.
    FIRST = "SELECT %(key)s, '1', %(ends)s FROM set_config('synchronous_commit', 'off', true)"

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self.table = connection.ops.quote_name(location)

    def count(self, key: str, seconds: int) -> tuple[int, int]:
        """Count once more under a key; return the number, and the seconds until it begins anew."""
        now = time.time()
        moments = (now, now + seconds, now + seconds + CLOCKS_APART)
        began, ends, latest = (datetime.fromtimestamp(each, UTC) for each in moments)
        goes_on = GOES_ON.format(now="%(now)s", latest="%(latest)s")
        sql = COUNT.format(table=self.table, first=self.FIRST, goes_on=goes_on)
        with connection.cursor() as cursor:
            cursor.execute(
                sql, {"key": f"count:{key}", "ends": ends, "now": began, "latest": latest}
            )
            number, until = cursor.fetchone()
        return int(number), math.ceil((until - began).total_seconds())

    def clear(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {self.table} WHERE cache_key LIKE 'count:%%'", [])  # noqa: S608
