"""Addresses of invitations: made, read with their links, withdrawn, accepted."""

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.clubs.people_serializers import (
    InvitationLinkSerializer,
    InvitationSerializer,
    InvitedSerializer,
    NewInvitationSerializer,
)
from tournaments.api.clubs.serializers import ClubSerializer
from tournaments.api.clubs.views import clubs_seen
from tournaments.api.idempotency import idempotent
from tournaments.api.problems import Answer, Refused, fault, invalid
from tournaments.api.views import Resource
from tournaments.models import Club, Invitation, Member, Scope, addresses
from tournaments.models.clubs import InvitationQuerySet, Role
from tournaments.services.clubs.membership import (
    Offer,
    accept_invitation,
    invite,
    outranks,
    withdraw_invitation,
)
from tournaments.services.people.players import lock_people
from tournaments.visitors import account_of, directed_club


class InvitationFilter(filters.FilterSet):  # type: ignore[misc]
    """Which invitations."""

    role = filters.ChoiceFilter(choices=Role.choices)


class InvitationResource(Resource):
    """What the addresses of a club's invitations share."""

    scope = Scope.MANAGE

    def managed(self, club: Club) -> InvitationQuerySet:
        """Those whose links the visitor may see and withdraw."""
        return Invitation.objects.managed_by(self.visitor.user).filter(club=club)


class Invitations(InvitationResource):
    """`/clubs/{slug}/invitations/`."""

    queryset = Invitation.objects.all()
    filterset_class = InvitationFilter
    ordering_fields = ("created_at", "expires_at")
    ordering = ("-created_at",)

    @extend_schema(responses=InvitationSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The invitations that stand, the latest first: directors see those of members."""
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
            text = _("Only an owner gives this role.")
            raise Refused(invalid([fault("role-of-owners", "role", text)]))
        if offer.role != Role.MEMBER and offer.most_uses != 1:
            text = _("A link for a director or an owner can be used once: leave this out.")
            raise Refused(invalid([fault("staff-once", "most_uses", text)]))


class OneInvitation(InvitationResource):
    """`/clubs/{slug}/invitations/{id}/`."""

    # A link makes whoever has it more than a token may that only reads.
    reading_scope = Scope.MANAGE

    @extend_schema(responses=InvitationLinkSerializer)
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """An invitation that stands, with its link."""
        rows = self.managed(directed_club(self.visitor, slug)).standing(timezone.now())
        row = get_object_or_404(addresses.named(rows, public_id))
        return self.shown(InvitationLinkSerializer, row)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, slug: str, public_id: str) -> Response:
        """Make the link worthless; twice is no error."""
        club = directed_club(self.visitor, slug)
        with transaction.atomic():
            lock_people(club.pk)
            row = get_object_or_404(addresses.named(self.managed(club), public_id))
            self.check_unchanged(InvitationLinkSerializer, row)
            withdraw_invitation(row.pk, self.actor, at=timezone.now())
        return Response(status=204)


class Join(Resource):
    """`/join/{id}/{secret}/`."""

    scope = Scope.MANAGE

    @extend_schema(responses=InvitedSerializer)
    def get(self, request: Request, public_id: str, secret: str) -> Response:
        """To what a link invites, for whoever has it; 410 once it does not stand."""
        return self.shown(InvitedSerializer, self._invited(public_id, secret))

    @extend_schema(request=None, responses=ClubSerializer)
    @idempotent
    def post(self, request: Request, public_id: str, secret: str) -> Response:
        """Take the role; whoever has it already, or more, uses nothing up."""
        row = get_object_or_404(Invitation.objects.found_at(public_id, secret))
        by = self.account_actor
        try:
            member = accept_invitation(row.pk, by, at=timezone.now())
        except Invitation.DoesNotExist as error:
            raise _over() from error
        return self.shown(ClubSerializer, clubs_seen(self).get(pk=member.club_id))

    def _invited(self, public_id: str, secret: str) -> dict[str, object]:
        found = Invitation.objects.found_at(public_id, secret).select_related("club")
        row = get_object_or_404(found)
        user = account_of(self.visitor)
        own = Member.objects.filter(club=row.club, user=user).first() if user else None
        belongs = own is not None and not outranks(Role(row.role), Role(own.role))
        stands = Invitation.objects.standing(timezone.now()).filter(pk=row.pk).exists()
        if not stands and not belongs:
            raise _over()
        told = {name: getattr(row, name) for name in ("club", "role", "expires_at")}
        return {**told, "belongs": belongs}


def _over() -> Refused:
    title = _("The invitation was withdrawn, has expired, or is used up.")
    return Refused(Answer(410, "invitation-over", title))
