"""Who asks: an account by its personal token, a phone by the address it has, or nobody known."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from knox.auth import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from tournaments.models import Game, PersonalToken, Scope, Table, User
from tournaments.models.play import GameQuerySet

ADDRESS_KINDS = ("write", "follow", "pen", "table")
"""The addresses that are keys, too: of a sheet, of its pen, and of a table's card."""


@dataclass(frozen=True, slots=True)
class AddressToken:
    """An address of a page as a key: `kind.public_id.secret`; it opens what the page opens.

    It is not known yet whether it is a right one: whoever looks for the row asks.
    """

    kind: str
    public_id: str
    secret: str

    def __str__(self) -> str:
        return f"{self.kind}.{self.public_id}.{self.secret}"


def token_of(row: Game | Table, kind: str) -> str:
    """The key that an address of a game (`write`, `follow`, `pen`) or a `table` is."""
    secret = row.secret if isinstance(row, Table) else row.secret(kind)
    return str(AddressToken(kind, row.public_id, secret))


class BearerAuthentication(TokenAuthentication):  # type: ignore[misc]
    """`Authorization: Bearer …`, with a personal token or with an address as a key."""

    def authenticate_credentials(
        self, token: bytes
    ) -> tuple[User | AnonymousUser, PersonalToken | AddressToken]:
        """Who has this token.

        Raises:
            AuthenticationFailed: it is no token, was revoked, or has expired.
        """
        try:
            text = token.decode("ascii")
        except UnicodeDecodeError as error:
            raise AuthenticationFailed from error
        kind, dot, rest = text.partition(".")
        if dot:
            public_id, dot, secret = rest.partition(".")
            if kind not in ADDRESS_KINDS or not dot:
                raise AuthenticationFailed
            return AnonymousUser(), AddressToken(kind, public_id, secret)
        user, personal = super().authenticate_credentials(token)
        _note_use(personal)
        return user, personal


class WithinScope(BasePermission):
    """Whether a personal token may do what is asked; without one only the rows decide.

    A view says by `scope` what it needs for what is not read.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        if not isinstance(request.auth, PersonalToken):
            return True
        needed = Scope.READ if request.method in SAFE_METHODS else view.scope
        return needed is None or needed in request.auth.scopes


def writable_game(request: Request, public_id: str) -> GameQuerySet:
    """The game whose sheet this visitor may write: by its key, or as director of its club."""
    return _at_key(request, public_id, "write") | Game.objects.directed_by(request.user).named(
        public_id
    )


def readable_game(request: Request, public_id: str) -> GameQuerySet:
    """The game whose sheet this visitor may read: by either of its keys, or as pages show it."""
    games = Game.objects.seen_by(request.user).named(public_id)
    return games | _at_key(request, public_id, "write") | _at_key(request, public_id, "follow")


def _at_key(request: Request, public_id: str, kind: str) -> GameQuerySet:
    key = request.auth
    if not isinstance(key, AddressToken) or (key.kind, key.public_id) != (kind, public_id):
        return Game.objects.none()
    if kind == "follow":
        return Game.objects.readable_at(public_id, key.secret)
    return Game.objects.writable_at(public_id, key.secret, request.user)


def _note_use(token: PersonalToken) -> None:
    """Remember that a token was used, once a minute: reading must not become writing."""
    now = timezone.now().replace(second=0, microsecond=0)
    if token.last_used_at is None or token.last_used_at < now:
        PersonalToken.objects.filter(pk=token.pk).update(last_used_at=now)
