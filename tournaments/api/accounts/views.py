"""One's own account, its tokens and players, and the cards that make a player one's own."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from allauth.core.ratelimit import consume
from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api import views
from tournaments.api.access import account_needed
from tournaments.api.accounts import serializers
from tournaments.api.people.serializers import PlayerDataSerializer
from tournaments.api.people.views import exported
from tournaments.api.problems import problem_response
from tournaments.models import Member, PersonalToken, Player, Scope
from tournaments.models.people import ApplicationToken, ScopedToken
from tournaments.permissions import account_of, directed_club
from tournaments.queries.players import account_name
from tournaments.services.accounts import make_token, revoke_token
from tournaments.services.base.writes import Fault, Invalid, Refused
from tournaments.services.emails import switch_month
from tournaments.services.people import merging
from tournaments.services.people.changes import remove_player, set_initials
from tournaments.services.people.players import lock_people


class AccountViewSet(views.RetrieveMixin, views.APIViewSet):
    descriptions = {
        "retrieve": "Return the token's account with its clubs and players, and its rights.",
    }
    read_permission = staticmethod(account_needed)
    lookup_field = None
    serializer_class = serializers.AccountSerializer

    def get_object(self) -> dict[str, Any]:
        user = self.account
        if not isinstance(self.request.auth, ScopedToken):
            raise NotAuthenticated
        clubs = Member.objects.of_user(user).select_related("club")
        players = Player.objects.belonging_to(user).select_related("club")
        return {
            "user": user,
            "name": account_name(user),
            "clubs": clubs.order_by("club__name", "club"),
            "players": players.order_by("club__name", "pk"),
            "token": self.request.auth,
        }


class NotByApplications(Refused, code="personal-token-needed", status=403):
    sentence = _("Personal tokens can only be managed with a personal token.")


class BeyondOwnScopes(Fault, code="beyond-own-scopes", where="scopes"):
    sentence = _("A token cannot create one with more permissions than it has.")


class BeyondOwnTime(Fault, code="beyond-own-time", where="days"):
    sentence = _("A token cannot create one that is valid for longer.")


def personal_token(request: Request, _name: str = "") -> PersonalToken:
    """The personal token that asks; refused for an application, a key, and nobody."""
    if isinstance(request.auth, ApplicationToken):
        raise NotByApplications
    if not isinstance(request.auth, PersonalToken):
        raise NotAuthenticated
    return request.auth


class TokenViewSet(
    views.ListMixin, views.CreateMixin, views.RetrieveMixin, views.DestroyMixin, views.APIViewSet
):
    """An application may not see or make tokens: they would go on when its access is withdrawn."""

    descriptions = {
        "list": "List the personal tokens of the account, newest first, without their texts.",
        "create": "Create a personal token. It can do no more, and lasts no longer, than the token"
        " of the request.",
        "retrieve": "Return a personal token of the account, without its text.",
        "destroy": "Revoke a personal token; it may be that of the request.",
    }
    scope = Scope.MANAGE
    read_scope = Scope.MANAGE
    permission = read_permission = staticmethod(personal_token)
    queryset = PersonalToken.objects.all()
    lookup_field = "public_id"
    filterset_fields = ("name",)
    ordering_fields = ("created",)
    ordering = ("-created", "public_id")
    serializer_class = serializers.TokenSerializer
    serializer_classes = {"create": serializers.TokenMadeSerializer}
    request_serializer_class = serializers.NewTokenSerializer

    def resolve_parents(self) -> None:
        self.token = self.get_permission()(self.request)

    def get_queryset(self) -> QuerySet[PersonalToken]:
        rows: Any = PersonalToken.objects.of(self.token.user)
        return rows.lasting(timezone.now())  # type: ignore[no-any-return]

    def perform_create(self, data: Mapping[str, Any]) -> PersonalToken:
        now, faults = timezone.now(), list[Refused]()
        if not set(data["scopes"]) <= set(self.token.scopes):
            faults.append(BeyondOwnScopes())
        left = self.token.expiry and self.token.expiry - now
        lasts = timedelta(days=data["days"]) if "days" in data else left
        if left and lasts and lasts > left:
            faults.append(BeyondOwnTime())
        if faults:
            raise Invalid(faults=faults)
        scopes = [Scope(scope) for scope in data["scopes"]]
        row, text = make_token(self.token.user, data["name"], scopes, lasts=lasts, at=now)
        row.token = text
        return row

    def perform_destroy(self, row: PersonalToken) -> None:
        revoke_token(row.user, row.public_id)


def own_players(request: Request) -> QuerySet[Player]:
    """The players whom the account has claimed."""
    return Player.objects.belonging_to(request.user).select_related("club")


class OwnPlayerViewSet(
    views.RetrieveMixin, views.UpdateMixin, views.DestroyMixin, views.APIViewSet
):
    descriptions = {
        "retrieve": "Return a player that the account has claimed.",
        "partial_update": "Show the player by initials or by the whole name, on old sheets, too.",
        "destroy": "Remove one's name everywhere, for good. The results stay.",
    }
    scope = Scope.MANAGE
    permission = read_permission = staticmethod(own_players)
    queryset = Player.objects.all()
    lookup_field = "public_id"
    serializer_class = serializers.MyPlayerSerializer
    request_serializer_classes = {"partial_update": serializers.InitialsSerializer}

    def get_queryset(self) -> QuerySet[Player]:
        return own_players(self.request)

    def lock(self) -> None:
        lock_people(self.get_object().club_id)

    def perform_update(self, row: Player, data: Mapping[str, Any]) -> None:
        if "initials" in data:
            set_initials(row.pk, data["initials"], self.actor, at=timezone.now())

    def perform_destroy(self, row: Player) -> None:
        remove_player(row.pk, self.actor, at=timezone.now())

    @action(methods=["post"], detail=True, serializer_class=PlayerDataSerializer)
    def data(self, request: Request, **kwargs: Any) -> Response:
        """Return all data that the club stores about one's player."""
        return exported(self.get_object(), self.actor, timezone.now())

    @action(methods=["post"], detail=True, serializer_class=None)
    def release(self, request: Request, **kwargs: Any) -> Response:
        """Release a player, for example one claimed by mistake."""
        merging.unlink_account(self.get_object().pk, self.actor, at=timezone.now())
        return self.respond()


class ClaimCodeViewSet(views.APIViewSet):
    deprecated = {"create": "The account page takes the code."}
    scope = Scope.MANAGE
    permission = staticmethod(account_needed)
    lookup_field = None
    serializer_class = serializers.ClaimedPlayerSerializer
    request_serializer_class = serializers.ClaimCodeSerializer
    success_status = 200

    @extend_schema("claim_by_code")
    def create(self, request: Request) -> Response:
        """Find the player of a code, to claim them at `claim/{id}/{secret}/`.

        Wrong codes count against the player and the account.
        """
        user, typed = self.account, self.get_validated()["code"]
        if not consume(self.http_request, action="claim_code", dry_run=True):
            return problem_response(merging.TooManyCodes(), request)
        try:
            found = merging.find_by_code(typed, self.actor, at=timezone.now())
        except merging.WrongClaimCode as wrong:
            consume(self.http_request, action="claim_code")
            # Returned and not raised, so that what was counted stays.
            return problem_response(wrong, request)
        own = Player.objects.filter(club=found.club, account=user).first()
        return self.respond({"player": found, "own": own})


def players_at_link(_request: Request, public_id: str, secret: str) -> QuerySet[Player]:
    """The player whom a link lets its holder claim."""
    return Player.objects.claimable_at(public_id, secret)


class ClaimViewSet(views.RetrieveMixin, views.APIViewSet):
    deprecated = dict.fromkeys(("retrieve", "create"), "Open the link in a browser.")
    descriptions = {"retrieve": "Return the player of a link."}
    scope = Scope.MANAGE
    permission = read_permission = staticmethod(players_at_link)
    lookup_field = None
    serializer_class = serializers.ClaimedPlayerSerializer
    serializer_classes = {"create": serializers.MyPlayerSerializer}
    success_status = 200

    def resolve_parents(self) -> None:
        self.players = self.get_permission()(self.request, **self.kwargs)

    def get_object(self) -> dict[str, Player | None]:
        found = get_object_or_404(self.players.select_related("club"))
        user = account_of(self.http_request)
        own = Player.objects.filter(club=found.club, account=user).first() if user else None
        return {"player": found, "own": own}

    def create(self, request: Request, public_id: str, secret: str) -> Response:
        """Claim a player; the account becomes a member of the club. Repeating it is no error."""
        if account_of(self.http_request) is None:
            get_object_or_404(self.players)
        row = merging.claim_player(public_id, secret, self.account_actor, at=timezone.now())
        return self.respond(row)


class MonthViewSet(views.ClubMixin, views.RetrieveMixin, views.APIViewSet):
    deprecated = dict.fromkeys(("retrieve", "update"), "The account page has this switch.")
    descriptions = {
        "retrieve": "Return whether a club's monthly report comes by mail, to its directors.",
    }
    scope = Scope.MANAGE
    lookup_field = None
    read_permission = staticmethod(directed_club)
    tag = "clubs"
    serializer_class = request_serializer_class = serializers.MonthSerializer

    def get_object(self) -> Member:
        return get_object_or_404(Member, club=self.club, user=self.account)

    def lock(self) -> None:
        get_object_or_404(Member.objects.select_for_update(), club=self.club, user=self.account)

    def update(self, request: Request, slug: str) -> Response:
        """Switch the monthly report of a club by mail, sent on the first, on or off."""
        with transaction.atomic():
            member = self.get_locked()
            switch_month(member, wanted=self.get_validated()["month_by_mail"])
        return self.respond(self.get_object())
