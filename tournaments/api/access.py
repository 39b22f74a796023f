"""Who may use the API, with which scopes, and how often.

`BearerAuthentication` reads the token, `HasScope` compares its scopes with the view's, and the
functions from `writable_game` on are the views' permissions: rows that this request may touch. A
key is the secret address of a page, sent as a token (`AddressToken`): with the link of a sheet the
API can be used for it without an account.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, TypeGuard

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.cache import caches
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils import timezone
from knox.auth import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated, Throttled
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from tournaments.api.problems import LacksScope, framework_problem, plain_problem
from tournaments.models import Game, OpenTable, PersonalToken, Scope, Table, User
from tournaments.models.games import GameQuerySet, OpenTableQuerySet
from tournaments.models.people import ScopedToken
from tournaments.permissions import account_of, network_of
from tournaments.services.accounts import ACCESS_PREFIX, find_access_token

ADDRESS_KINDS = ("write", "follow", "pen", "table", "evening", "register", "check-in")
"""The addresses that are keys, too: `write` and `follow` of a sheet, `pen` for its scoring,
`table` of its card, `evening` of an open table, and the two links of a tournament."""


@dataclass(frozen=True, slots=True)
class AddressToken:
    """An address of a page as a key: `kind.public_id.secret`; it opens what the page opens.

    It may still be invalid; the query for the row decides.
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
    """`Authorization: Bearer …`, with a personal or an application's token, or a key."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """Return the visitor; None without credentials, AuthenticationFailed if they are wrong."""
        found: tuple[Any, Any] | None = super().authenticate(request)
        if found is None and "Authorization" in request.headers:
            raise AuthenticationFailed
        return found

    def authenticate_credentials(
        self, token: bytes
    ) -> tuple[User | AnonymousUser, ScopedToken | AddressToken]:
        """Return the account of a token; AuthenticationFailed if it is unknown or invalid."""
        try:
            text = token.decode("ascii")
        except UnicodeDecodeError as error:
            raise AuthenticationFailed from error
        if "\0" in text:
            # PostgreSQL looks for no text with one.
            raise AuthenticationFailed
        kind, dot, rest = text.partition(".")
        if dot:
            public_id, dot, secret = rest.partition(".")
            if kind not in ADDRESS_KINDS or not dot:
                raise AuthenticationFailed
            return AnonymousUser(), AddressToken(kind, public_id, secret)
        if text.startswith(ACCESS_PREFIX):
            found = find_access_token(text, timezone.now())
            if found is None:
                raise AuthenticationFailed
            return found
        user, personal = super().authenticate_credentials(token)
        # Noted once a minute: reading must not become writing.
        now = timezone.now().replace(second=0, microsecond=0)
        if personal.last_used_at is None or personal.last_used_at < now:
            PersonalToken.objects.filter(pk=personal.pk).update(last_used_at=now)
        return user, personal


class HasScope(BasePermission):
    """Whether a token with scopes may do what is asked; without one only the rows decide.

    A view says by `scope` what it needs for what is not read, and by `read_scope` where
    reading needs more than usual, as for keys.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        if not isinstance(request.auth, ScopedToken):
            return True
        needed = view.scope_for(request.method or "")
        if needed is not None and needed not in request.auth.scopes:
            raise LacksScope(needed)
        return True


def anybody(_request: Request, _name: str = "") -> None:
    """The permission of an address that needs none: its rows are those one may see."""


def account_needed(request: Request, _name: str = "") -> None:
    """The permission of an address for every account; NotAuthenticated without one."""
    if account_of(request._request) is None:  # noqa: SLF001
        raise NotAuthenticated


def has_scope(request: Request, scope: Scope) -> bool:
    """Return whether a token has the scope; only then does an answer contain secrets."""
    return isinstance(request.auth, ScopedToken) and scope in request.auth.scopes


def writable_game(request: Request, public_id: str) -> GameQuerySet:
    """Return a game that the visitor may write to, by its key or as a director of its club.

    For entries use `writable_row`, which takes fewer queries.
    """
    games, key = Game.objects.none(), request.auth
    if _is_key(key, public_id, "write"):
        games = Game.objects.writable_at(public_id, key.secret, request.user)
    if not request.user.is_authenticated:
        return games
    return games | Game.objects.directed_by(request.user).named(public_id)


def writable_row(request: Request, public_id: str) -> Game | None:
    """Return the game of `writable_game`, with its table (1 query with a key at an open table)."""
    key = request.auth
    if _is_key(key, public_id, "write"):
        row = Game.objects.first_writable_at(public_id, key.secret, request.user)
        if row is not None:
            return row
    return writable_game(request, public_id).select_related("table").first()


def game_to_read(request: Request, public_id: str) -> Game:
    """The game that this visitor may read, by its key or as its page is visible; 404 for others."""
    games = Game.objects.seen_by(request.user).named(public_id)
    key = request.auth
    if isinstance(key, AddressToken) and key.public_id == public_id:
        games |= game_of_key(request)
    return get_object_or_404(games.select_related("match", "table"))


def takeable_game(request: Request, public_id: str) -> GameQuerySet:
    """The game whose scoring this visitor may take over with its key."""
    key = request.auth
    if not _is_key(key, public_id, "pen"):
        return Game.objects.none()
    return Game.objects.takeable_at(public_id, key.secret)


def round_closed_since(request: Request, public_id: str) -> GameQuerySet:
    """The game that this visitor's key could write until its round was closed: answered 409."""
    key = request.auth
    if not _is_key(key, public_id, "write"):
        return Game.objects.none()
    return Game.objects.closed_at(public_id, key.secret)


def scoring_taken_since(request: Request, public_id: str) -> GameQuerySet:
    """The game that this key could write until another phone took over: answered 410."""
    key = request.auth
    if not _is_key(key, public_id, "write"):
        return Game.objects.none()
    return Game.objects.once_writable_at(public_id, key.secret)


def game_of_key(request: Request) -> GameQuerySet:
    """The game that the request's `write` or `follow` key reads, also after a hand-over."""
    key = request.auth
    if isinstance(key, AddressToken) and key.kind == "write":
        return Game.objects.ever_writable_at(key.public_id, key.secret)
    if isinstance(key, AddressToken) and key.kind == "follow":
        return Game.objects.readable_at(key.public_id, key.secret)
    return Game.objects.none()


def evening_of_key(request: Request, public_id: str) -> OpenTableQuerySet:
    """The open table whose evening this key follows."""
    key = request.auth
    if not _is_key(key, public_id, OpenTable.KIND):
        return OpenTable.objects.none()
    return OpenTable.objects.readable_at(public_id, key.secret)


def _is_key(key: object, public_id: str, kind: str) -> TypeGuard[AddressToken]:
    """Whether this is the key of a kind to a game, right or wrong."""
    return isinstance(key, AddressToken) and (key.kind, key.public_id) == (kind, public_id)


WINDOW = 60
"""The limits are for so many seconds."""

POLICY, LEFT = "RateLimit-Policy", "RateLimit"
"""The headers of a limit (draft-ietf-httpapi-ratelimit-headers-10)."""


def count(request: Request, places: Collection[object]) -> None:
    """Count a request against its limit; `places` are the values in the path of its address.

    Raises: AuthenticationFailed: the token is invalid, which has a limit of its own.
        Throttled: there were too many.
    """
    network = network_of(request._request)  # noqa: SLF001
    try:
        visitor = request.auth
    except AuthenticationFailed:
        _count(request, "failure", network)
        raise
    owner = network
    if isinstance(visitor, ScopedToken):
        owner = visitor.public_id
    # A key has a limit of its own only at an address that names its object. Elsewhere nobody checks
    # it, and each made-up key would bring a fresh limit.
    elif isinstance(visitor, AddressToken) and visitor.public_id in places:
        # By its origin, so that wrong tries use up only the sender's own limit.
        owner = f"{visitor.public_id[:16]}:{network}"
    _count(request, "read" if request.method in SAFE_METHODS else "write", owner)


def tell_limit(request: HttpRequest, answer: HttpResponseBase) -> HttpResponseBase:
    """Add the headers of the limit to an answer.

    What reached no view, such as a request at an unknown address, is counted only now: the answer
    becomes 429 if there were too many.
    """
    if not hasattr(request, "counted"):
        try:
            count(Request(request, authenticators=[BearerAuthentication()]), ())
        except AuthenticationFailed:
            pass
        except Throttled as error:
            answer = plain_problem(framework_problem(error), request)
    limits: dict[str, str] = getattr(request, "counted", {})
    for name, value in limits.items():
        answer[name] = value
    return answer


def _count(request: Request, kind: str, owner: str) -> None:
    most: int | None = settings.API_LIMITS.get(kind)
    if most is None:
        return
    number, seconds = caches["throttles"].count(f"{kind}:{owner}", WINDOW)  # type: ignore[attr-defined]
    request._request.counted = {  # type: ignore[attr-defined] # noqa: SLF001
        POLICY: f'"{kind}";q={most};w={WINDOW}',
        LEFT: f'"{kind}";r={max(most - number, 0)};t={seconds}',
    }
    if number > most:
        raise Throttled(wait=seconds)
