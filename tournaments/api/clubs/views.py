"""Addresses of clubs: those one may see, making one, its settings, its logo, and leaving it."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from django.db import transaction
from django.db.models import F, FilteredRelation, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.clubs.serializers import (
    ClubSerializer,
    NewClubSerializer,
    SettingsSerializer,
)
from tournaments.api.fields import PlainJSONRenderer
from tournaments.api.schema import idempotent
from tournaments.api.views import Resource, check_etag, tag_of_content
from tournaments.models import Club, Scope
from tournaments.models.clubs import ClubQuerySet, Role
from tournaments.permissions import account_of, members_club, owned_club, seen_club
from tournaments.services.clubs.membership import (
    MOST_BYTES,
    ClubSettings,
    Logo,
    change_logo,
    change_settings,
    create_club,
    draw_anew,
    leave_club,
)
from tournaments.services.people.players import lock_people

PICTURES = ("image/png", "image/jpeg")


class PictureParser(BaseParser):
    """A picture as its bytes; one byte too many tells that it is too large."""

    media_type = "image/*"

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The bytes, as many as are taken and one."""
        return stream.read(MOST_BYTES + 1)


class PictureRenderer(BaseRenderer):
    """Lets a picture be asked for; it is sent as it is."""

    media_type = "image/*"
    format = "picture"


class ClubFilter(filters.FilterSet):  # type: ignore[misc]
    """Which clubs."""

    role = filters.ChoiceFilter(choices=Role.choices, label="The role of the account.")
    published = filters.BooleanFilter()


def clubs_seen(view: Resource) -> ClubQuerySet:
    """The clubs a visitor may see, with their role in each."""
    user = account_of(view.visitor)
    own = FilteredRelation("members", condition=Q(members__user=user.pk if user else None))
    return Club.objects.seen_by(user).annotate(own=own, role=F("own__role"))


class Clubs(Resource):
    scope = Scope.MANAGE
    queryset = Club.objects.all()
    filterset_class = ClubFilter
    ordering_fields = ("name", "slug", "created_at")
    ordering = ("name",)

    @extend_schema(responses=ClubSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The clubs of the account, and those that everybody may see."""
        return self.pages_of(ClubSerializer, clubs_seen(self))

    @extend_schema(request=NewClubSerializer, responses={201: ClubSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Make a club; the account is its owner."""
        by = self.account_actor
        said = self.said(NewClubSerializer)
        made = create_club(said["name"], by, at=timezone.now())
        place = f"{request.path}{made.slug}/"
        return self.shown(ClubSerializer, clubs_seen(self).get(pk=made.pk), 201, Location=place)


class OneClub(Resource):
    @extend_schema(responses=ClubSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """A club, for its members and, where it is published, for everybody."""
        return self.shown(ClubSerializer, get_object_or_404(clubs_seen(self), slug=slug))


class ClubSettingsView(Resource):
    scope = Scope.MANAGE

    @extend_schema(responses=SettingsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """How a club is set up, for its owners."""
        return self.shown(SettingsSerializer, owned_club(self.visitor, slug))

    @extend_schema(request=SettingsSerializer, responses=SettingsSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Set a club up otherwise; its slug stays, also under another name."""
        club = owned_club(self.visitor, slug)
        said = self.said(SettingsSerializer, partial=True)
        with transaction.atomic():
            row = lock_people(club.pk)
            self.check_unchanged(SettingsSerializer, row)
            now = {field.name: getattr(row, field.name) for field in fields(ClubSettings)}
            chosen = ClubSettings(**{**now, **said})
            row = change_settings(row.pk, chosen, self.actor, at=timezone.now())
        return self.shown(SettingsSerializer, row)


class ClubLogo(Resource):
    scope = Scope.MANAGE
    parser_classes = (PictureParser,)
    renderer_classes = (PlainJSONRenderer, PictureRenderer)

    @extend_schema(responses={(200, kind): OpenApiTypes.BINARY for kind in PICTURES})
    def get(self, request: Request, slug: str) -> HttpResponse:
        """The picture, for whoever may see the club."""
        row = seen_club(self.visitor, slug)
        content = _logo_of(row)
        if content is None:
            raise Club.DoesNotExist
        kind = str(row.logo.name).rpartition(".")[2]
        return HttpResponse(content, content_type=f"image/{kind}")

    @extend_schema(request=dict.fromkeys(PICTURES, OpenApiTypes.BINARY), responses={204: None})
    def put(self, request: Request, slug: str) -> Response:
        """Give a club a logo: a PNG or JPEG, drawn anew before it is kept."""
        club = owned_club(self.visitor, slug)
        sent: Any = request.data
        self._change(club, draw_anew(sent if isinstance(sent, bytes) else b""))
        return Response(status=204)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """Take the logo away; twice is no error."""
        self._change(owned_club(self.visitor, slug), None)
        return Response(status=204)

    def _change(self, club: Club, picture: Logo | None) -> None:
        with transaction.atomic():
            check_etag(self.request, tag_of_content(_logo_of(lock_people(club.pk)) or b""))
            change_logo(club.pk, picture, self.actor, at=timezone.now())


def _logo_of(club: Club) -> bytes | None:
    """The picture of a club, where it has one."""
    try:
        with club.logo.open("rb") as picture:
            return bytes(picture.read())
    except (FileNotFoundError, ValueError):
        return None


class LeaveClub(Resource):
    scope = Scope.MANAGE

    @extend_schema(request=None, responses={204: None})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Go out of a club; one's player and results stay."""
        leave_club(members_club(self.visitor, slug).pk, self.actor, at=timezone.now())
        return Response(status=204)
