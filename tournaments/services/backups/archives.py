"""The file of a backup: a zip archive with a manifest of its contents and checksums.

It is written and read as a stream, so memory holds only a few rows at a time. The checksums find
damage, not forgery: an attacker who can write the file can write its manifest too. No part is
unpacked to a path that the archive names: each part is requested by name, and only known names
are accepted.
"""

import hashlib
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from tournaments.services.backups.faults import BackupFault, DamagedBackup
from tournaments.services.backups.states import Key

FORMAT = "kingscore-backup/1"
MANIFEST = "manifest.json"
KEY_PART = "secret-key"
LARGEST_MANIFEST = 64 * 1024 * 1024
AT_ONCE = 1024 * 1024

ROWS = re.compile(r"rows/([a-z0-9_]+\.[a-z0-9_]+)\.jsonl")
STORED_FILE = re.compile(r"files/((?:[^/\\\0:]+/)*[^/\\\0:]+)")

UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError),
    *(LookupError, ValueError, TypeError, AttributeError, MemoryError),
)
"""Exceptions of zipfile and json for a broken or foreign file."""


@dataclass(frozen=True)
class TableTold:
    """The manifest's entry for a table: label, columns, number of rows, last key given."""

    name: str
    columns: list[str]
    rows: int
    last_key: int


@dataclass(frozen=True)
class Manifest:
    """The contents of a backup; `sums` maps each part's name to its SHA-256."""

    version: str
    began_at: str
    database: str
    migrations: frozenset[Key]
    tables: list[TableTold]
    sums: dict[str, str]

    def to_json(self) -> str:
        data = {
            "format": FORMAT,
            **{name: getattr(self, name) for name in ("version", "began_at", "database", "sums")},
            "migrations": sorted(".".join(key) for key in self.migrations),
            "tables": [vars(table) for table in self.tables],
        }
        return json.dumps(data, indent=1)

    @classmethod
    def from_json(cls, text: bytes) -> "Manifest":
        """Parse the output of `to_json`.

        Raises:
            DamagedBackup: the text is not a manifest.
            BackupFault: a newer version wrote it.
        """
        with _unreadable_is_damaged():
            data = json.loads(text)
            if data["format"] != FORMAT:
                raise BackupFault(f"it is {data['format']!r}, and this version reads {FORMAT}")
            return cls(
                version=str(data["version"]),
                began_at=str(data["began_at"]),
                database=str(data["database"]),
                migrations=frozenset(_key(name) for name in data["migrations"]),
                tables=[TableTold(**table) for table in data["tables"]],
                sums={str(name): str(digest) for name, digest in data["sums"].items()},
            )


def _key(name: str) -> Key:
    app, _, migration = name.partition(".")
    return app, migration


@dataclass
class BackupWriter:
    """Writes the parts of a backup in sequence, and their checksums."""

    archive: zipfile.ZipFile
    sums: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write a part from chunks of any size."""
        digest = hashlib.sha256()
        with self.archive.open(name, "w", force_zip64=True) as part:
            for chunk in _gathered(chunks):
                digest.update(chunk)
                part.write(chunk)
        self.sums[name] = digest.hexdigest()

    def end(self, manifest: str) -> None:
        self.archive.writestr(MANIFEST, manifest)


def _gathered(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Merge small chunks into larger ones."""
    gathered = bytearray()
    for chunk in chunks:
        gathered += chunk
        if len(gathered) >= AT_ONCE:
            yield bytes(gathered)
            gathered.clear()
    yield bytes(gathered)


def chunks_of(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the rest of a file in chunks."""
    return iter(lambda: file.read(AT_ONCE), b"")


@dataclass(frozen=True)
class BackupReader:
    """A backup whose checksums have all been verified."""

    archive: zipfile.ZipFile
    manifest: Manifest

    def pieces(self, name: str) -> Iterator[bytes]:
        with _unreadable_is_damaged(), self.archive.open(name) as part:
            yield from chunks_of(part)

    def lines(self, label: str) -> Iterator[bytes]:
        with _unreadable_is_damaged(), self.archive.open(f"rows/{label}.jsonl") as part:
            # Reads lines in C, unlike the part itself.
            yield from io.BufferedReader(cast("io.RawIOBase", part), AT_ONCE)

    def files(self) -> dict[str, str]:
        """Map the name of each stored file (in the media folder) to its part."""
        names = ((STORED_FILE.fullmatch(name), name) for name in self.manifest.sums)
        return {found[1]: name for found, name in names if found}


@contextmanager
def open_backup(path: Path) -> Iterator[BackupReader]:
    """Open a backup after verifying all of it.

    Raises:
        DamagedBackup: the file is not a backup, is incomplete, or fails its checksums.
        BackupFault: the version of its format is unknown.
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
    """Refuse parts that the manifest does not name, and unknown names."""
    found, data = reader.archive.namelist(), reader.manifest.sums
    if sorted(found) != sorted([*data, MANIFEST]):
        raise DamagedBackup("its parts are not those that its manifest names")
    tables = {f"rows/{table.name}.jsonl" for table in reader.manifest.tables}
    rows = {name for name in data if ROWS.fullmatch(name)}
    others = data.keys() - rows - {KEY_PART}
    strange = [name for name in others if not _is_stored_file(name)]
    if tables != rows or strange or KEY_PART not in data:
        raise DamagedBackup(f"parts that no backup has: {sorted(strange) or 'tables'}")


def _is_stored_file(name: str) -> bool:
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
