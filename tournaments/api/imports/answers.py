"""Effects and problems of imports, in the API."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tournaments.api.problems import Json, engine_faults, fault, listed
from tournaments.engine.rules.entries import write_points
from tournaments.models import Player
from tournaments.services.imports.files import ImportFault, Who, names_asked
from tournaments.services.imports.records import RecordSeen, RecordsPlan, fault_text
from tournaments.services.imports.results import GameSeen, ResultsPlan


def line_problems(faults: Iterable[ImportFault], within: str = "lines") -> list[Json]:
    """Return the problems of lines, numbered from 1, each with its path."""
    return [_problem(each, within) for each in faults]


def record_problems(plan: RecordsPlan) -> list[Json]:
    return [problem for seen in plan.wrong for problem in _of_record(seen)]


def _problem(each: ImportFault, within: str) -> Json:
    where = ".".join(filter(None, (within, str(each.line - 1), each.column)))
    params = {name: _details(value) for name, value in each.params.items()}
    return listed(fault(each.code.value, where, fault_text(each), params))


def _details(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Player):
        return {"id": value.public_id, "name": value.name}
    if isinstance(value, tuple | list):
        return [_details(each) for each in value]
    return write_points(value) if isinstance(value, Fraction) else value


def _of_record(seen: RecordSeen) -> list[Json]:
    at = f"records.{seen.number - 1}"
    entry = "" if seen.entry is None else f".entries.{seen.entry}"
    found = map(listed, engine_faults(seen.problems, at + entry))
    return [*found, *line_problems(seen.faults, "records")]


def results_details(plan: ResultsPlan, meant: Mapping[str, str]) -> Json:
    """Return the effect of importing results."""
    named = (line.name for line in plan.asked.lines)
    return {
        "seen": plan.mark,
        "problems": line_problems(plan.faults),
        "games": [_game(game) for game in plan.games],
        "new_players": plan.new_names,
        "doubtful": names_asked(plan.book, named, meant),
    }


def records_details(plan: RecordsPlan, meant: Mapping[str, str]) -> Json:
    """Return the effect of importing records."""
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
