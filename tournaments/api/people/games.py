"""The address of the games of a player, one by one."""

from django.db.models import F, Prefetch, Q, QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.fields import LARGEST_KEY
from tournaments.api.people.finding import PlayerResource
from tournaments.api.people.numbers_serializers import PlayerGameSerializer
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, Player, RatingChange, Visitor

Games = QuerySet[Game]


class PlayerGameFilter(filters.FilterSet):  # type: ignore[misc]
    """Which games."""

    family = filters.CharFilter(method="of_family", label="A kind of game, as `turkish-king`.")
    season = filters.NumberFilter(
        "table__round__event__season",
        min_value=1,
        max_value=LARGEST_KEY,
        label="The id of a season.",
    )
    beside = filters.CharFilter(method="with_other", label="The id of another player there.")
    finished = filters.BooleanFilter(
        "result", "isnull", exclude=True, label="Whether the game is over."
    )

    def of_family(self, games: Games, _field: str, family: str) -> Games:
        own = [name for name, rules in RULESETS.items() if rules.family == family]
        program = Q(document__isnull=True, ruleset__in=own)
        return games.filter(program | Q(document__family=family))

    def with_other(self, games: Games, _field: str, public_id: str) -> Games:
        return games.filter(seats__player__public_id=public_id)


class PlayerGames(PlayerResource):
    queryset = Game.objects.all()
    filterset_class = PlayerGameFilter
    ordering_fields = ("played_at",)
    ordering = ("-played_at",)

    @extend_schema(responses=PlayerGameSerializer(many=True))
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """The games of a player, the latest first, with what each changed in the rating."""
        games = _games_of(self.player_of(slug, public_id), request.user)
        return self.pages_of(PlayerGameSerializer, games)


def _games_of(player: Player, visitor: Visitor) -> Games:
    """Those whose ruleset there still is, each with the player's `seat`."""
    changes = RatingChange.objects.filter(
        rating__pool__club=player.club_id, rating__person=f"p{player.pk}"
    ).select_related("rating")
    known = Q(document__isnull=False) | Q(ruleset__in=list(RULESETS))
    games = Game.objects.filter(known, seats__player=player).annotate(seat=F("seats__number"))
    return (
        games.results_visible_to(visitor)
        .select_related("table__round__event")
        .prefetch_related(Prefetch("rating_changes", changes, to_attr="own_changes"))
    )
