"""The standings of a tournament, to hang up and to calculate with."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from string import ascii_uppercase
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from tournaments.engine.rulesets import Points, whole
from tournaments.engine.season_sums import team_standings
from tournaments.engine.standings import Standing
from tournaments.models import Entrant, Report, Tournament
from tournaments.queries.tournaments import load_course
from tournaments.reports.contents import Content, Pages, Part, Told
from tournaments.reports.page_family import page_data
from tournaments.reports.round_seats import event_of, hall_heading
from tournaments.telling.figures import figure
from tournaments.telling.standings import (
    POINTS,
    Reached,
    Seen,
    round_label,
    stages_reached,
    standings_seen,
)
from tournaments.words import name_of, stage_name

MOST_UPRIGHT = 13
"""More columns than these need the paper on its side."""

MOST_ROUNDS = 16
"""More rounds than these would be too small to read."""

NONE = "–"


def standings_pages(report: Report, told: Told) -> Content:
    """The standings as pages.

    Raises:
        ValueError: they were asked for of no tournament.
    """
    seen = seen_in(report)
    told(Report.Step.READING, len(seen.rows), len(seen.rows))
    return Pages([Part.of("standings.typ", compose_standings(report, seen))])


def tournament_of(report: Report) -> Tournament:
    """The tournament that a report tells of.

    Raises:
        ValueError: it tells of an evening, or of no event.
    """
    tournament: Tournament | None = getattr(event_of(report), "tournament", None)
    if tournament is None:
        raise ValueError(f"{report} is of no tournament")
    return tournament


def seen_in(report: Report) -> Seen:
    """The standings as the readers of a report may see them (7 queries, however large)."""
    course = load_course(tournament_of(report))
    directs = report.audience == Report.Audience.DIRECTORS
    return standings_seen(course, directs=directs, after=report.parameters.get("round"))


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the standings with what is said of the entrant.

    `moved` is how many places they are further up than after the round before, None where they
    had none.
    """

    row: Standing
    entrant: Entrant
    reached: Reached | None
    moved: int | None

    @property
    def stage(self) -> str:
        """How far they have come in the finals, and whether they are only through to it."""
        if self.reached is None:
            return ""
        return f"{'→ ' if self.reached.through else ''}{stage_name(self.reached.stage)}"

    @property
    def withdrawn(self) -> bool:
        """Whether the entrant plays no more."""
        return self.entrant.withdrawn_at is not None


def lines_of(seen: Seen) -> list[Line]:
    """The standings, line by line."""
    course, before = seen.course, {}
    if seen.after > 1:
        earlier = course.standings_before(seen.after)
        before = {row.entrant: row.place for row in earlier if row.has_played}
    reached = stages_reached(course, seen.until)
    return [
        Line(
            row,
            course.entrants[row.entrant],
            reached.get(row.entrant),
            before[row.entrant] - row.place if row.entrant in before else None,
        )
        for row in seen.rows
    ]


# What is said of all of them.


def standings_lines(seen: Seen) -> Iterator[str]:
    """What the standings are of, in lines below their title."""
    course = seen.course
    yield f"{name_of(course.rules)} · {POINTS[course.settings.points]}"
    yield after_text(seen)
    if seen.hidden:
        yield _("The last round is on: until it is over, these are the standings before it.")


def after_text(seen: Seen) -> str:
    """After which round they are, and how many of its tables are not finished."""
    course = seen.course
    if not seen.after:
        return _("Before the first round")
    said = {"label": round_label(course, seen.after), "rounds": course.settings.rounds}
    if seen.after > course.settings.rounds:
        text = pgettext("of standings", "After: %(label)s") % said
    else:
        text = _("After round %(label)s of %(rounds)s") % said
    played = next(each for each in course.results if each.number == seen.after)
    playing = sum(not table.finished for table in played.tables)
    still = ngettext("%(number)s table is playing", "%(number)s tables are playing", playing)
    return f"{text} · {still % {'number': playing}}" if playing else text


# On pages.


def compose_standings(report: Report, seen: Seen) -> dict[str, Any]:
    """What stands on the pages."""
    lines = lines_of(seen)
    fields = list(_printed_fields(seen, lines))
    text = cache(figure)
    heading = hall_heading(report, _("Standings"), standings_lines(seen))
    words = {
        "empty": _("Nobody has entered yet."),
        "teams": _("Teams"),
    }
    columns = [{"head": head, "kind": kind} for head, kind, _cell in fields]
    rows = [
        {
            "cells": [_printed(cell(line), text) for _head, _kind, cell in fields],
            "rule": bool(line.stage) and not after.stage,
        }
        for line, after in zip(lines, [*lines[1:], *lines[-1:]], strict=True)
    ]
    return page_data(heading, seen.course.tournament.event.club, words=words) | {
        "landscape": len(columns) > MOST_UPRIGHT,
        "columns": columns,
        "rows": rows,
        "legend": list(_legend(seen, lines)),
        "teams": _printed_teams(seen, text),
    }


Printed = str | dict[str, str] | Points | None
Field = tuple[str, str, Callable[[Line], Printed]]
"""Head and kind of a column, and what stands in it."""


def _printed_fields(seen: Seen, lines: Sequence[Line]) -> Iterator[Field]:
    yield pgettext("in standings", "Place"), "place", _place
    if any(line.moved for line in lines):
        yield "±", "small", _movement
    yield _("Name"), "text", _name
    yield from _printed_rounds(seen)
    if any(line.row.penalties for line in lines):
        yield _("Penalty"), "number", lambda line: -line.row.penalties if line.row.penalties else ""
    yield _("Points"), "total", lambda line: line.row.points
    for letter, (at, _title) in zip(ascii_uppercase, seen.tie_breaks, strict=False):
        yield letter, "number", lambda line, at=at: _faint(line.row.tie_breaks[at])  # type: ignore[misc]


def _printed_rounds(seen: Seen) -> Iterator[Field]:
    """The rounds; of very many the first ones added up, as the cross-table has them all."""
    course, rounds = seen.course, seen.rounds
    first = len(rounds) - MOST_ROUNDS + 1 if len(rounds) > MOST_ROUNDS else 0
    if first:
        head = f"{round_label(course, rounds[0])}–{round_label(course, rounds[first - 1])}"
        yield head, "number", lambda line: sum_of_points(line.row.by_round[:first])
    for at, number in enumerate(rounds[first:], first):
        yield round_label(course, number), "number", lambda line, at=at: line.row.by_round[at]  # type: ignore[misc]


def sum_of_points(points: Iterable[Points | None]) -> Points:
    """What rounds come to of which some may have brought nothing yet."""
    return whole(sum((each for each in points if each is not None), 0))


def _faint(points: Points | None) -> dict[str, str]:
    return {"text": NONE if points is None else figure(points), "style": "faint"}


def _place(line: Line) -> str:
    return place_text(line.row)


def place_text(row: Standing) -> str:
    """The place of an entrant, and whether they share it."""
    return f"{row.place}{'=' if row.shared else ''}"


def _movement(line: Line) -> str:
    if not line.moved:
        return "" if line.moved is None else "•"
    return f"{'▲' if line.moved > 0 else '▼'} {abs(line.moved)}"


def _name(line: Line) -> dict[str, str]:
    entrant = line.entrant
    withdrawn = _("withdrawn") if line.withdrawn else ""
    below = " · ".join(filter(None, (withdrawn, line.stage, entrant.team, entrant.represents)))
    style = "faint" if line.withdrawn else ""
    return {"text": entrant.shown_name, "below": below, "style": style}


def _printed(cell: Printed, text: Callable[[Points], str]) -> str | dict[str, str]:
    if cell is None:
        return NONE
    return cell if isinstance(cell, str | dict) else text(cell)


def _legend(seen: Seen, lines: Sequence[Line]) -> Iterator[str]:
    """What letters and signs mean."""
    if seen.tie_breaks:
        named = zip(ascii_uppercase, seen.tie_breaks, strict=False)
        told = " · ".join(f"{letter} {title}" for letter, (_at, title) in named)
        yield _("Between equals, one after the other: %(tie_breaks)s") % {"tie_breaks": told}
    if any(line.row.shared for line in lines):
        yield _("= shares the place")
    if any(line.moved for line in lines):
        yield _("▲▼ places won and lost in this round")


def _printed_teams(seen: Seen, text: Callable[[Points], str]) -> dict[str, Any] | None:
    teams = team_standings(seen.rows, seen.course.competitors)
    if not teams:
        return None
    names = {key: entrant.shown_name for key, entrant in seen.course.entrants.items()}
    return {
        "columns": [
            {"head": pgettext("in standings", "Place"), "kind": "place"},
            {"head": _("Team")},
            {"head": _("Points"), "kind": "total"},
        ],
        "rows": [
            [
                f"{team.place}{'=' if team.shared else ''}",
                {"text": team.team, "below": ", ".join(names[key] for key in team.members)},
                text(team.points),
            ]
            for team in teams
        ],
    }
