"""What is known of tasks: how long they take, for which request they are, and who does them.

Celery catches what goes wrong in these and logs it: no task fails for it.
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
from kingscore.observing.metrics import begin_counting, count_failure, count_task
from kingscore.observing.work import CURRENT, Work, id_from

HEADER = "request_id"

UNDER_WAY: dict[str, tuple[Token[Work | None], float]] = {}
"""By the id of a task: what this thread was at before, and when it began."""

HEART: list[Heartbeat] = []
"""That of this process, where it is a worker."""


@before_task_publish.connect
def send_id(headers: dict[str, Any], **_: Any) -> None:
    """Send the id of the request along with the task it asks for."""
    work = CURRENT.get()
    if work is not None:
        headers[HEADER] = work.id


@task_prerun.connect
def begin_task(task_id: str, task: Task[Any, Any], **_: Any) -> None:
    """Note what this thread is at."""
    sent = {**(task.request.headers or {}), **vars(task.request)}
    work = Work(id_from(sent.get(HEADER) or task_id), task.name)
    UNDER_WAY[task_id] = CURRENT.set(work), perf_counter()
    for heart in HEART:
        heart.busy = task.name, timezone.now()


@task_postrun.connect
def end_task(task_id: str, task: Task[Any, Any], **_: Any) -> None:
    """Count a task that is over."""
    before, began = UNDER_WAY.pop(task_id)
    CURRENT.reset(before)
    count_task(task.name, perf_counter() - began)
    for heart in HEART:
        heart.busy = None


@task_failure.connect
def note_failure(sender: Task[Any, Any], **_: Any) -> None:
    """Count a task that broke."""
    count_failure(sender.name)


@worker_ready.connect
def begin_work(**_: Any) -> None:
    """Begin to count, and to give signs of life."""
    begin_counting(group=os.getpid())
    HEART.append(Heartbeat())
    HEART[0].start()


@worker_shutdown.connect
def end_work(**_: Any) -> None:
    """Say that this worker is gone."""
    while HEART:
        HEART.pop().stop()
