"""The explanation of an entrant's place: the parts of the sum, and the deciding tie-breaks."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournaments.engine.rules.rulesets import Points
from tournaments.engine.standings.standings import Decision, Reason, RoundReasons, Standing
from tournaments.models import Round
from tournaments.presenters.standings.standings import Decided, Sum, tie_break_name, why_placed
from tournaments.queries.tournaments.state import TournamentState, tables_of
from tournaments.texts.labels import points_text, stage_name

Text = str | Promise


@dataclass(frozen=True, slots=True)
class WhyRound:
    """A round of the sum: its points (None: nothing counts yet), their reason, and the table."""

    round: Round
    points: Points | None
    reasons: tuple[str, ...]
    table: int | None


@dataclass(frozen=True, slots=True)
class WhyPart:
    """Rounds summed together, with the penalties subtracted from their sum."""

    title: str
    lines: tuple[WhyRound, ...]
    penalties: Points
    points: Points


@dataclass(frozen=True, slots=True)
class WhyPage:
    """The explanation of an entrant's place; `stage` is the last stage reached in the finals."""

    standing: Standing
    parts: tuple[WhyPart, ...]
    decisions: tuple[str, ...]
    stage: str


TITLES: Mapping[str, Text] = {
    "all": "",
    "before-finals": gettext_lazy("Before the finals"),
    "finals": gettext_lazy("The finals, from zero"),
}


def why_page(state: TournamentState, key: str, after: int) -> WhyPage:
    """Explain the place of an entrant after round `after`.

    In the finals, a sentence about the stages replaces those about neighbours.

    Raises:
        KeyError: no entrant with a place has this key.
    """
    found = why_placed(state, key, after)
    decisions = [_stages_text(state)] if found.stage else list(_decisions(state, found.decisions))
    return WhyPage(
        found.standing,
        tuple(_part(state, key, part) for part in found.parts),
        tuple(decisions),
        stage_name(found.stage) if found.stage else "",
    )


def _part(state: TournamentState, key: str, part: Sum) -> WhyPart:
    tables = tables_of(state)
    lines = tuple(
        WhyRound(
            state.seated_rounds[n.number - 1].row,
            n.points,
            tuple(_reasons(state, key, n)),
            tables.get((n.number, key)),
        )
        for n in part.rounds
    )
    return WhyPart(str(TITLES[part.code]), lines, part.penalties, part.points)


def _reasons(state: TournamentState, key: str, of: RoundReasons) -> Iterator[str]:
    """Yield the reasons of a round; each ruling with what the director gave as its reason."""
    entrant = state.entrants[key].pk
    rulings = state.seated_rounds[of.number - 1].row.rulings.all()
    given: dict[str, list[str]] = defaultdict(list)
    for ruling in rulings:
        if ruling.entrant_id == entrant:
            given[ruling.kind].append(ruling.reason)
    for reason in of.reasons:
        said = given[reason.code]
        text = reason_text(reason)
        yield f"{text} ({said.pop(0)})" if said else text


def _stages_text(state: TournamentState) -> str:
    if state.rules.side_count == 2:
        return _(
            "Those who came further in the finals are placed before the others; "
            "within a stage the last game decides, then the standings before the finals."
        )
    if state.settings.carry:
        return _(
            "Those who came further in the finals are placed before the others; within a "
            "stage all points decide, then the last table, then the standings before the finals."
        )
    return _(
        "Those who came further in the finals are placed before the others; within a stage "
        "the points of the finals decide, then the last table, then the standings before them."
    )


def _decisions(state: TournamentState, decided: Iterable[Decided]) -> Iterator[str]:
    names = {key: entrant.shown_name for key, entrant in state.entrants.items()}
    for each in decided:
        yield decision_text(each.decision, names[each.decision.other], ahead=each.ahead)


def reason_text(reason: Reason) -> str:
    params = {name: points_text(value) for name, value in reason.params.items()}
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
    "unplayed": lambda p, _n: (
        _("The game was stopped: between equals it counts %(points)s more for each at the table")
        % p
    ),
    "bye-average": lambda p, n: (
        ngettext(
            "Sat out: the average of %(rounds)s round played, %(points)s",
            "Sat out: the average of %(rounds)s rounds played, %(points)s",
            int(n["rounds"]),
        )
        % p
    ),
    "bye-fixed": lambda p, _n: _("Sat out: %(points)s") % p,
    "missed": lambda p, _n: _("Came later: %(points)s") % p,
    "forfeit": lambda p, _n: _("Forfeit, as the director has ruled: %(points)s") % p,
    "absent": lambda p, _n: _("Absent, as the director has ruled: %(points)s") % p,
    "adjusted": lambda p, _n: _("Adjusted by the director to %(points)s") % p,
    "penalty": lambda p, _n: _("Penalty: −%(points)s") % p,
}


def decision_text(decision: Decision, name: str, *, ahead: bool) -> str:
    """Return the deciding tie-break against a neighbour called `name`, who is `ahead` or behind."""
    said = {
        "name": name,
        "own": "–" if decision.own is None else points_text(decision.own),
        "theirs": "–" if decision.theirs is None else points_text(decision.theirs),
    }
    if decision.code == "shared":
        return _("The place is shared with %(name)s: nothing decides between them.") % said
    if decision.code == "played":
        return _("Those who have not played come after those who have: %(name)s.") % said
    said["what"] = _("Points") if decision.code == "points" else tie_break_name(decision.tie_break)
    if ahead:
        return _("Behind %(name)s. %(what)s: %(own)s against %(theirs)s.") % said
    return _("Before %(name)s. %(what)s: %(own)s against %(theirs)s.") % said
