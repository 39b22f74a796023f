"""Why an entrant stands where they stand: the sum in parts, and what decided, as codes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tournaments.engine.rulesets import Points, whole
from tournaments.engine.standing_reasons import Decision, RoundReasons, Why
from tournaments.engine.standings import Standing
from tournaments.queries.tournaments import Course
from tournaments.telling.standings import stages_reached

SUMS = ("all", "before-finals", "finals")
"""Which rounds are added up together: all, or where finals start from zero each part."""


@dataclass(frozen=True, slots=True)
class Sum:
    """Rounds that are added up together, by a code of `SUMS`, less the penalties."""

    code: str
    rounds: tuple[RoundReasons, ...]
    penalties: Points
    points: Points


@dataclass(frozen=True, slots=True)
class Decided:
    """What decided against a neighbour, who is `ahead` or behind."""

    decision: Decision
    ahead: bool


@dataclass(frozen=True, slots=True)
class WhyPlaced:
    """Why an entrant stands where they stand; `stage` is how far they came in the finals.

    Within the finals the stages decide, not what stands in `decisions`, which is empty then.
    """

    standing: Standing
    parts: tuple[Sum, ...]
    decisions: tuple[Decided, ...]
    stage: str


def why_placed(course: Course, key: str, after: int) -> WhyPlaced:
    """Why an entrant stands where they stand after round `after`.

    Whoever is not in the finals stands where they stood at the cut.

    Raises:
        KeyError: there is no such entrant with a place.
    """
    standing = {row.entrant: row for row in course.standings_before(after + 1)}[key]
    reached = stages_reached(course, after).get(key)
    in_finals = reached is not None and course.stages_played(after)
    last = after if in_finals else min(after, course.settings.rounds)
    why = course.why(key, last)
    return WhyPlaced(
        standing,
        tuple(_parts(course, why, standing)),
        () if in_finals else tuple(_decided(why)),
        reached.stage if reached is not None and in_finals else "",
    )


def _decided(why: Why) -> Iterator[Decided]:
    for decision, ahead in ((why.ahead, True), (why.behind, False)):
        if decision is not None:
            yield Decided(decision, ahead)


def _parts(course: Course, why: Why, standing: Standing) -> Iterator[Sum]:
    cut = course.settings.rounds
    before = [each for each in why.rounds if each.number <= cut]
    finals = [each for each in why.rounds if each.number > cut]
    if not finals or course.settings.carry:
        yield _sum("all", why.rounds, standing.points)
        return
    at_cut = {row.entrant: row for row in course.standings_before(cut + 1)}[standing.entrant]
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
