"""Names of cookies by which browsers protect them, on a site that speaks HTTPS."""

from collections.abc import Callable
from http.cookies import Morsel

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponseBase

HOST, SECURE = "__Host-", "__Secure-"
"""The first is for cookies of the whole site: no other host of the domain can set them. The second
is for those of a part of the site."""

GUARDED = {settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, "device"}
"""Not read without their prefix: somebody else may have set them. All other cookies are signed or
mere preferences, and phones keep them from before there were prefixes."""


def prefix_cookies(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Give all cookies a prefix where they leave, and take it off where they come back."""
    if not settings.HTTPS:
        raise MiddlewareNotUsed

    def middleware(request: HttpRequest) -> HttpResponseBase:
        request.COOKIES = without_prefixes(request.COOKIES)
        response = get_response(request)
        for name in list(response.cookies):
            morsel = with_prefix(response.cookies.pop(name))
            response.cookies[morsel.key] = morsel
        return response

    return middleware


def without_prefixes(sent: dict[str, str]) -> dict[str, str]:
    """Return cookies by the names the program knows; one with a prefix comes before one without."""
    prefixed = {
        name.removeprefix(HOST).removeprefix(SECURE): value
        for name, value in sent.items()
        if name.startswith((HOST, SECURE))
    }
    plain = {name: value for name, value in sent.items() if name not in GUARDED}
    return {**plain, **prefixed}


def with_prefix(morsel: "Morsel[str]") -> "Morsel[str]":
    """Return a cookie as the browser is to keep it."""
    prefix = HOST if morsel["path"] == "/" else SECURE
    if not morsel.key.startswith((HOST, SECURE)):
        morsel.set(prefix + morsel.key, morsel.value, morsel.coded_value)
    morsel["secure"] = True
    return morsel
