"""The month of a club as a spreadsheet: its evenings, and its leaderboards."""

from collections.abc import Iterator

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.models import Report
from tournaments.queries.site import month_key
from tournaments.reports.club_month import month_asked, name_of
from tournaments.reports.contents import Content, OnProgress
from tournaments.reports.month_statistics import FamilyMonth, Month, add_up_month
from tournaments.reports.spreadsheet_data import Cell, Column, DataTable, Kind, TableBook
from tournaments.reports.spreadsheets import book_content
from tournaments.texts.families import family_name


def month_tables(report: Report, progress: OnProgress) -> Content:
    """Return the tables of the requested month."""
    club = report.club
    assert club is not None
    month = add_up_month(club, month_asked(report), progress)
    name = date_format(month.first, "YEAR_MONTH_FORMAT")
    boards = [_board(each, month) for each in month.families if each.board]
    book = TableBook(
        title=name,
        lines=[club.name, name],
        tables=[_evenings(month), *boards],
        format="kingscore-month/1",
        facts={"club": club.slug, "month": month_key(month.first)},
    )
    return book_content(book, report)


def _evenings(month: Month) -> DataTable:
    columns = (
        Column(_("Day"), "held_on", Kind.DATE),
        Column(pgettext("evening or tournament", "Event"), "event"),
        Column(_("Winner"), "winner"),
        Column(_("Highest game"), "highest", Kind.POINTS),
        Column(pgettext("how many", "Players"), "players", Kind.INTEGER),
        Column(pgettext("how many", "Games"), "games", Kind.INTEGER, strong=True),
    )
    return DataTable(
        title=_("Evenings and tournaments"),
        key="evenings",
        columns=columns,
        rows=list(_rows(month)),
        sums=(5,),
        sums_head=_("Sum"),
        fixed=2,
    )


def _rows(month: Month) -> Iterator[tuple[Cell, ...]]:
    for each in month.evenings:
        winner = " + ".join(name_of(month, player) for player in each.winners)
        event = each.event
        yield event.held_on, event.name, winner, each.points, each.players, each.games


def _board(found: FamilyMonth, month: Month) -> DataTable:
    columns = (
        Column(pgettext("in standings", "Place"), "place", Kind.INTEGER),
        Column(_("Before"), "before", Kind.INTEGER),
        Column(_("Name"), "name"),
        Column(pgettext("how many", "Games"), "games", Kind.INTEGER),
        Column(pgettext("column", "Change"), "change", Kind.INTEGER),
        Column(_("Rating"), "rating", Kind.INTEGER, strong=True),
    )
    rows = [
        (
            line.rank,
            line.earlier,
            name_of(month, line.player),
            line.games,
            line.change,
            line.rating.points,
        )
        for line in found.board
    ]
    title = f"{_('Leaderboard')} {family_name(found.family)}"
    return DataTable(title=title, key=f"leaderboard-{found.family}", columns=columns, rows=rows)
