"""Signals of tasks: duration, the id of the request that sent them, and their workers.

Celery catches and logs exceptions in these handlers: no task fails because of them.
"""

import os
from contextvars import Token
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
from django.utils import timezone

from kingscore.observing.heartbeat import Heartbeat
from kingscore.observing.metrics import TASK_FAILURES, TASK_SECONDS, begin_counting
from kingscore.observing.work import CURRENT, Work, id_from

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
