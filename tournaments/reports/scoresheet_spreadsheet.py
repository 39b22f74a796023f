"""Scoresheets as spreadsheets: the points of each deal by side, summed and checked."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.engine.documents.games import read_game
from tournaments.engine.play.games import Game, PlayedDeal, Row
from tournaments.engine.rules.entries import Adjustment, Deal, Entry, Stopped
from tournaments.engine.rules.rulesets import Points
from tournaments.models import Report
from tournaments.presenters.games.sheets import deal_line, ending_of, numbers_of, remark, title_of
from tournaments.queries.games.sheets import Sheet
from tournaments.reports.contents import Content, OnProgress
from tournaments.reports.round_seats import hall_heading
from tournaments.reports.scoresheet import head_of_contracts, written_date
from tournaments.reports.sheets_book import sheets_of
from tournaments.reports.spreadsheet_data import Across, Cell, Column, DataTable, Kind, TableBook
from tournaments.reports.spreadsheets import book_content
from tournaments.texts import labels
from tournaments.texts.rounds import round_name

BEFORE = 3
"""The columns before the points: number, contract, declarer."""


def scoresheet_table(report: Report, _progress: OnProgress) -> Content:
    """Return the scoresheet of a game as a table.

    Raises:
        ValueError: the record contains an invalid entry.
    """
    return book_content(scoresheet_book(report.parameters["record"]), report)


def scoresheet_book(record: Mapping[str, Any]) -> TableBook:
    """Return the table of a valid `kingscore-game/1` record.

    Raises:
        ValueError: the record contains an invalid entry.
    """
    reading = read_game(record, stored=True)
    if reading.game is None or reading.problems:
        raise ValueError(f"no valid game: {reading.problems}")
    name = labels.name_of(reading.game.ruleset)
    lines = [
        reading.place,
        written_date(reading.played_at),
        ending_of(reading.game, reading.players),
    ]
    return TableBook(
        title=reading.title or name,
        lines=[line for line in lines if line],
        tables=[game_table(reading.game, reading.players, _("Scoresheet"))],
        format="kingscore-scoresheet/1",
    )


def game_table(game: Game, players: Sequence[str], title: str) -> DataTable:
    """Return a row for each entry, then the totals and their check."""
    sides = game.ruleset.side_names(players)
    last = BEFORE + len(sides) - 1
    points = range(BEFORE, last + 1)
    columns = [
        Column(_("No."), "number", Kind.INTEGER),
        Column(head_of_contracts(game.ruleset) or _("Deal"), "contract"),
        Column(_("Declarer"), "declarer"),
        *(Column(name, "points", Kind.POINTS, many=True) for name in sides),
        Column(_("Sum"), "sum", Kind.POINTS),
        Column(_("Must be"), "expected", Kind.POINTS),
        Column(_("Note"), "note"),
    ]
    return DataTable(
        title,
        "entries",
        columns,
        list(_rows(game, players, last)),
        sums=(*points, last + 1, last + 2),
        sums_head=_("Total"),
        expected={last + 1: game.expected_sum},
        expected_head=_("Check"),
        fixed=BEFORE,
        landscape=len(sides) > 2,
    )


def _rows(game: Game, players: Sequence[str], last: int) -> Iterator[list[Cell]]:
    """Yield a row for each entry, in the order written."""
    numbers, moved = numbers_of(game), {row.entry: row for row in game.rows}
    deals = {played.entry: played for played in game.deals}
    expected: Points = 0
    for index, entry in enumerate(game.entries):
        row = moved.get(index)
        details = _details_of(game, players, entry, deals.get(index))
        yield [
            numbers.get(index),
            *details[:-1],
            *_points(game, row, last),
            None if row is None else row.expected_sum - expected,
            details[-1],
        ]
        expected = expected if row is None else row.expected_sum


def _points(game: Game, row: Row | None, last: int) -> Iterator[Cell]:
    """Yield the points of an entry for each side, and their sum."""
    if row is None:
        yield from [None] * (game.ruleset.side_count + 1)
        return
    yield from row.points
    yield Across(sum(row.points), BEFORE, last)


def _details_of(
    game: Game, players: Sequence[str], entry: Entry, played: PlayedDeal | None
) -> tuple[str, str, str]:
    """Return contract, declarer and remarks of an entry."""
    if played is not None:
        details = deal_line(game, played, players)
        side = "" if details.side is None else game.ruleset.side_names(players)[details.side]
        contract = _contract(played)
        return contract, details.declarer or side, " · ".join(details.marks)
    if isinstance(entry, Adjustment):
        return "", "", _("Adjustment: %(reason)s") % {"reason": remark(entry, players)}
    if isinstance(entry, Deal):
        if entry.contract is None:
            return _("sealed"), "", ""
        return title_of(game.ruleset, entry.contract), "", ""
    if isinstance(entry, Stopped):
        return "", "", ending_of(game, players)
    return "", "", remark(entry, players)


def _contract(played: PlayedDeal) -> str:
    name = labels.contract_title(played.contract) if played.contract.named else ""
    return f"{name} {labels.suit_of(played.deal.details.get('trump'))}".strip()


# All sheets of an event.


def sheets_tables(report: Report, progress: OnProgress) -> Content:
    """Return the results of all games of an event or a round, and a sheet for each game.

    Raises:
        ValueError: there are none.
    """
    sheets = list(sheets_of(report, progress))
    if not sheets:
        raise ValueError("there are no sheets")
    heading = hall_heading(report, _("All scoresheets"))
    tables = [_results_table(sheets)]
    if report.format == Report.Format.XLSX:
        tables += [game_table(each.game, each.row.players, _sheet_title(each)) for each in sheets]
    book = TableBook(
        title=f"{heading.event} · {heading.title}",
        lines=[heading.date],
        tables=tables,
        format="kingscore-results/1",
    )
    return book_content(book, report)


def _results_table(sheets: Sequence[Sheet]) -> DataTable:
    columns = [
        Column(_("Round"), "round"),
        Column(_("Table"), "table", Kind.INTEGER),
        Column(pgettext("of a match", "Game"), "game", Kind.INTEGER),
        Column(_("Name"), "name"),
        Column(_("Points"), "points", Kind.POINTS, strong=True),
        Column(pgettext("rank", "Place"), "place", Kind.INTEGER),
        Column(_("Finished"), "finished"),
    ]
    rows = [row for sheet in sheets for row in _results(sheet)]
    return DataTable(_("Results"), "results", columns, rows, fixed=4)


def _results(sheet: Sheet) -> Iterator[list[Cell]]:
    table = _table_of(sheet)
    ranks = sheet.outcome.ranks
    names = sheet.game.ruleset.side_names(sheet.row.players)
    for name, points, rank in zip(names, sheet.game.totals, ranks, strict=True):
        game = sheet.row.match_number
        place = rank if sheet.game.finished else None
        named = round_name(table.round)
        yield [named, table.number, game, name, points, place, sheet.game.finished]


def _sheet_title(sheet: Sheet) -> str:
    table = _table_of(sheet)
    number = _("Table %(number)s") % {"number": table.number}
    title = f"{round_name(table.round)} · {number}"
    return f"{title} ({sheet.row.match_number})" if (sheet.row.match_number or 1) > 1 else title


def _table_of(sheet: Sheet) -> Any:
    return sheet.row.table
