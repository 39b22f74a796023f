"""Addresses of standings, of their explanation, and of the league of a season."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.filtering import expanding
from tournaments.api.standings.serializers import (
    LeagueSerializer,
    RankExplanationSerializer,
    StandingsRowSerializer,
    StandingsSerializer,
)
from tournaments.api.views import BaseAPIView, ClubMixin, TournamentMixin
from tournaments.engine.standings.tournament_settings import SECTIONS
from tournaments.permissions import role_in
from tournaments.queries import standings as queries
from tournaments.queries.overview import list_entrants, with_ratings
from tournaments.queries.state import load_state

LARGEST = 999


class StandingsQuerySerializer(serializers.Serializer[Any]):
    after = serializers.IntegerField(
        min_value=1, max_value=LARGEST, required=False, help_text="As they were after this round."
    )
    only = serializers.IntegerField(
        min_value=1, max_value=LARGEST, required=False, help_text="Those of this round alone."
    )
    section = serializers.ChoiceField(
        choices=list(SECTIONS), required=False, help_text="Those of this section alone."
    )


class StandingsView(TournamentMixin, BaseAPIView):
    serializer_class = StandingsSerializer
    chosen = StandingsRowSerializer

    @extend_schema(parameters=[StandingsQuerySerializer])
    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the standings: those of now, after a round, or of one round alone.

        A hidden round counts for directors only.
        """
        query = self.get_query(StandingsQuerySerializer)
        state = load_state(self.tournament)
        seen = queries.standings_seen(state, directs=self.directs, **query)
        context = {
            "state": state,
            "reached": queries.stages_reached(state, seen.until),
            "directs": self.directs,
            "member": self.role is not None,
        }
        if expanding(request):
            listed = list_entrants(self.tournament, directs=self.directs)
            lines = with_ratings(listed, self.tournament, request.user).lines
            context["lines"] = {line.entrant.key: line for line in lines}
        self.serializer_context = context
        return self.respond(seen)


class RankExplanationView(TournamentMixin, BaseAPIView):
    serializer_class = RankExplanationSerializer

    @extend_schema("clubs_tournaments_standings_entrant_read")
    def get(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Explain the rank of an entrant: return the parts of the sum."""
        state = load_state(self.tournament)
        after = queries.last_counted(state, directs=self.directs)
        try:
            why = queries.why_placed(state, f"e{number}", after)
        except KeyError as error:
            raise Http404 from error
        self.serializer_context = {"state": state, "reached": queries.stages_reached(state, after)}
        return self.respond({**why, "after": after})


class LeagueView(ClubMixin, BaseAPIView):
    serializer_class = LeagueSerializer

    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Return the league of a season, from the tournaments that the reader may see."""
        season = get_object_or_404(self.club.seasons, pk=pk)
        reader = queries.LeagueReader.of(role_in(self.http_request, self.club))
        found = queries.league_of(
            season, list(queries.tournaments_of(season, request.user)), reader
        )
        self.serializer_context = {"people": found.people, "member": reader.member}
        details = {"season": season, "evenings": found.evenings, "results": found.rows}
        details["mixed"] = found.mixed
        return self.respond(details)
