"""Right games of Krapet and Euchre spoiled in every way that has a code, and what must be found."""

from tests.engine.mutations import GONE
from tests.engine.piles_and_makers_oracle import SIDES
from tests.engine.spoiling import (
    REDEAL,
    VOID,
    Spoiling,
    append_too_late,
    spoil_the_head,
    spoil_the_options,
    spoil_what_is_no_deal,
    without,
)

MUTATIONS = Spoiling(
    {
        "krapet": "krapet-points",
        "euchre": "euchre-sequence",
        "euchre-two": "euchre-two-whole",
        "euchre-three": "euchre-three-together",
        "euchre-railroad": "euchre-railroad-whole",
    }
)
put, insert, found, replace = MUTATIONS.put, MUTATIONS.insert, MUTATIONS.found, MUTATIONS.replace

KRAPET = ("krapet",)
PARTNERS = ("euchre", "euchre-railroad")
ALONE = ("euchre-two", "euchre-three")
EUCHRE = (*PARTNERS, *ALONE)
RIGHT_OPTIONS = {
    "krapet": {"scoring": ("win",), "target": (3,)},
    "euchre": {"deck": (25,), "euchred_alone": (4,), "target": (3,)},
    "euchre-two": {"target": (3,)},
    "euchre-three": {"march": (2,), "target": (3,)},
    "euchre-railroad": {"euchred_alone": (4,), "target": (3,), "laps": (True,), "slam": (True,)},
}

spoil_the_head(MUTATIONS)
spoil_what_is_no_deal(MUTATIONS)
spoil_the_options(
    MUTATIONS,
    RIGHT_OPTIONS,
    {
        "scoring": ("cards", 1, None),
        "target": (0, -10, "10", 10.0, True, None),
        "deck": (52, "24", 24.0, True),
        "euchred_alone": (3, "2", True),
        "march": (1, 4, "3", True),
        "laps": (1, "on"),
        "slam": (0, "on"),
    },
)
for _option, _value in (("cappotto", "none"), ("declarations", "free"), ("sale", False)):
    put("options", {_option: _value}, (None, "unknown-option", f"options.{_option}"))


# What both families refuse.

ELSEWHERE = {
    "contract": "no-men",
    "counts": {"tricks": [2, 3]},
    "declarer": 0,
    "tricks_played": 13,
    "king": 0,
    "king_declared_by": 0,
    "rifki_holder": 0,
    "sealed": "0" * 64,
    "blind": False,
    "sale": {"buyer": 1, "tricks": 4},
    "partner": 1,
    "offered": ["no-men", "no-queens"],
    "third": False,
    "closed_by": 0,
    "points": [0, 0],
}
for _field, _value in ELSEWHERE.items():
    put(f"entries.0.{_field}", _value, (0, "unexpected-field", _field))
insert({**VOID, "contract": "no-men"}, (2, "unexpected-field", "contract"))
for _reason in ("one-each", "over-quota"):
    insert({**VOID, "reason": _reason}, (2, "void-not-allowed", "reason"))
insert({**REDEAL, "reason": "four-extremes"}, (2, "redeal-not-allowed", "reason"))
for _ruleset, _side_of in SIDES.items():
    insert({**REDEAL, "by": len(_side_of)}, (2, "bad-seat", "by"), rulesets=(_ruleset,))


# Krapet.

LOST = {"reserve": [0, 4], "stock": [0, 9], "waste": [0, 6]}
for _field in ("maker", "tricks", "alone", "defender_alone", "trump"):
    put(f"entries.0.{_field}", 0, (0, "unexpected-field", _field), rulesets=KRAPET)
put("entries.2.type", "passed", (2, "wrong-type", "type"), rulesets=KRAPET)
insert({"type": "passed"}, (2, "wrong-type", "type"), rulesets=KRAPET)
put("entries.0.winner", GONE, (0, "missing-field", "winner"), rulesets=KRAPET)
for _winner in (-1, 2):
    put("entries.0.winner", _winner, (0, "bad-seat", "winner"), rulesets=KRAPET)
for _winner in ("0", True, [0]):
    put("entries.0.winner", _winner, (0, "wrong-type", "winner"), rulesets=KRAPET)
put("entries.0.left", GONE, (0, "missing-field", "left"), rulesets=KRAPET)
for _left in (None, 19, [0, 19]):
    put("entries.0.left", _left, (0, "wrong-type", "left"), rulesets=KRAPET)
for _pile in ("reserve", "stock", "waste"):
    _at, _where = f"entries.0.left.{_pile}", f"left.{_pile}"
    put(_at, GONE, (0, "missing-field", _where), rulesets=KRAPET)
    for _cards in (None, 4, "04", [0, "4"], [0, 4.0], [False, 4]):
        put(_at, _cards, (0, "wrong-type", _where), rulesets=KRAPET)
    for _cards in ([], [4], [0, 4, 0]):
        put(_at, _cards, (0, "wrong-seats", _where), rulesets=KRAPET)
    put(_at, [0, -1], (0, "negative-count", _where), rulesets=KRAPET)
    put(_at, [1, 4], (0, "bad-krapet", "left"), rulesets=KRAPET)
    put(_at, [0, 105], (0, "count-too-large", "left"), rulesets=KRAPET)
put(
    "entries.0.left.foundation", [0, 4], (0, "unexpected-field", "left.foundation"), rulesets=KRAPET
)
put("entries.0.left.reserve", [0, 90], (0, "count-too-large", "left"), rulesets=KRAPET)
put("entries.1.left.stock", [8, 100], (1, "count-too-large", "left"), rulesets=KRAPET)
put("entries.0.winner", 1, (0, "bad-krapet", "left"), rulesets=KRAPET)
put("entries.0.winner", None, (0, "bad-krapet", "left"), rulesets=KRAPET)
EMPTY = {"reserve": [0, 0], "stock": [0, 0], "waste": [0, 0]}
put("entries.0.left", EMPTY, (0, "bad-krapet", "left"), rulesets=KRAPET)
put("entries.1.left", EMPTY, (1, "bad-krapet", "left"), rulesets=KRAPET)
put("entries.1.left", LOST, (1, "bad-krapet", "left"), rulesets=KRAPET)
put("entries.1.winner", 0, (1, "bad-krapet", "left"), rulesets=KRAPET)
for _calls in ([], [1], [1, 1, 1]):
    put("entries.0.calls", _calls, (0, "wrong-seats", "calls"), rulesets=KRAPET)
put("entries.0.calls", [0, -1], (0, "negative-count", "calls"), rulesets=KRAPET)
for _calls in (None, 3, "21", [2, "1"], [2, 1.0]):
    put("entries.0.calls", _calls, (0, "wrong-type", "calls"), rulesets=KRAPET)
put(
    "entries.0",
    {"type": "deal"},
    (0, "missing-field", "winner"),
    (0, "missing-field", "left"),
    rulesets=KRAPET,
)


@found((0, "bad-krapet", "left"), rulesets=KRAPET)
def _left_of_the_winner_where_only_wins_count(game):
    game["options"] = {"target": 5}
    game["entries"][0]["left"]["waste"] = [1, 6]


@found((0, "missing-field", "winner"), rulesets=KRAPET)
def _no_winner_told_where_only_wins_count(game):
    game["options"] = {"target": 5}
    game["entries"] = [{"type": "deal"}]


@found((1, "game-over", ""), rulesets=KRAPET)
def _second_game_of_one(game):
    game["options"] = {}


@found((2, "game-over", ""), rulesets=KRAPET)
def _deal_after_an_adjustment_that_reaches_the_target(game):
    fine = {"type": "adjustment", "seat": 1, "points": -47, "to": "others", "reason": "revoke"}
    game["entries"].insert(1, fine)


# Euchre.

for _field in ("winner", "left", "calls"):
    put(f"entries.0.{_field}", 0, (0, "unexpected-field", _field), rulesets=EUCHRE)
for _field in ("maker", "tricks"):
    put(f"entries.0.{_field}", GONE, (0, "missing-field", _field), rulesets=EUCHRE)
    for _value in (None, "1", 1.0, True):
        put(f"entries.0.{_field}", _value, (0, "wrong-type", _field), rulesets=EUCHRE)
put(
    "entries.1",
    {"type": "deal"},
    (1, "missing-field", "maker"),
    (1, "missing-field", "tricks"),
    rulesets=EUCHRE,
)
for _ruleset in EUCHRE:
    for _seat in (-1, len(SIDES[_ruleset])):
        put("entries.0.maker", _seat, (0, "bad-seat", "maker"), rulesets=(_ruleset,))
put("entries.0.tricks", -1, (0, "negative-count", "tricks"), rulesets=EUCHRE)
for _tricks in (6, 10**9):
    put("entries.0.tricks", _tricks, (0, "count-too-large", "tricks"), rulesets=EUCHRE)
for _suit in ("none", "♥", "hearts "):
    put("entries.0.trump", _suit, (0, "bad-trump", "trump"), rulesets=EUCHRE)
put("entries.0.trump", None, (0, "wrong-type", "trump"), rulesets=EUCHRE)
for _alone in (None, 1, "true"):
    put("entries.0.alone", _alone, (0, "wrong-type", "alone"), rulesets=EUCHRE)
put("entries.0.alone", True, (0, "unexpected-field", "alone"), rulesets=ALONE)
put("entries.0.defender_alone", 1, (0, "unexpected-field", "defender_alone"), rulesets=ALONE)
for _seat in (-1, 4):
    put("entries.1.defender_alone", _seat, (1, "bad-seat", "defender_alone"), rulesets=PARTNERS)
for _seat in ("1", False, [1]):
    put("entries.1.defender_alone", _seat, (1, "wrong-type", "defender_alone"), rulesets=PARTNERS)
for _seat in (1, 3):
    put("entries.1.defender_alone", _seat, (1, "bad-euchre", "defender_alone"), rulesets=PARTNERS)
insert({"type": "passed", "by": 0}, (2, "unexpected-field", "by"), rulesets=EUCHRE)
insert({"type": "passed", "maker": 0}, (2, "unexpected-field", "maker"), rulesets=EUCHRE)
insert({"type": "passed", "author": 0}, (2, "wrong-type", "author"), rulesets=EUCHRE)
insert(without(VOID, "type"), (2, "missing-field", "type"))


@found((1, "game-over", ""), rulesets=EUCHRE)
def _hand_after_an_adjustment_that_reaches_the_target(game):
    prize = {"type": "adjustment", "seat": 0, "points": 10, "reason": "left the table"}
    game["entries"].insert(0, prize)


append_too_late(MUTATIONS, {"type": "passed"}, EUCHRE)
append_too_late(MUTATIONS, {"type": "deal", "maker": 0, "tricks": 3}, EUCHRE)
append_too_late(MUTATIONS, {"type": "deal", "winner": 0, "left": LOST}, KRAPET)
