"""A folder of backups: names by date, and the number of backups to keep."""

import re
from datetime import UTC, datetime
from pathlib import Path

NAME = re.compile(r"kingscore-\d{8}T\d{6}Z\.zip")


def name_at(at: datetime) -> str:
    """Return the file name of a backup that began at `at`; names sort by date."""
    return f"kingscore-{at.astimezone(UTC):%Y%m%dT%H%M%SZ}.zip"


def keep_latest(newest: Path, number: int) -> list[Path]:
    """Delete the oldest backups beside `newest` until `number` are left; return them."""
    others = (path for path in newest.parent.iterdir() if NAME.fullmatch(path.name))
    # The newest stays, even if a wrong clock gave others a later name.
    by_age = sorted((path for path in others if path != newest), key=lambda path: path.name)
    old = by_age[: max(0, len(by_age) + 1 - number)]
    for path in old:
        path.unlink()
    return old
