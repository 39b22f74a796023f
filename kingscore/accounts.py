"""Sign-in, where it differs from django-allauth.

`settings.py` names the adapters, forms and middleware, `urls.py` the page of sessions.
"""

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from allauth.account import app_settings
from allauth.account import forms as allauth_forms
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.fields import PasswordField
from allauth.account.forms import LoginForm, RequestLoginCodeForm, ResetPasswordForm, SignupForm
from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.signals import authentication_step_completed, password_reset
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
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import get_language, gettext_noop, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from kingscore.observing.logs import note_refusal, note_success
from kingscore.sign_in import MAIL as OFFICE_MAIL
from kingscore.sign_in import count_mail, count_try, remember_device
from tournaments.models import User
from tournaments.models.people import fold_email
from tournaments.origin import origin
from tournaments.services.accounts import revoke_all
from tournaments.services.emails import remember_language
from tournaments.web.base.forms import LineField

logger = logging.getLogger(__name__)

SECOND_LOCK = "allauth.mfa.stages.AuthenticateStage"
ADDRESS_PROVED = "allauth.account.stages.EmailVerificationStage"
SIGNED_IN_AT = "signed_in_at"
UNSENT = "mail_unsent"

FAILURES = {
    "email_password_mismatch": "password",
    "username_password_mismatch": "password",
    "incorrect_password": "password",
    "enter_current_password": "password",
    "incorrect_code": "code",
}
"""Log names of failed sign-ins, by the error code of allauth."""

MAILS = {
    "account/email/login_code": "login_mail",
    "account/email/password_reset_code": "reset_mail",
    "account/email/email_confirmation": "sign_up_mail",
    "account/email/email_confirmation_signup": "sign_up_mail",
    "account/email/account_already_exists": "sign_up_mail",
}
"""E-mails that visitors request, and their rate limits; allauth sends others by itself."""

CORRECTED = (
    gettext_noop(
        "Forgotten your password? Enter your email address below, and we'll send you an email"
        " allowing you to reset it."
    ),
    gettext_noop("Your password can’t be too similar to your other personal information."),
    ngettext_lazy(
        "Your password must contain at least %(min_length)d character.",
        "Your password must contain at least %(min_length)d characters.",
    ),
    gettext_noop("Your password can’t be a commonly used password."),
    gettext_noop("The password is too similar to the %(verbose_name)s."),
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ),
    gettext_noop("This password is too common."),
)
"""Texts of allauth and Django that our catalogues translate anew.

Turkish would have two words for a password on one page; Italian would promise a link, not a code.
"""


class NotingFailures:
    """Log each failed sign-in."""

    def validation_error(self, code: str, *args: Any) -> ValidationError:
        if code in FAILURES:
            note_refusal(f"sign-in by {FAILURES[code]}")
        error: ValidationError = super().validation_error(code, *args)  # type: ignore[misc]
        return error


class PasskeyAdapter(NotingFailures, DefaultMFAAdapter):  # type: ignore[misc]  # as below
    """Log wrong passkeys, too."""


class AccountAdapter(NotingFailures, DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Decides which proofs a visitor has to give, and when."""

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
        """Return the steps between a correct code or password and access to the account.

        A passkey is an alternative way in, not a second factor: somebody who loses the phone
        still gets in with a code.
        """
        mine = {ADDRESS_PROVED: f"{__name__}.{AddressProvedStage.__name__}"}
        return [mine.get(name, name) for name in super().get_login_stages() if name != SECOND_LOCK]

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count a password attempt before checking it."""
        if request.user.is_authenticated:
            # Counted for the account, by the reauthentication page.
            return
        login = credentials.get("email") or credentials.get("username", "")
        self._login_failed_rl_usage = count_try(request, "password", login)
        if self._login_failed_rl_usage is None:
            # Take as long as a password check would.
            make_password(credentials["password"])
            raise self.validation_error("too_many_login_attempts")

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send an e-mail. Show an error if the mail server does not accept it.

        Of a code, the page that asks for it shows the error until one is accepted, and on a site
        without a mail server where the code is.
        """
        asked_for = MAILS.get(template_prefix)
        if template_prefix == "account/email/unknown_account":
            match = self.request.resolver_match
            resets = match and match.url_name == "account_reset_password"
            asked_for = "reset_mail" if resets else "login_mail"
        if asked_for and not count_mail(self.request, asked_for, email):
            raise ImmediateHttpResponse(respond_429(self.request))
        has_code = asked_for or template_prefix == OFFICE_MAIL
        unsent = "logged" if settings.EMAIL_BACKEND == settings.LOG_BACKEND else ""
        try:
            super().send_mail(template_prefix, email, context)
        except OSError:
            logger.exception("The mail server did not take a mail")
            unsent = "refused"
            if not has_code:
                text = _("The e-mail could not be sent. Try again later.")
                self.add_message(self.request, messages.ERROR, message=text)
        if has_code:
            self.request.session[UNSENT] = unsent

    def render_mail(
        self,
        template_prefix: str,
        email: str | list[str],
        context: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> EmailMessage:
        """Render an e-mail, whose text may name the site and the lifetime of a code."""
        values = {**context, "site": origin(self.request), "minutes": settings.CODE_AGE // 60}
        message: EmailMessage = super().render_mail(template_prefix, email, values, headers)
        return message

    def login(self, request: HttpRequest, user: AbstractUser) -> None:
        """Sign somebody in. Record time, method and the language for e-mails."""
        super().login(request, user)
        remember_language(user.pk, get_language() or "")
        request.session[SIGNED_IN_AT] = time.time()
        records = get_authentication_records(request, user)
        # allauth keeps no record of the code that proves the address of a new account.
        note_success("sign-in", records[-1]["method"] if records else "code")

    def post_login(self, request: HttpRequest, user: AbstractUser, **more: Any) -> HttpResponse:
        """Remember the device as one that strangers cannot lock out."""
        response: HttpResponse = super().post_login(request, user, **more)
        remember_device(request, response, user)
        return response

    def is_reauthentication_required(self, *, app: str, **more: Any) -> bool:
        """Ask for no reauthentication right after a sign-in, whatever the method."""
        signed_in_at = self.request.session.get(SIGNED_IN_AT, 0)
        if time.time() - signed_in_at < app_settings.REAUTHENTICATION_TIMEOUT:
            return False
        return bool(super().is_reauthentication_required(app=app, **more))


@receiver(authentication_step_completed)
def note_reauthentication(method: str, *, reauthenticated: bool = False, **_more: Any) -> None:
    if reauthenticated:
        note_success("reauthentication", method)


@receiver(password_reset)
def end_access_of_programs(user: User, **_more: Any) -> None:
    """Revoke the tokens after a password reset: somebody else may have made one."""
    revoke_all(user)


class AddressProvedStage(EmailVerificationStage):  # type: ignore[misc]  # allauth has no types
    """Requires a verified e-mail address only of accounts that have an address."""

    def handle(self) -> tuple[Any, bool]:
        """Return the redirect to the code, if one is needed, and whether to continue."""
        user = self.login.user
        if user is not None and not user.email:
            # The owner of a server, made by `createsuperuser` with a user name only.
            return None, True
        proved: tuple[Any, bool] = super().handle()
        return proved


def ensure_mail(action: str, email: str) -> None:
    """Count an e-mail to an address before anything else is done.

    Raises: ValidationError: too many were requested.
    """
    if not count_mail(context.request, action, email):
        raise AccountAdapter().validation_error("too_many_login_attempts")


class AddressForm(forms.BaseForm):
    """A form of allauth with an e-mail address, which is folded before anything is done with it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in {"email", "login"} & self.fields.keys():
            field = self.fields[name]
            # The letter that a phone makes large by itself is no part of the address.
            field.widget.attrs.update(autocapitalize="none", autocorrect="off", spellcheck="false")
            field.clean = partial(_clean_folded, field.clean)  # type: ignore[method-assign]


def _clean_folded(clean: Callable[[Any], Any], value: Any) -> Any:
    folded = fold_email(value or "")
    # A user name keeps its letters.
    return clean(folded if "@" in folded else value)


class AddEmailForm(AddressForm, allauth_forms.AddEmailForm):  # type: ignore[misc]  # no types
    """Another address for an account."""


class CodeRequestForm(AddressForm, RequestLoginCodeForm):  # type: ignore[misc]  # allauth has no types
    """An e-mail address to send a sign-in code to."""

    def clean_email(self) -> str:
        email: str = super().clean_email()
        ensure_mail("login_mail", email)
        return email


class PasswordResetForm(AddressForm, ResetPasswordForm):  # type: ignore[misc]  # allauth has no types
    """An e-mail address to send a code to that resets the password."""

    def clean_email(self) -> str:
        email: str = super().clean_email()
        ensure_mail("reset_mail", email)
        return email


class SignInForm(AddressForm, LoginForm):  # type: ignore[misc]  # allauth has no types
    """An e-mail address and an optional password; without one, a code is sent."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("E-mail")
        # Not of type "email": the owner of a server may have only a user name.
        self.fields["login"].widget.attrs.update(inputmode="email", autocomplete="username")
        self.fields["password"] = PasswordField(
            label=_("Password"), autocomplete="current-password", required=False
        )

    def _clean_without_password(self, email: str | None, phone: str | None) -> dict[str, Any]:
        cleaned: dict[str, Any] = super()._clean_without_password(email, phone)
        if email and not self.errors:
            ensure_mail("login_mail", email)
        return cleaned


class SignUpForm(AddressForm, SignupForm):  # type: ignore[misc]  # allauth has no types
    """An e-mail address; the name can be added later."""

    field_order = ("email", "first_name")

    first_name = LineField(
        label=_("What should we call you?"),
        help_text=_("May stay empty."),
        max_length=150,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "given-name"}),
    )

    def clean_email(self) -> str:
        email: str = super().clean_email()
        ensure_mail("sign_up_mail", email)
        return email


class PasskeyForm(AddWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    """A passkey that signs in by itself; a mere second factor is not supported."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"] = LineField(
            label=_("Name of the passkey"), max_length=60, required=self.fields["name"].required
        )
        # allauth's script checks whether it is ticked.
        self.fields["passwordless"] = forms.BooleanField(
            initial=True, widget=forms.CheckboxInput(attrs={"hidden": True})
        )


class EndSessionsForm(ManageUserSessionsForm):  # type: ignore[misc]  # allauth has no types
    """Ends one session, or all others if none is named."""

    session = forms.IntegerField(required=False)

    def save(self, request: HttpRequest) -> None:
        chosen = self.cleaned_data["session"]
        if chosen is None:
            super().save(request)
        for session in UserSession.objects.filter(user=request.user, pk=chosen):
            session.end()


class SessionsView(ListUserSessionsView):  # type: ignore[misc]  # allauth has no types
    """The devices on which a person is signed in."""

    form_class = EndSessionsForm


class RefusedFormMiddleware(MiddlewareMixin):
    """Answers a refused form of allauth with 422, as all other forms of the site do."""

    def process_template_response(
        self, request: HttpRequest, response: TemplateResponse
    ) -> TemplateResponse:
        """Change the status if the form has errors."""
        view = getattr(request.resolver_match, "func", None)
        if request.method == "POST" and view and view.__module__.startswith("allauth."):
            forms_shown = (response.context_data or {}).values()
            if any(isinstance(form, forms.BaseForm) and form.errors for form in forms_shown):
                response.status_code = 422
        return response
