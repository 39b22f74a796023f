"""Send what waits for subscribers, once; the rows are the queue."""

import json
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from time import monotonic

from django.conf import settings
from django.db import DatabaseError
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from tournaments.engine.rules.entries import clean_line
from tournaments.models import Notification, Subscription, Tournament
from tournaments.models.games import digest
from tournaments.services.emails import Text, write_emails
from tournaments.services.notifications.finding import note_changes
from tournaments.services.notifications.web_push import authorization, encrypt, is_push_service
from tournaments.services.webhooks.calling import CallAnswer, post
from tournaments.services.webhooks.sweeping import asked_wait

logger = logging.getLogger(__name__)

Post = Callable[[str, bytes, Mapping[str, str]], CallAnswer]

MOST_AT_ONCE = 8
LONGEST_SUBJECT = 200
SWEEPS_FOR = 60.0
"""Seconds after which a sweep leaves the rest to the next one."""

CLAIMED_FOR = timedelta(minutes=1)
"""A worker that has not reported by then counts as dead, and the message is sent again."""

WAITS = tuple(timedelta(seconds=seconds) for seconds in (10, 30, 120, 600, 1800))
"""The delay after each try; the last one is repeated."""

GONE = {403, 404, 410}
"""The browser has ended its subscription, or has it for another key."""

AGAIN = {0, 408, 429}
"""Also from 500 on: the push service may take it later."""


def sweep_notifications(send: Post = post) -> None:
    """Find what is to be told, and send what is due."""
    if not Subscription.objects.exists():
        return
    note_changes(timezone.now())
    until = monotonic() + SWEEPS_FOR
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        while monotonic() < until and _send_some(send, pool):
            pass


def _send_some(send: Post, pool: ThreadPoolExecutor) -> bool:
    """Send some of the notifications that are due; return whether there were any."""
    now = timezone.now()
    # A moment far ahead was set before the clock was set back.
    due = Q(next_at__lte=now) | Q(next_at__gt=now + max(WAITS) + CLAIMED_FOR)
    rows = Notification.objects.filter(due).select_related(
        "subscription__user", "round__event__tournament", "round__event__club"
    )
    claimed = [row for row in rows.order_by("next_at", "pk")[:MOST_AT_ONCE] if _claim(row, now)]
    helpful = [row for row in claimed if _still_helps(row, now)]
    pushed = [row for row in helpful if row.subscription.phone]
    # No transaction is open, since push services may be slow.
    answers = list(pool.map(partial(_answer_to, send=send, at=now), pushed))
    for row in helpful:
        if not row.subscription.phone:
            try:
                _mail(row, now)
            except DatabaseError:
                raise
            except Exception:
                # It is given up, and stops no other.
                logger.exception("the e-mail of notification %s broke", row.pk)
    for row in claimed:
        if row not in pushed:
            _done(row)
    for row, answer in zip(pushed, answers, strict=True):
        _note_answer(row, answer, now)
    return bool(claimed)


def _claim(row: Notification, now: datetime) -> bool:
    """Claim a notification; False if another worker has it, or it was changed meanwhile."""
    claimed, mine = now + CLAIMED_FOR, Notification.objects.filter(pk=row.pk, next_at=row.next_at)
    row.next_at, row.tries = claimed, row.tries + 1
    return bool(mine.update(next_at=claimed, tries=F("tries") + 1))


def _answer_to(row: Notification, send: Post, at: datetime) -> CallAnswer:
    """Return the answer to a message; an unexpected error counts as none and stops no other."""
    try:
        return _push(row, send, at)
    except Exception:
        logger.exception("notification %s broke", row.pk)
        return CallAnswer(0, "no-answer")


def _still_helps(row: Notification, at: datetime) -> bool:
    if row.expires_at <= at:
        return False
    is_on = row.round.published_at is not None and row.round.closed_at is None
    return is_on or row.kind == Notification.Kind.RESULT


def _push(row: Notification, send: Post, at: datetime) -> CallAnswer:
    to, tournament = row.subscription, row.round.event.tournament
    if not is_push_service(to.endpoint):
        return CallAnswer(410)
    # A newer one of a kind replaces an older one that the phone has not got, or shows.
    topic = f"{tournament.public_id}-{row.kind}"
    body = {
        "title": row.title,
        "body": clean_line(row.round.event.name),
        "url": _address(tournament),
        "tag": topic,
        "lang": to.language,
    }
    text = json.dumps(body, ensure_ascii=False).encode()
    headers = {
        "Authorization": authorization(to.endpoint, at),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(max(0, int((row.expires_at - at).total_seconds()))),
        "Urgency": "normal" if row.kind == Notification.Kind.RESULT else "high",
        "Topic": topic,
    }
    return send(to.endpoint, encrypt(text, to.p256dh, to.auth), headers)


def _mail(row: Notification, at: datetime) -> None:
    """Write the e-mail, once for each value; it is sent by the sweep of e-mails."""
    to = row.subscription
    if to.user is None:
        return
    site = settings.SITE_ADDRESS or settings.FOUND_AT
    end = site and f"{site}{reverse('end_subscription', args=[to.pk, to.secret])}"
    event = row.round.event
    with translation.override(to.language or None):
        lines = [row.title, event.name]
        if site:
            lines += [f"  {site}{_address(event.tournament)}", "", _("No more of these e-mails:")]
            lines += [f"  {end}"]
        else:
            lines += ["", _("You switch these e-mails off on the page “Notifications”.")]
    subject, body = f"{row.title} · {event.name}"[:LONGEST_SUBJECT], "\n".join(lines) + "\n"
    text = Text(subject, body, end, row.expires_at)
    about = f"notification:{row.pk}:{digest(row.value)[:16]}"
    write_emails([to.user], about, text, at=at)


def _address(tournament: Tournament) -> str:
    return reverse("tournament", args=[tournament.event.club.slug, tournament.slug])


def _done(row: Notification) -> None:
    """Send it no more, unless there is something newer to tell."""
    Notification.objects.filter(pk=row.pk, next_at=row.next_at).update(next_at=None)


def _note_answer(row: Notification, answer: CallAnswer, now: datetime) -> None:
    """Store the result of a call; a phone that is gone is notified no more."""
    if answer.status in GONE:
        row.subscription.delete()
        return
    if answer.status not in AGAIN and answer.status < 500:
        _done(row)
        return
    asked = asked_wait(answer.retry_after, now)
    wait = max(WAITS[min(row.tries, len(WAITS)) - 1], asked or WAITS[0])
    # Too late then: `_still_helps` ends it.
    mine = Notification.objects.filter(pk=row.pk, next_at=row.next_at)
    mine.update(next_at=min(now + wait, max(row.expires_at, now)))
