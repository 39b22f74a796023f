"""Files with records: one record, one per line (`.jsonl`), or packed in a `.zip`."""

from collections.abc import Iterator

from tournaments.services.imports.records import RecordFile
from tournaments.services.imports.refusals import MOST_RECORDS, FileRefused
from tournaments.services.imports.zip_files import NoArchive, unpack

LARGEST_UNPACKED = 12 * 1024**2


def record_files(uploads: list[tuple[str, bytes]]) -> list[RecordFile]:
    """Return the records in some files, given by name and content, in order.

    Raises:
        FileRefused: the files are too large, too long, broken or empty.
    """
    files: list[RecordFile] = []
    size = 0
    for name, content in uploads:
        for file in _files_in(name, content):
            files.append(file)
            size += len(file.text)
            if len(files) > MOST_RECORDS:
                raise FileRefused("long")
            if size > LARGEST_UNPACKED:
                raise FileRefused("large")
    if not files:
        raise FileRefused("empty")
    return files


def _files_in(name: str, content: bytes) -> Iterator[RecordFile]:
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        yield from _unpacked(content)
    else:
        yield from _records_in(name, content)


def _unpacked(content: bytes) -> Iterator[RecordFile]:
    """Yield the records of an archive; files added by operating systems are skipped."""
    try:
        parts = unpack(content, LARGEST_UNPACKED, _is_record)
    except NoArchive as error:
        raise FileRefused("zip") from error
    for name, record in parts:
        yield from _records_in(name, record)


def _is_record(path: str) -> bool:
    name = path.rpartition("/")[2]
    hidden = name.startswith(".") or path.startswith("__MACOSX/")
    return not hidden and name.lower().endswith((".json", ".jsonl"))


def _records_in(name: str, content: bytes) -> Iterator[RecordFile]:
    # Invalid UTF-8 stays in the text, and is reported when the record is parsed.
    text = content.decode("utf-8-sig", "surrogateescape")
    if not name.lower().endswith(".jsonl"):
        yield RecordFile(name, text)
        return
    # Not `splitlines`: some of its line ends may occur inside a name.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield RecordFile(f"{name}:{number}", line)
