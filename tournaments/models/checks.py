"""The nightly check of what is stored and can be computed: how far it came, and what it found."""

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q

from tournaments.models.clubs import Club

SILENT_AFTER = timedelta(minutes=5)
"""A check without a sign of life for so long was lost with its worker: heaps take a second."""


class CheckQuerySet(models.QuerySet["Check"]):
    """Which checks are to be gone on with."""

    def awaiting_work(self, at: datetime) -> "CheckQuerySet":
        """Those at which nobody is: waiting, or left behind by a worker that died."""
        return self.filter(
            Q(state=Check.State.WAITING)
            # What was heard far ahead of the clock was heard before it was set back.
            | Q(state=Check.State.LOOKING)
            & ~Q(touched_at__range=(at - SILENT_AFTER, at + SILENT_AFTER))
        )


class Check(models.Model):
    """The check of a night: each stored cache compared with what it is computed from.

    The row is the queue: it knows which cache comes next, and after which of its rows.
    """

    class State(models.TextChoices):
        """How far it is."""

        WAITING = "waiting"
        LOOKING = "looking"
        DONE = "done"
        FAILED = "failed"

    # The date, by the clock on the wall, of the morning it belongs to: once a night.
    night = models.DateField(unique=True)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    # Where to go on: a cache by its name, and the last row looked at (null: at its begin).
    cache = models.CharField(max_length=20, blank=True)
    after = models.JSONField(null=True, blank=True)
    # Raised by whoever takes it: what an earlier one still finds is not counted.
    turn = models.PositiveIntegerField(default=0)
    # How often it was left behind since it last came any further.
    failures = models.PositiveSmallIntegerField(default=0)
    # Games looked at, rows of all caches, and how many of these differed.
    games = models.PositiveIntegerField(default=0)
    rows = models.PositiveIntegerField(default=0)
    found = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=200, blank=True)
    started_at = models.DateTimeField()
    touched_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = CheckQuerySet.as_manager()

    class Meta:
        ordering = ["-night"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "looking", "done", "failed"]),
                name="check_state_known",
            ),
            models.CheckConstraint(
                condition=~Q(state="done") | Q(finished_at__isnull=False),
                name="check_done_has_an_end",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.night} ({self.state})"


class DifferenceQuerySet(models.QuerySet["Difference"]):
    """Which differences there are."""

    def open(self) -> "DifferenceQuerySet":
        """Those the last check that looked there has found, and nobody has repaired."""
        return self.filter(resolved_at=None)


class Difference(models.Model):
    """A stored value that is not what it is computed from; the next check finds it again or not.

    `subject` tells the row by its keys. Names of people are in no value: whoever is removed must
    not stay here.
    """

    # Null: the server's, as an open table or a rating of all clubs.
    club = models.ForeignKey(
        Club, null=True, blank=True, on_delete=models.CASCADE, related_name="differences"
    )
    cache = models.CharField(max_length=20)
    subject = models.CharField(max_length=120)
    stored = models.JSONField(null=True, blank=True)
    computed = models.JSONField(null=True, blank=True)
    # The last check that found it.
    seen_by = models.ForeignKey(Check, on_delete=models.PROTECT, related_name="differences")
    first_at = models.DateTimeField()
    # When letters about it were written; once is enough.
    told_at = models.DateTimeField(null=True, blank=True)
    resolved_at = models.DateTimeField(null=True, blank=True)

    objects = DifferenceQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(
                fields=["club"], condition=Q(resolved_at=None), name="difference_open_of_club"
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["cache", "subject"],
                condition=Q(resolved_at=None),
                name="difference_open_once",
            ),
            models.CheckConstraint(condition=~Q(subject=""), name="difference_of_something"),
        ]

    def __str__(self) -> str:
        return f"{self.cache}: {self.subject}"
