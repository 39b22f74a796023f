"""Who is notified of a tournament, where, and of what."""

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Exists, OuterRef, Q

from tournaments.models.events import Round
from tournaments.models.fields import ChoiceField, derive
from tournaments.models.people import User
from tournaments.models.tournaments import Entrant, Tournament

LONGEST_ENDPOINT = 1000

CORRECTED_FOR = timedelta(days=2)
"""For so long after its day, results of a finished tournament are still corrected."""


class Subscription(models.Model):
    """Where somebody is notified: a phone by Web Push, or an account by e-mail.

    A phone without an account is notified of one entrant, an account of its players everywhere.
    """

    entrant = models.ForeignKey(
        Entrant,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="subscriptions",
        db_index=False,
    )
    user = models.ForeignKey(
        User,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="subscriptions",
        db_index=False,
    )
    # The digest of the phone's id, the address at its push service and the keys to encrypt for it;
    # empty for e-mail.
    phone = models.CharField(max_length=64, blank=True, editable=False)
    endpoint = models.CharField(max_length=LONGEST_ENDPOINT, blank=True, editable=False)
    p256dh = models.CharField(max_length=88, blank=True, editable=False)
    auth = models.CharField(max_length=24, blank=True, editable=False)
    language = models.CharField(max_length=8, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(entrant=None, user__isnull=False) | Q(entrant__isnull=False, user=None),
                name="subscription_of_entrant_or_account",
            ),
            models.CheckConstraint(
                condition=Q(phone="", endpoint="", entrant=None)
                | ~(Q(phone="") | Q(endpoint="") | Q(p256dh="") | Q(auth="")),
                name="subscription_of_phone_or_by_mail",
            ),
            models.UniqueConstraint(
                fields=["entrant", "phone"], name="subscription_one_per_phone_of_entrant"
            ),
            models.UniqueConstraint(
                fields=["user", "phone"], name="subscription_one_per_phone_of_account"
            ),
        ]

    @property
    def secret(self) -> str:
        """Return the secret part of the address that ends it."""
        return derive("subscription", str(self.pk), 1)


def notified_entrants(at: datetime) -> models.QuerySet[Entrant]:
    """Return the entrants of running tournaments that somebody is notified of.

    Of players who are shown by initials only, nobody is.
    """
    going = Tournament.objects.counted().filter(
        Q(state=Tournament.State.RUNNING)
        | Q(state=Tournament.State.FINISHED, event__held_on__gte=(at - CORRECTED_FOR).date())
    )
    subscriptions = Subscription.objects.order_by()
    mine = Q(Exists(subscriptions.filter(entrant=OuterRef("pk"))))
    for player in ("player", "partner"):
        mine |= Q(Exists(subscriptions.filter(user=OuterRef(f"{player}__account"))))
    hidden = Q(player__initials=True) | Q(player__removed_at__isnull=False)
    hidden |= Q(partner__isnull=False, partner__initials=True)
    playing = Entrant.objects.playing().filter(mine, tournament__in=going, house=False)
    return playing.exclude(hidden)


class Notification(models.Model):
    """The last that a subscriber was told of a kind about a round.

    `value` is what it was about: a change of it is told again. It waits while `next_at` is set.
    """

    class Kind(models.TextChoices):
        SEATING = "seating"
        TIME = "time"
        RESULT = "result"

    subscription = models.ForeignKey(
        Subscription, on_delete=models.CASCADE, related_name="notifications", db_index=False
    )
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="notifications")
    kind = ChoiceField(Kind)
    value = models.CharField(max_length=120)
    title = models.CharField(max_length=200, blank=True)
    next_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        indexes = [
            models.Index(
                fields=["next_at"],
                condition=Q(next_at__isnull=False),
                name="notification_waiting",
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["subscription", "round", "kind"], name="notification_one_of_a_kind"
            ),
        ]
