"""The second factor that the office asks for, once a session: a passkey or an e-mailed code."""

import time
from collections.abc import Callable
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import ConfirmLoginCodeForm
from allauth.account.internal.flows.code_verification import AbstractCodeVerificationProcess
from allauth.account.internal.flows.login import get_authentication_records, record_authentication
from allauth.account.models import EmailAddress
from allauth.account.utils import get_next_redirect_url
from allauth.core.internal.ratelimit import consume, respond_429
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from kingscore.mail import LogBackend
from kingscore.observing.refusals import note_limit
from tournaments.origin import origin

OFFICE = "/office/"
STATE = "office_code"
MAIL = "account/email/office_code"


def ask_second_factor(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Lead the staff from the office to the second factor, where they have not shown it yet."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(OFFICE) or not is_staff(request) or is_proved(request):
            return get_response(request)
        back = request.get_full_path() if request.method == "GET" else OFFICE
        return redirect(f"{reverse('office_factor')}?{urlencode({'next': back})}")

    return middleware


def is_staff(request: HttpRequest) -> bool:
    """Whether the visitor may enter the office at all."""
    return bool(request.user.is_active and getattr(request.user, "is_staff", False))


def is_proved(request: HttpRequest) -> bool:
    """Whether a second factor was shown in this session, and not too long ago.

    A passkey, which the device gives only to its owner, is both factors in one.
    """
    since = time.time() - settings.OFFICE_AGE
    shown = get_authentication_records(request, request.user)
    return any(
        (each["method"] == "mfa" or each.get("office")) and each["at"] > since for each in shown
    )


class OfficeCode(AbstractCodeVerificationProcess):  # type: ignore[misc]  # allauth has no types
    """A code that is on its way to one of the staff; three wrong ones spoil it."""

    def __init__(self, request: HttpRequest, state: dict[str, Any]) -> None:
        self.request = request
        super().__init__(max_attempts=3, timeout=15 * 60, state=state, user=request.user)

    @classmethod
    def resume(cls, request: HttpRequest) -> "OfficeCode | None":
        """Return the code that was sent last, while it holds."""
        state = request.session.get(STATE)
        process: OfficeCode | None = cls(request, state).abort_if_invalid() if state else None
        return process

    def persist(self) -> None:
        """Keep what is known of the code in the session."""
        self.request.session[STATE] = self.state

    def abort(self) -> None:
        """Make the code worthless."""
        self.request.session.pop(STATE, None)

    def send(self) -> None:
        """Mail a code; to the log of the server for who has no address, as its owner may."""
        adapter = get_adapter()
        self.state["code"] = adapter.generate_login_code()
        said = {"request": self.request, "code": self.code, "site": origin(self.request)}
        to = proved_address(self.request)
        if to:
            adapter.send_mail(MAIL, to, said)
        else:
            LogBackend().send_messages([adapter.render_mail(MAIL, str(self.user), said)])
        self.persist()


def proved_address(request: HttpRequest) -> str:
    """Return where one of the staff gets mail; empty where that is not proved."""
    proved = EmailAddress.objects.filter(user=request.user, verified=True)
    found = proved.order_by("-primary").first()
    return found.email if found else ""


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def show_factor(request: HttpRequest) -> HttpResponse:
    """Ask for a passkey or for a code, and open the office."""
    if not is_staff(request):
        raise Http404
    if request.POST.get("action") == "send":
        return send_code(request)
    process = OfficeCode.resume(request)
    form = None
    if process is not None:
        form = ConfirmLoginCodeForm(request.POST or None, code=process.code)
        if form.is_valid():
            process.abort()
            record_authentication(request, request.user, method="code", office=True)
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


def send_code(request: HttpRequest) -> HttpResponse:
    """Send a code, at most five times an hour."""
    if not consume(request, app="allauth.account", action="office_code"):
        note_limit(request, "office_code")
        refused: HttpResponse = respond_429(request)
        return refused
    OfficeCode(request, OfficeCode.initial_state(request.user)).send()
    return redirect(here(request))


def next_of(request: HttpRequest) -> str:
    """Return where the way leads from here: never to another site."""
    return get_next_redirect_url(request) or reverse("admin:index")


def here(request: HttpRequest) -> str:
    """Return the address of this page, with the way on."""
    return f"{reverse('office_factor')}?{urlencode({'next': next_of(request)})}"
