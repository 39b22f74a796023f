"""Addresses that open something, shown whole and as QR codes."""

import segno
from django.http import HttpRequest

THIS_MACHINE_ONLY = ("localhost", "127.0.0.1", "::1", "[::1]")


def door(request: HttpRequest, path: str) -> dict[str, str]:
    """An address, whole, and as a QR code to be put into the page."""
    whole = request.build_absolute_uri(path)
    code = segno.make(whole, error="m", micro=False)
    svg = code.svg_inline(border=0, omitsize=True, svgclass=None, lineclass=None)
    return {"address": whole, "code": svg}


def out_of_reach(request: HttpRequest) -> bool:
    """Whether other phones cannot follow the addresses of this page: they lead to themselves."""
    return request.get_host().rsplit(":", 1)[0] in THIS_MACHINE_ONLY
