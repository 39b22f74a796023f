"""Tournaments as the API reads and writes them."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from tournaments.api import fields
from tournaments.api.access import AddressToken
from tournaments.engine.documents.shapes import EVENT_FIELDS, SHOWN
from tournaments.engine.rules.entries import LARGE, Declared
from tournaments.engine.rules.rulesets import LONGEST_ID
from tournaments.engine.standings.standings import STAGES
from tournaments.engine.standings.tournament_settings import PRESETS, SETTINGS, write_settings
from tournaments.models import Confirmations, Tournament
from tournaments.origin import absolute
from tournaments.queries.state import settings_of
from tournaments.queries.steps import NEXT_STEPS, STEPS_BACK, how_far

ROUND_STATES = ("seated", "published", "open", "closed")


@extend_schema_field(SETTINGS.schema)
class SettingsField(serializers.JSONField):
    """The settings of a tournament; omitted ones have their defaults."""


@extend_schema_field({"type": "object"})
class OptionsField(serializers.JSONField):
    """The options of a ruleset, by name."""

    def to_internal_value(self, data: Any) -> Any:
        """An object, of which the ruleset says whether it can be."""
        if not isinstance(data, dict):
            raise serializers.ValidationError(_("This must be an object."), "invalid")
        return super().to_internal_value(data)


class TournamentLineSerializer(fields.DeclaredFieldsSerializer):
    """A tournament in a list; its links contain the `id`, and `event` is its evening."""

    described: ClassVar[Mapping[str, Declared]] = {name: EVENT_FIELDS[name] for name in SHOWN}
    prefix = "event."
    id = serializers.CharField(source="public_id")
    slug = serializers.CharField()
    event = serializers.CharField(source="event.public_id")
    name = serializers.CharField(source="event.name")
    held_on = serializers.DateField(source="event.held_on")
    season = serializers.IntegerField(source="event.season_id", allow_null=True)
    ruleset = serializers.CharField(source="event.ruleset")
    published = serializers.BooleanField(source="event.published")
    state = serializers.ChoiceField(choices=Tournament.State.choices)
    cancelled_at = fields.MomentField(allow_null=True)


class CopySerializer(fields.StrictSerializer):
    """Name and date of a copy, and the parts to copy."""

    name = fields.LineField()
    held_on = serializers.DateField()
    entrants = serializers.BooleanField(default=True)
    links = serializers.BooleanField(default=False)


class RoundLineSerializer(serializers.Serializer[Any]):
    """A round; `stage` is its stage of the finals, empty before them."""

    number = serializers.IntegerField()
    stage = serializers.ChoiceField(choices=STAGES, allow_blank=True)
    state = serializers.ChoiceField(choices=ROUND_STATES)
    published_at = fields.MomentField(allow_null=True)
    opened_at = fields.MomentField(allow_null=True)
    closed_at = fields.MomentField(allow_null=True)


class ProgressSerializer(serializers.Serializer[Any]):
    """How many tables of a round there are, have begun, and are finished."""

    tables = serializers.IntegerField()
    begun = serializers.IntegerField()
    finished = serializers.IntegerField()


class NextStepSerializer(serializers.Serializer[Any]):
    """The next step, and its round, if it has one."""

    code = serializers.ChoiceField(choices=NEXT_STEPS)
    round = serializers.IntegerField(allow_null=True)


class StepBackSerializer(serializers.Serializer[Any]):
    """The step that can be undone, and its round, if it has one."""

    code = serializers.ChoiceField(choices=STEPS_BACK)
    round = serializers.IntegerField(allow_null=True)


class EntrantCountsSerializer(serializers.Serializer[Any]):
    """How many take part, without house players; `here` is null without check-in."""

    playing = serializers.IntegerField()
    withdrawn = serializers.IntegerField()
    here = serializers.IntegerField(allow_null=True)
    needed = serializers.IntegerField()


class TournamentSerializer(TournamentLineSerializer):
    """The current tournament; every change but entries on sheets raises `revision`.

    Only directors see the `seed` of random draws, the next step, and the step that can be undone.
    """

    revision = serializers.IntegerField()
    options = OptionsField(source="event.options")
    table_codes = serializers.BooleanField(source="event.table_codes")
    confirmations = serializers.ChoiceField(
        choices=Confirmations.choices, source="event.confirmations"
    )
    settings = SettingsField(source="written_settings")
    seed = serializers.IntegerField(source="visible_seed", allow_null=True)
    entrants = EntrantCountsSerializer(source="far")
    rounds = RoundLineSerializer(many=True, source="visible_rounds")
    progress = ProgressSerializer(source="far.progress", allow_null=True)
    next_step = NextStepSerializer(allow_null=True)
    step_back = StepBackSerializer(allow_null=True)


def with_details(tournament: Tournament, *, directs: bool = True) -> Tournament:
    """Return a tournament with what `TournamentSerializer` reads beside its columns."""
    row: Any = tournament
    row.far = far = how_far(row, list(row.event.rounds.order_by("number")))
    row.written_settings = write_settings(settings_of(row))
    row.visible_seed = row.seed if directs else None
    row.visible_rounds = [each for each in far.rounds if directs or each.published_at]
    row.next_step, row.step_back = (far.step, far.back) if directs else (None, None)
    return tournament


class ChangedTournamentSerializer(fields.DeclaredFieldsSerializer, fields.StrictSerializer):
    """Changes to a tournament; omitted settings stay as they are."""

    described = EVENT_FIELDS
    name = fields.declared_field(EVENT_FIELDS["name"])
    held_on = fields.declared_field(EVENT_FIELDS["held_on"])
    season = serializers.IntegerField(allow_null=True)
    ruleset = serializers.CharField(max_length=LONGEST_ID)
    options = OptionsField()
    preset = serializers.ChoiceField(choices=list(PRESETS))
    settings = SettingsField()


class NewTournamentSerializer(ChangedTournamentSerializer):
    """A new tournament: a preset, and the settings that differ from it.

    It takes codes and confirmations from the club. Without a `seed`, random draws use a random one.
    """

    season = serializers.IntegerField(allow_null=True, default=None)
    options = OptionsField(default=dict)
    published = serializers.BooleanField(default=False)
    preset = serializers.ChoiceField(choices=list(PRESETS), required=False)
    settings = SettingsField(default=dict)
    seed = serializers.IntegerField(min_value=0, max_value=LARGE, required=False)


@extend_schema_serializer(component_name="Moved")
class NewStateSerializer(fields.StrictSerializer):
    """The state to move a tournament to: the next one, or the one before."""

    state = serializers.ChoiceField(choices=Tournament.State.choices)


class LinkSerializer(serializers.Serializer[Any]):
    """A link for players: its page, and the key with which a program does the same."""

    url = serializers.URLField()
    key = serializers.CharField()


@extend_schema_field(LinkSerializer)
class TournamentLinkField(serializers.Field[Tournament, Any, dict[str, str], Any]):
    """A link of a tournament, of the kind that is the field's name."""

    def __init__(self) -> None:
        super().__init__(source="*", read_only=True)

    def to_representation(self, value: Tournament) -> dict[str, str]:
        kind = str(self.field_name).replace("_", "-")
        secret = value.secret(kind)
        place = reverse(str(self.field_name), args=[value.public_id, secret])
        url = absolute(self.context["request"], place)
        return {"url": url, "key": str(AddressToken(kind, value.public_id, secret))}


class LinksSerializer(fields.UncachedSerializer):
    """The links by which players register and check in."""

    register = TournamentLinkField()
    check_in = TournamentLinkField()
