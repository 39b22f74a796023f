"""The embedded broker: messages are files in a folder, each appearing and vanishing whole.

kombu's own transport writes a message or a table of queues in place, so that a worker that looks
at the wrong moment reads half a file and dies. Here everything is written beside and renamed.
"""

import fcntl
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

Queues = list[filesystem.exchange_queue_t]


def write_whole(path: Path, text: str) -> None:
    """Write a file that other processes see either complete or not at all."""
    beside = path.with_name(f".{uuid.uuid4().hex}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


class Channel(filesystem.Channel):
    """Puts, takes and binds by renaming."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.messages.mkdir(parents=True, exist_ok=True)
        self.control_folder.mkdir(parents=True, exist_ok=True)

    @property
    def messages(self) -> Path:
        """The folder of the messages that wait."""
        return Path(self.data_folder_in)

    # The types published for kombu know this argument by another name.
    def _put(self, queue: str, payload: Any, **_: object) -> None:  # type: ignore[override]
        # The wall clock, not the monotonic one: the order survives a restart of the machine.
        name = f"{time.time_ns():020}_{uuid.uuid4().hex}.{queue}.msg"
        write_whole(self.messages / name, dumps(payload))

    def _get(self, queue: str, timeout: float | None = None) -> Any:  # noqa: ARG002 - kombu's
        # The names begin with the time.
        for waiting in sorted(self.messages.iterdir()):
            if waiting.name.partition(".")[2] != f"{queue}.msg":
                continue
            claimed = waiting.with_name(f".{waiting.name}")
            try:
                waiting.rename(claimed)
            except FileNotFoundError:
                # Another worker was quicker.
                continue
            payload = loads(claimed.read_text(encoding="utf-8"))
            claimed.unlink()
            return payload
        raise Empty

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
        """Change which queues an exchange feeds; readers see the old table or the new one."""
        with self._table_lock():
            before = self.get_table(exchange)
            after = change(before)
            if after != before:
                # Newer than the types published for kombu.
                path = self._exchange_file(exchange)  # type: ignore[attr-defined]
                write_whole(path, dumps(after))

    @contextmanager
    def _table_lock(self) -> Iterator[None]:
        # A file of its own: a lock on the table itself would be renamed away with it.
        with (self.control_folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


class Transport(filesystem.Transport):
    """kombu's folder of messages with the careful channel."""

    Channel = Channel

    def drain_events(self, connection: Any, timeout: float | None = None, **_: object) -> None:
        """Wait for a message, half a second at most when a limit is given.

        A worker waits two seconds at a time and looks for the signal to stop only in between.
        """
        super().drain_events(connection, timeout=timeout and min(timeout, 0.5))
