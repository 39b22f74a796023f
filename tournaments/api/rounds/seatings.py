"""Addresses of the seating of a round: proposed, changed by its director, published, read."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.idempotency import idempotent
from tournaments.api.paging import PAGES
from tournaments.api.rounds.serializers import (
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
from tournaments.engine.pairing.judging import InvalidSeating, Seating, judge
from tournaments.models import Round, Tournament
from tournaments.permissions import directed_tournament
from tournaments.queries.ratings.predictions import outlooks
from tournaments.queries.tournaments.state import SeatedRound, TournamentState, load_state
from tournaments.services.rounds.late_changes import change_late, who_can_come
from tournaments.services.rounds.pairing import key_of, number_of
from tournaments.services.rounds.proposals import Presence, outdated_at, presence_at
from tournaments.services.rounds.seating import (
    SeatingDraft,
    field_seated,
    lock_drawn,
    publish_round,
    put_seating,
    seat_again,
    seat_next_round,
)
from tournaments.services.rounds.swapping import Exchange, exchange_seats, swap_of, swap_seats
from tournaments.services.rounds.taking_back import take_back_round
from tournaments.services.tournaments.lifecycle import WrongState


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
