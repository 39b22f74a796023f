"""Addresses of the seating of a round, and of its line-ups."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.fields import LineField, Strict
from tournaments.api.filtering import PAGES
from tournaments.api.rounds.serializers import (
    EntrantNumbersField,
    ExchangeSerializer,
    ExpectedResultsSerializer,
    LatePreviewSerializer,
    LateSeatingSerializer,
    LateSerializer,
    NewSeatingSerializer,
    PublishSerializer,
    SeatAgainSerializer,
    SeatingSerializer,
    SwapAskedSerializer,
    SwapPreviewSerializer,
    SwapSerializer,
    TakeBackSerializer,
)
from tournaments.api.rounds.views import OfRound
from tournaments.api.views import Resource, idempotent
from tournaments.engine.pairing.judging import InvalidSeating, Seating, judge
from tournaments.engine.rules.entries import SMALL
from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.engine.standings.tournament_settings import LARGEST_LINE_UP
from tournaments.models import Round, Tournament
from tournaments.models.clubs import DIRECTING
from tournaments.permissions import directed_tournament, role_in, seen_tournament
from tournaments.queries.ratings import outlooks
from tournaments.queries.state import SeatedRound, TournamentState, load_state
from tournaments.queries.tables import TeamLineUp, line_ups_of
from tournaments.services.rounds.changes import (
    Exchange,
    Replacement,
    change_late,
    exchange_seats,
    replace_player,
    swap_of,
    swap_seats,
    who_can_come,
)
from tournaments.services.rounds.proposals import (
    LineUp,
    Presence,
    key_of,
    number_of,
    outdated_at,
    presence_at,
    put_line_up,
)
from tournaments.services.rounds.seating import (
    SeatingDraft,
    field_seated,
    lock_drawn,
    publish_round,
    put_seating,
    seat_again,
    seat_next_round,
    take_back_round,
)
from tournaments.services.tournaments.lifecycle import WrongState, lock_tournament
from tournaments.texts.labels import ABSENCES


class OfSeating(OfRound):
    """Base of the addresses of a seating."""

    def seating_of(self, row: Tournament, number: int) -> SeatedRound:
        """Return the seating of a round with its details."""
        state = load_state(row)
        seated = next(each for each in state.seated_rounds if each.row.number == number)
        self.more = {
            "state": state,
            "judged": _judged(state, seated.row),
            "presence": _presence(state, seated) if self.directs else None,
            "outdated": outdated_at(state, seated) if self.directs else None,
        }
        return seated

    def seating_shown(self, round_: Round, status: int = 200, **headers: str) -> Response:
        self.row.refresh_from_db()
        seated = self.seating_of(self.row, round_.number)
        return self.shown(SeatingSerializer, seated, status, **headers)


def _judged(state: TournamentState, round_: Round) -> Seating | None:
    """How good a proposal is; None once it is published, or somebody of it is gone."""
    seating = round_.seating or {"tables": [], "byes": []}
    if round_.published_at is not None:
        return None
    try:
        return judge(field_seated(state, round_), seating["tables"], seating["byes"])
    except (InvalidSeating, KeyError):
        return None


def _presence(state: TournamentState, seated: SeatedRound) -> Presence | None:
    """Compare check-in with the next round to be published; None for any other round."""
    proposed = next((each for each in state.seated_rounds if each.row.published_at is None), None)
    return presence_at(state, seated) if proposed is seated else None


class SeatNext(OfSeating):
    @extend_schema(request=None, responses={201: SeatingSerializer})
    @idempotent
    def post(self, request: Request, slug: str, tournament: str) -> Response:
        """Seat the next round, to be looked at; where one is seated already, it is that one."""
        self.row, self.directs = directed_tournament(self.visitor, slug, tournament), True
        round_ = seat_next_round(self.row.pk, self.actor, at=timezone.now())
        where = reverse("api:seating", args=[slug, tournament, round_.number])
        return self.seating_shown(round_, 201, Location=where)


class OneSeating(OfSeating):
    @extend_schema(responses=SeatingSerializer)
    def get(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Return the seats; of a proposal, which only directors see, also quality and reasons."""
        self.see(slug, tournament, number)
        return self.shown(SeatingSerializer, self.seating_of(self.row, number))

    @extend_schema(request=NewSeatingSerializer, responses=SeatingSerializer)
    def put(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Replace a proposal by what a director has made of it."""
        self.direct(slug, tournament, number)
        draft = _draft(self.said(NewSeatingSerializer))
        with transaction.atomic():
            row, round_ = lock_drawn(self.round_.pk)
            self.check_unchanged(SeatingSerializer, self.seating_of(row, number))
            put_seating(round_.pk, draft, self.actor, at=timezone.now())
        return self.seating_shown(round_)


def _draft(said: Mapping[str, Any]) -> SeatingDraft:
    """A seating as it was sent; its tables count from 1 there, and from 0 within."""
    tables = [[key_of(number) for number in table] for table in said["tables"]]
    byes = [key_of(number) for number in said["byes"]]
    return SeatingDraft(tables, byes, _places(said["locked"], len(tables)))


def _places(numbers: list[int], most: int) -> list[int]:
    return sorted({number - 1 for number in numbers if number <= most})


class Swap(OfSeating):
    # Of a seating that stands already, also where it is only read.
    refusals = ("409",)

    @extend_schema(parameters=[SwapAskedSerializer], responses=SwapPreviewSerializer)
    def get(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Preview the swap of two entrants of a proposal."""
        self.direct(slug, tournament, number)
        asked = SwapAskedSerializer(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        said = asked.validated_data
        if self.round_.published_at is not None:
            raise WrongState(self.round_.state)
        keys = key_of(said["one"]), key_of(said["other"])
        swapped = swap_of(load_state(self.row), self.round_, *keys)
        details = {"changes": swapped.changes, "quality": swapped.seating.quality}
        return self.shown(SwapPreviewSerializer, said | details)

    @extend_schema(request=SwapSerializer, responses=SeatingSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Let two entrants change places, in the seating as it was seen."""
        self.direct(slug, tournament, number)
        said = self.said(SwapSerializer)
        keys, seen = (key_of(said["one"]), key_of(said["other"])), said["revision"]
        return self.seating_shown(
            swap_seats(self.round_.pk, *keys, self.actor, seen=seen, at=timezone.now())
        )


class ExchangeChairs(OfSeating):
    @extend_schema(request=ExchangeSerializer, responses=SeatingSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Exchange chairs in a round, whether it is proposed, published, begun, played or closed.

        Cards and addresses of the tables stay valid; results and ratings are computed again.
        """
        self.direct(slug, tournament, number)
        said = self.said(ExchangeSerializer)
        exchange = Exchange(
            [key_of(each) for each in said["entrants"]], said["entries"] == "people"
        )
        return self.seating_shown(
            exchange_seats(
                self.round_.pk, exchange, self.actor, seen=said["revision"], at=timezone.now()
            )
        )


class Again(OfSeating):
    @extend_schema(request=SeatAgainSerializer, responses=SeatingSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Seat everybody who is there once more, but for the locked tables.

        Entrants to take in count as here from now on.
        """
        self.direct(slug, tournament, number)
        said = self.said(SeatAgainSerializer)
        locked, more = [n - 1 for n in said["locked"]], [key_of(n) for n in said["take_in"]]
        return self.seating_shown(
            seat_again(self.round_.pk, locked, self.actor, at=timezone.now(), taking_in=more)
        )


class Publish(OfSeating):
    @extend_schema(request=PublishSerializer, responses=SeatingSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Lay the tables, and let everybody see who sits where.

        Refused where it is not of those who are here, unless it is to be published all the same;
        and where results or settings have changed since it was drawn, unless what has changed is
        accepted. A final is seated again instead.
        """
        self.direct(slug, tournament, number)
        wanted = self.said(PublishSerializer)
        return self.seating_shown(
            publish_round(self.round_.pk, self.actor, at=timezone.now(), **wanted)
        )


class TakeBack(OfSeating):
    @extend_schema(request=TakeBackSerializer, responses=SeatingSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Make a published round a proposal again; the cards of its tables stay valid.

        Refused where something is written, unless exactly so many `entries` are to be deleted.
        """
        self.direct(slug, tournament, number)
        entries = self.said(TakeBackSerializer)["entries"]
        return self.seating_shown(
            take_back_round(self.round_.pk, self.actor, at=timezone.now(), entries=entries)
        )


class Late(OfSeating):
    @extend_schema(responses=LatePreviewSerializer)
    def get(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """List entrants that can be added to a published round, and that can be removed."""
        self.direct(slug, tournament, number)
        if self.round_.state not in ("published", "open"):
            raise WrongState(self.round_.state)
        seated = self.seating_of(self.row, number)
        here = [*(key for table in seated.tables for key in table.entrants), *seated.byes]
        coming = who_can_come(self.more["state"], seated)
        details = {
            "arriving": [each.number for each in coming],
            "leaving": sorted(number_of(key) for key in here),
        }
        return self.shown(LatePreviewSerializer, details)

    @extend_schema(request=LateSerializer, responses=LateSeatingSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Seat who has come late, and do without who has left; few tables change."""
        self.direct(slug, tournament, number)
        said = self.said(LateSerializer)
        pks = dict(self.row.entrants.values_list("number", "pk"))
        # One that there is not is nobody's key, and refused as such.
        who = {name: [pks.get(each, 0) for each in said[name]] for name in said}
        stood = self.seating_of(self.row, number).tables
        done = change_late(self.round_.pk, self.actor, at=timezone.now(), **who)
        self.row.refresh_from_db()
        seated = self.seating_of(self.row, number)
        last = stood[-1].number if stood else 0
        numbers = [table.number for table in stood]
        numbers += range(last + 1, last + 1 + len(done.tables) - len(stood))
        self.more["changed"] = sorted(numbers[place] for place in done.changed)
        return self.shown(LateSeatingSerializer, seated)


class Outlooks(OfSeating):
    @extend_schema(parameters=PAGES, responses=ExpectedResultsSerializer)
    def get(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """The expected results of a round in play, for readers who may see the ratings."""
        self.see(slug, tournament, number)
        seated = self.seating_of(self.row, number)
        now = timezone.now()
        expected = (
            {}
            if self.round_.closed_at is not None
            else outlooks(self.more["state"], seated, request.user, now)
        )
        details = [
            {"entrant": number_of(key), "rating": o.rating, "new": o.new, "expected": o.place}
            for key, o in expected.items()
        ]
        return self.shown(ExpectedResultsSerializer, {"results": details})


class AbsentPlayerSerializer(serializers.Serializer[Any]):
    """A player of a line-up who is not here for the round, and why."""

    entrant = serializers.IntegerField(source="entrant.number")
    reason = serializers.ChoiceField(choices=list(ABSENCES), source="absence")


class TeamLineUpSerializer(serializers.Serializer[Any]):
    """Who of a team plays in a round.

    It is `named` for this round, or as in the round before. `missing` seats stay empty; `absent`
    are players of the line-up who are not here.
    """

    team = serializers.CharField()
    named = serializers.BooleanField()
    players = EntrantNumbersField()
    reserves = EntrantNumbersField()
    missing = serializers.IntegerField()
    absent = serializers.SerializerMethodField()

    @extend_schema_field(AbsentPlayerSerializer(many=True))
    def get_absent(self, row: TeamLineUp) -> Any:
        absent = [each for each in row.members if each.plays and each.absence]
        return AbsentPlayerSerializer(absent, many=True).data


class LineUpsSerializer(serializers.Serializer[Any]):
    """The line-ups of a round, with `size` players of each team; none if everybody plays."""

    round = serializers.IntegerField()
    size = serializers.IntegerField()
    teams = TeamLineUpSerializer(many=True)


class NamedLineUpSerializer(Strict):
    """Who of a team is to play; the others are reserves."""

    team = LineField(max_length=LONGEST_NAME)
    players = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=SMALL), max_length=LARGEST_LINE_UP
    )


class NamedLineUpsSerializer(Strict):
    """The line-ups to change; other teams keep theirs."""

    teams = NamedLineUpSerializer(many=True)


class ReplaceSerializer(Strict):
    """A player of a published round, and the reserve of the same team who takes the chair."""

    player = serializers.IntegerField(min_value=1, max_value=SMALL)
    reserve = serializers.IntegerField(min_value=1, max_value=SMALL)


class OfLineUps(Resource):
    """Base of the addresses of line-ups."""

    def line_ups(self, row: Tournament, number: int) -> dict[str, Any]:
        """The line-ups of a round of the tournament, which may not be seated yet."""
        state = load_state(row)
        if not 1 <= number <= state.settings.rounds:
            raise Http404
        return {
            "round": number,
            "size": state.settings.line_up,
            "teams": line_ups_of(state, number),
        }


class LineUps(OfLineUps):
    @extend_schema(responses=LineUpsSerializer)
    def get(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Who of each team plays; until the round is published, for directors."""
        row = seen_tournament(self.visitor, slug, tournament)
        if role_in(self.visitor, row.event.club) not in DIRECTING:
            published = Round.objects.filter(event=row.event, published_at__isnull=False)
            get_object_or_404(published, number=number)
        return self.shown(LineUpsSerializer, self.line_ups(row, number))

    @extend_schema(request=NamedLineUpsSerializer, responses=LineUpsSerializer)
    def patch(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Name line-ups of a round that is not published yet, all of them or none."""
        row = directed_tournament(self.visitor, slug, tournament)
        said = self.said(NamedLineUpsSerializer)["teams"]
        with transaction.atomic():
            row = lock_tournament(row.pk)
            self.check_unchanged(LineUpsSerializer, self.line_ups(row, number))
            for each in said:
                players = [key_of(entrant) for entrant in each["players"]]
                named = LineUp(number, each["team"], players)
                put_line_up(row.pk, named, self.actor, at=timezone.now())
        row.refresh_from_db()
        return self.shown(LineUpsSerializer, self.line_ups(row, number))


class Replace(OfLineUps):
    @extend_schema(request=ReplaceSerializer, responses=LineUpsSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Let a reserve take a player's chair in a published round, before the table begins."""
        row = directed_tournament(self.visitor, slug, tournament)
        round_ = get_object_or_404(Round, event=row.event, number=number)
        said = self.said(ReplaceSerializer)
        replacement = Replacement(key_of(said["player"]), key_of(said["reserve"]))
        replace_player(round_.pk, replacement, self.actor, at=timezone.now())
        row.refresh_from_db()
        return self.shown(LineUpsSerializer, self.line_ups(row, number))
