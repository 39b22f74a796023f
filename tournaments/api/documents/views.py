"""Documents (PDF and XLSX) in the API: requested, watched and downloaded.

Begin at `OrderView`: each kind of document is requested at an address of its own, and the answer
leads to `DocumentViewSet`, which has its progress and its file.
"""

from collections.abc import Collection, Mapping
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

from tournaments.api.access import anybody, evening_of_key, game_of_key, has_scope, writable_game
from tournaments.api.fields import MomentField, StrictSerializer, UncachedSerializer
from tournaments.api.views import APIViewSet, BaseAPIView, ClubMixin, RetrieveMixin
from tournaments.engine.rules.entries import LARGE
from tournaments.engine.variants import RULESETS
from tournaments.models import Event, Game, Player, Report, Scope
from tournaments.models.clubs import DIRECTING, Paper, Role
from tournaments.origin import absolute, origin
from tournaments.permissions import account_of, members_club, role_in, seen_event
from tournaments.photos.layout import can_be_photographed
from tournaments.queries import documents as queries
from tournaments.queries.site import month_key, months_of
from tournaments.reports import documents as reports
from tournaments.services.base.writes import Fault, Refused
from tournaments.services.documents import reporting

LANGUAGES = [code for code, _name in settings.LANGUAGES]
STEPS = [step.name.lower() for step in Report.Step]


class OrderSerializer(StrictSerializer):
    """The format and language of a document; without `language`, that of the request."""

    format = serializers.ChoiceField(Report.Format.choices, default=Report.Format.PDF)
    language = serializers.ChoiceField(LANGUAGES, required=False)


class PaperOrderSerializer(OrderSerializer):
    """Format, language and paper of a document that belongs to no club."""

    paper = serializers.ChoiceField(Paper.choices, default=Paper.A4)


class EmptySheetOrderSerializer(PaperOrderSerializer):
    """With `photo`, the sheet is one that can be read from a photograph."""

    photo = serializers.BooleanField(default=False)


class EventOrderSerializer(OrderSerializer):
    """A document of an event, by its name in the list; `round` if it is one of a round."""

    document = serializers.CharField(max_length=40)
    round = serializers.IntegerField(required=False, min_value=1, max_value=LARGE)


class PlayerOrderSerializer(OrderSerializer):
    """The `season`, by its id, and the kind of `game` (family); without them, all."""

    season = serializers.IntegerField(required=False, min_value=1, max_value=LARGE)
    game = serializers.CharField(required=False, max_length=40)


class ClubOrderSerializer(OrderSerializer):
    """The month, as in the list of months."""

    month = serializers.RegexField(r"^[0-9]{4}-[0-9]{2}$")


class DocumentOfferSerializer(serializers.Serializer[Any]):
    """An available document; `missing` says what it still needs, and is empty otherwise."""

    document = serializers.CharField(source="name")
    kind = serializers.ChoiceField(Report.Kind.choices)
    title = serializers.CharField()
    of_round = serializers.BooleanField()
    formats = serializers.SerializerMethodField()
    missing = serializers.CharField()

    @extend_schema_field(
        serializers.ListField(child=serializers.ChoiceField(Report.Format.choices))
    )
    def get_formats(self, offer: reports.DocumentOffer) -> list[str]:
        return list(reports.formats_of(offer.kind))


class DocumentSerializer(UncachedSerializer):
    """A requested document and its progress.

    `address` is where its progress is read; it gives access to the document. `file` is null until
    the document is done.
    """

    address = serializers.SerializerMethodField()
    kind = serializers.ChoiceField(Report.Kind.choices)
    title = serializers.SerializerMethodField()
    format = serializers.ChoiceField(Report.Format.choices)
    language = serializers.CharField()
    state = serializers.ChoiceField(Report.State.choices)
    step = serializers.SerializerMethodField()
    done = serializers.IntegerField(
        min_value=0, help_text="How many of the `total` parts of this step are done."
    )
    total = serializers.IntegerField(min_value=0)
    error = serializers.SerializerMethodField()
    asked_at = MomentField()
    expires_at = MomentField()
    file = serializers.SerializerMethodField()
    file_name = serializers.SerializerMethodField()

    def get_address(self, row: Report) -> str:
        return address_of(row, "document")

    def get_title(self, row: Report) -> str:
        return row.get_kind_display()

    @extend_schema_field(serializers.ChoiceField(STEPS))
    def get_step(self, row: Report) -> str:
        return Report.Step(row.step).name.lower()

    def get_error(self, row: Report) -> str:
        return queries.reason_of(row)

    def get_file(self, row: Report) -> str | None:
        done = row.state == Report.State.DONE and reporting.is_stored(row)
        return address_of(row, "document-file") if done else None

    def get_file_name(self, row: Report) -> str:
        return queries.file_name(row)


class DocumentsSerializer(serializers.Serializer[Any]):
    """The available documents, and those this account requested lately, the latest first."""

    offers = DocumentOfferSerializer(many=True)
    recent = DocumentSerializer(many=True)


class DocumentMonthsSerializer(serializers.Serializer[Any]):
    """The months of a club that have a document, the latest first, and its formats."""

    months = serializers.ListField(child=serializers.CharField())
    formats = serializers.ListField(child=serializers.ChoiceField(Report.Format.choices))


def address_of(row: Report, name: str) -> str:
    return reverse(f"api:{name}", args=[row.pk, queries.report_secret(row.pk)])


FILES = {(200, kind): OpenApiTypes.BINARY for kind in queries.CONTENT_TYPES.values()}


class NoSuchFormat(Fault, code="no-such-format", where="format"):
    sentence = _("This document is not available in that format.")


class NotDone(Refused, code="not-done"):
    sentence = _("The document is not ready.")


class Unknown(Fault, code="unknown"):
    sentence = _("Not found.")

    def __init__(self, where: str, among: Collection[object] = ()) -> None:
        super().__init__(data={"known": list(among)} if among else {})
        self.where = where


class OrderView(BaseAPIView):
    """The base of addresses at which documents are requested."""

    scope: Scope | None = Scope.READ
    serializer_class = DocumentSerializer
    success_status = 202

    def get_form(self, data: Mapping[str, Any], kind: Report.Kind) -> dict[str, Any]:
        """Return language and format of a request; NoSuchFormat where the kind has no such one."""
        if data["format"] not in reports.formats_of(kind):
            raise NoSuchFormat
        language = str(data.get("language") or get_language() or "en")
        return {"language": language, "format": Report.Format(data["format"])}

    def order(self, data: Mapping[str, Any], kind: Report.Kind, **more: Any) -> Response:
        order = reporting.Order(kind=kind, **self.get_form(data, kind), **more)
        return self.respond_ordered(reporting.request_document(order, timezone.now()))

    def respond_ordered(self, row: Report) -> Response:
        """Answer 202 while it is being made, with the address of its progress."""
        return self.respond(row, Location=address_of(row, "document"))


def report_to_read(request: Request, pk: int, secret: str) -> Report:
    """The document, for readers of its contents; one for directors needs the scope `direct`."""
    row = queries.report_at(request._request, pk, secret)  # noqa: SLF001
    if row.audience == Report.Audience.DIRECTORS and not has_scope(request, Scope.DIRECT):
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
        "retrieve": "Read the progress of a document, and the address of its file once it is ready."
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
        """Cancel a document that is not done: your own, or one that belongs to no club."""
        if not queries.may_cancel(self.http_request, self.report):
            raise Http404
        reporting.cancel_report(self.report, timezone.now())
        self.resolve_parents()
        return self.respond(self.report)

    @action(methods=["post"], detail=True, success_status=202)
    def again(self, request: Request, **kwargs: Any) -> Response:
        """Make a document again that failed, was cancelled, or lost its file."""
        reporting.try_again(self.report, timezone.now())
        self.resolve_parents()
        return self.respond(self.report, Location=address_of(self.report, "document"))


class DocumentFileView(DocumentMixin, BaseAPIView):
    refusals = ("409",)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """The requested file, whatever `Accept` says."""
        return super().perform_content_negotiation(request, force=True)

    @extend_schema(responses=FILES)
    def get(self, request: Request, pk: int, secret: str) -> FileResponse:
        """Download the finished document. The answer is 409 while it is not done."""
        row = self.report
        if row.state != Report.State.DONE:
            raise NotDone(data={"state": row.state})
        if not reporting.is_stored(row):
            raise Http404
        kind = queries.CONTENT_TYPES[queries.extension(row)]
        return FileResponse(row.file.open("rb"), filename=queries.file_name(row), content_type=kind)


Kind, Audience = Report.Kind, Report.Audience

RECENT = 10
"""So many documents asked for lately are listed again."""


class NotThereYet(Refused, code="not-there-yet"):
    """Its sentence is what the document still needs."""


class EventDocumentsView(OrderView):
    """The documents of an event; those of its directors need the scope `direct`, too."""

    permission = read_permission = staticmethod(seen_event)
    serializer_classes = {"get": DocumentsSerializer}
    request_serializer_class = EventOrderSerializer
    event: Event

    def resolve_parents(self) -> None:
        self.event = self.get_permission()(self.http_request, **self.kwargs)

    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """List the documents available for an event, and those you requested lately."""
        event, role = self.event, self.get_role()
        rounds = reports.rounds_to_print(event, directs=role in DIRECTING)
        offers = reports.offers_to(event, role)
        last = rounds[-1] if rounds else None
        details = {
            "offers": [reports.offered(offer, event, last, rounds) for offer in offers],
            "recent": _recent(request, event),
        }
        return self.respond(details)

    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Request a document of an evening or a tournament: of one round, or of all."""
        event, role, data = self.event, self.get_role(), self.get_validated()
        directs = role in DIRECTING
        # A club knows its members; anybody else could keep its worker busy.
        if role is None and not consume(self.http_request, action="ask_document"):
            raise Throttled(wait=60)
        rounds = reports.rounds_to_print(event, directs=directs)
        offers = list(reports.offers_to(event, role))
        offer = next((offer for offer in offers if offer.name == data["document"]), None)
        if offer is None:
            raise Unknown("document", [offer.name for offer in offers])
        round_ = None
        if offer.of_round:
            round_ = next((each for each in rounds if each.number == data.get("round")), None)
            if round_ is None:
                raise Unknown("round", [each.number for each in rounds])
        missing = reports.offered(offer, event, round_, rounds).missing
        if missing:
            raise NotThereYet(sentence=missing)
        host = {"host": absolute(self.http_request, "/")}
        return self.order(
            data,
            offer.kind,
            subject=event,
            # What directors request may hold what others are not to see yet.
            audience=Audience.DIRECTORS if directs else offer.who,
            paper=event.club.paper,
            parameters={**host, "round": round_.number} if round_ else host,
            asked_by=account_of(self.http_request),
        )

    def get_role(self) -> str | None:
        """Return the role in the club; without the scope at most that of a member."""
        role = role_in(self.http_request, self.event.club)
        lacks_scope = role in DIRECTING and not has_scope(self.request, Scope.DIRECT)
        return Role.MEMBER if lacks_scope else role


def _recent(request: Request, event: Event) -> list[Report]:
    """Return the documents that the account requested lately (1 query with a token)."""
    if not request.user.is_authenticated:
        return []
    rows = Report.objects.filter(event=event, asked_by=request.user).unexpired(timezone.now())
    if not has_scope(request, Scope.DIRECT):
        rows = rows.exclude(audience=Audience.DIRECTORS)
    readable = rows.readable_by(request.user).select_related("game", "club", "event", "player")
    return list(readable.order_by("-asked_at", "-pk")[:RECENT])


class MemberOrderView(ClubMixin, OrderView):
    """The base of addresses of documents that the members of a club may have."""

    permission = read_permission = staticmethod(members_club)

    def order(self, data: Mapping[str, Any], kind: Report.Kind, **more: Any) -> Response:
        account, paper = account_of(self.http_request), self.club.paper
        whose = {"audience": Audience.MEMBERS, "asked_by": account, "paper": paper}
        return super().order(data, kind, **whose, **more)


class PlayerDocumentsView(MemberOrderView):
    request_serializer_class = PlayerOrderSerializer

    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Request a player's season, or all seasons, as a member of the club."""
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
        return self.order(data, Kind.PLAYER_SEASON, subject=player, parameters=parameters)


class ClubDocumentsView(MemberOrderView):
    serializer_classes = {"get": DocumentMonthsSerializer}
    request_serializer_class = ClubOrderSerializer

    def get(self, request: Request, slug: str) -> Response:
        """List the months of which members can request a document."""
        months = [*map(month_key, months_of(self.club, timezone.localdate()))]
        return self.respond({"months": months, "formats": reports.formats_of(Kind.CLUB_MONTH)})

    def post(self, request: Request, slug: str) -> Response:
        """Request the document of a month in which the club held an event, as a member."""
        data = self.get_validated()
        months = [*map(month_key, months_of(self.club, timezone.localdate()))]
        if data["month"] not in months:
            raise Unknown("month", months)
        parameters = {"month": data["month"]}
        return self.order(data, Kind.CLUB_MONTH, subject=self.club, parameters=parameters)


class SeasonDocumentsView(MemberOrderView):
    request_serializer_class = OrderSerializer

    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Request the league of a season, as a member of the club."""
        season = get_object_or_404(self.club.seasons, pk=pk)
        parameters = {"season": season.pk, "season_name": season.name}
        data = self.get_validated()
        return self.order(data, Kind.LEAGUE, subject=self.club, parameters=parameters)


def game_with_scoresheet(request: Request, public_id: str) -> Game:
    """The game, with a key of it or for one of its directors; 404 for all others.

    The scoresheet says where the game is followed.
    """
    opened = game_of_key(request).filter(public_id=public_id)
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
        form = self.get_form(data, Kind.SCORESHEET)
        report = reporting.request_scoresheet(
            row,
            language=form["language"],
            follow_url=absolute(request, follow),
            paper=data["paper"],
            made_as=form["format"],
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
        """Request the tally of an evening and all its games, with the key of the evening."""
        table = get_object_or_404(self.tables)
        game = get_object_or_404(table.games.order_by("-number")[:1])
        data = self.get_validated()
        return self.order(
            data,
            Kind.EVENING,
            subject=game,
            audience=Audience.ADDRESS,
            paper=data["paper"],
            parameters={"host": origin(self.http_request)},
        )


class EmptySheetsView(OrderView):
    scope = None
    permission = staticmethod(anybody)
    request_serializer_class = EmptySheetOrderSerializer

    def post(self, request: Request, ruleset: str) -> Response:
        """Request an empty sheet of a ruleset, to fill in by hand."""
        if ruleset not in RULESETS:
            raise Http404
        data = self.get_validated()
        kind = Kind.PHOTO_SHEET if data["photo"] else Kind.EMPTY_SHEET
        if data["photo"] and not can_be_photographed(RULESETS[ruleset]):
            raise Unknown("photo")
        report = reporting.request_empty_sheet(
            ruleset,
            language=self.get_form(data, kind)["language"],
            paper=data["paper"],
            kind=kind,
            at=timezone.now(),
        )
        return self.respond_ordered(report)
