"""The nightly check: compare every cache, store the differences, notify those concerned."""

import logging
from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from tournaments.models import Check, Difference
from tournaments.services.checks.all_caches import CACHES, RESULTS
from tournaments.services.checks.caches import Cache, Mismatch
from tournaments.services.checks.digests import seal_what_is_missing
from tournaments.services.checks.notices import write_notices

log = logging.getLogger(__name__)

HOUR = 4
"""The hour in local time when even the last table has finished."""

LOST_AFTER = timedelta(hours=1)
"""A check that is unfinished after this time is started again: its worker died."""

MOST_KEPT = 1000
"""Maximum number of stored differences per cache; beyond it the count is enough."""

NOT_LOOKED_AT = "not looked at"

ROWS_AT_ONCE = 200


def sweep_checks(at: datetime) -> bool:
    """Run tonight's check, unless it is done or another worker runs it; return whether it ran."""
    check = claim_check(night_of(at), at)
    if check is not None:
        seal_what_is_missing()
        for cache in CACHES:
            _run(check, cache)
        with transaction.atomic():
            check.finished_at = timezone.now()
            check.save()
            write_notices(check, check.finished_at)
    return check is not None


def night_of(at: datetime) -> date:
    """Return the night whose check is due: the last one whose hour has come."""
    return (timezone.localtime(at).replace(tzinfo=None) - timedelta(hours=HOUR)).date()


def claim_check(night: date, at: datetime) -> Check | None:
    """Begin the check of a night; None if it is done or another worker runs it.

    A check that is still unfinished the next night is replaced by that night's.
    """
    with transaction.atomic():
        check, begun = Check.objects.get_or_create(night=night, defaults={"started_at": at})
        if begun:
            late = Check.objects.filter(night__lt=night, finished_at=None)
            late.update(error="not ended by the next night", finished_at=at)
            return check
        rows = Check.objects.filter(pk=check.pk, finished_at=None)
        # If the clock was set back, the start lies in the future.
        lost = rows.exclude(started_at__range=(at - LOST_AFTER, at + LOST_AFTER))
        check.started_at = at
        return check if lost.update(started_at=at) else None


def _run(check: Check, cache: Cache) -> None:
    """Compare a cache batch by batch; at the end close differences that are gone."""
    subjects: set[str] = set()
    try:
        for looked in cache.look():
            subjects |= {each.subject for each in looked.found}
            _keep_differences(cache.name, looked.found)
            check.found += len(looked.found)
            check.rows += looked.rows
            check.games += looked.rows if cache.name == RESULTS else 0
    except (InterfaceError, OperationalError):
        # The database is away: another worker will start again.
        raise
    # Any row may break a computation; the other caches are still compared.
    except Exception as error:
        log.exception("%s could not be looked at", cache.name)
        check.error = f"{cache.name}: {type(error).__name__}"
        _keep_differences(cache.name, [Mismatch(None, NOT_LOOKED_AT, None, type(error).__name__)])
    else:
        close_repaired(cache, subjects, timezone.now())


def close_repaired(cache: Cache, subjects: Collection[str], at: datetime) -> None:
    """Close the differences of a cache, except those with these subjects."""
    kept = Difference.objects.open().filter(cache=cache.name).values_list("pk", "subject")
    gone = [pk for pk, subject in kept if subject not in subjects]
    Difference.objects.filter(pk__in=gone).update(resolved_at=at)


def _keep_differences(cache: str, found: Sequence[Mismatch]) -> None:
    """Store differences: update known ones, add new ones."""
    there = Difference.objects.open().filter(cache=cache)
    new = {each.subject: each for each in found}
    known = list(there.filter(subject__in=new))
    for old in known:
        each = new.pop(old.subject)
        old.stored, old.computed = each.stored, each.computed
    Difference.objects.bulk_update(known, ["stored", "computed"], batch_size=ROWS_AT_ONCE)
    fresh = list(new.values())[: max(0, MOST_KEPT - there.count())]
    rows = (
        Difference(
            club_id=each.club,
            cache=cache,
            subject=each.subject,
            stored=each.stored,
            computed=each.computed,
            first_at=timezone.now(),
        )
        for each in fresh
    )
    Difference.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE, ignore_conflicts=True)
