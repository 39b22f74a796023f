"""Addresses of the members of a club: their roles, and putting one out."""

from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.people.member_serializers import (
    MemberSerializer,
    RoleSerializer,
)
from tournaments.api.problems import fault
from tournaments.api.views import Resource
from tournaments.engine.rules.rulesets import LONGEST_REASON
from tournaments.models import Club, Member, Player, Scope
from tournaments.models.clubs import Role
from tournaments.permissions import directs_club, members_club, owned_club
from tournaments.queries.people.players import found_by_address, found_by_name
from tournaments.services.clubs.membership import change_role, remove_member
from tournaments.services.people.players import lock_people


class MemberFilter(filters.FilterSet):  # type: ignore[misc]
    """Which members."""

    role = filters.ChoiceFilter(choices=Role.choices)


class MemberResource(Resource):
    """Shared by both addresses."""

    scope = Scope.MANAGE
    directs = False

    def members_of(self, club: Club, asked: str = "") -> QuerySet[Member]:
        """Those who are called what is asked for, as the visitor may know them."""
        self.directs = directs_club(self.visitor, club)
        if self.directs:
            return found_by_address(club, asked)
        here = Player.objects.present().filter(club=club)
        called = Prefetch("user__players", here, to_attr="players_here")
        return found_by_name(club, asked).prefetch_related(called)

    def get_serializer_context(self) -> dict[str, object]:
        """Whether the visitor directs the club, too."""
        return {**super().get_serializer_context(), "directs": self.directs}


class Members(MemberResource):
    queryset = Member.objects.all()
    filterset_class = MemberFilter
    also_asked = ("q",)
    ordering_fields = ("joined_at",)
    ordering = ("joined_at",)

    @extend_schema(
        responses=MemberSerializer(many=True),
        parameters=[OpenApiParameter("q", str, description="Words of the name.")],
    )
    def get(self, request: Request, slug: str) -> Response:
        """The accounts of a club, for its members."""
        club = members_club(self.visitor, slug)
        asked = request.query_params.get("q", "").replace("\0", "")
        return self.pages_of(MemberSerializer, self.members_of(club, asked))


class OneMember(MemberResource):
    @extend_schema(responses=MemberSerializer)
    def get(self, request: Request, slug: str, user: int) -> Response:
        """One of the accounts of a club."""
        rows = self.members_of(members_club(self.visitor, slug))
        return self.shown(MemberSerializer, get_object_or_404(rows, user__id=user))

    @extend_schema(request=RoleSerializer, responses=MemberSerializer)
    def patch(self, request: Request, slug: str, user: int) -> Response:
        """Give a member another role, as an owner."""
        club = owned_club(self.visitor, slug)
        with transaction.atomic():
            row = self._locked(club, user)
            role = Role(self.said(RoleSerializer)["role"])
            row = change_role(club.pk, row.user_id, role, self.actor, at=timezone.now())
        return self.shown(MemberSerializer, row)

    @extend_schema(
        request=None,
        responses={204: None},
        parameters=[OpenApiParameter("reason", {"type": "string", "maxLength": LONGEST_REASON})],
    )
    def delete(self, request: Request, slug: str, user: int) -> Response:
        """Put an account out of a club, as an owner; its player and results stay."""
        club = owned_club(self.visitor, slug)
        with transaction.atomic():
            row = self._locked(club, user)
            reason = _reason(request)
            remove_member(club.pk, row.user_id, self.actor, at=timezone.now(), reason=reason)
        return Response(status=204)

    def _locked(self, club: Club, user: int) -> Member:
        """The member, unless they have changed since they were read."""
        lock_people(club.pk)
        row = get_object_or_404(self.members_of(club), user__id=user)
        self.check_unchanged(MemberSerializer, row)
        return row


def _reason(request: Request) -> str:
    """Why, as the audit keeps it.

    Raises:
        Fault: that is too much.
    """
    reason: str = request.query_params.get("reason", "").strip()
    if len(reason) > LONGEST_REASON or "\0" in reason:
        text = _("At most %(most)s.") % {"most": LONGEST_REASON}
        raise fault("max-length", "reason", text)
    return reason
