"""Games at a table, and every write of their sheets."""

import hashlib

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q

from tournaments.models import addresses
from tournaments.models.addresses import new_public_id
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Table
from tournaments.models.matches import Match
from tournaments.models.people import Player, User

LONGEST_AUTHOR = 80
LONGEST_REASON = 200

AT_OPEN_ROUND = Q(table=None) | Q(
    table__round__opened_at__isnull=False, table__round__closed_at=None
)


def digest(key: str) -> str:
    """What a row keeps of a key that gives access: enough to know it, too little to use it."""
    return hashlib.sha256(key.encode()).hexdigest()


class GameQuerySet(models.QuerySet["Game"]):
    """Who may do what with a game, by the address they came with."""

    def writable_at(
        self, public_id: str, secret: str, user: User | AnonymousUser | None = None
    ) -> "GameQuerySet":
        """The game whose sheet whoever has this address may write.

        After its round was closed it is only for the club's directors.
        """
        games = self._at("write", public_id, secret)
        if user is None or not user.is_authenticated:
            return games.filter(AT_OPEN_ROUND)
        clubs = Club.objects.directed_by(user)
        return games.filter(AT_OPEN_ROUND | Q(table__round__event__club__in=clubs))

    def closed_at(self, public_id: str, secret: str) -> "GameQuerySet":
        """The game that whoever has this address could write until its round was closed."""
        games = self._at("write", public_id, secret)
        return games.filter(table__round__closed_at__isnull=False)

    def takeable_at(self, public_id: str, secret: str) -> "GameQuerySet":
        """The game whose pen whoever has this address may take, while its round is open."""
        return self._at("pen", public_id, secret).filter(AT_OPEN_ROUND)

    def readable_at(self, public_id: str, secret: str) -> "GameQuerySet":
        """The game that whoever has this address may follow."""
        return self._at("follow", public_id, secret)

    def once_writable_at(self, public_id: str, secret: str) -> "GameQuerySet":
        """The game whose pen has been taken from this address since."""
        row = self.named(public_id).first()
        if row is None:
            return self.none()
        earlier = range(max(1, row.write_generation - 10), row.write_generation)
        once = any(addresses.matches(secret, "write", public_id, g) for g in earlier)
        return self.filter(pk=row.pk) if once else self.none()

    def ever_writable_at(self, public_id: str, secret: str) -> "GameQuerySet":
        """The game that whoever has this address may write, or could once."""
        games = self._at("write", public_id, secret)
        return self.once_writable_at(public_id, secret) if games.query.is_empty() else games

    def taken_with(self, public_id: str, key: str) -> "GameQuerySet":
        """The game whose pen was last taken by whoever has this key."""
        return self.named(public_id).filter(taken_with=digest(key))

    def named(self, public_id: str) -> "GameQuerySet":
        """The game with this name in its addresses."""
        return addresses.named(self, public_id)

    def seen_by(self, user: User | AnonymousUser | None) -> "GameQuerySet":
        """The games of clubs that a visitor may look at without the address of their table."""
        return self.filter(table__round__event__in=Event.objects.seen_by(user))

    def directed_by(self, user: User | AnonymousUser | None) -> "GameQuerySet":
        """The games of clubs that someone directs."""
        return self.filter(table__round__event__club__in=Club.objects.directed_by(user))

    def _at(self, kind: str, public_id: str, secret: str) -> "GameQuerySet":
        return addresses.found_at(self, kind, public_id, secret, Game.generation_field(kind))


class Game(models.Model):
    """One game at one table: its head; the entries are in its writes."""

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    ruleset = models.CharField(max_length=40)
    # The house rules the game began with; null where it plays a ruleset of the program.
    document = models.JSONField(null=True, blank=True)
    options = models.JSONField(default=dict, blank=True)
    players = models.JSONField()
    first_declarer = models.PositiveSmallIntegerField(default=0)
    title = models.CharField(max_length=80, blank=True)
    place = models.CharField(max_length=80, blank=True)
    played_at = models.DateTimeField()
    revision = models.PositiveIntegerField(default=0)
    write_generation = models.PositiveIntegerField(default=1)
    follow_generation = models.PositiveIntegerField(default=1)
    # Null, not "": any number of games were started without a key.
    start_key = models.CharField(max_length=64, null=True, blank=True, editable=False)  # noqa: DJ001

    taken_with = models.CharField(max_length=64, blank=True, editable=False)
    # When another phone last took over.
    taken_at = models.DateTimeField(null=True, blank=True, editable=False)
    # What a finished game came to, as `sheets.result_of` has it; null while it goes on. It is
    # the fold of the writes, kept for what adds up many games, and can be thrown away.
    result = models.JSONField(null=True, blank=True, editable=False)

    # The match whose game of this number, from 1, it is; most games are of none.
    match = models.ForeignKey(
        Match, null=True, blank=True, on_delete=models.PROTECT, related_name="games"
    )
    match_number = models.PositiveSmallIntegerField(null=True, blank=True)

    # The game of an open table of which it is the rematch.
    rematch_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="rematches"
    )

    # The table of a club's event at which it is played; an open table belongs to nobody.
    table = models.ForeignKey(
        Table, null=True, blank=True, on_delete=models.PROTECT, related_name="games"
    )

    objects = GameQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(write_generation__gte=1) & Q(follow_generation__gte=1),
                name="game_generations_from_one",
            ),
            models.CheckConstraint(
                condition=Q(first_declarer__lt=4), name="game_first_declarer_is_a_seat"
            ),
            models.UniqueConstraint(fields=["start_key"], name="game_one_per_start_key"),
            models.UniqueConstraint(fields=["match", "match_number"], name="game_one_per_number"),
            models.UniqueConstraint(fields=["rematch_of"], name="game_one_rematch"),
            models.CheckConstraint(
                condition=Q(match__isnull=True, match_number__isnull=True)
                # Spoken out, for a comparison with NULL is not false.
                | Q(match__isnull=False, match_number__isnull=False, match_number__gte=1),
                name="game_number_in_its_match",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.ruleset} {self.public_id}"

    @staticmethod
    def generation_field(kind: str) -> str:
        """The field that revokes addresses of a kind; pen and write go together."""
        return "follow_generation" if kind == "follow" else "write_generation"

    def generation(self, kind: str) -> int:
        """The generation that addresses of a kind have now."""
        value: int = getattr(self, self.generation_field(kind))
        return value

    def secret(self, kind: str) -> str:
        """The secret part of this game's address of a kind (`write`, `pen`, `follow`)."""
        return addresses.derive(kind, self.public_id, self.generation(kind))


class Seat(models.Model):
    """Which player of the club sat at a seat, from 0, of a game.

    The names in the game's head are how its players wish to be shown.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="seats")

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["game", "number"], name="seat_one_player"),
            models.UniqueConstraint(fields=["player", "game"], name="seat_one_per_player"),
            models.CheckConstraint(condition=Q(number__lt=4), name="seat_number_is_a_seat"),
        ]

    def __str__(self) -> str:
        return f"seat {self.number} of game {self.game_id}"


class Confirmation(models.Model):
    """A player says that a finished sheet is right as it stood at a revision."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="confirmations")
    seat = models.PositiveSmallIntegerField()
    revision = models.PositiveIntegerField()
    # Null where it was said on the phone of the table.
    user = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="confirmations"
    )
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["game", "revision", "seat"], name="confirmation_one_per_seat"
            ),
            models.CheckConstraint(condition=Q(seat__lt=4), name="confirmation_seat_is_a_seat"),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat} of game {self.game_id} at revision {self.revision}"


class Write(models.Model):
    """One write at a table: an entry, a new version of one, its withdrawal, or a new head.

    Rows are only ever added. The sheet is, for each position, the body with the highest
    revision; a body of None is an entry withdrawn. A completion takes the place of a deal
    that was begun, a reveal that of a sealed one.
    """

    class Kind(models.TextChoices):
        """What was done."""

        ENTRY = "entry"
        COMPLETION = "completion"
        REVEAL = "reveal"
        CORRECTION = "correction"
        WITHDRAWAL = "withdrawal"
        HEAD = "head"

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="writes")
    revision = models.PositiveIntegerField()
    key = models.CharField(max_length=64)
    kind = models.CharField(max_length=10, choices=Kind)
    position = models.PositiveSmallIntegerField(null=True)
    body = models.JSONField(null=True)
    # The head that a new one replaces: unlike entries it has no row of its own from the start.
    before = models.JSONField(null=True)
    # A name that came with the write: programs give one, phones do not.
    author = models.CharField(max_length=LONGEST_AUTHOR, blank=True)
    # The account that was signed in, and the phone: a digest that only this game has of it.
    user = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="writes"
    )
    phone = models.CharField(max_length=64, blank=True, editable=False)
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["revision"]
        constraints = [
            models.UniqueConstraint(fields=["game", "revision"], name="write_one_per_revision"),
            models.UniqueConstraint(fields=["game", "key"], name="write_one_per_key"),
            models.CheckConstraint(
                condition=Q(
                    kind__in=["entry", "completion", "reveal", "correction", "withdrawal", "head"]
                ),
                name="write_kind_known",
            ),
            models.CheckConstraint(
                condition=Q(kind="head", position__isnull=True)
                | (~Q(kind="head") & Q(position__isnull=False)),
                name="write_position_unless_head",
            ),
            models.CheckConstraint(
                condition=Q(kind="withdrawal", body__isnull=True)
                | (~Q(kind="withdrawal") & Q(body__isnull=False)),
                name="write_body_unless_withdrawal",
            ),
            models.CheckConstraint(condition=~Q(key=""), name="write_key_not_empty"),
            models.CheckConstraint(condition=Q(revision__gte=1), name="write_revision_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.revision} of game {self.game_id}"
