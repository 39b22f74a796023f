"""Celery tasks: thin, and safe to run twice; what waits is found in the database."""

from celery import shared_task
from django.core.management import call_command
from django.utils import timezone, translation

from tournaments.models import Report
from tournaments.reports import documents
from tournaments.services import rating_calls, ratings, reporting

MOST_AT_ONCE = 200
"""A sweep leaves the rest to the next one rather than fill the broker."""


@shared_task(name=reporting.BUILD_TASK, time_limit=60)
def build_report(pk: int) -> None:
    """Build a report, unless it is done or someone else is building it."""
    report = reporting.claim_report(pk, timezone.now())
    if report is None:
        return
    try:
        with translation.override(report.language):
            sheet = documents.compose(report)
        reporting.advance_report(report, Report.Step.SETTING, timezone.now())
        document = documents.typeset(*sheet)
        reporting.advance_report(report, Report.Step.KEEPING, timezone.now())
        reporting.finish_report(report, document, timezone.now())
    # Whatever went wrong is the report's, not the worker's: it is tried again or given up.
    except Exception as error:  # noqa: BLE001
        reporting.retry_report(report, error, timezone.now())


@shared_task(name="tournaments.tasks.sweep_reports")
def sweep_reports() -> None:
    """Wake a worker for every report that waits: its message was lost, or its worker."""
    waiting = Report.objects.awaiting_build(timezone.now()).order_by("asked_at")
    for pk in waiting.values_list("pk", flat=True)[:MOST_AT_ONCE]:
        build_report.delay(pk)


@shared_task(name=rating_calls.RATE_TASK)
def sweep_ratings() -> None:
    """Compute the ratings that results have changed."""
    ratings.sweep_ratings()


@shared_task(name="tournaments.tasks.sweep_sessions")
def sweep_sessions() -> None:
    """Forget the sessions that are over."""
    call_command("clearsessions")
