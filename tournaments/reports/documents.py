"""Which document is made of what: from a report row to what goes into its file."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tournaments.models import Report
from tournaments.reports.booklet import booklet
from tournaments.reports.certificates import certificates
from tournaments.reports.club_month import club_month
from tournaments.reports.contents import Content, Pages, Part, Told
from tournaments.reports.cross_table import cross_table_pages, cross_table_tables
from tournaments.reports.empty_sheet import compose_empty_sheet
from tournaments.reports.month_tables import month_tables
from tournaments.reports.name_badges import name_badges
from tournaments.reports.player_season import player_season
from tournaments.reports.player_tables import player_tables
from tournaments.reports.scoresheet import compose_scoresheet
from tournaments.reports.scoresheet_table import scoresheet_table, sheets_tables
from tournaments.reports.seating_lists import seating_by_name, seating_by_table
from tournaments.reports.sheets_book import sheets_pages, sheets_records
from tournaments.reports.standings_document import standings_pages
from tournaments.reports.standings_table import standings_tables
from tournaments.reports.table_cards import table_cards

Kind, Format = Report.Kind, Report.Format


def compose(report: Report, told: Told) -> Content:
    """Everything that goes into a report, in the active language.

    `told` is called while it is read: it says how far that is, and stops what nobody wants.

    Raises:
        ValueError: what the report was asked for cannot be.
    """
    make = DOCUMENTS.get((Kind(report.kind), Format(report.format)))
    if make is None:
        raise ValueError(f"no {report.kind} as {report.format}")
    return make(report, told)


def formats_of(kind: Report.Kind) -> list[Report.Format]:
    """The kinds of files that a document can be had as."""
    return [form for made, form in DOCUMENTS if made == kind]


def _scoresheet(report: Report, _told: Told) -> Content:
    data = compose_scoresheet(report.parameters["record"], report.follow_url)
    return Pages([Part.of("scoresheet.typ", data | {"paper": report.paper})])


def _empty_sheet(report: Report, _told: Told) -> Content:
    data = compose_empty_sheet(report.parameters["ruleset"])
    return Pages([Part.of("empty_sheet.typ", data | {"paper": report.paper})])


DOCUMENTS: Mapping[tuple[Report.Kind, Report.Format], Callable[[Report, Told], Content]] = (
    MappingProxyType(
        {
            (Kind.SCORESHEET, Format.PDF): _scoresheet,
            (Kind.SCORESHEET, Format.XLSX): scoresheet_table,
            (Kind.SCORESHEET, Format.CSV): scoresheet_table,
            (Kind.EMPTY_SHEET, Format.PDF): _empty_sheet,
            (Kind.SHEETS, Format.PDF): sheets_pages,
            (Kind.SHEETS, Format.XLSX): sheets_tables,
            (Kind.SHEETS, Format.CSV): sheets_tables,
            (Kind.SHEETS, Format.JSON): sheets_records,
            (Kind.TABLE_CARDS, Format.PDF): table_cards,
            (Kind.NAME_BADGES, Format.PDF): name_badges,
            (Kind.SEATING_BY_TABLE, Format.PDF): seating_by_table,
            (Kind.SEATING_BY_TABLE, Format.XLSX): seating_by_table,
            (Kind.SEATING_BY_TABLE, Format.CSV): seating_by_table,
            (Kind.SEATING_BY_NAME, Format.PDF): seating_by_name,
            (Kind.SEATING_BY_NAME, Format.XLSX): seating_by_name,
            (Kind.SEATING_BY_NAME, Format.CSV): seating_by_name,
            (Kind.STANDINGS, Format.PDF): standings_pages,
            (Kind.STANDINGS, Format.XLSX): standings_tables,
            (Kind.STANDINGS, Format.CSV): standings_tables,
            (Kind.STANDINGS, Format.JSON): standings_tables,
            (Kind.CROSS_TABLE, Format.PDF): cross_table_pages,
            (Kind.CROSS_TABLE, Format.XLSX): cross_table_tables,
            (Kind.CROSS_TABLE, Format.CSV): cross_table_tables,
            (Kind.CROSS_TABLE, Format.JSON): cross_table_tables,
            (Kind.BOOKLET, Format.PDF): booklet,
            (Kind.CERTIFICATES, Format.PDF): certificates,
            (Kind.PLAYER_SEASON, Format.PDF): player_season,
            (Kind.PLAYER_SEASON, Format.XLSX): player_tables,
            (Kind.PLAYER_SEASON, Format.CSV): player_tables,
            (Kind.CLUB_MONTH, Format.PDF): club_month,
            (Kind.CLUB_MONTH, Format.XLSX): month_tables,
            (Kind.CLUB_MONTH, Format.CSV): month_tables,
        }
    )
)
"""The documents there are, each with what reads it; the first format is offered first."""
