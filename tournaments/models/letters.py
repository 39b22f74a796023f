"""Mails that the program writes by itself: the row is the queue, so each is sent once."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q

from tournaments.models.reports import Report

AGAIN_AFTER = timedelta(minutes=4)
"""So long after a try begins the next one, whether the mail server refused or the worker died."""

KEPT_TRYING = timedelta(days=3)
"""A letter that nobody has taken for so long is given up."""


class LetterQuerySet(models.QuerySet["Letter"]):
    """Which letters are to be sent."""

    def awaiting_sending(self, at: datetime) -> "LetterQuerySet":
        """Those not sent, which nobody is sending just now, and not given up.

        One that carries a document waits until that is made.
        """
        return self.filter(
            # What was tried far ahead of the clock was tried before it was set back.
            Q(tried_at=None) | ~Q(tried_at__range=(at - AGAIN_AFTER, at + AGAIN_AFTER)),
            Q(carries=False) | Q(report__state="done"),
            sent_at=None,
            written_at__gt=at - KEPT_TRYING,
        )


class Letter(models.Model):
    """A mail to an account, to whatever address it has when it is sent."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="letters"
    )
    # What it is about: an account is written to about it once.
    about = models.CharField(max_length=60)
    subject = models.CharField(max_length=200)
    body = models.TextField()
    # The document it is sent with. Once sent, a letter stays when that is thrown away.
    carries = models.BooleanField(default=False)
    report = models.ForeignKey(
        Report, null=True, blank=True, on_delete=models.SET_NULL, related_name="letters"
    )
    written_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    tried_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)

    objects = LetterQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        # No constraint compares moments: a letter is sent "before" it was written where the clock
        # was set back, and one that could not be noted as sent would be sent again and again.
        indexes = [
            models.Index(fields=["written_at"], condition=Q(sent_at=None), name="letter_not_sent")
        ]
        constraints = [
            models.UniqueConstraint(fields=["user", "about"], name="letter_once_about_a_thing"),
            models.CheckConstraint(
                condition=Q(report=None) | Q(carries=True), name="letter_with_report_carries_it"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.about} to account {self.user_id}"
