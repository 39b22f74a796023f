"""Webhooks and their deliveries."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q

from tournaments.models import addresses
from tournaments.models.addresses import new_public_id
from tournaments.models.audit import AuditEntry
from tournaments.models.clubs import Club

MOST_TRIES = 10
"""Tries, over about three days, after which a call has failed."""

CLAIMED_FOR = timedelta(minutes=2)
"""Time for which a call being made is left alone; after that its worker counts as dead."""


class EventType(models.TextChoices):
    """An event type that a webhook can subscribe to."""

    ROUND_PUBLISHED = "round.published"
    GAME_BEGUN = "game.begun"
    RESULT_ENTERED = "result.entered"
    ROUND_CLOSED = "round.closed"
    TOURNAMENT_FINISHED = "tournament.finished"
    PLAYER_ADDED = "player.added"
    PLAYER_CHANGED = "player.changed"
    PLAYER_REMOVED = "player.removed"
    ENTRANT_ADDED = "entrant.added"
    ENTRANT_CHANGED = "entrant.changed"
    ENTRANT_REMOVED = "entrant.removed"
    RATINGS_CHANGED = "ratings.changed"


EVENT_TYPES_OF_ACTIONS = {
    (AuditEntry.Kind.EVENT, "publish-round"): EventType.ROUND_PUBLISHED,
    (AuditEntry.Kind.EVENT, "close-round"): EventType.ROUND_CLOSED,
    (AuditEntry.Kind.PLAYER, "add"): EventType.PLAYER_ADDED,
    (AuditEntry.Kind.PLAYER, "rename"): EventType.PLAYER_CHANGED,
    (AuditEntry.Kind.PLAYER, "initials"): EventType.PLAYER_CHANGED,
    (AuditEntry.Kind.PLAYER, "claim"): EventType.PLAYER_CHANGED,
    (AuditEntry.Kind.PLAYER, "release"): EventType.PLAYER_CHANGED,
    (AuditEntry.Kind.PLAYER, "merge"): EventType.PLAYER_CHANGED,
    (AuditEntry.Kind.PLAYER, "part"): EventType.PLAYER_CHANGED,
    (AuditEntry.Kind.PLAYER, "remove"): EventType.PLAYER_REMOVED,
    (AuditEntry.Kind.EVENT, "add-entrants"): EventType.ENTRANT_ADDED,
    (AuditEntry.Kind.EVENT, "change-entrant"): EventType.ENTRANT_CHANGED,
    (AuditEntry.Kind.EVENT, "withdraw-entrant"): EventType.ENTRANT_CHANGED,
    (AuditEntry.Kind.EVENT, "return-entrant"): EventType.ENTRANT_CHANGED,
    (AuditEntry.Kind.EVENT, "let-in"): EventType.ENTRANT_CHANGED,
    (AuditEntry.Kind.EVENT, "remove-entrant"): EventType.ENTRANT_REMOVED,
}


def event_types_of(line: AuditEntry) -> Iterator[EventType]:
    """Yield the webhook events of an audit entry: none for most."""
    after = line.after if isinstance(line.after, dict) else {}
    if what := EVENT_TYPES_OF_ACTIONS.get((AuditEntry.Kind(line.kind), line.action)):
        yield what
    elif line.action == "move-tournament" and after.get("state") == "finished":
        yield EventType.TOURNAMENT_FINISHED
    elif line.kind == AuditEntry.Kind.RESULT:
        if line.action == "entry" and after.get("position") == 0:
            yield EventType.GAME_BEGUN
        if "result" in after:
            yield EventType.RESULT_ENTERED


class Webhook(models.Model):
    """An address that is called when something happens in a club, or in any club of the server."""

    # Null for those of the server, which its staff keeps.
    club = models.ForeignKey(Club, null=True, on_delete=models.CASCADE, related_name="webhooks")
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    url = models.URLField(max_length=400)
    # Values of EventType, in its order.
    events = models.JSONField()
    # Raising it changes the secret that signs the calls.
    generation = models.PositiveIntegerField(default=1)
    paused = models.BooleanField(default=False)
    # The number of the last change examined for it.
    after = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(url=""), name="webhook_has_an_address"),
            models.CheckConstraint(condition=~Q(events=[]), name="webhook_is_about_something"),
            models.CheckConstraint(
                condition=Q(generation__gte=1), name="webhook_generation_from_one"
            ),
        ]

    def __str__(self) -> str:
        return f"webhook {self.public_id}"

    @property
    def secret(self) -> str:
        """Return the secret that signs its calls; the receiver knows it, too."""
        return addresses.derive("webhook", self.public_id, self.generation)


def has_come(at: datetime) -> Q:
    """Return the condition for calls that are due; calls never tried are always due.

    A try in the future was made before the clock was set back, so it is not waited for.
    """
    return Q(next_at__lte=at) | Q(tries=0) | Q(tried_at__gt=at + CLAIMED_FOR)


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def due(self, at: datetime) -> "DeliveryQuerySet":
        """Filter to the calls that are due and that nobody is making now."""
        return self.filter(has_come(at), state="waiting", webhook__paused=False)


class Delivery(models.Model):
    """One call about one change, repeated until it is accepted or has failed too often."""

    class State(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        FAILED = "failed"

    webhook = models.ForeignKey(
        Webhook, on_delete=models.CASCADE, related_name="deliveries", db_index=False
    )
    public_id = models.CharField(max_length=16, default=new_public_id)
    # A reference without a constraint, since audit entries are read from two tables. Null where
    # none was written: of ratings, and of a test of the server's webhooks.
    line = models.ForeignKey(
        AuditEntry,
        null=True,
        on_delete=models.DO_NOTHING,
        related_name="deliveries",
        db_constraint=False,
        db_index=False,
    )
    type = models.CharField(max_length=24, choices=EventType)
    body = models.JSONField()
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField()
    tried_at = models.DateTimeField(null=True, blank=True)
    # The last response: its status, or 0 and the reason for none (older rows: the body).
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
            models.UniqueConstraint(fields=["public_id"], name="delivery_one_per_public_id"),
            models.UniqueConstraint(
                fields=["webhook", "line", "type"], name="delivery_once_about_a_change"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "delivered", "failed"]),
                name="delivery_state_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} to webhook {self.webhook_id}"

    @property
    def why_no_answer(self) -> str:
        """Return why no response came; the club never sees a receiver's response body."""
        return "" if self.answer_status else self.answer_text
