"""Build a report once, even if workers die: claims, heartbeats, the file."""

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
"""Seconds between two heartbeats of one step; each is a database write."""

LOST, FULL = "lost", "full"
"""Failure reasons of reports whose workers were all killed, and of a full disk; other reasons are
errors, in one line.
"""


NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


class NotOurs(Exception):
    """The report was cancelled, deleted or given to another worker: stop."""


def claim_report(pk: int, at: datetime) -> Report | None:
    """Claim a report to build; None if it is done or another worker builds it."""
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
class BuildProgress:
    """Reports the progress of a claimed report, which is also its heartbeat."""

    report: Report
    step: Report.Step = Report.Step.READING
    said_at: float = field(default_factory=time.monotonic)

    def __call__(self, step: Report.Step, done: int = 0, total: int = 0) -> None:
        """Note the progress of a step; most calls do not touch the database.

        Raises:
            NotOurs: stop building.
        """
        now = time.monotonic()
        if step == self.step and now - self.said_at < SIGN_EVERY:
            return
        self.step, self.said_at = step, now
        details = {"step": step, "done": done, "total": total, "touched_at": timezone.now()}
        if not _ours(self.report).update(**details):
            raise NotOurs


def hold_content(report: Report, content_key: str, at: datetime) -> bool:
    """Note the content key of a claimed report; False if another report has or builds that content.

    In that case the report has its file already, or gets it from the other one.

    Raises:
        NotOurs: stop building.
    """
    if report.content_key is not None:
        # The content was complete when it was requested.
        return True
    try:
        return _hold_content(report, content_key, at)
    except IntegrityError:
        # Another worker stored the same key at the same moment and holds it now.
        return _hold_content(report, content_key, at)


def _hold_content(report: Report, content_key: str, at: datetime) -> bool:
    with transaction.atomic():
        same = Report.objects.select_for_update(of=("self",)).filter(content_key=content_key)
        holder = same.first()
        if holder is None or _is_over(holder, at):
            if holder is not None:
                # Only the locked one: another report may hold it since the lookup.
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
    """Return whether the report that holds a content will not deliver it."""
    if holder.state == Report.State.DONE:
        return not is_kept(holder)
    heard = abs(at - holder.touched_at) <= GIVEN_UP_AFTER
    alive = holder.state == Report.State.BUILDING and heard
    return not alive


def finish_report(report: Report, document: Path, at: datetime) -> None:
    """Store the finished document, also for reports that wait for the same content.

    A second document of one report is deleted, and so is one nobody wants any more.
    """
    with transaction.atomic():
        row = Report.objects.select_for_update(of=("self",)).filter(pk=report.pk).first()
        if row is None or row.builder != report.builder or row.state != Report.State.BUILDING:
            return
        # Each build has its own name: a worker that died while writing left a partial file.
        name = f"{row.content_key}-{row.builder[:8]}.{row.format}"
        with document.open("rb") as file:
            row.file.save(name, File(file), save=False)
        name = row.file.name or ""
        for twin in row.twins.select_for_update().filter(state=Report.State.BUILDING):
            _done(twin, name, at)
        _done(row, name, at)


@contextmanager
def workshop(report: Report) -> Iterator[Path]:
    """Yield a folder for building a claimed report; leftovers of killed workers are deleted."""
    folder = Path(settings.MEDIA_ROOT) / WORKSHOPS / report.builder
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def retry_report(report: Report, error: Exception, at: datetime) -> None:
    """Requeue a report after an error, or mark it failed after too many."""
    log.error("report %s failed at attempt %s", report.pk, report.attempts, exc_info=error)
    if report.attempts >= MOST_ATTEMPTS:
        _fail(report, _reason(error), at)
    else:
        _ours(report).update(state=Report.State.WAITING, touched_at=at)


def _ours(report: Report) -> ReportQuerySet:
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
    """Return an error as one line for the page, without paths of this machine."""
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return FULL
    text = error.strerror if isinstance(error, OSError) else str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}"[:200]
