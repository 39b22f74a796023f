"""Addresses that open something, shown whole and as QR codes."""

from urllib.parse import urlsplit

import segno
from django.http import HttpRequest

from tournaments.origin import absolute, is_loopback, origin


def door(request: HttpRequest, path: str) -> dict[str, str]:
    """An address, whole, and as a QR code to be put into the page."""
    whole = absolute(request, path)
    code = segno.make(whole, error="m", micro=False)
    svg = code.svg_inline(border=0, omitsize=True, svgclass=None, lineclass=None)
    return {"address": whole, "code": svg}


def out_of_reach(request: HttpRequest) -> bool:
    """Whether other phones cannot follow the addresses of this page: they lead to themselves."""
    return is_loopback(urlsplit(origin(request)))
