"""Accounts, and the applications that they let in."""

import re
from base64 import urlsafe_b64encode
from collections.abc import Collection
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_bytes
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from oauth2_provider.generators import generate_client_secret
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2 import InvalidGrantError

from tournaments.engine.rules.rulesets import LONGEST_TOKEN_NAME
from tournaments.models import PersonalToken, Scope, User
from tournaments.models.people import ApplicationToken
from tournaments.services.base.writes import Refused

MOST_APPLICATIONS = 20
MOST_ADDRESSES = 10
LONGEST_ADDRESS = 400

ACCESS_PREFIX = "kso_"
"""Tells access tokens of applications from personal tokens."""

HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]")

LOOPBACK = ("127.0.0.1", "::1")
"""The hosts of programs on the reader's own machine, which have no certificate."""


class TooManyApplications(Refused):
    sentence = _("There are %(most)s already: remove one.")


class BadRedirect(Refused):
    sentence = _(
        "%(address)s cannot be used. An address begins with https://, or with http://127.0.0.1 for "
        "a program on your own computer, and contains no name, password or #. Its host is written "
        "in ASCII letters, as xn--k-eka1l.example."
    )


def new_access_token(request: Any) -> str:
    return ACCESS_PREFIX + _new_secret(request, "access")


def new_refresh_token(request: Any) -> str:
    return "ksr_" + _new_secret(request, "refresh")


def _new_secret(request: Any, use: str) -> str:
    # What a refresh token gives is derived from it, so that the same answer can be given twice
    # although only digests are stored.
    if request.grant_type == "refresh_token":
        label = f"kingscore.oauth.{use}"
        new = salted_hmac(label, request.refresh_token, algorithm="sha256").digest()
    else:
        new = token_bytes(32)
    return urlsafe_b64encode(new).decode().rstrip("=")


def check_redirect(address: str) -> None:
    """Refuse an address to which no code may be sent.

    Raises: BadRedirect: it is none that an application may have.
    """
    try:
        parts = urlsplit(address)
        _port = parts.port
    except ValueError as error:
        raise BadRedirect({"address": address}) from error
    secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    # Browsers send other letters in another form, which is no redirect URI of the application.
    odd = "#" in address or "@" in parts.netloc or not (address.isascii() and address.isprintable())
    if not secure or odd or " " in address or len(address) > LONGEST_ADDRESS:
        raise BadRedirect({"address": address})
    if not origin_of(address):
        raise BadRedirect({"address": address})


def origin_of(address: str) -> str:
    """Return scheme, host and port of an address for a policy; empty if the host is not valid."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    if not HOST.fullmatch(host):
        return ""
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")


def register_application(
    user: User, name: str, addresses: Collection[str], *, confidential: bool
) -> tuple[Application, str]:
    """Register an application; return it with its secret, which cannot be read again later.

    A public one, whose server cannot keep a secret, has none.

    Raises:
        BadRedirect: a redirect URI is not allowed.
        TooManyApplications: the account has as many as it may.
    """
    for address in addresses:
        check_redirect(address)
    secret = generate_client_secret() if confidential else ""
    with transaction.atomic():
        # Locked, so that two requests at once cannot both make the last one.
        User.objects.select_for_update().get(pk=user.pk)
        if applications_of(user).count() >= MOST_APPLICATIONS:
            raise TooManyApplications({"most": MOST_APPLICATIONS})
        kinds = {True: Application.CLIENT_CONFIDENTIAL, False: Application.CLIENT_PUBLIC}
        row = Application.objects.create(
            user=user,
            name=name,
            redirect_uris=" ".join(addresses),
            client_type=kinds[confidential],
            client_secret=secret,
            authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        )
    return row, secret


def applications_of(user: User) -> QuerySet[Application]:
    rows: QuerySet[Application] = Application.objects.filter(user=user).order_by("pk")
    return rows


def connected(user: User, at: datetime) -> QuerySet[Application]:
    access = AccessToken.objects.filter(user=user, expires__gt=at)
    refresh = RefreshToken.objects.filter(user=user, revoked=None)
    held = Q(pk__in=access.values("application")) | Q(pk__in=refresh.values("application"))
    rows: QuerySet[Application] = Application.objects.filter(held).order_by("name", "pk")
    return rows


def scopes_held(user: User) -> dict[int, set[str]]:
    """Return the scopes that an account's applications have, by the key of the application."""
    held: dict[int, set[str]] = {}
    for pk, scope in AccessToken.objects.filter(user=user).values_list("application", "scope"):
        held.setdefault(pk, set()).update(scope.split())
    return held


def withdraw(user: User, application_pk: int | None = None) -> None:
    """End the access of an application to an account, or of all. Idempotent."""
    only = {} if application_pk is None else {"application": application_pk}
    with transaction.atomic():
        # A refresh holds its row until it has stored new ones, which are deleted, too.
        list(RefreshToken.objects.select_for_update().filter(user=user, **only).order_by("pk"))
        for rows in (Grant.objects, RefreshToken.objects, AccessToken.objects):
            rows.filter(user=user, **only).delete()


def digest(text: str) -> str:
    """Return what is kept of a code or token."""
    return sha256(text.encode()).hexdigest()


def find_access_token(text: str, at: datetime) -> tuple[User, ApplicationToken] | None:
    """Return the account of a valid access token, and its rights (1 query)."""
    rows = AccessToken.objects.select_related("user", "application")
    row = rows.filter(token_checksum=digest(text), expires__gt=at, user__is_active=True).first()
    if row is None or row.application is None:
        return None
    public_id = f"application-{row.application_id}-{row.user_id}"
    scopes = tuple(row.scope.split())
    return row.user, ApplicationToken(public_id, row.application.name, scopes, row.expires)


MOST_TOKENS = 20
"""The maximum number of tokens per account."""


class TooManyTokens(Refused, code="too-many"):
    sentence = _("There are %(most)s already: revoke one.")


def make_token(
    user: User,
    name: str,
    scopes: Collection[Scope],
    *,
    lasts: timedelta | None = None,
    at: datetime,
) -> tuple[PersonalToken, str]:
    """Make a token and return it with its secret text, which cannot be read again later.

    Without `lasts` it is valid until it is revoked.


    Raises:
        TooManyTokens: the account has as many as it may; nothing is made.
        ValueError: the name or the permissions are empty.
    """
    name = " ".join(name.split())
    values = [scope.value for scope in Scope if scope in scopes]
    if not name or len(name) > LONGEST_TOKEN_NAME or not values:
        raise ValueError("a token has a name and may do something")
    with transaction.atomic():
        # Locked, so that two requests at once cannot both make the last allowed token.
        User.objects.select_for_update().get(pk=user.pk)
        expire_tokens(at, of=user)
        if PersonalToken.objects.of(user).count() >= MOST_TOKENS:
            raise TooManyTokens({"most": MOST_TOKENS})
        token, text = PersonalToken.objects.create(user, expiry=lasts, name=name, scopes=values)
    return token, text


def revoke_token(user: User, public_id: str) -> None:
    """Revoke a token of an account. No error if it is gone already."""
    PersonalToken.objects.of(user).filter(public_id=public_id).delete()


def revoke_all(user: User) -> None:
    """Revoke all tokens of an account, and the access of all applications."""
    PersonalToken.objects.of(user).delete()
    withdraw(user)


def expire_tokens(at: datetime, of: User | None = None) -> None:
    rows = PersonalToken.objects.all() if of is None else PersonalToken.objects.of(of)
    rows.filter(expiry__lte=at).delete()


def replace_calendar(user: int) -> None:
    """Revoke the address of an account's calendar; there is a new one."""
    User.objects.filter(pk=user).update(calendar_generation=F("calendar_generation") + 1)


class Validator(OAuth2Validator):  # type: ignore[misc]
    """Keeps digests of codes, as of tokens, and gives nothing to accounts that are closed.

    A refresh token that is used again within the grace period is answered with the same tokens.
    """

    def _create_authorization_code(self, request: Any, code: dict[str, Any], *more: Any) -> Grant:
        stored = code | {"code": digest(code["code"])}
        return super()._create_authorization_code(request, stored, *more)

    def validate_code(self, client_id: str, code: str, client: Any, request: Any) -> bool:
        # Everything after this looks for the code of the request.
        request.code = digest(code)
        valid = super().validate_code(client_id, request.code, client, request)
        return bool(valid and request.user.is_active)

    def _save_bearer_token(self, token: dict[str, Any], request: Any, *more: Any) -> None:
        if request.grant_type != "refresh_token":
            super()._save_bearer_token(token, request, *more)
            return
        # Others may have used or ended it since it was validated: looked at again under a lock.
        used = request.refresh_token_instance
        RefreshToken.objects.select_for_update().filter(pk=used.pk).first()
        if not self.validate_refresh_token(request.refresh_token, request.client, request):
            raise InvalidGrantError(request=request)
        if request.refresh_token_instance.revoked is None:
            super()._save_bearer_token(token, request, *more)
            return
        given = AccessToken.objects.filter(source_refresh_token=used)
        first = given.filter(token_checksum=digest(token["access_token"])).first()
        if first is None:
            # Given by another secret of the site.
            raise InvalidGrantError(request=request)
        token["scope"] = first.scope

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any) -> bool:
        valid = super().validate_refresh_token(refresh_token, client, request)
        return bool(valid and request.user.is_active)
