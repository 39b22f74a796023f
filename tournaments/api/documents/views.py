"""Addresses of documents: the request, its progress, and the file."""

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
from tournaments.api.views import Resource
from tournaments.models import Report, Scope
from tournaments.models.people import ScopedToken
from tournaments.presenters.documents import CONTENT_TYPES, file_name, may_cancel, report_at
from tournaments.reports.documents import formats_of
from tournaments.services.base.writes import Fault, Refused
from tournaments.services.documents.reporting import cancel_report, is_kept, try_again

FILES = {(200, kind): OpenApiTypes.BINARY for kind in CONTENT_TYPES.values()}


def ordered(view: Resource, row: Report) -> Response:
    """A requested document: 202 while it is being made, with the address of its progress."""
    return view.shown(DocumentSerializer, row, 202, Location=address_of(row, "document"))


def form_of(said: dict[str, Any], kind: Report.Kind) -> Report.Format:
    """The kind of file that was asked for.

    Raises:
        NoSuchFormat: the document is not available in that format.
    """
    if said["format"] not in formats_of(kind):
        raise NoSuchFormat
    return Report.Format(said["format"])


def language_of(said: dict[str, Any]) -> str:
    """The language that was asked for, else that of the request."""
    return str(said.get("language") or get_language() or "en")


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


class DocumentResource(Resource):
    """Base of the addresses of one document, for readers of its contents."""

    def document(self, pk: int, secret: str) -> Report:
        """Return the document; one for directors also needs the scope `direct`."""
        row = report_at(self.visitor, pk, secret)
        if row.audience == Report.Audience.DIRECTORS and not directs(self.request):
            raise Http404
        return row


class OneDocument(DocumentResource):
    @extend_schema(responses=DocumentSerializer)
    def get(self, request: Request, pk: int, secret: str) -> Response:
        """The progress of a document, and the address of its file once it is ready."""
        return self.shown(DocumentSerializer, self.document(pk, secret))


class CancelDocument(DocumentResource):
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
    scope = Scope.READ

    @extend_schema(request=None, responses={202: DocumentSerializer})
    @idempotent
    def post(self, request: Request, pk: int, secret: str) -> Response:
        """Have a document made once more that failed, was cancelled, or has lost its file."""
        try_again(self.document(pk, secret), timezone.now())
        return ordered(self, self.document(pk, secret))


class DocumentFile(DocumentResource):
    refusals = ("409",)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """The requested file, whatever `Accept` says."""
        return super().perform_content_negotiation(request, force=True)

    @extend_schema(responses=FILES)
    def get(self, request: Request, pk: int, secret: str) -> FileResponse:
        """The finished document; 409 while it is not done."""
        row = self.document(pk, secret)
        if row.state != Report.State.DONE:
            raise NotDone(data={"state": row.state})
        if not is_kept(row):
            raise Http404
        kind = CONTENT_TYPES[Report.Format(row.format)]
        return FileResponse(row.file.open("rb"), filename=file_name(row), content_type=kind)
