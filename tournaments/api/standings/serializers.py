"""Standings, reasons and leagues in the API."""

from functools import cached_property
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.entrants.serializers import EntrantSerializer, PlayerNameSerializer
from tournaments.api.fields import PointsField
from tournaments.api.filtering import (
    ExpandedSerializer,
    ListSlice,
    SlicedListSerializer,
    SparseFieldsSerializer,
    expanding,
)
from tournaments.engine.standings.results import TIE_BREAKS
from tournaments.engine.standings.standings import (
    DECISIONS,
    REASONS,
    STAGES,
    SeasonStanding,
    Standing,
)
from tournaments.models import Player
from tournaments.queries.standings import SUMS, Reached

MOST_EXPANDED = 500
"""Rows that are expanded at once; of more a part, where nobody asks for one."""


@extend_schema_field({"type": "integer"})
class EntrantNumberField(serializers.Field[str, Any, int, Any]):
    """The number of an entrant, from the key that standings have."""

    def to_representation(self, value: str) -> int:
        return int(value[1:])


@extend_schema_field({"type": "string"})
class EntrantTextField(serializers.Field[str, Any, str, Any]):
    """What an entrant has under a name, by the key that standings have."""

    def __init__(self, attribute: str) -> None:
        super().__init__(source="entrant", read_only=True)
        self.attribute = attribute

    def to_representation(self, value: str) -> str:
        return str(getattr(self.context["state"].entrants[value], self.attribute))


class StageReachedSerializer(serializers.Serializer[Any]):
    """How far somebody has come in the finals: they play in a stage, or are through to it."""

    stage = serializers.ChoiceField(choices=STAGES)
    through = serializers.BooleanField()


class TieBreakSerializer(serializers.Serializer[Any]):
    """The value of a tie-break; null if it does not apply."""

    name = serializers.ChoiceField(choices=list(TIE_BREAKS))
    value = PointsField(allow_null=True)


class StandingExpandedSerializer(ExpandedSerializer):
    """More about a row of the standings."""

    entrant = serializers.SerializerMethodField()

    @extend_schema_field(EntrantSerializer)
    def get_entrant(self, row: Standing) -> Any:
        return self._entrants.to_representation(self.context["lines"][row.entrant])

    @cached_property
    def _entrants(self) -> EntrantSerializer:
        """The serializer of all of them: to make one takes longer than what it does."""
        return EntrantSerializer(context=self.context)


class StandingsRowSerializer(SparseFieldsSerializer):
    """A row of the standings, from a `Standing`; `by_round` has null where nothing counts yet.

    `points` are those of the rounds less the `penalties`. The rank is within the `section`, which
    is empty where there are none.
    """

    rank = serializers.IntegerField(source="place", min_value=1)
    shared = serializers.BooleanField()
    entrant = EntrantNumberField(read_only=True)
    name = EntrantTextField("shown_name")
    team = EntrantTextField("team")
    represents = EntrantTextField("represents")
    points = PointsField()
    by_round = serializers.ListField(child=PointsField(allow_null=True))
    penalties = PointsField()
    tie_breaks = serializers.SerializerMethodField()
    finals = serializers.SerializerMethodField()
    section = serializers.CharField()
    expanded = StandingExpandedSerializer(source="*", required=False)

    expandable = ("entrant",)

    @extend_schema_field(TieBreakSerializer(many=True))
    def get_tie_breaks(self, row: Standing) -> Any:
        named = zip(self.context["state"].settings.tie_breaks, row.tie_breaks, strict=True)
        to_json = self._tie_break.to_representation
        return [to_json({"name": name, "value": value}) for name, value in named]

    @cached_property
    def _tie_break(self) -> TieBreakSerializer:
        return TieBreakSerializer()

    @extend_schema_field(StageReachedSerializer(allow_null=True))
    def get_finals(self, row: Standing) -> Any:
        reached: dict[str, Reached] = self.context["reached"]
        found = reached.get(row.entrant)
        return None if found is None else StageReachedSerializer(found).data


class EntrantTeamSerializer(serializers.Serializer[Any]):
    """A team by the sum of its members' points; members are in order of rank.

    `by_round` are the sums that its members made, null for a round in which nobody played. Where
    teams have line-ups, `rounds_won`, then the best round decide between equals.
    """

    team = serializers.CharField()
    rank = serializers.IntegerField(source="place", min_value=1)
    shared = serializers.BooleanField()
    points = PointsField()
    members = serializers.ListField(child=EntrantNumberField(), read_only=True)
    by_round = serializers.ListField(child=PointsField(allow_null=True))
    rounds_won = serializers.IntegerField()


class StandingsSerializer(SlicedListSerializer):
    """The standings after a round (`after`), or those of one round alone (`only`).

    `last` is the latest round that counts for the reader; `hidden` says that a later one is hidden
    until the tournament is finished. A tie-break that applies to nobody is null for all.
    """

    after = serializers.IntegerField()
    only = serializers.IntegerField(allow_null=True)
    last = serializers.IntegerField()
    hidden = serializers.BooleanField()
    rounds = serializers.ListField(child=serializers.IntegerField())
    results = StandingsRowSerializer(source="rows", many=True, read_only=True)
    teams = EntrantTeamSerializer(many=True)

    def get_slice(self) -> ListSlice:
        request = self.context["request"]
        return ListSlice.of(request, MOST_EXPANDED if expanding(request) else None)


class PointsReasonSerializer(serializers.Serializer[Any]):
    """The reason for the points of a round, as a code; its `params` are numbers."""

    code = serializers.ChoiceField(choices=REASONS)
    params = serializers.DictField(child=PointsField(), read_only=True)


class ExplainedRoundSerializer(serializers.Serializer[Any]):
    """The points of a round, null where nothing counts yet, without what was taken from them."""

    number = serializers.IntegerField()
    points = PointsField(allow_null=True)
    reasons = PointsReasonSerializer(many=True, read_only=True)


class PointsSumSerializer(serializers.Serializer[Any]):
    """Rounds that are added up together: all of them, or those before the finals, or the finals."""

    code = serializers.ChoiceField(choices=SUMS)
    rounds = ExplainedRoundSerializer(many=True, read_only=True)
    penalties = PointsField()
    points = PointsField()


class TieBreakDecisionSerializer(serializers.Serializer[Any]):
    """The deciding tie-break against a neighbour (`other`, `ahead` or not), with both numbers."""

    other = EntrantNumberField(source="decision.other", read_only=True)
    ahead = serializers.BooleanField()
    code = serializers.ChoiceField(choices=DECISIONS, source="decision.code")
    tie_break = serializers.ChoiceField(
        choices=list(TIE_BREAKS), allow_blank=True, source="decision.tie_break"
    )
    own = PointsField(source="decision.own", allow_null=True)
    theirs = PointsField(source="decision.theirs", allow_null=True)


class RankExplanationSerializer(serializers.Serializer[Any]):
    """The explanation of an entrant's rank: the parts of the sum, and the deciding tie-breaks.

    In the finals, `stage` is the stage reached; within a stage it decides, and there are
    no decisions.
    """

    standing = StandingsRowSerializer()
    after = serializers.IntegerField()
    parts = PointsSumSerializer(many=True, read_only=True)
    decisions = TieBreakDecisionSerializer(many=True, read_only=True)
    stage = serializers.ChoiceField(choices=STAGES, allow_blank=True)


class LeagueEveningSerializer(serializers.Serializer[Any]):
    """A tournament of a league, up to its round `last`; `over` is whether nothing more counts."""

    tournament = serializers.CharField(source="tournament.slug")
    name = serializers.CharField(source="tournament.event.name")
    held_on = serializers.DateField(source="tournament.event.held_on")
    last = serializers.IntegerField()
    over = serializers.BooleanField()


class LeagueRowSerializer(serializers.Serializer[Any]):
    """A player over a season: points of each evening, null where they were not there.

    `counted` are the evenings that are added up, by their places in the list, from 0.
    """

    rank = serializers.IntegerField(source="place", min_value=1)
    shared = serializers.BooleanField()
    player = serializers.SerializerMethodField()
    points = PointsField()
    by_evening = serializers.ListField(child=PointsField(allow_null=True))
    counted = serializers.ListField(child=serializers.IntegerField())

    @extend_schema_field(PlayerNameSerializer)
    def get_player(self, row: SeasonStanding) -> Any:
        people: dict[str, Player] = self.context["people"]
        return PlayerNameSerializer(people[row.player], context=self.context).data


class LeagueSerializer(SlicedListSerializer):
    """The league of a season: the points of its tournaments, without finals, added up.

    The best `best` evenings of each player count, or all if it is null. `points` is what is added
    up, as the season defines it; with `mixed` its tournaments count different points.
    """

    season = serializers.IntegerField(source="season.pk")
    name = serializers.CharField(source="season.name")
    best = serializers.IntegerField(source="season.league_best", allow_null=True)
    points = serializers.CharField(source="season.league_points")
    mixed = serializers.BooleanField()
    evenings = LeagueEveningSerializer(many=True)
    results = LeagueRowSerializer(many=True, read_only=True)
