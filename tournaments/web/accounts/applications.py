"""Applications: those that somebody has registered, and those connected to the account."""

from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from tournaments.engine.rules.rulesets import LONGEST_TOKEN_NAME
from tournaments.permissions import account_of
from tournaments.services import accounts
from tournaments.services.base.writes import Refused
from tournaments.web.base.fields import LineField


class ApplicationForm(forms.Form):
    """A new application."""

    name = LineField(
        label=_("What is it called?"),
        max_length=LONGEST_TOKEN_NAME,
        help_text=_("People see this name when they are asked for their consent."),
        error_messages={"required": _("Give it a name.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    addresses = forms.CharField(
        label=_("Redirect addresses"),
        max_length=accounts.MOST_ADDRESSES * accounts.LONGEST_ADDRESS,
        help_text=_("One on each line (redirect URIs)."),
        error_messages={"required": _("Enter at least one address.")},
        widget=forms.Textarea(attrs={"rows": 3, "placeholder": "https://", "spellcheck": "false"}),
    )
    kind = forms.ChoiceField(
        label=_("Where does it run?"),
        choices=[
            ("confidential", _("On a server, which keeps a secret")),
            ("public", _("On phones, computers or in browsers, which keep none")),
        ],
        initial="confidential",
        widget=forms.RadioSelect,
    )

    def clean_addresses(self) -> list[str]:
        """Return the addresses, if each may be called back."""
        lines = list(dict.fromkeys(self.cleaned_data["addresses"].split()))
        if len(lines) > accounts.MOST_ADDRESSES:
            raise forms.ValidationError(_("Ten addresses at most."))
        for line in lines:
            try:
                accounts.check_redirect(line)
            except accounts.BadRedirect as error:
                raise forms.ValidationError(str(error)) from error
        return lines

    @property
    def plan(self) -> accounts.ApplicationPlan:
        said = self.cleaned_data
        is_confidential = said["kind"] == "confidential"
        return accounts.ApplicationPlan(said["name"], tuple(said["addresses"]), is_confidential)


@never_cache
@login_required
@reauthentication_required  # type: ignore[untyped-decorator]  # allauth has no types
@require_http_methods(["GET", "HEAD", "POST"])
def new_application(request: HttpRequest) -> HttpResponse:
    """Register an application: only the answer to the form shows its secret."""
    user = account_of(request)
    assert user is not None
    form = ApplicationForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            row, secret = accounts.register_application(user, form.plan)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            page = {"application": row, "secret": secret}
            return render(request, "tournaments/accounts/application_made.html", page)
    status = 422 if form.is_bound else 200
    return render(
        request, "tournaments/accounts/application_new.html", {"form": form}, status=status
    )


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def application(request: HttpRequest, pk: int) -> HttpResponse:
    """Show an application that one has registered; delete it on POST, with all its access."""
    user = account_of(request)
    assert user is not None
    row = get_object_or_404(accounts.applications_of(user), pk=pk)
    if request.method == "POST":
        row.delete()
        messages.success(request, _("“%(name)s” is removed.") % {"name": row.name})
        return redirect("tokens")
    return render(request, "tournaments/accounts/application.html", {"application": row})


@login_required
@require_POST
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """Withdraw the access of an application."""
    user = account_of(request)
    assert user is not None
    accounts.withdraw(user, pk)
    messages.success(request, _("The application has no access any more."))
    return redirect("tokens")
