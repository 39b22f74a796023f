"""Tokens for programs, and stored answers for idempotent requests."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q
from knox.models import AbstractAuthToken, AuthTokenManager
from knox.settings import CONSTANTS

from tournaments.engine.rules.rulesets import LONGEST_TOKEN_NAME
from tournaments.models.addresses import new_public_id
from tournaments.models.people import User

ANSWERS_KEPT = timedelta(days=2)
"""Time for which the answer to an idempotency key is repeated."""


class Scope(models.TextChoices):
    """A permission of a personal token, within those of its account; none includes another."""

    READ = "read"
    # Games: sheets, confirmations and scoring.
    SCORE = "score"
    # Directors' work: players, evenings, tournaments, documents, imports.
    DIRECT = "direct"
    # Owners' work: roles, settings, webhooks; and the account's own settings.
    MANAGE = "manage"


class PersonalTokenQuerySet(models.QuerySet["PersonalToken"]):
    def of(self, user: User | AnonymousUser) -> "PersonalTokenQuerySet":
        """Filter to the tokens of an account; none for an anonymous visitor."""
        return self.filter(user=user) if user.is_authenticated else self.none()

    def lasting(self, at: datetime) -> "PersonalTokenQuerySet":
        """Filter to the tokens that have not expired."""
        return self.exclude(expiry__lte=at)


class PersonalToken(AbstractAuthToken):  # type: ignore[misc]
    """A token with which a program acts for an account; the row keeps only its digest."""

    # Unlike in the parent, not the primary key, which addresses in the back office would show.
    digest = models.CharField(max_length=CONSTANTS.DIGEST_LENGTH, unique=True)
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    name = models.CharField(max_length=LONGEST_TOKEN_NAME)
    # Values of Scope, in its order.
    scopes = models.JSONField()
    # Precise to the minute.
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


@dataclass(frozen=True, slots=True)
class ApplicationToken:
    """The access token of an application (OAuth), with the fields of a personal token.

    `public_id` is the same for all tokens of an application and an account.
    """

    public_id: str
    name: str
    scopes: Sequence[str]
    expiry: datetime


ScopedToken = PersonalToken | ApplicationToken
"""The tokens that act for an account, within their scopes."""


class IdempotencyRecordQuerySet(models.QuerySet["IdempotencyRecord"]):
    def expired(self, at: datetime) -> "IdempotencyRecordQuerySet":
        return self.filter(at__lt=at - ANSWERS_KEPT)


class IdempotencyRecord(models.Model):
    """A stored answer to a POST with an idempotency key, for repeating it.

    Key, caller and request are stored as digests. The answer can contain access links, so it is
    encrypted with the server's secret.
    """

    key = models.CharField(max_length=64, unique=True)
    request = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    headers = models.JSONField(default=dict)
    body = models.BinaryField(default=bytes)
    at = models.DateTimeField()

    objects = IdempotencyRecordQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["at"], name="answer_by_age")]
        constraints = [
            models.CheckConstraint(condition=~Q(key=""), name="answer_key_not_empty"),
        ]

    def __str__(self) -> str:
        return f"answer {self.pk}"
