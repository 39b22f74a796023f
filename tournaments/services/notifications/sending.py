"""Notifications, found and sent: `sweep_notifications` does both, again and again.

`note_changes` compares the facts of all rounds with what was told before, and stores what is news.
What is due then goes to phones by Web Push and to accounts by e-mail.
"""

import json
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from time import monotonic

from django.conf import settings
from django.db import DatabaseError
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.engine.rules.entries import clean_line
from tournaments.models import (
    Email,
    Entrant,
    Game,
    Notification,
    Ruling,
    Sitting,
    Subscription,
    Tournament,
)
from tournaments.models.games import digest
from tournaments.models.notifications import notified_entrants
from tournaments.queries.state import seconds_left
from tournaments.services.emails import EmailText, write_emails
from tournaments.services.notifications.subscriptions import authorization, encrypt, is_push_service
from tournaments.services.webhooks.calling import CallAnswer, post, retry_delay
from tournaments.texts.labels import round_name

logger = logging.getLogger(__name__)

Post = Callable[[str, bytes, Mapping[str, str]], CallAnswer]

MOST_AT_ONCE = 8
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


Kind = Notification.Kind

LASTS = {
    Kind.SEATING: timedelta(hours=2),
    Kind.TIME: timedelta(minutes=5),
    Kind.RESULT: timedelta(days=1),
}
"""How long after it came about something is still told."""

MINUTES_BEFORE = 5
TOO_LATE = 2
"""Minutes before the end of a round at which its players are told, and at which no longer."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that holds for an entrant in a round since a moment.

    `first` tells whether it is told although nothing was told before.
    """

    sitting: Sitting
    kind: Kind
    value: str
    since: datetime
    title: Callable[[], str]
    first: bool = True


Results = Mapping[int, Sequence[Mapping[str, object] | None]]
"""The results of the games of each table, None while one goes on."""


def note_changes(at: datetime) -> None:
    """Store what is to be told to each subscriber (7 queries, and one for each new fact)."""
    entrants = notified_entrants(at).select_related("player", "partner")
    subscribers = _subscribers(entrants)
    if not subscribers:
        return
    sittings = Sitting.objects.filter(entrant__in=subscribers, round__published_at__isnull=False)
    rows = list(sittings.select_related("round", "table"))
    known = {
        (each.subscription_id, each.round_id, each.kind): each
        for each in Notification.objects.filter(
            subscription__in={each.pk for some in subscribers.values() for each in some}
        )
    }
    for fact in _facts(rows, at):
        for subscription in subscribers[fact.sitting.entrant_id]:
            last = known.get((subscription.pk, fact.sitting.round_id, fact.kind))
            # The end of a round is told again only after much time was added.
            if last is None:
                differs = True
            elif fact.kind is Kind.TIME:
                differs = int(fact.value) >= int(last.value) + MINUTES_BEFORE * 60
            else:
                differs = fact.value != last.value
            if differs:
                _store(fact, last, subscription, at)


def _subscribers(entrants: Iterable[Entrant]) -> Mapping[int, list[Subscription]]:
    accounts: dict[int, list[int]] = defaultdict(list)
    rows = list(entrants)
    for entrant in rows:
        for player in entrant.players:
            if player.account_id is not None:
                accounts[player.account_id].append(entrant.pk)
    found: dict[int, list[Subscription]] = defaultdict(list)
    about = Q(entrant__in=[row.pk for row in rows]) | Q(user__in=accounts)
    for each in Subscription.objects.filter(about) if rows else ():
        pks = [each.entrant_id] if each.entrant_id else accounts[each.user_id or 0]
        for pk in pks:
            found[pk].append(each)
    return found


def _store(fact: Fact, last: Notification | None, subscription: Subscription, at: datetime) -> None:
    """Store a fact as the last that was told; it waits to be sent if it is news."""
    in_time = subscription.created_at <= fact.since and at < fact.since + LASTS[fact.kind]
    is_news = last is not None or (fact.first and in_time)
    with translation.override(subscription.language or None):
        new = {
            "value": fact.value,
            "title": fact.title(),
            "next_at": at if is_news else None,
            "expires_at": at + LASTS[fact.kind],
            "tries": 0,
        }
    if last is None:
        # Another worker may have stored it meanwhile.
        row = Notification(
            subscription=subscription, round=fact.sitting.round, kind=fact.kind, **new
        )
        Notification.objects.bulk_create([row], ignore_conflicts=True)
    else:
        Notification.objects.filter(pk=last.pk, value=last.value).update(**new)


def _facts(sittings: Sequence[Sitting], at: datetime) -> Iterator[Fact]:
    results = _results(sittings)
    rulings: dict[tuple[int, int], list[object]] = defaultdict(list)
    rounds = {each.round_id for each in sittings}
    for ruling in Ruling.objects.filter(round__in=rounds, withdrawn_at=None):
        rulings[ruling.round_id, ruling.entrant_id].append([ruling.kind, ruling.points])
    for each in sittings:
        ruled = rulings[each.round_id, each.entrant_id]
        yield from _seating(each)
        if each.table is not None:
            yield from _time(each, results, at)
            yield from _result(each, results, ruled, at)


def _results(sittings: Sequence[Sitting]) -> Results:
    found: dict[int, list[Mapping[str, object] | None]] = defaultdict(list)
    tables = {each.table_id for each in sittings if each.table_id is not None}
    games = Game.objects.filter(table__in=tables).order_by("pk")
    for table, result in games.values_list("table", "result"):
        if table is not None:
            found[table].append(result)
    return found


def _seating(sitting: Sitting) -> Iterator[Fact]:
    round_, table = sitting.round, sitting.table
    if round_.closed_at or round_.published_at is None:
        return

    def title() -> str:
        named = {"round": round_name(round_), "table": table and table.number}
        if table is None:
            return _("%(round)s: you sit out") % named
        if round_.stage:
            return _("You are in the finals! %(round)s: table %(table)s") % named
        return _("%(round)s: table %(table)s") % named

    value = f"{round_.published_at.timestamp()} {table.number if table else 0}"
    yield Fact(sitting, Kind.SEATING, value, round_.published_at, title)


def _time(sitting: Sitting, results: Results, at: datetime) -> Iterator[Fact]:
    round_, table = sitting.round, sitting.table
    if table is None or not round_.is_open or round_.clock_started_at is None:
        return
    left = seconds_left(round_, at, table.extra_seconds) or 0
    plays = not all(results.get(table.pk, [None]))
    if not plays or not TOO_LATE * 60 < left <= MINUTES_BEFORE * 60:
        return
    minutes = -(-left // 60)
    whole = (round_.clock_seconds or 0) + table.extra_seconds

    def title() -> str:
        text = ngettext(
            "%(round)s: %(minutes)s minute left", "%(round)s: %(minutes)s minutes left", minutes
        )
        return text % {"round": round_name(round_), "minutes": minutes}

    yield Fact(sitting, Kind.TIME, str(whole), at, title)


def _result(
    sitting: Sitting, results: Results, ruled: Sequence[object], at: datetime
) -> Iterator[Fact]:
    """Yield the result of somebody; it is told only if another one stood before."""
    games = results.get(sitting.table_id or 0, [])
    if not games or sitting.side is None:
        return
    own: list[object] = []
    for result in games:
        if result is None:
            return
        for name in ("totals", "ranks"):
            values = result.get(name)
            own.append(values[sitting.side] if isinstance(values, list) else None)

    def title() -> str:
        return _("%(round)s: your result was corrected") % {"round": round_name(sitting.round)}

    value = digest(json.dumps([own, ruled]))
    yield Fact(sitting, Kind.RESULT, value, at, title, first=False)


def _send_some(send: Post, pool: ThreadPoolExecutor) -> bool:
    now = timezone.now()
    # A moment far ahead was set before the clock was set back.
    due = Q(next_at__lte=now) | Q(next_at__gt=now + max(WAITS) + CLAIMED_FOR)
    rows = Notification.objects.filter(due).select_related(
        "subscription__user", "round__event__tournament", "round__event__club"
    )
    claimed = [row for row in rows.order_by("next_at", "pk")[:MOST_AT_ONCE] if _claim(row, now)]
    helpful = []
    for row in claimed:
        is_on = row.round.published_at is not None and row.round.closed_at is None
        if now < row.expires_at and (is_on or row.kind == Notification.Kind.RESULT):
            helpful.append(row)
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
    most = Email.subject.field.max_length
    subject, body = f"{row.title} · {event.name}"[:most], "\n".join(lines) + "\n"
    text = EmailText(subject, body, end, row.expires_at)
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
    pause = retry_delay(answer.retry_after, now)
    wait = max(WAITS[min(row.tries, len(WAITS)) - 1], pause or WAITS[0])
    # Too late then: it ends before the next try.
    mine = Notification.objects.filter(pk=row.pk, next_at=row.next_at)
    mine.update(next_at=min(now + wait, max(row.expires_at, now)))
