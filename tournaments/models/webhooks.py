"""What other programs are told of: addresses to call, and each call with what came of it."""

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q

from tournaments.models import addresses
from tournaments.models.addresses import new_public_id
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club

MOST_TRIES = 10
"""A call that failed so often, over some three days, has failed."""

CLAIMED_FOR = timedelta(minutes=2)
"""So long a call that is being made is left alone; after that its worker is taken for dead."""


class Happening(models.TextChoices):
    """What a webhook can be about."""

    ROUND_PUBLISHED = "round.published"
    RESULT_ENTERED = "result.entered"
    ROUND_CLOSED = "round.closed"
    TOURNAMENT_FINISHED = "tournament.finished"


class Webhook(models.Model):
    """An address that is called when something happens in a club."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="webhooks")
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    url = models.URLField(max_length=400)
    # Values of Happening, in its order.
    happenings = models.JSONField()
    # Raising it makes the secret by which calls are signed another one.
    generation = models.PositiveIntegerField(default=1)
    paused = models.BooleanField(default=False)
    # The number of the last change that was looked at for it.
    after = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(url=""), name="webhook_has_an_address"),
            models.CheckConstraint(condition=~Q(happenings=[]), name="webhook_is_about_something"),
            models.CheckConstraint(
                condition=Q(generation__gte=1), name="webhook_generation_from_one"
            ),
        ]

    def __str__(self) -> str:
        return f"webhook {self.public_id}"

    @property
    def secret(self) -> str:
        """What its calls are signed with, as its receiver knows it."""
        return addresses.derive("webhook", self.public_id, self.generation)


def has_come(at: datetime) -> Q:
    """Calls whose time has come: those not yet made at once, whatever the clock says.

    What was tried far ahead of it was tried before it was set back, and is not waited for.
    """
    return Q(next_at__lte=at) | Q(tries=0) | Q(tried_at__gt=at + CLAIMED_FOR)


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    """Which calls are to be made."""

    def due(self, at: datetime) -> "DeliveryQuerySet":
        """Those whose time has come, which nobody is making just now."""
        return self.filter(has_come(at), state="waiting", webhook__paused=False)


class Delivery(models.Model):
    """One call about one change, made until it is taken or has failed too often."""

    class State(models.TextChoices):
        """How far it has come."""

        WAITING = "waiting"
        DELIVERED = "delivered"
        FAILED = "failed"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    line = models.ForeignKey(AuditLine, on_delete=models.PROTECT, related_name="deliveries")
    happening = models.CharField(max_length=24, choices=Happening)
    body = models.JSONField()
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField()
    tried_at = models.DateTimeField(null=True, blank=True)
    # What came back last: the status, or 0 and why nothing did (older rows: the answer's text).
    answer_status = models.PositiveSmallIntegerField(default=0)
    answer_text = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField()

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["next_at"], condition=Q(state="waiting"), name="delivery_waiting"),
            models.Index(fields=["webhook", "-id"], name="delivery_of_webhook"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["webhook", "line", "happening"], name="delivery_once_about_a_change"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "delivered", "failed"]),
                name="delivery_state_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.happening} to webhook {self.webhook_id}"

    @property
    def why_no_answer(self) -> str:
        """Why nothing came back; what a receiver said is for nobody in the club."""
        return "" if self.answer_status else self.answer_text
