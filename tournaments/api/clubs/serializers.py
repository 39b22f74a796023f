"""Clubs, seasons and lines of the audit as the API reads and writes them."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api import fields
from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.models import AuditEntry, Club, Season
from tournaments.models.clubs import LeaguePoints, Paper, Role
from tournaments.origin import absolute
from tournaments.queries.players import account_name
from tournaments.services.base.writes import Fault
from tournaments.services.clubs.membership import CLUB_FIELDS

MOST_EVENINGS = 366


class ClubSerializer(fields.ClubNameSerializer):
    """A club; `role` is that of the account in it, null if it is no member."""

    published = serializers.BooleanField()
    role = serializers.ChoiceField(Role.choices, allow_null=True)
    logo = serializers.SerializerMethodField()
    created_at = fields.Moment()

    @extend_schema_field({"type": ["string", "null"], "format": "uri"})
    def get_logo(self, club: Club) -> str | None:
        if not club.logo:
            return None
        place = reverse("api:club-logo", args=[club.slug])
        return absolute(self.context["request"], place)


class NewClubSerializer(fields.Strict):
    """The name of a new club; its slug is made of it."""

    name = fields.LineField(max_length=LONGEST_NAME)


class SettingsSerializer(fields.DeclaredFields, fields.Strict):
    """The settings of a club; codes and confirmations are defaults of its events."""

    described = CLUB_FIELDS
    needed = True
    paper = serializers.ChoiceField(Paper.choices)


class EndsBeforeItStarts(Fault, code="ends-before-it-starts", where="ends_on"):
    sentence = _("The last day is before the first.")


class SeasonDatesSerializer(fields.Strict):
    """A season's name, its first day, and its last day, which is part of it.

    The best `league_best` tournaments of an entrant count in the league, or all if it is null.
    `league_points` is what the league adds up: the points of its tournaments as their settings name
    them, `evening` for places of the evening, or nothing for those of the tournaments in it.
    """

    name = fields.LineField(max_length=LONGEST_NAME)
    starts_on = serializers.DateField()
    ends_on = serializers.DateField()
    league_best = serializers.IntegerField(
        min_value=1, max_value=MOST_EVENINGS, allow_null=True, default=None
    )
    league_points = serializers.ChoiceField(LeaguePoints.choices, default="", allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a season that ends before it starts."""
        first, last = (
            attrs[name] if name in attrs else getattr(self.instance, name)
            for name in ("starts_on", "ends_on")
        )
        if last < first:
            raise EndsBeforeItStarts
        return attrs


class SeasonSerializer(fields.RowSerializer):
    """A season of a club; `events` counts its evenings and tournaments that the reader may see."""

    league_points = serializers.ChoiceField(LeaguePoints.choices, allow_blank=True)
    events = serializers.IntegerField(source="events_seen")

    class Meta:
        model = Season
        fields = ("id", "name", "starts_on", "ends_on", "league_best", "league_points", "events")


class AuditLineSerializer(serializers.Serializer[Any]):
    """A change in a club: the action, its `subject` (as `game:abcdefghjk`), and the author.

    `table` is the id of the table whose phone made it. `before` and `after` are what changed, as
    the audit stores it.
    """

    id = serializers.IntegerField()
    at = fields.Moment()
    kind = serializers.ChoiceField(AuditEntry.Kind.choices)
    action = serializers.CharField()
    subject = serializers.CharField()
    event = serializers.CharField(source="event.public_id", default=None, allow_null=True)
    user = serializers.IntegerField(source="user_id", allow_null=True)
    name = serializers.SerializerMethodField()
    table = serializers.CharField()
    address = serializers.CharField(allow_null=True)
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)
    reason = serializers.CharField()

    def get_name(self, line: AuditEntry) -> str | None:
        return None if line.user is None else account_name(line.user)
