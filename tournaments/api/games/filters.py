"""By what games are looked for."""

from django.db.models import QuerySet
from django_filters import rest_framework as filters

from tournaments.api.fields import MOMENTS
from tournaments.models import Club, Game, Player, Seat
from tournaments.permissions import account_of


class GameFilter(filters.FilterSet):  # type: ignore[misc]
    """Games of a club, an event, a round or a table, of a player, by ruleset and by time."""

    club = filters.CharFilter("table__round__event__club__slug", label="The slug of a club.")
    event = filters.CharFilter("table__round__event__public_id", label="The id of an event.")
    tournament = filters.CharFilter(
        "table__round__event__tournament__slug", label="The slug of a tournament."
    )
    round = filters.NumberFilter("table__round__number", label="The number of a round.")
    table = filters.CharFilter("table__public_id", label="The id of a table.")
    ruleset = filters.CharFilter("ruleset", label="The id of a ruleset.")
    finished = filters.BooleanFilter(
        "result", "isnull", exclude=True, label="Whether the game is over."
    )
    played_from = filters.IsoDateTimeFilter(
        "played_at", "gte", validators=MOMENTS, label="At this moment or later."
    )
    played_until = filters.IsoDateTimeFilter(
        "played_at", "lt", validators=MOMENTS, label="Before this moment, not at it."
    )
    name = filters.CharFilter(method="of_name", label="The name of a player of the club.")

    class Meta:
        model = Game
        fields: list[str] = []

    def of_name(self, games: QuerySet[Game], _field: str, name: str) -> QuerySet[Game]:
        """The games of the players who are called like that.

        Whoever is shown by initials is found by the name behind them by directors only.
        """
        found = Player.objects.present().matching(name)
        directed = Club.objects.directed_by(account_of(self.request))
        players = found.filter(initials=False) | found.filter(club__in=directed)
        return games.filter(pk__in=Seat.objects.filter(player__in=players).values("game"))
