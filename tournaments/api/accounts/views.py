"""Addresses of accounts, and their tokens."""

from datetime import timedelta

from allauth.core.ratelimit import consume
from django.db import transaction
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.accounts.serializers import (
    AccountSerializer,
    ClaimCodeSerializer,
    ClaimedPlayerSerializer,
    InitialsSerializer,
    MyPlayerSerializer,
    NewTokenSerializer,
    TokenMadeSerializer,
    TokenSerializer,
)
from tournaments.api.people.serializers import PlayerDataSerializer
from tournaments.api.people.views import exported
from tournaments.api.problems import problem_response
from tournaments.api.views import Resource, idempotent
from tournaments.models import Member, PersonalToken, Player, Scope, fields
from tournaments.models.people import ApplicationToken, ScopedToken
from tournaments.permissions import account_of
from tournaments.services.accounts import Wish, make_token, revoke_token
from tournaments.services.base.writes import Fault, Invalid, Refused
from tournaments.services.people.changes import remove_player, set_initials
from tournaments.services.people.merging import (
    TooManyCodes,
    WrongClaimCode,
    claim_player,
    find_by_code,
    unlink_account,
)
from tournaments.services.people.players import lock_people


class NotByApplications(Refused, code="personal-token-needed", status=403):
    sentence = _("Personal tokens can only be managed with a personal token.")


class BeyondOwnScopes(Fault, code="beyond-own-scopes", where="scopes"):
    sentence = _("A token cannot create one with more permissions than it has.")


class BeyondOwnTime(Fault, code="beyond-own-time", where="days"):
    sentence = _("A token cannot create one that is valid for longer.")


class TokenResource(Resource):
    """Base of the addresses of tokens."""

    scope = Scope.MANAGE
    read_scope = Scope.MANAGE

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


class Me(Resource):
    @extend_schema(responses=AccountSerializer)
    def get(self, request: Request) -> Response:
        """The account of the token, with its clubs and players, and the token's rights."""
        user = self.account
        if not isinstance(request.auth, ScopedToken):
            raise NotAuthenticated
        clubs = Member.objects.of_user(user).select_related("club")
        players = Player.objects.belonging_to(user).select_related("club")
        details = {
            "user": user,
            "clubs": clubs.order_by("club__name", "club"),
            "players": players.order_by("club__name", "pk"),
            "token": request.auth,
        }
        return self.shown(AccountSerializer, details)


class MyPlayerResource(Resource):
    """An address of one's own player."""

    scope = Scope.MANAGE

    def own(self, public_id: str) -> Player:
        rows = Player.objects.belonging_to(self.visitor.user).select_related("club")
        return get_object_or_404(fields.named(rows, public_id))


class MyPlayer(MyPlayerResource):
    @extend_schema(responses=MyPlayerSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """A player whom the account has claimed."""
        return self.shown(MyPlayerSerializer, self.own(public_id))

    @extend_schema(request=InitialsSerializer, responses=MyPlayerSerializer)
    def patch(self, request: Request, public_id: str) -> Response:
        """Be shown by initials, or by the whole name again; also on old sheets."""
        self.own(public_id)
        said = self.said(InitialsSerializer, partial=True)
        with transaction.atomic():
            row = self._locked(public_id)
            if "initials" in said:
                set_initials(row.pk, said["initials"], self.actor, at=timezone.now())
        return self.shown(MyPlayerSerializer, self.own(public_id))

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, public_id: str) -> Response:
        """Have one's name taken out of everything for good; the results stay."""
        with transaction.atomic():
            row = self._locked(public_id)
            remove_player(row.pk, self.actor, at=timezone.now())
        return Response(status=204)

    def _locked(self, public_id: str) -> Player:
        """The player, unless they have changed since they were read."""
        lock_people(self.own(public_id).club_id)
        row = self.own(public_id)
        self.check_unchanged(MyPlayerSerializer, row)
        return row


class MyData(MyPlayerResource):
    @extend_schema(request=None, responses=PlayerDataSerializer)
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """All that the club keeps about one's player."""
        return exported(self.own(public_id), self.actor, timezone.now())


class MyRelease(MyPlayerResource):
    @extend_schema(request=None, responses={204: None})
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Let go of a player, as one claimed by mistake."""
        unlink_account(self.own(public_id).pk, self.actor, at=timezone.now())
        return Response(status=204)


class ClaimCode(Resource):
    scope = Scope.MANAGE

    @extend_schema("claim_by_code", request=ClaimCodeSerializer, responses=ClaimedPlayerSerializer)
    @idempotent
    def post(self, request: Request) -> Response:
        """Find the player of a code; they are claimed at `claim/{id}/{secret}/` then.

        Wrong codes are counted, for the player and for the account.
        """
        user = self.account
        typed = self.said(ClaimCodeSerializer)["code"]
        if not consume(self.visitor, action="claim_code", dry_run=True):
            return problem_response(TooManyCodes(), request)
        try:
            found = find_by_code(typed, self.actor, at=timezone.now())
        except WrongClaimCode as wrong:
            consume(self.visitor, action="claim_code")
            # Returned and not raised, so that what was counted stays.
            return problem_response(wrong, request)
        own = Player.objects.filter(club=found.club, account=user).first()
        return self.shown(ClaimedPlayerSerializer, {"player": found, "own": own})


class Claim(Resource):
    scope = Scope.MANAGE

    @extend_schema(responses=ClaimedPlayerSerializer)
    def get(self, request: Request, public_id: str, secret: str) -> Response:
        """The player of a link, for whoever has it."""
        rows = Player.objects.claimable_at(public_id, secret).select_related("club")
        found, user = get_object_or_404(rows), account_of(self.visitor)
        own = Player.objects.filter(club=found.club, account=user).first() if user else None
        return self.shown(ClaimedPlayerSerializer, {"player": found, "own": own})

    @extend_schema(request=None, responses=MyPlayerSerializer)
    @idempotent
    def post(self, request: Request, public_id: str, secret: str) -> Response:
        """Make a player one's own, and the account a member of the club; twice is no error."""
        if account_of(self.visitor) is None:
            get_object_or_404(Player.objects.claimable_at(public_id, secret))
        row = claim_player(public_id, secret, self.account_actor, at=timezone.now())
        return self.shown(MyPlayerSerializer, row)
