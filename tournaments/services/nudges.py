"""Waking a worker for what waits in the database."""

import logging
from contextvars import copy_context
from functools import partial
from threading import Thread
from typing import Any

from celery import current_app
from django.db import transaction

log = logging.getLogger(__name__)


THREAD = "nudge"
"""What the threads are called that wake workers."""

WEBHOOKS_TASK = "tournaments.tasks.sweep_webhooks"


def wake_webhooks() -> None:
    """Have other programs called soon after what they are told of is there."""
    transaction.on_commit(partial(nudge, WEBHOOKS_TASK))


def nudge(task: str, *args: Any) -> None:
    """Have a task run soon; where the broker is away, its sweep finds what waits.

    A broker that does not answer keeps its own thread waiting, never who asked.
    """
    # The thread knows for which request it is, so that the lines of the task can name it.
    about = copy_context()
    Thread(target=about.run, args=[_send, task, args], name=THREAD, daemon=True).start()


def _send(task: str, args: tuple[Any, ...]) -> None:
    try:
        current_app.send_task(task, args, retry=False)
    # Whatever a broker can do wrong: the row is there, and only the sweep is needed.
    except Exception as error:  # noqa: BLE001
        log.warning("no nudge for %s %s: %s", task, args, error)
