"""What an import does, and what is wrong with it, as the API tells it."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tournaments.api.problems import Json, engine_faults, fault
from tournaments.engine.entry_records import write_points
from tournaments.models import Player
from tournaments.services.importing.faults import Fault
from tournaments.services.importing.names import Who, names_asked
from tournaments.services.importing.records import RecordSeen, RecordsPlan
from tournaments.services.importing.results import GameSeen, ResultsPlan
from tournaments.services.importing.words import fault_text


def line_problems(faults: Iterable[Fault], within: str = "lines") -> list[Json]:
    """What is wrong with lines, which are numbered from 1, each with its path."""
    return [_problem(each, within) for each in faults]


def record_problems(plan: RecordsPlan) -> list[Json]:
    """What is wrong with records, each with its path."""
    return [problem for seen in plan.wrong for problem in _of_record(seen)]


def _problem(each: Fault, within: str) -> Json:
    where = ".".join(filter(None, (within, str(each.line - 1), each.column)))
    params = {name: _told(value) for name, value in each.params.items()}
    return fault(each.code.value, where, fault_text(each), params)


def _told(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Player):
        return {"id": value.public_id, "name": value.name}
    if isinstance(value, tuple | list):
        return [_told(each) for each in value]
    return write_points(value) if isinstance(value, Fraction) else value


def _of_record(seen: RecordSeen) -> list[Json]:
    at = f"records.{seen.number - 1}"
    entry = "" if seen.entry is None else f".entries.{seen.entry}"
    return [*engine_faults(seen.problems, at + entry), *line_problems(seen.faults, "records")]


def results_told(plan: ResultsPlan, meant: Mapping[str, str]) -> Json:
    """What some results become."""
    named = (line.name for line in plan.asked.lines)
    return {
        "seen": plan.mark,
        "problems": line_problems(plan.faults),
        "games": [_game(game) for game in plan.games],
        "new_players": plan.new_names,
        "doubtful": names_asked(plan.book, named, meant),
    }


def records_told(plan: RecordsPlan, meant: Mapping[str, str]) -> Json:
    """What some records become."""
    named = (name for seen in plan.seen for name in seen.typed)
    return {
        "seen": plan.mark,
        "problems": record_problems(plan),
        "games": [_record(seen) for seen in plan.seen if seen.fits],
        "new_players": plan.new_names,
        "doubtful": names_asked(plan.book, named, meant),
    }


def _game(game: GameSeen) -> Json:
    first, typed = game.first, [line.name for line in game.lines]
    return {
        "date": first.day,
        "evening": first.evening,
        "round": first.round,
        "table": first.table,
        "there": game.there,
        "players": _seated(game.who, typed),
    }


def _record(seen: RecordSeen) -> Json:
    return {
        "date": seen.day,
        "evening": seen.evening,
        # Of one that is there already nobody asks where.
        "round": seen.round or None,
        "table": seen.table or None,
        "there": seen.there,
        "players": _seated(seen.who, seen.typed),
    }


def _seated(seats: Sequence[Who | None], typed: Sequence[str]) -> list[Json]:
    return [_at_seat(who, name) for who, name in zip(seats, typed, strict=True)]


def _at_seat(who: Who | None, typed: str) -> Json:
    if isinstance(who, Player):
        return {"id": who.public_id, "name": who.name}
    return {"id": None, "name": who or typed}
