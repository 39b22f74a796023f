"""Right records of the Turkish forms, of Portuguese King and of Barbu, spoiled in every way.

As in `mutations.py`: a mutation spoils a whole right game in place and tells which problems
`(entry, code, where)` must be reported. Here are the ways to enter one, and what can be wrong with
the head, the form of an entry, the turn and the choice; counts and the end of a game follow in
`turkish_forms_count_mutations.py` and `turkish_forms_end_mutations.py`.
"""

import copy

from tests.engine.mutations import GONE, Mutation
from tests.engine.test_records import load

BLIND, SEALED, DOUBLE, PARTNERS = (
    f"turkish-king-{form}" for form in ("blind", "sealed", "double", "partners")
)
HONEYMOON, PORTUGUESE, BARBU = "honeymoon-king", "portuguese-king", "barbu"
FREE = (BLIND, SEALED)
QUOTAS = (*FREE, PARTNERS)
TURKISH = (*QUOTAS, DOUBLE)
ALL = (*TURKISH, HONEYMOON, PORTUGUESE, BARBU)
FOUR = tuple(name for name in ALL if name != HONEYMOON)
WHOLE = {
    BLIND: "turkish-king-whole",
    SEALED: "sealed-whole",
    DOUBLE: "double-whole",
    PARTNERS: "partners-whole",
    HONEYMOON: "honeymoon-whole",
    PORTUGUESE: "portuguese-whole",
    BARBU: "barbu-doubled",
}
MUTATIONS = []
REFUSED = []
"""Mutations that must be found, in any words: their problems are not laid down."""


def whole_game(ruleset):
    """A right game of a ruleset from the first deal to the last."""
    return {**copy.deepcopy(load(WHOLE[ruleset])), "ruleset": ruleset}


def without(*rulesets):
    """All the rulesets of this file but these."""
    return tuple(name for name in ALL if name not in rulesets)


def found(*problems, rulesets, into=MUTATIONS):
    """Enter the function below as a mutation in which `problems` are found."""

    def enter(spoil):
        name = spoil.__name__.strip("_").replace("_", "-")
        into.append(Mutation(name, as_tuple(rulesets), spoil, problems))
        return spoil

    return enter


def as_tuple(rulesets):
    return (rulesets,) if isinstance(rulesets, str) else rulesets


def put(place, value, *problems, rulesets=ALL, into=MUTATIONS):
    """Enter the mutation that writes `value` at a dotted place of the record."""

    def spoil(game):
        *path, last = (int(step) if step.isdigit() else step for step in place.split("."))
        target = game
        for step in path:
            target = target[step]
        if value is GONE:
            del target[last]
        else:
            target[last] = copy.deepcopy(value)

    shown = "nothing" if value is GONE else repr(value)
    into.append(Mutation(f"{place}={shown}", as_tuple(rulesets), spoil, problems))


def insert(entry, *problems, rulesets=ALL, at=2, into=MUTATIONS):
    """Enter the mutation that inserts an entry."""
    shown = ", ".join(f"{name}={value!r}" for name, value in entry.items())

    def spoil(game):
        game["entries"].insert(at, copy.deepcopy(entry))

    into.append(Mutation(f"{at}: {shown}", as_tuple(rulesets), spoil, problems))


def only(entry, *problems, rulesets, options=None, into=MUTATIONS):
    """Enter the mutation that leaves a game of one entry."""
    shown = ", ".join(f"{name}={value!r}" for name, value in entry.items())

    def spoil(game):
        game["options"] = options or {}
        game["first_declarer"] = 0
        game["entries"] = [copy.deepcopy(entry)]

    into.append(Mutation(f"only {shown} {options or ''}", as_tuple(rulesets), spoil, problems))


UNITS = {
    "no-hearts": "hearts",
    "no-men": "men",
    "no-queens": "queens",
    "heart-king": "heart_king",
    "last-two": "last_two",
}


def deal(contract, counts, **fields):
    """A deal in which one unit is counted, or several."""
    if isinstance(counts, list):
        counts = {UNITS.get(contract, "tricks"): counts}
    return {"type": "deal", "contract": contract, **fields, "counts": counts}


# The head.

put("format", "kingscore-game/2", (None, "unknown-format", "format"))
put("ruleset", "turkish-king-red", (None, "unknown-ruleset", "ruleset"))
for _field in ("format", "ruleset", "players", "entries"):
    put(_field, GONE, (None, "missing-field", _field))
put("winner", 0, (None, "unexpected-field", "winner"))
put("entries", {}, (None, "wrong-type", "entries"))
put("played_at", "yesterday", (None, "wrong-type", "played_at"))
for _players in (list("ABC"), list("ABCDE"), list("AB"), [], list("ABCA"), ["A", "B", "C", " "]):
    put("players", _players, (None, "wrong-players", "players"), rulesets=FOUR)
for _players in (list("ABCD"), list("ABC"), ["A"], [], ["A", "A"], ["A", ""]):
    put("players", _players, (None, "wrong-players", "players"), rulesets=HONEYMOON)
put("players", ["A", 2], (None, "wrong-type", "players"))
for _seat in (-1, 4):
    put("first_declarer", _seat, (None, "bad-seat", "first_declarer"))
put("first_declarer", 2, (None, "bad-seat", "first_declarer"), rulesets=HONEYMOON)
put("first_declarer", "0", (None, "wrong-type", "first_declarer"))


def option(name, value, rulesets):
    """Enter the mutation that sets an option which is unknown, or cannot have the value."""
    put("options", {name: value}, (None, "unknown-option", f"options.{name}"), rulesets=rulesets)


for _name, _value in (
    ("deck", 24),
    ("order", "strict"),
    ("cappotto", "none"),
    ("declarations", "free"),
    ("stake", 1),
    ("target", 10),
):
    option(_name, _value, ALL)
for _value in ("sometimes", "", None, True, ["off"]):
    option("king", _value, TURKISH)
option("king_deals", "penalties", TURKISH)
option("out", "median", (*FREE, DOUBLE))
option("out", "positive", (PARTNERS, HONEYMOON, PORTUGUESE, BARBU))
option("king", "ends-game", (HONEYMOON, PORTUGUESE, BARBU))
option("king_deals", "all", (HONEYMOON, PORTUGUESE, BARBU))
option("deals", 8, without(HONEYMOON))
for _value in (7, 1, 0, -2, "8", 8.0, True, None, [8]):
    option("deals", _value, HONEYMOON)


# The form of an entry. The third deal has a declarer and one count in every game.

put("entries.2", [], (2, "wrong-type", ""))
put("entries.2", {}, (2, "missing-field", "type"))
put("entries.2.type", "passed", (2, "wrong-type", "type"))
put("entries.2.type", "hand", (2, "wrong-type", "type"))
put("entries.2.contract", 3, (2, "wrong-type", "contract"), rulesets=without(SEALED))
put("entries.2.contract", None, (2, "wrong-type", "contract"), rulesets=without(SEALED))
put("entries.2.contract", GONE, (2, "missing-field", "contract"), rulesets=without(SEALED))
put("entries.7.contract", GONE, (7, "missing-field", "contract"), rulesets=SEALED)
put("entries.7.contract", None, (7, "wrong-type", "contract"), rulesets=SEALED)
put("entries.2.declarer", "2", (2, "wrong-type", "declarer"))
put("entries.2.declarer", None, (2, "wrong-type", "declarer"))
put("entries.2.author", 7, (2, "wrong-type", "author"))
FOREIGN = {
    "points": [0, 0],
    "blind": True,
    "sale": {"buyer": 1, "tricks": 4},
    "partner": 1,
    "offered": ["no-men", "no-tricks"],
    "third": True,
    "closed_by": 0,
    "maker": 1,
    "winner": 0,
    "dealer": 0,
}
for _field, _value in FOREIGN.items():
    put(f"entries.2.{_field}", _value, (2, "unexpected-field", _field))
put(
    "entries.2.doubles",
    [{"seats": [0, 1]}],
    (2, "unexpected-field", "doubles"),
    rulesets=without(BARBU),
)
put("entries.2.sealed", "ab" * 32, (2, "unexpected-field", "sealed"), rulesets=without(SEALED))
put("entries.2.salt", "ab" * 16, (2, "unexpected-field", "salt"), rulesets=without(SEALED))
put("entries.2.rifki_holder", 0, (2, "unexpected-field", "rifki_holder"))
put("entries.0.rifki_holder", 4, (0, "bad-seat", "rifki_holder"), rulesets=QUOTAS)
for _field in ("king", "king_declared_by", "tricks_played"):
    put(f"entries.2.{_field}", 1, (2, "unexpected-field", _field), rulesets=(PORTUGUESE, BARBU))
put(
    "entries.2.king_declared_by",
    1,
    (2, "unexpected-field", "king_declared_by"),
    rulesets=(*TURKISH, HONEYMOON),
)

CONTRACTS_ELSEWHERE = {
    BLIND: ("all-penalties", "positive", "domino", ""),
    DOUBLE: ("no-men", "no-tricks", "last-two"),
    PARTNERS: ("all-penalties", "no-trump"),
    HONEYMOON: ("no-tricks", "all-penalties", "positive"),
    PORTUGUESE: ("trump", "all-penalties", "diamond-eight"),
    BARBU: ("no-men", "positive", "all-penalties"),
}
for _ruleset, _names in CONTRACTS_ELSEWHERE.items():
    for _name in _names:
        put("entries.2.contract", _name, (2, "unknown-contract", "contract"), rulesets=_ruleset)
for _name in ("all-penalties", "no-kings"):
    put("entries.7.contract", _name, (7, "unknown-contract", "contract"), rulesets=SEALED)


# Whose turn it is.

put("entries.2.declarer", 3, (2, "wrong-declarer", "declarer"), rulesets=FOUR)
put("entries.2.declarer", 1, (2, "wrong-declarer", "declarer"), rulesets=without(BARBU))
put(
    "entries.2.declarer",
    0,
    (2, "wrong-declarer", "declarer"),
    rulesets=without(HONEYMOON, PARTNERS),
)
put("entries.2.declarer", 4, (2, "bad-seat", "declarer"))
put("entries.2.declarer", -1, (2, "bad-seat", "declarer"))
put("entries.2.declarer", 2, (2, "bad-seat", "declarer"), rulesets=HONEYMOON)
put("entries.2.declarer", GONE, (2, "missing-field", "declarer"), rulesets=PARTNERS)
put("entries.7.declarer", 2, (7, "wrong-declarer", "declarer"), rulesets=PARTNERS)
put("entries.0.declarer", 0, (0, "unexpected-field", "declarer"), rulesets=DOUBLE)
put("entries.1.declarer", 1, (1, "unexpected-field", "declarer"), rulesets=DOUBLE)
put("first_declarer", 1, (0, "wrong-declarer", "declarer"), rulesets=without(DOUBLE, BARBU))
put("first_declarer", 2, (0, "wrong-declarer", "declarer"), rulesets=(*FREE, PORTUGUESE, BARBU))
put("first_declarer", 1, (2, "wrong-declarer", "declarer"), rulesets=DOUBLE)
put("entries.6.declarer", 2, (6, "wrong-declarer", "declarer"), rulesets=BARBU)
put("entries.7.declarer", 1, (7, "wrong-declarer", "declarer"), rulesets=BARBU)


# What may be named.


@found((8, "player-quota-used", "contract"), rulesets=FREE)
def _third_trump_of_a_player(game):
    for entry in (0, 4, 8):
        game["entries"][entry] = deal("trump", [4, 3, 3, 3])


@found((16, "player-quota-used", "contract"), rulesets=FREE)
def _fourth_penalty_of_a_player(game):
    game["entries"][11] = deal("trump", [4, 3, 3, 3])
    game["entries"][16] = deal("heart-king", [0, 0, 0, 1])


@found((2, "contract-used-up", "contract"), rulesets=FREE)
def _third_deal_of_a_penalty(game):
    for entry in range(3):
        game["entries"][entry] = deal("heart-king", [0, 0, 0, 1])


@found((12, "contract-used-up", "contract"), (12, "player-quota-used", "contract"), rulesets=FREE)
def _nothing_left_of_a_penalty_for_a_player_who_must_trump(game):
    entries = game["entries"]
    entries[8], entries[12] = deal("no-men", [1, 4, 0, 3]), deal("heart-king", [1, 0, 0, 0])


@found((8, "player-quota-used", "contract"), rulesets=PARTNERS)
def _fifth_trump_of_a_pair(game):
    for entry in (0, 2, 4, 6, 8):
        game["entries"][entry] = deal("trump", [7, 6], declarer=entry // 2 % 2 * 2)


@found((16, "player-quota-used", "contract"), rulesets=PARTNERS)
def _seventh_penalty_of_a_pair(game):
    game["entries"][11] = deal("trump", [7, 6], declarer=1)
    game["entries"][16] = deal("heart-king", [0, 1], declarer=2)


@found((2, "contract-used-up", "contract"), rulesets=PARTNERS)
def _third_deal_of_a_penalty_in_pairs(game):
    for entry in range(3):
        game["entries"][entry] = deal("heart-king", [0, 1], declarer=entry)


@found((6, "player-quota-used", "contract"), rulesets=BARBU)
def _contract_named_twice_by_a_declarer(game):
    game["entries"][6] = copy.deepcopy(game["entries"][0])


@found((20, "player-quota-used", "contract"), rulesets=BARBU)
def _contract_named_twice_by_the_third_declarer(game):
    game["entries"][20] = copy.deepcopy(game["entries"][14])


OUT_OF_ORDER = {
    (DOUBLE, 0): (("trump", [4, 3, 3, 3]),),
    (DOUBLE, 1): (("trump", [4, 3, 3, 3]),),
    (PORTUGUESE, 0): (("positive", [4, 3, 3, 3]), ("no-hearts", [4, 3, 3, 3])),
    (PORTUGUESE, 5): (("no-tricks", [4, 3, 3, 3]), ("positive", [4, 3, 3, 3])),
    (PORTUGUESE, 9): (("no-tricks", [4, 3, 3, 3]), ("last-two", [0, 0, 1, 1])),
}
for (_ruleset, _entry), _deals in OUT_OF_ORDER.items():
    for _contract, _counts in _deals:
        put(
            f"entries.{_entry}",
            deal(_contract, _counts),
            (_entry, "out-of-order", "contract"),
            rulesets=_ruleset,
        )


@found((2, "out-of-order", "contract"), rulesets=DOUBLE)
def _third_deal_of_all_penalties(game):
    game["entries"][2] = copy.deepcopy(game["entries"][0])
