"""Events of a club: evenings and tournaments, each with rounds and tables."""

from datetime import UTC, date, datetime, time, timedelta
from math import ceil

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import ExpressionWrapper, Q
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce
from django.db.models.lookups import Exact

from tournaments.engine.documents.shapes import SHOWN
from tournaments.engine.rules.rulesets import LONGEST_ID, LONGEST_NAME, LONGEST_VENUE
from tournaments.engine.standings.standings import STAGES
from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.models import fields
from tournaments.models.clubs import DIRECTING, Club, Confirmations, Member, Season
from tournaments.models.fields import ChoiceField, new_public_id
from tournaments.models.people import User

MOST_WRONG_CODES = 8
"""Wrong codes after which a table's access link is locked until a director replaces it.

The chance to guess four digits with them is 1 in 1,250, for somebody who already has the card.
"""

CODE_LENGTH = 4


DRAFT = Q(tournament__state="draft")
CANCELLED = Q(tournament__cancelled_at__isnull=False)
HIDDEN = DRAFT | CANCELLED
"""Events in lists of directors only: drafts and cancelled tournaments."""


class EventQuerySet(models.QuerySet["Event"]):
    def seen_by(self, user: User | AnonymousUser | None) -> "EventQuerySet":
        """Filter to events of the visitor's clubs and published ones.

        Only directors see drafts, and only members what is cancelled.
        """
        # Every page of a tournament runs this. Filtering by memberships directly takes a third less
        # time to build.
        own = Member.objects.of_user(user).values("club")
        directed = Member.objects.of_user(user, DIRECTING).values("club")
        return self.filter(
            (Q(published=True) & ~CANCELLED) | Q(club__in=own),
            ~DRAFT | Q(club__in=directed),
        )

    def listed_for(self, user: User | AnonymousUser | None) -> "EventQuerySet":
        """Filter to the events that a visitor sees in lists; hidden ones for directors."""
        directed = Member.objects.of_user(user, DIRECTING).values("club")
        return self.seen_by(user).filter(~HIDDEN | Q(club__in=directed))

    def for_members(self) -> "EventQuerySet":
        return self.filter(~HIDDEN)

    def directed_by(self, user: User | AnonymousUser | None) -> "EventQuerySet":
        return self.filter(club__in=Club.objects.directed_by(user))


class Event(models.Model):
    """An evening of a club: its default ruleset and how its tables are scored."""

    club = models.ForeignKey(Club, on_delete=models.PROTECT, related_name="events", db_index=False)
    season = models.ForeignKey(
        Season, null=True, blank=True, on_delete=models.PROTECT, related_name="events"
    )
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    name = models.CharField(max_length=LONGEST_NAME)
    held_on = models.DateField()
    starts_at = models.CharField(max_length=5, blank=True)
    venue = models.CharField(max_length=LONGEST_VENUE, blank=True)
    # Default for a new table; each table can play something else.
    ruleset = models.CharField(max_length=LONGEST_ID)
    options = models.JSONField(default=dict, blank=True)
    published = models.BooleanField(default=False)
    table_codes = models.BooleanField(default=False)
    confirmations = ChoiceField(Confirmations, default=Confirmations.NONE)
    created_at = models.DateTimeField()
    # Null rather than empty: evenings created without a key are not repeats of each other.
    start_key = models.CharField(max_length=64, null=True, blank=True, editable=False)  # noqa: DJ001

    objects = EventQuerySet.as_manager()

    class Meta:
        ordering = ["-held_on", "-pk"]
        indexes = [
            models.Index(fields=["club", "-held_on", "-id"], name="event_of_club"),
            # The server's ratings process the rounds of all clubs in the order of their days.
            models.Index(fields=["held_on"], name="event_by_day"),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="event_has_a_name"),
            models.UniqueConstraint(fields=["start_key"], name="event_one_per_start_key"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_tournament(self) -> bool:
        return hasattr(self, "tournament")

    @property
    def begins(self) -> datetime | None:
        """Return when it starts, in the time zone of its club; None without an hour."""
        if not self.starts_at:
            return None
        return datetime.combine(self.held_on, time.fromisoformat(self.starts_at), self.club.zone)

    @property
    def details(self) -> list[str]:
        """Return the further facts that stand beside its day."""
        return [str(value) for name in SHOWN if (value := getattr(self, name))]


def moment_of_play(day: date, number: int) -> datetime:
    """Return the moment at which ratings take a round: its day at 10:00 UTC, and its number.

    At that hour it is the same day nearly everywhere on earth. The number counts as seconds, which
    orders the rounds of a day.
    """
    return datetime.combine(day, time(10, tzinfo=UTC)) + timedelta(seconds=number)


def _setting(name: str) -> Coalesce:
    """Return a number among the settings of a round's tournament, as a value of a query."""
    stored = KeyTextTransform(name, "event__tournament__settings")
    return Coalesce(Cast(stored, models.IntegerField()), getattr(TournamentSettings(), name))


HIDES_RESULTS = (
    Q(event__tournament__settings__hide_last=True)
    & ~Q(event__tournament__state="finished")
    & Q(published_at__isnull=False)
    & (
        # Its results say who plays on.
        Q(number=_setting("rounds"), closed_at=None)
        | (Q(number__gte=_setting("rounds")) & Q(Exact(_setting("finals"), 0)))
        | Q(stage=STAGES[0])
    )
)
"""The rounds of which only directors see the results: of a tournament with `hide_last` the last
round before the finals until it is closed, and the very last one until the tournament is finished.
"""


class RoundQuerySet(models.QuerySet["Round"]):
    def closed(self) -> "RoundQuerySet":
        return self.filter(closed_at__isnull=False)

    def in_order_of_play(self) -> "RoundQuerySet":
        """Order by `played_at`; equals, which are of several events, by their keys."""
        return self.order_by("event__held_on", "number", "pk")

    def played_since(self, moment: datetime) -> "RoundQuerySet":
        day, first = _day_and_number(moment)
        return self.filter(event__held_on__gte=day).exclude(event__held_on=day, number__lt=first)

    def played_before(self, moment: datetime) -> "RoundQuerySet":
        day, first = _day_and_number(moment)
        return self.filter(event__held_on__lte=day).exclude(event__held_on=day, number__gte=first)

    def hiding_results(self) -> "RoundQuerySet":
        return self.filter(HIDES_RESULTS)

    def hiding_results_from(self, user: User | AnonymousUser | None) -> "RoundQuerySet":
        """Filter to the rounds whose results are hidden from a visitor."""
        return self.hiding_results().exclude(event__club__in=Club.objects.directed_by(user))

    def with_hiding(self) -> "RoundQuerySet":
        """Add to each round as `hides_results` whether its results are hidden."""
        hides = ExpressionWrapper(HIDES_RESULTS, models.BooleanField())
        # The plugin of mypy would declare the field a second time.
        return self.annotate(hides_results=hides)  # type: ignore[no-redef]


def _day_and_number(moment: datetime) -> tuple[date, int]:
    day = moment.astimezone(UTC).date()
    return day, ceil((moment - moment_of_play(day, 0)).total_seconds())


class Round(models.Model):
    """A round of an event, numbered from 1; its tables are scored while it is open.

    A tournament's round is seated first (`seating`: keys of entrants at tables and out). Publishing
    it creates its tables, and then it is opened. An evening's round is opened at once.
    """

    event = models.ForeignKey(
        Event, on_delete=models.PROTECT, related_name="rounds", db_index=False
    )
    number = models.PositiveSmallIntegerField()
    # The stage of a final, such as `semi-final`.
    stage = models.CharField(max_length=14, blank=True)
    seating = models.JSONField(null=True, blank=True)
    # The digest of the results and settings that it was drawn from; empty if that is unknown.
    drawn_from = models.CharField(max_length=64, blank=True, default="", editable=False)
    published_at = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    # The clock, in seconds: its start value (null: no clock), the seconds run before it was last
    # stopped, and the time since which it runs.
    clock_seconds = models.PositiveIntegerField(null=True, blank=True)
    clock_used = models.PositiveIntegerField(default=0)
    clock_started_at = models.DateTimeField(null=True, blank=True)
    # The standings when the round was closed, to show what a correction changes.
    standings = models.JSONField(null=True, blank=True)
    # Of a tournament's closed round: its digest, and when it was stored.
    digest = models.CharField(max_length=64, blank=True, editable=False)
    sealed_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = RoundQuerySet.as_manager()

    # Only rows read by `with_hiding` have it.
    hides_results: bool

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["event", "number"], name="round_one_per_number"),
            models.CheckConstraint(condition=Q(number__gte=1), name="round_number_from_one"),
            models.CheckConstraint(
                condition=Q(closed_at=None) | Q(opened_at__isnull=False),
                name="round_opened_before_closed",
            ),
            models.CheckConstraint(
                # A round of an evening is never seated.
                condition=Q(opened_at=None) | Q(seating=None) | Q(published_at__isnull=False),
                name="round_published_before_opened",
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.number} of event {self.event_id}"

    @property
    def played_at(self) -> datetime:
        """Return the moment at which ratings take it, whenever it was opened and closed."""
        return moment_of_play(self.event.held_on, self.number)

    @property
    def is_open(self) -> bool:
        """Return whether the phones at its tables may score."""
        return self.opened_at is not None and self.closed_at is None

    @property
    def state(self) -> str:
        """Return the state: `seated`, `published`, `open` or `closed`."""
        if self.closed_at is not None:
            return "closed"
        if self.opened_at is not None:
            return "open"
        return "seated" if self.published_at is None else "published"


class Draw(models.Model):
    """What a round was drawn with, and what came out, so that anybody can draw it again.

    It is a row of its own because only exports read it. Its form is `DRAW` in `tournament_schema`.
    """

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="draw")
    document = models.JSONField()


class TableQuerySet(models.QuerySet["Table"]):
    def found_at(self, public_id: str, secret: str) -> "TableQuerySet":
        return fields.found_at(self, "table", public_id, secret)


class Table(models.Model):
    """A table of a round; the address on its card opens the sheet of its game.

    Raising the generation revokes every card printed before, and its code.
    """

    round = models.ForeignKey(
        Round, on_delete=models.PROTECT, related_name="tables", db_index=False
    )
    number = models.PositiveSmallIntegerField()
    public_id = models.CharField(max_length=16, default=new_public_id)
    generation = models.PositiveIntegerField(default=1)
    wrong_codes = models.PositiveSmallIntegerField(default=0)
    # Since when the table has been waiting for a director.
    called_at = models.DateTimeField(null=True, blank=True)
    # Extra time beyond the clock of its round.
    extra_seconds = models.PositiveIntegerField(default=0)

    objects = TableQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["public_id"], name="table_one_per_public_id"),
            models.UniqueConstraint(fields=["round", "number"], name="table_one_per_number"),
            models.CheckConstraint(
                condition=Q(number__gte=1) & Q(generation__gte=1), name="table_numbers_from_one"
            ),
        ]

    def __str__(self) -> str:
        return f"table {self.number} of round {self.round_id}"

    @property
    def secret(self) -> str:
        return fields.derive("table", self.public_id, self.generation)

    @property
    def code(self) -> str:
        """Return the four digits required from anybody who opens its address."""
        return fields.derive_code(
            "table-code", self.public_id, self.generation, "0123456789", CODE_LENGTH
        )
