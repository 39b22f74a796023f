"""Why an entrant stands where they stand: the sum in parts, and what decided, in words."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournaments.engine.rulesets import Points
from tournaments.engine.standing_reasons import Decision, Reason
from tournaments.engine.standings import Standing
from tournaments.models import Round
from tournaments.queries.tournaments import Course
from tournaments.telling.figures import figure
from tournaments.telling.reasons import Decided, Sum, why_placed
from tournaments.telling.standings import TIE_BREAKS
from tournaments.words import stage_name

Text = str | Promise


@dataclass(frozen=True, slots=True)
class Line:
    """A round of the sum: its points (None: nothing counts yet) and what stands behind them."""

    round: Round
    points: Points | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Rounds that are added up together, with the penalties taken from their sum."""

    title: str
    lines: tuple[Line, ...]
    penalties: Points
    points: Points


@dataclass(frozen=True, slots=True)
class WhyPage:
    """Why an entrant stands where they stand; `stage` is how far they came in the finals."""

    standing: Standing
    parts: tuple[Part, ...]
    decisions: tuple[str, ...]
    stage: str


TITLES: Mapping[str, Text] = {
    "all": "",
    "before-finals": gettext_lazy("Before the finals"),
    "finals": gettext_lazy("The finals, from zero"),
}


def why_page(course: Course, key: str, after: int) -> WhyPage:
    """Why an entrant stands where they stand after round `after`.

    In the finals the sentence of the stages takes the place of those about neighbours.

    Raises:
        KeyError: there is no such entrant with a place.
    """
    found = why_placed(course, key, after)
    decisions = [_stages_text(course)] if found.stage else list(_decisions(course, found.decisions))
    return WhyPage(
        found.standing,
        tuple(_part(course, part) for part in found.parts),
        tuple(decisions),
        stage_name(found.stage) if found.stage else "",
    )


def _part(course: Course, part: Sum) -> Part:
    lines = tuple(
        Line(course.drawn[n.number - 1].row, n.points, tuple(map(reason_text, n.reasons)))
        for n in part.rounds
    )
    return Part(str(TITLES[part.code]), lines, part.penalties, part.points)


def _stages_text(course: Course) -> str:
    if course.rules.side_count == 2:
        return _(
            "Whoever came further in the finals stands before whoever came less far; "
            "within a stage the last game decides, then the standings before the finals."
        )
    if course.settings.carry:
        return _(
            "Whoever came further in the finals stands before whoever came less far; within a "
            "stage all points decide, then the last table, then the standings before the finals."
        )
    return _(
        "Whoever came further in the finals stands before whoever came less far; within a stage "
        "the points of the finals decide, then the last table, then the standings before them."
    )


def _decisions(course: Course, decided: Iterable[Decided]) -> Iterator[str]:
    names = {key: entrant.shown_name for key, entrant in course.entrants.items()}
    for each in decided:
        yield decision_text(each.decision, names[each.decision.other], ahead=each.ahead)


def reason_text(reason: Reason) -> str:
    """What stands behind the points of a round, in words."""
    params = {name: figure(value) for name, value in reason.params.items()}
    return REASONS[reason.code](params, reason.params)


Words = Callable[[Mapping[str, str], Mapping[str, Points]], str]

REASONS: Mapping[str, Words] = {
    "total": lambda p, _n: _("Points of the game: %(points)s") % p,
    "place": lambda p, _n: _("Place %(place)s of %(of)s: %(points)s") % p,
    "shared-place": lambda p, _n: (
        _("Places %(place)s to %(last)s of %(of)s, shared by %(sharing)s: %(points)s each") % p
    ),
    "out": lambda p, _n: _("Out: %(points)s") % p,
    "sunk": lambda p, _n: _("Sunk: %(points)s") % p,
    "best": lambda p, _n: _("Best of the table: %(points)s") % p,
    "shared-best": lambda p, _n: _("Best of the table, shared by %(sharing)s: %(points)s each") % p,
    "not-best": lambda p, _n: _("Not the best of the table: %(points)s") % p,
    "difference": lambda p, _n: _("%(own)s against %(others)s of the others: %(points)s") % p,
    "bye-average": lambda p, n: (
        ngettext(
            "Sat out: the average of %(rounds)s round played, %(points)s",
            "Sat out: the average of %(rounds)s rounds played, %(points)s",
            int(n["rounds"]),
        )
        % p
    ),
    "bye-fixed": lambda p, _n: _("Sat out: %(points)s") % p,
    "forfeit": lambda p, _n: _("Forfeit, as the director has ruled: %(points)s") % p,
    "absent": lambda p, _n: _("Absent, as the director has ruled: %(points)s") % p,
    "adjusted": lambda p, _n: _("Adjusted by the director to %(points)s") % p,
    "penalty": lambda p, _n: _("Penalty: −%(points)s") % p,
}


def decision_text(decision: Decision, name: str, *, ahead: bool) -> str:
    """What decided against a neighbour called `name`, who is `ahead` or behind."""
    said = {
        "name": name,
        "own": "–" if decision.own is None else figure(decision.own),
        "theirs": "–" if decision.theirs is None else figure(decision.theirs),
    }
    if decision.code == "shared":
        return _("The place is shared with %(name)s: nothing decides between them.") % said
    if decision.code == "played":
        return _("Who has not played stands behind who has: %(name)s.") % said
    said["what"] = _("Points") if decision.code == "points" else str(TIE_BREAKS[decision.tie_break])
    if ahead:
        return _("Behind %(name)s. %(what)s: %(own)s against %(theirs)s.") % said
    return _("Before %(name)s. %(what)s: %(own)s against %(theirs)s.") % said
