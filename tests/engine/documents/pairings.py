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
    "score_before_seats": False,
}


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
    "an entrant without a name": (with_entrant(score=1), [("missing-field", "entrants[9].id")]),
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
        [("wrong-type", "seed"), ("missing-field", "entrants[9].id"), ("wrong-type", "rounds[0]")],
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
    "one twice in a group": ({"fixed": [["p0", "p0"]]}, [("duplicate-entrant", "fixed[0]")]),
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
