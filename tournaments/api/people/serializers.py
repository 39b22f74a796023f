"""Players and their numbers as the API reads and writes them."""

from typing import Any

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from tournaments.api.fields import (
    LineField,
    MomentField,
    PointsField,
    StrictSerializer,
    UncachedSerializer,
)
from tournaments.api.filtering import (
    ExpandedSerializer,
    SlicedListSerializer,
    SparseFieldsSerializer,
)
from tournaments.api.ratings.serializers import RatingSerializer
from tournaments.models import Game, Player, PlayerRating, RatingChange
from tournaments.models.people import MOST_WRONG_CLAIMS
from tournaments.origin import absolute
from tournaments.queries.players import PlayerGame, account_name, game_at_seat
from tournaments.queries.ratings import displayed, displayed_points, rating_at
from tournaments.services.people.merging import Unlike
from tournaments.services.people.players import MOST_ADDED


class RatingOfPlayerSerializer(serializers.Serializer[Any]):
    """A rating of a player in the club, for a kind of game."""

    family = serializers.CharField(source="pool.family")
    rating = serializers.SerializerMethodField()
    games = serializers.IntegerField(min_value=0)

    @extend_schema_field(RatingSerializer)
    def get_rating(self, row: PlayerRating) -> Any:
        return RatingSerializer(displayed(rating_at(row, timezone.now()))).data


class PlayerExpandedSerializer(ExpandedSerializer):
    """More about a player."""

    ratings = RatingOfPlayerSerializer(many=True, source="club_ratings", required=False)


class PlayerSerializer(SparseFieldsSerializer):
    """A player of a club; the whole `name`, and the `account`, are for directors.

    Others read `shown_name` as the name: the name as the player wants to be shown.
    """

    id = serializers.CharField(source="public_id")
    name = serializers.SerializerMethodField()
    shown_name = serializers.CharField()
    initials = serializers.BooleanField()
    mine = serializers.SerializerMethodField()
    account = serializers.SerializerMethodField()
    created_at = MomentField()
    expanded = PlayerExpandedSerializer(source="*", required=False)

    expandable = ("ratings",)

    def get_name(self, player: Player) -> str:
        return player.name if self.context["view"].directs else player.shown_name

    def get_mine(self, player: Player) -> bool:
        user = self.context["request"].user
        return player.account_id is not None and player.account_id == user.pk

    def get_account(self, player: Player) -> str | None:
        if player.account is None or not self.context["view"].directs:
            return None
        return account_name(player.account)


class MergedPlayerSerializer(serializers.Serializer[Any]):
    """A player who was merged into another one; undo it at `merges/{id}/undo/`."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField(source="gone.name")
    at = MomentField()


@extend_schema_serializer(component_name="OnePlayer")
class PlayerDetailSerializer(PlayerSerializer):
    """A player, for directors with those who were merged into them."""

    merges = serializers.SerializerMethodField()

    @extend_schema_field(MergedPlayerSerializer(many=True))
    def get_merges(self, player: Player) -> list[Any]:
        if not self.context["view"].directs:
            return []
        rows = player.merges.filter(undone_at=None).select_related("gone")
        return list(MergedPlayerSerializer(rows, many=True).data)


class NewPlayersSerializer(StrictSerializer):
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


class ChangedPlayerSerializer(StrictSerializer):
    """The changes to a player: the name, or whether they are shown by initials."""

    name = LineField()
    initials = serializers.BooleanField()


class PlayerCardSerializer(UncachedSerializer):
    """How a person claims a player: on the page `link`, or by typing the `code`.

    `spoiled` says that the code was typed wrongly too often. The link still works.
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


class OtherPlayerSerializer(StrictSerializer):
    """The id of another player of the club."""

    other = serializers.CharField(max_length=16)


class MergePreviewSerializer(serializers.Serializer[Any]):
    """The effect of a merge: `games` move; `why_not` gives the reason if it is impossible."""

    kept = serializers.CharField(source="player.public_id")
    gone = serializers.CharField(source="other.public_id")
    name = serializers.CharField(source="player.name")
    gone_name = serializers.CharField(source="other.name")
    games = serializers.IntegerField()
    why_not = serializers.ChoiceField([(w.value, w.name) for w in Unlike], allow_null=True)


class PlayerDataSerializer(serializers.Serializer[Any]):
    """A `kingscore-player/1` document: all data stored about a player."""

    format = serializers.CharField()
    exported_at = MomentField()
    player = serializers.DictField()
    club = serializers.DictField()
    account = serializers.DictField(allow_null=True)
    games = serializers.ListField(child=serializers.DictField())
    tournaments = serializers.ListField(child=serializers.DictField())
    ratings = serializers.ListField(child=serializers.DictField())
    changes = serializers.ListField(child=serializers.DictField())
    notifications = serializers.ListField(child=serializers.DictField())


class FamilyGamesSerializer(serializers.Serializer[Any]):
    """A kind of game, as `turkish-king`, and how many games of it there are."""

    family = serializers.CharField(source="key")
    games = serializers.IntegerField()


class SeasonGamesSerializer(serializers.Serializer[Any]):
    """A season and how many games of the kind it has."""

    id = serializers.IntegerField(source="key")
    name = serializers.CharField()
    games = serializers.IntegerField()


class FigureLimitsSerializer(serializers.Serializer[Any]):
    """The limits of the numbers: a kind of game, perhaps a season, and the possible ones."""

    family = serializers.CharField()
    season = serializers.IntegerField(allow_null=True)
    families = FamilyGamesSerializer(many=True)
    seasons = SeasonGamesSerializer(many=True)


class PlayerRatingSerializer(serializers.Serializer[Any]):
    """A rating: in 19 of 20 cases the strength is within `within` of `points`."""

    points = serializers.IntegerField()
    within = serializers.IntegerField()
    provisional = serializers.BooleanField()


class StandingRatingSerializer(PlayerRatingSerializer):
    """The rating in the club; `rank` among `ranked` is null for a player who is not on the list."""

    points = serializers.IntegerField(source="now.points")
    within = serializers.IntegerField(source="now.within")
    provisional = serializers.BooleanField(source="now.provisional")
    games = serializers.IntegerField()
    rank = serializers.IntegerField(allow_null=True)
    ranked = serializers.IntegerField()
    on_server = PlayerRatingSerializer(allow_null=True)


class RankGamesSerializer(serializers.Serializer[Any]):
    """How often a player took a rank in games with so many sides."""

    sides = serializers.IntegerField()
    rank = serializers.IntegerField(min_value=1)
    games = serializers.IntegerField()


class ContractPointsSerializer(serializers.Serializer[Any]):
    """Deals of a contract declared by the player, and other ones, with the points in them."""

    contract = serializers.CharField()
    declared = serializers.IntegerField()
    declared_points = PointsField()
    others = serializers.IntegerField()
    others_points = PointsField()
    favourite = serializers.BooleanField()


class BadgeCountSerializer(serializers.Serializer[Any]):
    """A badge, and how often it was earned."""

    badge = serializers.CharField()
    name = serializers.CharField()
    meaning = serializers.CharField()
    number = serializers.IntegerField()


class ExtremeGameSerializer(serializers.Serializer[Any]):
    """The best or the worst game of a player."""

    id = serializers.SerializerMethodField()
    played_at = MomentField(source="at")
    rank = serializers.IntegerField(source="place", min_value=1)
    points = PointsField()

    def get_id(self, game: PlayerGame) -> str:
        rows: dict[int, Game] = self.context["rows"]
        return rows[game.pk].public_id


class PlayerNumbersSerializer(serializers.Serializer[Any]):
    """The sums of a player's finished games; `out` and `sunk` count games with an exit."""

    limited_to = FigureLimitsSerializer()
    rating = StandingRatingSerializer(allow_null=True)
    games = serializers.IntegerField(source="sums.games")
    points = PointsField(source="sums.points")
    won = serializers.IntegerField(source="sums.won")
    out = serializers.IntegerField(source="sums.out")
    sunk = serializers.IntegerField(source="sums.sunk")
    kings = serializers.IntegerField(source="sums.kings")
    ranks = RankGamesSerializer(many=True)
    contracts = ContractPointsSerializer(many=True)
    badges = BadgeCountSerializer(many=True)
    best = ExtremeGameSerializer(source="sums.best", allow_null=True)
    worst = ExtremeGameSerializer(source="sums.worst", allow_null=True)


class HeadToHeadGamesSerializer(serializers.Serializer[Any]):
    """Finished games with another player: above, level or below them, or together as a pair."""

    games = serializers.IntegerField()
    above = serializers.IntegerField()
    level = serializers.IntegerField()
    below = serializers.IntegerField()
    together = serializers.IntegerField()
    together_won = serializers.IntegerField()


class OpponentSerializer(serializers.Serializer[Any]):
    """An opponent or partner at tables; a removed player has neither id nor name."""

    id = serializers.SerializerMethodField()
    name = serializers.SerializerMethodField()
    meeting = HeadToHeadGamesSerializer()

    def get_id(self, details: dict[str, Any]) -> str | None:
        player: Player | None = details["player"]
        return None if player is None or player.removed_at is not None else player.public_id

    def get_name(self, details: dict[str, Any]) -> str:
        player: Player | None = details["player"]
        if player is None:
            return ""
        return player.name if self.context["view"].directs else player.shown_name


class OpponentsSerializer(SlicedListSerializer):
    """Everybody a player has met, the most frequent first."""

    limited_to = FigureLimitsSerializer()
    results = OpponentSerializer(many=True)


class WinningChanceSerializer(serializers.Serializer[Any]):
    """The chance, in hundredths, to end above the other player, by today's ratings."""

    above = serializers.IntegerField()
    own = PlayerRatingSerializer()
    other = PlayerRatingSerializer()


class ComparedPointsSerializer(serializers.Serializer[Any]):
    """Points and ranks of both, added up over the games in which they were no pair."""

    games = serializers.IntegerField()
    points = PointsField()
    other_points = PointsField()
    ranks = serializers.IntegerField(source="places")
    other_ranks = serializers.IntegerField(source="other_places")


class HeadToHeadSerializer(serializers.Serializer[Any]):
    """A player beside another one; their games are at `games/?beside=` of either."""

    limited_to = FigureLimitsSerializer()
    id = serializers.CharField()
    name = serializers.CharField()
    other = serializers.CharField()
    other_name = serializers.CharField()
    meeting = HeadToHeadGamesSerializer()
    compared = ComparedPointsSerializer()
    chance = WinningChanceSerializer(allow_null=True)


class TableOfGameSerializer(serializers.Serializer[Any]):
    """The place of a game."""

    event = serializers.CharField(source="round.event.public_id")
    event_name = serializers.CharField(source="round.event.name")
    round = serializers.IntegerField(source="round.number")
    table = serializers.IntegerField(source="number")
    id = serializers.CharField(source="public_id")


class PlayerGameSerializer(serializers.Serializer[Any]):
    """A game of a player, with their seat and result.

    Rank and points are null while it goes on, `rating` and `change` where it did not count.
    """

    id = serializers.CharField(source="public_id")
    played_at = MomentField()
    ruleset = serializers.CharField()
    at = TableOfGameSerializer(source="table", allow_null=True)
    players = serializers.ListField(child=serializers.CharField())
    seat = serializers.IntegerField()
    rank = serializers.SerializerMethodField()
    points = serializers.SerializerMethodField()
    change = serializers.SerializerMethodField()
    rating = serializers.SerializerMethodField()

    def get_rank(self, row: Game) -> int | None:
        game = game_at_seat(row, row.seat)  # type: ignore[attr-defined]  # annotated
        return game.place if game.finished else None

    @extend_schema_field(PointsField(allow_null=True))
    def get_points(self, row: Game) -> int | str | None:
        game = game_at_seat(row, row.seat)  # type: ignore[attr-defined]  # annotated
        return PointsField().to_representation(game.points) if game.finished else None

    def get_change(self, row: Game) -> int | None:
        step = _step(row)
        return displayed_points(step.after) - displayed_points(step.before) if step else None

    @extend_schema_field(PlayerRatingSerializer(allow_null=True))
    def get_rating(self, row: Game) -> dict[str, Any] | None:
        step = _step(row)
        return PlayerRatingSerializer(displayed(step.after)).data if step else None


def _step(row: Game) -> RatingChange | None:
    return next(iter(row.own_changes), None)  # type: ignore[attr-defined]
