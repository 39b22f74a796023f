"""The portable JSON documents: `kingscore-game/1` read strictly, `kingscore-result/1` written.

`docs/records.md` §1 is the contract. Unknown fields are errors; missing values are not guessed.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from tournaments.engine.documents.entry_records import DETAILS, read_entry
from tournaments.engine.documents.ruleset_records import read_ruleset
from tournaments.engine.documents.usual_deals import read_usual_deal
from tournaments.engine.play.games import Game, Row, check, check_room
from tournaments.engine.play.outcomes import award, decide
from tournaments.engine.rules.entries import Adjustment, Deal, Entry, Passed
from tournaments.engine.rules.entry_shapes import ANY_TABLE, seat
from tournaments.engine.rules.fields import check_seat, fields_anywhere
from tournaments.engine.rules.problems import (
    Code,
    InvalidEntry,
    Problem,
    refuse,
    write_problem,
)
from tournaments.engine.rules.rulesets import PENALTY, TRUMP, Ruleset
from tournaments.engine.rules.scoring import score_deal
from tournaments.engine.rules.shapes import (
    LIST,
    OBJECT,
    TEXT,
    Json,
    Shape,
    fields,
    is_integer,
    is_text,
    refer,
    write_all_points,
    write_points,
    wrong_type,
)
from tournaments.engine.variants import RULESETS
from tournaments.engine.work import spend

GAME_FORMAT = "kingscore-game/1"
RESULT_FORMAT = "kingscore-result/1"


@dataclass(frozen=True, slots=True)
class Reading:
    """A game record, as far as it could be read.

    `game` is the game before the first bad entry (None if the head is bad). `players` are the names
    in seat order. `problems` belong to the entry number `entry` (None: the head).
    """

    game: Game | None
    players: tuple[str, ...] = ()
    entry: int | None = None
    problems: tuple[Problem, ...] = ()
    title: str = ""
    place: str = ""
    played_at: str = ""


def parse_json(text: str | bytes) -> Any:
    """Parse strict JSON: UTF-8, no NaN, no repeated fields.

    Raises:
        InvalidEntry: `bad-json`, with the message of the parser.
    """
    try:
        # Bytes must be UTF-8; a byte order mark is not part of the document.
        return STRICT.decode(text if isinstance(text, str) else text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InvalidEntry([Problem(Code.BAD_JSON, "", {"error": str(error)})]) from error


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field stands twice in one object")
    return fields


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


STRICT = json.JSONDecoder(object_pairs_hook=_object_without_repeats, parse_constant=_no_constant)


def read_game(document: Any, *, stored: bool = False) -> Reading:
    """Read a `kingscore-game/1` document and play it, up to the first invalid entry.

    The record of a `stored` game may be longer than sheets may be today.
    """
    try:
        game, names = _read_head(document)
    except InvalidEntry as error:
        return Reading(None, problems=error.problems)
    head = {name: document.get(name, "") for name in ("title", "place", "played_at")}
    last = len(document["entries"]) - 1
    spend(1)
    for index, raw in enumerate(document["entries"]):
        spend(1)
        try:
            refuse(() if stored else check_room(game))
            game = play_entry(game, raw, last=index == last)
        except InvalidEntry as error:
            return Reading(game, names, index, error.problems, **head)
    return Reading(game, names, **head)


def play_entry(game: Game, raw: Any, *, last: bool = True) -> Game:
    """Return the game after one entry of a record.

    Raises:
        InvalidEntry: with every problem of the entry, in form and content.
    """
    if isinstance(raw, dict) and (usual := read_usual_deal(game, raw)):
        contract, deal = usual
        score = score_deal(game.ruleset, contract, deal)
        return game.after_scored(deal, contract, score, (*game.entries, deal))
    entry, faults = read_entry(raw)
    if entry is None:
        raise InvalidEntry(faults)
    problems = check(game, entry)
    # If no such entry is possible now, problems of its fields add nothing.
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
    """Merge faults of form with the problems of fields that could be read.

    A field that could not be read is reported once, not again as missing or wrong. A field that has
    no place in this game is unexpected, whatever its value.
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
    """Return the `kingscore-result/1` document of a game record."""
    result: dict[str, Any] = {
        "format": RESULT_FORMAT,
        "valid": not reading.problems,
        "problems": [write_problem(problem, reading.entry) for problem in reading.problems],
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
        "entries": list(map(_write_row, game.rows)),
        "totals": write_all_points(game.totals),
        "expected_sum": write_points(game.expected_sum),
        "finished": game.finished,
        "ended_by": game.ending.by if game.ending else None,
        "next": None if game.finished else _write_next(game),
        "ranks": list(outcome.ranks),
        "out": list(outcome.out),
        "sunk": list(outcome.sunk),
        "badges": [
            {"badge": badge.badge, "seat": badge.seat, "entry": badge.entry}
            for badge in award(game, outcome)
        ],
    }


def _write_row(row: Row) -> dict[str, Any]:
    entry, points, totals, expected = row
    if type(sum(points, sum(totals, expected))) is int:  # The usual case, so it must be fast.
        return {
            "entry": entry,
            "points": list(points),
            "totals": list(totals),
            "expected_sum": expected,
        }
    return {
        "entry": entry,
        "points": write_all_points(points),
        "totals": write_all_points(totals),
        "expected_sum": write_points(expected),
    }


def _write_next(game: Game) -> dict[str, Any]:
    return {
        "declarer": game.declarer,
        "contracts": [contract.id for contract in game.legal_contracts()],
        # A record has only these two kinds; pages show what else a player has left to declare.
        "must": game.must if game.must in (PENALTY, TRUMP) else None,
        "deal": game.turns + 1,
    }


# Reading the head of a record.

ANYTHING = Shape(lambda _where, _value: (), {}, fits=lambda _value: True)
"""Any value: other checks cover it together with other fields."""

HEAD = fields(
    {
        "format": TEXT.with_schema({"const": GAME_FORMAT}),
        "ruleset": ANYTHING.with_schema(
            {
                "description": "The id of a ruleset, or a kingscore-ruleset/1 document.",
                "type": ["string", "object"],
                "if": {"type": "string"},
                "then": {"enum": list(RULESETS)},
                "else": {"$ref": "urn:kingscore:ruleset:1"},
            }
        ),
        "options": OBJECT.about(
            "What differs from the defaults of the ruleset; these may be stated."
        ),
        "players": ANYTHING.with_schema(
            {
                "description": "Different names, in seat order, which is the order of play.",
                "type": "array",
                "items": refer("name"),
                "minItems": ANY_TABLE.seats[0],
                "maxItems": ANY_TABLE.seats[1],
                "uniqueItems": True,
            }
        ),
        "first_declarer": ANYTHING.with_schema({**seat(ANY_TABLE).schema, "default": 0}),
        "title": TEXT.named("text"),
        "place": TEXT.named("text"),
        "played_at": TEXT.named("text").about("ISO 8601."),
        "entries": LIST,
    },
    ("format", "ruleset", "players", "entries"),
    strangers_first=True,
)
FIRST = ("format", "title", "place", "played_at", "entries", "options")
"""The fields whose problems come first."""


def _read_head(document: Any) -> tuple[Game, tuple[str, ...]]:
    """Read the head: the game before its first entry, and the names of the players.

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
        if "players" in document:
            problems += check_players(ruleset, document["players"])
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
    """Return a built-in ruleset by its id, or read house rules from a whole document.

    Raises:
        InvalidEntry: if there is no such ruleset, or with every problem of the document.
    """
    if isinstance(rules, dict):
        return read_ruleset(rules, "ruleset")
    if not is_text(rules):
        raise InvalidEntry([wrong_type("ruleset", "string or object")])
    if rules not in RULESETS:
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": rules})])
    return RULESETS[rules]


def _check_fields_of_head(document: Json) -> Iterator[Problem]:
    in_order = {name: document[name] for name in (*FIRST, *document) if name in document}
    yield from HEAD.check("", in_order)
    form, played_at = document.get("format"), document.get("played_at")
    if is_text(form) and form != GAME_FORMAT:
        yield Problem(Code.UNKNOWN_FORMAT, "format", {"expected": GAME_FORMAT})
    if is_text(played_at) and not _is_moment(str(played_at)):
        yield wrong_type("played_at", "ISO 8601")


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def check_players(ruleset: Ruleset, players: Any) -> Iterator[Problem]:
    """Check the names in seat order: one per seat, none empty, no duplicates."""
    if not isinstance(players, list) or not all(map(is_text, players)):
        yield wrong_type("players", "list of strings")
        return
    names = [name.strip() for name in players]
    if len(names) != ruleset.seats or not all(names) or len(set(names)) < len(names):
        yield Problem(Code.WRONG_PLAYERS, "players", {"expected": ruleset.seats, "got": len(names)})


def check_first_declarer(ruleset: Ruleset, first: Any) -> Iterator[Problem]:
    """Check the seat that declares the first deal."""
    if not is_integer(first):
        yield wrong_type("first_declarer", "integer")
    else:
        yield from check_seat(ruleset, "first_declarer", first)
