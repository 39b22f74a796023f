"""Enqueue tasks and wake workers for rows that wait in the database."""

import logging
from contextvars import copy_context
from functools import partial
from threading import Thread
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils.module_loading import import_string

log = logging.getLogger(__name__)


THREAD = "wake-worker"
"""The name of threads that wake workers."""

WEBHOOKS_TASK = "tournaments.tasks.sweep_webhooks"

NOTIFY_TASK = "tournaments.tasks.sweep_notifications"


def wake_notifications() -> None:
    """Enqueue a sweep of notifications after the commit."""
    transaction.on_commit(partial(wake_worker, NOTIFY_TASK))


def wake_webhooks() -> None:
    """Enqueue a webhook sweep after the commit: one, however much happens in a transaction."""
    if all(waiting[1] is not _sweep_webhooks for waiting in connection.run_on_commit):
        transaction.on_commit(_sweep_webhooks)


def _sweep_webhooks() -> None:
    wake_worker(WEBHOOKS_TASK)


def wake_worker(task: str, *args: Any) -> None:
    """Enqueue a task at once, in a thread; if the broker is down, a sweep finds the row later.

    A broker that does not answer blocks only its own thread, never the request.
    """
    queue = import_string(settings.TASK_QUEUE)
    # The thread inherits the request's context, so that log lines of the task can name it.
    about = copy_context()
    Thread(target=about.run, args=[_send, queue, task, args], name=THREAD, daemon=True).start()


def _send(queue: Any, task: str, args: tuple[Any, ...]) -> None:
    try:
        queue.send_task(task, args, retry=False)
    # Any error of a broker: the row exists, and the sweep will find it.
    except Exception as error:  # noqa: BLE001
        log.warning("worker not woken for %s %s: %s", task, args, error)
