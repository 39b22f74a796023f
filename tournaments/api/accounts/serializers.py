"""One's own account in the API."""

from typing import Any

from rest_framework import serializers

from tournaments.api.fields import (
    ClubNameSerializer,
    LineField,
    MomentField,
    StrictSerializer,
    UncachedSerializer,
)
from tournaments.engine.rules.rulesets import LONGEST_TOKEN_NAME
from tournaments.models import Member, Scope
from tournaments.models.clubs import DIRECTING, Role


class MembershipSerializer(ClubNameSerializer):
    """A club of an account; `month_by_mail` is null if the account does not direct it."""

    slug = serializers.CharField(source="club.slug")
    name = serializers.CharField(source="club.name")
    role = serializers.ChoiceField(Role.choices)
    joined_at = MomentField()
    month_by_mail = serializers.SerializerMethodField()

    def get_month_by_mail(self, member: Member) -> bool | None:
        return member.month_by_mail if member.role in DIRECTING else None


class MyPlayerSerializer(serializers.Serializer[Any]):
    """A player that an account has claimed; others read `shown_name`."""

    id = serializers.CharField(source="public_id")
    name = serializers.CharField()
    shown_name = serializers.CharField()
    initials = serializers.BooleanField()
    club = ClubNameSerializer()


class MyTokenSerializer(serializers.Serializer[Any]):
    """The token of the request: a personal one or an application's."""

    id = serializers.CharField(source="public_id")
    name = serializers.CharField()
    scopes = serializers.ListField(child=serializers.ChoiceField(Scope.choices))
    expires_at = MomentField(source="expiry", allow_null=True)


class TokenSerializer(serializers.Serializer[Any]):
    """A personal token of the account, without its text."""

    id = serializers.CharField(source="public_id")
    name = serializers.CharField()
    begins = serializers.CharField(source="token_key", help_text="The first characters.")
    scopes = serializers.ListField(child=serializers.ChoiceField(Scope.choices))
    created_at = MomentField(source="created")
    last_used_at = MomentField(allow_null=True)
    expires_at = MomentField(source="expiry", allow_null=True)


class NewTokenSerializer(StrictSerializer):
    """A personal token to create; it cannot do more, or last longer, than that of the request."""

    name = LineField(max_length=LONGEST_TOKEN_NAME)
    scopes = serializers.ListField(
        child=serializers.ChoiceField(Scope.choices), min_length=1, max_length=4
    )
    days = serializers.IntegerField(
        min_value=1,
        max_value=3650,
        required=False,
        help_text="How long it is valid; by default as long as the token of the request.",
    )


class TokenMadeSerializer(UncachedSerializer, TokenSerializer):
    """A personal token that was just created, with its text, which is shown only once."""

    token = serializers.CharField()


class AccountSerializer(serializers.Serializer[Any]):
    """An account with its clubs, its players, and the token of the request."""

    id = serializers.IntegerField(source="user.pk")
    name = serializers.CharField()
    email = serializers.CharField(source="user.email")
    clubs = MembershipSerializer(many=True)
    players = MyPlayerSerializer(many=True)
    token = MyTokenSerializer()


class InitialsSerializer(StrictSerializer):
    """Whether the player is shown by initials."""

    initials = serializers.BooleanField()


class ClaimCodeSerializer(StrictSerializer):
    """The code of a card, as it is typed."""

    code = serializers.CharField(max_length=60)


class ClaimedPlayerSerializer(serializers.Serializer[Any]):
    """A player who can be claimed; `own` is the one that the account already has in this club."""

    id = serializers.CharField(source="player.public_id")
    name = serializers.CharField(source="player.name")
    club = ClubNameSerializer(source="player.club")
    secret = serializers.CharField(source="player.claim_secret")
    own = serializers.CharField(source="own.public_id", default=None, allow_null=True)


class MonthSerializer(StrictSerializer):
    """Whether the monthly report of a club comes by mail."""

    by_mail = serializers.BooleanField(source="month_by_mail")
