"""The standings as anybody may see them: which rounds count, and who has come how far."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from tournaments.engine.problems import InvalidEntry
from tournaments.engine.standings import Standing
from tournaments.models import Tournament
from tournaments.queries.tournaments import Course, settings_of
from tournaments.words import stage_name

TIE_BREAKS: Mapping[str, str | Promise] = {
    "total-points": gettext_lazy("Points of the games"),
    "place-points": gettext_lazy("Points for places"),
    "wins": gettext_lazy("Games out or won"),
    "kings": gettext_lazy("Kings made"),
    "head-to-head": gettext_lazy("Against each other"),
    "opponents": gettext_lazy("Strength of opponents"),
    "best-game": gettext_lazy("Best game"),
    "fewest-penalties": gettext_lazy("Fewest penalties"),
    "lot": gettext_lazy("Lot"),
}

POINTS: Mapping[str, str | Promise] = {
    "game": gettext_lazy("the points of the game"),
    "places": gettext_lazy("points for the place at the table"),
    "out": gettext_lazy("1 for each game out or won"),
    "pair-difference": gettext_lazy("how far ahead of the others"),
}


@dataclass(frozen=True, slots=True)
class Seen:
    """The standings that somebody may see.

    They are those after round `after`, or those of round `only` alone; `last` is the latest
    round that counts for them, and `hidden` whether one after it is kept back. `rounds` are the
    numbers of those that have a column.
    """

    course: Course
    rows: tuple[Standing, ...]
    last: int
    after: int
    only: int | None
    hidden: bool

    @property
    def until(self) -> int:
        """The last round with a column of its own, and a stage that somebody has reached.

        A round alone has neither.
        """
        return 0 if self.only else self.after

    @property
    def rounds(self) -> list[int]:
        """The rounds that have a column."""
        drawn = (each.row.number for each in self.course.drawn)
        return [number for number in drawn if number <= self.until]

    @property
    def tie_breaks(self) -> list[tuple[int, str]]:
        """The tie-breaks that say something of anybody, by their places among all, with names."""
        return [
            (at, str(TIE_BREAKS[name]))
            for at, name in enumerate(self.course.settings.tie_breaks)
            if any(row.tie_breaks[at] is not None for row in self.rows)
        ]


def standings_seen(
    course: Course, *, directs: bool, after: int | None = None, only: int | None = None
) -> Seen:
    """The standings for somebody who directs the tournament, or for anybody else."""
    last = last_counted(course, directs=directs)
    after = min(after or last, last)
    only = only if only and only <= last else None
    rows = course.standings_of(only) if only else course.standings_before(after + 1)
    return Seen(course, rows, last, after, only, hidden=hides(course) and not directs)


def last_counted(course: Course, *, directs: bool) -> int:
    """The last round that counts for a visitor, or one before what is hidden from them."""
    rounds = [each.row for each in course.drawn if each.row.published_at]
    last = rounds[-1].number if rounds else 0
    if directs or not hides(course):
        return last
    return min(last, course.settings.rounds + len(course.stages) - 1)


def hides(course: Course) -> bool:
    """Whether the standings are hidden: the last round of all is published and not over."""
    number = course.settings.rounds + len(course.stages)
    over = course.tournament.state == Tournament.State.FINISHED
    return (
        settings_of(course.tournament).hide_last
        and not over
        and any(each.row.number == number and each.row.published_at for each in course.drawn)
    )


def round_label(course: Course, number: int) -> str:
    """What stands over a round: its number, or the stage of the finals that it is."""
    stages = course.stages
    stage = number - course.settings.rounds - 1
    return stage_name(stages[stage]) if 0 <= stage < len(stages) else str(number)


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
