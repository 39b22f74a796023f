"""What the seating of a round is proposed to be, and whether it is of those who are here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tournaments.engine.finals import Stage
from tournaments.engine.pairing.field import Field
from tournaments.engine.pairing.judging import Seating, judge
from tournaments.engine.pairing.manual import seat_rest
from tournaments.engine.pairing.methods import METHODS, schedule, seat_round
from tournaments.engine.problems import InvalidEntry
from tournaments.models import Entrant, Round
from tournaments.queries.tournaments import Course, Drawn, field_of

WHOLE_EVENING = ("fixed", "round-robin")
"""Ways of seating that draw all rounds at once; those by the standings wait for each round."""

BY_STANDINGS = ("swiss", "rank-near", "rank-spread")


class NotEnough(Exception):
    """Fewer entrants are there than sit at one table."""


class TooFewLeft(NotEnough):
    """So many have withdrawn that the first stage of the finals cannot be filled."""


class TooFewThrough(NotEnough):
    """So many have withdrawn that a stage after the first one cannot be filled."""


class RoundsLeft(Exception):
    """A round before this one is still played, and the seating depends on what it comes to."""


class StageUnfinished(RoundsLeft):
    """A table of the stage before has no result, as after a correction."""


class NoRoundLeft(Exception):
    """All rounds have been seated."""


def needs_results(course: Course, number: int) -> bool:
    """Whether round `number` is seated by what those before it came to."""
    return number > course.settings.rounds or course.settings.seating in BY_STANDINGS


def check_results(course: Course, number: int) -> None:
    """That the rounds before round `number` are closed, where it is seated by them.

    Raises:
        RoundsLeft: one is not.
    """
    before = [each.row for each in course.drawn if each.row.number < number]
    if needs_results(course, number) and any(row.closed_at is None for row in before):
        raise RoundsLeft


def stage_of(course: Course, number: int) -> str:
    """What round `number` is called among the finals; empty for one before them."""
    further = number - course.settings.rounds
    return course.stages[further - 1] if further > 0 else ""


def draw(course: Course, number: int, seed: int | None = None) -> Sequence[Seating]:
    """The seatings of round `number`, and of those after it where all are drawn at once.

    With a `seed` they are drawn by another lot than the first one.

    Raises:
        NoRoundLeft, NotEnough, RoundsLeft: as their names say.
        NoRoundRobin, ImpossibleFixed: as the engine has them.
    """
    if number > course.settings.rounds:
        stage = next_stage(course, number)
        names = [name for table in stage.tables for name in table]
        field = field_of(course, number, [course.entrants[name] for name in names])
        return [judge(field, stage.tables, ())]
    field = _field(course, number, seed)
    method = course.settings.seating
    if method in WHOLE_EVENING:
        return schedule(field, course.settings.rounds - number + 1, method)
    return [_seat(field, method)]


def draw_rest(course: Course, number: int, kept: Mapping[int, Sequence[str]], seed: int) -> Seating:
    """The seating of round `number` with these tables as they are, by their places from 0.

    Raises:
        InvalidSeating: somebody at one of them is not there any more.
        NotEnough, ImpossibleFixed: as in `draw`.
    """
    field, method = _field(course, number, seed), course.settings.seating
    if method in METHODS:
        return seat_rest(field, method, kept)
    return _in_order(field, kept)


def next_stage(course: Course, number: int) -> Stage:
    """Who sits where in a round of the finals.

    Raises:
        NoRoundLeft, TooFewLeft, TooFewThrough, StageUnfinished: as their names say.
    """
    try:
        stage = course.next_final(number)
    except InvalidEntry as error:
        first = number == course.settings.rounds + 1
        raise (TooFewLeft if first else TooFewThrough) from error
    except ValueError as error:
        raise StageUnfinished from error
    if stage is None:
        raise NoRoundLeft
    return stage


@dataclass(frozen=True, slots=True)
class Presence:
    """Who is here but has no seat in a proposal, and who has one but is not here.

    `gone` are the keys of those who have withdrawn or were struck off the list; those who are
    still known stand in `absent` too. With them it cannot be published.
    """

    unseated: tuple[Entrant, ...] = ()
    absent: tuple[Entrant, ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.unseated or self.absent)


def presence_at(course: Course, drawn: Drawn) -> Presence:
    """Who is here, against a round as it is seated; a final is for those who have reached it."""
    number = drawn.row.number
    names = dict.fromkeys([*(name for t in drawn.tables for name in t.entrants), *drawn.byes])
    gone = tuple(name for name in names if _has_left(course, name))
    seated = [course.entrants[name] for name in names if name in course.entrants]
    if number > course.settings.rounds:
        return Presence((), tuple(each for each in seated if each.key in gone), gone)
    here = {each.key: each for each in course.present(number)}
    # A house player who is not needed any more has not gone away.
    absent = (each for each in seated if each.key not in here)
    return Presence(
        tuple(each for key, each in here.items() if key not in names),
        tuple(each for each in absent if each.key in gone or not each.house),
        gone,
    )


def document_of(seating: Seating, locked: Sequence[int] = ()) -> dict[str, Any]:
    """A seating as a round stores it."""
    return {
        "tables": [list(table) for table in seating.tables],
        "byes": list(seating.byes),
        "locked": sorted(locked),
    }


def kept_tables(place: Round, locked: Sequence[int]) -> dict[int, list[str]]:
    """The tables of a seated round that stay, by their places from 0."""
    tables = (place.seating or {"tables": []})["tables"]
    return {number: tables[number] for number in locked if number < len(tables)}


def _has_left(course: Course, name: str) -> bool:
    return name not in course.entrants or course.entrants[name].withdrawn_at is not None


def _field(course: Course, number: int, seed: int | None) -> Field:
    """Whoever is there, who are enough for a table."""
    field = field_of(course, number)
    if len(field.entrants) < field.table_size:
        raise NotEnough
    return field if seed is None else replace(field, seed=seed)


def _seat(field: Field, method: str) -> Seating:
    """A round by a method; where the director seats by hand it begins in order of numbers."""
    return seat_round(field, method) if method in METHODS else _in_order(field, {})


def _in_order(field: Field, kept: Mapping[int, Sequence[str]]) -> Seating:
    """Whoever sits at no kept table, in order of numbers."""
    staying = {name for table in kept.values() for name in table}
    names = [name for name in field.index if name not in staying]
    full = len(names) // field.table_size * field.table_size
    tables = [names[at : at + field.table_size] for at in range(0, full, field.table_size)]
    for number in sorted(kept):
        tables.insert(number, list(kept[number]))
    return judge(field, tables, names[full:])
