"""The nightly check of stored values against computed ones, and its findings."""

from django.db import models
from django.db.models import Q

from tournaments.models.clubs import Club


class Check(models.Model):
    """The check of one night: it compares each stored cache with the values it is computed from.

    A check that ended with an `error` did not compare everything.
    """

    # The local date of the morning it belongs to; one check per night.
    night = models.DateField(unique=True)
    # Games compared, rows of all caches compared, and rows that differed.
    games = models.PositiveIntegerField(default=0)
    rows = models.PositiveIntegerField(default=0)
    found = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=200, blank=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-night"]

    def __str__(self) -> str:
        return f"{self.night}"


class DifferenceQuerySet(models.QuerySet["Difference"]):
    def open(self) -> "DifferenceQuerySet":
        """Filter to the differences that the last check found and nobody has repaired."""
        return self.filter(resolved_at=None)


class Difference(models.Model):
    """A stored value that differs from the computed one.

    `subject` identifies the row by its keys. The values contain no names of people, so that nothing
    of a removed person stays here.
    """

    # Null for the server's own values, such as an open table or a rating across clubs.
    club = models.ForeignKey(
        Club, null=True, blank=True, on_delete=models.CASCADE, related_name="differences"
    )
    cache = models.CharField(max_length=20)
    subject = models.CharField(max_length=120)
    stored = models.JSONField(null=True, blank=True)
    computed = models.JSONField(null=True, blank=True)
    first_at = models.DateTimeField()
    # When the e-mails about it were queued; it is mailed once.
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
