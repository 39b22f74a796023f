"""Pages of an account: its tokens, calendar, monthly mail and applications, and its end.

The views of OAuth stand at the end.
"""

from collections.abc import Callable, Collection
from datetime import timedelta
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from allauth.account.decorators import reauthentication_required
from allauth.core.ratelimit import consume
from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.decorators import method_decorator
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import (
    conditional_page,
    require_POST,
    require_safe,
)
from oauth2_provider.exceptions import OAuthToolkitError
from oauth2_provider.oauth2_backends import _add_iss_to_redirect
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views import AuthorizationView, TokenView
from oauthlib.oauth2.rfc6749.errors import UnsupportedCodeChallengeMethodError

from tournaments.engine.rules.rulesets import LONGEST_TOKEN_NAME
from tournaments.models import Club, Event, Member, PersonalToken, Player, Scope, User
from tournaments.models.clubs import DIRECTING
from tournaments.models.fields import matches
from tournaments.origin import absolute
from tournaments.permissions import account_of, actor_of, directed_club
from tournaments.queries.players import account_name
from tournaments.services import accounts
from tournaments.services.accounts import (
    MOST_TOKENS,
    TooManyTokens,
    applications_of,
    connected,
    make_token,
    origin_of,
    replace_calendar,
    revoke_token,
    scopes_held,
)
from tournaments.services.base.writes import Refused
from tournaments.services.clubs.membership import LastOwner, delete_account
from tournaments.services.emails import remember_language, switch_month
from tournaments.texts.labels import Text
from tournaments.web.base.forms import LineField
from tournaments.web.base.pages import add_refused
from tournaments.web.clubs.embed import KEPT_SECONDS, calendar_response
from tournaments.web.clubs.forms import DeletionForm
from tournaments.web.clubs.views import members_of


def _account(request: HttpRequest) -> User:
    user = account_of(request)
    assert user is not None
    return user


@login_required
@require_safe
def me(request: HttpRequest) -> HttpResponse:
    """Show the clubs and players of the signed-in user, with all actions of the account."""
    user = _account(request)
    players = Player.objects.belonging_to(user).select_related("club")
    memberships = members_of(user)
    directing = Member.objects.of_user(user, DIRECTING).select_related("club")
    page = {
        "name": account_name(user),
        "address": user.email,
        "memberships": memberships,
        # Those who get, or can get, month reports.
        "mailed": directing.order_by("club__name", "club"),
        # A former member of a club keeps the player, but sees no pages of the club.
        "clubs": [each.club for each in memberships],
        "players": players.order_by("club__name", "pk"),
        "calendar": absolute(request, reverse("calendar", args=[user.pk, user.calendar_secret])),
    }
    return render(request, "tournaments/accounts/me.html", page)


@require_POST
def my_month(request: HttpRequest, slug: str) -> HttpResponse:
    """Subscribe one of a club's directors to its month report, or unsubscribe."""
    club = directed_club(request, slug)
    user = _account(request)
    wanted = request.POST.get("month") == "yes"
    switch_month(Member.objects.get(club=club, user=user), wanted=wanted)
    remember_language(user.pk, get_language() or "")
    return redirect(f"{reverse('me')}#mails")


@login_required
@reauthentication_required  # type: ignore[untyped-decorator]  # allauth has no types
def delete(request: HttpRequest) -> HttpResponse:
    """Delete the account for good, after its name was typed."""
    user = _account(request)
    form = DeletionForm(user.email or user.username, request.POST or None)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            delete_account(actor_of(request), at=timezone.now())
        except LastOwner as error:
            add_refused(form, error)
        else:
            logout(request)
            messages.success(request, _("Your account is deleted."))
            return redirect("home")
    return render(request, "tournaments/accounts/delete.html", {"form": form}, status=status)


@require_safe
@cache_control(private=True, max_age=KEPT_SECONDS)
@conditional_page
def calendar(request: HttpRequest, pk: int, secret: str) -> HttpResponse:
    """Return the events of an account's clubs to the program that has the address (2 queries)."""
    user = User.objects.filter(pk=pk, is_active=True).first()
    if user is None or not matches(secret, "calendar", str(pk), user.calendar_generation):
        raise Http404
    clubs = Club.objects.of_member(user)
    with translation.override(user.language or None):
        name = _("My evenings")
        events = Event.objects.listed_for(user).for_members().filter(club__in=clubs)
        return calendar_response(request, name, events)


@login_required
@require_POST
def replace(request: HttpRequest) -> HttpResponse:
    """Revoke the address of one's calendar."""
    user = _account(request)
    replace_calendar(user.pk)
    return redirect("me")


MEANINGS: dict[str, Text] = {
    Scope.READ: gettext_lazy("sees what you see: clubs, evenings, sheets, ratings"),
    Scope.SCORE: gettext_lazy("writes and corrects the sheets that you may write"),
    Scope.DIRECT: gettext_lazy(
        "players, evenings, tournaments, imports and documents, where you are a director"
    ),
    Scope.MANAGE: gettext_lazy("your account, and roles and settings of the clubs you own"),
}

LASTING: dict[str, Text] = {
    "30": gettext_lazy("30 days"),
    "365": gettext_lazy("a year"),
    "": gettext_lazy("until I revoke it"),
}

SHOWN = 8
"""Length of the prefix that distinguishes tokens, too short to help guessing."""


class TokenForm(forms.Form):
    name = LineField(
        label=gettext_lazy("What is it for?"),
        max_length=LONGEST_TOKEN_NAME,
        error_messages={"required": gettext_lazy("Say what it is for, to know it again.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("What the program may do"),
        choices=Scope.choices,
        initial=[Scope.READ],
        error_messages={"required": gettext_lazy("Choose at least one.")},
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.ChoiceField(
        label=gettext_lazy("How long it is valid"),
        choices=[*LASTING.items()],
        initial="365",
        required=False,
        widget=forms.RadioSelect,
    )

    def ticks(self) -> list[tuple[Any, Text]]:
        return [(tick, MEANINGS[tick.data["value"]]) for tick in self["scopes"]]


@login_required
@require_safe
def tokens(request: HttpRequest) -> HttpResponse:
    """List the tokens of an account, the newest first, without their values."""
    user, now = _account(request), timezone.now()
    rows = PersonalToken.objects.of(user).lasting(now)
    held = scopes_held(user)
    page = {
        "tokens": [(row, _first_characters(row), may(row.scopes)) for row in rows],
        "most": MOST_TOKENS,
        "connected": [(row, may(held.get(row.pk, ()))) for row in connected(user, now)],
        "applications": applications_of(user),
    }
    return render(request, "tournaments/accounts/tokens.html", page)


@login_required
@reauthentication_required  # type: ignore[untyped-decorator]  # allauth has no types
def new_token(request: HttpRequest) -> HttpResponse:
    """Create a token: only the answer to the form shows its value."""
    suggested = {"name": request.GET.get("name", "")[:LONGEST_TOKEN_NAME]}
    form = TokenForm(request.POST if request.method == "POST" else None, initial=suggested)
    if form.is_valid():
        scopes = [Scope(scope) for scope in form.cleaned_data["scopes"]]
        days, now = form.cleaned_data["days"], timezone.now()
        lasts = timedelta(days=int(days)) if days else None
        try:
            row, text = make_token(
                _account(request), form.cleaned_data["name"], scopes, lasts=lasts, at=now
            )
        except TooManyTokens as error:
            add_refused(form, error)
        else:
            page = {"token": row, "text": text, "may": may(row.scopes)}
            return render(request, "tournaments/accounts/token_made.html", page)
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/accounts/token_new.html", {"form": form}, status=status)


@login_required
def token(request: HttpRequest, public_id: str) -> HttpResponse:
    """Revoke a token, after a confirmation."""
    user = _account(request)
    row = get_object_or_404(PersonalToken.objects.of(user), public_id=public_id)
    if request.method == "POST":
        revoke_token(user, row.public_id)
        messages.success(
            request, gettext_lazy("“%(name)s” no longer opens anything.") % {"name": row.name}
        )
        return redirect("tokens")
    page = {"token": row, "letters": _first_characters(row), "may": may(row.scopes)}
    return render(request, "tournaments/accounts/token_revoke.html", page)


def _first_characters(row: PersonalToken) -> str:
    return f"{row.token_key[:SHOWN]}…"


def may(scopes: Collection[str]) -> list[Text]:
    return [scope.label for scope in Scope if scope in scopes]


class ApplicationForm(forms.Form):
    name = LineField(
        label=gettext_lazy("What is it called?"),
        max_length=LONGEST_TOKEN_NAME,
        help_text=gettext_lazy("People see this name when they are asked for their consent."),
        error_messages={"required": gettext_lazy("Give it a name.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    addresses = forms.CharField(
        label=gettext_lazy("Redirect addresses"),
        max_length=accounts.MOST_ADDRESSES * accounts.LONGEST_ADDRESS,
        help_text=gettext_lazy("One on each line (redirect URIs)."),
        error_messages={"required": gettext_lazy("Enter at least one address.")},
        widget=forms.Textarea(attrs={"rows": 3, "placeholder": "https://", "spellcheck": "false"}),
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Where does it run?"),
        choices=[
            ("confidential", gettext_lazy("On a server, which keeps a secret")),
            ("public", gettext_lazy("On phones, computers or in browsers, which keep none")),
        ],
        initial="confidential",
        widget=forms.RadioSelect,
    )

    def clean_addresses(self) -> list[str]:
        lines = list(dict.fromkeys(self.cleaned_data["addresses"].split()))
        if len(lines) > accounts.MOST_ADDRESSES:
            raise forms.ValidationError(gettext_lazy("Ten addresses at most."))
        for line in lines:
            try:
                accounts.check_redirect(line)
            except accounts.BadRedirect as error:
                raise forms.ValidationError(str(error)) from error
        return lines


@login_required
@reauthentication_required  # type: ignore[untyped-decorator]  # allauth has no types
def new_application(request: HttpRequest) -> HttpResponse:
    """Register an application: only the answer to the form shows its secret."""
    user = _account(request)
    form = ApplicationForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        name, addresses = form.cleaned_data["name"], form.cleaned_data["addresses"]
        confidential = form.cleaned_data["kind"] == "confidential"
        try:
            row, secret = accounts.register_application(
                user, name, addresses, confidential=confidential
            )
        except Refused as error:
            add_refused(form, error)
        else:
            page = {"application": row, "secret": secret}
            return render(request, "tournaments/accounts/application_made.html", page)
    status = 422 if form.is_bound else 200
    return render(
        request, "tournaments/accounts/application_new.html", {"form": form}, status=status
    )


@login_required
def application(request: HttpRequest, pk: int) -> HttpResponse:
    """Show an application that one has registered; delete it on POST, with all its access."""
    user = _account(request)
    row = get_object_or_404(accounts.applications_of(user), pk=pk)
    if request.method == "POST":
        row.delete()
        messages.success(request, gettext_lazy("“%(name)s” is removed.") % {"name": row.name})
        return redirect("tokens")
    return render(request, "tournaments/accounts/application.html", {"application": row})


@login_required
@require_POST
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    user = _account(request)
    accounts.withdraw(user, pk)
    messages.success(request, gettext_lazy("The application has no access any more."))
    return redirect("tokens")


def without_nul(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Refuse values with NUL, which PostgreSQL looks up nowhere."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        values = (value for sent in (request.GET, request.POST) for value in sent.values())
        if any("\0" in str(value) for value in values):
            return JsonResponse({"error": "invalid_request"}, status=400)
        return view(request, *args, **kwargs)

    return checked


def limited(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Limit requests by network: secrets of applications are checked slowly, like passwords."""

    @wraps(view)
    def counted(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not consume(request, action="oauth_token"):
            return JsonResponse({"error": "temporarily_unavailable"}, status=429)
        return view(request, *args, **kwargs)

    return counted


@method_decorator([login_required, reauthentication_required], name="dispatch")
class Authorize(AuthorizationView):  # type: ignore[misc]  # the library has no types
    """Ask whether an application may act for the account, each time anew."""

    http_method_names = ["get", "head", "post"]
    template_name = "tournaments/accounts/authorize.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        # The library would skip the question for whoever sends `approval_prompt=auto`.
        query = request.GET.copy()
        query.pop("approval_prompt", None)
        request.GET = query  # type: ignore[assignment]  # not changed any more
        answer: HttpResponse = super().get(request, *args, **kwargs)
        return answer

    def validate_authorization_request(self, request: HttpRequest) -> tuple[Any, dict[str, Any]]:
        scopes, credentials = super().validate_authorization_request(request)
        # The library refuses others only after the consent.
        method, challenge = (credentials.get(f"code_challenge{n}") for n in ("_method", ""))
        if method != "S256" or not challenge:
            error = UnsupportedCodeChallengeMethodError(state=credentials["state"])
            raise OAuthToolkitError(error, credentials["redirect_uri"])
        return scopes, credentials

    def redirect(self, redirect_to: str, application: Any) -> HttpResponse:
        # RFC 9207 wants `iss` in errors, too; the library adds it to codes alone.
        issuer = oauth2_settings.oauth2_authorization_server_issuer(self.request)
        answer: HttpResponse = super().redirect(
            _add_iss_to_redirect(redirect_to, issuer), application
        )
        return answer

    def form_invalid(self, _form: Any) -> HttpResponse:
        answer: HttpResponse = self.render_to_response({"error": {"error": "invalid_request"}})
        answer.status_code = 400
        return answer

    def render_to_response(self, context: dict[str, Any], **more: Any) -> HttpResponse:
        """Show the page, whose form may lead on to the application."""
        address = context.get("redirect_uri") or ""
        origin = origin_of(address)
        context["host"] = urlsplit(address).netloc
        context["may"] = [
            (Scope(scope).label, MEANINGS[scope]) for scope in context.get("scopes", ())
        ]
        answer: HttpResponse = super().render_to_response(context, **more)
        if origin:
            # Browsers hold redirects after a form to its policy, too.
            answer._csp_update = {"form-action": [origin]}  # type: ignore[attr-defined]  # noqa: SLF001
        return answer


class Token(TokenView):  # type: ignore[misc]
    http_method_names = ["post"]

    @method_decorator(sensitive_post_parameters())
    def post(self, request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponse:
        try:
            _uri, headers, body, status = self.create_token_response(request)
        except ObjectDoesNotExist:
            # Another request has used the code, or ended the token, since it was validated.
            return JsonResponse({"error": "invalid_grant"}, status=400)
        # The library leaves the type out of errors that it finds late.
        headers = {"Content-Type": "application/json"} | headers
        return HttpResponse(body, status=status, headers=headers)
