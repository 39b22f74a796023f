"""Build a waiting report: read, typeset and store it."""

from django.utils import timezone, translation

from tournaments.models import Report
from tournaments.reports.contents import key_of
from tournaments.reports.documents import compose
from tournaments.services.documents.building import (
    BuildProgress,
    NotOurs,
    claim_report,
    finish_report,
    hold_content,
    retry_report,
    workshop,
)


def build_report(pk: int) -> None:
    """Build a report, unless it is done or another worker is building it."""
    report = claim_report(pk, timezone.now())
    if report is None:
        return
    try:
        with translation.override(report.language):
            _build(report)
    except NotOurs:
        return
    # Any error belongs to the report, not the worker: the report is retried or given up.
    except Exception as error:  # noqa: BLE001
        retry_report(report, error, timezone.now())


def _build(report: Report) -> None:
    progress = BuildProgress(report)
    progress(Report.Step.READING)
    content = compose(report, progress)
    if not hold_content(report, key_of(report, content), timezone.now()):
        return
    with workshop(report) as folder:
        document = folder / f"document.{report.format}"
        content.write(document, progress)
        progress(Report.Step.KEEPING)
        finish_report(report, document, timezone.now())
