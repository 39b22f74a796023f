"""Addresses of documents: ordered, listed, fetched."""

from collections.abc import Collection
from typing import Any

from allauth.core.ratelimit import consume
from django.conf import settings
from django.http import FileResponse, Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import anybody, evening_of_key, games_opened, writable_game
from tournaments.api.fields import Moment, Strict, UncachedSerializer
from tournaments.api.views import APIViewSet, BaseAPIView, ClubMixin, RetrieveMixin
from tournaments.engine.rules.entries import LARGE
from tournaments.engine.variants import RULESETS
from tournaments.models import Club, Event, Game, Player, Report, Round, Scope
from tournaments.models.clubs import DIRECTING, Paper, Role
from tournaments.models.people import ScopedToken
from tournaments.origin import absolute, origin
from tournaments.permissions import account_of, members_club, role_in, seen_event
from tournaments.queries.documents import (
    CONTENT_TYPES,
    file_name,
    may_cancel,
    reason_of,
    report_at,
    report_secret,
)
from tournaments.queries.site import month_key, months_of
from tournaments.reports.documents import (
    DocumentOffer,
    formats_of,
    offered,
    offers_to,
    rounds_to_print,
)
from tournaments.services.base.writes import Fault, Refused
from tournaments.services.documents.reporting import (
    Order,
    cancel_report,
    is_stored,
    request_document,
    request_empty_sheet,
    request_scoresheet,
    try_again,
)
from tournaments.texts.documents import NAMES

LANGUAGES = [code for code, _name in settings.LANGUAGES]
STEPS = [step.name.lower() for step in Report.Step]


class OrderSerializer(Strict):
    """How a document is to be made; `language` is that of the request where it is not said."""

    format = serializers.ChoiceField(Report.Format.choices, default=Report.Format.PDF)
    language = serializers.ChoiceField(LANGUAGES, required=False)


class PaperOrderSerializer(OrderSerializer):
    """The same of what belongs to no club, which would have its paper."""

    paper = serializers.ChoiceField(Paper.choices, default=Paper.A4)


class EventOrderSerializer(OrderSerializer):
    """Which document of an event, as its list has it; `round` where it is of one."""

    document = serializers.CharField(max_length=40)
    round = serializers.IntegerField(required=False, min_value=1, max_value=LARGE)


class PlayerOrderSerializer(OrderSerializer):
    """Of which `season`, by its id, and which kind of `game` (family); of all without."""

    season = serializers.IntegerField(required=False, min_value=1, max_value=LARGE)
    game = serializers.CharField(required=False, max_length=40)


class ClubOrderSerializer(OrderSerializer):
    """Of which month, as its list has it."""

    month = serializers.RegexField(r"^[0-9]{4}-[0-9]{2}$")


class DocumentOfferSerializer(serializers.Serializer[Any]):
    """A document that can be asked for; `missing` says what it waits for, and is empty else."""

    document = serializers.CharField(source="name")
    kind = serializers.ChoiceField(Report.Kind.choices)
    title = serializers.CharField()
    of_round = serializers.BooleanField()
    formats = serializers.SerializerMethodField()
    missing = serializers.CharField()

    @extend_schema_field(
        serializers.ListField(child=serializers.ChoiceField(Report.Format.choices))
    )
    def get_formats(self, offer: DocumentOffer) -> list[str]:
        return list(formats_of(offer.kind))


class DocumentSerializer(UncachedSerializer):
    """A requested document and its progress.

    `address` is where to ask again, and holds what gives access; `file` is there once it is done.
    """

    address = serializers.SerializerMethodField()
    kind = serializers.ChoiceField(Report.Kind.choices)
    title = serializers.SerializerMethodField()
    format = serializers.ChoiceField(Report.Format.choices)
    language = serializers.CharField()
    state = serializers.ChoiceField(Report.State.choices)
    step = serializers.SerializerMethodField()
    done = serializers.IntegerField(min_value=0, help_text="Of `total` things of this step.")
    total = serializers.IntegerField(min_value=0)
    error = serializers.SerializerMethodField()
    asked_at = Moment()
    expires_at = Moment()
    file = serializers.SerializerMethodField()
    file_name = serializers.SerializerMethodField()

    def get_address(self, row: Report) -> str:
        return address_of(row, "document")

    def get_title(self, row: Report) -> str:
        return str(NAMES[Report.Kind(row.kind)])

    @extend_schema_field(serializers.ChoiceField(STEPS))
    def get_step(self, row: Report) -> str:
        return Report.Step(row.step).name.lower()

    def get_error(self, row: Report) -> str:
        return reason_of(row)

    def get_file(self, row: Report) -> str | None:
        done = row.state == Report.State.DONE and is_stored(row)
        return address_of(row, "document-file") if done else None

    def get_file_name(self, row: Report) -> str:
        return file_name(row)


class DocumentsSerializer(serializers.Serializer[Any]):
    """The available documents, and those this account requested lately, the latest first."""

    offers = DocumentOfferSerializer(many=True)
    recent = DocumentSerializer(many=True)


class DocumentMonthsSerializer(serializers.Serializer[Any]):
    """The months of a club that there is a document of, the latest first, and its formats."""

    months = serializers.ListField(child=serializers.CharField())
    formats = serializers.ListField(child=serializers.ChoiceField(Report.Format.choices))


def address_of(row: Report, name: str) -> str:
    return reverse(f"api:{name}", args=[row.pk, report_secret(row.pk)])


FILES = {(200, kind): OpenApiTypes.BINARY for kind in CONTENT_TYPES.values()}


def format_in(data: dict[str, Any], kind: Report.Kind) -> Report.Format:
    """Return the requested format; NoSuchFormat if the document is not available in it."""
    if data["format"] not in formats_of(kind):
        raise NoSuchFormat
    return Report.Format(data["format"])


def language_in(data: dict[str, Any]) -> str:
    """Return the requested language, else that of the request."""
    return str(data.get("language") or get_language() or "en")


class NoSuchFormat(Fault, code="no-such-format", where="format"):
    sentence = _("This document is not available in that format.")


class NotDone(Refused, code="not-done"):
    sentence = _("The document is not ready.")


class Unknown(Fault, code="unknown"):
    sentence = _("Not found.")

    def __init__(self, where: str, among: Collection[object] = ()) -> None:
        super().__init__(data={"known": list(among)} if among else {})
        self.where = where


def directs(request: Request) -> bool:
    """Whether a token is for what directors do: only then it has what only they have."""
    return isinstance(request.auth, ScopedToken) and Scope.DIRECT in request.auth.scopes


class OrderView(BaseAPIView):
    """The base of addresses at which documents are requested."""

    scope: Scope | None = Scope.READ
    serializer_class = DocumentSerializer

    def get_success_status(self) -> int:
        return 202 if self.action_name == "post" else 200

    def respond_ordered(self, row: Report) -> Response:
        """Answer 202 while it is being made, with the address of its progress."""
        return self.respond(row, status=202, Location=address_of(row, "document"))


def report_to_read(request: Request, pk: int, secret: str) -> Report:
    """The document, for readers of its contents; one for directors needs the scope `direct`."""
    row = report_at(request._request, pk, secret)  # noqa: SLF001
    if row.audience == Report.Audience.DIRECTORS and not directs(request):
        raise Http404
    return row


class DocumentMixin:
    """The document in the address."""

    permission = read_permission = staticmethod(report_to_read)
    report: Report

    def resolve_parents(self: Any) -> None:
        self.report = self.get_permission()(self.request, **self.kwargs)


class DocumentViewSet(DocumentMixin, RetrieveMixin, APIViewSet):
    descriptions = {
        "retrieve": "The progress of a document, and the address of its file once it is ready."
    }
    deprecated = {
        "cancel": "A document that nobody fetches is deleted by itself.",
        "again": "Ask for the document anew.",
    }
    scope = Scope.READ
    lookup_field = None
    serializer_class = DocumentSerializer

    def get_object(self) -> Report:
        return self.report

    @action(methods=["post"], detail=True)
    def cancel(self, request: Request, **kwargs: Any) -> Response:
        """Give up a document that is not done: your own, or one that belongs to no club."""
        if not may_cancel(self.http_request, self.report):
            raise Http404
        cancel_report(self.report, timezone.now())
        self.resolve_parents()
        return self.respond(self.report)

    @action(methods=["post"], detail=True, success_status=202)
    def again(self, request: Request, **kwargs: Any) -> Response:
        """Have a document made once more that failed, was cancelled, or has lost its file."""
        try_again(self.report, timezone.now())
        self.resolve_parents()
        return self.respond(self.report, Location=address_of(self.report, "document"))


class DocumentFileView(DocumentMixin, BaseAPIView):
    refusals = ("409",)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """The requested file, whatever `Accept` says."""
        return super().perform_content_negotiation(request, force=True)

    @extend_schema(responses=FILES)
    def get(self, request: Request, pk: int, secret: str) -> FileResponse:
        """The finished document; 409 while it is not done."""
        row = self.report
        if row.state != Report.State.DONE:
            raise NotDone(data={"state": row.state})
        if not is_stored(row):
            raise Http404
        kind = CONTENT_TYPES[Report.Format(row.format)]
        return FileResponse(row.file.open("rb"), filename=file_name(row), content_type=kind)


Kind, Audience = Report.Kind, Report.Audience

RECENT = 10
"""So many documents asked for lately are listed again."""


class NotThereYet(Refused):
    code = "not-there-yet"


class EventDocumentsView(OrderView):
    """`/clubs/{slug}/events/{public_id}/documents/`.

    What only directors have takes the scope `direct`, too.
    """

    permission = read_permission = staticmethod(seen_event)
    serializer_classes = {"get": DocumentsSerializer}
    request_serializer_class = EventOrderSerializer
    event: Event

    def resolve_parents(self) -> None:
        self.event = self.get_permission()(self.http_request, **self.kwargs)

    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """The documents available for an event, and those you requested lately."""
        event, role = self.event, self.role_at(self.event)
        rounds = rounds_to_print(event, directs=role in DIRECTING)
        last = rounds[-1] if rounds else None
        details = {
            "offers": [offered(offer, event, last, rounds) for offer in offers_to(event, role)],
            "recent": _recent(request, event),
        }
        return self.respond(details)

    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Ask for a document of an evening or a tournament, of one of its rounds or of all."""
        event = self.event
        data, role = self.get_validated(), self.role_at(event)
        leads = role in DIRECTING
        # A club knows its members; anybody else could keep its worker busy.
        if role is None and not consume(self.http_request, action="ask_document"):
            raise Throttled(wait=60)
        rounds = rounds_to_print(event, directs=leads)
        offer = _offer(data["document"], list(offers_to(event, role)))
        round_ = _round(data, offer, rounds)
        missing = offered(offer, event, round_, rounds).missing
        if missing:
            raise NotThereYet(sentence=missing)
        order = Order(
            kind=offer.kind,
            subject=event,
            # What directors ask for may hold what others are not to see yet.
            audience=Audience.DIRECTORS if leads else offer.who,
            language=language_in(data),
            format=format_in(data, offer.kind),
            paper=event.club.paper,
            parameters=self._parameters(round_),
            asked_by=account_of(self.http_request),
        )
        return self.respond_ordered(request_document(order, timezone.now()))

    def role_at(self, event: Event) -> str | None:
        """Return the role in the club; without the scope at most that of a member."""
        role = role_in(self.http_request, event.club)
        return Role.MEMBER if role in DIRECTING and not directs(self.request) else role

    def _parameters(self, round_: Round | None) -> dict[str, object]:
        host: dict[str, object] = {"host": absolute(self.http_request, "/")}
        return host if round_ is None else {**host, "round": round_.number}


def _offer(name: str, offers: list[DocumentOffer]) -> DocumentOffer:
    offer = next((offer for offer in offers if offer.name == name), None)
    if offer is None:
        raise Unknown("document", [offer.name for offer in offers])
    return offer


def _round(data: dict[str, Any], offer: DocumentOffer, rounds: list[Round]) -> Round | None:
    """The round that is asked for, where the document is of one."""
    if not offer.of_round:
        return None
    round_ = next((round_ for round_ in rounds if round_.number == data.get("round")), None)
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


class MemberOrderView(ClubMixin, OrderView):
    """The base of addresses of documents that the members of a club may have."""

    permission = read_permission = staticmethod(members_club)

    def order(
        self, kind: Report.Kind, subject: Player | Club, parameters: dict[str, Any]
    ) -> Response:
        data = self.get_validated()
        order = Order(
            kind=kind,
            subject=subject,
            audience=Audience.MEMBERS,
            language=language_in(data),
            format=format_in(data, kind),
            paper=self.club.paper,
            parameters=parameters,
            asked_by=account_of(self.http_request),
        )
        return self.respond_ordered(request_document(order, timezone.now()))


class PlayerDocumentsView(MemberOrderView):
    request_serializer_class = PlayerOrderSerializer

    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Ask for a player's season, or for all the time, as a member of the club."""
        players = Player.objects.present()
        player = get_object_or_404(players, club=self.club, public_id=public_id)
        data = self.get_validated()
        parameters: dict[str, Any] = {}
        if "season" in data:
            season = self.club.seasons.filter(pk=data["season"]).first()
            if season is None:
                raise Unknown("season")
            parameters = {"season": season.pk, "season_name": season.name}
        if "game" in data:
            parameters["game"] = data["game"]
        return self.order(Kind.PLAYER_SEASON, player, parameters)


class ClubDocumentsView(MemberOrderView):
    serializer_classes = {"get": DocumentMonthsSerializer}
    request_serializer_class = ClubOrderSerializer

    def get(self, request: Request, slug: str) -> Response:
        """The months that there is a document of, for members."""
        months = months_of(self.club, timezone.localdate())
        details = {"months": [*map(month_key, months)], "formats": formats_of(Kind.CLUB_MONTH)}
        return self.respond(details)

    def post(self, request: Request, slug: str) -> Response:
        """Ask for a month in which the club has held something, as one of its members."""
        month = self.get_validated()["month"]
        months = [*map(month_key, months_of(self.club, timezone.localdate()))]
        if month not in months:
            raise Unknown("month", months)
        return self.order(Kind.CLUB_MONTH, self.club, {"month": month})


class SeasonDocumentsView(MemberOrderView):
    request_serializer_class = OrderSerializer

    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Ask for the league of a season, as a member of the club."""
        season = get_object_or_404(self.club.seasons, pk=pk)
        parameters = {"season": season.pk, "season_name": season.name}
        return self.order(Kind.LEAGUE, self.club, parameters)


def game_with_scoresheet(request: Request, public_id: str) -> Game:
    """The game, with a key of it or for one of its directors; 404 for all others.

    The scoresheet says where the game is followed.
    """
    opened = games_opened(request).filter(public_id=public_id)
    return opened.first() or get_object_or_404(writable_game(request, public_id))


class GameDocumentsView(OrderView):
    permission = staticmethod(game_with_scoresheet)
    request_serializer_class = PaperOrderSerializer
    game: Game

    def resolve_parents(self) -> None:
        self.game = self.get_permission()(self.request, **self.kwargs)

    def post(self, request: Request, public_id: str) -> Response:
        """Request the current scoresheet, with a key of the game or as a director."""
        row, data = self.game, self.get_validated()
        follow = reverse("follow", args=[row.public_id, row.secret("follow")])
        report = request_scoresheet(
            row,
            language=language_in(data),
            follow_url=absolute(request, follow),
            paper=data["paper"],
            made_as=format_in(data, Kind.SCORESHEET),
            at=timezone.now(),
        )
        return self.respond_ordered(report)


class EveningDocumentsView(OrderView):
    scope = None
    permission = staticmethod(evening_of_key)
    request_serializer_class = PaperOrderSerializer

    def resolve_parents(self) -> None:
        self.tables = self.get_permission()(self.request, **self.kwargs)

    def post(self, request: Request, public_id: str) -> Response:
        """Request the tally of an evening with all its games, with its key."""
        table = get_object_or_404(self.tables)
        game = get_object_or_404(table.games.order_by("-number")[:1])
        data = self.get_validated()
        order = Order(
            kind=Kind.EVENING,
            subject=game,
            audience=Audience.ADDRESS,
            language=language_in(data),
            format=format_in(data, Kind.EVENING),
            paper=data["paper"],
            parameters={"host": origin(self.http_request)},
        )
        return self.respond_ordered(request_document(order, timezone.now()))


class EmptySheetsView(OrderView):
    scope = None
    permission = staticmethod(anybody)
    request_serializer_class = PaperOrderSerializer

    def post(self, request: Request, ruleset: str) -> Response:
        """Ask for a sheet of a ruleset to print and fill in by hand."""
        if ruleset not in RULESETS:
            raise Http404
        data = self.get_validated()
        format_in(data, Kind.EMPTY_SHEET)
        report = request_empty_sheet(
            ruleset, language=language_in(data), paper=data["paper"], at=timezone.now()
        )
        return self.respond_ordered(report)
