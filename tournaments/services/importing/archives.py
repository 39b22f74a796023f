"""The parts of a zip archive, bounded by what is unpacked and not by what the archive says.

`ZipFile.read` unpacks all of a part before it cuts it to the size that the archive states: 2 MB
that state a few bytes take 2 GB of memory. Read in a bound, a part unpacks to its bound only.
"""

import io
import zipfile
import zlib
from collections.abc import Callable

MOST_PARTS = 2_000


class TooLarge(Exception):
    """An archive of too many parts, or of parts that are too large together."""


class NoArchive(Exception):
    """An archive that is broken, locked, or packed in a way that is not read here."""


def unpack(
    content: bytes, largest: int, wanted: Callable[[str], bool] = bool
) -> list[tuple[str, bytes]]:
    """The names and contents of the wanted parts of an archive, in the order of their names.

    Raises:
        TooLarge: they are larger than `largest` together, or too many.
        NoArchive: as it says.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = [part for part in archive.infolist() if wanted(part.filename)]
            if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > largest:
                raise TooLarge
            parts.sort(key=lambda part: part.filename)
            return [(part.filename, _part(archive, part)) for part in parts]
    except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError, ValueError) as error:
        raise NoArchive from error


def _part(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    # Other ways of packing unpack a block at once, whatever is asked for.
    if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NoArchive
    with archive.open(part) as file:
        return file.read(part.file_size)


def repack(parts: list[tuple[str, bytes]]) -> bytes:
    """An archive of these parts, which states what is in it, for a reader that trusts that."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in parts:
            archive.writestr(name, content)
    return out.getvalue()
