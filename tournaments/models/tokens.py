"""Keys for programs, and what they were answered."""

from datetime import datetime, timedelta

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q
from knox.models import AbstractAuthToken, AuthTokenManager
from knox.settings import CONSTANTS

from tournaments.models.addresses import new_public_id
from tournaments.models.people import User

ANSWERS_KEPT = timedelta(days=2)
"""So long the answer to an idempotency key is given again."""


class Scope(models.TextChoices):
    """What a personal token may do, of what its account may; none includes another."""

    READ = "read"
    # Games: their sheets, confirmations and pens.
    SCORE = "score"
    # What directors do: players, evenings, tournaments, documents, imports.
    DIRECT = "direct"
    # What owners do: roles, settings, webhooks; and the account's own business.
    MANAGE = "manage"


class PersonalTokenQuerySet(models.QuerySet["PersonalToken"]):
    """Which tokens there are."""

    def of(self, user: User | AnonymousUser) -> "PersonalTokenQuerySet":
        """Those of an account; none for a visitor without one."""
        return self.filter(user=user) if user.is_authenticated else self.none()

    def lasting(self, at: datetime) -> "PersonalTokenQuerySet":
        """Those whose time is not over."""
        return self.exclude(expiry__lte=at)


class PersonalToken(AbstractAuthToken):  # type: ignore[misc]
    """A key by which a program acts for an account; the row keeps only its digest."""

    # No primary key, as its parent has it: that would stand in addresses of the back office.
    digest = models.CharField(max_length=CONSTANTS.DIGEST_LENGTH, unique=True)
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    name = models.CharField(max_length=60)
    # Values of Scope, in its order.
    scopes = models.JSONField()
    # To the minute.
    last_used_at = models.DateTimeField(null=True, blank=True)

    objects = AuthTokenManager.from_queryset(PersonalTokenQuerySet)()

    class Meta:
        ordering = ["-created", "public_id"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="token_has_a_name"),
            models.CheckConstraint(condition=~Q(scopes=[]), name="token_may_do_something"),
        ]

    def __str__(self) -> str:
        return f"{self.name} of account {self.user_id}"


class KeptAnswerQuerySet(models.QuerySet["KeptAnswer"]):
    """Which answers are kept."""

    def expired(self, at: datetime) -> "KeptAnswerQuerySet":
        """Those that are no longer given again."""
        return self.filter(at__lt=at - ANSWERS_KEPT)


class KeptAnswer(models.Model):
    """What a program was answered to a POST with an idempotency key, to be answered again.

    Of key, asker and request there are digests; the answer can hold addresses that give access,
    so it is sealed with the server's secret.
    """

    key = models.CharField(max_length=64, unique=True)
    request = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    headers = models.JSONField(default=dict)
    body = models.BinaryField(default=bytes)
    at = models.DateTimeField()

    objects = KeptAnswerQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["at"], name="answer_by_age")]
        constraints = [
            models.CheckConstraint(condition=~Q(key=""), name="answer_key_not_empty"),
        ]

    def __str__(self) -> str:
        return f"answer {self.pk}"
