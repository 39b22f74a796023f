"""Documents: asked for, queued, built, kept and forgotten."""

import errno
import hashlib
import json
import logging
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import File
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from tournaments.models import Club, Email, Event, Game, OpenTable, Player, Report, User
from tournaments.models.clubs import Paper
from tournaments.models.reports import (
    BLANK,
    FULL,
    GIVEN_UP_AFTER,
    KEPT_FOR,
    LAYOUT,
    LOST,
    MOST_ATTEMPTS,
    WHOLE_WHEN_ASKED,
    ReportQuerySet,
)
from tournaments.queries.sheets import load_sheet
from tournaments.services.base.writes import wake_worker

WORKSHOPS = "building"
"""Subfolder of the stored files: one folder for each report being built."""

BUILD_TASK = "tournaments.tasks.build_report"

ABOUT_TO_EXPIRE = timedelta(days=1)
"""The rest of its time in which a picture that is asked for is kept longer."""

LEFT_BEHIND_AFTER = timedelta(hours=1)
"""The age after which a file without a report is not just being stored."""


@dataclass(frozen=True, slots=True)
class DocumentForm:
    """The form of a document: language, paper and file type."""

    language: str
    paper: str
    format: Report.Format = Report.Format.PDF


def request_scoresheet(  # noqa: PLR0913 - of which game, and each way it can be made
    row: Game,
    *,
    language: str,
    follow_url: str,
    paper: str = Paper.A4,
    made_as: Report.Format = Report.Format.PDF,
    at: datetime,
) -> Report:
    """Request the scoresheet of a game as it is now; one already built is returned at once.

    `follow_url` is the absolute URL in the sheet's QR code.
    """
    with transaction.atomic():
        _read_names(row)
        parameters = {
            "record": load_sheet(row).record,
            "follow_url": follow_url.replace(row.secret("follow"), BLANK),
            "follow_generation": row.follow_generation,
        }
        form = DocumentForm(language, paper, made_as)
        return _request_once(Report.Kind.SCORESHEET, row, parameters, form, at)


def request_picture(row: Game, *, wide: bool, language: str, at: datetime) -> Report:
    """Request the picture of a game as it is now; one that is kept is found without writing."""
    kind, form = Report.Kind.PICTURE, DocumentForm(language, Paper.A4, Report.Format.PNG)
    report = _stored_report(_key_once(kind, row, _pictured(row, wide=wide), form), at)
    if report is None:
        with transaction.atomic():
            _read_names(row)
            report = _request_once(kind, row, _pictured(row, wide=wide), form, at)
    return report


def request_standings_picture(
    event: Event, version: Sequence[object], *, language: str, at: datetime
) -> Report:
    """Request the picture of the standings that visitors see; `version` changes with them.

    The standings are read when it is built.
    """
    form = DocumentForm(language, Paper.A4, Report.Format.PNG)
    content_key = key_of([Report.Kind.PICTURE, event.pk, list(version), *astuple(form)])
    report = _stored_report(content_key, at)
    if report is None:
        belongings = {
            "kind": Report.Kind.PICTURE,
            "audience": Report.Audience.VISITORS,
            **_belongings(event),
            **asdict(form),
        }
        with transaction.atomic():
            report = _only_report(content_key, belongings, at)
    return report


def _pictured(row: Game, *, wide: bool) -> dict[str, Any]:
    return {"record": load_sheet(row).record, "wide": wide}


def _read_names(row: Game) -> None:
    """Read the names as they are now, so that no new document keeps a removed name.

    The game stays locked until the report is stored, so that a removal finds it.
    """
    now = Game.objects.select_for_update(no_key=True).filter(pk=row.pk, table__isnull=False)
    for players in now.values_list("players", flat=True):
        row.players = players


def request_empty_sheet(
    ruleset: str,
    *,
    language: str,
    paper: str = Paper.A4,
    kind: Report.Kind = Report.Kind.EMPTY_SHEET,
    at: datetime,
) -> Report:
    """Request an empty sheet of a ruleset, to print and fill in by hand, or then to photograph."""
    parameters = {"ruleset": ruleset}
    return _request_once(kind, None, parameters, DocumentForm(language, paper), at)


@dataclass(frozen=True, slots=True)
class Order:
    """A request for a document of an event, a player, a club or a game: subject, form, requester.

    The document of a game is the evening of its open table.

    `parameters` holds further parameters (number of a round, key of a season, host for QR codes),
    but no secret.
    """

    kind: Report.Kind
    subject: Event | Player | Club | Game
    audience: Report.Audience
    language: str
    format: Report.Format = Report.Format.PDF
    paper: str = Paper.A4
    parameters: dict[str, Any] = field(default_factory=dict)
    asked_by: User | None = None


def request_document(order: Order, at: datetime) -> Report:
    """Request a document, built from the data at building time.

    An equal request that no worker has begun is the same report.
    """
    fields = {
        "kind": order.kind,
        "format": order.format,
        "language": order.language,
        "paper": order.paper,
        "audience": order.audience,
        "parameters": order.parameters,
        "asked_by": order.asked_by,
        **_belongings(order.subject),
    }
    with transaction.atomic():
        waiting = Report.objects.filter(**fields, state=Report.State.WAITING, attempts=0)
        report = waiting.order_by("pk").first()
        if report is None:
            report = Report.objects.create(
                **fields, asked_at=at, touched_at=at, expires_at=at + KEPT_FOR
            )
            transaction.on_commit(partial(wake_worker, BUILD_TASK, report.pk))
        return report


def _belongings(subject: Event | Player | Club | Game) -> dict[str, Any]:
    if isinstance(subject, Game):
        return {"game": subject, "club": None, "event": None, "player": None}
    if isinstance(subject, Club):
        return {"club": subject, "event": None, "player": None}
    if isinstance(subject, Event):
        return {"club": subject.club, "event": subject, "player": None}
    return {"club": subject.club, "event": None, "player": subject}


def try_again(report: Report, at: datetime) -> None:
    """Requeue a report that failed, was cancelled, or lost its file."""
    given_up = [Report.State.FAILED, Report.State.CANCELLED]
    if report.state == Report.State.DONE and not is_stored(report):
        given_up.append(Report.State.DONE)
    _requeue(Report.objects.filter(pk=report.pk, state__in=given_up), report.pk, at)


def cancel_report(report: Report, at: datetime) -> None:
    """Cancel a report that is not done; its worker stops at the next step."""
    with transaction.atomic():
        going = (Report.State.WAITING, Report.State.BUILDING)
        rows = Report.objects.filter(pk=report.pk, state__in=going)
        if rows.update(state=Report.State.CANCELLED, same_as=None, touched_at=at):
            release_twins(report, at)


def release_twins(report: Report, at: datetime) -> None:
    """Let reports that waited for the file of this one build it themselves."""
    twins = report.twins.filter(state=Report.State.BUILDING)
    for pk in list(twins.values_list("pk", flat=True)):
        _requeue(Report.objects.filter(pk=pk), pk, at)


def remake_documents(club: Club, at: datetime) -> None:
    """Delete the documents of a club, since they may contain a name to be removed.

    Builds in progress start again. Call it in the transaction that removes the name.
    """
    _remake(club.pk, at)
    # Again after the commit: until then a worker may have read the old name.
    transaction.on_commit(partial(_remake, club.pk, at))


def _remake(club: int, at: datetime) -> None:
    with transaction.atomic():
        adopted = OpenTable.objects.filter(games__table__round__event__club=club)
        kinds = (Report.Kind.EVENING, Report.Kind.PICTURE)
        evenings = Q(kind__in=kinds, game__open_table__in=adopted)
        reports = Report.objects.filter(Q(club=club) | evenings)
        building = reports.filter(state=Report.State.BUILDING)
        for pk in list(building.values_list("pk", flat=True)):
            _requeue(Report.objects.filter(pk=pk), pk, at)
        done = reports.filter(state=Report.State.DONE)
        for report in done.filter(emails__in=Email.objects.filter(sent_at=None)).distinct():
            # E-mails wait for it: it is built again, without its old content.
            name, storage = report.file.name or "", report.file.storage
            _requeue(Report.objects.filter(pk=report.pk), report.pk, at)
            Report.objects.filter(pk=report.pk).update(file="")
            transaction.on_commit(partial(_delete_file, name, storage))
        throw_away(done)
    transaction.on_commit(clear_workshops)


def throw_away(reports: ReportQuerySet) -> int:
    """Delete reports with the data they were built from, and return their number.

    Their files are deleted after the commit.
    """
    rows = list(reports)
    Report.objects.filter(pk__in=[row.pk for row in rows]).delete()
    for name, file in {row.file.name or "": row.file for row in rows if row.file}.items():
        transaction.on_commit(partial(_delete_file, name, file.storage))
    return len(rows)


def _delete_file(name: str, storage: Any) -> None:
    """Delete a file, unless another report with the same content still uses it."""
    if not Report.objects.filter(file=name).exists():
        storage.delete(name)


def expire_reports(at: datetime) -> int:
    """Delete expired reports, and files without a report; return the number of reports."""
    with transaction.atomic():
        rows = Report.objects.select_for_update(of=("self",)).expired(at)
        count = throw_away(rows)
    clear_workshops()
    storage, folder = Report.file.field.storage, "reports"
    if not storage.exists(folder):
        return count
    old = [
        name
        for name in (f"{folder}/{file}" for file in storage.listdir(folder)[1])
        if storage.get_modified_time(name) < at - LEFT_BEHIND_AFTER
    ]
    # Queried after the files were listed: a report cannot take over a file that has none.
    known = set(Report.objects.exclude(file="").values_list("file", flat=True))
    for name in old:
        if name not in known:
            storage.delete(name)
    return count


def clear_workshops() -> None:
    """Delete build folders without a worker, since they contain names."""
    place = Path(settings.MEDIA_ROOT) / WORKSHOPS
    folders = {folder.name: folder for folder in place.glob("*")}
    # Queried after listing the folders: a later build has a new folder.
    building = Report.objects.filter(state=Report.State.BUILDING, builder__in=folders)
    for name in folders.keys() - set(building.values_list("builder", flat=True)):
        shutil.rmtree(folders[name], ignore_errors=True)


def _request_once(
    kind: Report.Kind,
    row: Game | None,
    parameters: dict[str, Any],
    form: DocumentForm,
    at: datetime,
) -> Report:
    """Request a document whose content is fully known, so that there is one report of it."""
    content_key = _key_once(kind, row, parameters, form)
    belongings = {"kind": kind, "game": row, "parameters": parameters, **asdict(form)}
    return _only_report(content_key, belongings, at)


def _only_report(content_key: str, belongings: dict[str, Any], at: datetime) -> Report:
    report, created = Report.objects.get_or_create(
        content_key=content_key,
        defaults={**belongings, "asked_at": at, "touched_at": at, "expires_at": at + KEPT_FOR},
    )
    if created:
        transaction.on_commit(partial(wake_worker, BUILD_TASK, report.pk))
        return report
    Report.objects.filter(pk=report.pk).update(expires_at=at + KEPT_FOR)
    gone = report.state == Report.State.DONE and not is_stored(report)
    if gone or report.state == Report.State.CANCELLED:
        _requeue(Report.objects.filter(pk=report.pk, state=report.state), report.pk, at)
    report.refresh_from_db()
    return report


def _stored_report(content_key: str, at: datetime) -> Report | None:
    """Return the report of a content that is being built or kept; None if it must be requested."""
    report = Report.objects.unexpired(at + ABOUT_TO_EXPIRE).filter(content_key=content_key).first()
    if report is None or report.state == Report.State.CANCELLED:
        return None
    gone = report.state == Report.State.DONE and not is_stored(report)
    return None if gone else report


def _key_once(
    kind: Report.Kind, row: Game | None, parameters: dict[str, Any], form: DocumentForm
) -> str:
    return key_of([kind, row and row.pk, parameters, *astuple(form)])


def key_of(content: Any) -> str:
    """Return a digest of everything that goes into a document."""
    return hashlib.sha256(json.dumps([content, LAYOUT], sort_keys=True).encode()).hexdigest()


def is_stored(report: Report) -> bool:
    """Return whether the file still exists; folders get lost when machines move."""
    storage, name = report.file.storage, report.file.name or ""
    return bool(name) and storage.exists(name) and storage.size(name) > 0


def _requeue(rows: ReportQuerySet, pk: int, at: datetime) -> None:
    fresh = {"state": Report.State.WAITING, "step": 0, "done": 0, "total": 0, "same_as": None}
    if rows.update(**fresh, attempts=0, error="", touched_at=at):
        transaction.on_commit(partial(wake_worker, BUILD_TASK, pk))


log = logging.getLogger(__name__)

SIGN_EVERY = 0.5
"""Seconds between two heartbeats of one step; each is a database write."""


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


class BuildProgress:
    def __init__(self, report: Report) -> None:
        self.report, self.step = report, Report.Step.READING
        self.noted_at = time.monotonic()

    def __call__(self, step: Report.Step, done: int = 0, total: int = 0) -> None:
        """Note the progress of a step; most calls do not touch the database.

        Raises: NotOurs: stop building.
        """
        now = time.monotonic()
        if step == self.step and now - self.noted_at < SIGN_EVERY:
            return
        self.step, self.noted_at = step, now
        details = {"step": step, "done": done, "total": total, "touched_at": timezone.now()}
        if not _ours(self.report).update(**details):
            raise NotOurs


def hold_content(report: Report, content_key: str, at: datetime) -> bool:
    """Note the content key of a claimed report; False if another report has or builds that content.

    In that case the report has its file already, or gets it from the other one.

    Raises: NotOurs: stop building.
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
    if holder.state == Report.State.DONE:
        return not is_stored(holder)
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
        name = f"{row.content_key}-{row.builder[:8]}{document.suffix}"
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
