"""Players as the API reads and writes them."""

from typing import Any

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.choosing import Chosen, Expanded
from tournaments.api.fields import LineField, Moment, Strict, UncachedSerializer
from tournaments.api.ratings.serializers import RatingSerializer
from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.models import Player, PlayerRating
from tournaments.models.people import MOST_WRONG_CLAIMS
from tournaments.origin import absolute
from tournaments.queries.people.players import account_name
from tournaments.queries.ratings.ratings import rating_at, shown
from tournaments.services.people.merging import Unlike
from tournaments.services.people.players import MOST_ADDED


class RatingOfPlayerSerializer(serializers.Serializer[Any]):
    """A rating of a player in the club, for a kind of game."""

    family = serializers.CharField(source="pool.family")
    rating = serializers.SerializerMethodField()
    games = serializers.IntegerField(min_value=0)

    @extend_schema_field(RatingSerializer)
    def get_rating(self, row: PlayerRating) -> Any:
        return RatingSerializer(shown(rating_at(row, timezone.now()))).data


class PlayerExpandedSerializer(Expanded):
    """More about a player."""

    ratings = RatingOfPlayerSerializer(many=True, source="club_ratings", required=False)


class PlayerSerializer(Chosen):
    """A player of a club; the whole `name`, and the `account`, are for directors.

    Others read the name as the player wants to be shown, which is `shown_name`.
    """

    id = serializers.CharField(source="public_id")
    name = serializers.SerializerMethodField()
    shown_name = serializers.CharField()
    initials = serializers.BooleanField()
    mine = serializers.SerializerMethodField()
    account = serializers.SerializerMethodField()
    created_at = Moment()
    expanded = PlayerExpandedSerializer(source="*", required=False)

    expandable = ("ratings",)

    def get_name(self, player: Player) -> str:
        return player.name if self.context["directs"] else player.shown_name

    def get_mine(self, player: Player) -> bool:
        user = self.context["request"].user
        return player.account_id is not None and player.account_id == user.pk

    def get_account(self, player: Player) -> str | None:
        if player.account is None or not self.context["directs"]:
            return None
        return account_name(player.account)


class MergedPlayerSerializer(serializers.Serializer[Any]):
    """A player who was merged into another one; parted again at `merges/{id}/undo/`."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField(source="gone.name")
    at = Moment()


class OnePlayerSerializer(PlayerSerializer):
    """A player, for directors with those who were merged into them."""

    merges = serializers.SerializerMethodField()

    @extend_schema_field(MergedPlayerSerializer(many=True))
    def get_merges(self, player: Player) -> list[Any]:
        if not self.context["directs"]:
            return []
        rows = player.merges.filter(undone_at=None).select_related("gone")
        return list(MergedPlayerSerializer(rows, many=True).data)


class NewPlayersSerializer(Strict):
    """Names of players to be added, all or none."""

    names = serializers.ListField(
        # What is no name is said of its line by the service.
        child=LineField(max_length=200, allow_blank=True),
        min_length=1,
        max_length=MOST_ADDED,
    )


class AddedPlayersSerializer(serializers.Serializer[Any]):
    """Players who were added, in the order of their names in the request."""

    results = PlayerSerializer(many=True)


class ChangedPlayerSerializer(Strict):
    """Another name, or another way of being shown."""

    name = LineField(max_length=LONGEST_NAME)
    initials = serializers.BooleanField()


class PlayerCardSerializer(UncachedSerializer):
    """With what a person comes to their player: the page `link`, or the `code` to be typed.

    `spoiled` says that the code was typed wrongly too often; the link works still.
    """

    id = serializers.CharField(source="public_id")
    link = serializers.SerializerMethodField()
    secret = serializers.CharField(source="claim_secret")
    code = serializers.CharField(source="claim_code")
    spoiled = serializers.SerializerMethodField()

    @extend_schema_field(serializers.URLField())
    def get_link(self, player: Player) -> str:
        place = reverse("claim", args=[player.public_id, player.claim_secret])
        return absolute(self.context["request"], place)

    def get_spoiled(self, player: Player) -> bool:
        return player.wrong_claims >= MOST_WRONG_CLAIMS


class OtherPlayerSerializer(Strict):
    """The id of another player of the club."""

    other = serializers.CharField(max_length=16)


class MergePreviewSerializer(serializers.Serializer[Any]):
    """The effect of a merge: `games` move; `why_not` gives the reason if it is impossible."""

    kept = serializers.CharField(source="kept.public_id")
    gone = serializers.CharField(source="gone.public_id")
    name = serializers.CharField(source="kept.name")
    gone_name = serializers.CharField(source="gone.name")
    games = serializers.IntegerField()
    why_not = serializers.ChoiceField([(w.value, w.name) for w in Unlike], allow_null=True)


class PlayerDataSerializer(serializers.Serializer[Any]):
    """A `kingscore-player/1` document: all that is kept about a player."""

    format = serializers.CharField()
    exported_at = Moment()
    player = serializers.DictField()
    club = serializers.DictField()
    account = serializers.DictField(allow_null=True)
    games = serializers.ListField(child=serializers.DictField())
    tournaments = serializers.ListField(child=serializers.DictField())
    ratings = serializers.ListField(child=serializers.DictField())
    changes = serializers.ListField(child=serializers.DictField())
    notifications = serializers.ListField(child=serializers.DictField())
