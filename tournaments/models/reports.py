"""Documents asked for, built in the background: the row is the queue."""

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q

from tournaments.models import addresses
from tournaments.models.play import Game

GIVEN_UP_AFTER = timedelta(seconds=30)
"""A report without a sign of life for so long was lost with its worker.

A sheet takes well under a second; two workers at one report would still finish it once.
"""

MOST_ATTEMPTS = 3

LAYOUT = 2
"""Raise it when a document changes its looks or words: what was built before is built anew."""

BLANK = "{}"
"""Stands in stored addresses for what gives access, which is derived and never stored."""


class ReportQuerySet(models.QuerySet["Report"]):
    """What is to be built."""

    def awaiting_build(self, at: datetime) -> "ReportQuerySet":
        """Reports nobody is building: waiting, or left behind by a worker that died."""
        return self.filter(
            Q(state=Report.State.WAITING)
            | Q(state=Report.State.BUILDING, touched_at__lt=at - GIVEN_UP_AFTER)
        )


class Report(models.Model):
    """One document in one language; `content_key` says what went in, so it is built once."""

    class Kind(models.TextChoices):
        """The documents there are."""

        SCORESHEET = "scoresheet"
        EMPTY_SHEET = "empty-sheet"

    class State(models.TextChoices):
        """How far it is."""

        WAITING = "waiting"
        BUILDING = "building"
        DONE = "done"
        FAILED = "failed"

    class Step(models.IntegerChoices):
        """What a building report is at; all steps before it are done."""

        READING = 0
        SETTING = 1
        KEEPING = 2

    kind = models.CharField(max_length=20, choices=Kind)
    game = models.ForeignKey(Game, null=True, on_delete=models.CASCADE, related_name="reports")
    parameters = models.JSONField(default=dict)
    language = models.CharField(max_length=8)
    content_key = models.CharField(max_length=64, unique=True)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    step = models.PositiveSmallIntegerField(default=Step.READING)
    attempts = models.PositiveSmallIntegerField(default=0)
    file = models.FileField(upload_to="reports/", blank=True)
    error = models.CharField(max_length=200, blank=True)
    asked_at = models.DateTimeField()
    touched_at = models.DateTimeField()

    objects = ReportQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "building", "done", "failed"]),
                name="report_state_known",
            ),
            models.CheckConstraint(
                condition=~Q(state="done") | ~Q(file=""), name="report_done_has_file"
            ),
        ]
        indexes = [models.Index(fields=["state", "touched_at"], name="report_queue")]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} ({self.state})"

    @property
    def follow_url(self) -> str:
        """The whole address at which the game of a scoresheet can be followed."""
        if self.game is None:
            return ""
        secret = addresses.derive(
            "follow", self.game.public_id, self.parameters["follow_generation"]
        )
        url: str = self.parameters["follow_url"]
        return url.replace(BLANK, secret)
