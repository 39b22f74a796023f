"""The effect of a ruling on an entrant's sum, before it is made."""

from dataclasses import dataclass, replace
from fractions import Fraction

from tournaments.engine.rules.rulesets import Points
from tournaments.engine.standings.round_results import PENALTY, RoundResults, Ruling
from tournaments.queries.tournaments.state import TournamentState


@dataclass(frozen=True, slots=True)
class RulingEffect:
    """The sum of an entrant before and after a ruling, in points of the standings.

    `large` is set if the ruling changes it by more than anybody's points so far.
    """

    before: Points
    after: Points
    large: bool


def ruling_effect(state: TournamentState, number: int, said: Ruling) -> RulingEffect:
    """Return the effect of a ruling on a published round, on the sum to which the round belongs."""
    last, cut = len(state.results), state.settings.rounds
    if not state.settings.carry and number <= cut:
        last = min(last, cut)
    results = (_ruled(each, said) if each.number == number else each for each in state.results)
    ruled = replace(state, results=tuple(results))
    rows = {row.entrant: row for row in state.standings_before(last + 1)}
    after = {row.entrant: row for row in ruled.standings_before(last + 1)}[said.entrant].points
    before = rows[said.entrant].points
    sums = [abs(Fraction(row.points)) for row in rows.values()]
    most = max(sums, default=Fraction(0)) or _worth_of_a_game(state)
    return RulingEffect(before, after, large=0 < most < abs(Fraction(after) - before))


def _ruled(round_: RoundResults, said: Ruling) -> RoundResults:
    """Return a round with one more ruling, which replaces others unless it is a penalty."""
    others = [
        each
        for each in round_.rulings
        if each.entrant != said.entrant or PENALTY in (said.kind, each.kind)
    ]
    return replace(round_, rulings=(*others, said))


def _worth_of_a_game(state: TournamentState) -> Points:
    """Return the most that a game is worth, 0 if its points have no limit."""
    if state.settings.points == "places":
        return state.settings.place_points[0]
    return 1 if state.settings.points == "out" else 0
