"""Clubs, their members, and their house rules."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tournaments.engine.rules.rulesets import LONGEST_ID, LONGEST_NAME, LONGEST_ZONE
from tournaments.engine.standings.tournament_settings import POINTS
from tournaments.models import fields
from tournaments.models.fields import ChoiceField, new_public_id
from tournaments.models.people import User


class Role(models.TextChoices):
    """The role of an account in a club; each role includes the rights of those after it."""

    OWNER = "owner", pgettext_lazy("of a club", "owner")
    DIRECTOR = "director", pgettext_lazy("of a club", "director")
    MEMBER = "member", pgettext_lazy("of a club", "member")


DIRECTING = (Role.OWNER, Role.DIRECTOR)


class Confirmations(models.TextChoices):
    """How many players of a table have to confirm its final result."""

    NONE = "none", _("nobody")
    TWO = "two", _("any two players of the table")
    ALL = "all", _("all players of the table")


class Paper(models.TextChoices):
    """Paper sizes of printed documents; the values are those of typst."""

    A4 = "a4", _("A4")
    LETTER = "us-letter", _("US Letter")


class ClubQuerySet(models.QuerySet["Club"]):
    def of_member(
        self, user: User | AnonymousUser | None, roles: tuple[Role, ...] = tuple(Role)
    ) -> "ClubQuerySet":
        return self.filter(pk__in=Member.objects.of_user(user, roles).values("club"))

    def directed_by(self, user: User | AnonymousUser | None) -> "ClubQuerySet":
        return self.of_member(user, DIRECTING)

    def owned_by(self, user: User | AnonymousUser | None) -> "ClubQuerySet":
        return self.of_member(user, (Role.OWNER,))

    def seen_by(self, user: User | AnonymousUser | None) -> "ClubQuerySet":
        """Filter to the clubs whose page a visitor may see: their own and published ones."""
        return self.filter(Q(published=True) | Q(pk__in=self.of_member(user).values("pk")))

    def showing_ratings_to(self, user: User | AnonymousUser | None) -> "ClubQuerySet":
        """Filter to the clubs whose ratings a visitor may see.

        They are the visitor's own clubs, and published clubs in the server's ratings, where names
        are public anyway.
        """
        own = self.of_member(user).values("pk")
        return self.filter(Q(pk__in=own) | Q(published=True, in_server_ratings=True))


class Club(models.Model):
    """A club. It owns everything about its evenings; only members see an unpublished club."""

    slug = models.SlugField(max_length=LONGEST_ID, unique=True)
    name = models.CharField(max_length=LONGEST_NAME)
    published = models.BooleanField(default=False)
    # Default for new events; each event can override it.
    table_codes = models.BooleanField(default=False)
    confirmations = ChoiceField(Confirmations, default=Confirmations.NONE)
    # Tournament games are always rated; games of evenings only if this is set.
    rates_evenings = models.BooleanField(default=False)
    # Whether its games count in the public ratings of the whole server.
    in_server_ratings = models.BooleanField(default=False)
    # Always our own re-encoded picture, never the uploaded file.
    logo = models.FileField(upload_to="logos/", blank=True)
    paper = ChoiceField(Paper, default=Paper.A4)
    # Empty is that of the server.
    time_zone = models.CharField(max_length=LONGEST_ZONE, blank=True, default="")
    # First day of the last month mailed to the directors.
    month_mailed = models.DateField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField()

    objects = ClubQuerySet.as_manager()

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(slug=""), name="club_has_a_slug"),
            models.CheckConstraint(condition=~Q(name=""), name="club_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone or settings.TIME_ZONE)

    @property
    def shows_names(self) -> bool:
        """Return whether everybody may see the names of its players, and their ratings."""
        return self.published and self.in_server_ratings


class MemberQuerySet(models.QuerySet["Member"]):
    def of_user(
        self, user: User | AnonymousUser | None, roles: tuple[Role, ...] = tuple(Role)
    ) -> "MemberQuerySet":
        """Filter to the memberships of a user in one of `roles`; none for an anonymous visitor."""
        if user is None or not user.is_authenticated:
            return self.none()
        return self.filter(user=user, role__in=roles)


class Member(models.Model):
    """An account's membership of a club. Services make sure that a club always has an owner."""

    club = models.ForeignKey(Club, on_delete=models.PROTECT, related_name="members", db_index=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = ChoiceField(Role, default=Role.MEMBER)
    # Whether they want the monthly e-mail of the club while they direct it.
    month_by_mail = models.BooleanField(default=True)
    joined_at = models.DateTimeField()

    objects = MemberQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["club", "user"], name="member_once_in_a_club"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.club}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def standing(self, at: datetime) -> "InvitationQuerySet":
        """Filter to invitations that are not withdrawn, expired or used up."""
        return self.filter(
            Q(most_uses=None) | Q(uses__lt=F("most_uses")), withdrawn_at=None, expires_at__gt=at
        )

    def managed_by(self, user: User | AnonymousUser | None) -> "InvitationQuerySet":
        """Filter to the invitations whose links the user may see and withdraw.

        Owners manage all of their clubs' invitations, directors those for members. Nobody sees a
        link to a role above their own.
        """
        return self.filter(
            Q(club__in=Club.objects.owned_by(user))
            | Q(club__in=Club.objects.directed_by(user), role=Role.MEMBER)
        )

    def found_at(self, public_id: str, secret: str) -> "InvitationQuerySet":
        return fields.found_at(self, "invitation", public_id, secret)


class Invitation(models.Model):
    """A link that gives a signed-in account a role in a club."""

    club = models.ForeignKey(Club, on_delete=models.PROTECT, related_name="invitations")
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    generation = models.PositiveIntegerField(default=1)
    role = ChoiceField(Role, default=Role.MEMBER)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    # Null for no limit, for example for a link in the club's own chat.
    most_uses = models.PositiveIntegerField(null=True, blank=True)
    uses = models.PositiveIntegerField(default=0)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                # Explicit, because a comparison with NULL is not false.
                condition=Q(role="member") | Q(most_uses__isnull=False, most_uses=1),
                name="invitation_of_staff_once",
            ),
            models.CheckConstraint(
                condition=Q(most_uses=None) | Q(uses__lte=F("most_uses")),
                name="invitation_not_overused",
            ),
        ]

    @property
    def secret(self) -> str:
        return fields.derive("invitation", self.public_id, self.generation)


class LeaguePoints(models.TextChoices):
    """What the league of a season adds up: points of its tournaments, or of places of evenings.

    The former are the `POINTS` of tournament settings; empty for those of the tournaments in it.
    """

    OF_TOURNAMENTS = "", _("what its tournaments count")
    GAME, PLACES, OUT, PAIR_DIFFERENCE = ((worth, _(label)) for worth, label in POINTS.items())
    EVENING = "evening", _("places of the evening")


class Season(models.Model):
    """A named period that groups evenings; the last day is included."""

    club = models.ForeignKey(Club, on_delete=models.PROTECT, related_name="seasons", db_index=False)
    name = models.CharField(max_length=LONGEST_NAME)
    starts_on = models.DateField()
    ends_on = models.DateField()
    # Number of an entrant's best tournaments that count in the league; null for all.
    league_best = models.PositiveSmallIntegerField(null=True, blank=True)
    league_points = ChoiceField(LeaguePoints, default=LeaguePoints.OF_TOURNAMENTS, blank=True)

    class Meta:
        ordering = ["-starts_on", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["club", "name"], name="season_one_per_name"),
            models.CheckConstraint(condition=~Q(name=""), name="season_has_a_name"),
            models.CheckConstraint(
                condition=Q(ends_on__gte=F("starts_on")), name="season_ends_after_it_starts"
            ),
            models.CheckConstraint(
                condition=Q(league_best=None) | Q(league_best__gte=1),
                name="season_counts_one_or_more",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class HouseRulesetQuerySet(models.QuerySet["HouseRuleset"]):
    def offered_to(self, user: User | AnonymousUser | None) -> "HouseRulesetQuerySet":
        return self.filter(Q(club=None) | Q(club__in=Club.objects.of_member(user)))

    def played_in(self, club: Club) -> "HouseRulesetQuerySet":
        return self.filter(Q(club=None) | Q(club=club))


class HouseRuleset(models.Model):
    """A ruleset as a `kingscore-ruleset/1` document; games that have begun keep their own copy."""

    # Null for the server's rules, which staff maintain and everybody may play.
    club = models.ForeignKey(
        Club, null=True, blank=True, on_delete=models.PROTECT, related_name="rulesets"
    )
    slug = models.SlugField(max_length=LONGEST_ID, unique=True)
    name = models.CharField(max_length=LONGEST_NAME)
    document = models.JSONField()
    revision = models.PositiveIntegerField(default=1)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="rulesets"
    )
    changed_at = models.DateTimeField()

    objects = HouseRulesetQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]
        constraints = [
            models.CheckConstraint(condition=~Q(slug=""), name="house_ruleset_has_a_slug"),
            models.CheckConstraint(condition=~Q(name=""), name="house_ruleset_has_a_name"),
            models.CheckConstraint(
                condition=Q(revision__gte=1), name="house_ruleset_revision_from_one"
            ),
        ]

    def __str__(self) -> str:
        return self.name
