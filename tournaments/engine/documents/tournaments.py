"""Tournaments in documents: their schema, their results, and any moment of them."""

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import accumulate
from typing import Any

from tournaments.engine.documents.entries import read_entry
from tournaments.engine.documents.games import Reading, read_game, read_rules
from tournaments.engine.documents.pairings import WEIGHTS, is_score
from tournaments.engine.documents.shapes import EVENT_FIELDS, TIME_ZONE
from tournaments.engine.pairing.field import Entrant
from tournaments.engine.pairing.methods import METHODS
from tournaments.engine.play.games import Game, share_of_unplayed
from tournaments.engine.play.outcomes import award, decide
from tournaments.engine.rules.entries import (
    DAY,
    INTEGER,
    LARGE,
    MOMENT,
    OBJECT,
    POINTS_SCHEMA,
    SMALL,
    STAKE,
    SWITCH,
    WORTH,
    Problems,
    Schema,
    Shape,
    fields,
    head_schema,
    listed,
    matching,
    one_of,
    or_null,
    plain,
    slug,
    text,
    whole,
    within,
    write_points,
    write_value,
    wrong_type,
)
from tournaments.engine.rules.rulesets import (
    LONGEST_ID,
    LONGEST_NAME,
    LONGEST_REASON,
    LONGEST_SHOWN_NAME,
    LONGEST_TOURNAMENT_SLUG,
    Code,
    InvalidEntry,
    Problem,
    Ruleset,
    check_known,
    check_repeated,
    number_of,
    refuse,
)
from tournaments.engine.standings.results import (
    MISSED,
    PENALTY,
    RULINGS,
    Competitor,
    RoundResults,
    Ruling,
    TableResult,
)
from tournaments.engine.standings.standings import STAGES, Standing, rank_with_finals
from tournaments.engine.standings.tournament_settings import (
    SECTIONS,
    SETTINGS,
    TournamentSettings,
    read_stored_settings,
)
from tournaments.engine.work import spend

TOURNAMENT_FORMAT = "kingscore-tournament/1"

STATES = ("draft", "registration", "running", "finished")
HEAD_WRITE, WITHDRAWAL = "head", "withdrawal"
WRITES = ("entry", "completion", "reveal", "correction", WITHDRAWAL, HEAD_WRITE)


def _check_standings(value: Any) -> Sequence[Problem]:
    if not isinstance(value, dict):
        return (wrong_type("", "object"),)
    found: list[Problem] = []
    for name, row in value.items():
        of_row = [*ENTRANT_ID.check(name)]
        if not isinstance(row, list) or len(row) != len(("place", "points")):
            of_row.append(wrong_type("", "list of place and points"))
        else:
            of_row += within("[0]", PLACE.check(row[0])) + within("[1]", WORTH.check(row[1]))
        found += within(f".{name}", of_row)
    return found


PLAYER_ID = matching("p[1-9][0-9]{0,5}", "p1, p2, …")
ENTRANT_ID = matching("e[1-9][0-9]{0,3}", "e1, e2, …")
NAME = text(LONGEST_NAME, least=1)
TITLE = text(LONGEST_NAME)
COUNT, PLACE, NUMBER = whole(0, LARGE), whole(1, SMALL), whole(1, SMALL)
ROUND_NUMBER = whole(1, 200)
STANDINGS = Shape(
    _check_standings,
    {
        "type": "object",
        "propertyNames": ENTRANT_ID.schema,
        "additionalProperties": {
            "type": "array",
            "prefixItems": [PLACE.schema, WORTH.schema],
            "minItems": 2,
            "maxItems": 2,
        },
    },
)
"""The places and points of entrants, by id, when a round was closed."""

SEASON = fields(
    {"name": NAME, "starts_on": DAY, "ends_on": DAY, "league_best": or_null(whole(1, SMALL))}
)


def _of_event(*names: str) -> dict[str, Shape]:
    return {name: EVENT_FIELDS[name].shape for name in names}


DIGEST = matching("[0-9a-f]{64}", "SHA-256, in hexadecimal digits")
_OF_THE_FIRST = {
    "slug": slug(LONGEST_TOURNAMENT_SLUG),
    **_of_event("name", "held_on"),
    "season": or_null(SEASON),
    "state": one_of(STATES),
    **_of_event("published", "table_codes", "confirmations"),
    "seed": COUNT,
}
FURTHER = tuple(name for name in EVENT_FIELDS if name not in _OF_THE_FIRST)
"""The fields of events that are newer than the format; a document leaves out empty ones."""

TOURNAMENT = fields(
    {
        **_OF_THE_FIRST,
        **{name: EVENT_FIELDS[name].shape.optional() for name in FURTHER},
        "cancelled_at": MOMENT.optional(),
        "digest": DIGEST.optional(),
    }
)
ENTRANT = fields(
    {
        "id": ENTRANT_ID,
        "players": listed(PLAYER_ID, 1, 2),
        "team": text(LONGEST_NAME),
        "represents": text(LONGEST_NAME),
        "house": SWITCH,
        "joins_in": NUMBER,
        "withdrawn_at": or_null(MOMENT),
        "checked_in": whole(0, SMALL),
        "registered_at": MOMENT,
        "waiting": SWITCH.optional(),
        "paid": SWITCH.optional(),
        "section": one_of(("", *SECTIONS)).optional(),
        "preferred_table": whole(1, SMALL).optional(),
        "missed": one_of(("", *MISSED)).optional(),
    }
)
SUBSTITUTE = fields(
    {
        "entrant": ENTRANT_ID,
        "round": ROUND_NUMBER,
        "instead_of": PLAYER_ID,
        "player": PLAYER_ID,
    }
)
LINE_UP = fields(
    {
        "round": ROUND_NUMBER,
        "team": text(LONGEST_NAME, least=1),
        "entrants": listed(ENTRANT_ID),
    }
)
WRITE = fields(
    {
        "revision": NUMBER,
        "kind": one_of(WRITES),
        "position": or_null(whole(0, SMALL)),
        "body": or_null(OBJECT),
        "before": or_null(OBJECT),
        "author": text(LONGEST_NAME),
        "reason": text(LONGEST_REASON),
        "at": MOMENT,
        "key": matching("[0-9A-Za-z_-]{1,64}", "1 to 64 letters, digits, - or _"),
    }
)
HEAD = fields(
    {
        "players": listed(text(LONGEST_SHOWN_NAME, least=1), 2, 4),
        "first_declarer": whole(0, 3),
        "options": OBJECT,
        "title": TITLE,
        "place": TITLE,
        "stake": STAKE.optional(),
    }
)
_SIDES = listed(whole(0, 3), 0, 4)
RESULT = fields(
    {
        "totals": listed(WORTH, 2, 4),
        "ranks": listed(PLACE, 2, 4),
        "out": _SIDES,
        "sunk": _SIDES,
        "kings": listed(whole(0, 3)),
    }
)
GAME = fields(
    {
        "record": OBJECT.with_schema({"$ref": "urn:kingscore:game:1"}),
        "writes": listed(WRITE),
        "confirmations": listed(fields({"seat": whole(0, 3), "revision": NUMBER, "at": MOMENT})),
        "result": RESULT.optional(),
        "digest": DIGEST.optional(),
    }
)
TABLE = fields(
    {
        "number": NUMBER,
        "entrants": listed(ENTRANT_ID, 2, 4),
        "seats": listed(PLAYER_ID, 2, 4),
        "extra_seconds": COUNT,
        "game": GAME,
    }
)
SEATING = fields(
    {
        "tables": listed(listed(ENTRANT_ID, 2, 4)),
        "byes": listed(ENTRANT_ID),
        "locked": listed(whole(0, SMALL)),
    }
)
SEATS = listed(ENTRANT_ID, 2, 4)
DRAW = fields(
    {
        "version": NUMBER,
        "method": one_of(tuple(METHODS)),
        "seed": INTEGER,
        "weights": WEIGHTS,
        "first": ROUND_NUMBER,
        "rounds_left": ROUND_NUMBER,
        "table_size": whole(2, 4),
        "separate_clubs": SWITCH,
        "score_before_seats": SWITCH,
        "sections": listed(
            fields(
                {
                    "entrants": listed(
                        fields(
                            {
                                "id": ENTRANT_ID,
                                "score": plain(
                                    'integer or "p/q"', is_score, POINTS_SCHEMA, number_of
                                ),
                                "club": text(LONGEST_NAME),
                                "table": whole(0, SMALL).optional(),
                            },
                            make=Entrant,
                        )
                    ),
                    "avoid": listed(listed(ENTRANT_ID, 2, 2)),
                    "kept": listed(fields({"place": whole(0, SMALL), "entrants": SEATS})),
                }
            )
        ),
        "tables": listed(SEATS),
        "byes": listed(ENTRANT_ID),
        "fewest_repeats": fields({"repeat_meetings": COUNT, "score_spread": WORTH}).optional(),
        "alternatives": fields(
            {
                "by_lot": WORTH,
                "nearest": WORTH,
                "offered": listed(
                    fields(
                        {
                            "weights": WEIGHTS,
                            "seed": INTEGER,
                            "repeat_meetings": COUNT,
                            "score_spread": WORTH,
                        }
                    )
                ),
            }
        ).optional(),
    }
)
"""What a round was drawn with, by sections, and what came out.

`fewest_repeats` is how it would be with as few repeats as possible, if there are more. With the
weights and the seed of one of the `alternatives` it was drawn; the first of them stood first.
"""

RANKING = listed(
    fields(
        {
            "entrant": ENTRANT_ID,
            "section": one_of(("", *SECTIONS)),
            "place": PLACE,
            "shared": SWITCH,
            "points": WORTH,
            "penalties": WORTH,
            "round": or_null(WORTH),
            "tie_breaks": listed(or_null(WORTH)),
        }
    )
)
"""The standings after a closed round, by section and place."""

ROUND = fields(
    {
        "number": ROUND_NUMBER,
        "stage": one_of(("", *STAGES)),
        "published_at": or_null(MOMENT),
        "opened_at": or_null(MOMENT),
        "closed_at": or_null(MOMENT),
        "clock": fields({"seconds": or_null(COUNT), "used": COUNT, "started_at": or_null(MOMENT)}),
        "seating": or_null(SEATING),
        "standings": or_null(STANDINGS),
        "tables": listed(TABLE),
        "byes": listed(ENTRANT_ID),
        "draw": DRAW.optional(),
        "ranking": RANKING.optional(),
        "digest": DIGEST.optional(),
    }
)
RULING = fields(
    {
        "round": ROUND_NUMBER,
        "entrant": ENTRANT_ID,
        "kind": one_of(RULINGS),
        "points": WORTH,
        "reason": text(LONGEST_REASON, least=1),
        "at": MOMENT,
        "withdrawn_at": or_null(MOMENT),
    }
)
DOCUMENT = fields(
    {
        "format": plain(
            TOURNAMENT_FORMAT,
            lambda value: isinstance(value, str),
            {"const": TOURNAMENT_FORMAT},
        ),
        "club": fields({"slug": slug(LONGEST_ID), "name": NAME, "time_zone": TIME_ZONE.optional()}),
        "tournament": TOURNAMENT,
        "ruleset": plain(
            "string or object",
            lambda value: isinstance(value, str | dict),
            {"type": ["string", "object"], "else": {"$ref": "urn:kingscore:ruleset:1"}}
            | {"if": {"type": "string"}},
        ),
        "options": OBJECT,
        "settings": SETTINGS,
        "players": listed(fields({"id": PLAYER_ID, "name": or_null(NAME), "initials": SWITCH})),
        "entrants": listed(ENTRANT),
        "substitutes": listed(SUBSTITUTE),
        "rounds": listed(ROUND),
        "rulings": listed(RULING),
        "line_ups": listed(LINE_UP).optional(),
        "digest": DIGEST.optional(),
    }
)


def tournament_schema() -> Schema:
    return {
        **head_schema("tournament", TOURNAMENT_FORMAT),
        "description": "A whole tournament: who took part, who sat where, every sheet with its"
        " history, and what was ruled. The form only: what the parts say of each other is"
        " checked when it is imported.",
        **DOCUMENT.schema,
    }


Json = Mapping[str, Any]

TABLE_SIZES = (2, 4)
"""The possible numbers of sides at the tables of a tournament."""


@dataclass(frozen=True)
class TournamentRecord:
    """A tournament record: its document, the rules with their options, and its games.

    `games` holds the fold of each sheet, by round number and table number. `results` caches what
    each fold counts at its table.
    """

    document: Json
    rules: Ruleset
    games: Mapping[tuple[int, int], Game]
    results: dict[int, tuple[Game, TableResult]] = field(default_factory=dict)

    @cached_property
    def settings(self) -> TournamentSettings:
        return read_stored_settings(self.document["settings"])


def read_tournament(document: Any) -> TournamentRecord:
    """Read a `kingscore-tournament/1` document.

    Raises:
        InvalidEntry: with every problem of the form, or if the form is valid, of the content;
            `where` is the path of the field.
    """
    problems = DOCUMENT.problems(document)
    named = document.get("format") if isinstance(document, dict) else None
    if isinstance(named, str) and named != TOURNAMENT_FORMAT:
        problems.append(Problem(Code.UNKNOWN_FORMAT, "format", {"expected": TOURNAMENT_FORMAT}))
    refuse(problems)
    rules = read_rules(document["ruleset"]).with_options(document["options"])
    if rules.side_count not in TABLE_SIZES:
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": rules.id})])
    games: dict[tuple[int, int], Game] = {}
    refuse([*_check_sense(document, rules), *_check_games(document, rules, games)])
    return TournamentRecord(document, rules, games)


def write_tournament(document: Json) -> str:
    """Return the document as text: sorted keys, one space per level, a final line break."""
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def number_of_entrant(entrant_id: str) -> int:
    return int(entrant_id[1:])


def _within(where: str, problems: Iterable[Problem]) -> Problems:
    for problem in problems:
        yield replace(problem, where=f"{where}.{problem.where}" if problem.where else where)


# Conditions between parts.


def _check_sense(document: Json, rules: Ruleset) -> Problems:
    players = [player["id"] for player in document["players"]]
    yield from check_repeated("players", players)
    season = document["tournament"]["season"]
    if season is not None and season["ends_on"] < season["starts_on"]:
        yield wrong_type("tournament.season.ends_on", f"{season['starts_on']} or later")
    yield from _check_entrants(document, rules, set(players))
    yield from _check_substitutes(document, set(players))
    state, rounds = document["tournament"]["state"], document["rounds"]
    if rounds and state in ("draft", "registration"):
        yield wrong_type("tournament.state", "running | finished")
    if state == "finished" and any(round_["closed_at"] is None for round_ in rounds):
        yield wrong_type("tournament.state", "running")
    for at, round_ in enumerate(rounds):
        yield from _check_round(f"rounds[{at}]", at + 1, round_)
        yield from _check_seats(f"rounds[{at}]", round_, document, rules)
    yield from _check_rulings(document)
    entrants = {entrant["id"] for entrant in document["entrants"]}
    line_ups = document.get("line_ups", ())
    yield from check_repeated("line_ups", (f"{each['round']} {each['team']}" for each in line_ups))
    for at, line_up in enumerate(line_ups):
        yield from check_known(f"line_ups[{at}].entrants", line_up["entrants"], entrants)
        yield from check_repeated(f"line_ups[{at}].entrants", line_up["entrants"])


def _check_entrants(document: Json, rules: Ruleset, players: set[str]) -> Problems:
    entrants = document["entrants"]
    yield from check_repeated("entrants", (entrant["id"] for entrant in entrants))
    yield from check_repeated(
        "entrants", (name for entrant in entrants for name in entrant["players"])
    )
    for at, entrant in enumerate(entrants):
        where = f"entrants[{at}].players"
        yield from check_known(where, entrant["players"], players)
        if len(entrant["players"]) != rules.seats_in_a_side:
            params = {"expected": rules.seats_in_a_side, "got": len(entrant["players"])}
            yield Problem(Code.WRONG_PLAYERS, where, params)


def _check_substitutes(document: Json, players: set[str]) -> Problems:
    entered = {entrant["id"]: entrant["players"] for entrant in document["entrants"]}
    substitutes = document["substitutes"]
    yield from check_repeated(
        "substitutes", (f"{s['entrant']} {s['round']} {s['instead_of']}" for s in substitutes)
    )
    for at, substitute in enumerate(substitutes):
        where = f"substitutes[{at}]"
        entrant, player = substitute["entrant"], substitute["player"]
        yield from check_known(f"{where}.entrant", [entrant], entered)
        yield from check_known(f"{where}.player", [player], players)
        mine = entered.get(entrant, ())
        yield from check_known(f"{where}.instead_of", [substitute["instead_of"]], mine)
        if player == substitute["instead_of"]:
            yield Problem(Code.DUPLICATE_ENTRANT, f"{where}.player", {"entrant": player})


def _check_round(where: str, number: int, round_: Json) -> Problems:
    if round_["number"] != number:
        yield wrong_type(f"{where}.number", str(number))
    steps = [round_[name] for name in ("published_at", "opened_at", "closed_at")]
    for name, before, step in zip(("opened_at", "closed_at"), steps, steps[1:], strict=False):
        if step is not None and before is None:
            yield wrong_type(f"{where}.{name}", "null")
    if round_["published_at"] is None:
        if round_["tables"] or round_["byes"]:
            yield wrong_type(f"{where}.tables", "none before the round is published")
        if round_["seating"] is None:
            yield wrong_type(f"{where}.seating", "object")
    yield from check_repeated(f"{where}.tables", (table["number"] for table in round_["tables"]))


def _check_seats(where: str, round_: Json, document: Json, rules: Ruleset) -> Problems:
    entrants = {entry["id"] for entry in document["entrants"]}
    taking_part = _taking_part(document)
    players = {entry["id"] for entry in document["players"]}
    for name, drawn in _drawings(where, round_):
        everybody = [*(one for table in drawn["tables"] for one in table), *drawn["byes"]]
        yield from check_known(name, everybody, taking_part if name == where else entrants)
        yield from check_repeated(name, everybody)
        for at, table in enumerate(drawn["tables"]):
            if len(table) != rules.side_count:
                params = {"expected": rules.side_count, "got": len(table)}
                yield Problem(Code.ODD_TABLE, f"{name}.tables[{at}]", params)
    for at, table in enumerate(round_["tables"]):
        seats = f"{where}.tables[{at}].seats"
        yield from check_known(seats, table["seats"], players)
        yield from check_repeated(seats, table["seats"])
        if len(table["seats"]) != rules.seats:
            params = {"expected": rules.seats, "got": len(table["seats"])}
            yield Problem(Code.WRONG_SEATS, seats, params)
    yield from check_known(f"{where}.standings", round_["standings"] or (), entrants)


def _drawings(where: str, round_: Json) -> Iterator[tuple[str, Json]]:
    """The seating of a round: as proposed, as drawn, and as published."""
    if round_["seating"] is not None:
        yield f"{where}.seating", round_["seating"]
    if "draw" in round_:
        yield f"{where}.draw", round_["draw"]
    tables = [table["entrants"] for table in round_["tables"]]
    yield where, {"tables": tables, "byes": round_["byes"]}


def _taking_part(document: Json) -> set[str]:
    """The entrants who do not wait for a place: only they play."""
    return {entrant["id"] for entrant in document["entrants"] if not entrant.get("waiting")}


def _check_rulings(document: Json) -> Problems:
    taking_part = _taking_part(document)
    published = {p["number"] for p in document["rounds"] if p["published_at"] is not None}
    standing = []
    for at, ruling in enumerate(document["rulings"]):
        where = f"rulings[{at}]"
        yield from check_known(f"{where}.entrant", [ruling["entrant"]], taking_part)
        if ruling["round"] not in published:
            yield wrong_type(f"{where}.round", "a round that is published")
        if ruling["kind"] == PENALTY and (number_of(ruling["points"]) or 0) <= 0:
            yield wrong_type(f"{where}.points", "above 0")
        if ruling["kind"] != PENALTY and ruling["withdrawn_at"] is None:
            standing.append(f"{ruling['entrant']} {ruling['round']}")
    yield from check_repeated("rulings", standing)


# The sheets.


def _check_games(document: Json, rules: Ruleset, games: dict[tuple[int, int], Game]) -> Problems:
    for at, round_ in enumerate(document["rounds"]):
        for number, table in enumerate(round_["tables"]):
            where, game = f"rounds[{at}].tables[{number}].game", table["game"]
            record, of_record = game["record"], f"{where}.record"
            reading = read_game(record)
            entry = "" if reading.entry is None else f".entries[{reading.entry}]"
            yield from _within(of_record + entry, reading.problems)
            if record.get("ruleset") != document["ruleset"]:
                params = {"expected": "the tournament's"}
                yield Problem(Code.UNKNOWN_RULESET, f"{of_record}.ruleset", params)
            yield from MOMENT.problems(record.get("played_at"), f"{of_record}.played_at")
            for name in ("title", "place"):
                yield from TITLE.problems(record.get(name, ""), f"{of_record}.{name}")
            yield from _check_writes(where, game, rules)
            confirmed = [(row["revision"], row["seat"]) for row in game["confirmations"]]
            where = f"{where}.confirmations"
            yield from check_repeated(where, (f"{revision} {seat}" for revision, seat in confirmed))
            for row, (revision, seat) in enumerate(confirmed):
                if revision > len(game["writes"]):
                    yield wrong_type(f"{where}[{row}].revision", f"{len(game['writes'])} or less")
                if seat >= rules.seats:
                    expected = {"seats": rules.seats, "got": seat}
                    yield Problem(Code.BAD_SEAT, f"{where}[{row}].seat", expected)
            if reading.game is not None:
                games[round_["number"], table["number"]] = reading.game


def _check_writes(where: str, game: Json, rules: Ruleset) -> Problems:
    writes = game["writes"]
    if len(writes) > rules.most_revisions:
        params = {"most": rules.most_revisions}
        yield Problem(Code.TOO_MANY_REVISIONS, f"{where}.writes", params)
        return
    yield from check_repeated(f"{where}.writes", (write["key"] for write in writes))
    for at, write in enumerate(writes):
        place = f"{where}.writes[{at}]"
        if write["revision"] != at + 1:
            yield wrong_type(f"{place}.revision", str(at + 1))
        yield from _check_write(place, write, rules)
    latest = {write["position"]: write["body"] for write in writes if write["position"] is not None}
    stands = [body for _, body in sorted(latest.items()) if body is not None]
    if stands != game["record"].get("entries"):
        yield wrong_type(f"{where}.record.entries", "what the writes add up to")


def _check_write(where: str, write: Json, rules: Ruleset) -> Problems:
    kind = write["kind"]
    if (write["position"] is None) != (kind == HEAD_WRITE):
        yield wrong_type(f"{where}.position", "null" if kind == HEAD_WRITE else "integer")
    if (write["body"] is None) != (kind == WITHDRAWAL):
        yield wrong_type(f"{where}.body", "null" if kind == WITHDRAWAL else "object")
    if (write["before"] is None) == (kind == HEAD_WRITE):
        yield wrong_type(f"{where}.before", "object" if kind == HEAD_WRITE else "null")
    if kind == HEAD_WRITE:
        for name in ("before", "body"):
            yield from _check_head(f"{where}.{name}", write[name], rules)
    elif write["body"] is not None:
        yield from _within(f"{where}.body", read_entry(write["body"])[1])


def _check_head(where: str, head: Json | None, rules: Ruleset) -> Problems:
    if head is None:
        return
    problems = HEAD.problems(head, where)
    yield from problems
    if problems:
        return
    try:
        rules.with_options(head["options"])
    except InvalidEntry as invalid:
        yield from _within(where, invalid.problems)


def standings_of(record: TournamentRecord) -> tuple[Standing, ...]:
    """Compute the standings of a tournament from its sheets and rulings alone."""
    return standings_after(record, len(record.document["rounds"]))


def standings_after(
    record: TournamentRecord, number: int, competitors: Sequence[Competitor] | None = None
) -> tuple[Standing, ...]:
    """Compute the standings after round `number`, of all entrants or of some."""
    document = record.document
    spend(1 + len(document["entrants"]) * (8 + number) // 16 + len(document["rulings"]) // 32)
    those = competitors_of(record) if competitors is None else competitors
    rounds, finals = results_until(record, number)
    seed = document["tournament"]["seed"]
    return rank_with_finals(those, rounds, finals, record.settings, seed)


def competitors_of(record: TournamentRecord) -> list[Competitor]:
    """Return the entrants of a record, without those who wait."""
    return [
        Competitor(
            id=entrant["id"],
            number=number_of_entrant(entrant["id"]),
            house=entrant["house"],
            team=entrant["team"],
            withdrawn=entrant["withdrawn_at"] is not None,
            section=record.settings.section_of(entrant.get("section", "")),
            missed=entrant.get("missed", ""),
        )
        for entrant in record.document["entrants"]
        if not entrant.get("waiting")
    ]


def results_until(
    record: TournamentRecord, number: int
) -> tuple[list[RoundResults], list[RoundResults]]:
    """Return the published rounds up to round `number`, and the finals among them."""
    rulings: dict[int, list[Ruling]] = defaultdict(list)
    for ruling in record.document["rulings"]:
        if ruling["withdrawn_at"] is None:
            points = number_of(ruling["points"]) or 0
            rulings[ruling["round"]].append(Ruling(ruling["entrant"], ruling["kind"], points))
    rounds: list[RoundResults] = []
    finals: list[RoundResults] = []
    for round_ in record.document["rounds"][:number]:
        if round_["published_at"] is not None:
            number = round_["number"]
            results = RoundResults(
                number,
                tuple(
                    _table_result(table["entrants"], record.games[number, table["number"]], record)
                    for table in round_["tables"]
                ),
                tuple(round_["byes"]),
                tuple(rulings[number]),
            )
            (finals if round_["stage"] else rounds).append(results)
    return rounds, finals


def _table_result(entrants: Sequence[str], game: Game, record: TournamentRecord) -> TableResult:
    # By identity, for games compare all their entries; each is kept, so that its id stays its own.
    if id(game) in record.results:
        return record.results[id(game)][1]
    names = tuple(entrants)
    if game.finished:
        outcome = decide(game)
        result = TableResult(
            *(names, game.totals, outcome.ranks, outcome.out, _kings_of(game)),
            unplayed=share_of_unplayed(game),
        )
    else:
        nothing = (0,) * len(names)
        result = TableResult(names, nothing, nothing, finished=False)
    record.results[id(game)] = game, result
    return result


def _kings_of(game: Game) -> tuple[int, ...]:
    return tuple(sorted(badge.seat for badge in award(game) if badge.badge == "king"))


# As documents have them.

RESULT_NAMES = ("totals", "ranks", "out", "sunk", "kings")
"""The values of a finished table that a document has, in the form of a game's stored result."""


def write_table_result(game: Game) -> dict[str, Any] | None:
    """Return the result of a table; None while it is played."""
    if not game.finished:
        return None
    outcome = decide(game)
    values = (game.totals, outcome.ranks, outcome.out, outcome.sunk, _kings_of(game))
    return dict(zip(RESULT_NAMES, map(write_value, values), strict=True))


def write_ranking(standings: Sequence[Standing]) -> list[dict[str, Any]]:
    """Return standings as rows; `round` is what the last round counts, null without a result."""
    return [
        {
            "entrant": row.entrant,
            "section": row.section,
            "place": row.place,
            "shared": row.shared,
            "points": write_points(row.points),
            "penalties": write_points(row.penalties),
            "round": write_value(row.by_round[-1]) if row.by_round else None,
            "tie_breaks": write_value(row.tie_breaks),
        }
        for row in standings
    ]


def stored_standings(standings: Sequence[Standing]) -> dict[str, list[Any]]:
    """Return place and points by entrant, as they are kept when a round is closed."""
    return {row.entrant: [row.place, write_points(row.points)] for row in standings}


Moment = datetime
Place = tuple[int, int]
"""The numbers of a round and of a table."""

MOST_TRIED = 50
"""How many states of the results are tried on each end of a long row of corrections."""


class History:
    """The past of a tournament record; each state of a sheet is played once."""

    def __init__(self, record: TournamentRecord) -> None:
        self.record = record
        self._played: dict[tuple[Place, int], Reading] = {}

    def as_of(self, moment: Moment, number: int) -> TournamentRecord:
        """Return the rounds up to a number as they were: nothing later counts in them."""
        document = self.record.document
        spend(1 + (len(document["entrants"]) + len(document["rulings"])) // 16)

        def in_force(rows: Sequence[Json]) -> list[Json]:
            return [
                {**row, "withdrawn_at": None} if is_later(row["withdrawn_at"], moment) else row
                for row in rows
            ]

        past = {
            "entrants": in_force(document["entrants"]),
            "rulings": in_force([e for e in document["rulings"] if not is_later(e["at"], moment)]),
        }
        games = dict(self.record.games)
        for round_ in document["rounds"][:number]:
            for table in round_["tables"]:
                place = round_["number"], table["number"]
                written = bisect_right(self._written[place], moment)
                if written < len(self._written[place]):
                    past_game = self.after(place, table["game"], written).game
                    games[place] = past_game or games[place]
        return replace(self.record, document={**document, **past}, games=games)

    def after(self, place: Place, game: Json, writes: int) -> Reading:
        if (place, writes) not in self._played:
            past, later = game["writes"][:writes], game["writes"][writes:]
            latest = {e["position"]: e["body"] for e in past if e["position"] is not None}
            entries = [body for _, body in sorted(latest.items()) if body is not None]
            record = {**game["record"], "entries": entries}
            head = next((write["before"] for write in later if write["kind"] == HEAD_WRITE), None)
            if head is not None:
                record |= {name: head[name] for name in ("options", "first_declarer")}
            self._played[place, writes] = read_game(record)
        return self._played[place, writes]

    @cached_property
    def _written(self) -> dict[Place, list[Moment]]:
        """When each sheet was written to; a clock put back counts as if it had stood still."""
        return {
            (round_["number"], table["number"]): list(accumulate(moments, max))
            for round_ in self.record.document["rounds"]
            for table in round_["tables"]
            for moments in [[datetime.fromisoformat(w["at"]) for w in table["game"]["writes"]]]
        }

    @cached_property
    def _changes(self) -> list[set[Moment]]:
        rounds = self.record.document["rounds"]
        changes: list[set[Moment]] = [set() for _ in rounds]
        for (number, _table), moments in self._written.items():
            changes[number - 1].update(moments)
        for ruling in self.record.document["rulings"]:
            for at in filter(None, map(moment_of, (ruling["at"], ruling["withdrawn_at"]))):
                changes[ruling["round"] - 1].add(at)
        return changes

    def changes(self, number: int, fits: Callable[[Moment], bool]) -> list[Moment]:
        """Return when rounds up to a number were changed, in order; of many the first and last."""
        rounds = self._changes[:number]
        spend(1 + sum(map(len, rounds)) // 256)
        moments = sorted(filter(fits, set().union(*rounds)))
        return [*moments[:MOST_TRIED], *moments[MOST_TRIED:][-MOST_TRIED:]]

    @cached_property
    def _reseated(self) -> list[Moment | None]:
        return [
            max(
                (
                    datetime.fromisoformat(write["at"])
                    for table in round_["tables"]
                    for write in table["game"]["writes"]
                    if write["kind"] == HEAD_WRITE
                ),
                default=None,
            )
            for round_ in self.record.document["rounds"]
        ]

    def is_reseated(self, number: int) -> bool:
        """Return whether seats up to a round were changed after it was closed."""
        rounds = self.record.document["rounds"][:number]
        closed = moment_of(rounds[-1]["closed_at"]) if rounds else None
        return closed is not None and any(
            at is not None and at > closed for at in self._reseated[:number]
        )


def is_later(stated: str | None, moment: Moment) -> bool:
    at = moment_of(stated)
    return at is not None and at > moment


def moment_of(stated: str | None) -> Moment | None:
    return None if stated is None else datetime.fromisoformat(stated)
