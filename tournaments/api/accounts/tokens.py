"""Addresses of one's own personal tokens, for a personal token with the scope manage.

An application may not see or make them: they would go on when its access is withdrawn.
"""

from datetime import timedelta

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.accounts.serializers import (
    NewTokenSerializer,
    TokenMadeSerializer,
    TokenSerializer,
)
from tournaments.api.idempotency import idempotent
from tournaments.api.views import Resource
from tournaments.models import PersonalToken, Scope, fields
from tournaments.models.people import ApplicationToken
from tournaments.services.accounts import Wish, make_token, revoke_token
from tournaments.services.base.writes import Fault, Invalid, Refused


class NotByApplications(Refused, code="personal-token-needed", status=403):
    sentence = _("Personal tokens can only be managed with a personal token.")


class BeyondOwnScopes(Fault, code="beyond-own-scopes", where="scopes"):
    sentence = _("A token cannot create one with more permissions than it has.")


class BeyondOwnTime(Fault, code="beyond-own-time", where="days"):
    sentence = _("A token cannot create one that is valid for longer.")


class TokenResource(Resource):
    """Base of the addresses of tokens."""

    scope = Scope.MANAGE
    reading_scope = Scope.MANAGE

    @property
    def asking(self) -> PersonalToken:
        """The personal token that asks.

        Raises:
            NotAuthenticated: nobody asks, or a key.
            NotByApplications: an application does.
        """
        if isinstance(self.request.auth, ApplicationToken):
            raise NotByApplications
        if not isinstance(self.request.auth, PersonalToken):
            raise NotAuthenticated
        return self.request.auth


class Tokens(TokenResource):
    queryset = PersonalToken.objects.all()
    filterset_fields = ("name",)
    ordering_fields = ("created",)
    ordering = ("-created", "public_id")

    @extend_schema(responses=TokenSerializer(many=True))
    def get(self, _request: Request) -> Response:
        """The personal tokens of the account, the newest first, without their texts."""
        rows = PersonalToken.objects.of(self.asking.user).lasting(timezone.now())
        return self.pages_of(TokenSerializer, rows)

    @extend_schema(request=NewTokenSerializer, responses={201: TokenMadeSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Make a personal token. It may do no more, and lasts no longer, than the one that asks."""
        asking, now = self.asking, timezone.now()
        said = self.said(NewTokenSerializer)
        faults: list[Refused] = []
        if not set(said["scopes"]) <= set(asking.scopes):
            faults.append(BeyondOwnScopes())
        left = asking.expiry and asking.expiry - now
        lasts = timedelta(days=said["days"]) if "days" in said else left
        if left and lasts and lasts > left:
            faults.append(BeyondOwnTime())
        if faults:
            raise Invalid(faults=faults)
        scopes = [Scope(scope) for scope in said["scopes"]]
        row, text = make_token(asking.user, Wish(said["name"], scopes, lasts), at=now)
        row.token = text
        return self.shown(TokenMadeSerializer, row, 201, Location=f"{request.path}{row.public_id}/")


class OneToken(TokenResource):
    def one(self, public_id: str) -> PersonalToken:
        rows = PersonalToken.objects.of(self.asking.user).lasting(timezone.now())
        row: PersonalToken = get_object_or_404(fields.named(rows, public_id))
        return row

    @extend_schema(responses=TokenSerializer)
    def get(self, _request: Request, public_id: str) -> Response:
        """A personal token of the account, without its text."""
        return self.shown(TokenSerializer, self.one(public_id))

    @extend_schema(request=None, responses={204: None})
    def delete(self, _request: Request, public_id: str) -> Response:
        """Revoke a personal token, also the one that asks."""
        with transaction.atomic():
            row = self.one(public_id)
            self.check_unchanged(TokenSerializer, row)
            revoke_token(row.user, row.public_id)
        return Response(status=204)
