"""E-mails sent by the program. The row is the queue, so each is sent once."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q

from tournaments.models.reports import Report

AGAIN_AFTER = timedelta(minutes=4)
"""Time between two tries, whether the mail server refused or the worker died."""

KEPT_TRYING = timedelta(days=3)
"""An e-mail that no server has accepted for this long is given up."""


class EmailQuerySet(models.QuerySet["Email"]):
    def awaiting_sending(self, at: datetime) -> "EmailQuerySet":
        """Filter to unsent e-mails that nobody is sending now and that were not given up.

        An e-mail with a document waits until the document is built.
        """
        return self.filter(
            # A try far ahead of the clock was made before the clock was set back.
            Q(tried_at=None) | ~Q(tried_at__range=(at - AGAIN_AFTER, at + AGAIN_AFTER)),
            Q(carries=False) | Q(report__state="done"),
            Q(expires_at=None) | Q(expires_at__gt=at),
            sent_at=None,
            written_at__gt=at - KEPT_TRYING,
        )

    def failing(self, at: datetime) -> "EmailQuerySet":
        """Filter to e-mails that no server has accepted so far and that were not given up."""
        helps = Q(expires_at=None) | Q(expires_at__gt=at)
        return self.filter(helps, sent_at=None, tries__gt=0, written_at__gt=at - KEPT_TRYING)


class Email(models.Model):
    """An e-mail to an account, sent to its address at the time of sending."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="emails", db_index=False
    )
    # The subject key: an account gets one e-mail about each.
    about = models.CharField(max_length=60)
    subject = models.CharField(max_length=200)
    body = models.TextField()
    # Whether it has a document attached. A sent e-mail outlives its document.
    carries = models.BooleanField(default=False)
    report = models.ForeignKey(
        Report, null=True, blank=True, on_delete=models.SET_NULL, related_name="emails"
    )
    # Where the recipient ends mails of this kind with one tap; empty if only on the account page.
    unsubscribe = models.CharField(max_length=300, blank=True)
    written_at = models.DateTimeField()
    # Not sent later: it would no longer help.
    expires_at = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    tried_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)

    objects = EmailQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        # No constraint compares times: if the clock is set back, an e-mail is sent "before" it was
        # created. A failing constraint would then leave it marked unsent and send it again and
        # again.
        indexes = [
            models.Index(fields=["written_at"], condition=Q(sent_at=None), name="email_not_sent")
        ]
        constraints = [
            models.UniqueConstraint(fields=["user", "about"], name="email_once_about_a_thing"),
            models.CheckConstraint(
                condition=Q(report=None) | Q(carries=True), name="email_with_report_carries_it"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.about} to account {self.user_id}"
