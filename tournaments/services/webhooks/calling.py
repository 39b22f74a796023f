"""Calling an address of somebody else, and none within: not this machine, nor a private network.

Whoever owns a club need not be trusted with the network the server stands in. So a name is
resolved here, each address it has is looked at, and it is one of these that is called, whatever
the name stands for a moment later.
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

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Sequence[str]]

CONNECT_WITHIN = 5.0
ANSWER_WITHIN = 10.0
"""Seconds: until somebody takes the call, and until all of it is over."""

MOST_ADDRESSES = 4

SAFE = "%/:=&?~#+!$,;'@()*[]"
"""What stands in an address for itself; letters of other languages are written as bytes."""

NOT_OWN = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EINVAL)
"""Why an address cannot be bound: no interface has it, no IPv6 here, link-local with no zone."""

GLOBAL_UNICAST = IPv6Network("2000::/3")
NAT64 = IPv6Network("64:ff9b::/96")


class BadAddress(Exception):
    """It may not be called; `why` is `scheme`, `host`, `port`, `login` or `private`."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: a status, or 0 and why nothing did.

    What a receiver says besides is not read: it may be a machine that the club cannot reach.
    """

    status: int
    why: str = ""
    retry_after: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent: its name, by which a receiver knows it again, where to, and what."""

    id: str
    url: str
    key: bytes
    body: Mapping[str, object]


def check_url(url: str) -> SplitResult:
    """The parts of an address that may be called, as far as that can be said by looking at it.

    Raises:
        BadAddress: it is none.
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
    # Behind the others only what is meant for the web: no mail server is written to.
    if port is not None and port not in {80, 443} and not 1024 <= port <= 65535:
        raise BadAddress("port")
    with suppress(ValueError):
        if not may_be_called(ip_address(parts.hostname)):
            raise BadAddress("private")
    return parts


def may_be_called(address: Address) -> bool:
    """Whether an address is out in the world, or the owner of the server allows its network.

    An allowed network does not include this machine; its own address is allowed alone, as
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
    """Whether an address is one of this machine, as its interfaces are now.

    Only such an address can be bound. Doubtful ones count as own.
    """
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((str(address), 0))
    except OSError as error:
        return error.errno not in NOT_OWN
    return True


def _meant(address: Address) -> Address:
    """The address of old that a new one stands for, where it is such a one."""
    if isinstance(address, IPv4Address):
        return address
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of a name, in the order to be tried; whoever names them may be slow."""
    found: list[str] = []

    def ask() -> None:
        with suppress(OSError, UnicodeError):
            answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.extend(str(address[0]) for *_rest, address in answers)

    asking = Thread(target=ask, daemon=True)
    asking.start()
    asking.join(CONNECT_WITHIN)
    return list(dict.fromkeys(found))


def call(message: Message, at: datetime, ask: Resolve = resolve) -> Answer:
    """Send a message, and wait for what comes back; never much longer than `ANSWER_WITHIN`."""
    began = monotonic()
    try:
        parts = check_url(message.url)
        line = _Line(_connected(parts, ask))
        with line.cut_after(max(1.0, ANSWER_WITHIN - (monotonic() - began))):
            return _ask(line, parts, message, at)
    except BadAddress as error:
        return Answer(0, f"not-called-{error.why}")
    except ssl.SSLCertVerificationError:
        return Answer(0, "bad-certificate")
    except TimeoutError:
        return Answer(0, "timeout")
    except (OSError, HTTPException, ValueError, AttributeError):
        # The last one comes from a line that was cut while it was read.
        return Answer(0, "no-answer")


class _Line:
    """A line to a receiver, cut when its time is over.

    A receiver that sends a byte now and then would be waited for without an end otherwise.
    """

    def __init__(self, link: socket.socket) -> None:
        self.link, self._late = link, False

    def secure(self, host: str) -> None:
        """Speak TLS from here on: the certificate must be that of the name."""
        context = ssl.create_default_context()
        # The line is ours before anybody speaks on it, so that it can be cut.
        self.link = context.wrap_socket(
            self.link, server_hostname=host, do_handshake_on_connect=False
        )
        self.link.do_handshake()

    @contextmanager
    def cut_after(self, seconds: float) -> Iterator[None]:
        """Cut it so many seconds from now, and at the end.

        Raises:
            TimeoutError: it was cut before.
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
    """The body as it is sent, and the headers that sign it, as Standard Webhooks has them."""
    body = json.dumps(message.body, ensure_ascii=False, separators=(",", ":")).encode()
    moment = str(int(at.timestamp()))
    return body, {
        "webhook-id": message.id,
        "webhook-timestamp": moment,
        "webhook-signature": signature(message.key, message.id, moment, body),
    }


def signature(key: bytes, name: str, moment: str, body: bytes) -> str:
    """By what a receiver who has the key knows that a body comes from here, and when it did."""
    signed = b".".join((name.encode(), moment.encode(), body))
    return f"v1,{base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()}"


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _connected(parts: SplitResult, ask: Resolve) -> socket.socket:
    """A line to one of the addresses of a host, all of which may be called.

    Raises:
        BadAddress: one may not; or it has none.
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


def _ask(line: _Line, parts: SplitResult, message: Message, at: datetime) -> Answer:
    """Send and read on a line that is there; redirections are answers like others."""
    host = (parts.hostname or "").encode("idna").decode()
    line.link.settimeout(ANSWER_WITHIN)
    if parts.scheme == "https":
        line.secure(host)
    body, headers = sign(message, at)
    headers |= {"Content-Type": "application/json", "User-Agent": "Kingscore"}
    headers |= {"Host": _host(host, parts), "Connection": "close"}
    # With the port said: without one, the end of an IPv6 address would be taken for it.
    asked = HTTPConnection(host, _port(parts))
    asked.sock = line.link
    path = quote(f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}", SAFE)
    with closing(asked):
        asked.request("POST", path, body, headers)
        with asked.getresponse() as got:
            return Answer(got.status, retry_after=got.headers.get("Retry-After", ""))


def _host(host: str, parts: SplitResult) -> str:
    named = f"[{host}]" if ":" in host else host
    return named if parts.port is None else f"{named}:{parts.port}"
