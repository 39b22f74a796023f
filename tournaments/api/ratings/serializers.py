"""Ratings in the API."""

from typing import Any

from rest_framework import serializers

from tournaments.api.fields import LineField, MomentField
from tournaments.api.filtering import SlicedListSerializer
from tournaments.engine.rules.entries import LARGE


class LeaderboardQuerySerializer(serializers.Serializer[Any]):
    """Which leaderboard: of which kind of game, of today or a season, and which part of it.

    With `player` it is the part on which that player is.
    """

    family = serializers.CharField(
        required=False, help_text="A kind of game, as `turkish-king`; else the one played most."
    )
    season = serializers.IntegerField(required=False, min_value=1, max_value=LARGE)
    active = serializers.BooleanField(
        default=True, help_text="Only players with a game in this month or the five before."
    )
    provisional = serializers.BooleanField(
        default=False, help_text="Also players with too few games yet."
    )
    name = LineField(required=False, help_text="Part of a name.")
    player = serializers.CharField(required=False, max_length=16)
    page = serializers.IntegerField(
        default=1, min_value=1, max_value=LARGE, help_text="The number of the part, from 1."
    )


class RatingSerializer(serializers.Serializer[Any]):
    """A rating: in 19 of 20 cases the strength is within `within` of `points`."""

    points = serializers.IntegerField()
    within = serializers.IntegerField(min_value=0)
    provisional = serializers.BooleanField()


class LeaderboardLineSerializer(serializers.Serializer[Any]):
    """A player on a leaderboard; `player` and `club` are null if the reader may not know them.

    `name` is empty for a removed player. `change`, in 30 days or in the season, is null for a new
    one.
    """

    rank = serializers.IntegerField(min_value=1)
    name = serializers.CharField(allow_blank=True)
    player = serializers.CharField(allow_null=True)
    club = serializers.CharField(allow_null=True)
    rating = RatingSerializer()
    games = serializers.IntegerField(min_value=0)
    change = serializers.IntegerField(allow_null=True)


class SeasonNameSerializer(serializers.Serializer[Any]):
    """A season of the club."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()


class LeaderboardSerializer(serializers.Serializer[Any]):
    """A part of a leaderboard; `total` counts the whole of it, or those found by name."""

    family = serializers.CharField(allow_null=True)
    families = serializers.ListField(child=serializers.CharField())
    season = serializers.IntegerField(allow_null=True)
    seasons = SeasonNameSerializer(many=True)
    total = serializers.IntegerField(min_value=0)
    page = serializers.IntegerField(min_value=1)
    pages = serializers.IntegerField(min_value=1)
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = LeaderboardLineSerializer(many=True)


class RatingStepSerializer(serializers.Serializer[Any]):
    """The change of a rating by a game, made when its round was closed."""

    game = serializers.CharField()
    at = MomentField()
    before = RatingSerializer()
    after = RatingSerializer()


class RatingCurveSerializer(serializers.Serializer[Any]):
    """A rating of a player in the club, game by game, oldest first."""

    family = serializers.CharField(help_text="A kind of game, as `turkish-king`.")
    rating = RatingSerializer()
    games = serializers.IntegerField(min_value=0)
    steps = RatingStepSerializer(many=True)


class RatingCurvesSerializer(SlicedListSerializer):
    """The ratings of a player in the club, one for each kind of game."""

    results = RatingCurveSerializer(many=True)


class SeatRatedSerializer(serializers.Serializer[Any]):
    """The changes of a game at a seat; a guest, who has no rating, has only ranks."""

    name = serializers.CharField(allow_blank=True)
    before = RatingSerializer(allow_null=True)
    after = RatingSerializer(allow_null=True)
    change = serializers.IntegerField()
    expected = serializers.FloatField(help_text="The rank on average before the game.")
    rank = serializers.IntegerField(source="place", min_value=1)


class GameRatedSerializer(serializers.Serializer[Any]):
    """The changes of a game per seat; `due` if it is rated once its round is closed."""

    due = serializers.BooleanField()
    seats = SeatRatedSerializer(many=True)


class AccuracySerializer(serializers.Serializer[Any]):
    """How well ratings predicted who of two at a table ended above the other; null without pairs.

    `share` were predicted right, where a coin gets half; a lower `log_loss` is better.
    """

    pairs = serializers.IntegerField(min_value=0)
    share = serializers.FloatField(allow_null=True)
    log_loss = serializers.FloatField(allow_null=True)
    log_loss_of_a_coin = serializers.FloatField()
