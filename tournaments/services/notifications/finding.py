"""Find what subscribers are to be told, from the state of their tournaments.

Each sweep compares what holds now with what was told last. So nothing depends on a message that is
lost, on a restart or on a clock that was set, and nothing is told twice.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.models import Entrant, Game, Notification, Ruling, Sitting, Subscription
from tournaments.models.games import digest
from tournaments.models.notifications import notified_entrants
from tournaments.services.rounds.running import seconds_left
from tournaments.texts.labels import round_name

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

    def is_news(self, last: Notification | None, subscription: Subscription, at: datetime) -> bool:
        if last is not None:
            return True
        in_time = subscription.created_at <= self.since and at < self.since + LASTS[self.kind]
        return self.first and in_time


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
            if last is None or _differs(fact, last.value):
                _store(fact, last, subscription, at)


def _subscribers(entrants: Iterable[Entrant]) -> Mapping[int, list[Subscription]]:
    """Return the subscriptions about each entrant (2 queries)."""
    accounts: dict[int, list[int]] = defaultdict(list)
    rows = list(entrants)
    for entrant in rows:
        for player in entrant.players:
            if player.account_id is not None:
                accounts[player.account_id].append(entrant.pk)
    found: dict[int, list[Subscription]] = defaultdict(list)
    about = Q(entrant__in=[each.pk for each in rows]) | Q(user__in=accounts)
    for each in Subscription.objects.filter(about) if rows else ():
        pks = [each.entrant_id] if each.entrant_id else accounts[each.user_id or 0]
        for pk in pks:
            found[pk].append(each)
    return found


def _store(fact: Fact, last: Notification | None, subscription: Subscription, at: datetime) -> None:
    """Store a fact as the last that was told; it waits to be sent if it is news."""
    with translation.override(subscription.language or None):
        new = {
            "value": fact.value,
            "title": fact.title(),
            "next_at": at if fact.is_news(last, subscription, at) else None,
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


def _differs(fact: Fact, told: str) -> bool:
    """Return whether a fact is another than the one told; of time only if much was added."""
    if fact.kind is Kind.TIME:
        return int(fact.value) >= int(told) + MINUTES_BEFORE * 60
    return fact.value != told


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
    """Return the results at the tables (1 query)."""
    found: dict[int, list[Mapping[str, object] | None]] = defaultdict(list)
    tables = {each.table_id for each in sittings if each.table_id is not None}
    games = Game.objects.filter(table__in=tables).order_by("pk")
    for table, result in games.values_list("table", "result"):
        if table is not None:
            found[table].append(result)
    return found


def _seating(sitting: Sitting) -> Iterator[Fact]:
    """Yield where somebody sits in a round that is not over."""
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
    """Yield that a round is almost over, at a table that still plays."""
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
        said = ngettext(
            "%(round)s: %(minutes)s minute left", "%(round)s: %(minutes)s minutes left", minutes
        )
        return said % {"round": round_name(round_), "minutes": minutes}

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
