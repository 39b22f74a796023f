"""Addresses of members of a club, and of invitations."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.clubs.serializers import ClubSerializer
from tournaments.api.clubs.views import visible_clubs
from tournaments.api.fields import ClubNameSerializer, Moment, Strict, UncachedSerializer
from tournaments.api.problems import fault
from tournaments.api.views import Resource, idempotent
from tournaments.engine.rules.rulesets import LONGEST_REASON
from tournaments.models import Club, Invitation, Member, Player, Scope, fields
from tournaments.models.clubs import InvitationQuerySet, Role
from tournaments.origin import absolute
from tournaments.permissions import (
    account_of,
    directed_club,
    directs_club,
    members_club,
    owned_club,
)
from tournaments.queries.players import (
    account_name,
    called_in_club,
    found_by_address,
    found_by_name,
)
from tournaments.services.base.writes import Fault, Refused
from tournaments.services.clubs.membership import (
    INVITED_FOR,
    Offer,
    accept_invitation,
    change_role,
    invite,
    outranks,
    remove_member,
    withdraw_invitation,
)
from tournaments.services.people.players import lock_people

MOST_DAYS = 60
MOST_USES = 1000


class MemberSerializer(serializers.Serializer[Any]):
    """An account in a club; `email` is for directors, and null for all others."""

    user = serializers.IntegerField(source="user_id")
    name = serializers.SerializerMethodField()
    email = serializers.SerializerMethodField()
    role = serializers.ChoiceField(Role.choices)
    joined_at = Moment()

    def get_name(self, member: Member) -> str:
        if self.context["directs"]:
            return account_name(member.user)
        own = getattr(member.user, "players_here", [])
        return called_in_club(member.user, next(iter(own), None))

    def get_email(self, member: Member) -> str | None:
        return member.user.email if self.context["directs"] else None


class RoleSerializer(Strict):
    """Another role for a member."""

    role = serializers.ChoiceField(Role.choices)


class InvitationSerializer(serializers.Serializer[Any]):
    """A link that gives a role, `most_uses` times; any number of times where that is null."""

    id = serializers.CharField(source="public_id")
    role = serializers.ChoiceField(Role.choices)
    created_at = Moment()
    expires_at = Moment()
    most_uses = serializers.IntegerField(allow_null=True)
    uses = serializers.IntegerField()


class InvitationLinkSerializer(UncachedSerializer, InvitationSerializer):
    """An invitation with its link: `link` is the page, `secret` what a program accepts it with."""

    link = serializers.SerializerMethodField()
    secret = serializers.CharField()

    @extend_schema_field(serializers.URLField())
    def get_link(self, row: Invitation) -> str:
        place = reverse("join", args=[row.public_id, row.secret])
        return absolute(self.context["request"], place)


class NewInvitationSerializer(Strict):
    """The role that a link gives, its uses, and its days.

    Owners give any role, directors that of a member; other roles are given once.
    """

    role = serializers.ChoiceField(Role.choices, default=Role.MEMBER)
    most_uses = serializers.IntegerField(
        min_value=1, max_value=MOST_USES, allow_null=True, default=1
    )
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, default=INVITED_FOR.days)

    @staticmethod
    def offer(said: dict[str, Any]) -> Offer:
        return Offer(Role(said["role"]), said["most_uses"], timedelta(days=said["days"]))


class InvitedSerializer(serializers.Serializer[Any]):
    """To what somebody is invited; `belongs` says that the account is that already, or more."""

    club = ClubNameSerializer()
    role = serializers.ChoiceField(Role.choices)
    expires_at = Moment()
    belongs = serializers.BooleanField()


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


class RoleOfOwners(Fault, code="role-of-owners", where="role"):
    sentence = gettext_lazy("Only an owner can give this role.")


class StaffOnce(Fault, code="staff-once", where="most_uses"):
    sentence = gettext_lazy("A link for a director or an owner can be used once: leave this out.")


class InvitationOver(Refused, code="invitation-over", status=410):
    sentence = gettext_lazy("The invitation was withdrawn, has expired, or is used up.")


class InvitationFilter(filters.FilterSet):  # type: ignore[misc]
    """Which invitations."""

    role = filters.ChoiceFilter(choices=Role.choices)


class InvitationResource(Resource):
    """Shared by the addresses of a club's invitations."""

    scope = Scope.MANAGE

    def managed(self, club: Club) -> InvitationQuerySet:
        """Those whose links the visitor may see and withdraw."""
        return Invitation.objects.managed_by(self.visitor.user).filter(club=club)


class Invitations(InvitationResource):
    queryset = Invitation.objects.all()
    filterset_class = InvitationFilter
    ordering_fields = ("created_at", "expires_at")
    ordering = ("-created_at",)

    @extend_schema(responses=InvitationSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The open invitations, the latest first; directors see those for members."""
        rows = self.managed(directed_club(self.visitor, slug)).standing(timezone.now())
        return self.pages_of(InvitationSerializer, rows)

    @extend_schema(request=NewInvitationSerializer, responses={201: InvitationLinkSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Make a link that gives a role."""
        club = directed_club(self.visitor, slug)
        offer = NewInvitationSerializer.offer(self.said(NewInvitationSerializer))
        self._check(club, offer)
        made = invite(club, offer, self.actor, at=timezone.now())
        place = f"{request.path}{made.public_id}/"
        return self.shown(InvitationLinkSerializer, made, 201, Location=place)

    def _check(self, club: Club, offer: Offer) -> None:
        """Refuse a link that is not the visitor's to give, or would make many more than members."""
        owns = Club.objects.owned_by(self.visitor.user).filter(pk=club.pk).exists()
        if offer.role != Role.MEMBER and not owns:
            raise RoleOfOwners
        if offer.role != Role.MEMBER and offer.most_uses != 1:
            raise StaffOnce


class OneInvitation(InvitationResource):
    # A link makes whoever has it more than a token may that only reads.
    read_scope = Scope.MANAGE

    @extend_schema(responses=InvitationLinkSerializer)
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """An open invitation, with its link."""
        rows = self.managed(directed_club(self.visitor, slug)).standing(timezone.now())
        row = get_object_or_404(fields.named(rows, public_id))
        return self.shown(InvitationLinkSerializer, row)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, slug: str, public_id: str) -> Response:
        """Make the link worthless; twice is no error."""
        club = directed_club(self.visitor, slug)
        with transaction.atomic():
            lock_people(club.pk)
            row = get_object_or_404(fields.named(self.managed(club), public_id))
            self.check_unchanged(InvitationLinkSerializer, row)
            withdraw_invitation(row.pk, self.actor, at=timezone.now())
        return Response(status=204)


class Join(Resource):
    scope = Scope.MANAGE

    @extend_schema(responses=InvitedSerializer)
    def get(self, request: Request, public_id: str, secret: str) -> Response:
        """The offer of an invitation link; 410 once it is used up, expired or withdrawn."""
        return self.shown(InvitedSerializer, self._invited(public_id, secret))

    @extend_schema(request=None, responses=ClubSerializer)
    @idempotent
    def post(self, request: Request, public_id: str, secret: str) -> Response:
        """Accept the role. An account that already has it, or more, uses nothing up."""
        row = get_object_or_404(Invitation.objects.found_at(public_id, secret))
        by = self.account_actor
        try:
            member = accept_invitation(row.pk, by, at=timezone.now())
        except Invitation.DoesNotExist as error:
            raise InvitationOver from error
        return self.shown(ClubSerializer, visible_clubs(self.visitor).get(pk=member.club_id))

    def _invited(self, public_id: str, secret: str) -> dict[str, object]:
        found = Invitation.objects.found_at(public_id, secret).select_related("club")
        row = get_object_or_404(found)
        user = account_of(self.visitor)
        own = Member.objects.filter(club=row.club, user=user).first() if user else None
        belongs = own is not None and not outranks(Role(row.role), Role(own.role))
        valid = Invitation.objects.standing(timezone.now()).filter(pk=row.pk).exists()
        if not valid and not belongs:
            raise InvitationOver
        details = {name: getattr(row, name) for name in ("club", "role", "expires_at")}
        return {**details, "belongs": belongs}
