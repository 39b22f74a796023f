"""What the server knows of its own running: its backups, and the workers that live."""

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q

ALIVE_FOR = timedelta(minutes=2)
"""A worker that has not been heard of for longer, and is not at a task, is thought dead."""


class Backup(models.Model):
    """A backup that was completed; those of the server it was restored from are kept, too."""

    began_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    rows = models.PositiveBigIntegerField()
    # Of the file as it was written.
    size = models.PositiveBigIntegerField()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"backup of {self.began_at:%Y-%m-%d %H:%M}"


class WorkerQuerySet(models.QuerySet["Worker"]):
    """Which workers there are."""

    def alive(self, at: datetime) -> "WorkerQuerySet":
        """Those heard of lately, as far as can be known without asking them."""
        # One heard of later than now was so before the clock was set back.
        return self.filter(seen_at__range=(at - ALIVE_FOR, at + ALIVE_FOR))


class Worker(models.Model):
    """A process that does the tasks, and when it was last heard of."""

    # The machine and the number of the process.
    name = models.CharField(max_length=200, unique=True)
    version = models.CharField(max_length=40)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField(db_index=True)
    # What it is at, since when; both empty while it waits.
    task = models.CharField(max_length=200, blank=True)
    task_since = models.DateTimeField(null=True, blank=True)

    objects = WorkerQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        # None compares moments: the clock of a machine may be set back.
        constraints = [
            models.CheckConstraint(
                condition=Q(task="", task_since=None) | Q(~Q(task=""), task_since__isnull=False),
                name="worker_at_a_task_since_a_moment",
            ),
        ]

    def __str__(self) -> str:
        return self.name
