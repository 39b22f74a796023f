"""Addresses of invitations: made, read with their links, withdrawn, accepted."""

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.clubs.serializers import ClubSerializer
from tournaments.api.clubs.views import clubs_seen
from tournaments.api.idempotency import idempotent
from tournaments.api.people.member_serializers import (
    InvitationLinkSerializer,
    InvitationSerializer,
    InvitedSerializer,
    NewInvitationSerializer,
)
from tournaments.api.views import Resource
from tournaments.models import Club, Invitation, Member, Scope, fields
from tournaments.models.clubs import InvitationQuerySet, Role
from tournaments.permissions import account_of, directed_club
from tournaments.services.base.writes import Fault, Refused
from tournaments.services.clubs.membership import (
    Offer,
    accept_invitation,
    invite,
    outranks,
    withdraw_invitation,
)
from tournaments.services.people.players import lock_people


class RoleOfOwners(Fault, code="role-of-owners", where="role"):
    sentence = _("Only an owner can give this role.")


class StaffOnce(Fault, code="staff-once", where="most_uses"):
    sentence = _("A link for a director or an owner can be used once: leave this out.")


class InvitationOver(Refused, code="invitation-over", status=410):
    sentence = _("The invitation was withdrawn, has expired, or is used up.")


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
    reading_scope = Scope.MANAGE

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
        return self.shown(ClubSerializer, clubs_seen(self).get(pk=member.club_id))

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
