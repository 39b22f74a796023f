"""The second factor for the admin site, once a session: a passkey or an e-mailed code."""

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
from kingscore.observing.sign_ins import note_success

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
    shown = get_authentication_records(request, request.user)
    return any(
        (each["method"] == "mfa" or each.get("office")) and each["at"] > since for each in shown
    )


class OfficeCode(AbstractCodeVerificationProcess):  # type: ignore[misc]  # allauth has no types
    """A code sent to one of the staff; three wrong attempts invalidate it."""

    def __init__(self, request: HttpRequest, state: dict[str, Any]) -> None:
        self.request = request
        super().__init__(max_attempts=3, timeout=settings.CODE_AGE, state=state, user=request.user)

    @classmethod
    def resume(cls, request: HttpRequest) -> "OfficeCode | None":
        """Return the code that was sent last, if it is still valid."""
        state = request.session.get(STATE)
        process: OfficeCode | None = cls(request, state).abort_if_invalid() if state else None
        return process

    def persist(self) -> None:
        """Keep the state of the code in the session."""
        self.request.session[STATE] = self.state

    def abort(self) -> None:
        self.request.session.pop(STATE, None)

    def send(self) -> None:
        """E-mail a code; write it to the server's log for an owner without an address."""
        adapter = get_adapter()
        self.state["code"] = adapter.generate_login_code()
        said = {"request": self.request, "code": self.code}
        to = proved_address(self.request)
        if to:
            adapter.send_mail(MAIL, to, said)
        else:
            LogBackend().send_messages([adapter.render_mail(MAIL, str(self.user), said)])
        self.persist()


def proved_address(request: HttpRequest) -> str:
    """Return the verified e-mail address of one of the staff, or ""."""
    proved = EmailAddress.objects.filter(user=request.user, verified=True)
    found = proved.order_by("-primary").first()
    return found.email if found else ""


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def show_factor(request: HttpRequest) -> HttpResponse:
    """Ask for a passkey or a code, then open the admin site."""
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


def send_code(request: HttpRequest) -> HttpResponse:
    """Send a code, at most five times an hour."""
    if not consume(request, app="allauth.account", action="office_code"):
        note_limit(request, "office_code")
        refused: HttpResponse = respond_429(request)
        return refused
    OfficeCode(request, OfficeCode.initial_state(request.user)).send()
    return redirect(here(request))


def next_of(request: HttpRequest) -> str:
    """Return the next page, never on another site."""
    return get_next_redirect_url(request) or reverse("admin:index")


def here(request: HttpRequest) -> str:
    """Return the address of this page, with the next page in its query."""
    return f"{reverse('office_factor')}?{urlencode({'next': next_of(request)})}"
