"""The embedded broker: messages are files in a folder, each appearing and vanishing whole.

kombu's own transport writes a message or a table of queues in place, so a worker that reads at the
wrong moment gets half a file and dies. Here everything is written to another file and renamed.

Nothing is synced to the disk. A message is only a wake-up: the database is the queue, and the
sweeps send again what waits, so a message lost in a power cut costs seconds, while each sync would
cost a wait on the disk. A rename without a sync may leave an empty or half file after a power cut.
All kinds of damage are handled alike: a message whose content does not match its digest
is set aside, and the table of queues, which every program declares again, is made anew.
"""

import fcntl
import hashlib
import logging
import shutil
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem, virtual
from kombu.utils.json import dumps, loads

logger = logging.getLogger(__name__)

Queues = list[filesystem.exchange_queue_t]

ASIDE = "unreadable"
"""The folder for damaged files, beside their original place."""

KEPT_ASIDE = 20
"""The number of damaged files kept in each such folder, the newest."""


class Unreadable(Exception):
    """The content of a file is not what was written to it."""


def write_whole(path: Path, text: str) -> None:
    """Write a file that other processes see either complete or not at all."""
    beside = path.with_name(f".{uuid.uuid4().hex}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def read_regular(path: Path) -> bytes:
    """Read a file.

    Raises:
        FileNotFoundError: the file does not exist.
        Unreadable: it cannot be read, or is a folder or a pipe, which would block.
    """
    try:
        if path.exists() and not path.is_file():
            raise Unreadable("no regular file")
        return path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Unreadable(error.strerror) from error


def set_aside(path: Path, reason: object) -> None:
    """Move a damaged file out of the way, and log it."""
    folder = path.parent / ASIDE
    try:
        folder.mkdir(exist_ok=True)
        path.rename(folder / f"{time.time_ns():020}_{path.name.lstrip('.')}")
        for oldest in sorted(folder.iterdir())[:-KEPT_ASIDE]:
            remove = shutil.rmtree if oldest.is_dir() and not oldest.is_symlink() else Path.unlink
            remove(oldest)
    except OSError as error:
        logger.warning("Unreadable: %s (%s); not set aside: %s", path, reason, error)
    else:
        logger.warning("Unreadable: %s (%s); set aside in %s", path, reason, folder)


def make_folder(path: Path) -> None:
    """Make a missing folder; set aside a file in its place."""
    for place in (path.parent, path):
        if place.exists() and not place.is_dir():
            set_aside(place, "no folder")
    path.mkdir(parents=True, exist_ok=True)


class Channel(filesystem.Channel):
    """Puts, takes and binds by renaming."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        make_folder(self.messages)
        make_folder(self.control_folder)

    @property
    def messages(self) -> Path:
        return Path(self.data_folder_in)

    # The types published for kombu know this argument by another name.
    def _put(self, queue: str, payload: Any, **_: object) -> None:  # type: ignore[override]
        text = dumps(payload)
        # The wall clock, not the monotonic one: the order survives a restart of the machine.
        name = f"{time.time_ns():020}_{digest(text.encode())}.{queue}.msg"
        make_folder(self.messages)
        write_whole(self.messages / name, text)

    def _get(self, queue: str, timeout: float | None = None) -> Any:  # noqa: ARG002 - kombu's
        make_folder(self.messages)
        # The names begin with the time.
        for waiting in sorted(self.messages.iterdir()):
            if waiting.name.partition(".")[2] != f"{queue}.msg":
                continue
            claimed = waiting.with_name(f".{waiting.name}")
            try:
                waiting.rename(claimed)
            except FileNotFoundError:
                # Another worker was faster.
                continue
            try:
                content = read_regular(claimed)
                if f"_{digest(content)}." not in claimed.name:
                    raise Unreadable("not as it was written")  # noqa: TRY301
            except (Unreadable, FileNotFoundError) as reason:
                set_aside(claimed, reason)
                continue
            claimed.unlink()
            return loads(content.decode())
        raise Empty

    def get_table(self, exchange: str) -> Queues:  # type: ignore[override]
        """Return the queues of an exchange; none if its table is missing or damaged."""
        try:
            return self._read_table(exchange)
        except Unreadable:
            # The next connection to bind sets it aside, under the lock, which readers do not take.
            # Until then nothing is missed: Celery names the queue itself.
            return []

    def _read_table(self, exchange: str) -> Queues:
        # Newer than the types published for kombu.
        path: Path = self._exchange_file(exchange)  # type: ignore[attr-defined]
        try:
            rows = loads(read_regular(path).decode())
            table = [filesystem.exchange_queue_t(*row) for row in rows]
        except FileNotFoundError:
            return []
        except (ValueError, TypeError) as error:
            raise Unreadable(type(error).__name__) from error
        if not all(isinstance(part, str) for entry in table for part in entry):
            raise Unreadable("no table of queues")
        return table

    def _queue_bind(
        self, exchange: str, routing_key: str | None, pattern: str | None, queue: str | None
    ) -> None:
        entry = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        self._change_table(exchange, lambda table: table if entry in table else [entry, *table])

    def _delete(
        self, queue: str, exchange: str, routing_key: str, pattern: str, *_: object, **__: object
    ) -> None:
        self._purge(queue)
        entry = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        self._change_table(exchange, lambda table: [other for other in table if other != entry])

    def _change_table(self, exchange: str, change: Callable[[Queues], Queues]) -> None:
        """Change the queues of an exchange; readers see the old table or the new one."""
        path: Path = self._exchange_file(exchange)  # type: ignore[attr-defined]
        # A file of its own: a lock on the table itself would be renamed away with it.
        lock_path = self.control_folder / "lock"
        make_folder(self.control_folder)
        try:
            read_regular(lock_path)
        except FileNotFoundError:
            pass
        except Unreadable as reason:
            set_aside(lock_path, reason)
        with lock_path.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                before = self._read_table(exchange)
            except Unreadable as reason:
                set_aside(path, reason)
                before = []
            after = change(before)
            if after != before:
                write_whole(path, dumps(after))


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


class Transport(filesystem.Transport):
    """kombu's folder transport with the careful channel."""

    Channel = Channel

    def __init__(self, client: Any, **kwargs: Any) -> None:
        super().__init__(client, **kwargs)
        # kombu shares it among all connections of a process, and would never bind again: each
        # new connection is to find or make its table.
        self.state = virtual.BrokerState()

    def drain_events(self, connection: Any, timeout: float | None = None, **_: object) -> None:
        """Wait for a message, half a second at most when a limit is given.

        A worker waits two seconds at a time and looks for the signal to stop only in between.
        """
        super().drain_events(connection, timeout=timeout and min(timeout, 0.5))
