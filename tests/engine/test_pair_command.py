"""`manage.py pair`: what it prints, how it leaves, and what it refuses (docs/records.md §2)."""

import io
import json
import sys

import pytest
from django.core.management import call_command

from tournaments import messages
from tournaments.engine.pairing_records import read_pairing, seat_document
from tournaments.engine.problems import InvalidEntry

NINE = {
    "format": "kingscore-pairing/1",
    "seed": 7,
    "entrants": [{"id": f"p{number}", "score": number, "club": "Moda"} for number in range(9)],
    "rounds": [
        {"tables": [["p0", "p1", "p2", "p3"], ["p4", "p5", "p6", "gone"]], "byes": ["p7", "p8"]}
    ],
    "rounds_left": 3,
    "avoid": [["p0", "p8"]],
    "fixed": [["p1", "p4"]],
    "separate_clubs": False,
}


def pair(text, monkeypatch):
    """The exit status of the command for standard input, and what it prints."""
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    status = 0
    try:
        call_command("pair", "-", stdout=out, stderr=err)
    except SystemExit as leaving:
        status = leaving.code
    return status, out.getvalue(), err.getvalue()


def test_pair_prints_the_seating_of_the_next_round(monkeypatch):
    status, out, err = pair(json.dumps(NINE).encode(), monkeypatch)

    seating = json.loads(out)
    assert (status, err) == (0, "")
    assert seating == seat_document(NINE)
    assert list(seating) == ["format", "tables", "byes", "quality", "why", "seed"]
    assert (seating["format"], seating["seed"]) == ("kingscore-seating/1", 7)
    assert seating["byes"] == ["p0"]
    assert any({"p1", "p4"} <= {*table} for table in seating["tables"])
    assert seating["quality"]["avoided_met"] == 0
    assert seating["quality"]["same_club"] == 12


def test_pair_leaves_with_1_where_there_can_be_no_seating(monkeypatch):
    status, out, _err = pair(json.dumps(NINE | {"table_size": 3}).encode(), monkeypatch)

    assert status == 1
    answer = json.loads(out)
    assert (answer["format"], answer["valid"]) == ("kingscore-seating/1", False)
    assert answer["problems"][0] == {
        "entry": None,
        "code": "odd-table",
        "where": "table_size",
        "params": {"expected": "2, 4", "got": 3},
    }


def test_pair_leaves_with_1_for_what_is_no_json(monkeypatch):
    status, out, _err = pair(b"{", monkeypatch)

    assert (status, json.loads(out)["problems"][0]["code"]) == (1, "bad-json")


def test_pair_leaves_with_2_for_a_file_that_cannot_be_read(tmp_path):
    err = io.StringIO()

    with pytest.raises(SystemExit) as leaving:
        call_command("pair", str(tmp_path / "none.json"), stderr=err)

    assert (leaving.value.code, err.getvalue().strip().endswith("No such file or directory")) == (
        2,
        True,
    )


def with_entrant(**fields):
    return {"entrants": [*NINE["entrants"], fields]}


def with_round(**fields):
    return {"rounds": [{"tables": [["a", "b", "c", "d"]]} | fields]}


SPOILED = {
    "no object": (None, [("wrong-type", "")]),
    "another format": ({"format": "kingscore-game/1"}, [("unknown-format", "format")]),
    "no entrants": ({"entrants": None}, [("wrong-type", "entrants")]),
    "a field too many": ({"sead": 7}, [("unexpected-field", "sead")]),
    "a seed in words": ({"seed": "seven"}, [("wrong-type", "seed")]),
    "true for a number": ({"rounds_left": True}, [("wrong-type", "rounds_left")]),
    "rounds below none": ({"rounds_left": -1}, [("wrong-type", "rounds_left")]),
    "a table of three": ({"table_size": 3}, [("odd-table", "table_size")]),
    "an entrant without a name": (
        with_entrant(score=1),
        [("missing-field", "entrants[9].id")],
    ),
    "an entrant with an empty name": (with_entrant(id=""), [("wrong-type", "entrants[9].id")]),
    "an entrant twice": (with_entrant(id="p3"), [("duplicate-entrant", "entrants")]),
    "a score that is none": (
        with_entrant(id="x", score="1/0"),
        [("wrong-type", "entrants[9].score")],
    ),
    "a score that no sum of can be written": (
        with_entrant(id="x", score=10**400),
        [("wrong-type", "entrants[9].score")],
    ),
    "half a score": (with_entrant(id="x", score=1.5), [("wrong-type", "entrants[9].score")]),
    "a club that is no text": (with_entrant(id="x", club=3), [("wrong-type", "entrants[9].club")]),
    "a rating that is none": (
        with_entrant(id="x", rating="high"),
        [("wrong-type", "entrants[9].rating")],
    ),
    "true for a rating": (
        with_entrant(id="x", rating=True),
        [("wrong-type", "entrants[9].rating")],
    ),
    "faults of several parts": (
        {"seed": None, "rounds": [[]], **with_entrant(score=1)},
        [
            ("wrong-type", "seed"),
            ("missing-field", "entrants[9].id"),
            ("wrong-type", "rounds[0]"),
        ],
    ),
    "an entrant with more": (
        with_entrant(id="x", age=3),
        [("unexpected-field", "entrants[9].age")],
    ),
    "an entrant that is no object": (
        {"entrants": [*NINE["entrants"], "p9"]},
        [("wrong-type", "entrants[9]")],
    ),
    "too few": (
        {"entrants": NINE["entrants"][:3], "avoid": [], "fixed": []},
        [("too-few-entrants", "entrants")],
    ),
    "a round that is no object": ({"rounds": [[]]}, [("wrong-type", "rounds[0]")]),
    "a round without tables": ({"rounds": [{}]}, [("missing-field", "rounds[0].tables")]),
    "a round with more": (with_round(winner="a"), [("unexpected-field", "rounds[0].winner")]),
    "a table of five before": (
        with_round(tables=[["a", "b", "c", "d", "e"]]),
        [("odd-table", "rounds[0].tables[0]")],
    ),
    "twice in a round": (with_round(byes=["a"]), [("duplicate-entrant", "rounds[0]")]),
    "byes that are no list": (with_round(byes="a"), [("wrong-type", "rounds[0].byes")]),
    "tables that are no lists": (with_round(tables=["abcd"]), [("wrong-type", "rounds[0].tables")]),
    "three to avoid": ({"avoid": [["p0", "p1", "p2"]]}, [("wrong-type", "avoid[0]")]),
    "nobody to avoid": ({"avoid": ["p0"]}, [("wrong-type", "avoid[0]")]),
    "a stranger to avoid": ({"avoid": [["p0", "x"]]}, [("unknown-entrant", "avoid[0]")]),
    "a stranger at a table": ({"fixed": [["p0", "x"]]}, [("unknown-entrant", "fixed[0]")]),
    "five at a table": (
        {"fixed": [["p0", "p1", "p2", "p3", "p4"]]},
        [("impossible-fixed", "fixed[0]")],
    ),
    "one fixed alone": ({"fixed": [["p0"]]}, [("impossible-fixed", "fixed[0]")]),
    "one twice in a group": (
        {"fixed": [["p0", "p0"]]},
        [("duplicate-entrant", "fixed[0]")],
    ),
    "groups that make five": (
        {"fixed": [["p0", "p1", "p2"], ["p2", "p3", "p4"]]},
        [("impossible-fixed", "fixed")],
    ),
    "groups for more tables than there are": (
        {"fixed": [["p0", "p1", "p2"], ["p3", "p4", "p5"], ["p6", "p7"]]},
        [("impossible-fixed", "fixed")],
    ),
    "nobody left for the bye": (
        {"fixed": [["p0", "p1", "p2", "p3"], ["p4", "p5", "p6", "p7"], ["p8", "p0"]]},
        [("impossible-fixed", "fixed")],
    ),
}


@pytest.mark.parametrize("name", SPOILED)
def test_what_is_wrong_is_found_where_it_is(name):
    change, expected = SPOILED[name]

    answer = seat_document(None if change is None else NINE | change)

    assert not answer.get("valid", True)
    assert [(p["code"], p["where"]) for p in answer["problems"]] == expected


def test_every_problem_of_a_seating_can_be_explained():
    for change, _expected in SPOILED.values():
        try:
            read_pairing(None if change is None else NINE | change)
        except InvalidEntry as invalid:
            for problem in invalid.problems:
                assert messages.explain(problem)


def test_what_may_be_left_out_is_left_out():
    document = {"format": "kingscore-pairing/1", "entrants": NINE["entrants"]}

    seating = seat_document(document)

    assert (len(seating["tables"]), len(seating["byes"]), seating["seed"]) == (2, 1, 0)


def test_a_rating_is_any_number_and_seats_nobody_elsewhere():
    rated = [{**each, "rating": 1500.5 - each["score"]} for each in NINE["entrants"]]

    assert seat_document(NINE | {"entrants": rated}) == seat_document(NINE)


def test_half_points_are_compared_exactly():
    thirds = [{"id": f"p{n}", "score": f"{n}/3"} for n in range(8)]

    seating = seat_document({"format": "kingscore-pairing/1", "entrants": thirds, "seed": 3})

    assert seating["quality"]["score_spread"] == 1.0
    assert {frozenset(table) for table in seating["tables"]} == {
        frozenset(f"p{n}" for n in range(4)),
        frozenset(f"p{n}" for n in range(4, 8)),
    }
