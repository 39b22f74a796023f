"""Games, their revisions, open tables, and phones at tables."""

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from tournaments.engine.rules.rulesets import (
    LONGEST_ID,
    LONGEST_NAME,
    LONGEST_REASON,
    MOST_SEATS,
)
from tournaments.models import fields
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Round, Table
from tournaments.models.feed import NewLine
from tournaments.models.fields import ChoiceField, EntryField, WrittenJSONField, new_public_id
from tournaments.models.people import Player, User


class OpenTableQuerySet(models.QuerySet["OpenTable"]):
    def readable_at(self, public_id: str, secret: str) -> "OpenTableQuerySet":
        """Filter to the table at this address, or to the table that it was joined to."""
        at = fields.found_at(self, OpenTable.KIND, public_id, secret)
        here, there = at.filter(joined_to=None).values("pk"), at.values("joined_to")
        return self.filter(Q(pk__in=here) | Q(pk__in=there))


class OpenTable(models.Model):
    """A table that belongs to nobody; its address leads to all its games, as they follow."""

    KIND = "evening"

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    generation = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField()
    # The table that got its games when two evenings were joined; its address then leads there.
    joined_to = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="joined"
    )

    objects = OpenTableQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(generation__gte=1), name="open_table_generation_from_one"
            ),
        ]

    def secret(self) -> str:
        """Return the secret part of the address at which this table is followed."""
        return fields.derive(self.KIND, self.public_id, self.generation)


class Match(models.Model):
    """The length of a match; the standing is always computed from its games.

    Laps and slam are options of the games' ruleset; those of the first game count.
    """

    class Length(models.TextChoices):
        """The condition that ends a match, by the engine's names."""

        BEST_OF = "best-of"
        FIRST_TO = "first-to"

    length = ChoiceField(Length, max_length=10)
    number = models.PositiveSmallIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(number__gte=1), name="match_of_one_game_or_more"),
        ]
        verbose_name_plural = "matches"


Row = TypeVar("Row", bound="AuditedRow")

AT_OPEN_ROUND = Q(table=None) | Q(
    table__round__opened_at__isnull=False, table__round__closed_at=None
)


def digest(key: str) -> str:
    """Return the digest of a key that gives access: it verifies the key but cannot replace it."""
    return hashlib.sha256(key.encode()).hexdigest()


def results_visible_to(user: User | AnonymousUser | None, game: str = "") -> Q:
    """Return the condition that a visitor may see the result of a game.

    It is no game of a round that hides its results, or one that the visitor directs or plays.
    `game` is the path to the game, such as `game__`.
    """
    visible = ~Q(**{f"{game}table__round__in": Round.objects.hiding_results_from(user)})
    if user is None or not user.is_authenticated:
        return visible
    own = Seat.objects.filter(player__account=user).values("game")
    return visible | Q(**{f"{game}pk__in": own})


class GameQuerySet(models.QuerySet["Game"]):
    """Permissions on games, by the address used."""

    def writable_at(
        self, public_id: str, secret: str, user: User | AnonymousUser | None = None
    ) -> "GameQuerySet":
        """Filter to the game whose sheet this address may score.

        Once the round is closed, only the club's directors may score.
        """
        games = self._at("write", public_id, secret)
        if user is None or not user.is_authenticated:
            return games.filter(AT_OPEN_ROUND)
        clubs = Club.objects.directed_by(user)
        return games.filter(AT_OPEN_ROUND | Q(table__round__event__club__in=clubs))

    def first_writable_at(
        self, public_id: str, secret: str, user: User | AnonymousUser | None = None
    ) -> "Game | None":
        """Return the game that `writable_at` finds, with its table (1 query, 2 in a club).

        Every deal begins with it, so the address is checked on the row itself.
        """
        # One at most: no order to ask for.
        row = next(iter(fields.named(self, public_id).select_related("open_table")), None)
        if row is None or not fields.matches(secret, "write", public_id, row.write_generation):
            return None
        if row.table_id is None:
            return row
        tables = Table.objects.select_related("round__event__tournament", "round__event__club")
        row.table = tables.filter(pk=row.table_id).first()
        if row.table is None:
            return None
        round_ = row.table.round
        if round_.opened_at is not None and round_.closed_at is None:
            return row
        directed = Club.objects.directed_by(user).filter(pk=round_.event.club_id)
        return row if directed.exists() else None

    def closed_at(self, public_id: str, secret: str) -> "GameQuerySet":
        """Filter to the game that this address could score until its round was closed."""
        games = self._at("write", public_id, secret)
        return games.filter(table__round__closed_at__isnull=False)

    def takeable_at(self, public_id: str, secret: str) -> "GameQuerySet":
        """Filter to the game whose scoring this address may take over while its round is open."""
        return self._at("pen", public_id, secret).filter(AT_OPEN_ROUND)

    def readable_at(self, public_id: str, secret: str) -> "GameQuerySet":
        return self._at("follow", public_id, secret)

    def once_writable_at(self, public_id: str, secret: str) -> "GameQuerySet":
        """Filter to the game whose scoring was since taken over from this address."""
        row = self.named(public_id).first()
        if row is None:
            return self.none()
        earlier = range(max(1, row.write_generation - 10), row.write_generation)
        once = any(fields.matches(secret, "write", public_id, g) for g in earlier)
        return self.filter(pk=row.pk) if once else self.none()

    def ever_writable_at(self, public_id: str, secret: str) -> "GameQuerySet":
        """Filter to the game that this address may score now, or could once."""
        games = self._at("write", public_id, secret)
        return self.once_writable_at(public_id, secret) if games.query.is_empty() else games

    def taken_with(self, public_id: str, key: str) -> "GameQuerySet":
        return self.named(public_id).filter(taken_with=digest(key))

    def named(self, public_id: str) -> "GameQuerySet":
        return fields.named(self, public_id)

    def seen_by(self, user: User | AnonymousUser | None) -> "GameQuerySet":
        """Filter to the games that a visitor may see without the address of their table."""
        games = self.filter(table__round__event__in=Event.objects.seen_by(user))
        return games.results_visible_to(user)

    def results_visible_to(self, user: User | AnonymousUser | None) -> "GameQuerySet":
        """Leave out the games whose results are hidden from a visitor (`hide_last`).

        Every list, sum, feed, export and document of games begins with it.
        """
        return self.filter(results_visible_to(user))

    def directed_by(self, user: User | AnonymousUser | None) -> "GameQuerySet":
        return self.filter(table__round__event__club__in=Club.objects.directed_by(user))

    def _at(self, kind: str, public_id: str, secret: str) -> "GameQuerySet":
        return fields.found_at(self, kind, public_id, secret, Game.generation_field(kind))


class Game(models.Model):
    """One game at one table: its setup. Its revisions hold the entries."""

    # Not `unique=True`, with which PostgreSQL gets a second index, for searches by its beginning.
    public_id = models.CharField(max_length=16, default=new_public_id)
    ruleset = models.CharField(max_length=LONGEST_ID)
    # The house rules at the start of the game; null for a built-in ruleset.
    document = models.JSONField(null=True, blank=True)
    options = models.JSONField(default=dict, blank=True)
    players = models.JSONField()
    first_declarer = models.PositiveSmallIntegerField(default=0)
    title = models.CharField(max_length=LONGEST_NAME, blank=True)
    place = models.CharField(max_length=LONGEST_NAME, blank=True)
    # What it is played for, as `STAKE` of the engine has it; null for nothing.
    stake = models.JSONField(null=True, blank=True)
    played_at = models.DateTimeField()
    revision = models.PositiveIntegerField(default=0)
    write_generation = models.PositiveIntegerField(default=1)
    follow_generation = models.PositiveIntegerField(default=1)
    # Null, not "": any number of games may start without a key.
    start_key = models.CharField(max_length=64, null=True, blank=True, editable=False)  # noqa: DJ001

    taken_with = models.CharField(max_length=64, blank=True, editable=False)
    # When another phone last took over scoring.
    taken_at = models.DateTimeField(null=True, blank=True, editable=False)
    # The result of a finished game, as `sheets.result_of` returns it; null while the game goes on.
    # A cache of the folded revisions for sums over many games; it can be deleted and computed
    # again.
    result = models.JSONField(null=True, blank=True, editable=False)
    # The digest of its record, stored with each revision; empty without any.
    digest = models.CharField(max_length=64, blank=True, editable=False)

    # The match, and this game's number in it, from 1; most games have none.
    match = models.ForeignKey(
        Match, null=True, blank=True, on_delete=models.PROTECT, related_name="games", db_index=False
    )
    match_number = models.PositiveSmallIntegerField(null=True, blank=True)

    # The table of a club's event; null at an open table.
    table = models.ForeignKey(
        Table, null=True, blank=True, on_delete=models.PROTECT, related_name="games"
    )

    # The open table where the game was started, and its number there, from 1. A game that a club
    # adopts keeps both, so that the table's address still leads to it.
    open_table = models.ForeignKey(
        OpenTable,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="games",
        # The unique constraint below has its index.
        db_index=False,
    )
    number = models.PositiveSmallIntegerField(null=True, blank=True)
    # The names of those at the table who sat out this game.
    resting = models.JSONField(default=list, blank=True)
    # The phone at each seat, as far as one has said so: `services/games/seating.py`.
    phones = models.JSONField(default=list, blank=True, editable=False)

    objects = GameQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["digest"], condition=~Q(digest=""), name="game_by_digest")]
        constraints = [
            models.UniqueConstraint(fields=["public_id"], name="game_one_per_public_id"),
            models.CheckConstraint(
                condition=Q(write_generation__gte=1) & Q(follow_generation__gte=1),
                name="game_generations_from_one",
            ),
            models.CheckConstraint(
                condition=Q(first_declarer__lt=MOST_SEATS), name="game_first_declarer_is_a_seat"
            ),
            # Most games have none of these three, and so no entry in their indexes.
            models.UniqueConstraint(
                fields=["start_key"],
                condition=Q(start_key__isnull=False),
                name="game_one_per_start_key",
            ),
            models.UniqueConstraint(
                fields=["match", "match_number"],
                condition=Q(match__isnull=False),
                name="game_one_per_number",
            ),
            models.UniqueConstraint(
                fields=["open_table", "number"],
                condition=Q(open_table__isnull=False),
                name="game_one_per_number_at_table",
            ),
            models.CheckConstraint(
                condition=Q(open_table__isnull=True, number__isnull=True)
                | Q(open_table__isnull=False, number__isnull=False, number__gte=1),
                name="game_number_at_its_table",
            ),
            models.CheckConstraint(
                condition=Q(match__isnull=True, match_number__isnull=True)
                # Explicit, because a comparison with NULL is not false.
                | Q(match__isnull=False, match_number__isnull=False, match_number__gte=1),
                name="game_number_in_its_match",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.ruleset} {self.public_id}"

    @staticmethod
    def generation_field(kind: str) -> str:
        """Return the field that revokes addresses of a kind; `pen` and `write` share one."""
        return "follow_generation" if kind == "follow" else "write_generation"

    @property
    def tournament_settings(self) -> dict[str, object] | None:
        """Return the settings document of its tournament, None outside of one.

        Without a query if the row was read with `table__round__event__tournament`.
        """
        event = self.table and self.table.round.event
        tournament = getattr(event, "tournament", None)
        return tournament and tournament.settings

    def generation(self, kind: str) -> int:
        value: int = getattr(self, self.generation_field(kind))
        return value

    def secret(self, kind: str) -> str:
        """Return the secret part of this game's address of a kind (`write`, `pen`, `follow`)."""
        return fields.derive(kind, self.public_id, self.generation(kind))


class SeatQuerySet(models.QuerySet["Seat"]):
    def results_visible_to(self, user: User | AnonymousUser | None) -> "SeatQuerySet":
        return self.filter(results_visible_to(user, "game__"))


class Seat(models.Model):
    """The player of the club at a seat, from 0, of a game.

    The names in the game's setup are the names that its players want shown.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="seats", db_index=False)
    number = models.PositiveSmallIntegerField()
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="seats", db_index=False
    )

    objects = SeatQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["game", "number"], name="seat_one_player"),
            models.UniqueConstraint(fields=["player", "game"], name="seat_one_per_player"),
            models.CheckConstraint(
                condition=Q(number__lt=MOST_SEATS), name="seat_number_is_a_seat"
            ),
        ]


class AuditedRowQuerySet(models.QuerySet[Row]):
    def bulk_create(self, objs: Iterable[Row], *args: Any, **more: Any) -> list[Row]:
        """Add rows, each with a key of its own (2 queries)."""
        rows = list(objs)
        new = [row for row in rows if not row.pk]
        keys = NewLine.objects.bulk_create(NewLine(told=row.club_id is not None) for row in new)
        for row, key in zip(new, keys, strict=True):
            row.pk = key.pk
        return super().bulk_create(rows, *args, **more)


class AuditedRow(models.Model):
    """A row of a sheet that is itself an entry of its club's audit: `AuditEntry` reads it."""

    # Null if it is no entry: at an open table, by an import, or if the audit says it in a row of
    # its own.
    club = models.ForeignKey(
        Club, null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    # Whether the phone of the game's table made it, and the IP address, for the audit.
    by_phone = models.BooleanField(default=False)
    address = models.GenericIPAddressField(null=True, blank=True)

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the row; a new one gets its key (1 query more)."""
        if not self.pk:
            self.pk = NewLine.objects.create(told=self.club_id is not None).pk
            kwargs |= {"force_insert": True}
        super().save(*args, **kwargs)


class Confirmation(AuditedRow):
    """A player's confirmation that a finished sheet is right at a given revision."""

    game = models.ForeignKey(
        Game, on_delete=models.CASCADE, related_name="confirmations", db_index=False
    )
    seat = models.PositiveSmallIntegerField()
    revision = models.PositiveIntegerField()
    # The name that the sheet shows at the seat, for the audit.
    player = models.CharField(max_length=LONGEST_NAME, blank=True)
    # Null if it was given on the table's phone.
    user = models.ForeignKey(
        User,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="confirmations",
        db_index=False,
    )
    # Whether it is the account of the player, which proves who confirmed.
    own = models.BooleanField(default=False)
    at = models.DateTimeField()

    objects = AuditedRowQuerySet["Confirmation"].as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["club", "id"], condition=Q(club__isnull=False), name="confirmation_of_club"
            ),
            models.Index(
                fields=["user"], condition=Q(user__isnull=False), name="confirmation_by_user"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["game", "revision", "seat"], name="confirmation_one_per_seat"
            ),
            models.CheckConstraint(
                condition=Q(seat__lt=MOST_SEATS), name="confirmation_seat_is_a_seat"
            ),
        ]


class DealReviewQuerySet(models.QuerySet["DealReview"]):
    def open_disputes(self) -> "DealReviewQuerySet":
        """Filter to the disputes of deals that stand, and that no director has settled."""
        settled = DealReview.objects.filter(
            game=OuterRef("game"), revision=OuterRef("revision"), kind=DealReview.Kind.SETTLED
        )
        later = Revision.objects.filter(
            game=OuterRef("game"), position=OuterRef("position"), revision__gt=OuterRef("revision")
        )
        disputes = self.filter(~Exists(settled), ~Exists(later), kind=DealReview.Kind.DISPUTED)
        return disputes.order_by("game", "position")


class DealReview(models.Model):
    """A deal confirmed or disputed for a seat, or settled by a director, at one revision of it.

    Rows are only ever added; a correction of the deal has a revision, and so reviews, of its own.
    `body` is the deal as whoever disputes it says.
    """

    class Kind(models.TextChoices):
        CONFIRMED = "confirmed"
        DISPUTED = "disputed"
        SETTLED = "settled"

    game = models.ForeignKey(
        Game, on_delete=models.CASCADE, related_name="deal_reviews", db_index=False
    )
    position = models.PositiveSmallIntegerField()
    revision = models.PositiveIntegerField()
    kind = ChoiceField(Kind)
    seat = models.PositiveSmallIntegerField(null=True)
    body = models.JSONField(null=True)
    # Null if it was given on a phone of the table.
    user = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="deal_reviews"
    )
    at = models.DateTimeField()

    objects = DealReviewQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["game", "revision", "kind"], name="deal_review_one_of_a_kind"
            ),
            models.CheckConstraint(
                condition=Q(kind="settled", seat__isnull=True)
                | (~Q(kind="settled") & Q(seat__isnull=False, seat__lt=MOST_SEATS)),
                name="deal_review_seat_unless_settled",
            ),
            models.CheckConstraint(
                condition=Q(kind="disputed", body__isnull=False)
                | (~Q(kind="disputed") & Q(body__isnull=True)),
                name="deal_review_body_if_disputed",
            ),
        ]


class RevisionQuerySet(AuditedRowQuerySet["Revision"]):
    def of_entries(self) -> "RevisionQuerySet":
        """Filter to those of entries: with one of them a table has begun."""
        return self.exclude(kind=Revision.Kind.HEAD)


class Revision(AuditedRow):
    """A revision of a sheet: an entry, a correction or withdrawal of one, or a new setup.

    Rows are only ever added. The sheet has, for each position, the body with the highest revision;
    a body of None is a withdrawn entry. A completion replaces a deal that was begun, a reveal
    replaces a sealed one.
    """

    class Kind(models.TextChoices):
        ENTRY = "entry", _("written")
        COMPLETION = "completion", _("played out")
        REVEAL = "reveal", _("revealed")
        CORRECTION = "correction", _("corrected")
        WITHDRAWAL = "withdrawal", _("taken off")
        HEAD = "head", _("names, seats or rules changed")

    game = models.ForeignKey(
        Game, on_delete=models.CASCADE, related_name="revisions", db_index=False
    )
    revision = models.PositiveIntegerField()
    # Unique in its game: whoever adds a revision has locked the game and read the keys of all.
    key = models.CharField(max_length=64)
    kind = ChoiceField(Kind)
    position = models.PositiveSmallIntegerField(null=True)
    body = EntryField(null=True)
    # The setup that a new one replaces; unlike an entry, the first setup has no row of its own.
    before = WrittenJSONField(null=True)
    # The author's name given with the revision: programs send one, phones do not.
    author = models.CharField(max_length=LONGEST_NAME, blank=True)
    # The signed-in account, and the phone as a digest that is unique to this game.
    user = models.ForeignKey(
        User,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="revisions",
        db_index=False,
    )
    phone = models.CharField(max_length=64, blank=True, editable=False)
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)
    at = models.DateTimeField()
    # "entered" if it finished the game, "corrected" if it changed a finished one, for the audit.
    result = models.CharField(max_length=9, blank=True)

    objects = RevisionQuerySet.as_manager()

    class Meta:
        ordering = ["revision"]
        indexes = [
            models.Index(
                fields=["club", "id"], condition=Q(club__isnull=False), name="revision_of_club"
            ),
            models.Index(fields=["user"], condition=Q(user__isnull=False), name="revision_by_user"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["game", "revision"], name="revision_one_per_revision"),
            models.CheckConstraint(
                condition=Q(kind="head", position__isnull=True)
                | (~Q(kind="head") & Q(position__isnull=False)),
                name="revision_position_unless_head",
            ),
            models.CheckConstraint(
                condition=Q(kind="withdrawal", body__isnull=True)
                | (~Q(kind="withdrawal") & Q(body__isnull=False)),
                name="revision_body_unless_withdrawal",
            ),
            models.CheckConstraint(condition=~Q(key=""), name="revision_key_not_empty"),
            models.CheckConstraint(condition=Q(revision__gte=1), name="revision_number_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.revision} of game {self.game_id}"


LASTS = timedelta(minutes=10)
"""How long the link to another phone is valid."""


class PhoneTransferQuerySet(models.QuerySet["PhoneTransfer"]):
    def valid_at(self, at: datetime) -> "PhoneTransferQuerySet":
        return self.filter(created_at__gt=at - LASTS)

    def expired_at(self, at: datetime) -> "PhoneTransferQuerySet":
        return self.filter(created_at__lte=at - LASTS)


class PhoneTransfer(models.Model):
    """The games of a phone under a link that is used once: whoever takes them deletes the row.

    `games` lists public id, kind of address and its generation, as the cookie of a phone does, so
    that no address is stored, and one revoked meanwhile gives no access. `joined` has the names
    that stand for others.
    """

    digest = models.CharField(max_length=64, unique=True, editable=False)
    games = models.JSONField()
    joined = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    objects = PhoneTransferQuerySet.as_manager()


class SavedGame(models.Model):
    """A game that an account keeps, to follow it on any phone where it is signed in."""

    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="saved_games", db_index=False
    )
    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="saved_by")
    # An address that was revoked later gives no access.
    generation = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "game"], name="saved_game_once"),
        ]


PHOTOS_KEPT_FOR = timedelta(days=7)
"""Time after which photographs that nobody has confirmed are deleted."""

READ_AGAIN_AFTER = timedelta(seconds=30)
"""Time after which a worker that reads a photograph is taken for lost."""

MOST_READINGS = 3

PHOTO_KEY = "photo-"
"""How the keys of revisions that come from a photograph begin."""


class GamePhotoQuerySet(models.QuerySet["GamePhoto"]):
    def current(self) -> "GamePhotoQuerySet":
        """Filter to those whose deals are not saved: one of each game at most."""
        return self.exclude(state=GamePhoto.State.CONFIRMED)

    def awaiting_reading(self, at: datetime) -> "GamePhotoQuerySet":
        """Filter to those that nobody reads: just sent, or left by a worker that died."""
        # An attempt far ahead was before the clock was set back.
        lately = (at - READ_AGAIN_AFTER, at + READ_AGAIN_AFTER)
        untried = Q(tried_at=None) | ~Q(tried_at__range=lately)
        return self.filter(untried, state=GamePhoto.State.WAITING)

    def expired(self, at: datetime) -> "GamePhotoQuerySet":
        return self.current().filter(added_at__lt=at - PHOTOS_KEPT_FOR)


class GamePhoto(models.Model):
    """Photographs of the paper sheet of a game, what was read in them, and what a person confirmed.

    The pictures are deleted once they are read, and the straightened page once it is confirmed:
    then only figures are left.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        READ = "read"
        UNREADABLE = "unreadable"
        CONFIRMED = "confirmed"

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="photos")
    user = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="photos"
    )
    state = ChoiceField(State, max_length=10, default=State.WAITING)
    # A ZIP of the pictures as they were sent, and the page as JPEG. In the database, so that they
    # are gone with the transaction that no longer needs them.
    pictures = models.BinaryField(default=bytes)
    page = models.BinaryField(default=bytes)
    # As `PhotoReading`, without the page; null until the pictures are read.
    reading = models.JSONField(null=True, blank=True)
    # The rows as they were saved: contract and counts of each, and the totals on the paper.
    confirmed = models.JSONField(null=True, blank=True)
    # Why they cannot be read, as a code.
    reason = models.CharField(max_length=20, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    added_at = models.DateTimeField()
    tried_at = models.DateTimeField(null=True, blank=True)

    objects = GamePhotoQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["game"], condition=~Q(state="confirmed"), name="game_photo_one_current"
            ),
            models.CheckConstraint(
                condition=~Q(state="confirmed") | Q(pictures=b"", page=b""),
                name="game_photo_confirmed_without_pictures",
            ),
        ]
