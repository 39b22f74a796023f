"""The address of the site, for links that others will open: in mails, QR codes and documents.

Whoever sends a request chooses its Host header, so it says so only where nobody can abuse it.
"""

import re
import socket
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

import zxingcpp
from django.conf import settings
from django.http import HttpRequest

THIS_MACHINE_ONLY = ("localhost", "127.0.0.1", "::1")


def origin(request: HttpRequest) -> str:
    """Return scheme, host and port of the site.

    It is what the settings say. Where they say nothing, phones come by the address that the
    machine has this evening: the one asked for, if it is the machine's own, else that of `up`.
    """
    asked = urlsplit(f"{request.scheme}://{request.get_host()}")
    here = f"{asked.scheme}://{asked.netloc}"
    said = settings.SITE_ADDRESS
    if said:
        # A host name without HTTPS says no port: it is the one that was asked for.
        same = said.startswith("http://") and urlsplit(said).hostname == asked.hostname
        return here if same else str(said)
    is_served = str(asked.port or 80) == request.get_port()
    if is_served and (is_own(asked.hostname) or (not settings.FOUND_AT and is_loopback(asked))):
        return here
    return found_at() or f"http://{lan_address() or 'localhost'}:{request.get_port()}"


def absolute(request: HttpRequest, path: str) -> str:
    return origin(request) + path


def qr_code(address: str) -> str:
    """Return an address as a QR code: an SVG without margins, as large as its place."""
    code = zxingcpp.create_barcode(address, zxingcpp.BarcodeFormat.QRCode, ec_level="M")
    svg = code.to_svg(add_quiet_zones=False)
    # Its elements have ids, which may stand only once in a page.
    size, path = re.findall(r'<svg width="(\d+)".*?<path d="([^"]*)"', svg, re.DOTALL)[0]
    attributes = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}"'
    return f'<svg {attributes}><path d="{path}"/></svg>'


def is_loopback(parts: SplitResult) -> bool:
    """Whether an address leads every device to itself."""
    return parts.hostname in THIS_MACHINE_ONLY


def found_at() -> str:
    """Return the address that `up` printed, with the one the machine has by now."""
    found = urlsplit(settings.FOUND_AT)
    moved = found.hostname == "localhost" or not (is_loopback(found) or is_own(found.hostname))
    lan = lan_address() if found.port and moved else None
    return f"http://{lan}:{found.port}" if lan else str(settings.FOUND_AT)


def is_own(host: str | None) -> bool:
    """Whether a host is an address of this machine that other devices may reach it by."""
    try:
        address = ip_address(host or "")
    except ValueError:
        return False
    if address.is_loopback or address.is_unspecified:
        return False
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        try:
            # Only an address of its own can be bound.
            probe.bind((str(address), 0))
        except OSError:
            return False
    return True


def lan_address() -> str | None:
    """Return the address by which phones on the same network reach this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Sends nothing: it only asks which way a packet to a far address would leave.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address: str = probe.getsockname()[0]
    return address
