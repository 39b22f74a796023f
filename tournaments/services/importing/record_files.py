"""Files in which records come: one, several in a line each (`.jsonl`), or packed in a `.zip`."""

from collections.abc import Iterator

from tournaments.services.importing.archives import NoArchive, TooLarge, unpack
from tournaments.services.importing.records import RecordFile

MOST_RECORDS = 500
LARGEST_UNPACKED = 12 * 1024**2


class FilesRefused(Exception):
    """Files that are not read; `why` is `large`, `long`, `zip` or `empty`."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


def record_files(uploads: list[tuple[str, bytes]]) -> list[RecordFile]:
    """The records in some files, by name and content, in their order.

    Raises:
        FilesRefused: as it says.
    """
    files: list[RecordFile] = []
    size = 0
    for name, content in uploads:
        for file in _files_in(name, content):
            files.append(file)
            size += len(file.text)
            if len(files) > MOST_RECORDS:
                raise FilesRefused("long")
            if size > LARGEST_UNPACKED:
                raise FilesRefused("large")
    if not files:
        raise FilesRefused("empty")
    return files


def _files_in(name: str, content: bytes) -> Iterator[RecordFile]:
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        yield from _unpacked(content)
    else:
        yield from _records_in(name, content)


def _unpacked(content: bytes) -> Iterator[RecordFile]:
    """The records of an archive; what a system adds for itself is left aside."""
    try:
        parts = unpack(content, LARGEST_UNPACKED, _is_record)
    except TooLarge as error:
        raise FilesRefused("large") from error
    except NoArchive as error:
        raise FilesRefused("zip") from error
    for name, record in parts:
        yield from _records_in(name, record)


def _is_record(path: str) -> bool:
    name = path.rpartition("/")[2]
    hidden = name.startswith(".") or path.startswith("__MACOSX/")
    return not hidden and name.lower().endswith((".json", ".jsonl"))


def _records_in(name: str, content: bytes) -> Iterator[RecordFile]:
    # What is no UTF-8 stays a fault of its text, for its reader to say.
    text = content.decode("utf-8-sig", "surrogateescape")
    if not name.lower().endswith(".jsonl"):
        yield RecordFile(name, text)
        return
    # Not `splitlines`: some of what it takes for an end may stand within a name.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield RecordFile(f"{name}:{number}", line)
