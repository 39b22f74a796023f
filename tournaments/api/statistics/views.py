"""The address of the club in numbers."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.filtering import LimitsSerializer, UnknownFamily, read_limits
from tournaments.api.statistics.serializers import ClubNumbersSerializer
from tournaments.api.views import BaseAPIView, ClubMixin
from tournaments.engine.statistics import ClubSums, Record
from tournaments.models import Club, Game, Player
from tournaments.models.clubs import DIRECTING
from tournaments.permissions import role_in
from tournaments.queries.standings import LeagueReader
from tournaments.queries.statistics import Champion, NumbersFilter, Wanted, numbers_of

Json = dict[str, Any]


def club_with_ratings(request: HttpRequest, slug: str) -> Club:
    """The club with this slug, for whoever may see its ratings; 404 for all others."""
    return get_object_or_404(Club.objects.showing_ratings_to(request.user), slug=slug)


class ClubRecordsView(ClubMixin, BaseAPIView):
    read_permission = staticmethod(club_with_ratings)
    serializer_class = ClubNumbersSerializer

    @extend_schema(parameters=[LimitsSerializer])
    def get(self, request: Request, slug: str) -> Response:
        """Champion, records, and when and how often a club plays, for who sees its ratings."""
        club = self.club
        role = role_in(self.http_request, club)
        looker = LeagueReader(member=role is not None, directs=role in DIRECTING)
        limits = read_limits(request, club)
        wanted = Wanted(limits.family, str(limits.season or ""), looker)
        numbers = numbers_of(club, request.user, wanted, list(club.seasons.all()))
        if limits.family not in ("", numbers[0].family):
            raise UnknownFamily
        return self.respond(_details(*numbers, looker))


def _details(
    scope: NumbersFilter, sums: ClubSums, champion: Champion | None, looker: LeagueReader
) -> Json:
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
        "limited_to": scope,
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


def _names(keys: Iterable[int], looker: LeagueReader) -> dict[int, Json]:
    """Players by name (1 query); only members go to their addresses."""
    return {
        pk: {
            "name": player.shown_name,
            "id": player.public_id if looker.member and player.removed_at is None else None,
        }
        for pk, player in Player.objects.in_bulk(list(keys)).items()
    }


def _record(record: Record, names: Mapping[int, Json], games: Mapping[int, str]) -> Json:
    return {
        "value": record.value,
        "players": [names[player] for player in record.players],
        "game": games[record.key],
        "at": record.at,
    }


def _champion(champion: Champion, names: Mapping[int, Json]) -> Json:
    return {
        "season": champion.season,
        "is_final": champion.is_final,
        "players": [names[player] for player in champion.players],
        "points": champion.points,
        "rating": champion.rating and champion.rating.points,
    }
