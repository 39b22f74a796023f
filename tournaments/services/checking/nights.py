"""The nightly check: begun once a night, gone on with heap by heap, whoever dies meanwhile.

What was found is kept with how far it came, in one transaction. So a check that was left behind
is gone on with where it stood, and whoever was thought dead, and is not, keeps nothing more.
"""

import logging
import time
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from functools import partial

from django.db import transaction
from django.utils import timezone

from tournaments.models import Check, Difference
from tournaments.models.checks import CheckQuerySet
from tournaments.services.checking.all_caches import CACHES, RESULTS
from tournaments.services.checking.caches import Cache, Found, Looked
from tournaments.services.checking.notices import write_notices
from tournaments.services.nudges import nudge

log = logging.getLogger(__name__)

CHECK_TASK = "tournaments.tasks.sweep_checks"

HOUR = 4
"""At this hour by the clock on the wall even the last table has gone home."""

SLICE = timedelta(seconds=10)
"""After so long what else waits for the worker has its turn."""

MOST_FAILURES = 3
"""A cache that could not be looked at so many times in a row is passed over, and told."""

MOST_KEPT = 1000
"""So many differences of one cache are kept; of more, the number tells enough."""

NOT_LOOKED_AT = "not looked at"

ROWS_AT_ONCE = 200


def sweep_checks(at: datetime) -> None:
    """Begin the check of this night, if nobody has, and go on with what waits, for a while."""
    night = night_of(at)
    if not Check.objects.filter(night__gte=night).exists():
        _begin(night, at)
    for pk in Check.objects.awaiting_work(at).values_list("pk", flat=True):
        check = claim_check(pk, at)
        if check is not None:
            _go_on(check)


def _begin(night: date, at: datetime) -> None:
    """Begin a check, once; one that was not ended by now is given up for it."""
    with transaction.atomic():
        begin = {"cache": CACHES[0].name, "started_at": at, "touched_at": at}
        _check, begun = Check.objects.get_or_create(night=night, defaults=begin)
        if begun:
            late = Check.objects.filter(night__lt=night, finished_at=None)
            late.update(
                state=Check.State.FAILED, error="not ended by the next night", finished_at=at
            )


def night_of(at: datetime) -> date:
    """The night whose check is due at a moment: the last one whose hour has come."""
    return (timezone.localtime(at).replace(tzinfo=None) - timedelta(hours=HOUR)).date()


def claim_check(pk: int, at: datetime) -> Check | None:
    """Take a check to go on with; None where somebody else is at it, or it is done."""
    with transaction.atomic():
        check = Check.objects.select_for_update().awaiting_work(at).filter(pk=pk).first()
        if check is None:
            return None
        if check.state == Check.State.LOOKING:
            check.failures += 1
        check.state, check.touched_at = Check.State.LOOKING, at
        check.turn += 1
        if check.failures >= MOST_FAILURES:
            _pass_over(check, "its worker was lost", at)
        check.save()
    return check


def _go_on(check: Check) -> None:
    """Look at heap after heap until all is done, or others have waited long enough."""
    until = time.monotonic() + SLICE.total_seconds()
    going = _look_once(check)
    while going is not None and going.state == Check.State.LOOKING and time.monotonic() < until:
        going = _look_once(going)
    if _ours(check).update(state=Check.State.WAITING):
        nudge(CHECK_TASK)


def _look_once(check: Check) -> Check | None:
    """Look at the next heap; the check as it is then, None where it is no longer ours."""
    cache = next(each for each in CACHES if each.name == check.cache)
    try:
        looked = cache.look(check.after)
    # Whatever a row can do to whoever computes: the other caches are looked at all the same.
    except Exception as error:
        log.exception("%s could not be looked at", cache.name)
        return _keep(check, partial(_fail, reason=type(error).__name__))
    return _keep(check, partial(_keep_heap, cache=cache, looked=looked))


def _keep(check: Check, change: Callable[[Check, datetime], None]) -> Check | None:
    """Change a check and what belongs to it, unless somebody else has taken it meanwhile."""
    with transaction.atomic():
        row = _ours(check).select_for_update().first()
        if row is not None:
            row.touched_at = timezone.now()
            change(row, row.touched_at)
            row.save()
    return row


def _ours(check: Check) -> CheckQuerySet:
    return Check.objects.filter(pk=check.pk, turn=check.turn, state=Check.State.LOOKING)


def _keep_heap(row: Check, at: datetime, cache: Cache, looked: Looked) -> None:
    """Keep what a heap has shown, and where to go on."""
    _keep_differences(row, cache.name, looked.found, at)
    row.found += len(looked.found)
    row.rows += looked.rows
    row.games += looked.rows if cache.name == RESULTS else 0
    row.failures, row.after = 0, looked.last
    if looked.last is None:
        gone = Difference.objects.open().filter(cache=cache.name).exclude(seen_by=row)
        gone.update(resolved_at=at)
        _next_cache(row, at)


def _next_cache(row: Check, at: datetime) -> None:
    """Go on with the next cache; after the last one those concerned are told."""
    names = [cache.name for cache in CACHES]
    coming = names[names.index(row.cache) + 1 :]
    row.after = None
    if coming:
        row.cache = coming[0]
        return
    row.state = Check.State.FAILED if row.error else Check.State.DONE
    row.finished_at = at
    write_notices(row, at)


def _fail(row: Check, at: datetime, reason: str) -> None:
    """Count that a cache broke whoever looked at it."""
    row.failures += 1
    if row.failures >= MOST_FAILURES:
        _pass_over(row, reason, at)


def _pass_over(row: Check, reason: str, at: datetime) -> None:
    """Go on with the next cache: this one could not be looked at, which the server is told."""
    row.error, row.failures = f"{row.cache}: {reason}", 0
    broken = Found(None, NOT_LOOKED_AT, row.after, reason)
    _keep_differences(row, row.cache, [broken], at)
    _next_cache(row, at)


def _keep_differences(row: Check, cache: str, found: Sequence[Found], at: datetime) -> None:
    """Keep what differs: what is known already, once more, and what is new."""
    there = Difference.objects.open().filter(cache=cache)
    told = {each.subject: each for each in found}
    known = {each.subject: each for each in there.filter(subject__in=told)}
    for subject, old in known.items():
        new = told[subject]
        old.stored, old.computed, old.seen_by = new.stored, new.computed, row
    Difference.objects.bulk_update(
        known.values(), ["stored", "computed", "seen_by"], batch_size=ROWS_AT_ONCE
    )
    fresh = [each for each in told.values() if each.subject not in known]
    rows = (
        _new_difference(row, cache, each, at) for each in fresh[: max(0, MOST_KEPT - there.count())]
    )
    Difference.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)


def _new_difference(row: Check, cache: str, found: Found, at: datetime) -> Difference:
    return Difference(
        club_id=found.club,
        cache=cache,
        subject=found.subject,
        stored=found.stored,
        computed=found.computed,
        seen_by=row,
        first_at=at,
    )
