"""The portable JSON documents: `kingscore-game/1` read strictly, `kingscore-result/1` written.

`docs/records.md` §1 is the contract; nothing unknown is ignored, nothing missing is guessed.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from tournaments.engine.badges import award
from tournaments.engine.entries import Adjustment, Deal, Entry, Passed
from tournaments.engine.entry_checks import check
from tournaments.engine.entry_records import (
    DETAILS,
    Json,
    is_integer,
    is_text,
    missing,
    read_entry,
    write_points,
    wrong_type,
)
from tournaments.engine.fields import fields_anywhere
from tournaments.engine.games import Game
from tournaments.engine.outcomes import decide
from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.ruleset_records import read_ruleset
from tournaments.engine.rulesets import PENALTY, TRUMP, Ruleset
from tournaments.engine.variants import RULESETS

GAME_FORMAT = "kingscore-game/1"
RESULT_FORMAT = "kingscore-result/1"


@dataclass(frozen=True, slots=True)
class Reading:
    """A game record as far as it could be read.

    `game` is the game before the first bad entry (None where the head is bad), `players`
    their names in seat order; `problems` are those of entry number `entry` (None: the head).
    """

    game: Game | None
    players: tuple[str, ...] = ()
    entry: int | None = None
    problems: tuple[Problem, ...] = ()
    title: str = ""
    place: str = ""
    played_at: str = ""


def parse_json(text: str | bytes) -> Any:
    """Strict JSON: in UTF-8, no NaN, no field twice.

    Raises:
        InvalidEntry: `bad-json`, with what the parser said.
    """
    try:
        # Bytes are UTF-8 and nothing else; a mark at the beginning is no part of the document.
        return json.loads(
            text if isinstance(text, str) else text.decode("utf-8-sig"),
            object_pairs_hook=_object_without_repeats,
            parse_constant=_no_constant,
        )
    except (ValueError, RecursionError) as error:
        raise InvalidEntry([Problem(Code.BAD_JSON, "", {"error": str(error)})]) from error


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field stands twice in one object")
    return fields


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def read_game(document: Any) -> Reading:
    """Read a `kingscore-game/1` document and play it, up to the first entry that cannot be."""
    try:
        game, names = _read_head(document)
    except InvalidEntry as error:
        return Reading(None, problems=error.problems)
    head = {name: document.get(name, "") for name in ("title", "place", "played_at")}
    last = len(document["entries"]) - 1
    for index, raw in enumerate(document["entries"]):
        try:
            game = play_record(game, raw, last=index == last)
        except InvalidEntry as error:
            return Reading(game, names, index, error.problems, **head)
    return Reading(game, names, **head)


def play_record(game: Game, raw: Any, *, last: bool = True) -> Game:
    """The game after one entry as it stands in a record.

    Raises:
        InvalidEntry: with every problem of the entry, of its form and of what it says.
    """
    entry, faults = read_entry(raw)
    if entry is None:
        raise InvalidEntry(faults)
    problems = list(check(game, entry))
    # Where there can be no such entry, its fields say nothing.
    if faults and not _has_no_place(game, entry):
        problems = _once(game, faults, problems)
    if isinstance(entry, Deal) and not last and not game.finished and _is_left_open(game, raw):
        problems.append(Problem(Code.OPEN_DEAL))
    if problems:
        raise InvalidEntry(problems)
    return game.after(entry)


def _has_no_place(game: Game, entry: Entry) -> bool:
    over = game.finished and not isinstance(entry, Adjustment)
    return over or (isinstance(entry, Passed) and not game.ruleset.passes)


def _is_left_open(game: Game, raw: Json) -> bool:
    return "counts" not in raw and game.ruleset.unnamed is None


def _once(game: Game, faults: list[Problem], problems: list[Problem]) -> list[Problem]:
    """Faults of form, and the problems that are not of fields that could not be read.

    What could not be read is reported once, not a second time as missing or wrong; a field
    that has no place in this game is unexpected, whatever stands in it.
    """
    known = fields_anywhere(game.ruleset)
    faults = [
        Problem(Code.UNEXPECTED_FIELD, field, {"field": field})
        if (field := _field_of(fault)) in DETAILS and field not in known
        else fault
        for fault in faults
    ]
    unread = {fault.where for fault in faults}
    unread |= {_field_of(fault) for fault in faults if _field_of(fault) in DETAILS}
    kept = [p for p in problems if not unread & {p.where, _field_of(p)}]
    return faults + kept


def _field_of(problem: Problem) -> str:
    return problem.where.partition(".")[0]


def write_result(reading: Reading) -> dict[str, Any]:
    """The `kingscore-result/1` document of a game that was read."""
    result: dict[str, Any] = {
        "format": RESULT_FORMAT,
        "valid": not reading.problems,
        "problems": [
            {
                "entry": reading.entry,
                "code": str(problem.code),
                "where": problem.where,
                "params": dict(problem.params),
            }
            for problem in reading.problems
        ],
    }
    result.update(NO_GAME if reading.game is None else _write_game(reading.game))
    return result


NO_GAME: Json = MappingProxyType(
    {
        "entries": [],
        "totals": [],
        "expected_sum": 0,
        "finished": False,
        "ended_by": None,
        "next": None,
        "ranks": [],
        "out": [],
        "sunk": [],
        "badges": [],
    }
)


def _write_game(game: Game) -> dict[str, Any]:
    outcome = decide(game)
    return {
        "entries": [
            {
                "entry": row.entry,
                "points": list(map(write_points, row.points)),
                "totals": list(map(write_points, row.totals)),
                "expected_sum": write_points(row.expected_sum),
            }
            for row in game.rows
        ],
        "totals": list(map(write_points, game.totals)),
        "expected_sum": write_points(game.expected_sum),
        "finished": game.finished,
        "ended_by": game.ending.by if game.ending else None,
        "next": None if game.finished else _write_next(game),
        "ranks": list(outcome.ranks),
        "out": list(outcome.out),
        "sunk": list(outcome.sunk),
        "badges": [
            {"badge": badge.badge, "seat": badge.seat, "entry": badge.entry}
            for badge in award(game)
        ],
    }


def _write_next(game: Game) -> dict[str, Any]:
    return {
        "declarer": game.declarer,
        "contracts": [contract.id for contract in game.legal_contracts()],
        # A record knows these two; what else a player has left to declare the pages show.
        "must": game.must if game.must in (PENALTY, TRUMP) else None,
        "deal": game.turns + 1,
    }


# Reading the head of a record.

MISSING = object()

HEAD = ("format", "ruleset", "players", "entries")
OPTIONAL_HEAD = ("options", "first_declarer", "title", "place", "played_at")


def _read_head(document: Any) -> tuple[Game, tuple[str, ...]]:
    """The game before its first entry, and the names of the players.

    Raises:
        InvalidEntry: with every problem of the head.
    """
    if not isinstance(document, dict):
        raise InvalidEntry([wrong_type("", "object")])
    problems = list(_check_fields_of_head(document))
    ruleset = None
    try:
        ruleset = read_rules(document.get("ruleset"))
    except InvalidEntry as error:
        problems += error.problems if "ruleset" in document else ()
    if ruleset is not None:
        problems += check_players(ruleset, document.get("players", MISSING))
        problems += check_first_declarer(ruleset, document.get("first_declarer", 0))
        try:
            options = document.get("options", {})
            ruleset = ruleset.with_options(options if isinstance(options, dict) else {})
        except InvalidEntry as error:
            problems += error.problems
    if problems or ruleset is None:
        raise InvalidEntry(problems)
    return Game(ruleset, document.get("first_declarer", 0)), tuple(document["players"])


def read_rules(rules: Any) -> Ruleset:
    """A ruleset of the program by its id, or house rules as a whole document.

    Raises:
        InvalidEntry: there is no such ruleset, or with every problem of the document.
    """
    if isinstance(rules, dict):
        return read_ruleset(rules, "ruleset")
    if not is_text(rules):
        raise InvalidEntry([wrong_type("ruleset", "string or object")])
    if rules not in RULESETS:
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": rules})])
    return RULESETS[rules]


def _is_text(document: Json, name: str) -> bool:
    return is_text(document.get(name))


def _check_fields_of_head(document: Json) -> Iterator[Problem]:
    for name in HEAD:
        if name not in document:
            yield missing(name)
    for name in document:
        if name not in HEAD and name not in OPTIONAL_HEAD:
            yield Problem(Code.UNEXPECTED_FIELD, name, {"field": name})
    for name in ("format", "title", "place", "played_at"):
        if name in document and not is_text(document[name]):
            yield wrong_type(name, "string")
    for name, kind, word in (("entries", list, "list"), ("options", dict, "object")):
        if name in document and not isinstance(document[name], kind):
            yield wrong_type(name, word)
    yield from _check_format_and_moment(document)


def _check_format_and_moment(document: Json) -> Iterator[Problem]:
    if _is_text(document, "format") and document["format"] != GAME_FORMAT:
        yield Problem(Code.UNKNOWN_FORMAT, "format", {"expected": GAME_FORMAT})
    if _is_text(document, "played_at") and not _is_moment(document["played_at"]):
        yield wrong_type("played_at", "ISO 8601")


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def check_players(ruleset: Ruleset, players: Any) -> Iterator[Problem]:
    """Names in seat order: one per seat, none empty, none twice."""
    if players is MISSING:
        return
    if not isinstance(players, list) or not all(is_text(name) for name in players):
        yield wrong_type("players", "list of strings")
        return
    names = [name.strip() for name in players]
    if len(names) != ruleset.seats or not all(names) or len(set(names)) < len(names):
        yield Problem(Code.WRONG_PLAYERS, "players", {"expected": ruleset.seats, "got": len(names)})


def check_first_declarer(ruleset: Ruleset, seat: Any) -> Iterator[Problem]:
    """The seat that declares the first deal."""
    if not is_integer(seat):
        yield wrong_type("first_declarer", "integer")
    elif seat not in range(ruleset.seats):
        yield Problem(Code.BAD_SEAT, "first_declarer", {"seats": ruleset.seats, "got": seat})
