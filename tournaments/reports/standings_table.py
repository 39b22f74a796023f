"""The standings of a tournament as tables, to calculate with."""

from collections.abc import Callable, Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.engine.rulesets import whole
from tournaments.engine.season_sums import team_standings
from tournaments.engine.standings import Standing
from tournaments.models import Report
from tournaments.queries.tournaments import Course
from tournaments.reports.contents import Content, Told
from tournaments.reports.round_seats import hall_heading, round_title
from tournaments.reports.spreadsheets import book_content
from tournaments.reports.standings_document import (
    Line,
    after_text,
    lines_of,
    seen_in,
    standings_lines,
    sum_of_points,
)
from tournaments.reports.tables import Across, Book, Cell, Column, Kind, Table
from tournaments.telling.standings import Seen


def standings_tables(report: Report, told: Told) -> Content:
    """The standings as a table, and that of the teams.

    Raises:
        ValueError: they were asked for of no tournament.
    """
    seen = seen_in(report)
    told(Report.Step.READING, len(seen.rows), len(seen.rows))
    return book_content(standings_book(report, seen), report)


def standings_book(report: Report, seen: Seen) -> Book:
    """The standings as tables; JSON has all columns, the others those that say something."""
    course = seen.course
    event = course.tournament.event
    heading = hall_heading(report, _("Standings"), standings_lines(seen))
    everything = report.format == Report.Format.JSON
    tables = [_standings_table(seen, everything=everything)]
    teams = team_standings(seen.rows, course.competitors)
    if teams or everything:
        tables.append(_team_table(seen))
    return Book(
        title=f"{event.name} · {heading.title}",
        lines=[heading.date, after_text(seen)],
        tables=tables,
        format="kingscore-standings/1",
        facts=tournament_facts(course)
        | {
            "after": seen.after,
            "rounds": [_round_fact(course, number) for number in seen.rounds],
            "tie_breaks": [course.settings.tie_breaks[at] for at, _title in seen.tie_breaks],
        },
    )


def tournament_facts(course: Course) -> dict[str, Any]:
    """Which tournament it is, in a record."""
    event = course.tournament.event
    return {
        "club": event.club.slug,
        "tournament": course.tournament.slug,
        "name": event.name,
        "held_on": event.held_on.isoformat(),
    }


def _round_fact(course: Course, number: int) -> dict[str, Any]:
    return {"number": number, "stage": course.drawn[number - 1].row.stage or None}


TableField = tuple[Column, Callable[[Line], Cell]]

SOMETIMES = ("shared", "moved", "team", "represents", "stage", "withdrawn", "penalties")
"""Columns that a table leaves out where they are empty."""


def _standings_table(seen: Seen, *, everything: bool) -> Table:
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
    return Table(_("Standings"), "standings", columns, rows, fixed=fixed, landscape=True)


def adds_up(row: Standing) -> bool:
    """Whether the points are the sum of the rounds less the penalties.

    They are not where the finals begin from zero.
    """
    return whole(sum_of_points(row.by_round) - row.penalties) == row.points


def _about(*, everything: bool) -> Iterator[TableField]:
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
        head = round_title(seen.course.drawn[number - 1].row)
        column = Column(head, "rounds", Kind.POINTS, many=True)
        yield column, lambda e, at=at: e.row.by_round[at]  # type: ignore[misc]
    yield Column(_("Penalties"), "penalties", Kind.POINTS), lambda e: e.row.penalties
    yield Column(_("Points"), "points", Kind.POINTS, strong=True), lambda e: e.row.points
    for at, title in seen.tie_breaks:
        column = Column(title, "tie_breaks", Kind.POINTS, many=True)
        yield column, lambda e, at=at: e.row.tie_breaks[at]  # type: ignore[misc]


def _team_table(seen: Seen) -> Table:
    names = {key: entrant.shown_name for key, entrant in seen.course.entrants.items()}
    columns = [
        Column(pgettext("in standings", "Place"), "place", Kind.INTEGER),
        Column(_("Shared"), "shared"),
        Column(_("Team"), "team"),
        Column(_("Players"), "players"),
        Column(_("Points"), "points", Kind.POINTS, strong=True),
    ]
    rows = [
        [
            team.place,
            team.shared,
            team.team,
            ", ".join(names[key] for key in team.members),
            team.points,
        ]
        for team in team_standings(seen.rows, seen.course.competitors)
    ]
    return Table(_("Teams"), "teams", columns, rows, fixed=3)
