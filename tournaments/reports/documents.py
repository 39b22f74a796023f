"""Which document is made of what: from a report row to a template and its data."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tournaments.models import Report
from tournaments.reports.empty_sheet import compose_empty_sheet
from tournaments.reports.scoresheet import Data, compose_scoresheet
from tournaments.reports.typesetting import typeset

__all__ = ["compose", "typeset"]


def compose(report: Report) -> tuple[str, Data]:
    """The template and the data of a report, in the active language.

    Raises:
        ValueError: what the report was asked for cannot be.
    """
    template, make = DOCUMENTS[report.kind]
    return template, make(report)


DOCUMENTS: Mapping[str, tuple[str, Callable[[Report], Data]]] = MappingProxyType(
    {
        Report.Kind.SCORESHEET: (
            "scoresheet.typ",
            lambda report: compose_scoresheet(report.parameters["record"], report.follow_url),
        ),
        Report.Kind.EMPTY_SHEET: (
            "empty_sheet.typ",
            lambda report: compose_empty_sheet(report.parameters["ruleset"]),
        ),
    }
)
"""The kinds of documents, each with its template and what it needs from the row."""
