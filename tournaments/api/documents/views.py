"""Addresses of documents: that of an order, how far it is, and the file."""

from collections.abc import Collection
from typing import Any

from django.http import FileResponse, Http404
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.documents.serializers import DocumentSerializer, address_of
from tournaments.api.idempotency import idempotent
from tournaments.api.problems import Answer, Refused, fault, invalid
from tournaments.api.views import Resource
from tournaments.models import PersonalToken, Report, Scope
from tournaments.reports.documents import formats_of
from tournaments.services.documents.reporting import cancel_report, is_kept, try_again
from tournaments.telling.documents import CONTENT_TYPES, file_name, may_cancel, report_at

FILES = {(200, kind): OpenApiTypes.BINARY for kind in CONTENT_TYPES.values()}


def ordered(view: Resource, row: Report) -> Response:
    """A document that was asked for: 202 while it is to be made, and where to ask how far it is."""
    return view.shown(DocumentSerializer, row, 202, Location=address_of(row, "document"))


def form_of(said: dict[str, Any], kind: Report.Kind) -> Report.Format:
    """The kind of file that was asked for.

    Raises:
        Refused: the document cannot be had as one.
    """
    if said["format"] not in formats_of(kind):
        message = _("This document cannot be had so.")
        raise Refused(invalid([fault("no-such-format", "format", message)]))
    return Report.Format(said["format"])


def language_of(said: dict[str, Any]) -> str:
    """The language that was asked for, else that of the request."""
    return str(said.get("language") or get_language() or "en")


def not_there(where: str, among: Collection[object] = ()) -> Refused:
    """Refuse what names something that there is not."""
    params = {"known": list(among)} if among else {}
    return Refused(invalid([fault("unknown", where, _("There is no such thing here."), params)]))


def directs(request: Request) -> bool:
    """Whether a token is for what directors do: only then it has what only they have."""
    return isinstance(request.auth, PersonalToken) and Scope.DIRECT in request.auth.scopes


class DocumentResource(Resource):
    """What belongs to one document, for who may see what it tells of."""

    def document(self, pk: int, secret: str) -> Report:
        """The document; what is for directors takes the scope `direct`, too."""
        row = report_at(self.visitor, pk, secret)
        if row.audience == Report.Audience.DIRECTORS and not directs(self.request):
            raise Http404
        return row


class OneDocument(DocumentResource):
    """`/documents/{id}/{secret}/`."""

    @extend_schema(responses=DocumentSerializer)
    def get(self, request: Request, pk: int, secret: str) -> Response:
        """How far a document is, and where its file is once it is done."""
        return self.shown(DocumentSerializer, self.document(pk, secret))


class CancelDocument(DocumentResource):
    """`/documents/{id}/{secret}/cancel/`."""

    scope = Scope.READ

    @extend_schema(request=None, responses=DocumentSerializer)
    @idempotent
    def post(self, request: Request, pk: int, secret: str) -> Response:
        """Give up a document that is not done: your own, or one that belongs to no club."""
        row = self.document(pk, secret)
        if not may_cancel(self.visitor, row):
            raise Http404
        cancel_report(row, timezone.now())
        return self.shown(DocumentSerializer, self.document(pk, secret))


class MakeAgain(DocumentResource):
    """`/documents/{id}/{secret}/again/`."""

    scope = Scope.READ

    @extend_schema(request=None, responses={202: DocumentSerializer})
    @idempotent
    def post(self, request: Request, pk: int, secret: str) -> Response:
        """Have a document made once more that failed, was cancelled, or has lost its file."""
        try_again(self.document(pk, secret), timezone.now())
        return ordered(self, self.document(pk, secret))


class DocumentFile(DocumentResource):
    """`/documents/{id}/{secret}/file/`."""

    refusals = ("409",)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """It is the kind of file that was asked for, whatever is said to be acceptable."""
        return super().perform_content_negotiation(request, force=True)

    @extend_schema(responses=FILES)
    def get(self, request: Request, pk: int, secret: str) -> FileResponse:
        """The finished document; 409 while it is not done."""
        row = self.document(pk, secret)
        if row.state != Report.State.DONE:
            title = _("The document is not done.")
            raise Refused(Answer(409, "not-done", title, more={"state": row.state}))
        if not is_kept(row):
            raise Http404
        kind = CONTENT_TYPES[Report.Format(row.format)]
        return FileResponse(row.file.open("rb"), filename=file_name(row), content_type=kind)
