"""Workers: their heartbeat, and the signals of tasks (duration, and the request that sent them).

Celery catches and logs exceptions in these handlers: no task fails because of them.
"""

import logging
import os
import socket
import threading
from collections.abc import Callable
from contextlib import closing
from contextvars import Token
from datetime import datetime, timedelta
from time import perf_counter
from typing import Any

from celery import Task
from celery.signals import (
    before_task_publish,
    task_failure,
    task_postrun,
    task_prerun,
    worker_ready,
    worker_shutdown,
)
from django.conf import settings
from django.db import connection
from django.utils import timezone

from kingscore.observing.logs import CURRENT, Work, id_from
from kingscore.observing.metrics import TASK_FAILURES, TASK_SECONDS, begin_counting
from tournaments.models import Worker

logger = logging.getLogger("kingscore.observing.heartbeat")

EVERY = 30
"""Seconds between two heartbeats."""
FORGOTTEN_AFTER = timedelta(days=1)


class Heartbeat:
    """Updates the row of this worker, with the last sign of life and the task, until it is stopped.

    A separate thread writes it, because a worker that runs tasks in its main thread can do nothing
    else meanwhile. Faults in this thread do not stop the tasks.
    """

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
        now = timezone.now()
        # All fields each time: after a restart, process numbers and so names are reused.
        Worker.objects.bulk_create(
            [Worker(**process, seen_at=now, task=task, task_since=since)],
            update_conflicts=True,
            unique_fields=["name"],
            update_fields=["version", "started_at", "seen_at", "task", "task_since"],
        )
        Worker.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()

    def leave(self) -> None:
        Worker.objects.filter(name=self.name).delete()


HEADER = "request_id"

UNDER_WAY: dict[str, tuple[Token[Work | None], float]] = {}
"""The previous work of this thread and the start time, by the id of a task."""

HEART: list[Heartbeat] = []
"""The heartbeat of this process, if it is a worker."""


@before_task_publish.connect
def send_id(headers: dict[str, Any], **_: Any) -> None:
    """Send the id of the request along with the task."""
    work = CURRENT.get()
    if work is not None:
        headers[HEADER] = work.id


@task_prerun.connect
def begin_task(task_id: str, task: Task[Any, Any], **_: Any) -> None:
    """Record the current task of this thread."""
    sent = {**(task.request.headers or {}), **vars(task.request)}
    work = Work(id_from(sent.get(HEADER) or task_id), task.name)
    UNDER_WAY[task_id] = CURRENT.set(work), perf_counter()
    for heart in HEART:
        heart.busy = task.name, timezone.now()


@task_postrun.connect
def end_task(task_id: str, task: Task[Any, Any], **_: Any) -> None:
    before, began = UNDER_WAY.pop(task_id)
    CURRENT.reset(before)
    TASK_SECONDS.labels(task.name).observe(perf_counter() - began)
    for heart in HEART:
        heart.busy = None


@task_failure.connect
def note_failure(sender: Task[Any, Any], **_: Any) -> None:
    TASK_FAILURES.labels(sender.name).inc()


@worker_ready.connect
def begin_work(**_: Any) -> None:
    """Start metrics and heartbeat."""
    begin_counting(group=os.getpid())
    HEART.append(Heartbeat())
    HEART[0].start()


@worker_shutdown.connect
def end_work(**_: Any) -> None:
    while HEART:
        HEART.pop().stop()
