"""Django's SQLite backend, in which transactions begin in the order they came.

SQLite itself waits for a lock by sleeping in growing steps, up to 100 ms, while others take it.
"""

import fcntl
import os
import threading
from contextlib import suppress
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base


class QueuePlace:
    """A place in the queue for a file; the system takes it from a process that ends."""

    def __init__(self) -> None:
        self.file: int | None = None
        self.held = False

    def take(self, path: str, patience: float) -> bool:
        """Wait for the turn, and return whether it came."""
        if self.file is None:
            self.file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not self._wait(self.file, patience):
                return False
        self.held = True
        return True

    def _wait(self, file: int, patience: float) -> bool:
        """Wait in a thread, since the system's queue knows no timeout."""
        came, decided = threading.Event(), threading.Lock()
        gone = False

        def wait() -> None:
            fcntl.flock(file, fcntl.LOCK_EX)
            with decided:
                if gone:
                    os.close(file)
                else:
                    came.set()

        threading.Thread(target=wait, daemon=True).start()
        came.wait(patience)
        with decided:
            gone = not came.is_set()
        if gone:
            self.file = None
        return not gone

    def leave(self) -> None:
        """Let the next one have its turn."""
        if self.held and self.file is not None:
            self.held = False
            fcntl.flock(self.file, fcntl.LOCK_UN)

    def close(self) -> None:
        self.leave()
        if self.file is not None:
            with suppress(OSError):
                os.close(self.file)
            self.file = None


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection whose transactions wait in a queue of all processes."""

    transaction_mode: str | None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.place = QueuePlace()

    def _start_transaction_under_autocommit(self) -> None:
        # Who only reads, such as a backup, keeps nobody waiting.
        if self.transaction_mode == "IMMEDIATE" and not self.is_in_memory_db():
            patience = self.settings_dict["OPTIONS"].get("timeout", 5)
            if not self.place.take(f"{self.settings_dict['NAME']}-queue", patience):
                raise OperationalError("database is locked")
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self.place.leave()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self.place.leave()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self.place.leave()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self.place.close()
