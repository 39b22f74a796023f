"""Access links as text and as QR codes."""

from urllib.parse import urlsplit

import segno
from django.http import HttpRequest

from tournaments.origin import absolute, is_loopback, origin


def access_link(request: HttpRequest, path: str) -> dict[str, str]:
    """Return an absolute address, and its QR code as SVG for the page."""
    whole = absolute(request, path)
    code = segno.make(whole, error="m", micro=False)
    svg = code.svg_inline(border=0, omitsize=True, svgclass=None, lineclass=None)
    return {"address": whole, "code": svg}


def out_of_reach(request: HttpRequest) -> bool:
    """Return whether other phones cannot open the page's addresses, since they name localhost."""
    return is_loopback(urlsplit(origin(request)))
