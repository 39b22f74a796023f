"""The next game at an open table."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.fields import LineField, Strict
from tournaments.api.games.serializers import (
    GameSerializer,
    MatchTermsSerializer,
    RulesetField,
    StartedGameSerializer,
)
from tournaments.api.games.starting import ruleset_of
from tournaments.api.games.writing import GONE, game_to_write, key_of, tag_of
from tournaments.api.idempotency import idempotent
from tournaments.api.views import Resource
from tournaments.engine.rules.rulesets import LONGEST_NAME, Ruleset, check_repeated, refuse
from tournaments.models import Game, Scope
from tournaments.queries.games.sheets import games_until, load_sheet, rules_of
from tournaments.services.games.playing import GameSetup
from tournaments.services.games.seating import seated, who_rests
from tournaments.services.games.tables import NextGame, Terms, start_rematch

Said = Mapping[str, Any]


class RematchSerializer(Strict):
    """The next game at an open table; omitted fields are as in the game before.

    Without `players` all people of the table play on, and where they are more than the game seats,
    those who have played the longest sit out, or whom `resting` names. Another `ruleset` begins
    with its own default options and no match; `match` is null for a game of none.
    """

    ruleset = RulesetField(required=False)
    players = serializers.ListField(
        child=LineField(max_length=LONGEST_NAME), max_length=4, required=False
    )
    resting = serializers.ListField(
        child=LineField(max_length=LONGEST_NAME), max_length=4, required=False
    )
    first_declarer = serializers.IntegerField(default=0, min_value=0, max_value=3)
    options = serializers.DictField(required=False)
    match = MatchTermsSerializer(required=False, allow_null=True)


class Rematch(Resource):
    scope = Scope.SCORE
    refusals = GONE

    @extend_schema(
        request=RematchSerializer, responses={201: StartedGameSerializer, 200: GameSerializer}
    )
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Go on with another game at the open table of a game; all its phones go there.

        201 with its keys; 200 without, and with the last game of the table, where somebody has
        gone on already.
        """
        row = game_to_write(request, public_id)
        if row.table_id is not None or row.open_table_id is None:
            # At a club's table its directors decide who plays next.
            raise Http404
        following = _following(row, self.said(RematchSerializer), request)
        key, now = key_of(request), timezone.now()
        game, opened = start_rematch(row.pk, following, at=now, key=key)
        shape, status = (StartedGameSerializer, 201) if opened else (GameSerializer, 200)
        place = request.path.replace(f"{public_id}/rematch", game.public_id)
        return self.shown(shape, load_sheet(game), status, Location=place, ETag=tag_of(game))


def _following(row: Game, said: Said, request: Request) -> NextGame:
    """Return the next game as it was asked for.

    Raises:
        InvalidEntry: unknown rules, or somebody would sit out and play, or sit out twice.
    """
    name, document, options = row.ruleset, row.document, row.options
    rules, terms = rules_of(row), _terms(row)
    if "ruleset" in said:
        rules, document = ruleset_of(said["ruleset"], request.user)
        if rules.id != name:
            name, options, terms = rules.id, {}, None
    options = said.get("options", options)
    if "match" in said:
        match = said["match"]
        terms = match and (match["length"], match["number"])
    players, resting = _people(row, said, rules.with_options(options))
    refuse(check_repeated("resting", [*dict.fromkeys(players), *resting]))
    head = GameSetup(
        name, players, said["first_declarer"], options, row.title, row.place, document=document
    )
    return NextGame(head, terms, resting)


def _terms(row: Game) -> Terms | None:
    return (row.match.length, row.match.number) if row.match else None


def _people(row: Game, said: Said, rules: Ruleset) -> tuple[list[str], list[str]]:
    """Return who plays, in their seats, and who sits out."""
    if "players" in said:
        return said["players"], said.get("resting", [])
    people = [*row.players, *row.resting]
    resting = said.get("resting")
    if resting is None:
        resting = who_rests(games_until(row), people, rules.seats)
    playing = [name for name in people if name not in resting]
    return seated(people, playing, rules.seats), list(resting)
