"""The standings of a tournament as a spreadsheet."""

from collections.abc import Callable, Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.engine.rules.rulesets import whole
from tournaments.engine.standings.standings import Standing
from tournaments.models import Report
from tournaments.presenters.standings.standings import Seen
from tournaments.queries.tournaments.state import TournamentState
from tournaments.reports.contents import Content, OnProgress
from tournaments.reports.round_seats import hall_heading
from tournaments.reports.spreadsheet_data import Across, Cell, Column, DataTable, Kind, TableBook
from tournaments.reports.spreadsheets import book_content
from tournaments.reports.standings_document import (
    StandingsRow,
    after_text,
    lines_of,
    seen_in,
    standings_lines,
    sum_of_points,
)
from tournaments.texts.rounds import round_name


def standings_tables(report: Report, progress: OnProgress) -> Content:
    """Return the standings as a table, and those of the teams.

    Raises:
        ValueError: the report is not about a tournament.
    """
    seen = seen_in(report)
    progress(Report.Step.READING, len(seen.rows), len(seen.rows))
    return book_content(standings_book(report, seen), report)


def standings_book(report: Report, seen: Seen) -> TableBook:
    """Return the standings as tables; JSON has all columns, other formats only non-empty ones."""
    state = seen.state
    event = state.tournament.event
    heading = hall_heading(report, _("Standings"), standings_lines(seen))
    everything = report.format == Report.Format.JSON
    tables = [_standings_table(seen, everything=everything)]
    if seen.teams or everything:
        tables.append(_team_table(seen))
    return TableBook(
        title=f"{event.name} · {heading.title}",
        lines=[heading.date, after_text(seen)],
        tables=tables,
        format="kingscore-standings/1",
        facts=tournament_facts(state)
        | {
            "after": seen.after,
            "rounds": [_round_fact(state, number) for number in seen.rounds],
            "tie_breaks": [state.settings.tie_breaks[at] for at, _title in seen.tie_breaks],
        },
    )


def tournament_facts(state: TournamentState) -> dict[str, Any]:
    """Return the fields of a record that identify the tournament."""
    event = state.tournament.event
    return {
        "club": event.club.slug,
        "tournament": state.tournament.slug,
        "name": event.name,
        "held_on": event.held_on.isoformat(),
    }


def _round_fact(state: TournamentState, number: int) -> dict[str, Any]:
    return {"number": number, "stage": state.seated_rounds[number - 1].row.stage or None}


TableField = tuple[Column, Callable[[StandingsRow], Cell]]

SOMETIMES = ("section", "shared", "moved", "team", "represents", "stage", "withdrawn", "penalties")
"""Columns that a table leaves out if they are empty."""


def _standings_table(seen: Seen, *, everything: bool) -> DataTable:
    lines = lines_of(seen)
    fields = [*_about(everything=everything), *_results(seen)]
    fields = [
        field
        for field in fields
        if everything or field[0].key not in SOMETIMES or any(field[1](line) for line in lines)
    ]
    columns = [column for column, _cell in fields]
    keys = [column.key for column in columns]
    rows = [[cell(line) for _column, cell in fields] for line in lines]
    if "rounds" in keys:
        first = keys.index("rounds")
        last = first + keys.count("rounds") - 1
        less = (keys.index("penalties"),) if "penalties" in keys else ()
        total = keys.index("points")
        for row, line in zip(rows, lines, strict=True):
            if adds_up(line.row):
                row[total] = Across(line.row.points, first, last, less)
    fixed = keys.index("name") + 1
    return DataTable(_("Standings"), "standings", columns, rows, fixed=fixed, landscape=True)


def adds_up(row: Standing) -> bool:
    """Return whether the points are the sum of the rounds less the penalties.

    They are not if the finals begin from zero.
    """
    return whole(sum_of_points(row.by_round) - row.penalties) == row.points


def _about(*, everything: bool) -> Iterator[TableField]:
    yield Column(pgettext("of a tournament", "Section"), "section"), lambda e: e.row.section
    yield Column(pgettext("in standings", "Place"), "place", Kind.INTEGER), lambda e: e.row.place
    yield Column(_("Shared"), "shared"), lambda e: e.row.shared
    yield Column("±", "moved", Kind.INTEGER), lambda e: e.moved
    yield Column("№", "number", Kind.INTEGER), lambda e: e.entrant.number
    yield Column(_("Name"), "name"), lambda e: e.entrant.shown_name
    yield Column(_("Team"), "team"), lambda e: e.entrant.team
    yield Column(_("Club"), "represents"), lambda e: e.entrant.represents
    if everything:
        yield Column("", "stage"), lambda e: None if e.reached is None else e.reached.stage
    else:
        yield Column(_("Finals"), "stage"), lambda e: e.stage
    yield Column(_("Withdrawn"), "withdrawn"), lambda e: e.withdrawn


def _results(seen: Seen) -> Iterator[TableField]:
    for at, number in enumerate(seen.rounds):
        head = round_name(seen.state.seated_rounds[number - 1].row)
        column = Column(head, "rounds", Kind.POINTS, many=True)
        yield column, lambda e, at=at: e.row.by_round[at]  # type: ignore[misc]
    yield Column(_("Penalties"), "penalties", Kind.POINTS), lambda e: e.row.penalties
    yield Column(_("Points"), "points", Kind.POINTS, strong=True), lambda e: e.row.points
    for at, title in seen.tie_breaks:
        column = Column(title, "tie_breaks", Kind.POINTS, many=True)
        yield column, lambda e, at=at: e.row.tie_breaks[at]  # type: ignore[misc]


def _team_table(seen: Seen) -> DataTable:
    names = {key: entrant.shown_name for key, entrant in seen.state.entrants.items()}
    columns = [
        Column(pgettext("in standings", "Place"), "place", Kind.INTEGER),
        Column(_("Shared"), "shared"),
        Column(_("Team"), "team"),
        Column(_("Players"), "players"),
        *(Column(str(number), "rounds", Kind.POINTS, many=True) for number in seen.team_rounds),
        Column(_("Points"), "points", Kind.POINTS, strong=True),
    ]
    rows = [
        [
            team.place,
            team.shared,
            team.team,
            ", ".join(names[key] for key in team.members),
            *team.by_round[: len(seen.team_rounds)],
            team.points,
        ]
        for team in seen.teams
    ]
    return DataTable(_("Teams"), "teams", columns, rows, fixed=3)
