"""Records of the server's own operation: backups and workers."""

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q

ALIVE_FOR = timedelta(minutes=2)
"""A worker without a heartbeat for longer, and without a task, counts as dead."""


class Backup(models.Model):
    """A completed backup, including those of the server that this one was restored from."""

    began_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    rows = models.PositiveBigIntegerField()
    # Size of the written file, in bytes.
    size = models.PositiveBigIntegerField()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"backup of {self.began_at:%Y-%m-%d %H:%M}"


class WorkerQuerySet(models.QuerySet["Worker"]):
    def alive(self, at: datetime) -> "WorkerQuerySet":
        """Filter to workers heard of recently, without contacting them."""
        # A heartbeat in the future came before the clock was set back.
        return self.filter(seen_at__range=(at - ALIVE_FOR, at + ALIVE_FOR))


class Worker(models.Model):
    """A process that runs tasks, and the time of its last heartbeat."""

    # Host name and process id.
    name = models.CharField(max_length=200, unique=True)
    version = models.CharField(max_length=40)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField(db_index=True)
    # The current task and its start; both empty while it waits.
    task = models.CharField(max_length=200, blank=True)
    task_since = models.DateTimeField(null=True, blank=True)

    objects = WorkerQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        # No constraint compares times: a machine's clock may be set back.
        constraints = [
            models.CheckConstraint(
                condition=Q(task="", task_since=None) | Q(~Q(task=""), task_since__isnull=False),
                name="worker_at_a_task_since_a_moment",
            ),
        ]

    def __str__(self) -> str:
        return self.name
