"""Access tokens of an account: created, shown once, and revoked."""

from collections.abc import Collection
from datetime import timedelta
from typing import Any

from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tournaments.engine.rules.rulesets import LONGEST_TOKEN_NAME
from tournaments.models import PersonalToken, Scope, User
from tournaments.permissions import account_of
from tournaments.services.accounts import (
    MOST_TOKENS,
    TooManyTokens,
    Wish,
    applications_of,
    connected,
    make_token,
    revoke_token,
    scopes_held,
)
from tournaments.texts.documents import Text
from tournaments.web.base.fields import LineField

SCOPES: dict[str, tuple[Text, Text]] = {
    Scope.READ: (
        pgettext_lazy("what a program may", "Read"),
        _("sees what you see: clubs, evenings, sheets, ratings"),
    ),
    Scope.SCORE: (
        pgettext_lazy("what a program may", "Write sheets"),
        _("writes and corrects the sheets that you may write"),
    ),
    Scope.DIRECT: (
        pgettext_lazy("what a program may", "Direct"),
        _("players, evenings, tournaments, imports and documents, where you are a director"),
    ),
    Scope.MANAGE: (
        pgettext_lazy("what a program may", "Manage"),
        _("your account, and roles and settings of the clubs you own"),
    ),
}

LASTING: dict[str, Text] = {
    "30": _("30 days"),
    "365": _("a year"),
    "": _("until I revoke it"),
}

SHOWN = 8
"""Length of the prefix that distinguishes tokens, too short to help guessing."""


class TokenForm(forms.Form):
    """The settings of a new token."""

    name = LineField(
        label=_("What is it for?"),
        max_length=LONGEST_TOKEN_NAME,
        error_messages={"required": _("Say what it is for, to know it again.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label=_("What the program may do"),
        choices=[(scope, SCOPES[scope][0]) for scope in Scope],
        initial=[Scope.READ],
        error_messages={"required": _("Choose at least one.")},
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.ChoiceField(
        label=_("How long it is valid"),
        choices=[*LASTING.items()],
        initial="365",
        required=False,
        widget=forms.RadioSelect,
    )

    def ticks(self) -> list[tuple[Any, Text]]:
        return [(tick, SCOPES[tick.data["value"]][1]) for tick in self["scopes"]]

    @property
    def wish(self) -> Wish:
        """Return the settings, once the form is valid."""
        days = self.cleaned_data["days"]
        scopes = [Scope(scope) for scope in self.cleaned_data["scopes"]]
        return Wish(self.cleaned_data["name"], scopes, timedelta(days=int(days)) if days else None)


@never_cache
@login_required
@require_safe
def tokens(request: HttpRequest) -> HttpResponse:
    """List the tokens of an account, the newest first, without their values."""
    user, now = _account(request), timezone.now()
    rows = PersonalToken.objects.of(user).lasting(now)
    held = scopes_held(user)
    page = {
        "tokens": [(row, _first_characters(row), _may(row)) for row in rows],
        "most": MOST_TOKENS,
        "connected": [(row, may(held.get(row.pk, ()))) for row in connected(user, now)],
        "applications": applications_of(user),
    }
    return render(request, "tournaments/accounts/tokens.html", page)


@never_cache
@login_required
@reauthentication_required  # type: ignore[untyped-decorator]  # allauth has no types
@require_http_methods(["GET", "HEAD", "POST"])
def new_token(request: HttpRequest) -> HttpResponse:
    """Create a token: only the answer to the form shows its value."""
    suggested = {"name": request.GET.get("name", "")[:LONGEST_TOKEN_NAME]}
    form = TokenForm(request.POST if request.method == "POST" else None, initial=suggested)
    if form.is_valid():
        try:
            row, text = make_token(_account(request), form.wish, at=timezone.now())
        except TooManyTokens as error:
            form.add_error(None, str(error))
        else:
            page = {"token": row, "text": text, "may": _may(row)}
            return render(request, "tournaments/accounts/token_made.html", page)
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/accounts/token_new.html", {"form": form}, status=status)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def token(request: HttpRequest, public_id: str) -> HttpResponse:
    """Revoke a token, after a confirmation."""
    user = _account(request)
    row = get_object_or_404(PersonalToken.objects.of(user), public_id=public_id)
    if request.method == "POST":
        revoke_token(user, row.public_id)
        messages.success(request, _("“%(name)s” opens nothing any more.") % {"name": row.name})
        return redirect("tokens")
    page = {"token": row, "letters": _first_characters(row), "may": _may(row)}
    return render(request, "tournaments/accounts/token_revoke.html", page)


def _account(request: HttpRequest) -> User:
    user = account_of(request)
    assert user is not None
    return user


def _first_characters(row: PersonalToken) -> str:
    return f"{row.token_key[:SHOWN]}…"


def _may(row: PersonalToken) -> list[Text]:
    return may(row.scopes)


def may(scopes: Collection[str]) -> list[Text]:
    """Return the names of scopes, in their order."""
    return [name for scope, (name, _more) in SCOPES.items() if scope in scopes]
