"""Clubs: those one may see, making one, its settings and its logo, and leaving it."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from django.db import transaction
from django.db.models import F, FilteredRelation, Q
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api import views
from tournaments.api.access import account_needed, anybody
from tournaments.api.clubs.serializers import ClubSerializer, NewClubSerializer, SettingsSerializer
from tournaments.api.fields import PlainJSONRenderer
from tournaments.models import Club, Scope
from tournaments.models.clubs import ClubQuerySet, Role
from tournaments.permissions import account_of, members_club, owned_club
from tournaments.reports.pages import club_logo
from tournaments.services.clubs import membership
from tournaments.services.people.players import lock_people

PICTURES = ("image/png", "image/jpeg")


def visible_clubs(request: HttpRequest | Request) -> ClubQuerySet:
    """The clubs a visitor may see, with their role in each."""
    user = account_of(request)
    own = FilteredRelation("members", condition=Q(members__user=user.pk if user else None))
    return Club.objects.seen_by(user).annotate(own=own, role=F("own__role"))


class ClubFilter(filters.FilterSet):  # type: ignore[misc]
    role = filters.ChoiceFilter(choices=Role.choices, label="The role of the account.")
    published = filters.BooleanFilter()


class ClubViewSet(views.ListMixin, views.CreateMixin, views.RetrieveMixin, views.APIViewSet):
    descriptions = {
        "list": "List the clubs of the account, and those that everybody may see.",
        "create": "Create a club; the account becomes its owner.",
        "retrieve": "Return a club: to its members and, if it is published, to everybody.",
    }
    scope = Scope.MANAGE
    action_permissions = {
        "list": anybody,
        "create": account_needed,
        "retrieve": visible_clubs,
        "leave": members_club,
    }
    queryset = Club.objects.all()
    lookup_field = "slug"
    lookup_value_converter = "slug"
    filterset_class = ClubFilter
    ordering_fields = ("name", "slug", "created_at")
    ordering = ("name",)
    serializer_class = ClubSerializer
    serializer_classes = {"leave": None}
    request_serializer_classes = {"create": NewClubSerializer}
    club: Club

    def get_queryset(self) -> ClubQuerySet:
        return visible_clubs(self.http_request)

    def resolve_parents(self) -> None:
        if self.action == "leave":
            self.club = self.get_permission()(self.http_request, self.kwargs["slug"])
        else:
            super().resolve_parents()

    def perform_create(self, data: Mapping[str, Any]) -> Club:
        club = membership.create_club(data["name"], self.account_actor, at=timezone.now())
        return self.get_queryset().get(pk=club.pk)

    @action(methods=["post"], detail=True)
    def leave(self, request: Request, slug: str) -> Response:
        """Leave a club. The player and the results of the account stay."""
        membership.leave_club(self.club.pk, self.actor, at=timezone.now())
        return self.respond()


class ClubSettingsViewSet(
    views.ClubMixin, views.RetrieveMixin, views.UpdateMixin, views.APIViewSet
):
    descriptions = {
        "retrieve": "Return the settings of a club, for its owners.",
        "partial_update": "Change the settings of a club. Its slug stays, even under another name.",
    }
    scope = Scope.MANAGE
    permission = read_permission = staticmethod(owned_club)
    lookup_field = None
    serializer_class = request_serializer_class = SettingsSerializer

    def get_object(self) -> Club:
        return self.club

    def lock(self) -> None:
        self.club = lock_people(self.club.pk)

    def perform_update(self, club: Club, data: Mapping[str, Any]) -> None:
        now = {field.name: getattr(club, field.name) for field in fields(membership.ClubSettings)}
        settings = membership.ClubSettings(**{**now, **data})
        self.club = membership.change_settings(club.pk, settings, self.actor, at=timezone.now())


class PictureParser(BaseParser):
    """A picture as its bytes; one byte too many tells that it is too large."""

    media_type = "image/*"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        return stream.read(membership.MOST_BYTES + 1)


class PictureRenderer(BaseRenderer):
    """Lets a picture be requested; it is sent as it is."""

    media_type = "image/*"
    format = "picture"


class ClubLogoViewSet(views.ClubMixin, views.APIViewSet):
    scope = Scope.MANAGE
    permission = staticmethod(owned_club)
    lookup_field = None
    parser_classes = (PictureParser,)
    renderer_classes = (PlainJSONRenderer, PictureRenderer)

    @extend_schema(responses={(200, kind): OpenApiTypes.BINARY for kind in PICTURES})
    def retrieve(self, request: Request, **kwargs: Any) -> HttpResponse:
        """Return the logo, for everybody who may see the club."""
        content = club_logo(self.club)
        if content is None:
            raise Club.DoesNotExist
        kind = str(self.club.logo.name).rpartition(".")[2]
        return HttpResponse(content, content_type=f"image/{kind}")

    @extend_schema(request=dict.fromkeys(PICTURES, OpenApiTypes.BINARY), responses={204: None})
    def update(self, request: Request, **kwargs: Any) -> Response:
        """Replace the logo: send a PNG or JPEG, which is drawn anew before it is stored."""
        content: Any = request.data
        return self._change(membership.draw_anew(content if isinstance(content, bytes) else b""))

    def destroy(self, request: Request, **kwargs: Any) -> Response:
        """Delete the logo. Deleting it again is no error."""
        return self._change(None)

    def _change(self, picture: membership.Logo | None) -> Response:
        with transaction.atomic():
            now = club_logo(lock_people(self.club.pk)) or b""
            views.check_etag(self.request, views.etag_of_content(now))
            membership.change_logo(self.club.pk, picture, self.actor, at=timezone.now())
        return self.respond()
