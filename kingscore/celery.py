"""The background worker.

Web server and worker import it when they start. Other programs do only if they enqueue tasks, for
Celery takes a quarter of their time to start.
"""

import os
from datetime import datetime
from importlib import import_module
from typing import Any

import django
from celery import Celery, beat
from celery.bootsteps import StartStopStep
from celery.signals import setup_logging
from django.apps import apps
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kingscore.settings")
# `up` and `migrate`, which run before, have run Django's checks.
os.environ["CELERY_SKIP_CHECKS"] = "1"

# Gives the embedded broker the address folder://localhost beside kombu's redis:// and memory://.
TRANSPORT_ALIASES["folder"] = "kingscore.broker:Transport"

# Celery's own program imports this first.
if not apps.ready:
    django.setup()
import_module("kingscore.observing.workers")

app = Celery("kingscore")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


class Scheduler(beat.Scheduler):
    """Wakes the worker, and restarts its schedule when the clock of the machine was set back.

    Celery's own would wait until the clock has caught up, and wake nobody for hours.
    """

    seen: datetime | None = None

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Wake due tasks; return the seconds until the next tick."""
        now = self.app.now()
        if self.seen is not None and now < self.seen:
            for entry in self.schedule.values():
                entry.last_run_at = now
            # The next moment of each task, as computed before.
            self._heap = None
        self.seen = now
        seconds: float = super().tick(*args, **kwargs)
        return seconds


class BeatStep(StartStopStep):
    """Wakes tasks from a thread of the worker; `--beat` would start a process for it."""

    def __init__(self, worker: Any, *, clock: bool = False, **more: Any) -> None:
        super().__init__(worker, **more)
        self.enabled = clock

    def create(self, worker: Any) -> Any:
        # Celery's own program alone takes it from the settings; the default writes a file.
        scheduler = worker.app.conf.beat_scheduler
        return beat.EmbeddedService(worker.app, thread=True, scheduler_cls=scheduler)


app.steps["worker"].add(BeatStep)


@setup_logging.connect
def keep_logging_of_the_settings(**_: object) -> None:
    """Keep Celery from replacing the logging that hides the addresses of tables."""
