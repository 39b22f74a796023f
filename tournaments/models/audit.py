"""The audit of a club: who changed what. Entries are only ever added."""

from collections.abc import Callable
from typing import Any, NoReturn

from django.contrib.auth.models import AnonymousUser
from django.db import connection, models, transaction
from django.db.models import Q

from tournaments.engine.rules.limits import LONGEST_REASON
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.people import User

MOST_NUMBERED_AT_ONCE = 5000
"""Other writers on SQLite wait for one batch: about a tenth of a second."""

PUBLIC_ACTIONS = (
    *("entry", "completion", "reveal", "correction", "withdrawal", "head", "confirm"),
    *("confirm-deal", "dispute-deal", "settle-deal"),
    *("add-event", "change-event", "open-round", "close-round", "reopen-round"),
    *("add-table", "remove-table", "adopt", "next-game", "import-games"),
    *("add-tournament", "change-tournament", "move-tournament", "import-tournament"),
    *("add-entrants", "change-entrant", "withdraw-entrant", "return-entrant", "remove-entrant"),
    *("let-in", "put-substitute", "take-out-substitute", "publish-round", "take-back-round"),
    *("start-clock", "pause-clock", "add-time", "add-table-time"),
    *("change-late", "exchange-seats", "move-section", "rule", "withdraw-ruling", "accept-changes"),
)
"""Actions visible to everybody who may see the event; a draft of a seating is not."""

NAMING_ACTIONS = ("rename", "initials", "remove", "merge", "part")
"""Actions that change names on sheets, visible to everybody who may see any club event."""


class AuditEntryQuerySet(models.QuerySet["AuditEntry"]):
    """Audit entries. The program never deletes one; only `take_out_name` changes them."""

    def update(self, **_fields: Any) -> NoReturn:
        raise TypeError("a line of the audit is never changed")

    def delete(self) -> NoReturn:
        raise TypeError("a line of the audit is never deleted")

    def followed_by(self, user: User | AnonymousUser | None) -> "AuditEntryQuerySet":
        """Filter to the numbered entries that a visitor may follow, in order.

        They are all entries of the clubs that the visitor directs. Of other clubs they are public
        changes to the events that the visitor may see, and new names of the players there.
        """
        directed = Club.objects.directed_by(user).values("pk")
        seen = Event.objects.seen_by(user)
        naming = Q(kind=AuditEntry.Kind.PLAYER, action__in=NAMING_ACTIONS)
        return self.filter(
            Q(club__in=directed)
            | Q(event__in=seen.values("pk"), action__in=PUBLIC_ACTIONS)
            | Q(naming, club__in=seen.values("club")),
            number__isnull=False,
        ).order_by("number")

    def take_out_name(self, without: Callable[[Any], Any]) -> None:
        """Take a name out of these entries: the only change ever made to an entry.

        Only the service that removes a person calls this; it adds an entry that records the
        removal. `without` returns a text, or a JSON value, without the name.
        """
        fields = ("before", "after", "reason")
        for line in list(self.only("pk", *fields)):
            new = {field: without(getattr(line, field)) for field in fields}
            new = {field: value for field, value in new.items() if value != getattr(line, field)}
            if new:
                models.QuerySet.update(self.model.objects.filter(pk=line.pk), **new)


class AuditEntry(models.Model):
    """One change: who made it, when and where, its subject, and the values before and after."""

    class Kind(models.TextChoices):
        RESULT = "result"
        PLAYER = "player"
        ROLE = "role"
        SETTINGS = "settings"
        EVENT = "event"

    # The place in the feed of changes, given once every reader can see the entry; see `ChangeFeed`.
    number = models.PositiveBigIntegerField(null=True, blank=True, unique=True)
    club = models.ForeignKey(
        Club, on_delete=models.PROTECT, related_name="audit_lines", db_index=False
    )
    # Null if the entry belongs to no event, or the event was deleted.
    event = models.ForeignKey(
        Event, null=True, blank=True, on_delete=models.SET_NULL, related_name="audit_lines"
    )
    at = models.DateTimeField()
    kind = models.CharField(max_length=8, choices=Kind)
    # The action, such as `rename` or `correction`; `texts.py` of the pages translates it.
    action = models.CharField(max_length=20)
    # The subject, such as `player:17` or `game:abcdefghjk`; empty for the club itself.
    subject = models.CharField(max_length=40, blank=True)
    # Null if a table's phone made the change, or the account was deleted.
    user = models.ForeignKey(
        User,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="audit_lines",
        db_index=False,
    )
    table = models.CharField(max_length=16, blank=True)
    address = models.GenericIPAddressField(null=True, blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)

    objects = AuditEntryQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["club", "-id"], name="audit_of_club"),
            models.Index(fields=["club", "kind", "-id"], name="audit_of_kind"),
            models.Index(fields=["club", "subject", "-id"], name="audit_of_subject"),
            # By far the most entries are made by phones, without an account.
            models.Index(
                fields=["user", "club", "-id"],
                condition=Q(user__isnull=False),
                name="audit_by_user",
            ),
            models.Index(fields=["id"], condition=Q(number=None), name="audit_not_numbered"),
            models.Index(
                fields=["club", "number"], condition=Q(number__isnull=False), name="audit_numbered"
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["result", "player", "role", "settings", "event"]),
                name="audit_kind_known",
            ),
            models.CheckConstraint(condition=~Q(action=""), name="audit_says_what_was_done"),
        ]

    def __str__(self) -> str:
        return f"{self.action} of {self.subject or self.club}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert the entry; raise TypeError if it already exists."""
        if not self._state.adding:
            raise TypeError("a line of the audit is never changed")
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Raise TypeError: an entry is never deleted."""
        raise TypeError("a line of the audit is never deleted")


class ChangeFeed(models.Model):
    """The end of the feed of changes: one row with the last number given.

    Entries can be committed in another order than they were written, so a reader who pages by
    primary key could miss one. An entry therefore gets its number only once it is committed, from
    one process at a time. Later numbers are always visible later.
    """

    last = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="feed_is_one")]

    def __str__(self) -> str:
        return f"the feed up to {self.last}"

    @classmethod
    def number_new_lines(cls) -> bool:
        """Number the entries that have no number (1 query if there are none).

        Return whether some may be left: the batch is limited, so that nobody waits long.
        """
        if not AuditEntry.objects.filter(number=None).exists():
            return False
        with transaction.atomic():
            feed, _created = cls.objects.select_for_update().get_or_create(pk=1)
            # Search only while holding the lock, to see everything committed until now.
            with connection.cursor() as cursor:
                cursor.execute(NUMBER_LINES, [feed.last, MOST_NUMBERED_AT_ONCE])
                numbered = cursor.rowcount
            feed.last += numbered
            feed.save(update_fields=["last"])
        return bool(numbered == MOST_NUMBERED_AT_ONCE)

    @classmethod
    def last_number(cls) -> int:
        """Return the last number given, 0 before the first (1 query)."""
        return cls.objects.filter(pk=1).values_list("last", flat=True).first() or 0


# Bypasses the model's own guard, since no recorded fact changes. A hundred times as fast as one
# update per row.
NUMBER_LINES = """
UPDATE tournaments_auditentry SET number = %s + new.place
FROM (
    SELECT id, row_number() OVER (ORDER BY id) AS place
    FROM tournaments_auditentry WHERE number IS NULL ORDER BY id LIMIT %s
) AS new
WHERE tournaments_auditentry.id = new.id
"""
