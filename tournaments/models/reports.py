"""Documents asked for, built in the background: the row is the queue."""

from datetime import datetime, timedelta

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q

from tournaments.models import addresses
from tournaments.models.clubs import Club, Paper
from tournaments.models.events import Event
from tournaments.models.people import Player, User
from tournaments.models.play import Game

GIVEN_UP_AFTER = timedelta(seconds=30)
"""A report without a sign of life for so long was lost with its worker.

Whoever builds says every few seconds how far it is; two workers at one report would still finish
it once.
"""

MOST_ATTEMPTS = 3

KEPT_FOR = timedelta(days=7)
"""So long a document can be fetched; afterwards it is made anew from the data as they are then."""

LAYOUT = 3
"""Raise it when a document changes its looks or words: what was built before is built anew."""

BLANK = "{}"
"""Stands in stored addresses for what gives access, which is derived and never stored."""


WHOLE_WHEN_ASKED = ("scoresheet", "empty-sheet")
"""Kinds whose whole content stands in their parameters; all others are read when they are built."""


def _lately(at: datetime) -> tuple[datetime, datetime]:
    """From when to when a sign of life is one: from far ahead, the clock was set back since."""
    return at - GIVEN_UP_AFTER, at + GIVEN_UP_AFTER


class ReportQuerySet(models.QuerySet["Report"]):
    """What is to be built, and who may have it."""

    def awaiting_build(self, at: datetime) -> "ReportQuerySet":
        """Reports nobody is building: waiting, or left behind by a worker that died."""
        return self.filter(
            Q(state=Report.State.WAITING)
            | Q(state=Report.State.BUILDING) & ~Q(touched_at__range=_lately(at))
        )

    def kept(self, at: datetime) -> "ReportQuerySet":
        """Reports whose time is not over."""
        return self.filter(expires_at__gte=at)

    def expired(self, at: datetime) -> "ReportQuerySet":
        """Reports whose time is over, whatever became of them."""
        return self.filter(expires_at__lt=at)

    def readable_by(self, user: User | AnonymousUser | None) -> "ReportQuerySet":
        """Those a visitor who knows their address may have, as things are now."""
        audience = Report.Audience
        return self.filter(
            Q(audience=audience.ADDRESS)
            | Q(audience=audience.DIRECTORS, club__in=Club.objects.directed_by(user))
            | Q(audience=audience.MEMBERS, club__in=Club.objects.of_member(user))
            | Q(audience=audience.VISITORS, event__in=Event.objects.seen_by(user))
        )


class Report(models.Model):
    """One document in one language; `content_key` says what went in, so it is built once."""

    class Kind(models.TextChoices):
        """The documents there are."""

        SCORESHEET = "scoresheet"
        EMPTY_SHEET = "empty-sheet"
        SHEETS = "sheets"
        TABLE_CARDS = "table-cards"
        NAME_BADGES = "name-badges"
        SEATING_BY_TABLE = "seating-by-table"
        SEATING_BY_NAME = "seating-by-name"
        STANDINGS = "standings"
        CROSS_TABLE = "cross-table"
        BOOKLET = "booklet"
        CERTIFICATES = "certificates"
        PLAYER_SEASON = "player-season"
        CLUB_MONTH = "club-month"

    class Format(models.TextChoices):
        """The kinds of files."""

        PDF = "pdf"
        XLSX = "xlsx"
        CSV = "csv"
        JSON = "json"

    class Audience(models.TextChoices):
        """Who may have it, beside knowing its address."""

        ADDRESS = "address"
        VISITORS = "visitors"
        MEMBERS = "members"
        DIRECTORS = "directors"

    class State(models.TextChoices):
        """How far it is."""

        WAITING = "waiting"
        BUILDING = "building"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    class Step(models.IntegerChoices):
        """What a building report is at; all steps before it are done."""

        READING = 0
        SETTING = 1
        KEEPING = 2

    kind = models.CharField(max_length=20, choices=Kind)
    format = models.CharField(max_length=4, choices=Format, default=Format.PDF)
    paper = models.CharField(max_length=9, choices=Paper, default=Paper.A4)
    language = models.CharField(max_length=8)
    # What it tells of; the club stands beside each of its events and players.
    game = models.ForeignKey(Game, null=True, on_delete=models.CASCADE, related_name="reports")
    club = models.ForeignKey(Club, null=True, on_delete=models.CASCADE, related_name="reports")
    event = models.ForeignKey(Event, null=True, on_delete=models.CASCADE, related_name="reports")
    player = models.ForeignKey(Player, null=True, on_delete=models.CASCADE, related_name="reports")
    parameters = models.JSONField(default=dict)
    audience = models.CharField(max_length=9, choices=Audience, default=Audience.ADDRESS)
    asked_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="reports"
    )
    # Known when it is asked for, or once it is read; one report holds each content.
    content_key = models.CharField(max_length=64, unique=True, null=True)  # noqa: DJ001
    # Another report that is being built has the same content: this one gets its file.
    same_as = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="twins"
    )
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    step = models.PositiveSmallIntegerField(default=Step.READING)
    # Of the things that the step goes through, one by one; 0 of 0 where they are not counted.
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    # Of whoever builds it now, by chance: who was given up for lost finds it changed.
    builder = models.CharField(max_length=32, blank=True, editable=False)
    file = models.FileField(upload_to="reports/", blank=True)
    error = models.CharField(max_length=200, blank=True)
    asked_at = models.DateTimeField()
    touched_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    objects = ReportQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "building", "done", "failed", "cancelled"]),
                name="report_state_known",
            ),
            models.CheckConstraint(
                condition=~Q(state="done") | ~Q(file=""), name="report_done_has_file"
            ),
            models.CheckConstraint(
                condition=Q(format__in=["pdf", "xlsx", "csv", "json"]),
                name="report_format_known",
            ),
            models.CheckConstraint(
                condition=Q(paper__in=["a4", "us-letter"]), name="report_paper_known"
            ),
            models.CheckConstraint(
                condition=Q(audience="address")
                | Q(audience="visitors", event__isnull=False, club__isnull=False)
                | Q(audience__in=["members", "directors"], club__isnull=False),
                name="report_audience_belongs_to_a_club",
            ),
            models.CheckConstraint(
                condition=Q(done__lte=models.F("total")), name="report_done_within_total"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "touched_at"], name="report_queue"),
            models.Index(fields=["expires_at"], name="report_expiry"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} ({self.state})"

    @property
    def follow_url(self) -> str:
        """The whole address at which the game of a scoresheet can be followed."""
        if self.game is None:
            return ""
        secret = addresses.derive(
            "follow", self.game.public_id, self.parameters["follow_generation"]
        )
        url: str = self.parameters["follow_url"]
        return url.replace(BLANK, secret)

    @property
    def is_going(self) -> bool:
        """Whether it is still to come."""
        return self.state in (Report.State.WAITING, Report.State.BUILDING)
