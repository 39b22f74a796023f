"""Documents that are asked for, and mails with them."""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tournaments.models import fields
from tournaments.models.clubs import Club, Paper
from tournaments.models.events import Event
from tournaments.models.fields import ChoiceField
from tournaments.models.games import Game
from tournaments.models.people import Player, User

GIVEN_UP_AFTER = timedelta(seconds=30)
"""A report without a heartbeat for this long was lost with its worker.

A builder reports its progress every few seconds. Two workers at one report would still finish it
once.
"""

MOST_ATTEMPTS = 3

KEPT_FOR = timedelta(days=7)
"""Time for which a document can be fetched; later it is built anew from current data."""

LAYOUT = 6
"""Raise it when a document changes its layout or texts, so that older files are built anew."""

BLANK = "{}"
"""Placeholder in stored addresses for the secret, which is derived and never stored."""


WHOLE_WHEN_ASKED = ("scoresheet", "empty-sheet", "photo-sheet", "picture")
"""Kinds whose content is known at the request; all others are read when they are built."""


class ReportQuerySet(models.QuerySet["Report"]):
    def awaiting_build(self, at: datetime) -> "ReportQuerySet":
        """Filter to reports that nobody is building: waiting, or abandoned by a dead worker."""
        # A heartbeat far ahead was before the clock was set back.
        lately = (at - GIVEN_UP_AFTER, at + GIVEN_UP_AFTER)
        return self.filter(
            Q(state=Report.State.WAITING)
            | Q(state=Report.State.BUILDING) & ~Q(touched_at__range=lately)
        )

    def unexpired(self, at: datetime) -> "ReportQuerySet":
        return self.filter(expires_at__gte=at)

    def expired(self, at: datetime) -> "ReportQuerySet":
        return self.filter(expires_at__lt=at)

    def readable_by(self, user: User | AnonymousUser | None) -> "ReportQuerySet":
        """Filter to the reports that a visitor who knows their address may read now."""
        audience = Report.Audience
        return self.filter(
            Q(audience=audience.ADDRESS)
            | Q(audience=audience.DIRECTORS, club__in=Club.objects.directed_by(user))
            | Q(audience=audience.MEMBERS, club__in=Club.objects.of_member(user))
            | Q(audience=audience.VISITORS, event__in=Event.objects.seen_by(user))
        )


class Report(models.Model):
    """One document in one language; `content_key` identifies its content, so it is built once."""

    class Kind(models.TextChoices):
        SCORESHEET = "scoresheet", _("Scoresheet")
        EMPTY_SHEET = "empty-sheet", _("Empty sheet")
        PHOTO_SHEET = "photo-sheet", _("Sheet to photograph")
        PHOTO_SHEETS = "photo-sheets", _("Sheets to photograph")
        EVENING = "evening", _("The evening")
        SHEETS = "sheets", _("All scoresheets")
        TABLE_CARDS = "table-cards", _("Table cards")
        NAME_BADGES = "name-badges", _("Name badges")
        ROUND_PAPERS = "round-papers", _("Everything for the round")
        SEATING_BY_TABLE = "seating-by-table", _("Seating by table")
        SEATING_BY_NAME = "seating-by-name", _("Seating by name")
        STANDINGS = "standings", _("Standings")
        CROSS_TABLE = "cross-table", _("Cross-table")
        BOOKLET = "booklet", _("Booklet of the tournament")
        CERTIFICATES = "certificates", _("Certificates")
        PLAYER_SEASON = "player-season", _("A player’s season")
        CLUB_MONTH = "club-month", _("The club’s month")
        LEAGUE = "league", _("League")
        PICTURE = "picture", _("Picture of the result")

    class Format(models.TextChoices):
        PDF = "pdf"
        XLSX = "xlsx"
        CSV = "csv"
        JSON = "json"
        PNG = "png"

    class Audience(models.TextChoices):
        """The audience among those who know its address."""

        ADDRESS = "address"
        VISITORS = "visitors"
        MEMBERS = "members"
        DIRECTORS = "directors"

    class State(models.TextChoices):
        WAITING = "waiting", _("being made")
        BUILDING = "building", _("being made")
        DONE = "done", _("ready")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    class Step(models.IntegerChoices):
        """The current step of the build; all steps before it are done."""

        READING = 0
        SETTING = 1
        KEEPING = 2

    kind = models.CharField(max_length=20, choices=Kind)
    format = ChoiceField(Format, default=Format.PDF)
    paper = ChoiceField(Paper, default=Paper.A4)
    language = models.CharField(max_length=8)
    # The subject; a report on an event or a player also names the club.
    game = models.ForeignKey(Game, null=True, on_delete=models.CASCADE, related_name="reports")
    club = models.ForeignKey(Club, null=True, on_delete=models.CASCADE, related_name="reports")
    event = models.ForeignKey(Event, null=True, on_delete=models.CASCADE, related_name="reports")
    player = models.ForeignKey(Player, null=True, on_delete=models.CASCADE, related_name="reports")
    parameters = models.JSONField(default=dict)
    audience = models.CharField(max_length=9, choices=Audience, default=Audience.ADDRESS)
    asked_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="reports"
    )
    # Set on request, or once the content is read; unique for each content.
    content_key = models.CharField(max_length=64, unique=True, null=True)  # noqa: DJ001
    # Another report with the same content is being built; this one gets its file.
    same_as = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="twins"
    )
    state = ChoiceField(State, max_length=10, default=State.WAITING)
    step = models.PositiveSmallIntegerField(default=Step.READING)
    # Items of the current step that are done; 0 of 0 if they are not counted.
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    # Random id of the current builder; a builder given up for lost finds it changed.
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
                condition=~Q(state="done") | ~Q(file=""), name="report_done_has_file"
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
        """Return the absolute address for following the game of a scoresheet."""
        if self.game is None:
            return ""
        secret = fields.derive("follow", self.game.public_id, self.parameters["follow_generation"])
        url: str = self.parameters["follow_url"]
        return url.replace(BLANK, secret)

    @property
    def is_going(self) -> bool:
        return self.state in (Report.State.WAITING, Report.State.BUILDING)


AGAIN_AFTER = timedelta(minutes=4)
"""Time between two tries, whether the mail server refused or the worker died."""

KEPT_TRYING = timedelta(days=3)
"""An e-mail that no server has accepted for this long is given up."""


class EmailQuerySet(models.QuerySet["Email"]):
    def awaiting_sending(self, at: datetime) -> "EmailQuerySet":
        """Filter to unsent e-mails that nobody is sending now and that were not given up.

        An e-mail with a document waits until the document is built.
        """
        return self.filter(
            # A try far ahead of the clock was made before the clock was set back.
            Q(tried_at=None) | ~Q(tried_at__range=(at - AGAIN_AFTER, at + AGAIN_AFTER)),
            Q(carries=False) | Q(report__state="done"),
            Q(expires_at=None) | Q(expires_at__gt=at),
            sent_at=None,
            written_at__gt=at - KEPT_TRYING,
        )

    def failing(self, at: datetime) -> "EmailQuerySet":
        """Filter to e-mails that no server has accepted so far and that were not given up."""
        helps = Q(expires_at=None) | Q(expires_at__gt=at)
        return self.filter(helps, sent_at=None, tries__gt=0, written_at__gt=at - KEPT_TRYING)


class Email(models.Model):
    """An e-mail to an account, sent to its address at the time of sending."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="emails", db_index=False
    )
    # The subject key: an account gets one e-mail about each.
    about = models.CharField(max_length=60)
    subject = models.CharField(max_length=200)
    body = models.TextField()
    # Whether it has a document attached. A sent e-mail outlives its document.
    carries = models.BooleanField(default=False)
    report = models.ForeignKey(
        Report, null=True, blank=True, on_delete=models.SET_NULL, related_name="emails"
    )
    # Where the recipient ends mails of this kind with one tap; empty if only on the account page.
    unsubscribe = models.CharField(max_length=300, blank=True)
    written_at = models.DateTimeField()
    # Not sent later: it would no longer help.
    expires_at = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    tried_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)

    objects = EmailQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        # No constraint compares times: if the clock is set back, an e-mail is sent "before" it was
        # created. A failing constraint would then leave it marked unsent and send it again and
        # again.
        indexes = [
            models.Index(fields=["written_at"], condition=Q(sent_at=None), name="email_not_sent")
        ]
        constraints = [
            models.UniqueConstraint(fields=["user", "about"], name="email_once_about_a_thing"),
            models.CheckConstraint(
                condition=Q(report=None) | Q(carries=True), name="email_with_report_carries_it"
            ),
        ]


LOST, FULL = "lost", "full"
"""Failure reasons of reports whose workers were all killed, and of a full disk; other reasons are
errors, in one line.
"""
