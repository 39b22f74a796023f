"""Members and invitations as the API reads and writes them."""

from datetime import timedelta
from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.fields import ClubNameSerializer, Moment, Strict, UncachedSerializer
from tournaments.models import Invitation, Member
from tournaments.models.clubs import Role
from tournaments.origin import absolute
from tournaments.queries.people.players import account_name, called_in_club
from tournaments.services.clubs.membership import INVITED_FOR, Offer

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


class InvitationLinkSerializer(UncachedSerializer, InvitationSerializer):
    """An invitation with its link: `link` is the page, `secret` what a program accepts it with."""

    link = serializers.SerializerMethodField()
    secret = serializers.CharField()

    @extend_schema_field(serializers.URLField())
    def get_link(self, row: Invitation) -> str:
        place = reverse("join", args=[row.public_id, row.secret])
        return absolute(self.context["request"], place)


class NewInvitationSerializer(Strict):
    """The role that a link gives, its uses, and its days.

    Owners give any role, directors that of a member; other roles are given once.
    """

    role = serializers.ChoiceField(Role.choices, default=Role.MEMBER)
    most_uses = serializers.IntegerField(
        min_value=1, max_value=MOST_USES, allow_null=True, default=1
    )
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, default=INVITED_FOR.days)

    @staticmethod
    def offer(said: dict[str, Any]) -> Offer:
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
