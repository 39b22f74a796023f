"""The audit log, its view in the database, and webhooks that tell of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NoReturn

from django.contrib.auth.models import AnonymousUser
from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.models import Q
from django.db.models.signals import pre_delete
from django.dispatch import receiver
from django.utils.translation import gettext_lazy as _

from tournaments.engine.rules.rulesets import LONGEST_REASON
from tournaments.models import fields
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.feed import FeedSpan, NewLine
from tournaments.models.fields import ChoiceField, WrittenJSONField, new_public_id
from tournaments.models.games import Confirmation, Game, Revision
from tournaments.models.people import User

PUBLIC_ACTIONS = (
    *("entry", "completion", "reveal", "correction", "withdrawal", "head", "confirm"),
    *("confirm-deal", "dispute-deal", "settle-deal"),
    *("add-event", "change-event", "open-round", "close-round", "reopen-round"),
    *("add-table", "remove-table", "adopt", "next-game", "import-games"),
    *("add-tournament", "change-tournament", "move-tournament", "import-tournament"),
    *("add-entrants", "change-entrant", "withdraw-entrant", "return-entrant", "remove-entrant"),
    *("let-in", "put-substitute", "take-out-substitute", "publish-round", "take-back-round"),
    *("start-clock", "pause-clock", "add-time", "add-table-time"),
    *("leave-table", "arrive-late", "undo-coming"),
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
        games = [
            subject.removeprefix("game:") for subject in subjects if subject.startswith("game:")
        ]
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
        RESULT = "result", _("Results")
        PLAYER = "player", _("Players")
        ROLE = "role", _("Roles")
        SETTINGS = "settings", _("Settings")
        EVENT = "event", _("Evenings")

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
        keys = NewLine.objects.bulk_create(NewLine() for _ in new)
        for line, key in zip(new, keys, strict=True):
            line.pk = key.pk
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
            written = lines.objects.filter(club__isnull=False, **of).order_by()
            keys, values = written.values("pk").query.sql_with_params()
            with connection.cursor() as cursor:
                cursor.execute(
                    f"INSERT INTO tournaments_auditentry ({names})"  # noqa: S608 - our own names
                    f" SELECT {names} FROM tournaments_auditline WHERE id IN ({keys})",
                    values,
                )
            written.update(**no_more)


@receiver(pre_delete, sender=Game)
def keep_lines_of_game(instance: Game, **_signal: Any) -> None:
    if instance.revision:
        AuditRow.keep_lines(game=instance)


NUMBER = """(
    SELECT CASE WHEN line.id < span.first + span.length THEN span.number + line.id - span.first END
    FROM tournaments_feedspan span WHERE span.first <= line.id ORDER BY span.first DESC LIMIT 1
)"""

AT_TABLE = """
    tournaments_game game JOIN tournaments_table at_table ON at_table.id = game.table_id
    JOIN tournaments_round round ON round.id = at_table.round_id WHERE game.id = line.game_id
"""

BODY = "CASE WHEN line.kind = 'head' THEN {read}(line.body) ELSE {typed} END"

STOOD = """
    SELECT {typed} FROM tournaments_revision earlier
    WHERE earlier.game_id = line.game_id AND earlier.position = line.position
    AND earlier.revision < line.revision ORDER BY earlier.revision DESC LIMIT 1
"""

VIEW = """
CREATE VIEW tournaments_auditline AS
SELECT line.id, {number} AS number, line.club_id, line.event_id, true AS stored,
    line.at, line.kind, line.action, line.subject,
    line.user_id, line."table", line.address,
    CAST({read}(line.before) AS {type}) AS before, CAST({read}(line.after) AS {type}) AS after,
    line.reason
FROM tournaments_auditentry line
UNION ALL
SELECT line.id, {number}, line.club_id, (SELECT round.event_id FROM {at_table}), false,
    line.at, CAST('result' AS varchar), line.kind,
    CAST('game:' || (
        SELECT game.public_id FROM tournaments_game game WHERE game.id = line.game_id
    ) AS varchar),
    line.user_id, CAST(
        CASE WHEN line.by_phone THEN (SELECT at_table.public_id FROM {at_table}) ELSE '' END
    AS varchar),
    line.address,
    CAST({object}('position', line.position, 'body',
        {read}(CASE WHEN line.kind <> 'entry' THEN ({stood}) END)) AS {type}),
    CAST(CASE WHEN line.result = ''
        THEN {object}('position', line.position, 'body', {body})
        ELSE {object}('position', line.position, 'body', {body}, 'result', line.result)
    END AS {type}),
    line.reason
FROM tournaments_revision line
UNION ALL
SELECT line.id, {number}, line.club_id, (SELECT round.event_id FROM {at_table}), false,
    line.at, CAST('result' AS varchar), CAST('confirm' AS varchar),
    CAST('game:' || (
        SELECT game.public_id FROM tournaments_game game WHERE game.id = line.game_id
    ) AS varchar),
    line.user_id, CAST(
        CASE WHEN line.by_phone THEN (SELECT at_table.public_id FROM {at_table}) ELSE '' END
    AS varchar),
    line.address,
    CAST(NULL AS {type}),
    CAST({object}('seat', line.seat, 'player', line.player, 'revision', line.revision) AS {type}),
    CAST('' AS varchar)
FROM tournaments_confirmation line
"""

JSON = {
    "postgresql": {
        "type": "jsonb",
        "object": "jsonb_build_object",
        "read": "to_jsonb",
        # Of two values of a name the last one stays.
        "typed": "jsonb_build_object('type', 'deal') || to_jsonb({0}.body)",
    },
    "sqlite": {
        "type": "text",
        "object": "json_object",
        "read": "json",
        "typed": "json_insert({0}.body, '$.type', 'deal')",
    },
}
"""The type of JSON, and what makes an object, reads a column, and adds the type of a deal."""


def drop_before(plan: Sequence[Any], using: str = DEFAULT_DB_ALIAS, **_signal: Any) -> None:
    """Drop the view if there is anything to migrate; others may be reading it."""
    if plan:
        drop_view(using)


def drop_view(using: str = DEFAULT_DB_ALIAS) -> None:
    with connections[using].cursor() as cursor:
        cursor.execute("DROP VIEW IF EXISTS tournaments_auditline")


def create_view(using: str = DEFAULT_DB_ALIAS, **_signal: Any) -> None:
    """Create the view, unless it exists or its tables are those of an older version."""
    connection = connections[using]
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor, include_views=True)
        if "tournaments_feedspan" in names and "tournaments_auditline" not in names:
            cursor.execute(statement(connection.vendor))


def statement(vendor: str) -> str:
    json = JSON[vendor]
    stood = STOOD.format(typed=json["typed"].format("earlier"))
    body = BODY.format(read=json["read"], typed=json["typed"].format("line"))
    return VIEW.format(number=NUMBER, at_table=AT_TABLE, stood=stood, body=body, **json)


MOST_TRIES = 10
"""Tries, over about three days, after which a call has failed."""

CLAIMED_FOR = timedelta(minutes=2)
"""Time for which a call being made is left alone; after that its worker counts as dead."""


class EventType(models.TextChoices):
    ROUND_PUBLISHED = "round.published", _("the seating of a round is published")
    GAME_BEGUN = "game.begun", _("a game is begun")
    RESULT_ENTERED = "result.entered", _("a result is entered or corrected")
    ROUND_CLOSED = "round.closed", _("a round is closed")
    TOURNAMENT_FINISHED = "tournament.finished", _("a tournament is finished")
    PLAYER_ADDED = "player.added", _("a player is added")
    PLAYER_CHANGED = "player.changed", _("a player is renamed, merged or claimed")
    PLAYER_REMOVED = "player.removed", _("a player’s name is removed")
    ENTRANT_ADDED = "entrant.added", _("entrants are registered")
    ENTRANT_CHANGED = "entrant.changed", _("an entrant changes, withdraws or comes back")
    ENTRANT_REMOVED = "entrant.removed", _("an entrant is struck off the list")
    RATINGS_CHANGED = "ratings.changed", _("ratings are computed")


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


BOTH_SECRETS_FOR = timedelta(days=1)


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
    renewed_at = models.DateTimeField(null=True, blank=True)
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
        return fields.derive("webhook", self.public_id, self.generation)

    def signing_secrets(self, at: datetime) -> list[str]:
        """Return the secret, and the one before it for a day after it was replaced."""
        old = self.renewed_at is not None and at < self.renewed_at + BOTH_SECRETS_FOR
        generations = (self.generation, self.generation - 1)[: 1 + old]
        return [fields.derive("webhook", self.public_id, each) for each in generations]


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
        WAITING = "waiting", _("waiting")
        DELIVERED = "delivered", _("delivered")
        FAILED = "failed", _("failed")

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
    state = ChoiceField(State, default=State.WAITING)
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
        ]

    @property
    def why_no_answer(self) -> str:
        """Return why no response came; the club never sees a receiver's response body."""
        return "" if self.answer_status else self.answer_text
