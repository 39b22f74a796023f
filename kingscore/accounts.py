"""How people sign in, where it differs from the ways of django-allauth."""

import logging
import time
from typing import Any, ClassVar

from allauth.account import app_settings
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.fields import PasswordField
from allauth.account.forms import (
    LoginForm,
    RequestLoginCodeForm,
    ResetPasswordForm,
    SignupForm,
)
from allauth.account.signals import password_reset
from allauth.account.stages import EmailVerificationStage
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal.ratelimit import respond_429
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from allauth.usersessions.forms import ManageUserSessionsForm
from allauth.usersessions.models import UserSession
from allauth.usersessions.views import ListUserSessionsView
from django import forms
from django.contrib import messages
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from kingscore.attempts import count_mail, count_try, remember_device
from kingscore.observing.refusals import note_refusal
from tournaments.models import User
from tournaments.origin import origin
from tournaments.services.clubs.month_letters import remember_language
from tournaments.services.people.tokens import revoke_all

logger = logging.getLogger(__name__)

SECOND_LOCK = "allauth.mfa.stages.AuthenticateStage"
ADDRESS_PROVED = "allauth.account.stages.EmailVerificationStage"
SIGNED_IN_AT = "signed_in_at"

FAILURES = {
    "email_password_mismatch": "password",
    "username_password_mismatch": "password",
    "incorrect_password": "password",
    "enter_current_password": "password",
    "incorrect_code": "code",
}
"""What the log calls a failed sign-in, by the error that allauth shows."""

MAILS = {
    "account/email/login_code": "login_mail",
    "account/email/password_reset_code": "reset_mail",
    "account/email/email_confirmation": "sign_up_mail",
    "account/email/email_confirmation_signup": "sign_up_mail",
    "account/email/account_already_exists": "sign_up_mail",
}
"""Mails that a visitor asks for, and the limit they count for; allauth sends others by itself."""


def name_of(user: AbstractUser) -> str:
    """What we call a person in messages and mails."""
    return user.first_name or user.email or user.username


class NotingFailures:
    """Has a line written to the log for each failed sign-in."""

    def validation_error(self, code: str, *args: Any) -> ValidationError:
        """Return the error to show."""
        if code in FAILURES:
            note_refusal(f"sign-in by {FAILURES[code]}")
        error: ValidationError = super().validation_error(code, *args)  # type: ignore[misc]
        return error


class PasskeyAdapter(NotingFailures, DefaultMFAAdapter):  # type: ignore[misc]  # as below
    """Notes passkeys that are not right, too."""


class AccountAdapter(NotingFailures, DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Decides what a visitor has to show, and when."""

    error_messages: ClassVar = {
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": _("The address or the password is not right."),
        "username_password_mismatch": _("The address or the password is not right."),
        "incorrect_password": _("The password is not right."),
        "enter_current_password": _("The password is not right."),
        "incorrect_code": _("The code is not right."),
        "too_many_login_attempts": _("That was tried too often. Wait a few minutes."),
        "rate_limited": _("That was tried too often. Wait a few minutes."),
    }

    def get_login_stages(self) -> list[str]:
        """Return what stands between the right code or password and the account.

        A passkey is another key to the same door, not a second lock: who loses the phone
        still gets in with a code.
        """
        mine = {ADDRESS_PROVED: f"{__name__}.{AddressProvedStage.__name__}"}
        return [mine.get(name, name) for name in super().get_login_stages() if name != SECOND_LOCK]

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count a password, before it is looked at."""
        if request.user.is_authenticated:
            # Counted for the account, by the page that asks once more.
            return
        login = credentials.get("email") or credentials.get("username", "")
        self._login_failed_rl_usage = count_try(request, "password", login)
        if self._login_failed_rl_usage is None:
            # It takes as long as if the password was looked at.
            make_password(credentials["password"])
            raise self.validation_error("too_many_login_attempts")

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail; where the mail server does not take it, say so instead of breaking."""
        asked_for = MAILS.get(template_prefix)
        if template_prefix == "account/email/unknown_account":
            asked_for = mail_of(self.request)
        if asked_for and not count_mail(self.request, asked_for, email):
            raise ImmediateHttpResponse(respond_429(self.request))
        try:
            super().send_mail(template_prefix, email, {**context, "site": origin(self.request)})
        except OSError:
            logger.exception("The mail server did not take a mail")
            text = _("The mail could not be sent. Try again later.")
            self.add_message(self.request, messages.ERROR, message=text)

    def login(self, request: HttpRequest, user: AbstractUser) -> None:
        """Sign somebody in and note when, and the language for mails."""
        super().login(request, user)
        remember_language(user.pk, get_language() or "")
        request.session[SIGNED_IN_AT] = time.time()

    def post_login(self, request: HttpRequest, user: AbstractUser, **more: Any) -> HttpResponse:
        """Have the device remembered as one that strangers cannot lock out."""
        response: HttpResponse = super().post_login(request, user, **more)
        remember_device(request, response, user)
        return response

    def is_reauthentication_required(self, *, app: str, **more: Any) -> bool:
        """Whoever has just signed in, by whatever key, need not show one again."""
        signed_in_at = self.request.session.get(SIGNED_IN_AT, 0)
        if time.time() - signed_in_at < app_settings.REAUTHENTICATION_TIMEOUT:
            return False
        return bool(super().is_reauthentication_required(app=app, **more))


@receiver(password_reset)
def end_access_of_programs(user: User, **_more: Any) -> None:
    """Revoke the tokens of whoever forgot the password: somebody else may have made one."""
    revoke_all(user)


class AddressProvedStage(EmailVerificationStage):  # type: ignore[misc]  # allauth has no types
    """Lets in with an e-mail address that is proved, or with none at all."""

    def handle(self) -> tuple[Any, bool]:
        """Return the way to the code, if one is needed, and whether to go on."""
        user = self.login.user
        if user is not None and not user.email:
            # The owner of a server, made by `createsuperuser` with a user name only.
            return None, True
        proved: tuple[Any, bool] = super().handle()
        return proved


def mail_of(request: HttpRequest) -> str:
    """Return the limit for which mails count that are sent from a page."""
    match = request.resolver_match
    return "reset_mail" if match and match.url_name == "account_reset_password" else "login_mail"


def ensure_mail(action: str, email: str) -> None:
    """Count a mail to an address before anything else is done.

    Raises:
        ValidationError: too many were asked for.
    """
    if not count_mail(context.request, action, email):
        raise AccountAdapter().validation_error("too_many_login_attempts")


class CodeRequestForm(RequestLoginCodeForm):  # type: ignore[misc]  # allauth has no types
    """An e-mail address to which a code is sent."""

    def clean_email(self) -> str:
        """Count the mail."""
        email: str = super().clean_email()
        ensure_mail("login_mail", email)
        return email


class PasswordResetForm(ResetPasswordForm):  # type: ignore[misc]  # allauth has no types
    """An e-mail address to which a code is sent that replaces the password."""

    def clean_email(self) -> str:
        """Count the mail."""
        email: str = super().clean_email()
        ensure_mail("reset_mail", email)
        return email


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth has no types
    """An e-mail address, to which a code is sent unless the password is given, too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("E-mail")
        # Not of type "email": the owner of a server may have a user name only.
        self.fields["login"].widget.attrs.update(inputmode="email", autocomplete="username")
        self.fields["password"] = PasswordField(
            label=_("Password"), autocomplete="current-password", required=False
        )

    def _clean_without_password(self, email: str | None, phone: str | None) -> dict[str, Any]:
        cleaned: dict[str, Any] = super()._clean_without_password(email, phone)
        if email and not self.errors:
            ensure_mail("login_mail", email)
        return cleaned


class SignUpForm(SignupForm):  # type: ignore[misc]  # allauth has no types
    """An e-mail address; what a person is called may follow any time."""

    field_order = ("email", "first_name")

    first_name = forms.CharField(
        label=_("What shall we call you?"),
        help_text=_("May stay empty."),
        max_length=150,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "given-name"}),
    )

    def clean_email(self) -> str:
        """Count the mail."""
        email: str = super().clean_email()
        ensure_mail("sign_up_mail", email)
        return email


class PasskeyForm(AddWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    """A key that opens the door by itself; a mere second factor is of no use here."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("Name of the passkey")
        self.fields["name"].widget.attrs["maxlength"] = 60
        # allauth's script looks whether it is ticked.
        self.fields["passwordless"] = forms.BooleanField(
            initial=True, widget=forms.CheckboxInput(attrs={"hidden": True})
        )


class EndSessionsForm(ManageUserSessionsForm):  # type: ignore[misc]  # allauth has no types
    """Ends one session, or all others where none is named."""

    session = forms.IntegerField(required=False)

    def save(self, request: HttpRequest) -> None:
        """Sign a device out."""
        chosen = self.cleaned_data["session"]
        if chosen is None:
            super().save(request)
        for session in UserSession.objects.filter(user=request.user, pk=chosen):
            session.end()


class SessionsView(ListUserSessionsView):  # type: ignore[misc]  # allauth has no types
    """The devices a person is signed in on."""

    form_class = EndSessionsForm


class RefusedFormMiddleware(MiddlewareMixin):
    """Answers a refused form of allauth with 422, as all other forms of the site are."""

    def process_template_response(
        self, request: HttpRequest, response: TemplateResponse
    ) -> TemplateResponse:
        """Change the status where a form comes back with errors."""
        view = getattr(request.resolver_match, "func", None)
        if request.method == "POST" and view and view.__module__.startswith("allauth."):
            forms_shown = (response.context_data or {}).values()
            if any(isinstance(form, forms.BaseForm) and form.errors for form in forms_shown):
                response.status_code = 422
        return response
