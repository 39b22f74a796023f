"""Addresses at which documents are asked for: of an event, a player, a club, a game, or rules."""

from typing import Any

from allauth.core.ratelimit import consume
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import evening_of_key, games_opened, writable_game
from tournaments.api.documents.serializers import (
    ClubOrderSerializer,
    DocumentMonthsSerializer,
    DocumentSerializer,
    DocumentsSerializer,
    EventOrderSerializer,
    OrderSerializer,
    PaperOrderSerializer,
    PlayerOrderSerializer,
)
from tournaments.api.documents.views import Unknown, directs, form_of, language_of, ordered
from tournaments.api.idempotency import idempotent
from tournaments.api.views import Resource
from tournaments.engine.variants import RULESETS
from tournaments.models import Club, Event, Player, Report, Round, Scope
from tournaments.models.clubs import DIRECTING, Role
from tournaments.origin import absolute, origin
from tournaments.permissions import account_of, members_club, role_in, seen_event
from tournaments.queries.site import month_key, months_of
from tournaments.reports.documents import (
    DocumentOffer,
    formats_of,
    offered,
    offers_to,
    rounds_to_print,
)
from tournaments.services.base.writes import Refused
from tournaments.services.documents.reporting import (
    Order,
    request_document,
    request_empty_sheet,
    request_scoresheet,
)

Kind, Audience = Report.Kind, Report.Audience

RECENT = 10
"""So many documents asked for lately are listed again."""


class NotThereYet(Refused):
    code = "not-there-yet"


class EventDocuments(Resource):
    """`/clubs/{slug}/events/{public_id}/documents/`.

    What only directors have takes the scope `direct`, too.
    """

    scope = Scope.READ

    @extend_schema(responses=DocumentsSerializer)
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """The documents available for an event, and those you requested lately."""
        event = seen_event(self.visitor, slug, public_id)
        role = self.role_at(event)
        rounds = rounds_to_print(event, directs=role in DIRECTING)
        last = rounds[-1] if rounds else None
        details = {
            "offers": [offered(offer, event, last, rounds) for offer in offers_to(event, role)],
            "recent": _recent(request, event),
        }
        return self.shown(DocumentsSerializer, details)

    @extend_schema(request=EventOrderSerializer, responses={202: DocumentSerializer})
    @idempotent
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Ask for a document of an evening or a tournament, of one of its rounds or of all."""
        event = seen_event(self.visitor, slug, public_id)
        said, role = self.said(EventOrderSerializer), self.role_at(event)
        leads = role in DIRECTING
        # A club knows its members; anybody else could keep its worker busy.
        if role is None and not consume(self.visitor, action="ask_document"):
            raise Throttled(wait=60)
        rounds = rounds_to_print(event, directs=leads)
        offer = _offer(said["document"], list(offers_to(event, role)))
        round_ = _round(said, offer, rounds)
        shown = offered(offer, event, round_, rounds)
        if shown.missing:
            raise NotThereYet(sentence=shown.missing)
        order = Order(
            kind=offer.kind,
            subject=event,
            # What directors ask for may hold what others are not to see yet.
            audience=Audience.DIRECTORS if leads else offer.who,
            language=language_of(said),
            format=form_of(said, offer.kind),
            paper=event.club.paper,
            parameters=self._parameters(round_),
            asked_by=account_of(self.visitor),
        )
        return ordered(self, request_document(order, timezone.now()))

    def role_at(self, event: Event) -> str | None:
        """Return the role in the club; without the scope at most that of a member."""
        role = role_in(self.visitor, event.club)
        return Role.MEMBER if role in DIRECTING and not directs(self.request) else role

    def _parameters(self, round_: Round | None) -> dict[str, object]:
        host: dict[str, object] = {"host": absolute(self.visitor, "/")}
        return host if round_ is None else {**host, "round": round_.number}


def _offer(name: str, offers: list[DocumentOffer]) -> DocumentOffer:
    offer = next((offer for offer in offers if offer.name == name), None)
    if offer is None:
        raise Unknown("document", [offer.name for offer in offers])
    return offer


def _round(said: dict[str, Any], offer: DocumentOffer, rounds: list[Round]) -> Round | None:
    """The round that is asked for, where the document is of one."""
    if not offer.of_round:
        return None
    round_ = next((round_ for round_ in rounds if round_.number == said.get("round")), None)
    if round_ is None:
        raise Unknown("round", [round_.number for round_ in rounds])
    return round_


def _recent(request: Request, event: Event) -> list[Report]:
    """Return the documents that the account requested lately (1 query with a token)."""
    if not request.user.is_authenticated:
        return []
    rows = Report.objects.filter(event=event, asked_by=request.user).kept(timezone.now())
    if not directs(request):
        rows = rows.exclude(audience=Audience.DIRECTORS)
    readable = rows.readable_by(request.user).select_related("game", "club", "event", "player")
    return list(readable.order_by("-asked_at", "-pk")[:RECENT])


class PlayerDocuments(Resource):
    scope = Scope.READ

    @extend_schema(request=PlayerOrderSerializer, responses={202: DocumentSerializer})
    @idempotent
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Ask for a player's season, or for all the time, as a member of the club."""
        club = members_club(self.visitor, slug)
        player = get_object_or_404(Player.objects.present(), club=club, public_id=public_id)
        said = self.said(PlayerOrderSerializer)
        parameters: dict[str, Any] = {}
        if "season" in said:
            season = club.seasons.filter(pk=said["season"]).first()
            if season is None:
                raise Unknown("season")
            parameters = {"season": season.pk, "season_name": season.name}
        if "game" in said:
            parameters["game"] = said["game"]
        return _ask_as_member(self, said, Kind.PLAYER_SEASON, player, parameters)


class ClubDocuments(Resource):
    scope = Scope.READ

    @extend_schema(responses=DocumentMonthsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The months that there is a document of, for members."""
        club = members_club(self.visitor, slug)
        months = months_of(club, timezone.localdate())
        details = {"months": [*map(month_key, months)], "formats": formats_of(Kind.CLUB_MONTH)}
        return self.shown(DocumentMonthsSerializer, details)

    @extend_schema(request=ClubOrderSerializer, responses={202: DocumentSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Ask for a month in which the club has held something, as one of its members."""
        club = members_club(self.visitor, slug)
        said = self.said(ClubOrderSerializer)
        months = [*map(month_key, months_of(club, timezone.localdate()))]
        if said["month"] not in months:
            raise Unknown("month", months)
        return _ask_as_member(self, said, Kind.CLUB_MONTH, club, {"month": said["month"]})


class SeasonDocuments(Resource):
    scope = Scope.READ

    @extend_schema(request=OrderSerializer, responses={202: DocumentSerializer})
    @idempotent
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Ask for the league of a season, as a member of the club."""
        club = members_club(self.visitor, slug)
        season = get_object_or_404(club.seasons, pk=pk)
        said = self.said(OrderSerializer)
        parameters = {"season": season.pk, "season_name": season.name}
        return _ask_as_member(self, said, Kind.LEAGUE, club, parameters)


def _ask_as_member(
    view: Resource,
    said: dict[str, Any],
    kind: Report.Kind,
    subject: Player | Club,
    parameters: dict[str, Any],
) -> Response:
    """Ask for a document that the members of a club may have."""
    club = subject if isinstance(subject, Club) else subject.club
    order = Order(
        kind=kind,
        subject=subject,
        audience=Audience.MEMBERS,
        language=language_of(said),
        format=form_of(said, kind),
        paper=club.paper,
        parameters=parameters,
        asked_by=account_of(view.visitor),
    )
    return ordered(view, request_document(order, timezone.now()))


class GameDocuments(Resource):
    scope = Scope.READ

    @extend_schema(request=PaperOrderSerializer, responses={202: DocumentSerializer})
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Request the current scoresheet, with a key of the game or as a director."""
        opened = games_opened(request).filter(public_id=public_id)
        row = opened.first() or get_object_or_404(writable_game(request, public_id))
        said = self.said(PaperOrderSerializer)
        follow = reverse("follow", args=[row.public_id, row.secret("follow")])
        asked = request_scoresheet(
            row,
            language=language_of(said),
            follow_url=absolute(request, follow),
            paper=said["paper"],
            made_as=form_of(said, Kind.SCORESHEET),
            at=timezone.now(),
        )
        return ordered(self, asked)


class EveningDocuments(Resource):
    scope = None

    @extend_schema(request=PaperOrderSerializer, responses={202: DocumentSerializer})
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Request the tally of an evening with all its games, with its key."""
        table = get_object_or_404(evening_of_key(request, public_id))
        game = get_object_or_404(table.games.order_by("-number")[:1])
        said = self.said(PaperOrderSerializer)
        order = Order(
            kind=Kind.EVENING,
            subject=game,
            audience=Audience.ADDRESS,
            language=language_of(said),
            format=form_of(said, Kind.EVENING),
            paper=said["paper"],
            parameters={"host": origin(self.visitor)},
        )
        return ordered(self, request_document(order, timezone.now()))


class EmptySheets(Resource):
    scope = None

    @extend_schema(request=PaperOrderSerializer, responses={202: DocumentSerializer})
    @idempotent
    def post(self, request: Request, ruleset: str) -> Response:
        """Ask for a sheet of a ruleset to print and fill in by hand."""
        if ruleset not in RULESETS:
            raise Http404
        said = self.said(PaperOrderSerializer)
        form_of(said, Kind.EMPTY_SHEET)
        asked = request_empty_sheet(
            ruleset, language=language_of(said), paper=said["paper"], at=timezone.now()
        )
        return ordered(self, asked)
