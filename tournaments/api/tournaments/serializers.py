"""Tournaments as the API reads and writes them."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.access import AddressToken
from tournaments.api.fields import Moment, Secret, Strict
from tournaments.engine.finals import STAGES
from tournaments.engine.tournament_schema import Settings
from tournaments.engine.tournament_settings import PRESETS, write_settings
from tournaments.models import Confirmations, Round, Tournament
from tournaments.origin import absolute
from tournaments.queries.steps import NEXT_STEPS, STEPS_BACK, HowFar
from tournaments.queries.tournaments import settings_of

ROUND_STATES = ("seated", "published", "open", "closed")
LONGEST_NAME = 80


@extend_schema_field(Settings().schema)
class SettingsField(serializers.JSONField):
    """How a tournament is played; what is left out is as by default."""


@extend_schema_field({"type": "object"})
class OptionsField(serializers.JSONField):
    """The options of a ruleset, by name."""

    def to_internal_value(self, data: Any) -> Any:
        """An object, of which the ruleset says whether it can be."""
        if not isinstance(data, dict):
            raise serializers.ValidationError(_("An object is needed here."), "invalid")
        return super().to_internal_value(data)


class TournamentLineSerializer(serializers.Serializer[Any]):
    """A tournament in a list; `id` is what its links name it by, and `event` its evening."""

    id = serializers.CharField(source="public_id")
    slug = serializers.CharField()
    event = serializers.CharField(source="event.public_id")
    name = serializers.CharField(source="event.name")
    held_on = serializers.DateField(source="event.held_on")
    season = serializers.IntegerField(source="event.season_id", allow_null=True)
    ruleset = serializers.CharField(source="event.ruleset")
    published = serializers.BooleanField(source="event.published")
    state = serializers.ChoiceField(choices=Tournament.State.choices)


class RoundLineSerializer(serializers.Serializer[Any]):
    """A round; `stage` is which of the finals it is, empty before them."""

    number = serializers.IntegerField()
    stage = serializers.ChoiceField(choices=STAGES, allow_blank=True)
    state = serializers.ChoiceField(choices=ROUND_STATES)
    published_at = Moment(allow_null=True)
    opened_at = Moment(allow_null=True)
    closed_at = Moment(allow_null=True)


class ProgressSerializer(serializers.Serializer[Any]):
    """How many tables of a round there are, have begun, and are finished."""

    tables = serializers.IntegerField()
    begun = serializers.IntegerField()
    finished = serializers.IntegerField()


class NextStepSerializer(serializers.Serializer[Any]):
    """What comes next, and the round it is about, if it is about one."""

    code = serializers.ChoiceField(choices=NEXT_STEPS)
    round = serializers.IntegerField(allow_null=True)


class StepBackSerializer(serializers.Serializer[Any]):
    """What can be taken back, and the round it is about, if it is about one."""

    code = serializers.ChoiceField(choices=STEPS_BACK)
    round = serializers.IntegerField(allow_null=True)


class EntrantCountsSerializer(serializers.Serializer[Any]):
    """How many take part, house players left out; `here` is null where nobody is asked."""

    playing = serializers.IntegerField()
    withdrawn = serializers.IntegerField()
    here = serializers.IntegerField(allow_null=True)
    needed = serializers.IntegerField()


class TournamentSerializer(TournamentLineSerializer):
    """A tournament as it stands; `revision` rises with every change but the writes of sheets.

    Only directors are told the `seed` of its lots, the next step, and what can be taken back.
    """

    revision = serializers.IntegerField()
    options = OptionsField(source="event.options")
    table_codes = serializers.BooleanField(source="event.table_codes")
    confirmations = serializers.ChoiceField(
        choices=Confirmations.choices, source="event.confirmations"
    )
    settings = serializers.SerializerMethodField()
    seed = serializers.SerializerMethodField()
    entrants = serializers.SerializerMethodField()
    rounds = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField()
    next_step = serializers.SerializerMethodField()
    step_back = serializers.SerializerMethodField()

    @property
    def directs(self) -> bool:
        """Whether a director reads."""
        return bool(self.context["directs"])

    @property
    def far(self) -> HowFar:
        """How far it is."""
        far: HowFar = self.context["far"]
        return far

    @extend_schema_field(Settings().schema)
    def get_settings(self, row: Tournament) -> dict[str, Any]:
        return write_settings(settings_of(row))

    def get_seed(self, row: Tournament) -> int | None:
        return row.seed if self.directs else None

    @extend_schema_field(EntrantCountsSerializer)
    def get_entrants(self, row: Tournament) -> Any:
        return EntrantCountsSerializer(self.far).data

    @extend_schema_field(RoundLineSerializer(many=True))
    def get_rounds(self, row: Tournament) -> Any:
        return RoundLineSerializer(self._seen(), many=True).data

    @extend_schema_field(ProgressSerializer(allow_null=True))
    def get_progress(self, row: Tournament) -> Any:
        progress = self.far.progress
        return None if progress is None else ProgressSerializer(progress).data

    @extend_schema_field(NextStepSerializer(allow_null=True))
    def get_next_step(self, row: Tournament) -> Any:
        return NextStepSerializer(self.far.step).data if self.directs else None

    @extend_schema_field(StepBackSerializer(allow_null=True))
    def get_step_back(self, row: Tournament) -> Any:
        back = self.far.back
        return StepBackSerializer(back).data if self.directs and back is not None else None

    def _seen(self) -> list[Round]:
        return [each for each in self.far.rounds if self.directs or each.published_at]


class ChangedTournamentSerializer(Strict):
    """What of a tournament is to be changed; settings that are left out stay as they are."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    held_on = serializers.DateField()
    season = serializers.IntegerField(allow_null=True)
    ruleset = serializers.CharField(max_length=40)
    options = OptionsField()
    published = serializers.BooleanField()
    table_codes = serializers.BooleanField()
    confirmations = serializers.ChoiceField(choices=Confirmations.choices)
    preset = serializers.ChoiceField(choices=list(PRESETS))
    settings = SettingsField()


class NewTournamentSerializer(ChangedTournamentSerializer):
    """A new tournament: a preset, and settings that are other than there.

    Codes and confirmations are as the club has them; lots are drawn from a `seed` by chance.
    """

    season = serializers.IntegerField(allow_null=True, default=None)
    options = OptionsField(default=dict)
    published = serializers.BooleanField(default=False)
    table_codes = serializers.BooleanField(required=False)
    confirmations = serializers.ChoiceField(choices=Confirmations.choices, required=False)
    preset = serializers.ChoiceField(choices=list(PRESETS), required=False)
    settings = SettingsField(default=dict)
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, required=False)


class MovedSerializer(Strict):
    """The state to which a tournament is to be led: the next one, or the one before."""

    state = serializers.ChoiceField(choices=Tournament.State.choices)


class LinkSerializer(serializers.Serializer[Any]):
    """A link for players: its page, and the key by which a program does what it does."""

    url = serializers.URLField()
    key = serializers.CharField()


class LinksSerializer(Secret):
    """The links by which players register, and say that they are here."""

    register = serializers.SerializerMethodField()
    check_in = serializers.SerializerMethodField()

    @extend_schema_field(LinkSerializer)
    def get_register(self, row: Tournament) -> Any:
        return self._link(row, "register")

    @extend_schema_field(LinkSerializer)
    def get_check_in(self, row: Tournament) -> Any:
        return self._link(row, "check-in")

    def _link(self, row: Tournament, kind: str) -> dict[str, str]:
        secret = row.secret(kind)
        place = reverse(kind.replace("-", "_"), args=[row.public_id, secret])
        url = absolute(self.context["request"], place)
        return {"url": url, "key": str(AddressToken(kind, row.public_id, secret))}
