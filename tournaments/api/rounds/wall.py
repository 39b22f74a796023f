"""The address of what hangs on the wall: the round that is played now, for everybody there."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.fields import PointsField
from tournaments.api.games.clocks import ClockSerializer, clock_details
from tournaments.api.rounds.views import OfRound
from tournaments.api.tournaments.serializers import RoundLineSerializer
from tournaments.models import Round
from tournaments.presenters.rounds.wall import seated, shown_round, still_playing, top_places
from tournaments.queries.tournaments.state import TournamentState, load_state


class WallTableSerializer(serializers.Serializer[Any]):
    """A table and who sits there; without a number it is of those who sit out."""

    number = serializers.IntegerField(allow_null=True)
    names = serializers.ListField(child=serializers.CharField())
    section = serializers.CharField()


class WallPlaceSerializer(serializers.Serializer[Any]):
    """Somebody in front; `stage` of the finals is empty where they play none.

    Who is `through` plays it next. The leaders of each `section` come together.
    """

    rank = serializers.IntegerField(min_value=1)
    name = serializers.CharField()
    points = PointsField()
    stage = serializers.CharField()
    through = serializers.BooleanField()
    section = serializers.CharField()


class WallDisplaySerializer(serializers.Serializer[Any]):
    """The wall display: the published round in play, or the last one.

    `tables` is empty once it is over; `standings` are those after the last closed round that all
    may see; `going` are the tables of an open round that still play.
    """

    name = serializers.CharField()
    round = RoundLineSerializer(allow_null=True)
    clock = ClockSerializer(allow_null=True)
    tables = WallTableSerializer(many=True)
    standings = WallPlaceSerializer(many=True)
    going = serializers.ListField(child=serializers.IntegerField())


class Wall(OfRound):
    @extend_schema(responses=WallDisplaySerializer)
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """Return the seats, the leaders and the tables still playing."""
        self.see(slug, tournament)
        state = load_state(self.row)
        return self.shown(WallDisplaySerializer, _wall(state, shown_round(state)))


def _wall(state: TournamentState, round_: Round | None) -> dict[str, Any]:
    going = round_ is not None and round_.closed_at is None
    return {
        "name": state.tournament.event.name,
        "round": round_,
        "clock": None if round_ is None else clock_details(round_, timezone.now()),
        "tables": [
            {"number": each.number, "names": each.names, "section": each.section}
            for each in (seated(state, round_) if round_ is not None and going else ())
        ],
        "standings": top_places(state),
        "going": still_playing(round_) if round_ is not None and round_.is_open else [],
    }
