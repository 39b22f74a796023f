"""The statistics of a club."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.filtering import LimitsSerializer, UnknownFamily, read_limits
from tournaments.api.statistics.serializers import ClubNumbersSerializer
from tournaments.api.views import BaseAPIView, ClubMixin
from tournaments.permissions import club_with_ratings, role_in
from tournaments.queries.standings import LeagueReader
from tournaments.queries.statistics import Wanted, numbers_of, rows_of_numbers


class ClubRecordsView(ClubMixin, BaseAPIView):
    read_permission = staticmethod(club_with_ratings)
    serializer_class = ClubNumbersSerializer

    @extend_schema(parameters=[LimitsSerializer])
    def get(self, request: Request, slug: str) -> Response:
        """Return champion and records of a club, and when it plays, if one may see its ratings."""
        reader = LeagueReader.of(role_in(self.http_request, self.club))
        limits = read_limits(request, self.club)
        wanted = Wanted(limits.family, str(limits.season or ""), reader)
        seasons = list(self.club.seasons.all())
        scope, sums, champion = numbers_of(self.club, request.user, wanted, seasons)
        if limits.family not in ("", scope.family):
            raise UnknownFamily
        players, games = rows_of_numbers(sums, champion)
        self.serializer_context = {"players": players, "games": games, "member": reader.member}
        hours, months = sorted(sums.hours.items()), sums.months
        numbers = {
            "limited_to": scope,
            "sums": sums,
            "champion": champion,
            "hours": [{"weekday": day, "hour": hour, "games": n} for (day, hour), n in hours],
            "months": [{"year": year, "month": month, "games": n} for year, month, n in months],
        }
        return self.respond(numbers)
