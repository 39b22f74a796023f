"""Applications of others that act for an account by OAuth: registered, connected, withdrawn."""

import re
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from secrets import token_bytes
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from oauth2_provider.generators import generate_client_secret
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken

from tournaments.models import User
from tournaments.models.people import ApplicationToken
from tournaments.services.base.refusals import Refused

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


@dataclass(frozen=True, slots=True)
class ApplicationPlan:
    """A new application: its name, its redirect URIs, and whether its server can keep a secret."""

    name: str
    addresses: tuple[str, ...]
    confidential: bool


def new_access_token(request: Any) -> str:
    """Return the access token for a code or refresh token."""
    return ACCESS_PREFIX + _new_secret(request, "access")


def new_refresh_token(request: Any) -> str:
    """Return the refresh token for a code or refresh token."""
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

    Raises:
        BadRedirect: it is none that `ApplicationPlan` may have.
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


def register_application(user: User, plan: ApplicationPlan) -> tuple[Application, str]:
    """Register an application; return it with its secret, which cannot be read again later.

    The secret of a public one is empty.

    Raises:
        BadRedirect: a redirect URI is not allowed.
        TooManyApplications: the account has as many as it may.
    """
    for address in plan.addresses:
        check_redirect(address)
    secret = generate_client_secret() if plan.confidential else ""
    with transaction.atomic():
        # Locked, so that two requests at once cannot both make the last one.
        User.objects.select_for_update().get(pk=user.pk)
        if applications_of(user).count() >= MOST_APPLICATIONS:
            raise TooManyApplications({"most": MOST_APPLICATIONS})
        kinds = {True: Application.CLIENT_CONFIDENTIAL, False: Application.CLIENT_PUBLIC}
        row = Application.objects.create(
            user=user,
            name=plan.name,
            redirect_uris=" ".join(plan.addresses),
            client_type=kinds[plan.confidential],
            client_secret=secret,
            authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        )
    return row, secret


def applications_of(user: User) -> QuerySet[Application]:
    """Return the applications that an account has registered."""
    rows: QuerySet[Application] = Application.objects.filter(user=user).order_by("pk")
    return rows


def connected(user: User, at: datetime) -> QuerySet[Application]:
    """Return the applications that may act for an account."""
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
