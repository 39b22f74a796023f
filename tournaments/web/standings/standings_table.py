"""The table of the standings, put together by hand, and how far who has come in the finals."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.engine.problems import InvalidEntry
from tournaments.engine.rulesets import Points
from tournaments.engine.standings import Standing
from tournaments.tournament_queries import Course
from tournaments.web.tournaments.figures import figure
from tournaments.web.tournaments.words import TIE_BREAKS
from tournaments.words import stage_name


@dataclass(frozen=True, slots=True)
class Reached:
    """How far somebody has come: they play in a stage, or are `through` to it."""

    stage: str
    through: bool


def stages_reached(course: Course, after: int) -> dict[str, Reached]:
    """How far those in the finals have come after round `after`, by key."""
    reached = {
        key: Reached(drawn.row.stage, through=False)
        for drawn in course.drawn
        if drawn.row.stage and drawn.row.number <= after
        for table in drawn.tables
        for key in table.entrants
    }
    return reached | _through(course, after)


def _through(course: Course, after: int) -> dict[str, Reached]:
    """Who plays on after a round that is over: as the next is published, or as it would be."""
    if not course.stages or not course.settings.rounds <= after <= len(course.drawn):
        return {}
    if after == 0 or course.drawn[after - 1].row.closed_at is None:
        return {}
    if after < len(course.drawn) and course.drawn[after].row.published_at is not None:
        row, tables = course.drawn[after].row, course.drawn[after].tables
        return {key: Reached(row.stage, through=True) for each in tables for key in each.entrants}
    try:
        stage = course.next_final(after + 1)
    except (InvalidEntry, ValueError):
        # Too few are left, or a ruling opened a table again: the director will see it.
        return {}
    if stage is None:
        return {}
    return {key: Reached(stage.name, through=True) for each in stage.tables for key in each}


def round_label(course: Course, number: int) -> str:
    """What stands over a round: its number, or the stage of the finals that it is."""
    stages = course.stages
    stage = number - course.settings.rounds - 1
    return stage_name(stages[stage]) if 0 <= stage < len(stages) else str(number)


def standings_table(
    course: Course, rows: Sequence[Standing], rounds: Sequence[int], after: int
) -> SafeString:
    """The rows with a column for each of `rounds`, as HTML.

    Put together by hand: for 400 rows a template takes ten times as long, and escaping each
    figure five times. Only names and words are escaped; all else is figures.
    """
    asked = [
        (n, str(TIE_BREAKS[name]))
        for n, name in enumerate(course.settings.tie_breaks)
        if any(row.tie_breaks[n] is not None for row in rows)
    ]
    head = "".join(_head([round_label(course, n) for n in rounds], [title for _n, title in asked]))
    text = cache(figure)
    reached = stages_reached(course, after)
    body = "".join(
        f'<tr id="{row.entrant}"><td class="num rank">{row.place}{"=" if row.shared else ""}</td>'
        f"{_name(course, row.entrant, reached.get(row.entrant))}"
        f"{_cells('round', row.by_round[: len(rounds)], text)}"
        f'<td class="num points">{text(row.points)}</td>'
        f"{_cells('tie', [row.tie_breaks[n] for n, _title in asked], text)}</tr>"
        for row in rows
    )
    table = f'<table class="standings"><thead>{head}</thead><tbody>{body}</tbody></table>'
    return SafeString(table)


def _head(rounds: Iterable[str], tie_breaks: Iterable[str]) -> Iterator[str]:
    yield f'<tr><th scope="col" class="num">{escape(pgettext("in standings", "Place"))}</th>'
    yield f'<th scope="col">{escape(_("Name"))}</th>'
    for label in rounds:
        yield f'<th scope="col" class="num round">{escape(label)}</th>'
    yield f'<th scope="col" class="num">{escape(_("Points"))}</th>'
    for title in tie_breaks:
        yield f'<th scope="col" class="num tie">{escape(title)}</th>'
    yield "</tr>"


def _name(course: Course, key: str, reached: Reached | None) -> str:
    entrant = course.entrants[key]
    more = " · ".join(filter(None, (entrant.team, entrant.represents)))
    name = f'<a href="{entrant.number}/">{escape(entrant.shown_name)}</a>'
    soft = f' <span class="soft small">{escape(more)}</span>' if more else ""
    return f'<th scope="row">{name}{_stage(reached)}{soft}</th>'


def _stage(reached: Reached | None) -> str:
    if reached is None:
        return ""
    stage = stage_name(reached.stage)
    if not reached.through:
        return f' <span class="stage">{escape(stage)}</span>'
    said = escape(_("through to: %(stage)s") % {"stage": stage})
    return f' <span class="stage through" title="{said}">→ {escape(stage)}</span>'


def _cells(kind: str, values: Iterable[Points | None], text: Callable[[Points], str]) -> str:
    """Figures, which need no escaping."""
    return "".join(
        f'<td class="num {kind}">{"–" if value is None else text(value)}</td>' for value in values
    )
