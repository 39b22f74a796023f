"""The statistics of a club in the API."""

from typing import Any

from rest_framework import serializers

from tournaments.api.fields import Moment, PointsField


class NamedPlayerSerializer(serializers.Serializer[Any]):
    """A player; `id` is null for who is no member, and of whoever was removed, without a name."""

    name = serializers.CharField(allow_blank=True)
    id = serializers.CharField(allow_null=True)


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
    players = NamedPlayerSerializer(many=True)
    game = serializers.CharField()
    at = Moment()


class ActivePlayerSerializer(serializers.Serializer[Any]):
    """A player with the numbers of games and evenings."""

    player = NamedPlayerSerializer()
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
    players = NamedPlayerSerializer(many=True)
    points = PointsField(allow_null=True)
    rating = serializers.IntegerField(allow_null=True)


class ClubNumbersSerializer(serializers.Serializer[Any]):
    """The statistics of a club in one kind of game."""

    limited_to = ScopeSerializer()
    games = serializers.IntegerField(min_value=0)
    players = serializers.IntegerField(min_value=0)
    evenings = serializers.IntegerField(min_value=0)
    champion = SeasonLeaderSerializer(allow_null=True)
    highest = RecordValueSerializer(many=True)
    lowest = RecordValueSerializer(many=True)
    most_kings = RecordValueSerializer(many=True)
    longest_runs_out = RecordValueSerializer(many=True)
    most_active = ActivePlayerSerializer(many=True)
    hours = HourGamesSerializer(many=True)
    months = PlayedMonthSerializer(many=True)
