"""Tournaments: events with entrants, whose rounds the program seats."""

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tournaments.engine.rules.rulesets import LONGEST_NAME, LONGEST_REASON, LONGEST_TOURNAMENT_SLUG
from tournaments.models import fields
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Round, Table
from tournaments.models.fields import ChoiceField, new_public_id
from tournaments.models.people import Player, User


class TournamentQuerySet(models.QuerySet["Tournament"]):
    def seen_by(self, user: User | AnonymousUser | None) -> "TournamentQuerySet":
        """Filter to the tournaments whose event the visitor may see; drafts only for directors."""
        return self.filter(event__in=Event.objects.seen_by(user))

    def counted(self) -> "TournamentQuerySet":
        return self.filter(cancelled_at=None)

    def directed_by(self, user: User | AnonymousUser | None) -> "TournamentQuerySet":
        return self.filter(event__club__in=Club.objects.directed_by(user))

    def found_at(self, kind: str, public_id: str, secret: str) -> "TournamentQuerySet":
        """Filter to the tournament of an address of a kind: `register` or `check-in`.

        Those of a cancelled tournament lead nowhere.
        """
        return fields.found_at(self.counted(), kind, public_id, secret, "link_generation")


class Tournament(models.Model):
    """The tournament data of an event: state, own copy of the rules, settings.

    `settings` is a document that `engine.tournament_settings` reads. The event holds ruleset,
    options and confirmations. Every change except revisions of sheets raises `revision`.
    """

    class State(models.TextChoices):
        DRAFT = "draft", pgettext_lazy("state of a tournament", "draft")
        REGISTRATION = (
            "registration",
            pgettext_lazy("state of a tournament", "registration is open"),
        )
        RUNNING = "running", pgettext_lazy("state of a tournament", "running")
        FINISHED = "finished", pgettext_lazy("state of a tournament", "finished")

    event = models.OneToOneField(Event, on_delete=models.PROTECT, related_name="tournament")
    slug = models.SlugField(max_length=LONGEST_TOURNAMENT_SLUG, unique=True)
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    state = ChoiceField(State, default=State.DRAFT)
    # A copy of the house rules it plays; null for a built-in ruleset.
    document = models.JSONField(null=True, blank=True)
    settings = models.JSONField(default=dict, blank=True)
    seed = models.PositiveIntegerField(default=0)
    revision = models.PositiveIntegerField(default=0)
    # The players whom teams have named, by round and team: keys of entrants in order.
    line_ups = models.JSONField(default=dict, blank=True, editable=False)
    # A cancelled one is kept, but hidden from all but directors, and does not count.
    cancelled_at = models.DateTimeField(null=True, blank=True)
    # Raising it revokes the links to register and to check in.
    link_generation = models.PositiveIntegerField(default=1)
    # Of a finished one: the digest over those of its rounds.
    digest = models.CharField(max_length=64, blank=True, editable=False)

    objects = TournamentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(slug=""), name="tournament_has_a_slug"),
        ]

    def __str__(self) -> str:
        return self.slug

    def secret(self, kind: str) -> str:
        """Return the secret part of its address of a kind (`register`, `check-in`)."""
        return fields.derive(kind, self.public_id, self.link_generation)


class UnusedCardQuerySet(models.QuerySet["UnusedCard"]):
    def found_at(self, public_id: str, secret: str) -> "UnusedCardQuerySet":
        """Filter to the card with this address; none of a cancelled tournament."""
        counted = self.filter(tournament__cancelled_at=None)
        return fields.found_at(counted, "table", public_id, secret)


class UnusedCard(models.Model):
    """The card of a deleted table; it is valid again at a table laid anew in its place."""

    tournament = models.ForeignKey(
        Tournament, on_delete=models.CASCADE, related_name="unused_cards", db_index=False
    )
    round = models.PositiveSmallIntegerField()
    number = models.PositiveSmallIntegerField()
    # As those of `Table`.
    public_id = models.CharField(max_length=16)
    generation = models.PositiveIntegerField(default=1)
    wrong_codes = models.PositiveSmallIntegerField(default=0)

    objects = UnusedCardQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["public_id"], name="unused_card_one_per_public_id"),
            models.UniqueConstraint(
                fields=["tournament", "round", "number"], name="unused_card_one_per_place"
            ),
        ]


class EntrantQuerySet(models.QuerySet["Entrant"]):
    def playing(self) -> "EntrantQuerySet":
        return self.filter(withdrawn_at=None, waiting=False)

    def queued(self) -> "EntrantQuerySet":
        """Filter to the waiting list, in order of registration."""
        return self.filter(withdrawn_at=None, waiting=True).order_by("number")

    def competing(self) -> "EntrantQuerySet":
        """Filter to the entrants with a place in the standings: no house player, none who waits."""
        return self.filter(house=False, waiting=False)


class Entrant(models.Model):
    """An entrant of a tournament, a player or a pair; numbered from 1.

    A house player fills up a table, and its results count for nobody.
    """

    class Missed(models.TextChoices):
        """What the rounds are worth that somebody who comes late has missed."""

        AS_SET = "", _("as the tournament says")
        NOTHING = "nothing", _("nothing")
        HALF = "half", _("half of a bye")
        AVERAGE = "average", _("a bye")

    tournament = models.ForeignKey(
        Tournament, on_delete=models.PROTECT, related_name="entrants", db_index=False
    )
    number = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="entries")
    partner = models.ForeignKey(
        Player, null=True, blank=True, on_delete=models.PROTECT, related_name="entries_as_partner"
    )
    team = models.CharField(max_length=LONGEST_NAME, blank=True)
    # The section they play in, by its letter; another one, or none, stands for the last.
    section = models.CharField(max_length=1, blank=True)
    # The club they represent, for seating its entrants apart.
    represents = models.CharField(max_length=LONGEST_NAME, blank=True)
    # The number of the table that they wish to sit at, as one who cannot move.
    preferred_table = models.PositiveSmallIntegerField(null=True, blank=True)
    house = models.BooleanField(default=False)
    # Registered beyond the capacity, and not let in so far.
    waiting = models.BooleanField(default=False)
    # Whether they have paid the fee; only directors see it.
    paid = models.BooleanField(default=False)
    # What the rounds that they missed are worth, if not as the settings say.
    missed = ChoiceField(Missed, blank=True)
    # The first round that they can play.
    joins_in = models.PositiveSmallIntegerField(default=1)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    # The last round they have checked in for or were put into; 0 for none, or once they are gone.
    checked_in = models.PositiveSmallIntegerField(default=0)
    registered_at = models.DateTimeField()

    objects = EntrantQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="entrant_one_per_number"),
            models.UniqueConstraint(fields=["tournament", "player"], name="entrant_one_per_player"),
            models.UniqueConstraint(
                fields=["tournament", "partner"],
                condition=Q(partner__isnull=False),
                name="entrant_one_per_partner",
            ),
            models.CheckConstraint(
                condition=Q(partner=None) | ~Q(partner=F("player")), name="entrant_pair_of_two"
            ),
            models.CheckConstraint(
                condition=Q(number__gte=1) & Q(joins_in__gte=1), name="entrant_numbers_from_one"
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def key(self) -> str:
        """Return the key used in seatings, standings and records; it reveals no name."""
        return f"e{self.number}"

    @property
    def players(self) -> tuple[Player, ...]:
        return (self.player, self.partner) if self.partner else (self.player,)

    @property
    def is_playing(self) -> bool:
        return self.withdrawn_at is None and not self.waiting

    def come_in(self, number: int) -> None:
        """Count as here from round `number` on, without saving."""
        self.joins_in = min(self.joins_in, number)
        self.checked_in = max(self.checked_in, number)

    @property
    def shown_name(self) -> str:
        """Return the entrant's name as its players want it shown, or its number once removed."""
        names = " + ".join(player.shown_name for player in self.players if player.shown_name)
        return names or f"№ {self.number}"


class Sitting(models.Model):
    """The place of an entrant in a published round: a side of a table, or out (a bye)."""

    round = models.ForeignKey(
        Round, on_delete=models.CASCADE, related_name="sittings", db_index=False
    )
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="sittings")
    table = models.ForeignKey(
        Table,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="sittings",
        db_index=False,
    )
    side = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["side"]
        constraints = [
            models.UniqueConstraint(fields=["round", "entrant"], name="sitting_one_per_round"),
            models.UniqueConstraint(fields=["table", "side"], name="sitting_one_per_side"),
            models.CheckConstraint(
                condition=Q(table=None, side=None)
                | Q(table__isnull=False, side__isnull=False, side__lt=4),
                name="sitting_at_a_side_or_out",
            ),
        ]


class Substitute(models.Model):
    """A substitute who plays one round for an entrant; the result is the entrant's."""

    entrant = models.ForeignKey(
        Entrant, on_delete=models.CASCADE, related_name="substitutes", db_index=False
    )
    round_number = models.PositiveSmallIntegerField()
    instead_of = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="substitutions")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["entrant", "round_number", "instead_of"], name="substitute_one_per_round"
            ),
            models.CheckConstraint(
                condition=~Q(player=F("instead_of")), name="substitute_is_another"
            ),
            models.CheckConstraint(
                condition=Q(round_number__gte=1), name="substitute_round_from_one"
            ),
        ]


class Ruling(models.Model):
    """A director's ruling on an entrant's round; `points` is a whole number or p/q."""

    class Kind(models.TextChoices):
        PENALTY = "penalty", _("Penalty")
        ADJUSTED = "adjusted", _("Adjusted score")
        FORFEIT = "forfeit", _("Forfeit")
        ABSENT = "absent", _("Absent")
        BYE = "bye", _("As a bye")

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="rulings")
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="rulings")
    kind = ChoiceField(Kind)
    points = models.JSONField(default=int)
    reason = models.CharField(max_length=LONGEST_REASON)
    at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="ruling_has_a_reason"),
            # Penalties add up; of the other kinds only one is in force.
            models.UniqueConstraint(
                fields=["round", "entrant"],
                condition=Q(withdrawn_at=None) & ~Q(kind="penalty"),
                name="ruling_one_result",
            ),
        ]
