"""Asking for documents and building them once: the report row is the queue."""

import hashlib
import json
import logging
from datetime import datetime
from functools import partial
from typing import Any

from django.core.files.base import ContentFile
from django.db import transaction

from tournaments.models import Game, Report
from tournaments.models.reports import BLANK, LAYOUT, MOST_ATTEMPTS, ReportQuerySet
from tournaments.queries import fold_sheet
from tournaments.services.nudges import nudge

log = logging.getLogger(__name__)

BUILD_TASK = "tournaments.tasks.build_report"


def request_scoresheet(row: Game, *, language: str, follow_url: str, at: datetime) -> Report:
    """Ask for the scoresheet of a game as it stands; one already built is given at once.

    `follow_url` is the whole address the sheet's QR code shows.
    """
    # Not what was written after the row was read: head and entries must be of one revision.
    writes = row.writes.filter(revision__lte=row.revision).order_by("revision")
    with transaction.atomic():
        _read_names(row)
        parameters = {
            "record": fold_sheet(row, tuple(writes)).record,
            "follow_url": follow_url.replace(row.secret("follow"), BLANK),
            "follow_generation": row.follow_generation,
        }
        return _request(Report.Kind.SCORESHEET, row, parameters, language, at)


def _read_names(row: Game) -> None:
    """Take the names as they are now: a name removed meanwhile is kept in no new document.

    The game stays locked until the report is stored, so that a removal finds it.
    """
    now = Game.objects.select_for_update(no_key=True).filter(pk=row.pk, table__isnull=False)
    for players in now.values_list("players", flat=True):
        row.players = players


def request_empty_sheet(ruleset: str, *, language: str, at: datetime) -> Report:
    """Ask for an empty sheet of a ruleset, to print and fill in by hand."""
    return _request(Report.Kind.EMPTY_SHEET, None, {"ruleset": ruleset}, language, at)


def claim_report(pk: int, at: datetime) -> Report | None:
    """Take a report to build; None when it is done, or someone else is building it."""
    with transaction.atomic():
        report = Report.objects.select_for_update().awaiting_build(at).filter(pk=pk).first()
        if report is None:
            return None
        if report.attempts >= MOST_ATTEMPTS:
            _fail(report, "its worker was lost", at)
            return None
        report.state, report.step = Report.State.BUILDING, Report.Step.READING
        report.attempts += 1
        report.touched_at = at
        report.save(update_fields=["state", "step", "attempts", "touched_at"])
        return report


def advance_report(report: Report, step: Report.Step, at: datetime) -> None:
    """Say how far the building is, which is also a sign of life."""
    building = Report.objects.filter(pk=report.pk, state=Report.State.BUILDING)
    building.update(step=step, touched_at=at)


def finish_report(report: Report, document: bytes, at: datetime) -> None:
    """Keep the finished document; a second one of the same report is thrown away."""
    with transaction.atomic():
        row = Report.objects.select_for_update().filter(pk=report.pk).first()
        if row is None or row.state == Report.State.DONE:
            return
        # A worker that died while writing has left half a file under the same name.
        name = f"{row.content_key}.pdf"
        row.file.storage.delete(row.file.field.generate_filename(row, name))
        row.file.save(name, ContentFile(document), save=False)
        row.state, row.touched_at, row.error = Report.State.DONE, at, ""
        row.save()


def retry_report(report: Report, error: Exception, at: datetime) -> None:
    """Put a report back into the queue after an error, or give it up after too many."""
    log.error("report %s failed at attempt %s", report.pk, report.attempts, exc_info=error)
    if report.attempts >= MOST_ATTEMPTS:
        _fail(report, _reason(error), at)
    else:
        building = Report.objects.filter(pk=report.pk, state=Report.State.BUILDING)
        building.update(state=Report.State.WAITING, touched_at=at)


def try_again(report: Report, at: datetime) -> None:
    """Put a failed report back into the queue."""
    _requeue(Report.objects.filter(pk=report.pk, state=Report.State.FAILED), report.pk, at)


def _request(
    kind: Report.Kind, row: Game | None, parameters: dict[str, Any], language: str, at: datetime
) -> Report:
    made_of = [kind, row and row.pk, parameters, language, LAYOUT]
    content_key = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()
    report, created = Report.objects.get_or_create(
        content_key=content_key,
        defaults={
            "kind": kind,
            "game": row,
            "parameters": parameters,
            "language": language,
            "asked_at": at,
            "touched_at": at,
        },
    )
    if created:
        transaction.on_commit(partial(nudge, BUILD_TASK, report.pk))
    elif report.state == Report.State.DONE and not _is_kept(report):
        _requeue(Report.objects.filter(pk=report.pk, state=Report.State.DONE), report.pk, at)
        report.refresh_from_db()
    return report


def _is_kept(report: Report) -> bool:
    """Whether the document is still where it was put; folders get lost when machines move."""
    storage, name = report.file.storage, report.file.name or ""
    return bool(name) and storage.exists(name) and storage.size(name) > 0


def _requeue(rows: ReportQuerySet, pk: int, at: datetime) -> None:
    """Have the report built from the start."""
    waiting = Report.State.WAITING
    if rows.update(state=waiting, step=0, attempts=0, error="", touched_at=at):
        transaction.on_commit(partial(nudge, BUILD_TASK, pk))


def _fail(report: Report, reason: str, at: datetime) -> None:
    building = Report.objects.filter(pk=report.pk).exclude(state=Report.State.DONE)
    building.update(state=Report.State.FAILED, error=reason, touched_at=at)


def _reason(error: Exception) -> str:
    """An error in a line for the page, without the paths of this machine."""
    text = error.strerror if isinstance(error, OSError) else str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}"[:200]
