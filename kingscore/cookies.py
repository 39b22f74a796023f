"""Prefix cookie names so that browsers protect them, on sites that use HTTPS."""

from collections.abc import Callable
from http.cookies import Morsel

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponseBase

HOST, SECURE = "__Host-", "__Secure-"
"""The first is for cookies of the whole site: no other host of the domain can set them. The second
is for cookies of a part of the site."""

GUARDED = {settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, "device"}
"""Ignored without their prefix: another host may have set them. All other cookies are signed or
mere preferences, and phones may have older ones without a prefix."""


def prefix_cookies(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Add a prefix to all outgoing cookies, and remove it from incoming ones."""
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
    """Return cookies under their names in the program; prefixed ones take precedence."""
    prefixed = {
        name.removeprefix(HOST).removeprefix(SECURE): value
        for name, value in sent.items()
        if name.startswith((HOST, SECURE))
    }
    plain = {name: value for name, value in sent.items() if name not in GUARDED}
    return {**plain, **prefixed}


def with_prefix(morsel: "Morsel[str]") -> "Morsel[str]":
    """Return a cookie with the prefix and attributes for the browser."""
    prefix = HOST if morsel["path"] == "/" else SECURE
    if not morsel.key.startswith((HOST, SECURE)):
        morsel.set(prefix + morsel.key, morsel.value, morsel.coded_value)
    morsel["secure"] = True
    return morsel
