"""Signing in: the account, known devices, how often they may try, sessions, the second factor.

Sessions store the path of `OneHashBackend`: under another one everybody would be signed out.
"""

import secrets
import time
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.forms import ConfirmLoginCodeForm
from allauth.account.internal.flows.code_verification import AbstractCodeVerificationProcess
from allauth.account.internal.flows.email_verification_by_code import (
    EMAIL_VERIFICATION_CODE_SESSION_KEY,
)
from allauth.account.internal.flows.login import get_authentication_records, record_authentication
from allauth.account.internal.stagekit import unstash_login
from allauth.account.internal.userkit import filter_users_by_email, get_user_by_username
from allauth.account.models import EmailAddress
from allauth.account.utils import get_next_redirect_url
from allauth.core.internal.ratelimit import RateLimitUsage, consume, get_ip, respond_429
from allauth.mfa.models import Authenticator
from django import template
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser
from django.contrib.auth.signals import user_logged_in
from django.core import signing
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import urlencode

from kingscore.mail import LogBackend
from kingscore.observing.logs import note_limit, note_success
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
        stored = signing.loads(request.COOKIES.get(DEVICE, ""), salt=SALT, max_age=A_YEAR)
    except signing.BadSignature:
        return "", []
    return stored[0], stored[1]


def remember_device(request: HttpRequest, response: HttpResponse, user: AbstractBaseUser) -> None:
    """Record on the device's cookie that an account has signed in there."""
    device, accounts = read_device(request)
    others = [pk for pk in accounts if pk != user.pk]
    value = [device or secrets.token_urlsafe(12), [user.pk, *others][:MOST_ACCOUNTS]]
    response.set_cookie(
        DEVICE,
        signing.dumps(value, salt=SALT),
        max_age=A_YEAR,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )


def count_try(request: HttpRequest, action: str, login: str) -> RateLimitUsage | None:
    """Count an attempt on an account by ACCOUNT_RATE_LIMITS. Return None if there were too many.

    Known devices are counted by "<action>_device". All others are counted by "<action>", whose
    key is the address and the network, and by "<action>_anywhere", whose key is the address.
    """
    login = fold_email(login)
    device, accounts = read_device(request)
    user = account_of(login) if device else None
    if user and user.pk in accounts:
        used = _consume(request, f"{action}_device", f"{device} {user.pk}")
    else:
        used = _consume(request, action, f"{login} {get_ip(request)}")
        anywhere = used and _consume(request, f"{action}_anywhere", login)
        used = RateLimitUsage([*used.usage, *anywhere.usage]) if used and anywhere else None
    if used is None:
        note_limit(request, action)
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
        name = request.resolver_match.url_name if request.resolver_match else None
        is_resent = request.POST.get("action") == "resend"
        may_post = True
        if name == "account_login":
            may_post = count_try(request, "sign_in", request.POST.get("login", "")) is not None
        elif name == "mfa_login_webauthn":
            # It names no account: count by device if known, else by network.
            device, _accounts = read_device(request)
            action = "passkey_device" if device else "passkey"
            may_post = _consume(request, action, device) is not None
            if not may_post:
                note_limit(request, "passkey")
        # Also counted for addresses without an account, to which allauth sends no second e-mail.
        elif is_resent and name == "account_confirm_login_code":
            login = unstash_login(request, peek=True)
            may_post = login is None or count_mail(request, "login_mail", login.email or "")
        elif is_resent and name == "account_email_verification_sent":
            waiting = request.session.get(EMAIL_VERIFICATION_CODE_SESSION_KEY) or {}
            may_post = count_mail(request, "sign_up_mail", waiting.get("email", ""))
        return None if may_post else respond_429(request)


USED_AT = "used_at"
A_DAY = 24 * 60 * 60


@receiver(user_logged_in)
def note_use(request: HttpRequest, **_more: Any) -> None:
    """Record the last use of a session, from its start on."""
    request.session[USED_AT] = time.time()


def renew_sessions(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Extend a session in use: it ends a while after its last day of use, not after its first.

    Once a day, because each extension is a write.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        session = request.session
        in_use = session.accessed and SESSION_KEY in session
        if in_use and time.time() - session.get(USED_AT, 0) > A_DAY:
            session[USED_AT] = time.time()
        return response

    return middleware


OFFICE = "/office/"
STATE = "office_code"
MAIL = "account/email/office_code"


def ask_second_factor(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Redirect staff from the admin site to the second factor, until they have given it."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(OFFICE) or not is_staff(request) or is_proved(request):
            return get_response(request)
        back = request.get_full_path() if request.method == "GET" else OFFICE
        return redirect(f"{reverse('office_factor')}?{urlencode({'next': back})}")

    return middleware


def is_staff(request: HttpRequest) -> bool:
    """Return whether the visitor may enter the admin site at all."""
    return bool(request.user.is_active and getattr(request.user, "is_staff", False))


def is_proved(request: HttpRequest) -> bool:
    """Return whether a second factor was given in this session recently enough.

    A passkey, which the device releases only to its owner, is both factors in one.
    """
    since = time.time() - settings.OFFICE_AGE
    records = get_authentication_records(request, request.user)
    return any(
        (record["method"] == "mfa" or record.get("office")) and record["at"] > since
        for record in records
    )


class OfficeCode(AbstractCodeVerificationProcess):  # type: ignore[misc]  # allauth has no types
    """A code sent to one of the staff; three wrong attempts invalidate it."""

    def __init__(self, request: HttpRequest, state: dict[str, Any]) -> None:
        self.request = request
        super().__init__(max_attempts=3, timeout=settings.CODE_AGE, state=state, user=request.user)

    def persist(self) -> None:
        self.request.session[STATE] = self.state

    def abort(self) -> None:
        self.request.session.pop(STATE, None)

    def send(self) -> None:
        """E-mail a code; write it to the server's log for an owner without an address."""
        adapter = get_adapter()
        self.state["code"] = adapter.generate_login_code()
        context = {"request": self.request, "code": self.code}
        to = proved_address(self.request)
        if to:
            adapter.send_mail(MAIL, to, context)
        else:
            LogBackend().send_messages([adapter.render_mail(MAIL, str(self.user), context)])
        self.persist()


def proved_address(request: HttpRequest) -> str:
    """Return the verified e-mail address of one of the staff, or ""."""
    proved = EmailAddress.objects.filter(user=request.user, verified=True)
    found = proved.order_by("-primary").first()
    return found.email if found else ""


@login_required
def show_factor(request: HttpRequest) -> HttpResponse:
    """Ask for a passkey or a code, then open the admin site."""
    if not is_staff(request):
        raise Http404
    if request.POST.get("action") == "send":
        # At most five times an hour.
        if not consume(request, app="allauth.account", action="office_code"):
            note_limit(request, "office_code")
            refused: HttpResponse = respond_429(request)
            return refused
        OfficeCode(request, OfficeCode.initial_state(request.user)).send()
        return redirect(here(request))
    state = request.session.get(STATE)
    # The code that was sent last, if it is still valid.
    process = OfficeCode(request, state).abort_if_invalid() if state else None
    form = None
    if process is not None:
        form = ConfirmLoginCodeForm(request.POST or None, code=process.code)
        if form.is_valid():
            process.abort()
            record_authentication(request, request.user, method="code", office=True)
            note_success("second factor", "code")
            return redirect(next_of(request))
        if form.is_bound and not process.record_invalid_attempt():
            return redirect(here(request))
    page = {
        "form": form,
        "next": next_of(request),
        "email": proved_address(request),
        "passkeys": Authenticator.objects.filter(user=request.user).exists(),
    }
    status = 422 if form is not None and form.is_bound else 200
    return render(request, "account/office.html", page, status=status)


def next_of(request: HttpRequest) -> str:
    """Return the next page, never on another site."""
    return get_next_redirect_url(request) or reverse("admin:index")


def here(request: HttpRequest) -> str:
    """Return the address of this page, with the next page in its query."""
    return f"{reverse('office_factor')}?{urlencode({'next': next_of(request)})}"
