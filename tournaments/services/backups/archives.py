"""The file of a backup: a zip archive whose manifest says what is in it and how to know it whole.

It is written in one go and read in one go, so that neither needs memory for more than a few rows.
Whoever may write the file may also write its manifest: the sums find damage, not forgery. Nothing
in it is unpacked to a place that it names: each part is asked for by its name, and its name must
be one of ours.
"""

import hashlib
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tournaments.services.backups.faults import BackupFault, DamagedBackup
from tournaments.services.backups.states import Key

FORMAT = "kingscore-backup/1"
MANIFEST = "manifest.json"
KEY_PART = "secret-key"
LARGEST_MANIFEST = 64 * 1024 * 1024
AT_ONCE = 1024 * 1024

ROWS = re.compile(r"rows/([a-z_]+\.[a-z_]+)\.jsonl")
STORED_FILE = re.compile(r"files/((?:[^/\\\0:]+/)*[^/\\\0:]+)")

UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError),
    *(LookupError, ValueError, TypeError, AttributeError, MemoryError),
)
"""What zipfile and json raise at what is no archive, or a broken one."""


@dataclass(frozen=True)
class TableTold:
    """What the manifest says of a table: its label, columns, rows, and the last key it gave."""

    name: str
    columns: list[str]
    rows: int
    last_key: int


@dataclass(frozen=True)
class Manifest:
    """What is in a backup; `sums` has the SHA-256 of each part by its name."""

    version: str
    began_at: str
    database: str
    migrations: frozenset[Key]
    tables: list[TableTold]
    sums: dict[str, str]

    def to_json(self) -> str:
        """As it stands in the archive."""
        told = {
            "format": FORMAT,
            **{name: getattr(self, name) for name in ("version", "began_at", "database", "sums")},
            "migrations": sorted(".".join(key) for key in self.migrations),
            "tables": [vars(table) for table in self.tables],
        }
        return json.dumps(told, indent=1)

    @classmethod
    def from_json(cls, text: bytes) -> "Manifest":
        """Read what `to_json` wrote.

        Raises:
            DamagedBackup: it is something else.
            BackupFault: a newer version wrote it.
        """
        with _unreadable_is_damaged():
            told = json.loads(text)
            if told["format"] != FORMAT:
                raise BackupFault(f"it is {told['format']!r}, and this version reads {FORMAT}")
            return cls(
                version=str(told["version"]),
                began_at=str(told["began_at"]),
                database=str(told["database"]),
                migrations=frozenset(_key(name) for name in told["migrations"]),
                tables=[TableTold(**table) for table in told["tables"]],
                sums={str(name): str(digest) for name, digest in told["sums"].items()},
            )


def _key(name: str) -> Key:
    app, _, migration = name.partition(".")
    return app, migration


@dataclass
class BackupWriter:
    """Writes the parts of a backup, one after the other, and their sums."""

    archive: zipfile.ZipFile
    sums: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write a part from pieces of any size."""
        digest = hashlib.sha256()
        with self.archive.open(name, "w", force_zip64=True) as part:
            for chunk in _gathered(chunks):
                digest.update(chunk)
                part.write(chunk)
        self.sums[name] = digest.hexdigest()

    def end(self, manifest: str) -> None:
        """Write what says that everything before is there."""
        self.archive.writestr(MANIFEST, manifest)


def _gathered(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in fewer pieces."""
    gathered = bytearray()
    for chunk in chunks:
        gathered += chunk
        if len(gathered) >= AT_ONCE:
            yield bytes(gathered)
            gathered.clear()
    yield bytes(gathered)


def chunks_of(file: IO[bytes]) -> Iterator[bytes]:
    """What is left of a file, piece by piece."""
    return iter(lambda: file.read(AT_ONCE), b"")


@dataclass(frozen=True)
class BackupReader:
    """A backup of which every byte was compared with its sum."""

    archive: zipfile.ZipFile
    manifest: Manifest

    def pieces(self, name: str) -> Iterator[bytes]:
        """A part, piece by piece."""
        with _unreadable_is_damaged(), self.archive.open(name) as part:
            yield from chunks_of(part)

    def lines(self, label: str) -> Iterator[bytes]:
        """The rows of a table as they were written."""
        with _unreadable_is_damaged(), self.archive.open(f"rows/{label}.jsonl") as part:
            yield from part

    def files(self) -> dict[str, str]:
        """The part of each stored file, by its name in the folder of files."""
        names = ((STORED_FILE.fullmatch(name), name) for name in self.manifest.sums)
        return {found[1]: name for found, name in names if found}


@contextmanager
def open_backup(path: Path) -> Iterator[BackupReader]:
    """Read a backup, having looked through all of it.

    Raises:
        DamagedBackup: it is none, it is not whole, or it is not as it was written.
        BackupFault: it is of a version that is not known here.
    """
    with path.open("rb") as file, _archive(file) as archive:
        with _unreadable_is_damaged():
            if archive.getinfo(MANIFEST).file_size > LARGEST_MANIFEST:
                raise DamagedBackup("its manifest is too large")
            text = archive.read(MANIFEST)
        reader = BackupReader(archive, Manifest.from_json(text))
        _check_names(reader)
        for name, expected in reader.manifest.sums.items():
            _check_sum(reader, name, expected)
        yield reader


@contextmanager
def _archive(file: IO[bytes]) -> Iterator[zipfile.ZipFile]:
    with _unreadable_is_damaged():
        archive = zipfile.ZipFile(file)
    with archive:
        yield archive


def _check_names(reader: BackupReader) -> None:
    """Refuse parts that the manifest does not name, and names that are none of ours."""
    found, told = reader.archive.namelist(), reader.manifest.sums
    if sorted(found) != sorted([*told, MANIFEST]):
        raise DamagedBackup("its parts are not those that its manifest names")
    tables = {f"rows/{table.name}.jsonl" for table in reader.manifest.tables}
    rows = {name for name in told if ROWS.fullmatch(name)}
    others = told.keys() - rows - {KEY_PART}
    strange = [name for name in others if not _is_stored_file(name)]
    if tables != rows or strange or KEY_PART not in told:
        raise DamagedBackup(f"parts that no backup has: {sorted(strange) or 'tables'}")


def _is_stored_file(name: str) -> bool:
    """Whether a part is a file that stays within the folder of files, wherever that is."""
    steps = name.split("/")
    return STORED_FILE.fullmatch(name) is not None and not {".", ".."} & set(steps)


def _check_sum(reader: BackupReader, name: str, expected: str) -> None:
    digest = hashlib.sha256()
    for piece in reader.pieces(name):
        digest.update(piece)
    if digest.hexdigest() != expected:
        raise DamagedBackup(f"{name} is not as it was written")


@contextmanager
def _unreadable_is_damaged() -> Iterator[None]:
    try:
        yield
    except UNREADABLE as error:
        raise DamagedBackup(f"it is no backup, or not whole: {error}") from error
