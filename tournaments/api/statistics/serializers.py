"""The statistics of a club in the API."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.fields import MomentField, PointsField
from tournaments.engine.statistics import Record
from tournaments.models import Player


class NamedPlayerSerializer(serializers.Serializer[Any]):
    """A player by name; `id` is null for readers outside the club, and for removed players."""

    name = serializers.CharField(allow_blank=True)
    id = serializers.CharField(allow_null=True)


@extend_schema_field(NamedPlayerSerializer)
class NamedPlayerField(serializers.Field[int, Any, dict[str, Any], Any]):
    """A player by their key; only members go to their addresses."""

    def to_representation(self, value: int) -> dict[str, Any]:
        player: Player = self.context["players"][value]
        has_id = self.context["member"] and player.removed_at is None
        return {"name": player.shown_name, "id": player.public_id if has_id else None}


class PlayedFamilySerializer(serializers.Serializer[Any]):
    """A kind of game with how many were played."""

    family = serializers.CharField(source="key")
    games = serializers.IntegerField(min_value=0)


class PlayedSeasonSerializer(serializers.Serializer[Any]):
    """A season with how many games it had."""

    id = serializers.IntegerField(source="key")
    name = serializers.CharField()
    games = serializers.IntegerField(min_value=0)


class ScopeSerializer(serializers.Serializer[Any]):
    """The limits of the numbers, and the possible ones."""

    family = serializers.CharField(allow_blank=True)
    season = serializers.IntegerField(allow_null=True)
    families = PlayedFamilySerializer(many=True)
    seasons = PlayedSeasonSerializer(many=True)


class RecordValueSerializer(serializers.Serializer[Any]):
    """A record: its value, holder and game, begun `at`."""

    value = PointsField()
    players = serializers.ListField(child=NamedPlayerField())
    game = serializers.SerializerMethodField()
    at = MomentField()

    def get_game(self, record: Record) -> str:
        games: dict[int, str] = self.context["games"]
        return games[record.key]


class ActivePlayerSerializer(serializers.Serializer[Any]):
    """A player with the numbers of games and evenings."""

    player = NamedPlayerField()
    games = serializers.IntegerField(min_value=0)
    evenings = serializers.IntegerField(min_value=0)


class HourGamesSerializer(serializers.Serializer[Any]):
    """How many games began in an hour of a day of the week, from Monday, 0."""

    weekday = serializers.IntegerField(min_value=0, max_value=6)
    hour = serializers.IntegerField(min_value=0, max_value=23)
    games = serializers.IntegerField(min_value=0)


class PlayedMonthSerializer(serializers.Serializer[Any]):
    """How many games were played in a month."""

    year = serializers.IntegerField()
    month = serializers.IntegerField(min_value=1, max_value=12)
    games = serializers.IntegerField(min_value=0)


class SeasonLeaderSerializer(serializers.Serializer[Any]):
    """The leader or winner of a season: by the `points` of its league, else by `rating`."""

    season = serializers.CharField()
    is_final = serializers.BooleanField()
    players = serializers.ListField(child=NamedPlayerField())
    points = PointsField(allow_null=True)
    rating = serializers.IntegerField(source="rating.points", allow_null=True)


class ClubNumbersSerializer(serializers.Serializer[Any]):
    """The statistics of a club in one kind of game."""

    limited_to = ScopeSerializer()
    games = serializers.IntegerField(source="sums.games", min_value=0)
    players = serializers.IntegerField(source="sums.players", min_value=0)
    evenings = serializers.IntegerField(source="sums.evenings", min_value=0)
    champion = SeasonLeaderSerializer(allow_null=True)
    highest = RecordValueSerializer(source="sums.highest", many=True)
    lowest = RecordValueSerializer(source="sums.lowest", many=True)
    most_kings = RecordValueSerializer(source="sums.kings", many=True)
    longest_runs_out = RecordValueSerializer(source="sums.runs", many=True)
    most_active = ActivePlayerSerializer(source="sums.active", many=True)
    hours = HourGamesSerializer(many=True)
    months = PlayedMonthSerializer(many=True)
