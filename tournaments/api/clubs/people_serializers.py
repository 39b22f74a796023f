"""Members, invitations and one's own account as the API reads and writes them."""

from datetime import timedelta
from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.clubs.serializers import ClubNameSerializer
from tournaments.api.fields import Moment, Strict
from tournaments.member_queries import account_name, called_in_club
from tournaments.models import Invitation, Member, Scope, User
from tournaments.models.clubs import DIRECTING, Role
from tournaments.services.clubs.membership import INVITED_FOR, Offer

LONGEST_REASON = 200
MOST_DAYS = 60
MOST_USES = 1000


class MemberSerializer(serializers.Serializer[Any]):
    """An account in a club; `email` is for directors, and null for all others."""

    user = serializers.IntegerField(source="user_id")
    name = serializers.SerializerMethodField()
    email = serializers.SerializerMethodField()
    role = serializers.ChoiceField(Role.choices)
    joined_at = Moment()

    def get_name(self, member: Member) -> str:
        if self.context["directs"]:
            return account_name(member.user)
        own = getattr(member.user, "players_here", [])
        return called_in_club(member.user, next(iter(own), None))

    def get_email(self, member: Member) -> str | None:
        return member.user.email if self.context["directs"] else None


class RoleSerializer(Strict):
    """Another role for a member."""

    role = serializers.ChoiceField(Role.choices)


class InvitationSerializer(serializers.Serializer[Any]):
    """A link that gives a role, `most_uses` times; any number of times where that is null."""

    id = serializers.CharField(source="public_id")
    role = serializers.ChoiceField(Role.choices)
    created_at = Moment()
    expires_at = Moment()
    most_uses = serializers.IntegerField(allow_null=True)
    uses = serializers.IntegerField()


class InvitationLinkSerializer(InvitationSerializer):
    """An invitation with its link: `link` is the page, `secret` what a program accepts it with."""

    link = serializers.SerializerMethodField()
    secret = serializers.CharField()

    @extend_schema_field(serializers.URLField())
    def get_link(self, row: Invitation) -> str:
        place = reverse("join", args=[row.public_id, row.secret])
        return str(self.context["request"].build_absolute_uri(place))


class NewInvitationSerializer(Strict):
    """What a link gives, how often, and for how many days.

    Owners give any role, directors that of a member; other roles are given once.
    """

    role = serializers.ChoiceField(Role.choices, default=Role.MEMBER)
    most_uses = serializers.IntegerField(
        min_value=1, max_value=MOST_USES, allow_null=True, default=1
    )
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, default=INVITED_FOR.days)

    @staticmethod
    def offer(said: dict[str, Any]) -> Offer:
        """What is offered."""
        return Offer(Role(said["role"]), said["most_uses"], timedelta(days=said["days"]))


class InvitedSerializer(serializers.Serializer[Any]):
    """To what somebody is invited; `belongs` says that the account is that already, or more."""

    club = ClubNameSerializer()
    role = serializers.ChoiceField(Role.choices)
    expires_at = Moment()
    belongs = serializers.BooleanField()


class MonthSerializer(Strict):
    """Whether the month of a club comes by mail."""

    by_mail = serializers.BooleanField(source="month_by_mail")


class MembershipSerializer(ClubNameSerializer):
    """A club of an account; `month_by_mail` is null where it does not direct the club."""

    slug = serializers.CharField(source="club.slug")
    name = serializers.CharField(source="club.name")
    role = serializers.ChoiceField(Role.choices)
    joined_at = Moment()
    month_by_mail = serializers.SerializerMethodField()

    def get_month_by_mail(self, member: Member) -> bool | None:
        return member.month_by_mail if member.role in DIRECTING else None


class MyPlayerSerializer(serializers.Serializer[Any]):
    """A player that an account has claimed; `shown_name` is what others read."""

    id = serializers.CharField(source="public_id")
    name = serializers.CharField()
    shown_name = serializers.CharField()
    initials = serializers.BooleanField()
    club = ClubNameSerializer()


class MyTokenSerializer(serializers.Serializer[Any]):
    """The token that asks."""

    id = serializers.CharField(source="public_id")
    name = serializers.CharField()
    scopes = serializers.ListField(child=serializers.ChoiceField(Scope.choices))
    expires_at = Moment(source="expiry", allow_null=True)


class AccountSerializer(serializers.Serializer[Any]):
    """An account with its clubs, its players, and the token that asks."""

    id = serializers.IntegerField(source="user.pk")
    name = serializers.SerializerMethodField()
    email = serializers.CharField(source="user.email")
    clubs = MembershipSerializer(many=True)
    players = MyPlayerSerializer(many=True)
    token = MyTokenSerializer()

    def get_name(self, told: dict[str, Any]) -> str:
        user: User = told["user"]
        return account_name(user)
