"""The standings of a tournament, for print and spreadsheets."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from string import ascii_uppercase
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from tournaments.engine.documents.games import letters_of
from tournaments.engine.rules.rulesets import Points, whole
from tournaments.engine.standings.standings import Standing
from tournaments.models import Entrant, Report, Tournament
from tournaments.presenters.standings.standings import (
    TEAM_TIES,
    Reached,
    Seen,
    round_label,
    stages_reached,
    standings_seen,
)
from tournaments.queries.tournaments.state import digest_after, load_state
from tournaments.reports.contents import Content, OnProgress, PdfPages, TypstPart
from tournaments.reports.page_family import page_data
from tournaments.reports.round_seats import event_of, hall_heading
from tournaments.texts.labels import POINTS, name_of, points_text, stage_name

MOST_UPRIGHT = 13
"""With more columns than this, the page is landscape."""

MOST_ROUNDS = 16
"""More rounds than this would be too small to read."""

NONE = "–"


def standings_pages(report: Report, progress: OnProgress) -> Content:
    """Return the standings as pages.

    Raises:
        ValueError: the report is not about a tournament.
    """
    seen = seen_in(report)
    progress(Report.Step.READING, len(seen.rows), len(seen.rows))
    return PdfPages([TypstPart.of("standings.typ", compose_standings(report, seen))])


def tournament_of(report: Report) -> Tournament:
    """Return the tournament of a report.

    Raises:
        ValueError: it is about an evening, or about no event.
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

    @property
    def withdrawn(self) -> bool:
        return self.entrant.withdrawn_at is not None


def lines_of(seen: Seen) -> list[StandingsRow]:
    """Return the standings, line by line."""
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
    yield after_text(seen)
    if digest := digest_after(state, seen.after):
        yield _("Code: %(code)s") % {"code": letters_of(digest)}
    if seen.hidden:
        yield _("The last round is on: until it is over, these are the standings before it.")


def after_text(seen: Seen) -> str:
    """Return the text for the last round counted, and how many of its tables are unfinished."""
    state = seen.state
    if not seen.after:
        return _("Before the first round")
    said = {"label": round_label(state, seen.after), "rounds": state.settings.rounds}
    if seen.after > state.settings.rounds:
        text = pgettext("of standings", "After: %(label)s") % said
    else:
        text = _("After round %(label)s of %(rounds)s") % said
    played = next(each for each in state.results if each.number == seen.after)
    playing = sum(not table.finished for table in played.tables)
    still = ngettext("%(number)s table is playing", "%(number)s tables are playing", playing)
    return f"{text} · {still % {'number': playing}}" if playing else text


# On pages.


def compose_standings(report: Report, seen: Seen) -> dict[str, Any]:
    """Return the data of the pages."""
    lines = lines_of(seen)
    fields = list(_printed_fields(seen, lines))
    text = cache(points_text)
    heading = hall_heading(report, _("Standings"), standings_lines(seen))
    words = {
        "empty": _("Nobody has entered yet."),
        "teams": _("Teams"),
    }
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
    """Yield the rounds; of very many, sum the first ones, since the cross-table has them all."""
    state, rounds = seen.state, seen.rounds
    first = len(rounds) - MOST_ROUNDS + 1 if len(rounds) > MOST_ROUNDS else 0
    if first:
        head = f"{round_label(state, rounds[0])}–{round_label(state, rounds[first - 1])}"
        yield head, "number", lambda line: sum_of_points(line.row.by_round[:first])
    for at, number in enumerate(rounds[first:], first):
        yield round_label(state, number), "number", lambda line, at=at: line.row.by_round[at]  # type: ignore[misc]


def sum_of_points(points: Iterable[Points | None]) -> Points:
    """Return the sum over rounds, some of which may have no points yet."""
    return whole(sum((each for each in points if each is not None), 0))


def _faint(points: Points | None) -> dict[str, str]:
    return {"text": NONE if points is None else points_text(points), "style": "faint"}


def _place(line: StandingsRow) -> str:
    return place_text(line.row)


def place_text(row: Standing) -> str:
    """Return the place of an entrant, after the section, with a mark if it is shared."""
    return f"{row.section} {row.place}{'=' if row.shared else ''}".strip()


def _movement(line: StandingsRow) -> str:
    if not line.moved:
        return "" if line.moved is None else "•"
    return f"{'▲' if line.moved > 0 else '▼'} {abs(line.moved)}"


def _name(line: StandingsRow) -> dict[str, str]:
    entrant = line.entrant
    withdrawn = _("withdrawn") if line.withdrawn else ""
    below = " · ".join(filter(None, (withdrawn, line.stage, entrant.team, entrant.represents)))
    style = "faint" if line.withdrawn else ""
    return {"text": entrant.shown_name, "below": below, "style": style}


def _printed(cell: Printed, text: Callable[[Points], str]) -> str | dict[str, str]:
    if cell is None:
        return NONE
    return cell if isinstance(cell, str | dict) else text(cell)


def _legend(seen: Seen, lines: Sequence[StandingsRow]) -> Iterator[str]:
    """Yield the explanations of letters and signs."""
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
