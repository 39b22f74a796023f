"""What was changed in a club, by whom: lines are only ever added."""

from collections.abc import Callable
from typing import Any, NoReturn

from django.contrib.auth.models import AnonymousUser
from django.db import connection, models, transaction
from django.db.models import Q

from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.people import User

MOST_NUMBERED_AT_ONCE = 5000
"""Whoever writes on SQLite waits so long: about a tenth of a second."""

PUBLIC_ACTIONS = (
    *("entry", "completion", "reveal", "correction", "withdrawal", "head", "confirm"),
    *("add-event", "change-event", "open-round", "close-round", "reopen-round"),
    *("add-table", "remove-table", "adopt", "next-game", "import-games"),
    *("add-tournament", "change-tournament", "move-tournament", "import-tournament"),
    *("add-entrants", "change-entrant", "withdraw-entrant", "return-entrant", "remove-entrant"),
    *("put-substitute", "take-out-substitute", "publish-round", "take-back-round"),
    *("start-clock", "pause-clock", "add-time", "add-table-time"),
    *("change-late", "rule", "withdraw-ruling", "accept-changes"),
)
"""What is no secret of the directors, where the event may be seen; a draft of a seating is one."""

NAMING_ACTIONS = ("rename", "initials", "remove", "merge", "part")
"""What changes the names on sheets: of them is told who may see any event of the club."""


class AuditLineQuerySet(models.QuerySet["AuditLine"]):
    """Lines to read and to add; nothing in the program deletes one, and one thing changes one."""

    def update(self, **_fields: Any) -> NoReturn:
        raise TypeError("a line of the audit is never changed")

    def delete(self) -> NoReturn:
        raise TypeError("a line of the audit is never deleted")

    def followed_by(self, user: User | AnonymousUser | None) -> "AuditLineQuerySet":
        """The numbered lines a visitor may follow, in their order.

        All of the clubs they direct; of others what is public in the events they may see, and
        that somebody who plays there is called otherwise.
        """
        directed = Club.objects.directed_by(user).values("pk")
        seen = Event.objects.seen_by(user)
        naming = Q(kind=AuditLine.Kind.PLAYER, action__in=NAMING_ACTIONS)
        return self.filter(
            Q(club__in=directed)
            | Q(event__in=seen.values("pk"), action__in=PUBLIC_ACTIONS)
            | Q(naming, club__in=seen.values("club")),
            number__isnull=False,
        ).order_by("number")

    def take_out_name(self, without: Callable[[Any], Any]) -> None:
        """Take a name out of these lines: the only change ever made to one.

        For a person who asked to be removed, and by that service alone, which adds a line that
        says so. `without` gives a text, or a value of JSON, without the name.
        """
        fields = ("before", "after", "reason")
        for line in list(self.only("pk", *fields)):
            new = {field: without(getattr(line, field)) for field in fields}
            new = {field: value for field, value in new.items() if value != getattr(line, field)}
            if new:
                models.QuerySet.update(self.model.objects.filter(pk=line.pk), **new)


class AuditLine(models.Model):
    """One change: who made it, when, from where, of what, and what was before and after."""

    class Kind(models.TextChoices):
        """What was changed."""

        RESULT = "result"
        PLAYER = "player"
        ROLE = "role"
        SETTINGS = "settings"
        EVENT = "event"

    # Its place in the feed of changes, given once it is there for all to read; see `ChangeFeed`.
    number = models.PositiveBigIntegerField(null=True, blank=True, unique=True)
    club = models.ForeignKey(Club, on_delete=models.PROTECT, related_name="audit_lines")
    # The event it belongs to; null where to none, and once that was removed.
    event = models.ForeignKey(
        Event, null=True, blank=True, on_delete=models.SET_NULL, related_name="audit_lines"
    )
    at = models.DateTimeField()
    kind = models.CharField(max_length=8, choices=Kind)
    # A word for what was done, as `rename` or `correction`; `words.py` says it in languages.
    action = models.CharField(max_length=20)
    # What it was done to, as `player:17` or `game:abcdefghjk`; empty for the club itself.
    subject = models.CharField(max_length=40, blank=True)
    # Null where it was the phone of a table, or an account that is no more.
    user = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="audit_lines"
    )
    table = models.CharField(max_length=16, blank=True)
    address = models.GenericIPAddressField(null=True, blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    reason = models.CharField(max_length=200, blank=True)

    objects = AuditLineQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["club", "-id"], name="audit_of_club"),
            models.Index(fields=["club", "kind", "-id"], name="audit_of_kind"),
            models.Index(fields=["club", "subject", "-id"], name="audit_of_subject"),
            models.Index(fields=["club", "user", "-id"], name="audit_by_user"),
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
        """Add the line; one that was added stays as it is."""
        if not self._state.adding:
            raise TypeError("a line of the audit is never changed")
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Refuse: what was done was done."""
        raise TypeError("a line of the audit is never deleted")


class ChangeFeed(models.Model):
    """The end of the feed of changes: one row, the number that was given last.

    A line that is written earlier can be committed later, so that whoever reads by its key could
    pass it by. A line gets its number only when it is there to be read, by one process at a time:
    whatever comes later stands later.
    """

    last = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="feed_is_one")]

    def __str__(self) -> str:
        return f"the feed up to {self.last}"

    @classmethod
    def number_new_lines(cls) -> bool:
        """Give numbers to lines that have none (1 query where there are none).

        Whether some may be left: so many are numbered at once that nobody waits long.
        """
        if not AuditLine.objects.filter(number=None).exists():
            return False
        with transaction.atomic():
            feed, _created = cls.objects.select_for_update().get_or_create(pk=1)
            # Looked for only with the lock held: what has been committed until now is seen.
            with connection.cursor() as cursor:
                cursor.execute(NUMBER_LINES, [feed.last, MOST_NUMBERED_AT_ONCE])
                numbered = cursor.rowcount
            feed.last += numbered
            feed.save(update_fields=["last"])
        return bool(numbered == MOST_NUMBERED_AT_ONCE)

    @classmethod
    def last_number(cls) -> int:
        """The number that was given last, 0 before the first (1 query)."""
        return cls.objects.filter(pk=1).values_list("last", flat=True).first() or 0


# Past the lines' own guard, for nothing that was said is changed; a hundred times as fast as one
# after the other.
NUMBER_LINES = """
UPDATE tournaments_auditline SET number = %s + new.place
FROM (
    SELECT id, row_number() OVER (ORDER BY id) AS place
    FROM tournaments_auditline WHERE number IS NULL ORDER BY id LIMIT %s
) AS new
WHERE tournaments_auditline.id = new.id
"""
