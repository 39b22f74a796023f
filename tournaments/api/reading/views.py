"""The address of the club in numbers."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.reading.serializers import ClubNumbersSerializer
from tournaments.api.views import Resource
from tournaments.engine.club_sums import Record
from tournaments.models import Club, Game, Player
from tournaments.models.clubs import DIRECTING
from tournaments.telling.club_numbers import Champion, ClubNumbers, Wanted, numbers_of
from tournaments.telling.league import Looker
from tournaments.visitors import role_in

Told = dict[str, Any]

LIMITS = [
    OpenApiParameter(
        "family", str, description="A kind of game, as `turkish-king`; else the one played most."
    ),
    OpenApiParameter("season", int, description="The id of a season; else all the time."),
]


class ClubRecords(Resource):
    """`/clubs/{slug}/records/`."""

    @extend_schema(parameters=LIMITS, responses=ClubNumbersSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Champion, records, and when and how often a club plays, for who sees its ratings."""
        club = get_object_or_404(Club.objects.showing_ratings_to(request.user), slug=slug)
        role = role_in(self.visitor, club)
        looker = Looker(member=role is not None, directs=role in DIRECTING)
        asked = request.query_params
        wanted = Wanted(asked.get("family", ""), asked.get("season", ""), looker)
        numbers = numbers_of(club, request.user, wanted, list(club.seasons.all()))
        return self.shown(ClubNumbersSerializer, _told(numbers, looker))


def _told(numbers: ClubNumbers, looker: Looker) -> Told:
    sums, champion = numbers.sums, numbers.champion
    records = (*sums.highest, *sums.lowest, *sums.kings, *sums.runs)
    keys = {player for record in records for player in record.players}
    keys |= {each.player for each in sums.active} | {*(champion.players if champion else ())}
    names = _names(keys, looker)
    held = (sums.highest, sums.lowest, sums.kings, sums.runs)
    named = ("highest", "lowest", "most_kings", "longest_runs_out")
    games = dict(
        Game.objects.filter(pk__in={record.key for record in records}).values_list(
            "pk", "public_id"
        )
    )
    return {
        "limited_to": numbers.scope,
        "games": sums.games,
        "players": sums.players,
        "evenings": sums.evenings,
        "champion": champion and _champion(champion, names),
        **{
            name: [_record(record, names, games) for record in best]
            for name, best in zip(named, held, strict=True)
        },
        "most_active": [
            {"player": names[a.player], "games": a.games, "evenings": a.evenings}
            for a in sums.active
        ],
        "hours": [
            {"weekday": day, "hour": hour, "games": n}
            for (day, hour), n in sorted(sums.hours.items())
        ],
        "months": [{"year": y, "month": month, "games": n} for y, month, n in sums.months],
    }


def _names(keys: Iterable[int], looker: Looker) -> dict[int, Told]:
    """Players by name (1 query); only members go to their addresses."""
    return {
        pk: {
            "name": player.shown_name,
            "id": player.public_id if looker.member and player.removed_at is None else None,
        }
        for pk, player in Player.objects.in_bulk(list(keys)).items()
    }


def _record(record: Record, names: Mapping[int, Told], games: Mapping[int, str]) -> Told:
    return {
        "value": record.value,
        "players": [names[player] for player in record.players],
        "game": games[record.key],
        "at": record.at,
    }


def _champion(champion: Champion, names: Mapping[int, Told]) -> Told:
    return {
        "season": champion.season,
        "is_final": champion.is_final,
        "players": [names[player] for player in champion.players],
        "points": champion.points,
        "rating": champion.rating and champion.rating.points,
    }
