"""A club's events: evenings of rounds, each round with its tables."""

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q

from tournaments.models import addresses
from tournaments.models.addresses import new_public_id
from tournaments.models.clubs import DIRECTING, Club, Confirmations, Member, Season
from tournaments.models.people import User

MOST_WRONG_CODES = 8
"""So many wrong codes close a table's door until a director replaces its address.

Four digits are guessed with them once in 1,250 times, by who has the table's card already.
"""

CODE_LENGTH = 4


class EventQuerySet(models.QuerySet["Event"]):
    """Who may see and direct an event."""

    def seen_by(self, user: User | AnonymousUser | None) -> "EventQuerySet":
        """Those of the visitor's clubs, and published ones; drafts only where they direct."""
        # Asked for by every page of a tournament: straight from the memberships it is put
        # together in two thirds of the time.
        own = Member.objects.of_user(user).values("club")
        directed = Member.objects.of_user(user, DIRECTING).values("club")
        return self.filter(
            Q(published=True) | Q(club__in=own),
            ~Q(tournament__state="draft") | Q(club__in=directed),
        )

    def for_members(self) -> "EventQuerySet":
        """Those that every member of their clubs may see: no drafts."""
        return self.filter(~Q(tournament__state="draft"))

    def directed_by(self, user: User | AnonymousUser | None) -> "EventQuerySet":
        """Those of the clubs that someone directs."""
        return self.filter(club__in=Club.objects.directed_by(user))


class Event(models.Model):
    """An evening of a club: what is played as a rule, and how its tables are written."""

    club = models.ForeignKey(Club, on_delete=models.PROTECT, related_name="events")
    season = models.ForeignKey(
        Season, null=True, blank=True, on_delete=models.PROTECT, related_name="events"
    )
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    name = models.CharField(max_length=80)
    held_on = models.DateField()
    # What a new table is offered first; each can play something else.
    ruleset = models.CharField(max_length=40)
    options = models.JSONField(default=dict, blank=True)
    published = models.BooleanField(default=False)
    table_codes = models.BooleanField(default=False)
    confirmations = models.CharField(
        max_length=4, choices=Confirmations, default=Confirmations.NONE
    )
    created_at = models.DateTimeField()
    # Null rather than empty: evenings made without a key are no repeats of each other.
    start_key = models.CharField(max_length=64, null=True, blank=True, editable=False)  # noqa: DJ001

    objects = EventQuerySet.as_manager()

    class Meta:
        ordering = ["-held_on", "-pk"]
        indexes = [models.Index(fields=["club", "-held_on", "-id"], name="event_of_club")]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="event_has_a_name"),
            models.CheckConstraint(
                condition=Q(confirmations__in=["none", "two", "all"]),
                name="event_confirmations_known",
            ),
            models.UniqueConstraint(fields=["start_key"], name="event_one_per_start_key"),
        ]

    def __str__(self) -> str:
        return self.name


class Round(models.Model):
    """A round of an event, numbered from 1; its tables are written while it is open.

    That of a tournament is seated first (`seating`: keys of entrants at tables and out), then
    published, which lays its tables, and only then opened. An evening's is opened at once.
    """

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    # Of a final: which one, as `semi-final`.
    stage = models.CharField(max_length=14, blank=True)
    seating = models.JSONField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    # The clock, in seconds: what it began with (null: no time is kept), what ran before it was
    # last stopped, and since when it runs.
    clock_seconds = models.PositiveIntegerField(null=True, blank=True)
    clock_used = models.PositiveIntegerField(default=0)
    clock_started_at = models.DateTimeField(null=True, blank=True)
    # The standings as they were when it was closed, for telling what a correction has changed.
    standings = models.JSONField(null=True, blank=True)

    class Meta:
        ordering = ["number"]
        indexes = [
            # Ratings go through rounds in the order in which they were closed.
            models.Index(
                fields=["closed_at", "id"],
                condition=Q(closed_at__isnull=False),
                name="round_closed",
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["event", "number"], name="round_one_per_number"),
            models.CheckConstraint(condition=Q(number__gte=1), name="round_number_from_one"),
            models.CheckConstraint(
                condition=Q(closed_at=None) | Q(opened_at__isnull=False),
                name="round_opened_before_closed",
            ),
            models.CheckConstraint(
                # An evening's is never seated.
                condition=Q(opened_at=None) | Q(seating=None) | Q(published_at__isnull=False),
                name="round_published_before_opened",
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.number} of event {self.event_id}"

    @property
    def is_open(self) -> bool:
        """Whether its tables are written by their phones."""
        return self.opened_at is not None and self.closed_at is None

    @property
    def state(self) -> str:
        """How far it has come: `seated`, `published`, `open` or `closed`."""
        if self.closed_at is not None:
            return "closed"
        if self.opened_at is not None:
            return "open"
        return "seated" if self.published_at is None else "published"


class TableQuerySet(models.QuerySet["Table"]):
    """Who may sit down at a table."""

    def found_at(self, public_id: str, secret: str) -> "TableQuerySet":
        """The table on whose card this address is printed, whether its round is open or not."""
        return addresses.found_at(self, "table", public_id, secret)


class Table(models.Model):
    """A table of a round: the address on its card leads to the sheet of its game.

    Raising the generation makes every card printed before worthless, and its code too.
    """

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="tables")
    number = models.PositiveSmallIntegerField()
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    generation = models.PositiveIntegerField(default=1)
    wrong_codes = models.PositiveSmallIntegerField(default=0)
    # Since when somebody at it waits for a director.
    called_at = models.DateTimeField(null=True, blank=True)
    # What it has been given beyond the clock of its round.
    extra_seconds = models.PositiveIntegerField(default=0)

    objects = TableQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["round", "number"], name="table_one_per_number"),
            models.CheckConstraint(
                condition=Q(number__gte=1) & Q(generation__gte=1), name="table_numbers_from_one"
            ),
        ]

    def __str__(self) -> str:
        return f"table {self.number} of round {self.round_id}"

    @property
    def secret(self) -> str:
        """The secret part of its address."""
        return addresses.derive("table", self.public_id, self.generation)

    @property
    def code(self) -> str:
        """The four digits that whoever comes in by its address is asked for."""
        return addresses.derive_code(
            "table-code", self.public_id, self.generation, "0123456789", CODE_LENGTH
        )
