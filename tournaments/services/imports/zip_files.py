"""The parts of a zip archive, limited by their unpacked size and not by the stated one.

`ZipFile.read` unpacks all of a part before it cuts it to the size the archive states: 2 MB that
state a few bytes take 2 GB of memory. A bounded read unpacks only up to its bound.
"""

import io
import zipfile
import zlib
from collections.abc import Callable

from tournaments.services.imports.refusals import FileRefused

MOST_PARTS = 2_000


class NoArchive(Exception):
    """The archive is broken, encrypted, or packed by an unsupported method."""


def unpack(
    content: bytes, largest: int, wanted: Callable[[str], bool] = bool
) -> list[tuple[str, bytes]]:
    """Return names and contents of the wanted parts of an archive, ordered by name.

    Raises:
        FileRefused: they are larger than `largest` bytes together, or too many.
        NoArchive: the archive cannot be read.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = [part for part in archive.infolist() if wanted(part.filename)]
            if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > largest:
                raise FileRefused("large")
            parts.sort(key=lambda part: part.filename)
            return [(part.filename, _part(archive, part)) for part in parts]
    except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError, ValueError) as error:
        raise NoArchive from error


def _part(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    # Other methods unpack a whole block at once, whatever size is requested.
    if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NoArchive
    with archive.open(part) as file:
        return file.read(part.file_size)


def repack(parts: list[tuple[str, bytes]]) -> bytes:
    """Return an archive of these parts with true sizes, for a reader that trusts them."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in parts:
            archive.writestr(name, content)
    return out.getvalue()
