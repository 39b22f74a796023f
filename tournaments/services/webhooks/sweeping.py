"""Turn audit entries into calls, and make calls until they are accepted or given up.

The database is the queue: a worker that dies loses nothing, and of two sweeps at once only one
makes a given call.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import partial
from itertools import islice
from time import monotonic
from typing import Any

from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone

from tournaments.engine.documents.tournaments import number_of_entrant
from tournaments.models import AuditEntry, ChangeFeed, Delivery, Webhook
from tournaments.models.audit import CLAIMED_FOR, MOST_TRIES, event_types_of, has_come
from tournaments.queries.audit import Named, round_of
from tournaments.services.audit import NOBODY
from tournaments.services.webhooks.calling import CallAnswer, Message, call
from tournaments.services.webhooks.keeping import body_of, put_pause

logger = logging.getLogger(__name__)

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
        while monotonic() < until and _make_calls(calling, pool):
            pass


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


def _make_calls(calling: Call, pool: ThreadPoolExecutor) -> bool:
    """Make some of the due calls in parallel; return whether there were any."""
    claimed = [each for pk in _due(timezone.now()) if (each := _claim(pk))]
    # No transaction is open, since receivers may be slow.
    answers = pool.map(partial(_answer_to, calling=calling), claimed)
    for delivery, answer in zip(claimed, answers, strict=True):
        _note_answer(delivery, answer)
    return bool(claimed)


def _answer_to(delivery: Delivery, calling: Call) -> CallAnswer:
    """Return the answer to a call; an unexpected error counts as none and stops no other call."""
    try:
        return calling(_message(delivery), timezone.now())
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


def _message(delivery: Delivery) -> Message:
    webhook = delivery.webhook
    return Message(delivery.public_id, webhook.url, webhook.secret.encode(), delivery.body)


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
        delivery.next_at = now + _wait(delivery.tries, answer, now)
    fields = ("answer_status", "answer_text", "next_at", "state")
    mine = Delivery.objects.filter(pk=delivery.pk, tried_at=delivery.tried_at)
    mine.update(**{name: getattr(delivery, name) for name in fields})
    if answer.status == 410:
        # 410 Gone: the receiver asks for no more calls.
        with suppress(Webhook.DoesNotExist):
            put_pause(delivery.webhook_id, NOBODY, at=now, paused=True)


def _wait(tries: int, answer: CallAnswer, now: datetime) -> timedelta:
    asked = asked_wait(answer.retry_after, now)
    return WAITS[tries - 1] if asked is None else min(max(asked, SHORTEST_WAIT), LONGEST_WAIT)


def asked_wait(said: str, now: datetime) -> timedelta | None:
    """Parse a `Retry-After` header, in seconds or as a date."""
    if said.isdecimal() and said.isascii():
        return timedelta(seconds=min(int(said[:9]), 10**6))
    with suppress(ValueError, TypeError, OverflowError):
        moment = parsedate_to_datetime(said)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now
    return None
