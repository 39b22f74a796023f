"""Building a report once, whatever happens to who builds it: claims, signs of life, the file."""

import errno
import logging
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.db import IntegrityError, transaction
from django.utils import timezone

from tournaments.models import Report
from tournaments.models.reports import (
    GIVEN_UP_AFTER,
    MOST_ATTEMPTS,
    WHOLE_WHEN_ASKED,
    ReportQuerySet,
)
from tournaments.services.documents.reporting import WORKSHOPS, is_kept, release_twins

log = logging.getLogger(__name__)

SIGN_EVERY = 0.5
"""Seconds between two signs of life of one step; each is a write."""

LOST, FULL = "lost", "full"
"""The reasons of a report whose workers were all killed, and of one that found no room on the disk;
other reasons are errors, in a line."""


NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


class NotOurs(Exception):
    """The report was cancelled, thrown away or given to another worker: nothing more to do."""


def claim_report(pk: int, at: datetime) -> Report | None:
    """Take a report to build; None when it is done, or someone else is building it."""
    with transaction.atomic():
        rows = Report.objects.select_for_update(of=("self",)).awaiting_build(at)
        report = rows.filter(pk=pk).first()
        if report is None:
            return None
        if report.attempts >= MOST_ATTEMPTS:
            _fail(report, LOST, at)
            return None
        report.state, report.step = Report.State.BUILDING, Report.Step.READING
        report.done = report.total = 0
        report.same_as = None
        if report.kind not in WHOLE_WHEN_ASKED:
            report.content_key = None
        report.builder = secrets.token_hex(16)
        report.attempts += 1
        report.touched_at = at
        report.save()
        return report


@dataclass(slots=True)
class Progress:
    """Says how far the building of a claimed report is, which is also a sign of life."""

    report: Report
    step: Report.Step = Report.Step.READING
    said_at: float = field(default_factory=time.monotonic)

    def __call__(self, step: Report.Step, done: int = 0, total: int = 0) -> None:
        """Say what is done of a step; most calls cost nothing.

        Raises:
            NotOurs: the building is to stop.
        """
        now = time.monotonic()
        if step == self.step and now - self.said_at < SIGN_EVERY:
            return
        self.step, self.said_at = step, now
        told = {"step": step, "done": done, "total": total, "touched_at": timezone.now()}
        if not _ours(self.report).update(**told):
            raise NotOurs


def hold_content(report: Report, content_key: str, at: datetime) -> bool:
    """Say what went into a claimed report; False where the same content is there, or on its way.

    Then the report has its file already, or gets it when the other one is done.

    Raises:
        NotOurs: the building is to stop.
    """
    if report.content_key is not None:
        # Whole when it was asked for.
        return True
    try:
        return _hold_content(report, content_key, at)
    except IntegrityError:
        # Another worker said the same at the same moment, and holds it now.
        return _hold_content(report, content_key, at)


def _hold_content(report: Report, content_key: str, at: datetime) -> bool:
    with transaction.atomic():
        same = Report.objects.select_for_update(of=("self",)).filter(content_key=content_key)
        holder = same.first()
        if holder is None or _is_over(holder, at):
            if holder is not None:
                # Only the one that is locked: another may hold it since it was looked for.
                Report.objects.filter(pk=holder.pk).update(content_key=None)
            if not _ours(report).update(content_key=content_key):
                raise NotOurs
            report.content_key = content_key
            return True
        if holder.state == Report.State.DONE:
            _done(report, holder.file.name or "", at)
        elif not _ours(report).update(same_as=holder, touched_at=at):
            raise NotOurs
        return False


def _is_over(holder: Report, at: datetime) -> bool:
    """Whether nothing can be had from the report that holds a content."""
    if holder.state == Report.State.DONE:
        return not is_kept(holder)
    heard = abs(at - holder.touched_at) <= GIVEN_UP_AFTER
    alive = holder.state == Report.State.BUILDING and heard
    return not alive


def finish_report(report: Report, document: Path, at: datetime) -> None:
    """Keep the finished document, also for those that asked for the same.

    A second one of the same report is thrown away, and so is one that nobody wants any more.
    """
    with transaction.atomic():
        row = Report.objects.select_for_update(of=("self",)).filter(pk=report.pk).first()
        if row is None or row.builder != report.builder or row.state != Report.State.BUILDING:
            return
        # A name of its own for each building: a worker that died while writing left half a file.
        name = f"{row.content_key}-{row.builder[:8]}.{row.format}"
        with document.open("rb") as file:
            row.file.save(name, File(file), save=False)
        name = row.file.name or ""
        for twin in row.twins.select_for_update().filter(state=Report.State.BUILDING):
            _done(twin, name, at)
        _done(row, name, at)


@contextmanager
def workshop(report: Report) -> Iterator[Path]:
    """A folder in which a claimed report is made; what a killed worker leaves is cleared away."""
    folder = Path(settings.MEDIA_ROOT) / WORKSHOPS / report.builder
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def retry_report(report: Report, error: Exception, at: datetime) -> None:
    """Put a report back into the queue after an error, or give it up after too many."""
    log.error("report %s failed at attempt %s", report.pk, report.attempts, exc_info=error)
    if report.attempts >= MOST_ATTEMPTS:
        _fail(report, _reason(error), at)
    else:
        _ours(report).update(state=Report.State.WAITING, touched_at=at)


def _ours(report: Report) -> ReportQuerySet:
    """The row of a report, as long as it is ours to build."""
    return Report.objects.filter(pk=report.pk, builder=report.builder, state=Report.State.BUILDING)


def _done(report: Report, name: str, at: datetime) -> None:
    rows = _ours(report)
    rows.update(state=Report.State.DONE, file=name, same_as=None, error="", touched_at=at)


def _fail(report: Report, reason: str, at: datetime) -> None:
    with transaction.atomic():
        building = Report.objects.filter(pk=report.pk).exclude(state=Report.State.DONE)
        building.update(state=Report.State.FAILED, error=reason, touched_at=at)
        release_twins(report, at)


def _reason(error: Exception) -> str:
    """An error in a line for the page, without the paths of this machine."""
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return FULL
    text = error.strerror if isinstance(error, OSError) else str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}"[:200]
