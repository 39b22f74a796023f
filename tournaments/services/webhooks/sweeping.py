"""What has happened becomes calls, and calls are made until they are taken or given up.

The database is the queue: a worker that dies loses nothing, and of two that sweep at once each
call is made by one.
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

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from tournaments.models import AuditLine, ChangeFeed, Delivery, Happening, Webhook
from tournaments.models.webhooks import CLAIMED_FOR, MOST_TRIES, has_come
from tournaments.queries.changes import Named, round_of
from tournaments.services.auditing import NOBODY
from tournaments.services.webhooks.calling import Answer, Message, call
from tournaments.services.webhooks.keeping import body_of, put_pause

logger = logging.getLogger(__name__)

Call = Callable[[Message, datetime], Answer]

MOST_LINES = 500
MOST_AT_ONCE = 8
MOST_OF_ONE = 2
"""Calls made side by side, and of one webhook: a slow receiver keeps nobody else waiting."""

SWEEPS_FOR = 60.0
"""Seconds after which a sweep leaves the rest to the next one."""

WAITS = tuple(timedelta(minutes=minutes) for minutes in (0.5, 2, 10, 60, 180, 360, 720, 1440, 1440))
"""How long after each try the next one is made."""

SHORTEST_WAIT, LONGEST_WAIT = timedelta(seconds=10), timedelta(days=1)
"""What a receiver that says when to come again can ask for."""

State = Delivery.State

ACTIONS = {
    "publish-round": Happening.ROUND_PUBLISHED,
    "close-round": Happening.ROUND_CLOSED,
}


def sweep_webhooks(calling: Call = call) -> None:
    """Note what has happened for each webhook, and make the calls whose time has come."""
    while ChangeFeed.number_new_lines():
        pass
    last = ChangeFeed.last_number()
    behind = Webhook.objects.filter(paused=False, after__lt=last)
    for pk in behind.values_list("pk", flat=True):
        while note_happenings(pk, last):
            pass
    until = monotonic() + SWEEPS_FOR
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        while monotonic() < until and _make_calls(calling, pool):
            pass


def happening_of(line: AuditLine) -> Happening | None:
    """What a line is for those who are told by a webhook; None for most."""
    after = line.after if isinstance(line.after, dict) else {}
    if line.action == "move-tournament" and after.get("state") == "finished":
        return Happening.TOURNAMENT_FINISHED
    if line.kind == AuditLine.Kind.RESULT and "result" in after:
        return Happening.RESULT_ENTERED
    return ACTIONS.get(line.action) if line.kind == AuditLine.Kind.EVENT else None


def note_happenings(webhook_pk: int, last: int) -> bool:
    """Write down the calls that lines up to a number ask for; whether there are more lines."""
    with transaction.atomic():
        webhook = Webhook.objects.select_for_update().filter(pk=webhook_pk, paused=False).first()
        if webhook is None or webhook.after >= last:
            return False
        rows = AuditLine.objects.filter(
            club=webhook.club_id, number__gt=webhook.after, number__lte=last
        )
        rows = rows.order_by("number").select_related("club", "event__tournament")
        lines = list(rows[:MOST_LINES])
        Delivery.objects.bulk_create(_deliveries(webhook, lines), ignore_conflicts=True)
        more = len(lines) == MOST_LINES
        webhook.after = lines[-1].number or last if more else last
        webhook.save(update_fields=["after"])
    return more


def _deliveries(webhook: Webhook, lines: Sequence[AuditLine]) -> Iterator[Delivery]:
    told = [(line, happening_of(line)) for line in lines]
    wanted = [(line, what) for line, what in told if what and what in webhook.happenings]
    named = Named([line for line, _what in wanted])
    now = timezone.now()
    for line, what in wanted:
        body = body_of(what, line.at, _data(line, named))
        yield Delivery(
            webhook=webhook, line=line, happening=what, body=body, next_at=now, at=line.at
        )


def _data(line: AuditLine, named: Named) -> dict[str, Any]:
    """What a receiver is told of a line: no names and no points, these are read where it says."""
    event = line.event
    tournament = getattr(event, "tournament", None)
    kind, _colon, name = line.subject.partition(":")
    after = line.after if isinstance(line.after, dict) else {}
    return {
        "number": line.number,
        "club": line.club.slug,
        "event": event and event.public_id,
        "tournament": tournament and tournament.slug,
        "round": named.round_of_game(name) if kind == "game" else round_of(line),
        "game": name if kind == "game" else None,
        "result": after.get("result"),
        "resources": named.resources(line),
    }


def _make_calls(calling: Call, pool: ThreadPoolExecutor) -> bool:
    """Make some of the calls that are due, side by side; whether there were any."""
    claimed = [each for pk in _due(timezone.now()) if (each := _claim(pk))]
    # No transaction is open: whoever is called takes their time.
    answers = pool.map(partial(_answer_to, calling=calling), claimed)
    for delivery, answer in zip(claimed, answers, strict=True):
        _note_answer(delivery, answer)
    return bool(claimed)


def _answer_to(delivery: Delivery, calling: Call) -> Answer:
    """What came back; where calling itself broke, nothing did, and the others are not kept up."""
    try:
        return calling(_message(delivery), timezone.now())
    except Exception:
        logger.exception("The call %s of a webhook broke", delivery.public_id)
        return Answer(0, "no-answer")


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
    """Take a call to make; None where somebody else has.

    Whoever does not come back with an answer in time has died, and it is made again.
    """
    now = timezone.now()
    waiting = Delivery.objects.filter(has_come(now), pk=pk, state=State.WAITING)
    if not waiting.update(tried_at=now, next_at=now + CLAIMED_FOR, tries=F("tries") + 1):
        return None
    return Delivery.objects.select_related("webhook").filter(pk=pk).first()


def _message(delivery: Delivery) -> Message:
    webhook = delivery.webhook
    return Message(delivery.public_id, webhook.url, webhook.secret.encode(), delivery.body)


def _note_answer(delivery: Delivery, answer: Answer) -> None:
    """Write down what came of a call, unless somebody else has made it meanwhile."""
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
        # The receiver says that there will never be anybody.
        with suppress(Webhook.DoesNotExist):
            put_pause(delivery.webhook_id, NOBODY, at=now, paused=True)


def _wait(tries: int, answer: Answer, now: datetime) -> timedelta:
    asked = _asked_wait(answer.retry_after, now)
    return WAITS[tries - 1] if asked is None else min(max(asked, SHORTEST_WAIT), LONGEST_WAIT)


def _asked_wait(said: str, now: datetime) -> timedelta | None:
    """What a receiver says by `Retry-After`, in seconds or as a date."""
    if said.isdecimal() and said.isascii():
        return timedelta(seconds=min(int(said[:9]), 10**6))
    with suppress(ValueError, TypeError, OverflowError):
        moment = parsedate_to_datetime(said)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now
    return None
