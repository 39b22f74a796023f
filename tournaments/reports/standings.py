"""Standings and cross tables as documents, pictures and spreadsheets."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import ceil
from string import ascii_uppercase
from typing import Any

from django.utils.translation import get_language, gettext_lazy, ngettext, pgettext
from django.utils.translation import gettext as _

from tournaments.engine.documents.games import letters_of
from tournaments.engine.rules.rulesets import Points, whole
from tournaments.engine.standings.results import ABSENT, PENALTY, RoundResults
from tournaments.engine.standings.standings import Standing
from tournaments.models import Entrant, Report, Tournament
from tournaments.queries.standings import (
    TEAM_TIES,
    Reached,
    Seen,
    last_closed,
    round_label,
    stages_reached,
    standings_seen,
)
from tournaments.queries.state import SeatedRound, TournamentState, digest_after, load_state
from tournaments.reports.hall import event_of, hall_heading, hour_on_the_day
from tournaments.reports.pages import TABLES, Content, Data, OnProgress, document, page_data
from tournaments.reports.sheets import written_date
from tournaments.reports.spreadsheets import (
    Across,
    Cell,
    Column,
    DataTable,
    Kind,
    TableBook,
    book_content,
)
from tournaments.texts.labels import POINTS, name_of, points_text, round_name, stage_name

MOST_UPRIGHT = 13
"""With more columns than this, the page is landscape."""

MOST_ROUNDS = 16
"""More rounds than this would be too small to read."""

NONE = "–"


@document(Report.Kind.STANDINGS, note=gettext_lazy("Places, points and tie-breaks."))
def standings_pages(report: Report, progress: OnProgress) -> Data:
    """Return the standings as pages."""
    return compose_standings(report, _read(report, progress))


def tournament_of(report: Report) -> Tournament:
    """Return the tournament of a report.

    Raises: ValueError: it is about an evening, or about no event.
    """
    tournament: Tournament | None = getattr(event_of(report), "tournament", None)
    if tournament is None:
        raise ValueError(f"{report} is of no tournament")
    return tournament


def seen_in(report: Report) -> Seen:
    """Return the standings that the readers of a report may see (7 queries, however large)."""
    state = load_state(tournament_of(report))
    directs = report.audience == Report.Audience.DIRECTORS
    return standings_seen(state, directs=directs, after=report.parameters.get("round"))


def _read(report: Report, progress: OnProgress) -> Seen:
    seen = seen_in(report)
    progress(Report.Step.READING, len(seen.rows), len(seen.rows))
    return seen


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """A row of the standings with its entrant.

    `moved` is the number of places gained since the round before, None if there was no place then.
    """

    row: Standing
    entrant: Entrant
    reached: Reached | None
    moved: int | None

    @property
    def stage(self) -> str:
        """Return the stage reached in the finals, marked if the entrant is only through to it."""
        if self.reached is None:
            return ""
        return f"{'→ ' if self.reached.through else ''}{stage_name(self.reached.stage)}"


def lines_of(seen: Seen) -> list[StandingsRow]:
    state, before = seen.state, {}
    if seen.after > 1:
        earlier = state.standings_before(seen.after)
        before = {row.entrant: row.place for row in earlier if row.has_played}
    reached = stages_reached(state, seen.until)
    return [
        StandingsRow(
            row,
            state.entrants[row.entrant],
            reached.get(row.entrant),
            before[row.entrant] - row.place if row.entrant in before else None,
        )
        for row in seen.rows
    ]


# Lines about the whole table.


def standings_lines(seen: Seen) -> Iterator[str]:
    state = seen.state
    yield f"{name_of(state.rules)} · {POINTS[state.settings.points]}"
    last = [seated.row for seated in state.seated_rounds if seated.row.number == seen.after]
    hours = [hour_on_the_day(row, row.closed_at) for row in last]
    yield " · ".join(filter(None, [after_text(seen), *hours]))
    if digest := digest_after(state, seen.after):
        yield _("Code: %(code)s") % {"code": letters_of(digest)}
    if seen.hidden:
        yield _("The last round is on: until it is over, these are the standings before it.")


def after_text(seen: Seen) -> str:
    """Return the text for the last round counted, and how many of its tables are unfinished."""
    state = seen.state
    if not seen.after:
        return _("Before the first round")
    values = {"label": round_label(state, seen.after), "rounds": state.settings.rounds}
    if seen.after > state.settings.rounds:
        text = pgettext("of standings", "After: %(label)s") % values
    else:
        text = _("After round %(label)s of %(rounds)s") % values
    played = next(round_ for round_ in state.results if round_.number == seen.after)
    playing = sum(not table.finished for table in played.tables)
    still = ngettext("%(number)s table is playing", "%(number)s tables are playing", playing)
    return f"{text} · {still % {'number': playing}}" if playing else text


# On pages.


def compose_standings(report: Report, seen: Seen) -> dict[str, Any]:
    lines = lines_of(seen)
    fields = list(_printed_fields(seen, lines))
    text = cache(points_text)
    heading = hall_heading(report, _("Standings"), standings_lines(seen))
    words = {"empty": _("Nobody has entered yet."), "teams": _("Teams")}
    columns = [{"head": head, "kind": kind} for head, kind, _cell in fields]
    rows = [
        {
            "cells": [_printed(cell(line), text) for _head, _kind, cell in fields],
            "rule": (bool(line.stage) and not after.stage) or line.row.section != after.row.section,
        }
        for line, after in zip(lines, [*lines[1:], *lines[-1:]], strict=True)
    ]
    return page_data(heading, seen.state.tournament.event.club, words=words) | {
        "landscape": len(columns) > MOST_UPRIGHT,
        "columns": columns,
        "rows": rows,
        "legend": list(_legend(seen, lines)),
        "teams": _printed_teams(seen, text),
    }


Printed = str | dict[str, str] | Points | None
Field = tuple[str, str, Callable[[StandingsRow], Printed]]
"""Header and kind of a column, and the function for its cells."""


def _printed_fields(seen: Seen, lines: Sequence[StandingsRow]) -> Iterator[Field]:
    yield pgettext("in standings", "Place"), "place", lambda line: place_text(line.row)
    if any(line.moved for line in lines):
        yield "±", "small", _movement
    yield _("Name"), "text", _name
    # Of very many rounds the first ones are summed: the cross-table has them all.
    state, rounds = seen.state, seen.rounds
    first = len(rounds) - MOST_ROUNDS + 1 if len(rounds) > MOST_ROUNDS else 0
    if first:
        head = f"{round_label(state, rounds[0])}–{round_label(state, rounds[first - 1])}"
        yield head, "number", lambda line: sum_of_points(line.row.by_round[:first])
    for at, number in enumerate(rounds[first:], first):
        yield round_label(state, number), "number", lambda line, at=at: line.row.by_round[at]  # type: ignore[misc]
    if any(line.row.penalties for line in lines):
        yield _("Penalty"), "number", lambda line: -line.row.penalties if line.row.penalties else ""
    yield _("Points"), "total", lambda line: line.row.points
    for letter, (at, _title) in zip(ascii_uppercase, seen.tie_breaks, strict=False):
        yield letter, "number", lambda line, at=at: _faint(line.row.tie_breaks[at])  # type: ignore[misc]


def sum_of_points(points: Iterable[Points | None]) -> Points:
    """Return the sum over rounds, some of which may have no points yet."""
    return whole(sum((value for value in points if value is not None), 0))


def _faint(points: Points | None) -> dict[str, str]:
    return {"text": NONE if points is None else points_text(points), "style": "faint"}


def place_text(row: Standing) -> str:
    """Return the place of an entrant, after the section, with a mark if it is shared."""
    return f"{row.section} {row.place}{'=' if row.shared else ''}".strip()


def _movement(line: StandingsRow) -> str:
    if not line.moved:
        return "" if line.moved is None else "•"
    return f"{'▲' if line.moved > 0 else '▼'} {abs(line.moved)}"


def _name(line: StandingsRow) -> dict[str, str]:
    entrant = line.entrant
    withdrawn = _("withdrawn") if entrant.withdrawn_at else ""
    below = " · ".join(filter(None, (withdrawn, line.stage, entrant.team, entrant.represents)))
    style = "faint" if entrant.withdrawn_at else ""
    return {"text": entrant.shown_name, "below": below, "style": style}


def _printed(cell: Printed, text: Callable[[Points], str]) -> str | dict[str, str]:
    if cell is None:
        return NONE
    return cell if isinstance(cell, str | dict) else text(cell)


def _legend(seen: Seen, lines: Sequence[StandingsRow]) -> Iterator[str]:
    if seen.tie_breaks:
        named = zip(ascii_uppercase, seen.tie_breaks, strict=False)
        details = " · ".join(f"{letter} {title}" for letter, (_at, title) in named)
        yield _("Between equals, one after the other: %(tie_breaks)s") % {"tie_breaks": details}
    yield from seen.tie_break_notes
    if any(line.row.shared for line in lines):
        yield _("= shares the place")
    if any(line.moved for line in lines):
        yield _("▲▼ places won and lost in this round")
    if seen.team_rounds:
        yield str(TEAM_TIES)


def _printed_teams(seen: Seen, text: Callable[[Points], str]) -> dict[str, Any] | None:
    teams = seen.teams
    if not teams:
        return None
    names = {key: entrant.shown_name for key, entrant in seen.state.entrants.items()}
    return {
        "columns": [
            {"head": pgettext("in standings", "Place"), "kind": "place"},
            {"head": _("Team")},
            *({"head": str(number), "kind": "number"} for number in seen.team_rounds),
            {"head": _("Points"), "kind": "total"},
        ],
        "rows": [
            [
                f"{team.place}{'=' if team.shared else ''}",
                {"text": team.team, "below": ", ".join(names[key] for key in team.members)},
                *(
                    NONE if made is None else text(made)
                    for made in team.by_round[: len(seen.team_rounds)]
                ),
                text(team.points),
            ]
            for team in teams
        ],
    }


MOST_LINES = 4


def compose_standings_picture(report: Report) -> dict[str, Any]:
    """Return the data of the wide picture of the standings after the last closed round.

    Raises: ValueError: the report is not about a tournament.
    """
    state = load_state(tournament_of(report))
    closed = last_closed(state, directs=False)
    seen = standings_seen(state, directs=False, after=closed)
    event = state.tournament.event
    # The first round is on: no standings yet.
    foot = [event.club.name] if seen.after > closed else [event.club.name, after_text(seen)]
    if closed:
        sides = [
            _side(
                place_text(row),
                state.entrants[row.entrant].shown_name,
                points_text(row.points),
                best=row.place == 1,
            )
            for row in seen.rows[:MOST_LINES]
        ]
    else:
        # What one wants to know before the first round: when, where, and how many come.
        coming = state.tournament.entrants.playing().competing().count()
        facts = [
            (_("Day"), written_date(event.held_on.isoformat())),
            (pgettext("hour of an event", "Start"), event.starts_at),
            (pgettext("where an event is", "Place"), event.venue),
            (pgettext("tab", "Entrants"), str(coming or "")),
        ]
        sides = [
            _side(name, value, best=number == 0)
            for number, (name, value) in enumerate(facts)
            if value
        ]
    return {
        "language": get_language(),
        "title": event.name,
        "description": event.club.name,
        "wide": True,
        "remark": "",
        "sides": sides,
        "course": [],
        "badges": [],
        "foot": " · ".join(foot),
        "place": written_date(event.held_on.isoformat()) if closed else "",
    }


def _side(place: str, name: str, total: str = "", *, best: bool) -> Data:
    return {
        "members": [{"seat": None, "place": place, "name": name}],
        "total": total,
        "best": best,
    }


@document(Report.Kind.STANDINGS, *TABLES, Report.Format.JSON)
def standings_tables(report: Report, progress: OnProgress) -> Content:
    """Return the standings as a table, and those of the teams."""
    seen = _read(report, progress)
    state = seen.state
    heading = hall_heading(report, _("Standings"), standings_lines(seen))
    # JSON has all columns, other formats only those that are not empty.
    everything = report.format == Report.Format.JSON
    tables = [_standings_table(seen, everything=everything)]
    if seen.teams or everything:
        tables.append(_team_table(seen))
    book = TableBook(
        title=f"{state.tournament.event.name} · {heading.title}",
        lines=[heading.date, after_text(seen)],
        tables=tables,
        format="kingscore-standings/1",
        facts=tournament_facts(state)
        | {
            "after": seen.after,
            "rounds": [
                {"number": number, "stage": state.seated_rounds[number - 1].row.stage or None}
                for number in seen.rounds
            ],
            "tie_breaks": [state.settings.tie_breaks[at] for at, _title in seen.tie_breaks],
        },
    )
    return book_content(book, report)


def tournament_facts(state: TournamentState) -> dict[str, Any]:
    """Return the fields of a record that identify the tournament."""
    event = state.tournament.event
    return {
        "club": event.club.slug,
        "tournament": state.tournament.slug,
        "name": event.name,
        "held_on": event.held_on.isoformat(),
    }


TableField = tuple[Column, Callable[[StandingsRow], Cell]]

SOMETIMES = (
    *("section", "shared", "moved", "team", "represents", "stage", "withdrawn", "penalties"),
    "unplayed",
)
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
    yield Column(_("Withdrawn"), "withdrawn"), lambda e: e.entrant.withdrawn_at is not None


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
    yield Column(_("Rounds sat out or missed"), "unplayed"), lambda e: _unplayed(seen, e.row)


def _unplayed(seen: Seen, row: Standing) -> tuple[int, ...]:
    """Return the numbers of the rounds that gave an entrant points without a table."""
    tables = [seen.state.seated_rounds[number - 1].tables for number in seen.rounds]
    played = [any(row.entrant in table.entrants for table in each) for each in tables]
    rounds = zip(seen.rounds, played, row.by_round, strict=False)
    return tuple(number for number, sat, points in rounds if not sat and points is not None)


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


LARGEST_MATRIX = 24
"""Entrants that fit across a page as well as down."""


@dataclass(frozen=True, slots=True)
class Met:
    """The result of an entrant in a round.

    `opponents` are their keys in order of sides. An entrant who was out or absent has `table` None
    and no opponents. If `ruled` is set, the points are those of the director's ruling.
    """

    table: int | None = None
    opponents: tuple[str, ...] = ()
    points: Points | None = None
    bye: bool = False
    absent: bool = False
    ruled: bool = False


class Meetings:
    """The standings visible to a reader, with the opponents in each round."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Return the fixed number of each entrant in the table, in order of place."""
        return {row.entrant: self.entrant(row).number for row in self.seen.rows}

    @cached_property
    def rounds(self) -> Sequence[Mapping[str, Met]]:
        """Return the result of each entrant in each round with a column."""
        state = self.seen.state
        pairs = zip(state.seated_rounds[: len(self.seen.rounds)], state.results, strict=False)
        return [
            dict(_met(seated, results, self.seen.rows, at))
            for at, (seated, results) in enumerate(pairs)
        ]

    def of(self, row: Standing) -> list[Met]:
        return [met.get(row.entrant, Met()) for met in self.rounds]

    def entrant(self, row: Standing) -> Entrant:
        return self.seen.state.entrants[row.entrant]

    @property
    def is_matrix(self) -> bool:
        """Return whether everybody meets everybody else at tables of two."""
        state = self.seen.state
        return (
            state.rules.side_count == 2
            and state.settings.seating == "round-robin"
            and 2 <= len(self.seen.rows) <= LARGEST_MATRIX
        )

    def against(self, row: Standing) -> Mapping[str, tuple[Points, ...]]:
        """Return the points of an entrant against each opponent met at a table of two."""
        points: dict[str, tuple[Points, ...]] = defaultdict(tuple)
        for met in self.of(row):
            if met.points is not None and len(met.opponents) == 1:
                points[met.opponents[0]] += (met.points,)
        return points


def _met(
    seated: SeatedRound, results: RoundResults, rows: Sequence[Standing], at: int
) -> Iterator[tuple[str, Met]]:
    kinds = {ruling.entrant: ruling.kind for ruling in results.rulings if ruling.kind != PENALTY}
    tables = {key: table for table in seated.tables for key in table.entrants}
    gone = {key for key, kind in kinds.items() if kind == ABSENT}
    for row in rows:
        key = row.entrant
        table, points = tables.get(key), row.by_round[at]
        ruled, absent = key in kinds, key in gone
        if table is None or absent:
            yield key, Met(None, (), points, key in seated.byes, absent, ruled)
        else:
            opponents = tuple(other for other in table.entrants if other not in {key, *gone})
            yield key, Met(table.number, opponents, points, ruled=ruled)


MOST_ACROSS = 12
"""Most rounds in a table; further ones get a table of their own below."""

CROSS_TABLE_MOST_UPRIGHT = 5
"""With more rounds than this, or twice as many opponents, the page is landscape."""

HOUSE = "⌂"
RULED = "*"
ITSELF = "×"


@document(Report.Kind.CROSS_TABLE, note=gettext_lazy("Who had what in each round, and with whom."))
def cross_table_pages(report: Report, progress: OnProgress) -> Data:
    """Return the cross-table as pages."""
    return compose_cross_table(report, Meetings(_read(report, progress)))


@document(Report.Kind.CROSS_TABLE, *TABLES, Report.Format.JSON)
def cross_table_tables(report: Report, progress: OnProgress) -> Content:
    """Return points, tables and opponents of each round, and the matrix if there is one."""
    meetings, record = Meetings(_read(report, progress)), report.format == Report.Format.JSON
    seen = meetings.seen
    heading = hall_heading(report, _("Cross-table"))
    rounds = _round_table(meetings, record=record)
    book = TableBook(
        title=f"{seen.state.tournament.event.name} · {heading.title}",
        lines=[heading.date, after_text(seen)],
        tables=[_matrix_table(meetings), rounds] if meetings.is_matrix and not record else [rounds],
        format="kingscore-cross-table/1",
        facts=tournament_facts(seen.state) | {"after": seen.after},
    )
    return book_content(book, report)


# On pages.


def compose_cross_table(report: Report, meetings: Meetings) -> dict[str, Any]:
    """Return the data of the pages; `groups` are the rounds that fit side by side."""
    seen = meetings.seen
    heading = hall_heading(report, _("Cross-table"), standings_lines(seen))
    words = {
        "empty": _("Nobody has entered yet."),
        "place": pgettext("in standings", "Place"),
        "number": "№",
        "name": _("Name"),
        "points": _("Points"),
    }
    groups = [] if meetings.is_matrix else side_by_side(seen.rounds)
    return page_data(heading, seen.state.tournament.event.club, words=words) | {
        "landscape": len(groups[0]) > CROSS_TABLE_MOST_UPRIGHT
        if groups
        else len(seen.rows) > 2 * CROSS_TABLE_MOST_UPRIGHT,
        "groups": [_group(meetings, rounds, len(groups)) for rounds in groups],
        "matrix": _matrix(meetings) if meetings.is_matrix else None,
        "legend": list(_cross_table_legend(meetings)),
    }


def side_by_side(rounds: Sequence[int]) -> list[Sequence[int]]:
    """Split the rounds into as few groups as needed, of similar size."""
    count = max(1, ceil(len(rounds) / MOST_ACROSS))
    size = max(1, ceil(len(rounds) / count))
    return [rounds[at * size : (at + 1) * size] for at in range(count)]


def _group(meetings: Meetings, rounds: Sequence[int], groups: int) -> dict[str, Any]:
    state = meetings.seen.state
    labels = [round_label(state, number) for number in rounds]
    ends = {"first": labels[0], "last": labels[-1]} if groups > 1 else None
    return {
        "name": _("Rounds %(first)s to %(last)s") % ends if ends else "",
        "rounds": labels,
        "rows": [
            _row(meetings, row)
            | {"cells": [_cell(meetings, meetings.of(row)[number - 1]) for number in rounds]}
            for row in meetings.seen.rows
        ],
    }


def _row(meetings: Meetings, row: Standing) -> dict[str, Any]:
    entrant = meetings.entrant(row)
    return {
        "place": place_text(row),
        "number": str(entrant.number),
        "name": entrant.shown_name,
        "withdrawn": entrant.withdrawn_at is not None,
        "points": points_text(row.points),
    }


def _cell(meetings: Meetings, met: Met) -> dict[str, str]:
    points = NONE if met.points is None else points_text(met.points)
    return {
        "table": "" if met.table is None else str(met.table),
        "points": f"{points}{RULED}" if met.ruled else points,
        "met": _met_text(meetings, met),
    }


def _met_text(meetings: Meetings, met: Met) -> str:
    """Return the numbers of the others at the table, or why there are none."""
    if met.opponents:
        return " ".join(str(meetings.numbers.get(key, HOUSE)) for key in met.opponents)
    if met.absent:
        return _("absent")
    return pgettext("sits out", "bye") if met.bye else ""


def _matrix(meetings: Meetings) -> dict[str, Any]:
    numbers = [str(number) for number in meetings.numbers.values()]
    columns = [
        {"head": pgettext("in standings", "Place"), "kind": "place"},
        {"head": "№", "kind": "number"},
        {"head": _("Name"), "kind": "text"},
        *({"head": number, "kind": "number"} for number in numbers),
        {"head": _("Points"), "kind": "total"},
    ]
    rows = []
    for row in meetings.seen.rows:
        details, against = _row(meetings, row), meetings.against(row)
        cells = [
            {"text": ITSELF, "style": "faint"}
            if key == row.entrant
            else " ".join(map(points_text, against.get(key, ())))
            for key in meetings.numbers
        ]
        name = {"text": details["name"], "style": "faint" if details["withdrawn"] else ""}
        rows.append([details["place"], details["number"], name, *cells, details["points"]])
    return {"columns": columns, "rows": rows}


def _cross_table_legend(meetings: Meetings) -> Iterator[str]:
    rows = meetings.seen.rows
    everything = [met for row in rows for met in meetings.of(row)]
    if everything and not meetings.is_matrix:
        yield _("In each round: the table, the points, and below them who sat there, by number")
    if any(row.shared for row in rows):
        yield _("= shares the place")
    if any(key not in meetings.numbers for met in everything for key in met.opponents):
        yield _("%(sign)s house player") % {"sign": HOUSE}
    if any(met.ruled for met in everything):
        yield _("%(sign)s as the director has ruled") % {"sign": RULED}
    if any(row.penalties for row in rows):
        yield _("Penalties are taken from the points at the end of the row.")


# Spreadsheets.


def _round_table(meetings: Meetings, *, record: bool) -> DataTable:
    titles = [round_name(seated.row) for seated in meetings.seen.state.seated_rounds]
    titles = titles[: len(meetings.rounds)]
    table_heads = [_("%(round)s: table") % {"round": title} for title in titles]
    with_heads = [_("%(round)s: with") % {"round": title} for title in titles]
    columns = [
        Column(pgettext("in standings", "Place"), "place", Kind.INTEGER),
        Column("№", "number", Kind.INTEGER),
        Column(_("Name"), "name"),
        *(Column(title, "rounds", Kind.POINTS, many=True) for title in titles),
        Column(_("Penalties"), "penalties", Kind.POINTS),
        Column(_("Points"), "points", Kind.POINTS, strong=True),
        *(Column(head, "tables", Kind.INTEGER, many=True) for head in table_heads),
        *(Column(head, "opponents", many=True) for head in with_heads),
    ]
    entrants = meetings.seen.state.entrants
    rows: list[list[Cell]] = []
    for row in meetings.seen.rows:
        results = meetings.of(row)
        first, last = 3, 2 + len(results)
        formula = adds_up(row) and bool(results)
        opponents = [
            tuple(entrants[key].number for key in met.opponents)
            if record
            else _met_text(meetings, met)
            for met in results
        ]
        rows.append(
            [
                *(row.place, meetings.numbers[row.entrant], meetings.entrant(row).shown_name),
                *(met.points for met in results),
                row.penalties,
                Across(row.points, first, last, (last + 1,)) if formula else row.points,
                *(met.table for met in results),
                *opponents,
            ]
        )
    return DataTable(_("Rounds"), "standings", columns, rows, fixed=3, landscape=True)


def _matrix_table(meetings: Meetings) -> DataTable:
    numbers = meetings.numbers
    columns = [
        Column(pgettext("in standings", "Place"), "place", Kind.INTEGER),
        Column("№", "number", Kind.INTEGER),
        Column(_("Name"), "name"),
        *(Column(str(number), "against", Kind.POINTS, many=True) for number in numbers.values()),
        Column(_("Penalties"), "penalties", Kind.POINTS),
        Column(_("Points"), "points", Kind.POINTS, strong=True),
    ]
    rows: list[list[Cell]] = []
    for row in meetings.seen.rows:
        against = meetings.against(row)
        cells = [sum(against[key]) if key in against else None for key in numbers]
        last = 2 + len(cells)
        # A bye is worth points, too, but has no column.
        formula = whole(sum(map(sum, against.values()))) - row.penalties == row.points
        points = Across(row.points, 3, last, (last + 1,)) if formula else row.points
        name = meetings.entrant(row).shown_name
        rows.append([row.place, numbers[row.entrant], name, *cells, row.penalties, points])
    return DataTable(_("Cross-table"), "matrix", columns, rows, fixed=3, landscape=True)
