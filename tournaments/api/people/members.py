"""Addresses of members of a club, and of invitations."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
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
from tournaments.api.fields import (
    ClubNameSerializer,
    MomentField,
    StrictSerializer,
    UncachedSerializer,
)
from tournaments.api.problems import fault
from tournaments.api.views import (
    APIViewSet,
    ClubMixin,
    CreateMixin,
    DestroyMixin,
    ListMixin,
    RetrieveMixin,
    UpdateMixin,
)
from tournaments.engine.rules.rulesets import LONGEST_REASON
from tournaments.models import Club, Invitation, Member, Scope
from tournaments.models.clubs import Role
from tournaments.origin import absolute
from tournaments.permissions import account_of, directed_club, members_club, owned_club
from tournaments.queries.players import member_name, members_found
from tournaments.services.base.writes import Fault, Refused
from tournaments.services.clubs import membership
from tournaments.services.people.players import lock_people

MOST_DAYS = 60
MOST_USES = 1000


class MemberSerializer(serializers.Serializer[Any]):
    """An account in a club; `email` is for directors, and null for all others."""

    user = serializers.IntegerField(source="user_id")
    name = serializers.SerializerMethodField()
    email = serializers.SerializerMethodField()
    role = serializers.ChoiceField(Role.choices)
    joined_at = MomentField()

    def get_name(self, member: Member) -> str:
        return member_name(member, directs=self.context["view"].directs)

    def get_email(self, member: Member) -> str | None:
        return member.user.email if self.context["view"].directs else None


class RoleSerializer(StrictSerializer):
    """The new role of a member."""

    role = serializers.ChoiceField(Role.choices)


class InvitationSerializer(serializers.Serializer[Any]):
    """A link that gives a role `most_uses` times, or without a limit if that is null."""

    id = serializers.CharField(source="public_id")
    role = serializers.ChoiceField(Role.choices)
    created_at = MomentField()
    expires_at = MomentField()
    most_uses = serializers.IntegerField(allow_null=True)
    uses = serializers.IntegerField()


class InvitationLinkSerializer(UncachedSerializer, InvitationSerializer):
    """An invitation with its link: `link` is its page; a program accepts it with the `secret`."""

    link = serializers.SerializerMethodField()
    secret = serializers.CharField()

    @extend_schema_field(serializers.URLField())
    def get_link(self, row: Invitation) -> str:
        place = reverse("join", args=[row.public_id, row.secret])
        return absolute(self.context["request"], place)


class NewInvitationSerializer(StrictSerializer):
    """The role that a link gives, its uses, and its days.

    Owners give any role, directors that of a member; other roles are given once.
    """

    role = serializers.ChoiceField(Role.choices, default=Role.MEMBER)
    most_uses = serializers.IntegerField(
        min_value=1, max_value=MOST_USES, allow_null=True, default=1
    )
    days = serializers.IntegerField(
        min_value=1, max_value=MOST_DAYS, default=membership.INVITED_FOR.days
    )


class InvitedSerializer(serializers.Serializer[Any]):
    """What an invitation offers; `belongs` says that the account has this role, or a higher one."""

    club = ClubNameSerializer()
    role = serializers.ChoiceField(Role.choices)
    expires_at = MomentField()
    belongs = serializers.BooleanField()


class RoleFilter(filters.FilterSet):  # type: ignore[misc]
    role = filters.ChoiceFilter(choices=Role.choices)


class MemberViewSet(ClubMixin, ListMixin, RetrieveMixin, UpdateMixin, DestroyMixin, APIViewSet):
    descriptions = {
        "retrieve": "Return an account of a club.",
        "partial_update": "Change the role of a member, as an owner.",
    }
    scope = Scope.MANAGE
    queryset = Member.objects.all()
    lookup_field = "user__id"
    lookup_url_kwarg = "user"
    lookup_value_converter = "int"
    read_permission = staticmethod(members_club)
    permission = staticmethod(owned_club)
    filterset_class = RoleFilter
    extra_parameters = ("q",)
    ordering_fields = ("joined_at",)
    ordering = ("joined_at",)
    serializer_class = MemberSerializer
    request_serializer_class = RoleSerializer

    @extend_schema(parameters=[OpenApiParameter("q", str, description="Words of the name.")])
    def list(self, request: Request, **kwargs: Any) -> Response:
        """List the accounts of a club, for its members."""
        return super().list(request)

    def get_queryset(self) -> QuerySet[Member]:
        """Filter by the words of `q`, in the names that the visitor may know."""
        text = self.request.query_params.get("q", "").replace("\0", "")
        return members_found(self.club, text, directs=self.directs)

    def lock(self) -> None:
        lock_people(self.club.pk)

    def perform_update(self, row: Member, data: Mapping[str, Any]) -> None:
        # Not of `data`, in which nothing is required.
        role = Role(self.get_validated()["role"])
        membership.change_role(self.club.pk, row.user_id, role, self.actor, at=timezone.now())

    @extend_schema(
        parameters=[OpenApiParameter("reason", {"type": "string", "maxLength": LONGEST_REASON})]
    )
    def destroy(self, request: Request, **kwargs: Any) -> Response:
        """Remove an account from a club, as an owner. Its player and results stay."""
        return super().destroy(request)

    def perform_destroy(self, row: Member) -> None:
        """Keep the reason in the audit; a fault if it is too long."""
        reason = self.request.query_params.get("reason", "").strip()
        if len(reason) > LONGEST_REASON or "\0" in reason:
            text = _("At most %(most)s.") % {"most": LONGEST_REASON}
            raise fault("max-length", "reason", text)
        by, now = self.actor, timezone.now()
        membership.remove_member(self.club.pk, row.user_id, by, at=now, reason=reason)


class RoleOfOwners(Fault, code="role-of-owners", where="role"):
    sentence = gettext_lazy("Only an owner can give this role.")


class StaffOnce(Fault, code="staff-once", where="most_uses"):
    sentence = gettext_lazy("A link for a director or an owner can be used once: leave this out.")


class InvitationOver(Refused, code="invitation-over", status=410):
    sentence = gettext_lazy("The invitation was withdrawn, has expired, or is used up.")


class InvitationViewSet(ClubMixin, ListMixin, CreateMixin, RetrieveMixin, DestroyMixin, APIViewSet):
    descriptions = {
        "list": "List the open invitations, latest first. Directors see those for members.",
        "create": "Create a link that gives a role.",
        "retrieve": "Return an open invitation with its link.",
        "destroy": "Withdraw an invitation: its link no longer works. Repeating it is no error.",
    }
    scope = Scope.MANAGE
    # A link makes whoever has it more than a token may that only reads.
    action_scopes = {"retrieve": Scope.MANAGE}
    queryset = Invitation.objects.all()
    lookup_field = "public_id"
    read_permission = staticmethod(directed_club)
    filterset_class = RoleFilter
    ordering_fields = ("created_at", "expires_at")
    ordering = ("-created_at",)
    serializer_class = InvitationLinkSerializer
    serializer_classes = {"list": InvitationSerializer}
    request_serializer_class = NewInvitationSerializer

    def get_queryset(self) -> QuerySet[Invitation]:
        """Those whose links the visitor may see and withdraw."""
        rows = Invitation.objects.managed_by(self.request.user).filter(club=self.club)
        return rows if self.action == "destroy" else rows.standing(timezone.now())

    def lock(self) -> None:
        lock_people(self.club.pk)

    def perform_create(self, data: Mapping[str, Any]) -> Invitation:
        """Refuse a link that is not the visitor's to give, or would make many more than members."""
        role, uses = Role(data["role"]), data["most_uses"]
        owns = Club.objects.owned_by(self.request.user).filter(pk=self.club.pk).exists()
        if role != Role.MEMBER and not owns:
            raise RoleOfOwners
        if role != Role.MEMBER and uses != 1:
            raise StaffOnce
        offer = membership.Offer(role, uses, timedelta(days=data["days"]))
        return membership.invite(self.club, offer, self.actor, at=timezone.now())

    def perform_destroy(self, row: Invitation) -> None:
        membership.withdraw_invitation(row.pk, self.actor, at=timezone.now())


def invitations_at_link(_request: Request, public_id: str, secret: str) -> QuerySet[Invitation]:
    """The invitation of a link, used up or not."""
    return Invitation.objects.found_at(public_id, secret)


class JoinViewSet(RetrieveMixin, APIViewSet):
    deprecated = dict.fromkeys(("retrieve", "create"), "Open the link in a browser.")
    descriptions = {
        "retrieve": "Return what a link offers; 410 once it is used up, expired or withdrawn.",
    }
    scope = Scope.MANAGE
    permission = read_permission = staticmethod(invitations_at_link)
    lookup_field = None
    serializer_class = InvitedSerializer
    serializer_classes = {"create": ClubSerializer}
    success_status = 200

    def resolve_parents(self) -> None:
        self.invitations = self.get_permission()(self.request, **self.kwargs)

    def get_object(self) -> dict[str, object]:
        row = get_object_or_404(self.invitations.select_related("club"))
        user = account_of(self.http_request)
        own = Member.objects.filter(club=row.club, user=user).first() if user else None
        belongs = own is not None and not membership.outranks(Role(row.role), Role(own.role))
        valid = Invitation.objects.standing(timezone.now()).filter(pk=row.pk).exists()
        if not valid and not belongs:
            raise InvitationOver
        details = {name: getattr(row, name) for name in ("club", "role", "expires_at")}
        return {**details, "belongs": belongs}

    def create(self, request: Request, **kwargs: Any) -> Response:
        """Accept the role. If the account has it already, or a higher one, nothing is used up."""
        row, by = get_object_or_404(self.invitations), self.account_actor
        try:
            member = membership.accept_invitation(row.pk, by, at=timezone.now())
        except Invitation.DoesNotExist as error:
            raise InvitationOver from error
        return self.respond(visible_clubs(self.http_request).get(pk=member.club_id))
