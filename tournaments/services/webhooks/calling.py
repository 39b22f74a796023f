"""Webhooks: kept, called and swept."""

import base64
import errno
import hashlib
import hmac
import json
import logging
import socket
import ssl
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPConnection, HTTPException
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from itertools import islice
from threading import Thread, Timer
from time import monotonic
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import F, Min, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.tournaments import number_of_entrant
from tournaments.models import AuditEntry, ChangeFeed, Club, Delivery, EventType, Webhook
from tournaments.models.audit import CLAIMED_FOR, MOST_TRIES, event_types_of, has_come
from tournaments.queries.audit import Named, round_of
from tournaments.services.audit import NOBODY, Actor, Change, note_change
from tournaments.services.base.writes import Fault, Refused, wake_webhooks
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
    keys: Sequence[bytes]
    body: Mapping[str, object]


def check_url(url: str) -> SplitResult:
    """Return the parts of an address that may be called, judged by its text alone.

    Raises: BadAddress: the address may not be called.
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

        Raises: TimeoutError: the connection was cut.
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
        "webhook-signature": " ".join(
            signature(key, message.id, moment, body) for key in message.keys
        ),
    }


def signature(key: bytes, name: str, moment: str, body: bytes) -> str:
    """Return the signature by which a receiver with the key verifies sender and time."""
    signed = b".".join((name.encode(), moment.encode(), body))
    return f"v1,{base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()}"


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _connected(parts: SplitResult, ask: Resolve) -> socket.socket:
    """Connect to one of the addresses of a host, all of which must be allowed.

    Raises: BadAddress: one is not allowed, or there is none.
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
    named = f"[{host}]" if ":" in host else host
    sent = {
        **headers,
        "User-Agent": "Kingscore",
        "Host": named if parts.port is None else f"{named}:{parts.port}",
        "Connection": "close",
    }
    # With an explicit port: otherwise the end of an IPv6 address would be read as one.
    http = HTTPConnection(host, _port(parts))
    http.sock = line.link
    path = quote(f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}", SAFE)
    with closing(http):
        http.request("POST", path, body, sent)
        with http.getresponse() as got:
            return CallAnswer(got.status, retry_after=got.headers.get("Retry-After", ""))


MOST_WEBHOOKS = 20
TEST = "test"
"""The event of a test call."""

KEPT_FOR = timedelta(days=30)
"""How long calls and their results are stored."""


logger = logging.getLogger(__name__)


class TooManyWebhooks(Refused, code="too-many"):
    sentence = _("There are %(most)s already: remove one.")


def create_webhook(
    club: Club | None, url: str, events: Collection[str], by: Actor, *, at: datetime
) -> Webhook:
    """Create a webhook of a club, or of the server without one; earlier events are not sent.

    `events` are values of `EventType`.

    Raises:
        BadAddress: the address may not be called.
        TooManyWebhooks: the club has reached its limit.
    """
    check_url(url)
    with transaction.atomic():
        if club is not None:
            # A second request waits for this lock, so that both are counted.
            club = Club.objects.select_for_update().get(pk=club.pk)
        if Webhook.objects.filter(club=club).count() >= MOST_WEBHOOKS:
            raise TooManyWebhooks({"most": MOST_WEBHOOKS})
        webhook = Webhook.objects.create(
            club=club,
            url=url,
            events=_in_order(events),
            after=_now_in_feed(),
            created_at=at,
        )
        _note(webhook, "add-webhook", by, at, after=_details(webhook))
    return webhook


def change_webhook(
    pk: int, url: str, events: Collection[str], by: Actor, *, at: datetime
) -> Webhook:
    """Change URL or events of a webhook; waiting calls go to the new address.

    Raises:
        BadAddress: as in `create_webhook`.
        Webhook.DoesNotExist: it was removed.
    """
    check_url(url)
    with transaction.atomic():
        webhook = _locked(pk)
        before = _details(webhook)
        webhook.url, webhook.events = url, _in_order(events)
        webhook.save(update_fields=["url", "events"])
        if _details(webhook) != before:
            _note(webhook, "change-webhook", by, at, before=before, after=_details(webhook))
    return webhook


def put_pause(pk: int, by: Actor, *, at: datetime, paused: bool) -> Webhook:
    """Pause or resume a webhook. Events during the pause are not sent; waiting calls are.

    Raises: Webhook.DoesNotExist: it was removed.
    """
    with transaction.atomic():
        webhook = _locked(pk)
        if webhook.paused != paused:
            webhook.paused = paused
            if not paused:
                webhook.after = _now_in_feed()
            webhook.save(update_fields=["paused", "after"])
            _note(webhook, "pause-webhook" if paused else "go-on-webhook", by, at)
            wake_webhooks()
    return webhook


def renew_secret(pk: int, by: Actor, *, at: datetime) -> Webhook:
    """Replace the signing secret; for a day the one before signs, too.

    Raises: Webhook.DoesNotExist: it was removed.
    """
    with transaction.atomic():
        webhook = _locked(pk)
        webhook.generation, webhook.renewed_at = webhook.generation + 1, at
        webhook.save(update_fields=["generation", "renewed_at"])
        _note(webhook, "webhook-secret", by, at)
    return webhook


def remove_webhook(pk: int, by: Actor, *, at: datetime) -> None:
    with transaction.atomic():
        webhook = Webhook.objects.select_for_update().filter(pk=pk).first()
        if webhook is not None:
            _note(webhook, "remove-webhook", by, at, before=_details(webhook))
            webhook.delete()


def send_test(pk: int, by: Actor, *, at: datetime) -> Delivery:
    """Enqueue a test call without an event.

    Raises: Webhook.DoesNotExist: it was removed.
    """
    with transaction.atomic():
        webhook = _locked(pk)
        line = _note(webhook, "test-webhook", by, at)
        delivery = Delivery.objects.create(
            webhook=webhook,
            line=line,
            type=TEST,
            body=body_of(TEST, at, {"club": webhook.club.slug if webhook.club else ""}),
            next_at=at,
            at=at,
        )
        wake_webhooks()
    return delivery


def send_again(delivery_pk: int, *, at: datetime) -> Delivery:
    """Repeat a call under its old id, by which receivers detect repeats.

    Raises: Delivery.DoesNotExist: the call is no longer stored.
    """
    with transaction.atomic():
        delivery = Delivery.objects.select_for_update().get(pk=delivery_pk)
        delivery.state, delivery.tries, delivery.next_at = Delivery.State.WAITING, 0, at
        delivery.save(update_fields=["state", "tries", "next_at"])
        wake_webhooks()
    return delivery


class TooLongAgo(Fault, code="too-early", where="since"):
    sentence = _("Calls are stored for %(days)s days.")


def replay(pk: int, since: datetime, by: Actor, *, at: datetime) -> Webhook:
    """Send all events since a moment again, also those during a pause.

    Calls that are stored keep their ids, by which receivers detect repeats.

    Raises:
        TooLongAgo: earlier calls are no longer stored.
        Webhook.DoesNotExist: it was removed.
    """
    if since < at - KEPT_FOR:
        raise TooLongAgo({"days": KEPT_FOR.days})
    with transaction.atomic():
        webhook = _locked(pk)
        lines = AuditEntry.objects.filter(at__gte=since, number__isnull=False)
        if webhook.club is not None:
            lines = lines.filter(club=webhook.club)
        first = lines.aggregate(first=Min("number"))["first"]
        if first is not None and first <= webhook.after:
            webhook.after = first - 1
            webhook.save(update_fields=["after"])
        done = webhook.deliveries.filter(at__gte=since).exclude(type=TEST)
        done.exclude(state=Delivery.State.WAITING).update(
            state=Delivery.State.WAITING, tries=0, next_at=at
        )
        _note(webhook, "replay-webhook", by, at, after={"since": since.isoformat()})
        wake_webhooks()
    return webhook


def note_ratings(club_pk: int, at: datetime) -> None:
    """Store the calls that the ratings of a club have changed; call it in that transaction.

    No audit entry says so, since ratings follow from games.
    """
    hooks = Webhook.objects.filter(Q(club=club_pk) | Q(club=None), paused=False)
    wanted = [hook for hook in hooks if EventType.RATINGS_CHANGED in hook.events]
    if not wanted:
        return
    slug = Club.objects.values_list("slug", flat=True).get(pk=club_pk)
    data = {"club": slug, "resources": [f"/api/v1/clubs/{slug}/ratings/"]}
    what = EventType.RATINGS_CHANGED
    body = body_of(what, at, data)
    Delivery.objects.bulk_create(
        Delivery(webhook=hook, type=what, body=body, next_at=at, at=at) for hook in wanted
    )
    wake_webhooks()


def forget_deliveries(at: datetime) -> None:
    """Delete old calls that were delivered or given up."""
    over = Delivery.objects.exclude(state=Delivery.State.WAITING)
    over.filter(at__lt=at - KEPT_FOR, next_at__lt=at - KEPT_FOR).delete()


def secret_text(webhook: Webhook) -> str:
    return "whsec_" + base64.b64encode(webhook.secret.encode()).decode()


def body_of(event: str, at: datetime, data: dict[str, Any]) -> dict[str, Any]:
    """Return the body of a call: event type, time and data."""
    return {"type": event, "timestamp": at.isoformat(), "data": data}


def _now_in_feed() -> int:
    while ChangeFeed.number_new_lines():
        pass
    return ChangeFeed.last_number()


def _in_order(events: Collection[str]) -> list[str]:
    return [str(each) for each in EventType if each in events]


def _locked(pk: int) -> Webhook:
    return Webhook.objects.select_for_update(of=("self",)).select_related("club").get(pk=pk)


def _details(webhook: Webhook) -> dict[str, Any]:
    # The path of the URL may be a secret of the receiver. Older entries call the events so.
    return {"host": urlsplit(webhook.url).hostname, "happenings": webhook.events}


def _note(
    webhook: Webhook, action: str, by: Actor, at: datetime, **details: Any
) -> AuditEntry | None:
    """Add an audit entry to the club; the server has no audit, but a log."""
    subject = f"webhook:{webhook.public_id}"
    if webhook.club is None:
        logger.info("%s of the server: %s by account %s", subject, action, by.user and by.user.pk)
        return None
    change = Change(AuditEntry.Kind.SETTINGS, action, subject, **details)
    return note_change(webhook.club, change, by, at=at)


Call = Callable[[Message, datetime], CallAnswer]

MOST_LINES = 500
MOST_NUMBERS = 20_000
"""Limits of one transaction: changes of the club, and of all clubs."""

MOST_AT_ONCE = 8
MOST_OF_ONE = 2
"""Parallel calls in total, and of one webhook: a slow receiver delays nobody else."""

SWEEPS_FOR = 60.0
"""Seconds after which a sweep leaves the rest to the next one."""

WAITS = tuple(timedelta(minutes=minutes) for minutes in (0.5, 2, 10, 60, 180, 360, 720, 1440, 1440))
"""The delay after each try before the next one."""

SHORTEST_WAIT, LONGEST_WAIT = timedelta(seconds=10), timedelta(days=1)
"""Limits of the delay a receiver can request."""

State = Delivery.State


def sweep_webhooks(calling: Call = call) -> None:
    """Store calls for new events of each webhook, and make the calls that are due."""
    while ChangeFeed.number_new_lines():
        pass
    last = ChangeFeed.last_number()
    behind = Webhook.objects.filter(paused=False, after__lt=last)
    for pk in behind.values_list("pk", flat=True):
        while note_deliveries(pk, last):
            pass
    until = monotonic() + SWEEPS_FOR
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        while monotonic() < until:
            claimed = [each for pk in _due(timezone.now()) if (each := _claim(pk))]
            if not claimed:
                break
            # No transaction is open, since receivers may be slow.
            answers = pool.map(partial(_answer_to, calling=calling), claimed)
            for delivery, answer in zip(claimed, answers, strict=True):
                _note_answer(delivery, answer)


def note_deliveries(webhook_pk: int, last: int) -> bool:
    """Store the calls for some audit entries up to `last`; return whether there may be more."""
    with transaction.atomic():
        webhook = Webhook.objects.select_for_update().filter(pk=webhook_pk, paused=False).first()
        if webhook is None or webhook.after >= last:
            return False
        until = min(last, webhook.after + MOST_NUMBERS)
        rows = AuditEntry.objects.all()
        if webhook.club_id is not None:
            rows = rows.filter(club=webhook.club_id)
        rows = rows.numbered(webhook.after, until)
        lines = list(rows.select_related("club", "event__tournament")[:MOST_LINES])
        Delivery.objects.bulk_create(_deliveries(webhook, lines), ignore_conflicts=True)
        if len(lines) == MOST_LINES:
            until = lines[-1].number or until
        webhook.after = until
        webhook.save(update_fields=["after"])
    return until < last


def _deliveries(webhook: Webhook, lines: Sequence[AuditEntry]) -> Iterator[Delivery]:
    wanted = [
        (line, what) for line in lines for what in event_types_of(line) if what in webhook.events
    ]
    named = Named([line for line, _what in wanted])
    now = timezone.now()
    for line, what in wanted:
        try:
            body = body_of(what, line.at, _data(line, named))
        except DatabaseError:
            raise
        except Exception:
            # One call that cannot be made stops no other.
            logger.exception("Audit entry %s becomes no call of a webhook", line.pk)
            continue
        yield Delivery(webhook=webhook, line=line, type=what, body=body, next_at=now, at=line.at)


def _data(line: AuditEntry, named: Named) -> dict[str, Any]:
    """Return the data of an event: no names and no points; receivers read those by the API."""
    event = line.event
    tournament = getattr(event, "tournament", None)
    kind, _colon, name = line.subject.partition(":")
    before, after = ({} if not isinstance(v, dict) else v for v in (line.before, line.after))
    entrants = after.get("entrants") or before.get("entrants") or []
    return {
        "number": line.number,
        "club": line.club.slug,
        "event": event and event.public_id,
        "tournament": tournament and tournament.slug,
        "round": named.round_of_game(name) if kind == "game" else round_of(line),
        "game": name if kind == "game" else None,
        "result": after.get("result"),
        "player": named.subject(line).removeprefix("player:") if kind == "player" else None,
        "entrants": [number_of_entrant(key) for key in entrants],
        "resources": named.resources(line),
    }


def _answer_to(delivery: Delivery, calling: Call) -> CallAnswer:
    """Return the answer to a call; an unexpected error counts as none and stops no other call."""
    try:
        hook, now = delivery.webhook, timezone.now()
        keys = [secret.encode() for secret in hook.signing_secrets(now)]
        return calling(Message(delivery.public_id, hook.url, keys, delivery.body), now)
    except Exception:
        logger.exception("The call %s of a webhook broke", delivery.public_id)
        return CallAnswer(0, "no-answer")


def _due(at: datetime) -> list[int]:
    due = Delivery.objects.due(at).order_by("next_at", "pk").values_list("pk", "webhook")
    taken: Counter[int] = Counter()

    def fair() -> Iterator[int]:
        for pk, webhook in due[: 20 * MOST_AT_ONCE]:
            taken[webhook] += 1
            if taken[webhook] <= MOST_OF_ONE:
                yield pk

    return list(islice(fair(), MOST_AT_ONCE))


def _claim(pk: int) -> Delivery | None:
    """Claim a call; None if another worker has it.

    A worker that does not report in time counts as dead, and the call is made again.
    """
    now = timezone.now()
    waiting = Delivery.objects.filter(has_come(now), pk=pk, state=State.WAITING)
    if not waiting.update(tried_at=now, next_at=now + CLAIMED_FOR, tries=F("tries") + 1):
        return None
    return Delivery.objects.select_related("webhook").filter(pk=pk).first()


def _note_answer(delivery: Delivery, answer: CallAnswer) -> None:
    """Store the result of a call, unless another worker has made it meanwhile."""
    now = timezone.now()
    delivery.answer_status, delivery.answer_text = answer.status, answer.why
    delivery.next_at = now
    if 200 <= answer.status < 300:
        delivery.state = State.DELIVERED
    elif answer.status == 410 or delivery.tries >= MOST_TRIES:
        delivery.state = State.FAILED
    else:
        pause = retry_delay(answer.retry_after, now)
        if pause is None:
            wait = WAITS[delivery.tries - 1]
        else:
            wait = min(max(pause, SHORTEST_WAIT), LONGEST_WAIT)
        delivery.next_at = now + wait
    fields = ("answer_status", "answer_text", "next_at", "state")
    mine = Delivery.objects.filter(pk=delivery.pk, tried_at=delivery.tried_at)
    mine.update(**{name: getattr(delivery, name) for name in fields})
    if answer.status == 410:
        # 410 Gone: the receiver asks for no more calls.
        with suppress(Webhook.DoesNotExist):
            put_pause(delivery.webhook_id, NOBODY, at=now, paused=True)


def retry_delay(header: str, now: datetime) -> timedelta | None:
    """Parse a `Retry-After` header, in seconds or as a date."""
    if header.isdecimal() and header.isascii():
        return timedelta(seconds=min(int(header[:9]), 10**6))
    with suppress(ValueError, TypeError, OverflowError):
        moment = parsedate_to_datetime(header)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now
    return None
