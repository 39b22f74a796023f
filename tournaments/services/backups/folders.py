"""A folder of backups: names by their moments, and how many of them are kept."""

import re
from datetime import UTC, datetime
from pathlib import Path

NAME = re.compile(r"kingscore-\d{8}T\d{6}Z\.zip")


def name_at(at: datetime) -> str:
    """The name of a backup that began at a moment; names sort as moments do."""
    return f"kingscore-{at.astimezone(UTC):%Y%m%dT%H%M%SZ}.zip"


def keep_latest(newest: Path, number: int) -> list[Path]:
    """Remove the oldest backups beside the newest, so that so many are left; return them."""
    others = (path for path in newest.parent.iterdir() if NAME.fullmatch(path.name))
    # Whatever the clock said when the others were made, the newest stays.
    by_age = sorted((path for path in others if path != newest), key=lambda path: path.name)
    old = by_age[: max(0, len(by_age) + 1 - number)]
    for path in old:
        path.unlink()
    return old
