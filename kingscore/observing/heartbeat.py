"""A worker's heartbeat: a row with the time of the last sign of life and the current task.

A separate thread writes it, because a worker that runs tasks in its main thread can do nothing
else meanwhile. Faults in this thread do not stop the tasks.
"""

import logging
import os
import socket
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.utils import timezone

from tournaments.models import Worker

logger = logging.getLogger(__name__)

EVERY = 30
"""Seconds between two heartbeats."""


class Heartbeat:
    """Updates the row of this worker until it is stopped."""

    def __init__(self) -> None:
        self.name = f"{socket.gethostname()}-{os.getpid()}"
        self.started_at = timezone.now()
        # One value, so that the thread never sees a task with the start time of another.
        self.busy: tuple[str, datetime] | None = None
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        """Stop, and delete the row: this worker is not lost but stopped."""
        self.over.set()
        self.thread.join(timeout=5)

    def run(self) -> None:
        self.do(self.beat)
        while not self.over.wait(EVERY):
            self.do(self.beat)
        self.do(self.leave)

    def do(self, write: Callable[[], None]) -> None:
        """Run a query if the database is available; each time on a new connection."""
        try:
            with closing(connection):
                write()
        except Exception as fault:  # noqa: BLE001 - whatever it is, the next one may succeed
            logger.warning("No sign of life could be written: %s", fault)

    def beat(self) -> None:
        task, since = self.busy or ("", None)
        process = {"name": self.name, "version": settings.VERSION, "started_at": self.started_at}
        note_alive(Worker(**process, seen_at=timezone.now(), task=task, task_since=since))

    def leave(self) -> None:
        note_gone(self.name)


FORGOTTEN_AFTER = timedelta(days=1)


def note_alive(worker: Worker) -> None:
    """Store a heartbeat of a worker with its current work; delete long silent ones.

    Write all fields each time: after a restart, process numbers and so names are reused.
    """
    Worker.objects.bulk_create(
        [worker],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["version", "started_at", "seen_at", "task", "task_since"],
    )
    Worker.objects.filter(seen_at__lt=worker.seen_at - FORGOTTEN_AFTER).delete()


def note_gone(name: str) -> None:
    """Delete the row of a worker that was stopped, so that it does not count as lost."""
    Worker.objects.filter(name=name).delete()
