import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.engine.documents.schemas import PUBLISHED, REGISTRY
from tests.engine.documents.small_tournament import AT, DOCUMENT, FIRST, STOPPED, small_tournament
from tournaments.engine.documents.tournaments import read_tournament, standings_of, write_tournament
from tournaments.engine.rules.rulesets import Code, InvalidEntry

SCHEMA = Draft202012Validator(PUBLISHED["kingscore-tournament-1.json"], registry=REGISTRY)

TABLE = ("rounds", 0, "tables", 0)
GAME = (*TABLE, "game")
LEFT_OUT = {"first_declarer", "options", "title", "declarer", "reason"}
"""Optional fields of an entry or of the setup of a game."""


def paths(value, here=()):
    yield here
    if isinstance(value, dict | list):
        inside = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in inside:
            yield from paths(part, (*here, key))


EVERYWHERE = list(paths(DOCUMENT))[1:]


def written(path):
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).lstrip(".")


def at(document, path):
    for step in path:
        document = document[step]
    return document


def changed(path, value):
    document = small_tournament()
    at(document, path[:-1])[path[-1]] = value
    return document


def without(path):
    document = small_tournament()
    del at(document, path[:-1])[path[-1]]
    return document


def problems_of(document):
    with pytest.raises(InvalidEntry) as refused:
        read_tournament(document)
    return [(problem.code, problem.where) for problem in refused.value.problems]


def can_miss(path):
    """Defaults, and what once was written without it."""
    in_sheet = path[:6] == (*GAME, "record") and path[-1] in LEFT_OUT
    first_version = path[:7] == (*GAME, "writes", 0) and "body" in path
    in_settings = bool({"settings", "options", "standings"} & {*path[:-1]})
    return in_settings or in_sheet or first_version or path == ("line_ups",)


def is_in_a_sheet(path):
    return path[:6] == (*GAME, "record") or "body" in path or "before" in path


def test_document_is_read_and_fits_its_schema():
    record = read_tournament(small_tournament())

    SCHEMA.validate(DOCUMENT)
    assert [list(game.totals) for game in record.games.values()] == [[0, 0, -320, 0]]


def test_document_is_written_with_sorted_keys():
    text = write_tournament(small_tournament())

    assert json.loads(text) == DOCUMENT
    assert text.startswith('{\n "club": {\n  "name": "Moda King",\n  "slug": "moda"\n },\n')
    assert text.endswith("\n}\n")


def test_standings_are_those_of_the_sheets_and_rulings():
    rows = standings_of(read_tournament(small_tournament()))

    # 0 each and −320, of which e1 forfeits with −20 and a penalty of a half.
    assert [(row.entrant, row.place, str(row.points)) for row in rows] == [
        ("e2", 1, "0"),
        ("e4", 2, "0"),
        ("e1", 3, "-41/2"),
        ("e3", 4, "-320"),
    ]


def test_standings_count_finals_as_the_tournament_does():
    document = small_tournament()
    document["settings"] |= {"finals": 4, "carry": False}
    document["rulings"] = []
    last = document["rounds"][1]
    table = small_tournament()["rounds"][0]["tables"][0] | {"entrants": ["e4", "e3", "e2", "e1"]}
    last |= {"stage": "final", "published_at": AT, "opened_at": AT, "tables": [table]}

    rows = standings_of(read_tournament(document))

    # From zero: the third seat, now that of e2, took the king of hearts.
    assert [(row.entrant, str(row.points)) for row in rows][-1] == ("e2", "-320")
    assert [row.place for row in rows] == [1, 2, 3, 4]


def told(document, path):
    near = written(path[:5] if "game" in path else path)
    return any(near.startswith(at) or at.startswith(near) for _code, at in problems_of(document))


def test_field_that_is_missing_is_told_with_its_place():
    fields = [path for path in EVERYWHERE if isinstance(path[-1], str) and not can_miss(path)]
    for path in fields:
        document = without(path)
        if is_in_a_sheet(path):
            assert told(document, path), written(path)
        else:
            assert problems_of(document) == [(Code.MISSING_FIELD, written(path))]
            assert not SCHEMA.is_valid(document)
    assert len(fields) > 150


def test_value_of_another_kind_is_told_with_its_place():
    for path in EVERYWHERE:
        was = at(DOCUMENT, path)
        for value in (3.5, {"?": 1}, [[]], True):
            if type(was) is not type(value) or isinstance(value, dict | list):
                assert told(changed(path, value), path), (written(path), value)


def test_field_nobody_knows_is_told_with_its_place():
    objects = [(), *(path for path in EVERYWHERE if isinstance(at(DOCUMENT, path), dict))]
    for path in objects:
        document = small_tournament()
        at(document, path)["colour"] = "red"
        assert told(document, path), written(path)


def steps_of(path):
    return [int(step) if step.isdecimal() else step for step in path.split(".")]


@pytest.mark.parametrize(
    ("path", "value", "code", "where"),
    [
        ("format", "kingscore-tournament/2", "unknown-format", "format"),
        ("club.slug", "Moda Kulübü", "wrong-type", "club.slug"),
        ("ruleset", "chess", "unknown-ruleset", "ruleset"),
        ("options", {"king": 1}, "unknown-option", "options.king"),
        ("settings.finals", 5, "unknown-option", "settings.finals"),
        ("tournament.season.ends_on", "2026-08-31", "wrong-type", "tournament.season.ends_on"),
        ("tournament.state", "draft", "wrong-type", "tournament.state"),
        ("tournament.state", "finished", "wrong-type", "tournament.state"),
        ("players.4.id", "p5000000", "wrong-type", "players[4].id"),
        ("players.5.id", "p5", "duplicate-entrant", "players"),
        ("entrants.0.players", ["p9"], "unknown-entrant", "entrants[0].players"),
        ("entrants.0.players", ["p1", "p6"], "wrong-players", "entrants[0].players"),
        ("entrants.0.players", ["p2"], "duplicate-entrant", "entrants"),
        ("entrants.0.id", "e2", "duplicate-entrant", "entrants"),
        ("entrants.0.registered_at", "2026-11-20T19:30", "wrong-type", "entrants[0].registered_at"),
        ("substitutes.0.instead_of", "p2", "unknown-entrant", "substitutes[0].instead_of"),
        ("substitutes.0.entrant", "e9", "unknown-entrant", "substitutes[0].entrant"),
        ("substitutes.0.player", "p3", "duplicate-entrant", "substitutes[0].player"),
        ("substitutes.1.round", 1, "duplicate-entrant", "substitutes"),
        ("line_ups.1.round", 1, "duplicate-entrant", "line_ups"),
        ("line_ups.2.entrants", ["e9"], "unknown-entrant", "line_ups[2].entrants"),
        ("line_ups.2.entrants", ["e2", "e2"], "duplicate-entrant", "line_ups[2].entrants"),
        ("rounds.1.number", 3, "wrong-type", "rounds[1].number"),
        ("rounds.1.opened_at", AT, "wrong-type", "rounds[1].opened_at"),
        ("rounds.0.opened_at", None, "wrong-type", "rounds[0].closed_at"),
        ("rounds.1.seating", None, "wrong-type", "rounds[1].seating"),
        ("rounds.1.byes", ["e5"], "wrong-type", "rounds[1].tables"),
        ("rounds.1.seating.byes", ["e4"], "duplicate-entrant", "rounds[1].seating"),
        ("rounds.0.byes", ["e1"], "duplicate-entrant", "rounds[0]"),
        ("rounds.0.byes", ["e9"], "unknown-entrant", "rounds[0]"),
        ("rounds.0.standings", {"e9": [1, 1]}, "unknown-entrant", "rounds[0].standings"),
        ("rounds.0.tables.0.entrants", ["e1", "e2"], "odd-table", "rounds[0].tables[0]"),
        ("rounds.0.tables.0.seats.3", "p1", "duplicate-entrant", "rounds[0].tables[0].seats"),
        ("rounds.0.tables.0.seats.3", "p9", "unknown-entrant", "rounds[0].tables[0].seats"),
        ("rounds.0.tables.0.seats", ["p1", "p2"], "wrong-seats", "rounds[0].tables[0].seats"),
        ("rulings.0.entrant", "e9", "unknown-entrant", "rulings[0].entrant"),
        ("rulings.0.round", 2, "wrong-type", "rulings[0].round"),
        ("rulings.0.points", "-1/2", "wrong-type", "rulings[0].points"),
        ("rulings.1.withdrawn_at", None, "duplicate-entrant", "rulings"),
    ],
)
def test_parts_that_contradict_each_other_are_told(path, value, code, where):
    assert (code, where) in problems_of(changed(steps_of(path), value))


def test_pairs_play_where_pairs_are_asked_for():
    document = small_tournament() | {"ruleset": "turkish-king-partners", "options": {}}

    found = problems_of(document)

    assert ("wrong-players", "entrants[0].players") in found
    assert ("odd-table", "rounds[1].seating.tables[0]") in found


def test_games_of_three_are_of_no_tournament():
    document = small_tournament() | {"ruleset": "euchre-three", "options": {}}
    assert problems_of(document) == [("unknown-ruleset", "ruleset")]


SHEET = written(GAME)


@pytest.mark.parametrize(
    ("path", "value", "code", "where"),
    [
        ("record.ruleset", "rifki", "unknown-ruleset", "record.ruleset"),
        ("record.played_at", "2026-11-20T19:30:00", "wrong-type", "record.played_at"),
        ("record.players", ["Ayşe"], "wrong-players", "record.players"),
        ("record.entries", [FIRST], "wrong-type", "record.entries"),
        ("record.entries.0.counts.heart_king", [0, 0, 2, 0], "wrong-total", None),
        ("writes.1.revision", 3, "wrong-type", "writes[1].revision"),
        ("writes.1.key", "k-1", "duplicate-entrant", "writes"),
        ("writes.3.position", None, "wrong-type", "writes[3].position"),
        ("writes.3.body", STOPPED, "wrong-type", "writes[3].body"),
        ("writes.4.before", None, "wrong-type", "writes[4].before"),
        ("writes.0.before", {}, "wrong-type", "writes[0].before"),
        ("writes.0.body", {"type": "deal", "counts": 1}, "wrong-type", "writes[0].body.counts"),
        ("writes.4.before.options", {"king": 1}, "unknown-option", "writes[4].before.options.king"),
        ("confirmations.1.seat", 1, "duplicate-entrant", "confirmations"),
        ("confirmations.0.seat", 4, "wrong-type", "confirmations[0].seat"),
        ("confirmations.0.revision", 7, "wrong-type", "confirmations[0].revision"),
    ],
)
def test_sheet_that_does_not_hold_together_is_told(path, value, code, where):
    document = changed((*GAME, *steps_of(path)), value)

    found = problems_of(document)

    at_sheet = [(each, place.removeprefix(f"{SHEET}.")) for each, place in found]
    if where is None:
        assert (code, "record.entries[0].counts.heart_king") in at_sheet
    else:
        assert (code, where) in at_sheet


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(path=st.sampled_from(EVERYWHERE), value=JSON)
def test_whatever_stands_in_a_document_it_is_read_or_refused(path, value):
    try:
        standings_of(read_tournament(changed(path, value)))
    except InvalidEntry as refused:
        assert refused.problems  # noqa: PT017 - either is fine, nothing else is


@given(document=JSON)
def test_whatever_is_no_tournament_is_refused(document):
    assert problems_of(document)
