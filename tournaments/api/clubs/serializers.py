"""Clubs as the API reads and writes them."""

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api import fields
from tournaments.models import Club
from tournaments.models.clubs import Paper, Role
from tournaments.origin import absolute
from tournaments.services.clubs.membership import CLUB_FIELDS


class ClubSerializer(fields.DeclaredFieldsSerializer, fields.ClubNameSerializer):
    """A club; `role` is that of the account in it, null if it is no member."""

    described = {name: about for name, about in CLUB_FIELDS.items() if about.shown}
    needed = True
    role = serializers.ChoiceField(Role.choices, allow_null=True)
    logo = serializers.SerializerMethodField()
    created_at = fields.MomentField()

    @extend_schema_field({"type": ["string", "null"], "format": "uri"})
    def get_logo(self, club: Club) -> str | None:
        if not club.logo:
            return None
        place = reverse("api:club-logo", args=[club.slug])
        return absolute(self.context["request"], place)


class NewClubSerializer(fields.StrictSerializer):
    """The name of a new club; its slug is made of it."""

    name = fields.LineField()


class SettingsSerializer(fields.DeclaredFieldsSerializer, fields.StrictSerializer):
    """The settings of a club; codes and confirmations are defaults of its events."""

    described = CLUB_FIELDS
    needed = True
    paper = serializers.ChoiceField(Paper.choices)

    def validate_time_zone(self, zone: str) -> str:
        if CLUB_FIELDS["time_zone"].shape.check(zone):
            raise serializers.ValidationError(
                _("Choose a time zone like Europe/Istanbul."), "invalid"
            )
        return zone
