"""Clubs, who belongs to them in which role, and their seasons."""

from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import F, Q

from tournaments.models import addresses
from tournaments.models.addresses import new_public_id
from tournaments.models.people import User


class Role(models.TextChoices):
    """What an account may do in a club; each may all that those after it may."""

    OWNER = "owner"
    DIRECTOR = "director"
    MEMBER = "member"


DIRECTING = (Role.OWNER, Role.DIRECTOR)


class Confirmations(models.TextChoices):
    """How many players of a table have to confirm its final result."""

    NONE = "none"
    TWO = "two"
    ALL = "all"


class Paper(models.TextChoices):
    """What documents are printed on; the values are those of typst."""

    A4 = "a4"
    LETTER = "us-letter"


class ClubQuerySet(models.QuerySet["Club"]):
    """Who may do what in a club."""

    def of_member(
        self, user: User | AnonymousUser | None, roles: tuple[Role, ...] = tuple(Role)
    ) -> "ClubQuerySet":
        """The clubs in which someone has one of `roles`; none for a visitor without account."""
        return self.filter(pk__in=Member.objects.of_user(user, roles).values("club"))

    def directed_by(self, user: User | AnonymousUser | None) -> "ClubQuerySet":
        """The clubs whose events, players and results someone may change."""
        return self.of_member(user, DIRECTING)

    def owned_by(self, user: User | AnonymousUser | None) -> "ClubQuerySet":
        """The clubs whose roles and settings someone may change."""
        return self.of_member(user, (Role.OWNER,))

    def seen_by(self, user: User | AnonymousUser | None) -> "ClubQuerySet":
        """The clubs whose page a visitor may see: their own, and published ones."""
        return self.filter(Q(published=True) | Q(pk__in=self.of_member(user).values("pk")))

    def showing_ratings_to(self, user: User | AnonymousUser | None) -> "ClubQuerySet":
        """The clubs whose ratings a visitor may see.

        Their own, and published ones that take part in those of the server: there names are
        public anyway.
        """
        own = self.of_member(user).values("pk")
        return self.filter(Q(pk__in=own) | Q(published=True, in_server_ratings=True))


class Club(models.Model):
    """A club: everything of its evenings belongs to it, and nobody else sees it unpublished."""

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=80)
    published = models.BooleanField(default=False)
    # How its events begin; each can say otherwise for itself.
    table_codes = models.BooleanField(default=False)
    confirmations = models.CharField(
        max_length=4, choices=Confirmations, default=Confirmations.NONE
    )
    # Games of tournaments are always rated; those of evenings where the club says so.
    rates_evenings = models.BooleanField(default=False)
    # Whether its games count in the ratings of the whole server, which everybody sees.
    in_server_ratings = models.BooleanField(default=False)
    # A picture as we drew it anew, never as it was sent.
    logo = models.FileField(upload_to="logos/", blank=True)
    paper = models.CharField(max_length=9, choices=Paper, default=Paper.A4)
    # The first day of the last month that was mailed to its directors.
    month_mailed = models.DateField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField()

    objects = ClubQuerySet.as_manager()

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(slug=""), name="club_has_a_slug"),
            models.CheckConstraint(condition=~Q(name=""), name="club_has_a_name"),
            models.CheckConstraint(
                condition=Q(confirmations__in=["none", "two", "all"]),
                name="club_confirmations_known",
            ),
            models.CheckConstraint(
                condition=Q(paper__in=["a4", "us-letter"]), name="club_paper_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class MemberQuerySet(models.QuerySet["Member"]):
    """Whose memberships there are."""

    def of_user(
        self, user: User | AnonymousUser | None, roles: tuple[Role, ...] = tuple(Role)
    ) -> "MemberQuerySet":
        """Those of an account in one of `roles`; none for a visitor without one."""
        if user is None or not user.is_authenticated:
            return self.none()
        return self.filter(user=user, role__in=roles)


class Member(models.Model):
    """An account in a club. A club always has an owner: its services see to that."""

    club = models.ForeignKey(Club, on_delete=models.PROTECT, related_name="members")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=8, choices=Role, default=Role.MEMBER)
    # Whether they want the club's month, while they direct it.
    month_by_mail = models.BooleanField(default=True)
    joined_at = models.DateTimeField()

    objects = MemberQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["club", "user"], name="member_once_in_a_club"),
            models.CheckConstraint(
                condition=Q(role__in=["owner", "director", "member"]), name="member_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.club}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    """Which invitations still invite."""

    def standing(self, at: datetime) -> "InvitationQuerySet":
        """Those neither withdrawn, nor expired, nor used up."""
        return self.filter(
            Q(most_uses=None) | Q(uses__lt=F("most_uses")), withdrawn_at=None, expires_at__gt=at
        )

    def managed_by(self, user: User | AnonymousUser | None) -> "InvitationQuerySet":
        """Those whose links someone may see and withdraw: nobody sees a link to more than they are.

        Owners manage all of their clubs, directors those for members.
        """
        return self.filter(
            Q(club__in=Club.objects.owned_by(user))
            | Q(club__in=Club.objects.directed_by(user), role=Role.MEMBER)
        )

    def found_at(self, public_id: str, secret: str) -> "InvitationQuerySet":
        """The invitation of an address, standing or not."""
        return addresses.found_at(self, "invitation", public_id, secret)


class Invitation(models.Model):
    """A link that makes whoever follows it, signed in, a member in a role."""

    club = models.ForeignKey(Club, on_delete=models.PROTECT, related_name="invitations")
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    generation = models.PositiveIntegerField(default=1)
    role = models.CharField(max_length=8, choices=Role, default=Role.MEMBER)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    # Null where any number may use it, as a link in the club's own chat.
    most_uses = models.PositiveIntegerField(null=True, blank=True)
    uses = models.PositiveIntegerField(default=0)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(role__in=["owner", "director", "member"]), name="invitation_role_known"
            ),
            models.CheckConstraint(
                # Spoken out, for a comparison with NULL is not false.
                condition=Q(role="member") | Q(most_uses__isnull=False, most_uses=1),
                name="invitation_of_staff_once",
            ),
            models.CheckConstraint(
                condition=Q(most_uses=None) | Q(uses__lte=F("most_uses")),
                name="invitation_not_overused",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.club}"

    @property
    def secret(self) -> str:
        """The secret part of its address."""
        return addresses.derive("invitation", self.public_id, self.generation)


class Season(models.Model):
    """A named stretch of time whose evenings belong together; the last day is part of it."""

    club = models.ForeignKey(Club, on_delete=models.PROTECT, related_name="seasons")
    name = models.CharField(max_length=80)
    starts_on = models.DateField()
    ends_on = models.DateField()
    # So many of an entrant's best tournaments count in the league; null for all.
    league_best = models.PositiveSmallIntegerField(null=True, blank=True)

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
