"""Call external addresses only: neither this machine nor a private network.

Neither a club owner nor a phone that wants notifications is trusted with the server's network. So
the host name is resolved here, each of its addresses is checked, and one of these is called,
whatever the name resolves to a moment later.
"""

import base64
import errno
import hashlib
import hmac
import json
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from http.client import HTTPConnection, HTTPException
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from threading import Thread, Timer
from time import monotonic
from urllib.parse import SplitResult, quote, urlsplit

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from tournaments.services.base.refusals import Fault
from tournaments.texts.labels import Text

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Sequence[str]]

CONNECT_WITHIN = 5.0
ANSWER_WITHIN = 10.0
"""Seconds to connect, and seconds for the whole call."""

MOST_ADDRESSES = 4

SAFE = "%/:=&?~#+!$,;'@()*[]"
"""Characters of an address sent unescaped; other letters are percent-encoded."""

NOT_OWN = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EINVAL)
"""Reasons why an address cannot be bound: no such interface, no IPv6, link-local without a zone."""

GLOBAL_UNICAST = IPv6Network("2000::/3")
NAT64 = IPv6Network("64:ff9b::/96")


class BadAddress(Fault, code="bad-address", where="url"):
    """The address may not be called; `why` is `scheme`, `host`, `port`, `login` or `private`."""

    sentence = _("This address may not be called.")

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(data={"why": why}, sentence=WHY_BAD[why])


WHY_BAD: Mapping[str, Text] = {
    "scheme": _("The address begins with https:// or http://."),
    "host": _("This is no address of a server."),
    "login": _("Leave out the name and the password."),
    "port": _("This port is not called: 80, 443, or one from 1024."),
    "private": _(
        "The server does not call itself or a private network, and this address lies there."
    ),
}


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """The response: a status, or 0 and the reason why there is none.

    The body is not read: it may come from a machine that the club cannot reach.
    """

    status: int
    why: str = ""
    retry_after: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """A message to send: its id, by which receivers detect repeats, target and body."""

    id: str
    url: str
    key: bytes
    body: Mapping[str, object]


def check_url(url: str) -> SplitResult:
    """Return the parts of an address that may be called, judged by its text alone.

    Raises:
        BadAddress: the address may not be called.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
        (parts.hostname or "").encode("idna")
    except ValueError as error:
        raise BadAddress("host") from error
    if parts.scheme not in {"http", "https"}:
        raise BadAddress("scheme")
    if not parts.hostname or not url.isprintable() or " " in url or "\\" in url:
        raise BadAddress("host")
    if "@" in parts.netloc:
        raise BadAddress("login")
    # Only web ports below 1024, so that no mail server is called.
    if port is not None and port not in {80, 443} and not 1024 <= port <= 65535:
        raise BadAddress("port")
    with suppress(ValueError):
        if not may_be_called(ip_address(parts.hostname)):
            raise BadAddress("private")
    return parts


def may_be_called(address: Address) -> bool:
    """Return whether an address is public, or in a network allowed by the server's owner.

    An allowed network does not include this machine; its own address must be allowed singly, as
    `192.168.1.5/32`, or by a network of loopback addresses.
    """
    meant = _meant(address)
    allowed = [
        network for network in settings.WEBHOOK_NETWORKS if address in network or meant in network
    ]
    if is_own(address) or is_own(meant):
        return any(network.is_loopback or network.num_addresses == 1 for network in allowed)
    if allowed:
        return True
    if isinstance(meant, IPv6Address) and meant not in GLOBAL_UNICAST:
        return False
    return meant.is_global and not meant.is_multicast and not meant.is_reserved


def is_own(address: Address) -> bool:
    """Return whether an address currently belongs to an interface of this machine.

    Only an own address can be bound. Doubtful ones count as own.
    """
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((str(address), 0))
    except OSError as error:
        return error.errno not in NOT_OWN
    return True


def _meant(address: Address) -> Address:
    """Return the IPv4 address embedded in an IPv6 one; any other address unchanged."""
    if isinstance(address, IPv4Address):
        return address
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def resolve(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a name, in the order to try; name servers may be slow."""
    found: list[str] = []

    def ask() -> None:
        with suppress(OSError, UnicodeError):
            answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.extend(str(address[0]) for *_rest, address in answers)

    asking = Thread(target=ask, daemon=True)
    asking.start()
    asking.join(CONNECT_WITHIN)
    return list(dict.fromkeys(found))


def call(message: Message, at: datetime, ask: Resolve = resolve) -> CallAnswer:
    """Send a message and return the answer, as `post` does."""
    body, headers = sign(message, at)
    return post(message.url, body, headers | {"Content-Type": "application/json"}, ask)


def post(url: str, body: bytes, headers: Mapping[str, str], ask: Resolve = resolve) -> CallAnswer:
    """Send a body to an address; return the answer not much later than `ANSWER_WITHIN`."""
    began = monotonic()
    try:
        parts = check_url(url)
        line = _Line(_connected(parts, ask))
        with line.cut_after(max(1.0, ANSWER_WITHIN - (monotonic() - began))):
            return _ask(line, parts, body, headers)
    except BadAddress as error:
        return CallAnswer(0, f"not-called-{error.why}")
    except ssl.SSLCertVerificationError:
        return CallAnswer(0, "bad-certificate")
    except TimeoutError:
        return CallAnswer(0, "timeout")
    except (OSError, HTTPException, ValueError, AttributeError):
        # AttributeError comes from a connection that was cut while it was read.
        return CallAnswer(0, "no-answer")


class _Line:
    """A connection to a receiver, cut when its time is over.

    Otherwise a receiver that sends a byte now and then could hold it forever.
    """

    def __init__(self, link: socket.socket) -> None:
        self.link, self._late = link, False

    def secure(self, host: str) -> None:
        """Start TLS; the certificate must be valid for the host name."""
        context = ssl.create_default_context()
        # Wrap before the handshake, so that the timer can cut it.
        self.link = context.wrap_socket(
            self.link, server_hostname=host, do_handshake_on_connect=False
        )
        self.link.do_handshake()

    @contextmanager
    def cut_after(self, seconds: float) -> Iterator[None]:
        """Cut the connection after `seconds`, and close it at the end.

        Raises:
            TimeoutError: the connection was cut.
        """
        alarm = Timer(seconds, self._cut)
        alarm.start()
        try:
            yield
        except (OSError, HTTPException, ValueError, AttributeError) as error:
            raise (TimeoutError() if self._late else error) from error
        finally:
            alarm.cancel()
            self.link.close()

    def _cut(self) -> None:
        self._late = True
        with suppress(OSError):
            self.link.shutdown(socket.SHUT_RDWR)


def sign(message: Message, at: datetime) -> tuple[bytes, dict[str, str]]:
    """Return the body to send, and its headers, signed as in Standard Webhooks."""
    body = json.dumps(message.body, ensure_ascii=False, separators=(",", ":")).encode()
    moment = str(int(at.timestamp()))
    return body, {
        "webhook-id": message.id,
        "webhook-timestamp": moment,
        "webhook-signature": signature(message.key, message.id, moment, body),
    }


def signature(key: bytes, name: str, moment: str, body: bytes) -> str:
    """Return the signature by which a receiver with the key verifies sender and time."""
    signed = b".".join((name.encode(), moment.encode(), body))
    return f"v1,{base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()}"


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _connected(parts: SplitResult, ask: Resolve) -> socket.socket:
    """Connect to one of the addresses of a host, all of which must be allowed.

    Raises:
        BadAddress: one is not allowed, or there is none.
    """
    host = (parts.hostname or "").encode("idna").decode()
    found = [ip_address(each.partition("%")[0]) for each in ask(host, _port(parts))]
    if not found:
        raise BadAddress("host")
    if not all(map(may_be_called, found)):
        raise BadAddress("private")
    *first, last = found[:MOST_ADDRESSES]
    within = CONNECT_WITHIN / (len(first) + 1)
    for address in first:
        with suppress(OSError):
            return socket.create_connection((str(address), _port(parts)), within)
    return socket.create_connection((str(last), _port(parts)), within)


def _ask(line: _Line, parts: SplitResult, body: bytes, headers: Mapping[str, str]) -> CallAnswer:
    """Send and read on an open connection; redirects are returned, not followed."""
    host = (parts.hostname or "").encode("idna").decode()
    line.link.settimeout(ANSWER_WITHIN)
    if parts.scheme == "https":
        line.secure(host)
    sent = {**headers, "User-Agent": "Kingscore", "Host": _host(host, parts), "Connection": "close"}
    # With an explicit port: otherwise the end of an IPv6 address would be read as one.
    asked = HTTPConnection(host, _port(parts))
    asked.sock = line.link
    path = quote(f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}", SAFE)
    with closing(asked):
        asked.request("POST", path, body, sent)
        with asked.getresponse() as got:
            return CallAnswer(got.status, retry_after=got.headers.get("Retry-After", ""))


def _host(host: str, parts: SplitResult) -> str:
    named = f"[{host}]" if ":" in host else host
    return named if parts.port is None else f"{named}:{parts.port}"
