"""A small tournament as a document: five entrants, a round that is over and one that is seated."""

import json

AT = "2026-11-20T19:30:00+00:00"


def small_tournament():
    """The document; a copy of its own for each who asks."""
    return json.loads(TEXT)


def _write(revision, kind, position, body, **more):
    write = {"revision": revision, "kind": kind, "position": position, "body": body, "at": AT}
    return {**write, "before": None, "author": "Ayşe", "reason": "", "key": f"k-{revision}", **more}


DEAL = {"type": "deal", "contract": "heart-king", "declarer": 0}
FIRST = {**DEAL, "counts": {"heart_king": [0, 0, 1, 0]}}
WRONG = {**DEAL, "counts": {"heart_king": [1, 0, 0, 0]}}
STOPPED = {"type": "stopped", "reason": "time"}
FINE = {"type": "adjustment", "seat": 1, "points": -10, "reason": "bekletti"}
HEAD = {
    "players": ["Ayşe", "B. Y.", "Cem", "№ 4"],
    "first_declarer": 0,
    "options": {"king": "off"},
    "title": "Moda Açık",
    "place": "",
}
RECORD = {
    "format": "kingscore-game/1",
    "ruleset": "turkish-king",
    "options": {"king": "off"},
    "players": ["Ayşe", "B. Y.", "Cem", "№ 4"],
    "first_declarer": 0,
    "played_at": AT,
    "title": "Moda Açık – 1",
    "entries": [FIRST, STOPPED],
}
GAME = {
    "record": RECORD,
    "writes": [
        _write(1, "entry", 0, WRONG),
        _write(2, "correction", 0, FIRST, reason="yanlış"),
        _write(3, "entry", 1, FINE),
        _write(4, "withdrawal", 1, None),
        _write(5, "head", None, {**HEAD, "title": "Moda Açık – 1"}, before=HEAD),
        _write(6, "entry", 2, STOPPED),
    ],
    "confirmations": [
        {"seat": seat, "revision": revision, "at": AT} for seat, revision in ((1, 6), (2, 6))
    ],
}


def _entrant(number, **more):
    entrant = {"id": f"e{number}", "players": [f"p{number}"], "team": "", "represents": "Moda"}
    times = {"withdrawn_at": None, "registered_at": AT, "joins_in": 1, "checked_in": 0}
    return {**entrant, **times, "house": False, **more}


def _round(number, **more):
    at_once = dict.fromkeys(("published_at", "opened_at", "closed_at", "standings", "seating"))
    clock = {"seconds": 4500, "used": 0, "started_at": None}
    empty = {"tables": [], "byes": []}
    return {"number": number, "stage": "", "clock": clock, **at_once, **empty, **more}


SEATING = {"tables": [["e1", "e2", "e3", "e4"]], "byes": ["e5"], "locked": [0]}
TABLE = {
    "number": 1,
    "entrants": ["e1", "e2", "e3", "e4"],
    "seats": ["p1", "p2", "p6", "p4"],
    "extra_seconds": 0,
    "game": GAME,
}
RULING = {"entrant": "e1", "reason": "geç geldi", "at": AT, "round": 1}
DOCUMENT = {
    "format": "kingscore-tournament/1",
    "club": {"slug": "moda", "name": "Moda King"},
    "tournament": {
        "slug": "moda-acik",
        "name": "Moda Açık",
        "held_on": "2026-11-20",
        "season": {
            "name": "2026–27",
            "starts_on": "2026-09-01",
            "ends_on": "2027-06-30",
            "league_best": None,
        },
        "state": "running",
        "published": True,
        "table_codes": False,
        "confirmations": "none",
        "seed": 7,
    },
    "ruleset": "turkish-king",
    "options": {"king": "off"},
    "settings": {"rounds": 2, "bye": "5/2", "tie_breaks": ["wins", "lot"]},
    "players": [
        {"id": f"p{n}", "name": f"Oyuncu {n}" if n != 4 else None, "initials": n == 2}
        for n in range(1, 7)
    ],
    "entrants": [_entrant(1, team="A"), *map(_entrant, range(2, 5)), _entrant(5, house=True)],
    "substitutes": [
        {"entrant": "e3", "round": number, "instead_of": "p3", "player": "p6"} for number in (1, 2)
    ],
    "line_ups": [
        {"round": number, "team": team, "entrants": entrants}
        for number, team, entrants in ((1, "A", ["e1"]), (2, "A", ["e1"]), (2, "B", ["e2", "e3"]))
    ],
    "rounds": [
        _round(
            1,
            published_at=AT,
            opened_at=AT,
            closed_at=AT,
            seating=SEATING,
            standings={"e1": [1, "3/2"], "e2": [1, "3/2"]},
            tables=[TABLE],
            byes=["e5"],
        ),
        _round(2, seating=SEATING),
    ],
    "rulings": [
        {**RULING, "kind": "penalty", "points": "1/2", "withdrawn_at": None},
        {**RULING, "kind": "adjusted", "points": 4, "withdrawn_at": AT},
        {**RULING, "kind": "forfeit", "points": -20, "withdrawn_at": None},
        {**RULING, "kind": "adjusted", "points": 0, "withdrawn_at": None, "entrant": "e2"},
    ],
}

TEXT = json.dumps(DOCUMENT)
