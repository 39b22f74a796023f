"""Records of games, their digests, and their schema."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from tournaments.engine.documents.entries import (
    DETAILS,
    FORMS,
    any_entry,
    entry_form,
    of_type,
    read_entry,
)
from tournaments.engine.documents.ruleset_records import read_ruleset
from tournaments.engine.documents.shapes import (
    NAME,
    NONZERO_POINTS,
    Definitions,
    if_present,
    option_shape,
)
from tournaments.engine.documents.shapes import TEXT as SHAPES_TEXT
from tournaments.engine.play.games import (
    Game,
    Row,
    check,
    check_room,
    redeal_reasons,
)
from tournaments.engine.play.outcomes import award, decide
from tournaments.engine.rules.entries import (
    ANY_TABLE,
    IMPORTED,
    LIST,
    OBJECT,
    STAKE,
    TEXT,
    TOTALS,
    Adjustment,
    Deal,
    Passed,
    Schema,
    Shape,
    TableShape,
    check_seat,
    fields,
    head_schema,
    is_integer,
    is_text,
    read_stake,
    refer,
    seats_of,
    write_all_points,
    write_points,
    wrong_type,
)
from tournaments.engine.rules.entries import Json as EntriesJson
from tournaments.engine.rules.fields import (
    allowed_anywhere,
    fields_anywhere,
    needed_fields,
    trumps_anywhere,
)
from tournaments.engine.rules.rulesets import (
    LONGEST_REASON,
    PENALTY,
    TRUMP,
    Code,
    InvalidEntry,
    PerSide,
    Points,
    Problem,
    Ruleset,
    number_of,
    refuse,
    write_problem,
)
from tournaments.engine.rules.scoring import Range
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

    Raises: InvalidEntry: `bad-json`, with the message of the parser.
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
            if not stored:
                refuse(check_room(game))
            game = play_entry(game, raw, last=index == last)
        except InvalidEntry as error:
            return Reading(game, names, index, error.problems, **head)
    return Reading(game, names, **head)


def play_entry(game: Game, raw: Any, *, last: bool = True) -> Game:
    """Return the game after one entry of a record.

    Raises: InvalidEntry: with every problem of the entry, in form and content.
    """
    entry, faults = read_entry(raw)
    if entry is None:
        raise InvalidEntry(faults)
    problems = check(game, entry)
    # If no such entry is possible now, problems of its fields add nothing.
    has_no_place = (game.finished and not isinstance(entry, Adjustment)) or (
        isinstance(entry, Passed) and not game.ruleset.passes
    )
    if faults and not has_no_place:
        problems = _merged(game, faults, problems)
    is_left_open = "counts" not in raw and game.ruleset.unnamed is None
    if isinstance(entry, Deal) and not last and not game.finished and is_left_open:
        problems.append(Problem(Code.OPEN_DEAL))
    if problems:
        raise InvalidEntry(problems)
    return game.after(entry)


def _merged(game: Game, faults: list[Problem], problems: list[Problem]) -> list[Problem]:
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
    return faults + [p for p in problems if not unread & {p.where, _field_of(p)}]


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


NO_GAME: EntriesJson = MappingProxyType(
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
        "next": None
        if game.finished
        else {
            "declarer": game.declarer,
            "contracts": [contract.id for contract in game.legal_contracts()],
            # A record has only these two kinds; pages show what else a player may declare.
            "must": game.must if game.must in (PENALTY, TRUMP) else None,
            "deal": game.turns + 1,
        },
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


# Reading the head of a record.

ANYTHING = Shape(lambda _value: (), {})
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
        ).optional(),
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
        "first_declarer": ANYTHING.with_schema({**seats_of(ANY_TABLE), "default": 0}).optional(),
        "title": TEXT.named("text").optional(),
        "place": TEXT.named("text").optional(),
        "played_at": TEXT.named("text").about("ISO 8601.").optional(),
        "stake": STAKE.about("What the game is played for, and who owes it.").optional(),
        "entries": LIST,
    },
    strangers_first=True,
)
FIRST = ("format", "title", "place", "played_at", "entries", "options")
"""The fields whose problems come first."""


def _read_head(document: Any) -> tuple[Game, tuple[str, ...]]:
    """Read the head: the game before its first entry, and the names of the players.

    Raises: InvalidEntry: with every problem of the head.
    """
    if not isinstance(document, dict):
        raise InvalidEntry([wrong_type("", "object")])
    in_order = {name: document[name] for name in (*FIRST, *document) if name in document}
    problems = HEAD.problems(in_order)
    form, played_at = document.get("format"), document.get("played_at")
    if is_text(form) and form != GAME_FORMAT:
        problems.append(Problem(Code.UNKNOWN_FORMAT, "format", {"expected": GAME_FORMAT}))
    if is_text(played_at) and not _is_moment(str(played_at)):
        problems.append(wrong_type("played_at", "ISO 8601"))
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
    stake = read_stake(document.get("stake"), ruleset.settings)
    game = Game(ruleset, document.get("first_declarer", 0), stake=stake)
    return game, tuple(document["players"])


def read_rules(rules: Any) -> Ruleset:
    """Return a built-in ruleset by its id, or read house rules from a whole document.

    Raises: InvalidEntry: if there is no such ruleset, or with every problem of the document.
    """
    if isinstance(rules, dict):
        return read_ruleset(rules, "ruleset")
    if not is_text(rules):
        raise InvalidEntry([wrong_type("ruleset", "string or object")])
    if rules not in RULESETS:
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": rules})])
    return RULESETS[rules]


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
    if not is_integer(first):
        yield wrong_type("first_declarer", "integer")
    else:
        yield from check_seat(ruleset, "first_declarer", first)


Json = Mapping[str, Any]

PERSONAL = ("author", "note")
"""The fields of an entry that its digest leaves out."""

NUMBERED = re.compile(r"-[0-9]{3}")
STOPPED: Json = {"type": "stopped", "reason": "other"}


@dataclass(frozen=True, slots=True)
class TotalsEntry:
    """The history of a game with its totals as one entry.

    `first` is the revision of that entry, `fewer` the number of revisions that it replaces.
    """

    writes: Sequence[Json]
    first: int
    fewer: int

    def revision_now(self, revision: int) -> int:
        """Return the number that a revision has in the new history."""
        return revision if revision <= self.first else max(self.first, revision - self.fewer)


def written_out(totals: Sequence[Points], reason: str, rules: Ruleset) -> Iterator[Json]:
    """Yield the entries that stood for totals: an adjustment for each side, and the end."""
    for number, points in enumerate(totals):
        if points:
            yield {
                "type": "adjustment",
                "seat": number,
                "points": write_points(points),
                "to": "none",
                "reason": reason,
            }
    if rules.target is None or max(totals) < rules.target:
        yield STOPPED


def as_one_entry(writes: Sequence[Json], rules: Ruleset, whole: Range | None) -> TotalsEntry | None:
    """Return the history of a game with its totals as one entry; None if it cannot be told so.

    `writes` are as in a tournament document, `whole` is the sum of a whole game. A correction of a
    line becomes a version of the totals. What says anything else, such as a line that was given a
    reason of its own or the seat of another, stays as it was written.
    """
    begin = next((at for at, write in enumerate(writes) if _reason_of(write["body"])), len(writes))
    standing = {write["position"]: write["body"] for write in writes[:begin]}
    standing.pop(None, None)
    lines = _lines(writes[begin:])
    if any(standing.values()) or not lines:
        return None
    reason = _reason_of(lines[0]["body"])
    bodies = {line["position"]: line["body"] for line in lines}
    position, first = lines[0]["position"], writes[begin]["revision"]
    body = _body(bodies, reason, rules, {})
    if body is None:
        return None
    # A game ended early may have any sum.
    if not _can_end(rules, whole, _totals(bodies, rules)):
        body["early"] = True
    flags: Json = {name: True for name in ("early", "imported") if name in body}
    keys = [line["key"] for line in lines]
    key = keys[0]
    if reason == TOTALS and len({k[:-4] for k in keys}) == 1 and NUMBERED.match(key[-4:]):
        key = key[:-4]
    whole_entry = {"key": key, "revision": first, "position": position, "body": body}
    history: list[Json] = [*writes[:begin], {**lines[-1], **whole_entry}]
    fewer = len(lines) - 1
    for write in writes[begin + len(lines) :]:
        after = {**write, "revision": write["revision"] - fewer}
        if write["position"] in bodies:
            bodies[write["position"]] = write["body"]
            changed = _body(bodies, reason, rules, flags)
            if changed is None:
                return None
            if "early" not in flags and not _can_end(rules, whole, _totals(bodies, rules)):
                changed["unchecked"] = True
            after |= {"kind": "correction", "position": position, "body": changed}
        history.append(after)
    stands = [
        {name: value for name, value in body.items() if name not in PERSONAL}
        for _position, body in sorted(bodies.items())
        if body is not None
    ]
    # Then the digest of the record is the same, too.
    if stands != list(written_out(_totals(bodies, rules), reason, rules)):
        return None
    return TotalsEntry(history, first, fewer)


def _reason_of(body: Json | None) -> str:
    """Return the reason of an adjustment that stands for a total; empty for other entries."""
    if body is None or body.get("type") != "adjustment" or body.get("to") != "none":
        return ""
    return str(body["reason"]) if body["reason"] in (IMPORTED, TOTALS) else ""


def _lines(writes: Sequence[Json]) -> list[Json]:
    """Return the writes of one result: an adjustment for each side, and the end of the game."""
    lines: list[Json] = []
    for write in writes:
        body, same = write["body"], not lines or write["at"] == lines[0]["at"]
        if write["kind"] != "entry" or not same:
            break
        if body == STOPPED:
            return [*lines, write]
        if not _reason_of(body) or any(body["seat"] <= line["body"]["seat"] for line in lines):
            break
        lines.append(write)
    return lines


def _body(
    bodies: Mapping[int, Json | None], reason: str, rules: Ruleset, flags: Json
) -> dict[str, Any] | None:
    """Return the totals of lines as an entry; None if they say anything else."""
    lines = [body for body in bodies.values() if body is not None and body["type"] != "stopped"]
    ends = [body for body in bodies.values() if body is not None and body["type"] == "stopped"]
    plain = {"type", "seat", "points", "to", "reason", "note"}
    if any(_reason_of(line) != reason or line.keys() - plain for line in lines):
        return None
    if any(end != STOPPED for end in ends) or (rules.target is None and not ends):
        return None
    note = "; ".join(dict.fromkeys(line["note"] for line in lines if line.get("note")))
    if len(note) > LONGEST_REASON:
        return None
    totals = [write_points(points) for points in _totals(bodies, rules)]
    body: dict[str, Any] = {"type": "totals", "totals": totals}
    body |= {"imported": True} if reason == IMPORTED else {}
    return {**body, **flags, **({"note": note} if note else {})}


def _totals(bodies: Mapping[int, Json | None], rules: Ruleset) -> PerSide:
    totals: list[Points] = [0] * rules.side_count
    for body in bodies.values():
        if body is not None and body["type"] == "adjustment":
            totals[rules.sides[body["seat"]]] += number_of(body["points"]) or 0
    return tuple(totals)


def _can_end(rules: Ruleset, whole: Range | None, totals: PerSide) -> bool:
    in_range = whole is None or whole[0] <= sum(totals) <= whole[1]
    return in_range and (rules.target is None or max(totals) >= rules.target)


ALPHABET = "ACDEFHJKMNPRTWXY"
"""One letter for each hexadecimal digit; none looks like a digit or like another of them."""

LETTERS = 12

OF_A_RECORD: Json = {
    "format": None,
    "ruleset": None,
    "options": {},
    "first_declarer": 0,
    "played_at": None,
}
"""The fields of a record that its digest covers beside its entries, with their defaults."""


def digest_of(value: Any) -> str:
    """Return the SHA-256 of a JSON value in its canonical form, in hexadecimal digits."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def letters_of(digest: str) -> str:
    """Return the first digits of a digest as letters, in groups of four."""
    letters = "".join(ALPHABET[int(digit, 16)] for digit in digest[:LETTERS])
    return " ".join(letters[at : at + 4] for at in range(0, LETTERS, 4))


def digits_of(letters: str) -> str | None:
    """Return the first digits of the digest with these letters; None if they are no such code."""
    typed = "".join(letters.upper().split()).replace("-", "")
    if len(typed) != LETTERS or not set(ALPHABET).issuperset(typed):
        return None
    return "".join(f"{ALPHABET.index(letter):x}" for letter in typed)


def digest_of_game(record: Json) -> str:
    """Return the digest of a `kingscore-game/1` record, whoever played and wherever."""
    entries: list[Json] = []
    for entry in record["entries"]:
        counted: Iterable[Json] = (entry,)
        if entry["type"] == "totals":
            # What stood for totals before they were an entry: so a code printed then is still
            # right, and both forms of a game have one digest.
            rules = read_rules(record["ruleset"]).with_options(record.get("options", {}))
            totals = [number_of(points) or 0 for points in entry["totals"]]
            counted = written_out(totals, IMPORTED if entry.get("imported") else TOTALS, rules)
        entries += [
            {name: value for name, value in body.items() if name not in PERSONAL}
            for body in counted
        ]
    head = {name: record.get(name, default) for name, default in OF_A_RECORD.items()}
    return digest_of(head | {"entries": entries})


def digest_of_round(place: Json, games: Sequence[str], rulings: Iterable[Json], before: str) -> str:
    """Return the digest of a closed round, in the form of a tournament document.

    `games` are the digests of its tables' games, `before` that of the round before; both may be
    empty. The standings are the places and points kept when it was closed.
    """
    return digest_of(
        {
            "number": place["number"],
            "stage": place["stage"],
            "tables": [
                [table["number"], table["entrants"], game]
                for table, game in zip(place["tables"], games, strict=True)
            ],
            "byes": place["byes"],
            "standings": place["standings"],
            "rulings": [
                [ruling["entrant"], ruling["kind"], ruling["points"]]
                for ruling in rulings
                if ruling["withdrawn_at"] is None
            ],
            "before": before,
        }
    )


def digest_of_tournament(seed: int, rounds: Sequence[str]) -> str:
    """Return the digest of a finished tournament: over its seed and its rounds."""
    return digest_of({"seed": seed, "rounds": list(rounds)})


def digest_of_document(document: Json) -> str:
    """Return the digest of a whole document without its own field `digest`."""
    return digest_of({name: value for name, value in document.items() if name != "digest"})


@cache
def game_schema() -> Schema:
    shared = Definitions({"text": SHAPES_TEXT, "name": NAME, "points": NONZERO_POINTS})
    own_rules: Schema = {
        "if": if_present("ruleset", {"type": "object"}),
        "then": if_present("entries", {"items": shared.define("entry", any_entry(shared))}),
    }
    # The conditions of each ruleset for its games; rulesets with equal conditions are grouped.
    ids_by_form: dict[str, list[str]] = {}
    for ruleset in RULESETS.values():
        form = shared.define(ruleset.id, _game_form(ruleset, shared))
        ids_by_form.setdefault(form["$ref"], []).append(ruleset.id)
    built_in = [
        {"if": if_present("ruleset", {"enum": ids}), "then": {"$ref": form}}
        for form, ids in ids_by_form.items()
    ]
    return {
        **head_schema("game", GAME_FORMAT),
        "description": "One game at one table. The form only: whether the deals could have been"
        " played is told by a kingscore-result/1 document. A whole number is written without a"
        " decimal point.",
        **HEAD.schema,
        "dependentSchemas": {"ruleset": {"allOf": [own_rules, *built_in]}},
        "$defs": shared.by_name,
    }


# The fields that a table with a ruleset may write.


def _game_form(ruleset: Ruleset, shared: Definitions) -> Schema:
    form: Schema = {
        "properties": {
            "options": {
                "additionalProperties": False,
                "properties": {o.setting: option_shape(o) for o in ruleset.options},
            },
            "players": {"minItems": ruleset.seats, "maxItems": ruleset.seats},
            "first_declarer": seats_of(TableShape.of(ruleset)),
            "entries": {"items": shared.define(f"{ruleset.id}.entry", entry_form(ruleset, shared))},
        }
    }
    chosen: list[Schema] = []
    for option in ruleset.options:
        setting = option.setting
        ways = {value: ruleset.with_options({setting: value}) for value in option.values}
        for value, way in ways.items():
            if narrowed := _narrowed(way, list(ways.values())):
                choice = if_present(setting, {"const": value})
                if value == ruleset.settings.get(setting):
                    # The default may be left out.
                    condition = if_present("options", choice)
                else:
                    condition = if_present("options", {**choice, "required": [setting]})
                    condition["required"] = ["options"]
                chosen.append({"if": condition, "then": if_present("entries", {"items": narrowed})})
    if chosen:
        form |= shared.define(f"{ruleset.id}.options", {"allOf": chosen})
    return form


def _narrowed(way: Ruleset, ways: Sequence[Ruleset]) -> Schema:
    """Return the fields that an entry cannot have, or must have, at one of the tables."""
    every, own = allowed_anywhere(ways), allowed_anywhere([way])
    shapes: Schema = {name: False for name in FORMS["deal"].fields if name in every - own}
    if lost := trumps_anywhere(ways) - trumps_anywhere([way]):
        shapes["trump"] = {"not": {"enum": sorted(lost)}}
    by_type = []
    reasons = redeal_reasons([way])
    if len(reasons) < len(redeal_reasons(ways)):
        by_type.append(of_type("redeal", if_present("reason", {"enum": reasons})))
    if way.unnamed is not None:
        needed = needed_fields(way, way.unnamed)
        if any(len(needed_fields(other, way.unnamed)) < len(needed) for other in ways):
            by_type.append(of_type("deal", {"required": needed}))
    narrowed: Schema = {"properties": shapes} if shapes else {}
    return narrowed | ({"allOf": by_type} if by_type else {})
