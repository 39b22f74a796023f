"""The audit of a club: who changed what. Entries are only ever added.

`AuditEntry` reads them all from a view. Most are revisions of sheets and confirmations, whose own
rows hold all that is said of them; all others are rows of `AuditRow`.
"""

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from django.contrib.auth.models import AnonymousUser
from django.db import connection, models
from django.db.models import Q
from django.db.models.signals import pre_delete
from django.dispatch import receiver

from tournaments.engine.rules.rulesets import LONGEST_REASON
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.feed import FeedSpan, NewLine
from tournaments.models.games import Confirmation, Game, Revision
from tournaments.models.people import User
from tournaments.models.written_json import WrittenJSONField

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

SHEET_LINES: dict[type[Revision | Confirmation], dict[str, Any]] = {
    Revision: {"club": None},
    # The name is there for the audit only.
    Confirmation: {"club": None, "player": ""},
}
"""The rows of sheets that are entries, and what they lose when they are entries no longer."""

NAMING_ACTIONS = ("rename", "initials", "remove", "merge", "part")
"""Actions that change names on sheets, visible to everybody who may see any club event."""


class AuditEntryQuerySet(models.QuerySet["AuditEntry"]):
    """Audit entries. The program never deletes one; only `take_out_name` changes them."""

    def bulk_create(
        self, objs: Iterable["AuditEntry"], *_args: Any, **_kwargs: Any
    ) -> list["AuditEntry"]:
        """Add entries, each with a key of its own."""
        return AuditRow.add(list(objs))

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
        )

    def numbered(self, after: int, until: int) -> "AuditEntryQuerySet":
        """Filter to the entries with a number above `after` and up to `until`, in order.

        Searches their keys first (1 query), since numbers have no index.
        """
        lines = self.filter(number__gt=after, number__lte=until)
        return lines.filter(pk__range=FeedSpan.keys_between(after, until)).order_by("number")

    def about(self, subjects: Iterable[str]) -> "AuditEntryQuerySet":
        """Filter to the entries about these subjects (3 queries if there are games among them)."""
        subjects = list(subjects)
        # Known of each table, so that the others are not read.
        stored = self.filter(subject__in=subjects, stored=True)
        games = [each.removeprefix("game:") for each in subjects if each.startswith("game:")]
        if not games:
            return stored
        of_sheets = (
            lines.objects.filter(game__public_id__in=games, club__isnull=False)
            for lines in SHEET_LINES
        )
        keys = (rows.order_by().values_list("pk", flat=True) for rows in (stored, *of_sheets))
        return self.filter(pk__in=[key for found in keys for key in found])

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
                # The sheet itself, whose wording is not the audit's, stays as it is.
                AuditRow.keep_lines(pk=line.pk)
                AuditRow.objects.filter(pk=line.pk).update(**new)


class AuditEntryManager(models.Manager.from_queryset(AuditEntryQuerySet)):  # type: ignore[misc]
    """The entries of clubs, and no other revisions."""

    def get_queryset(self) -> AuditEntryQuerySet:
        # Not in the view: PostgreSQL reads only views without conditions by their indexes.
        lines: AuditEntryQuerySet = super().get_queryset().filter(club__isnull=False)
        return lines


class Said(models.Model):
    """One change: when it was made and where, its subject, and the values before and after."""

    class Kind(models.TextChoices):
        RESULT = "result"
        PLAYER = "player"
        ROLE = "role"
        SETTINGS = "settings"
        EVENT = "event"

    at = models.DateTimeField()
    kind = models.CharField(max_length=8, choices=Kind)
    # The action, such as `rename` or `correction`; `texts.py` of the pages translates it.
    action = models.CharField(max_length=20)
    # The subject, such as `player:17` or `game:abcdefghjk`; empty for the club itself.
    subject = models.CharField(max_length=40, blank=True)
    table = models.CharField(max_length=16, blank=True)
    address = models.GenericIPAddressField(null=True, blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)

    class Meta:
        abstract = True


class AuditEntry(Said):
    """A line of the audit: a row of `AuditRow`, or of a sheet of the club."""

    # The place in the feed of changes, given once every reader can see the entry; see `ChangeFeed`.
    number = models.PositiveBigIntegerField(null=True)
    club = models.ForeignKey(Club, on_delete=models.DO_NOTHING, related_name="audit_lines")
    # Null if the entry belongs to no event, or the event was deleted.
    event = models.ForeignKey(
        Event, null=True, on_delete=models.DO_NOTHING, related_name="audit_lines"
    )
    # Null if a table's phone made the change, or the account was deleted.
    user = models.ForeignKey(
        User, null=True, on_delete=models.DO_NOTHING, related_name="audit_lines"
    )
    # Whether it is a row of `AuditRow`; otherwise it is one of a sheet.
    stored = models.BooleanField()

    objects = AuditEntryManager()

    class Meta:
        managed = False
        db_table = "tournaments_auditline"
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.action} of {self.subject or self.club}"

    def save(self, *_args: Any, **_kwargs: Any) -> None:
        """Insert the entry; raise TypeError if it already exists."""
        if not self._state.adding:
            raise TypeError("a line of the audit is never changed")
        AuditRow.add([self])

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Raise TypeError: an entry is never deleted."""
        raise TypeError("a line of the audit is never deleted")


class AuditRow(Said):
    """A stored audit entry: of all that no row of a sheet says, and of those that are no more."""

    club = models.ForeignKey(Club, on_delete=models.PROTECT, related_name="+", db_index=False)
    event = models.ForeignKey(
        Event, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    user = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    before = WrittenJSONField(null=True)
    after = WrittenJSONField(null=True)

    class Meta:
        db_table = "tournaments_auditentry"
        indexes = [
            # Ascending: pages of an index that grows at its end are filled, not halved.
            models.Index(fields=["club", "id"], name="audit_of_club"),
            # By far the most rows are of events, and of the results of games that were deleted.
            models.Index(
                fields=["club", "kind", "id"],
                condition=Q(kind__in=["player", "role", "settings"]),
                name="audit_of_kind",
            ),
            models.Index(fields=["club", "subject", "id"], name="audit_of_subject"),
            # By far the most entries are made by phones, without an account.
            models.Index(
                fields=["user", "club", "id"],
                condition=Q(user__isnull=False),
                name="audit_by_user",
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

    @classmethod
    def add(cls, lines: list["AuditEntry"]) -> list["AuditEntry"]:
        """Store new entries, each with a key of its own (2 queries)."""
        new = [line for line in lines if not line.pk]
        for line, key in zip(new, NewLine.draw_keys(True for _ in new), strict=True):
            line.pk = key
        names = [field.attname for field in cls._meta.concrete_fields]
        AuditRow.objects.bulk_create(
            AuditRow(**{name: getattr(line, name) for name in names}) for line in lines
        )
        for line in lines:
            line._state.adding = False  # noqa: SLF001 - as `save` does
        return lines

    @classmethod
    def keep_lines(cls, **of: Any) -> None:
        """Store the entries that these rows of sheets are; they may then change or go (4 queries).

        The rows are entries no longer.
        """
        names = ", ".join(
            connection.ops.quote_name(str(field.column)) for field in cls._meta.concrete_fields
        )
        for lines, no_more in SHEET_LINES.items():
            told = lines.objects.filter(club__isnull=False, **of).order_by()
            keys, values = told.values("pk").query.sql_with_params()
            with connection.cursor() as cursor:
                cursor.execute(
                    f"INSERT INTO tournaments_auditentry ({names})"  # noqa: S608 - our own names
                    f" SELECT {names} FROM tournaments_auditline WHERE id IN ({keys})",
                    values,
                )
            told.update(**no_more)


@receiver(pre_delete, sender=Game)
def keep_lines_of_game(instance: Game, **_signal: Any) -> None:
    """Keep the audit of a game when it is deleted with its revisions."""
    if instance.revision:
        AuditRow.keep_lines(game=instance)
