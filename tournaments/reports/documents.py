"""The contents of each document: from a report row to the data of its file."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tournaments.models import Report
from tournaments.reports.booklet import booklet
from tournaments.reports.certificates import certificates
from tournaments.reports.club_month import club_month
from tournaments.reports.club_picture import compose_club_picture
from tournaments.reports.contents import Content, OnProgress, PdfPages, Picture, TypstPart
from tournaments.reports.cross_table import cross_table_pages, cross_table_tables
from tournaments.reports.empty_sheet import compose_empty_sheet
from tournaments.reports.evening_picture import compose_evening_picture
from tournaments.reports.evening_sheet import evening_sheet
from tournaments.reports.league_document import league_pages, league_tables
from tournaments.reports.month_spreadsheet import month_tables
from tournaments.reports.name_badges import name_badges
from tournaments.reports.picture import compose_picture
from tournaments.reports.player_picture import compose_player_picture
from tournaments.reports.player_season import player_season
from tournaments.reports.player_spreadsheet import player_tables
from tournaments.reports.scoresheet import compose_scoresheet
from tournaments.reports.scoresheet_spreadsheet import scoresheet_table, sheets_tables
from tournaments.reports.seating_lists import seating_by_name, seating_by_table
from tournaments.reports.sheets_book import sheets_pages, sheets_records
from tournaments.reports.standings_document import standings_pages
from tournaments.reports.standings_picture import compose_standings_picture
from tournaments.reports.standings_spreadsheet import standings_tables
from tournaments.reports.table_cards import table_cards

Kind, Format = Report.Kind, Report.Format


def compose(report: Report, progress: OnProgress) -> Content:
    """Return the contents of a report, in the active language.

    `progress` is called during reading, and raises if the report is cancelled.

    Raises:
        ValueError: the request of the report is not valid.
    """
    make = DOCUMENTS.get((Kind(report.kind), Format(report.format)))
    if make is None:
        raise ValueError(f"no {report.kind} as {report.format}")
    return make(report, progress)


def formats_of(kind: Report.Kind) -> list[Report.Format]:
    return [form for made, form in DOCUMENTS if made == kind]


def _scoresheet(report: Report, _progress: OnProgress) -> Content:
    data = compose_scoresheet(report.parameters["record"], report.follow_url)
    return PdfPages([TypstPart.of("scoresheet.typ", data | {"paper": report.paper})])


def _empty_sheet(report: Report, _progress: OnProgress) -> Content:
    data = compose_empty_sheet(report.parameters["ruleset"])
    return PdfPages([TypstPart.of("empty_sheet.typ", data | {"paper": report.paper})])


def _picture(report: Report, _progress: OnProgress) -> Content:
    if report.player is not None:
        data = compose_player_picture(report)
    elif report.game is None and report.event is None:
        data = compose_club_picture(report)
    elif report.game is None:
        data = compose_standings_picture(report)
    elif "evening" in report.parameters:
        data = compose_evening_picture(report)
    else:
        data = compose_picture(report.parameters["record"], wide=report.parameters["wide"])
    return Picture(TypstPart.of("picture.typ", data))


DOCUMENTS: Mapping[tuple[Report.Kind, Report.Format], Callable[[Report, OnProgress], Content]] = (
    MappingProxyType(
        {
            (Kind.SCORESHEET, Format.PDF): _scoresheet,
            (Kind.SCORESHEET, Format.XLSX): scoresheet_table,
            (Kind.SCORESHEET, Format.CSV): scoresheet_table,
            (Kind.EMPTY_SHEET, Format.PDF): _empty_sheet,
            (Kind.EVENING, Format.PDF): evening_sheet,
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
            (Kind.LEAGUE, Format.PDF): league_pages,
            (Kind.LEAGUE, Format.XLSX): league_tables,
            (Kind.LEAGUE, Format.CSV): league_tables,
            (Kind.PICTURE, Format.PNG): _picture,
        }
    )
)
"""The documents with their functions; the first format is offered first."""
