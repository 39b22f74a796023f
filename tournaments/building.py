"""From a report that waits to its file: read, set, kept."""

from django.utils import timezone, translation

from tournaments.models import Report
from tournaments.reports.contents import key_of
from tournaments.reports.documents import compose
from tournaments.services.documents.building import (
    NotOurs,
    Progress,
    claim_report,
    finish_report,
    hold_content,
    retry_report,
    workshop,
)


def build_report(pk: int) -> None:
    """Build a report, unless it is done or someone else is building it."""
    report = claim_report(pk, timezone.now())
    if report is None:
        return
    try:
        with translation.override(report.language):
            _build(report)
    except NotOurs:
        return
    # Whatever went wrong is the report's, not the worker's: it is tried again or given up.
    except Exception as error:  # noqa: BLE001
        retry_report(report, error, timezone.now())


def _build(report: Report) -> None:
    told = Progress(report)
    told(Report.Step.READING)
    content = compose(report, told)
    if not hold_content(report, key_of(report, content), timezone.now()):
        return
    with workshop(report) as folder:
        document = folder / f"document.{report.format}"
        content.write(document, told)
        told(Report.Step.KEEPING)
        finish_report(report, document, timezone.now())
