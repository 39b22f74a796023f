"""The reasons for an entrant's place: the sum in parts, and the deciding criteria, as codes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tournaments.engine.rules.rulesets import Points, whole
from tournaments.engine.standings.reasons import Decision, RoundReasons, Why
from tournaments.engine.standings.standings import Standing
from tournaments.presenters.standings.standings import stages_reached
from tournaments.queries.tournaments.state import TournamentState

SUMS = ("all", "before-finals", "finals")
"""The groups of rounds that are summed: all, or each part if finals start from zero."""


@dataclass(frozen=True, slots=True)
class Sum:
    """Rounds that are added up together, by a code of `SUMS`, less the penalties."""

    code: str
    rounds: tuple[RoundReasons, ...]
    penalties: Points
    points: Points


@dataclass(frozen=True, slots=True)
class Decided:
    """The criterion that decided against a neighbour, who is `ahead` or behind."""

    decision: Decision
    ahead: bool


@dataclass(frozen=True, slots=True)
class WhyPlaced:
    """The reasons for an entrant's place; `stage` is the stage reached in the finals.

    Within the finals the stages decide, and `decisions` is empty.
    """

    standing: Standing
    parts: tuple[Sum, ...]
    decisions: tuple[Decided, ...]
    stage: str


def why_placed(state: TournamentState, key: str, after: int) -> WhyPlaced:
    """Return the reasons for an entrant's place after round `after`.

    Entrants outside the finals keep their place at the cut.

    Raises:
        KeyError: there is no such entrant with a place.
    """
    standing = {row.entrant: row for row in state.standings_before(after + 1)}[key]
    reached = stages_reached(state, after).get(key)
    in_finals = reached is not None and state.stages_played(after)
    last = after if in_finals else min(after, state.settings.rounds)
    why = state.why(key, last)
    return WhyPlaced(
        standing,
        tuple(_parts(state, why, standing)),
        () if in_finals else tuple(_decided(why)),
        reached.stage if reached is not None and in_finals else "",
    )


def _decided(why: Why) -> Iterator[Decided]:
    for decision, ahead in ((why.ahead, True), (why.behind, False)):
        if decision is not None:
            yield Decided(decision, ahead)


def _parts(state: TournamentState, why: Why, standing: Standing) -> Iterator[Sum]:
    cut = state.settings.rounds
    before = [each for each in why.rounds if each.number <= cut]
    finals = [each for each in why.rounds if each.number > cut]
    if not finals or state.settings.carry:
        yield _sum("all", why.rounds, standing.points)
        return
    at_cut = {row.entrant: row for row in state.standings_before(cut + 1)}[standing.entrant]
    yield _sum("before-finals", before, at_cut.points)
    yield _sum("finals", finals, standing.points)


def _sum(code: str, rounds: Sequence[RoundReasons], points: Points) -> Sum:
    penalties = whole(
        sum(
            reason.params["points"]
            for each in rounds
            for reason in each.reasons
            if reason.code == "penalty"
        )
    )
    return Sum(code, tuple(rounds), penalties, points)
