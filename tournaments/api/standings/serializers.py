"""Standings, reasons and leagues as the API tells them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.fields import PointsField
from tournaments.api.tournaments.people import PlayerNameSerializer
from tournaments.engine.finals import STAGES
from tournaments.engine.season_sums import SeasonStanding, TeamStanding
from tournaments.engine.standing_reasons import DECISIONS, REASONS, Reason, RoundReasons
from tournaments.engine.standings import Standing
from tournaments.engine.tournament_settings import TIE_BREAKS
from tournaments.models import Player
from tournaments.queries.tournaments import Course
from tournaments.telling.reasons import SUMS, Decided, Sum, WhyPlaced
from tournaments.telling.standings import Reached, Seen


def number_of(key: str) -> int:
    """The number of an entrant by the key that standings have."""
    return int(key[1:])


class ReachedSerializer(serializers.Serializer[Any]):
    """How far somebody has come in the finals: they play in a stage, or are through to it."""

    stage = serializers.ChoiceField(choices=STAGES)
    through = serializers.BooleanField()


class TieBreakSerializer(serializers.Serializer[Any]):
    """What a tie-break says of somebody; null where it has nothing to say."""

    name = serializers.ChoiceField(choices=TIE_BREAKS)
    value = PointsField(allow_null=True)


class PlacedSerializer(serializers.Serializer[Any]):
    """A row of the standings, from a `Standing`; `by_round` has null where nothing counts yet.

    `points` are those of the rounds less the `penalties`.
    """

    rank = serializers.IntegerField(source="place", min_value=1)
    shared = serializers.BooleanField()
    entrant = serializers.SerializerMethodField()
    name = serializers.SerializerMethodField()
    team = serializers.SerializerMethodField()
    represents = serializers.SerializerMethodField()
    points = PointsField()
    by_round = serializers.ListField(child=PointsField(allow_null=True))
    penalties = PointsField()
    tie_breaks = serializers.SerializerMethodField()
    finals = serializers.SerializerMethodField()

    @property
    def course(self) -> Course:
        """The tournament."""
        course: Course = self.context["course"]
        return course

    def get_entrant(self, row: Standing) -> int:
        return number_of(row.entrant)

    def get_name(self, row: Standing) -> str:
        return self.course.entrants[row.entrant].shown_name

    def get_team(self, row: Standing) -> str:
        return self.course.entrants[row.entrant].team

    def get_represents(self, row: Standing) -> str:
        return self.course.entrants[row.entrant].represents

    @extend_schema_field(TieBreakSerializer(many=True))
    def get_tie_breaks(self, row: Standing) -> Any:
        named = zip(self.course.settings.tie_breaks, row.tie_breaks, strict=True)
        told = [{"name": name, "value": value} for name, value in named]
        return TieBreakSerializer(told, many=True).data

    @extend_schema_field(ReachedSerializer(allow_null=True))
    def get_finals(self, row: Standing) -> Any:
        reached: dict[str, Reached] = self.context["reached"]
        found = reached.get(row.entrant)
        return None if found is None else ReachedSerializer(found).data


class TeamSerializer(serializers.Serializer[Any]):
    """A team by the sum of what its members have; they stand in order of their ranks."""

    team = serializers.CharField()
    rank = serializers.IntegerField(source="place", min_value=1)
    shared = serializers.BooleanField()
    points = PointsField()
    members = serializers.SerializerMethodField()

    @extend_schema_field({"type": "array", "items": {"type": "integer"}})
    def get_members(self, row: TeamStanding) -> list[int]:
        return [number_of(key) for key in row.members]


class StandingsSerializer(serializers.Serializer[Any]):
    """The standings after a round (`after`), or those of one round alone (`only`).

    `last` is the latest round that counts for whoever asks; `hidden` says that one after it is
    kept back until the tournament is finished. A tie-break that says nothing of anybody is null
    of all.
    """

    after = serializers.IntegerField()
    only = serializers.IntegerField(allow_null=True)
    last = serializers.IntegerField()
    hidden = serializers.BooleanField()
    rounds = serializers.ListField(child=serializers.IntegerField())
    results = serializers.SerializerMethodField()
    teams = serializers.SerializerMethodField()

    @extend_schema_field(PlacedSerializer(many=True))
    def get_results(self, seen: Seen) -> Any:
        return PlacedSerializer(seen.rows, many=True, context=self.context).data

    @extend_schema_field(TeamSerializer(many=True))
    def get_teams(self, seen: Seen) -> Any:
        return TeamSerializer(self.context["teams"], many=True).data


PARAMS = {
    "type": "object",
    "additionalProperties": {
        "oneOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]+/[0-9]+$"}]
    },
}


class ReasonSerializer(serializers.Serializer[Any]):
    """What stands behind the points of a round, by a code; its `params` are numbers."""

    code = serializers.ChoiceField(choices=REASONS)
    params = serializers.SerializerMethodField()

    @extend_schema_field(PARAMS)
    def get_params(self, reason: Reason) -> dict[str, int | str]:
        field = PointsField()
        return {name: field.to_representation(value) for name, value in reason.params.items()}


class WhyRoundSerializer(serializers.Serializer[Any]):
    """The points of a round, null where nothing counts yet, without what was taken from them."""

    number = serializers.IntegerField()
    points = PointsField(allow_null=True)
    reasons = serializers.SerializerMethodField()

    @extend_schema_field(ReasonSerializer(many=True))
    def get_reasons(self, row: RoundReasons) -> Any:
        return ReasonSerializer(row.reasons, many=True).data


class SumSerializer(serializers.Serializer[Any]):
    """Rounds that are added up together: all of them, or those before the finals, or the finals."""

    code = serializers.ChoiceField(choices=SUMS)
    rounds = serializers.SerializerMethodField()
    penalties = PointsField()
    points = PointsField()

    @extend_schema_field(WhyRoundSerializer(many=True))
    def get_rounds(self, row: Sum) -> Any:
        return WhyRoundSerializer(row.rounds, many=True).data


class DecisionSerializer(serializers.Serializer[Any]):
    """What decided against a neighbour (`other`, who is `ahead` or behind), and both numbers."""

    other = serializers.SerializerMethodField()
    ahead = serializers.BooleanField()
    code = serializers.ChoiceField(choices=DECISIONS, source="decision.code")
    tie_break = serializers.ChoiceField(
        choices=TIE_BREAKS, allow_blank=True, source="decision.tie_break"
    )
    own = PointsField(source="decision.own", allow_null=True)
    theirs = PointsField(source="decision.theirs", allow_null=True)

    def get_other(self, row: Decided) -> int:
        return number_of(row.decision.other)


class WhySerializer(serializers.Serializer[Any]):
    """Why an entrant stands where they stand: the sum, opened, and what decided.

    Of those in the finals `stage` is how far they came; within a stage it decides, and there are
    no decisions.
    """

    standing = PlacedSerializer()
    after = serializers.SerializerMethodField()
    parts = serializers.SerializerMethodField()
    decisions = serializers.SerializerMethodField()
    stage = serializers.ChoiceField(choices=STAGES, allow_blank=True)

    def get_after(self, why: WhyPlaced) -> int:
        return int(self.context["after"])

    @extend_schema_field(SumSerializer(many=True))
    def get_parts(self, why: WhyPlaced) -> Any:
        return SumSerializer(why.parts, many=True).data

    @extend_schema_field(DecisionSerializer(many=True))
    def get_decisions(self, why: WhyPlaced) -> Any:
        return DecisionSerializer(why.decisions, many=True).data


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


class LeagueSerializer(serializers.Serializer[Any]):
    """The league of a season: the points of its tournaments, without finals, added up.

    Of each player the best `best` evenings count, all where it is null.
    """

    season = serializers.IntegerField(source="season.pk")
    name = serializers.CharField(source="season.name")
    best = serializers.IntegerField(source="season.league_best", allow_null=True)
    evenings = LeagueEveningSerializer(many=True)
    results = serializers.SerializerMethodField()

    @extend_schema_field(LeagueRowSerializer(many=True))
    def get_results(self, told: Any) -> Any:
        return LeagueRowSerializer(told["results"], many=True, context=self.context).data
