"""The consent page of OAuth, and the address where applications fetch tokens."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from allauth.account.decorators import reauthentication_required
from allauth.core.ratelimit import consume
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from oauth2_provider.exceptions import OAuthToolkitError
from oauth2_provider.oauth2_backends import _add_iss_to_redirect
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views import AuthorizationView, TokenView
from oauthlib.oauth2.rfc6749.errors import UnsupportedCodeChallengeMethodError

from tournaments.services.accounts import origin_of
from tournaments.web.accounts.tokens import SCOPES


def without_nul(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Refuse values with NUL, which PostgreSQL looks up nowhere."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        sent = (value for said in (request.GET, request.POST) for value in said.values())
        if any("\0" in str(value) for value in sent):
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


@method_decorator([never_cache, login_required, reauthentication_required], name="dispatch")
class Authorize(AuthorizationView):  # type: ignore[misc]  # the library has no types
    """Ask whether an application may act for the account, each time anew."""

    http_method_names = ["get", "head", "post"]
    template_name = "tournaments/accounts/authorize.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        # The library would skip the question for whoever sends `approval_prompt=auto`.
        said = request.GET.copy()
        said.pop("approval_prompt", None)
        request.GET = said  # type: ignore[assignment]  # not changed any more
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
        context["may"] = [SCOPES[scope] for scope in context.get("scopes", ())]
        answer: HttpResponse = super().render_to_response(context, **more)
        if origin:
            # Browsers hold redirects after a form to its policy, too.
            answer._csp_update = {"form-action": [origin]}  # type: ignore[attr-defined]  # noqa: SLF001
        return answer


class Token(TokenView):  # type: ignore[misc]
    """Give tokens for a code or a refresh token."""

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
