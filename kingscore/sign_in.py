"""Signing in: the account, its password, known devices, and how often they may try.

Sessions store the path of `OneHashBackend`: under another one everybody would be signed out.
"""

import secrets
from operator import attrgetter
from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.internal.flows.email_verification_by_code import (
    EMAIL_VERIFICATION_CODE_SESSION_KEY,
)
from allauth.account.internal.stagekit import unstash_login
from allauth.account.internal.userkit import filter_users_by_email, get_user_by_username
from allauth.core.internal.ratelimit import RateLimitUsage, consume, get_ip, respond_429
from django import template
from django.contrib.auth.models import AbstractBaseUser
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from kingscore.observing.refusals import note_limit
from tournaments.models import User
from tournaments.models.people import fold_email

register = template.Library()

# The first match counts: the later names also occur in the user agents of earlier ones.
BROWSERS = {
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "Edg": "Edge",
    "OPR": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "CriOS": "Chrome",
    "Chrome": "Chrome",
    "Safari": "Safari",
}
SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS": "Mac",
    "Linux": "Linux",
}


@register.filter
def device(user_agent: str) -> str:
    """Return the browser and the system, such as "Chrome · Android"; "?" if unknown."""
    found = [
        next((name for mark, name in names.items() if mark in user_agent), "")
        for names in (BROWSERS, SYSTEMS)
    ]
    return " · ".join(filter(None, found)) or "?"


def account_of(login: str) -> User | None:
    """Return the account with an e-mail address or user name, verified addresses first."""
    email = fold_email(login)
    found: list[User] = filter_users_by_email(email, prefer_verified=True, for_login=True)
    return min(found, key=attrgetter("pk")) if found else get_user_by_username(login)


class OneHashBackend(AuthenticationBackend):  # type: ignore[misc]  # allauth has no types
    """Checks a password against one account at most, and always computes one hash.

    allauth looks an account up by e-mail address and by user name, and checks each one it finds:
    the response time would reveal whether an account exists.
    """

    def _authenticate(self, _request: HttpRequest | None, **credentials: Any) -> User | None:
        login = credentials.get("email") or credentials.get("username") or ""
        user: User | None = self._check_password(account_of(login), credentials["password"])
        return user


DEVICE = "device"
SALT = "kingscore.device.1"
A_YEAR = 365 * 24 * 60 * 60

MOST_ACCOUNTS = 8
"""The maximum of accounts on one device; the oldest are forgotten first."""


def read_device(request: HttpRequest) -> tuple[str, list[int]]:
    """Return the device id and the accounts that have signed in on it, the latest first."""
    try:
        kept = signing.loads(request.COOKIES.get(DEVICE, ""), salt=SALT, max_age=A_YEAR)
    except signing.BadSignature:
        return "", []
    return kept[0], kept[1]


def remember_device(request: HttpRequest, response: HttpResponse, user: AbstractBaseUser) -> None:
    """Record on the device's cookie that an account has signed in there."""
    device, accounts = read_device(request)
    others = [pk for pk in accounts if pk != user.pk]
    kept = [device or secrets.token_urlsafe(12), [user.pk, *others][:MOST_ACCOUNTS]]
    response.set_cookie(
        DEVICE,
        signing.dumps(kept, salt=SALT),
        max_age=A_YEAR,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )


def known_device(request: HttpRequest, login: str) -> str:
    """Return the rate-limit key of a device that has signed in as `login`, else ""."""
    device, accounts = read_device(request)
    user = account_of(login) if device else None
    return f"{device} {user.pk}" if user and user.pk in accounts else ""


def count_try(request: HttpRequest, action: str, login: str) -> RateLimitUsage | None:
    """Count an attempt on an account by ACCOUNT_RATE_LIMITS. Return None if there were too many.

    Known devices are counted by "<action>_device". All others are counted by "<action>", whose
    key is the address and the network, and by "<action>_anywhere", whose key is the address.
    """
    login = fold_email(login)
    device = known_device(request, login)
    if device:
        used = _consume(request, f"{action}_device", device)
    else:
        used = _consume(request, action, f"{login} {get_ip(request)}")
        anywhere = used and _consume(request, f"{action}_anywhere", login)
        used = RateLimitUsage([*used.usage, *anywhere.usage]) if used and anywhere else None
    if used is None:
        note_limit(request, action)
    return used


def count_passkey(request: HttpRequest) -> RateLimitUsage | None:
    """Count a passkey attempt, which names no account: by device if known, else by network."""
    device, _accounts = read_device(request)
    used = _consume(request, "passkey_device" if device else "passkey", device)
    if used is None:
        note_limit(request, "passkey")
    return used


def count_mail(request: HttpRequest, action: str, email: str) -> bool:
    """Count an e-mail that a visitor asked for, once a request."""
    if not getattr(request, "mail_is_counted", False):
        request.mail_is_counted = count_try(request, action, email) is not None  # type: ignore[attr-defined]
    return bool(request.mail_is_counted)  # type: ignore[attr-defined]


def _consume(request: HttpRequest, action: str, key: str) -> RateLimitUsage | None:
    used: RateLimitUsage | None = consume(request, app="allauth.account", action=action, key=key)
    return used


class AttemptsMiddleware(MiddlewareMixin):
    """Counts POSTs to the public pages of allauth."""

    def process_view(
        self, request: HttpRequest, view: Any, _args: Any, _kwargs: Any
    ) -> HttpResponse | None:
        """Answer 429 instead of the page after too many attempts."""
        if request.method != "POST" or not view.__module__.startswith("allauth."):
            return None
        return None if may_post(request) else respond_429(request)


def may_post(request: HttpRequest) -> bool:
    """Count a submitted form and return whether to process it."""
    name = request.resolver_match.url_name if request.resolver_match else None
    if name == "account_login":
        return count_try(request, "sign_in", request.POST.get("login", "")) is not None
    if name == "mfa_login_webauthn":
        return count_passkey(request) is not None
    if request.POST.get("action") != "resend":
        return True
    # Also counted for addresses without an account, to which allauth sends no second e-mail.
    if name == "account_confirm_login_code":
        login = unstash_login(request, peek=True)
        return login is None or count_mail(request, "login_mail", login.email or "")
    if name == "account_email_verification_sent":
        waiting = request.session.get(EMAIL_VERIFICATION_CODE_SESSION_KEY) or {}
        return count_mail(request, "sign_up_mail", waiting.get("email", ""))
    return True
