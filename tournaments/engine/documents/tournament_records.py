"""The portable tournament: `kingscore-tournament/1` read strictly, recomputed and written.

`docs/records.md` §3 describes it. Reading reports every problem with its path: first problems of
form (`tournament_schema`), then contradictions between the parts.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from tournaments.engine.documents.entry_records import read_entry
from tournaments.engine.documents.records import Reading, read_game, read_rules
from tournaments.engine.documents.tournament_schema import (
    DOCUMENT,
    HEAD,
    HEAD_WRITE,
    TITLE,
    TOURNAMENT_FORMAT,
    WITHDRAWAL,
)
from tournaments.engine.play.games import Game
from tournaments.engine.rules.problems import (
    Code,
    InvalidEntry,
    Problem,
    check_known,
    check_repeated,
    refuse,
)
from tournaments.engine.rules.rulesets import Ruleset, number_of
from tournaments.engine.rules.shapes import MOMENT, Problems, below, wrong_type
from tournaments.engine.standings.round_results import PENALTY, TableResult
from tournaments.engine.standings.tournament_settings import (
    TournamentSettings,
    read_stored_settings,
)

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
    refuse(_check_form(document))
    rules = _read_rules(document)
    games: dict[tuple[int, int], Game] = {}
    refuse([*_check_sense(document, rules), *_check_games(document, rules, games)])
    return TournamentRecord(document, rules, games)


def write_tournament(document: Json) -> str:
    """Return the document as text: sorted keys, one space per level, a final line break."""
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def number_of_entrant(entrant_id: str) -> int:
    """Return the number in the id of an entrant."""
    return int(entrant_id[1:])


# The form, and the rules.


def _check_form(document: Any) -> Problems:
    yield from DOCUMENT.check("", document)
    named = document.get("format") if isinstance(document, dict) else None
    if isinstance(named, str) and named != TOURNAMENT_FORMAT:
        yield Problem(Code.UNKNOWN_FORMAT, "format", {"expected": TOURNAMENT_FORMAT})


def _read_rules(document: Json) -> Ruleset:
    rules = read_rules(document["ruleset"]).with_options(document["options"])
    if rules.side_count not in TABLE_SIZES:
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": rules.id})])
    return rules


def _within(where: str, problems: Iterable[Problem]) -> Problems:
    for each in problems:
        yield replace(each, where=below(where, each.where) if each.where else where)


# Conditions between parts.


def _check_sense(document: Json, rules: Ruleset) -> Problems:
    players = [each["id"] for each in document["players"]]
    yield from check_repeated("players", players)
    yield from _check_season(document["tournament"]["season"])
    yield from _check_entrants(document, rules, set(players))
    yield from _check_substitutes(document, set(players))
    yield from _check_states(document)
    for at, round_ in enumerate(document["rounds"]):
        yield from _check_round(f"rounds[{at}]", at + 1, round_)
        yield from _check_seats(f"rounds[{at}]", round_, document, rules)
    yield from _check_rulings(document)
    yield from _check_line_ups(document)


def _check_season(season: Json | None) -> Problems:
    if season is not None and season["ends_on"] < season["starts_on"]:
        yield wrong_type("tournament.season.ends_on", f"{season['starts_on']} or later")


def _check_entrants(document: Json, rules: Ruleset, players: set[str]) -> Problems:
    entrants = document["entrants"]
    yield from check_repeated("entrants", (each["id"] for each in entrants))
    yield from check_repeated("entrants", (name for each in entrants for name in each["players"]))
    for at, each in enumerate(entrants):
        where = f"entrants[{at}].players"
        yield from check_known(where, each["players"], players)
        if len(each["players"]) != rules.seats_in_a_side:
            params = {"expected": rules.seats_in_a_side, "got": len(each["players"])}
            yield Problem(Code.WRONG_PLAYERS, where, params)


def _check_substitutes(document: Json, players: set[str]) -> Problems:
    entered = {each["id"]: each["players"] for each in document["entrants"]}
    said = [
        (each["entrant"], each["round"], each["instead_of"]) for each in document["substitutes"]
    ]
    yield from check_repeated("substitutes", (" ".join(map(str, each)) for each in said))
    for at, each in enumerate(document["substitutes"]):
        where = f"substitutes[{at}]"
        yield from check_known(f"{where}.entrant", [each["entrant"]], entered)
        yield from check_known(f"{where}.player", [each["player"]], players)
        mine = entered.get(each["entrant"], ())
        yield from check_known(f"{where}.instead_of", [each["instead_of"]], mine)
        if each["player"] == each["instead_of"]:
            yield Problem(Code.DUPLICATE_ENTRANT, f"{where}.player", {"entrant": each["player"]})


def _check_states(document: Json) -> Problems:
    """Check that rounds are seated while a tournament runs, and closed before it is finished."""
    state, rounds = document["tournament"]["state"], document["rounds"]
    if rounds and state in ("draft", "registration"):
        yield wrong_type("tournament.state", "running | finished")
    if state == "finished" and any(each["closed_at"] is None for each in rounds):
        yield wrong_type("tournament.state", "running")


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
    entrants = {each["id"] for each in document["entrants"]}
    taking_part = _taking_part(document)
    players = {each["id"] for each in document["players"]}
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
    return {each["id"] for each in document["entrants"] if not each.get("waiting")}


def _check_rulings(document: Json) -> Problems:
    taking_part = _taking_part(document)
    published = {p["number"] for p in document["rounds"] if p["published_at"] is not None}
    standing = []
    for at, each in enumerate(document["rulings"]):
        where = f"rulings[{at}]"
        yield from check_known(f"{where}.entrant", [each["entrant"]], taking_part)
        if each["round"] not in published:
            yield wrong_type(f"{where}.round", "a round that is published")
        if each["kind"] == PENALTY and (number_of(each["points"]) or 0) <= 0:
            yield wrong_type(f"{where}.points", "above 0")
        if each["kind"] != PENALTY and each["withdrawn_at"] is None:
            standing.append(f"{each['entrant']} {each['round']}")
    yield from check_repeated("rulings", standing)


def _check_line_ups(document: Json) -> Problems:
    entrants = {each["id"] for each in document["entrants"]}
    said = document.get("line_ups", ())
    yield from check_repeated("line_ups", (f"{each['round']} {each['team']}" for each in said))
    for at, each in enumerate(said):
        yield from check_known(f"line_ups[{at}].entrants", each["entrants"], entrants)
        yield from check_repeated(f"line_ups[{at}].entrants", each["entrants"])


# The sheets.


def _check_games(document: Json, rules: Ruleset, games: dict[tuple[int, int], Game]) -> Problems:
    """Yield the problems of the sheets, and fill `games` with those that can be played."""
    for at, round_ in enumerate(document["rounds"]):
        for number, table in enumerate(round_["tables"]):
            where, said = f"rounds[{at}].tables[{number}].game", table["game"]
            reading = read_game(said["record"])
            yield from _check_record(f"{where}.record", said["record"], reading, document)
            yield from _check_writes(where, said, rules)
            yield from _check_confirmations(where, said, rules)
            if reading.game is not None:
                games[round_["number"], table["number"]] = reading.game


def _check_record(where: str, record: Json, reading: Reading, document: Json) -> Problems:
    entry = "" if reading.entry is None else f".entries[{reading.entry}]"
    yield from _within(where + entry, reading.problems)
    if record.get("ruleset") != document["ruleset"]:
        yield Problem(Code.UNKNOWN_RULESET, f"{where}.ruleset", {"expected": "the tournament's"})
    yield from MOMENT.check(f"{where}.played_at", record.get("played_at"))
    for name in ("title", "place"):
        yield from TITLE.check(f"{where}.{name}", record.get(name, ""))


def _check_writes(where: str, said: Json, rules: Ruleset) -> Problems:
    writes = said["writes"]
    if len(writes) > rules.most_revisions:
        params = {"most": rules.most_revisions}
        yield Problem(Code.TOO_MANY_REVISIONS, f"{where}.writes", params)
        return
    yield from check_repeated(f"{where}.writes", (each["key"] for each in writes))
    for at, each in enumerate(writes):
        place = f"{where}.writes[{at}]"
        if each["revision"] != at + 1:
            yield wrong_type(f"{place}.revision", str(at + 1))
        yield from _check_write(place, each, rules)
    latest = {each["position"]: each["body"] for each in writes if each["position"] is not None}
    stands = [body for _, body in sorted(latest.items()) if body is not None]
    if stands != said["record"].get("entries"):
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
    problems = list(HEAD.check(where, head))
    yield from problems
    if problems:
        return
    try:
        rules.with_options(head["options"])
    except InvalidEntry as invalid:
        yield from _within(where, invalid.problems)


def _check_confirmations(where: str, said: Json, rules: Ruleset) -> Problems:
    confirmed = [(each["revision"], each["seat"]) for each in said["confirmations"]]
    yield from check_repeated(f"{where}.confirmations", (f"{r} {seat}" for r, seat in confirmed))
    for at, (revision, seat) in enumerate(confirmed):
        place = f"{where}.confirmations[{at}]"
        if revision > len(said["writes"]):
            yield wrong_type(f"{place}.revision", f"{len(said['writes'])} or less")
        if seat >= rules.seats:
            yield Problem(Code.BAD_SEAT, f"{place}.seat", {"seats": rules.seats, "got": seat})
