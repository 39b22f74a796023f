"""Spoiled records of the Turkish forms, of Portuguese King and of Barbu: what was counted."""

from tests.engine.mutations import GONE
from tests.engine.turkish_forms_mutations import (
    BARBU,
    BLIND,
    DOUBLE,
    FREE,
    HONEYMOON,
    PARTNERS,
    PORTUGUESE,
    QUOTAS,
    REFUSED,
    SEALED,
    TURKISH,
    deal,
    only,
    put,
)

# Counts of one unit: the third deal again.

ONE_UNIT = {
    # ruleset: unit, then counts that are too few, too many, negative, too large
    BLIND: ("men", [2, 1, 3, 1], [2, 2, 3, 2], [-1, 4, 3, 2], [0, 9, 0, 0]),
    SEALED: ("men", [2, 1, 3, 1], [2, 2, 3, 2], [-1, 4, 3, 2], [0, 9, 0, 0]),
    DOUBLE: ("tricks", [2, 3, 1, 6], [2, 3, 2, 7], [-1, 3, 4, 7], [0, 0, 0, 14]),
    PORTUGUESE: ("queens", [1, 1, 1, 0], [1, 1, 1, 2], [-1, 3, 1, 1], [0, 5, 0, 0]),
    BARBU: ("queens", [1, 1, 1, 0], [1, 1, 1, 2], [-1, 3, 1, 1], [0, 5, 0, 0]),
}
for _ruleset, (_unit, _few, _many, _negative, _large) in ONE_UNIT.items():
    _place = f"entries.2.counts.{_unit}"
    _where = f"counts.{_unit}"
    put(_place, _few, (2, "wrong-total", _where), rulesets=_ruleset)
    put(_place, _many, (2, "wrong-total", _where), rulesets=_ruleset)
    put(_place, _negative, (2, "negative-count", _where), rulesets=_ruleset)
    put(
        _place,
        _large,
        (2, "count-too-large", _where),
        (2, "wrong-total", _where),
        rulesets=_ruleset,
    )
    for _counts in ([], [4], [2, 2, 4], [1, 1, 1, 1, 0]):
        put(_place, _counts, (2, "wrong-seats", _where), rulesets=_ruleset)
TWO_SIDES = {PARTNERS: ("men", 8), HONEYMOON: ("tricks", 13)}
for _ruleset, (_unit, _units) in TWO_SIDES.items():
    _place = f"entries.2.counts.{_unit}"
    _where = f"counts.{_unit}"
    put(_place, [_units, 1], (2, "wrong-total", _where), rulesets=_ruleset)
    put(_place, [0, _units - 1], (2, "wrong-total", _where), rulesets=_ruleset)
    put(
        _place,
        [-1, _units + 1],
        (2, "negative-count", _where),
        (2, "count-too-large", _where),
        rulesets=_ruleset,
    )
    for _counts in ([], [_units], [_units, 0, 0], [_units - 3, 1, 1, 1]):
        put(_place, _counts, (2, "wrong-seats", _where), rulesets=_ruleset)
for _ruleset, (_unit, *_) in {**ONE_UNIT, **TWO_SIDES}.items():
    for _counts in (4, None, "1111", [1, "1"], [1.0, 1.0], [True, 3]):
        put(
            f"entries.2.counts.{_unit}",
            _counts,
            (2, "wrong-type", f"counts.{_unit}"),
            rulesets=_ruleset,
        )
    put("entries.2.counts", [1, 2], (2, "wrong-type", "counts"), rulesets=_ruleset)
    put("entries.2.counts", {}, (2, "missing-field", f"counts.{_unit}"), rulesets=_ruleset)
    put(
        "entries.2.counts.diamond_eight",
        [0, 1],
        (2, "unexpected-field", "counts.diamond_eight"),
        rulesets=_ruleset,
    )
put(
    "entries.2.counts.tricks",
    [3, 3, 3, 4],
    (2, "unexpected-field", "counts.tricks"),
    rulesets=BLIND,
)
put("entries.2.counts.tricks", [7, 6], (2, "unexpected-field", "counts.tricks"), rulesets=PARTNERS)
put("entries.1.counts.queens", [1, 1, 1, 1], (1, "must-be-void", "counts.queens"), rulesets=FREE)


# All six units together.

SIX = {
    "tricks": [4, 3, 5, 1],
    "hearts": [5, 2, 6, 0],
    "men": [3, 1, 3, 1],
    "queens": [1, 2, 1, 0],
    "heart_king": [1, 0, 0, 0],
    "last_two": [0, 1, 1, 0],
}
TOGETHER = (
    # what stands otherwise, and where that is said not to agree
    ({"heart_king": [0, 0, 0, 1]}, ("counts.heart_king",)),
    ({"men": [0, 4, 3, 1]}, ("counts.heart_king",)),
    ({"hearts": [0, 7, 6, 0]}, ("counts.heart_king",)),
    ({"last_two": [0, 0, 0, 2]}, ("counts.last_two",)),
    ({"hearts": [5, 2, 1, 5], "men": [3, 1, 4, 0]}, ("counts.hearts",)),
    ({"men": [1, 1, 1, 5]}, ("counts", "counts.men")),
    ({"hearts": [5, 2, 4, 2], "men": [3, 1, 1, 3], "queens": [1, 1, 0, 2]}, ("counts",)),
    ({"hearts": [5, 2, 6, 0], "men": [3, 1, 0, 4], "queens": [1, 2, 0, 1]}, ("counts",)),
    ({"tricks": [4, 4, 5, 0], "men": [3, 2, 3, 0], "hearts": [5, 2, 5, 1]}, ("counts.hearts",)),
    (
        {"tricks": [4, 4, 5, 0], "men": [3, 2, 3, 0], "queens": [1, 2, 0, 1]},
        ("counts", "counts.queens"),
    ),
    ({"tricks": [4, 4, 5, 0]}, ("counts", "counts.men")),
    (
        {"tricks": [4, 4, 5, 0], "men": [3, 2, 3, 0], "last_two": [1, 0, 0, 1]},
        ("counts.last_two",),
    ),
    (
        {"tricks": [4, 4, 5, 0], "men": [3, 2, 3, 0], "heart_king": [0, 0, 0, 1]},
        ("counts.heart_king",),
    ),
    (
        {"heart_king": [0, 0, 0, 1], "last_two": [0, 0, 0, 2]},
        ("counts.heart_king", "counts.last_two"),
    ),
)
WRONG_SIX = (
    ({"tricks": [5, 3, 5, 1]}, "wrong-total", "counts.tricks"),
    ({"hearts": [5, 3, 6, 0]}, "wrong-total", "counts.hearts"),
    ({"men": [3, 1, 2, 1]}, "wrong-total", "counts.men"),
    ({"queens": [1, 1, 1, 0]}, "wrong-total", "counts.queens"),
    ({"heart_king": [1, 0, 1, 0]}, "wrong-total", "counts.heart_king"),
    ({"heart_king": [0, 0, 0, 0]}, "wrong-total", "counts.heart_king"),
    ({"last_two": [0, 1, 0, 0]}, "wrong-total", "counts.last_two"),
    ({"queens": [2, 3, 0, -1]}, "negative-count", "counts.queens"),
    ({"men": [3, 1, 4]}, "wrong-seats", "counts.men"),
    ({"men": "3131"}, "wrong-type", "counts.men"),
    ({"diamond_eight": [1, 0, 0, 0]}, "unexpected-field", "counts.diamond_eight"),
)
TABLES_OF_SIX = (
    # a deal that is scored by all six, and one of which only one is scored
    (DOUBLE, "all-penalties"),
    (SEALED, "no-men"),
    (SEALED, "trump"),
    (SEALED, "last-two"),
)
for _ruleset, _contract in TABLES_OF_SIX:
    for _other, _places in TOGETHER:
        only(
            deal(_contract, {**SIX, **_other}),
            *((0, "inconsistent-counts", _where) for _where in _places),
            rulesets=_ruleset,
        )
    for _other, _code, _where in WRONG_SIX:
        only(deal(_contract, {**SIX, **_other}), (0, _code, _where), rulesets=_ruleset)
for _unit in SIX:
    put(f"entries.0.counts.{_unit}", GONE, (0, "missing-field", f"counts.{_unit}"), rulesets=DOUBLE)
    if _unit != "hearts":
        put(f"entries.6.counts.{_unit}", GONE, rulesets=SEALED, into=REFUSED)
only(deal("no-men", {"hearts": [5, 2, 6, 0]}), rulesets=SEALED, into=REFUSED)
only(deal("no-men", {}), rulesets=SEALED, into=REFUSED)
only(
    deal("no-queens", {**SIX, "tricks": [4, 3, 4, 2], "queens": [1, 1, 1, 1]}),
    (0, "must-be-void", "counts.queens"),
    rulesets=SEALED,
)


# Counts of Barbu: the ace beside the hearts, the last two tricks, places.

only(
    deal("no-hearts", {"hearts": [5, 2, 6, 0], "heart_ace": [0, 0, 0, 1]}),
    (0, "inconsistent-counts", "counts.heart_ace"),
    rulesets=BARBU,
)
for _counts, _code in (([0, 0, 0, 0], "wrong-total"), ([1, 1, 0, 0], "wrong-total")):
    only(
        deal("no-hearts", {"hearts": [5, 2, 6, 0], "heart_ace": _counts}),
        (0, _code, "counts.heart_ace"),
        rulesets=BARBU,
    )
only(
    deal("no-hearts", {"hearts": [5, 2, 6, 0]}),
    (0, "missing-field", "counts.heart_ace"),
    rulesets=BARBU,
)
only(
    deal("no-hearts", {"hearts": [5, 2, 5, 0], "heart_ace": [1, 0, 0, 0]}),
    (0, "wrong-total", "counts.hearts"),
    rulesets=BARBU,
)
only(
    deal("last-two", {"twelfth_trick": [1, 0, 0, 0], "last_trick": [1, 0, 1, 0]}),
    (0, "wrong-total", "counts.last_trick"),
    rulesets=BARBU,
)
only(
    deal("last-two", {"twelfth_trick": [0, 0, 2, -1], "last_trick": [1, 0, 0, 0]}),
    (0, "negative-count", "counts.twelfth_trick"),
    (0, "count-too-large", "counts.twelfth_trick"),
    rulesets=BARBU,
)
only(
    deal("last-two", [1, 0, 1, 0]),
    (0, "missing-field", "counts.twelfth_trick"),
    (0, "missing-field", "counts.last_trick"),
    (0, "unexpected-field", "counts.last_two"),
    rulesets=BARBU,
)
for _places in (
    [1, 2, 3, 3],
    [0, 1, 2, 3],
    [2, 3, 4, 5],
    [1, 1, 1, 1],
    [-1, 2, 3, 4],
    [0, 0, 0, 0],
):
    only(deal("domino", {"places": _places}), (0, "bad-domino", "counts.places"), rulesets=BARBU)
for _places in ([1, 2, 3], [1, 2, 3, 4, 5], []):
    only(deal("domino", {"places": _places}), rulesets=BARBU, into=REFUSED)
for _places in ("1234", 1, None, [1, 2, 3, "4"], [1, 2, 3, 4.0]):
    only(deal("domino", {"places": _places}), (0, "wrong-type", "counts.places"), rulesets=BARBU)
only(deal("domino", {}), (0, "missing-field", "counts.places"), rulesets=BARBU)
only(
    deal("domino", [4, 3, 3, 3]),
    (0, "missing-field", "counts.places"),
    (0, "unexpected-field", "counts.tricks"),
    rulesets=BARBU,
)


# Doubles.

DOUBLES = (
    ([{"seats": [1, 1]}], "bad-double"),
    ([{"seats": [0, 1]}, {"seats": [1, 0]}], "bad-double"),
    ([{"seats": [2, 3]}, {"seats": [2, 3], "redoubled": True}], "bad-double"),
    ([{"seats": [0]}], "bad-double"),
    ([{"seats": []}], "bad-double"),
    ([{"seats": [0, 1, 2]}], "bad-double"),
    ([{"seats": [0, 4]}], "bad-seat"),
    ([{"seats": [-1, 2]}], "bad-seat"),
    ({"seats": [0, 1]}, "wrong-type"),
    (True, "wrong-type"),
    (None, "wrong-type"),
)
for _doubles, _code in DOUBLES:
    put("entries.2.doubles", _doubles, (2, _code, "doubles"), rulesets=BARBU)
    only(
        {"type": "deal", "contract": "domino", "doubles": _doubles},
        (0, _code, "doubles"),
        rulesets=BARBU,
    )
for _double in (
    {},
    [0, 1],
    {"seats": [0, 1], "redoubled": 1},
    {"seats": [0, 1], "redoubled": None},
    {"seats": [0, 1], "by": 0},
    {"seats": "01"},
    {"seats": [0, "1"]},
    {"seats": [0, 1.0]},
    {"seats": [False, True]},
    {"redoubled": True},
):
    put("entries.2.doubles", [_double], rulesets=BARBU, into=REFUSED)


# Tricks played.

for _entry in range(8):
    put(
        f"entries.{_entry}.tricks_played",
        12,
        (_entry, "inconsistent-counts", "tricks_played"),
        rulesets=(SEALED, DOUBLE, HONEYMOON),
    )
for _entry in (3, 4, 7):
    put(
        f"entries.{_entry}.tricks_played",
        12,
        (_entry, "inconsistent-counts", "tricks_played"),
        rulesets=(BLIND, PARTNERS),
    )
for _entry, _tricks, _rulesets in (
    (6, 3, QUOTAS),
    (1, 1, (PARTNERS,)),
    (1, 2, FREE),
    (0, 0, QUOTAS),
):
    put(
        f"entries.{_entry}.tricks_played",
        _tricks,
        (_entry, "inconsistent-counts", "tricks_played"),
        rulesets=_rulesets,
    )
put(
    "entries.2.tricks_played",
    -1,
    (2, "negative-count", "tricks_played"),
    rulesets=(*TURKISH, HONEYMOON),
)
put(
    "entries.2.tricks_played",
    14,
    (2, "count-too-large", "tricks_played"),
    rulesets=(*TURKISH, HONEYMOON),
)
put(
    "entries.2.tricks_played",
    "13",
    (2, "wrong-type", "tricks_played"),
    rulesets=(*TURKISH, HONEYMOON),
)


# Trump suits.

put("entries.2.trump", "spades", (2, "bad-trump", "trump"), rulesets=(*QUOTAS, PORTUGUESE, BARBU))
put("entries.2.trump", "none", (2, "bad-trump", "trump"))
for _suit in ("none", "♠", "spade", ""):
    put("entries.3.trump", _suit, (3, "bad-trump", "trump"), rulesets=(*TURKISH, HONEYMOON))
    put("entries.0.trump", _suit, (0, "bad-trump", "trump"), rulesets=(DOUBLE, PORTUGUESE, BARBU))
put("entries.0.trump", "clubs", (0, "bad-trump", "trump"), rulesets=DOUBLE)
for _entry in (3, 5):
    put(f"entries.{_entry}.trump", "clubs", (_entry, "bad-trump", "trump"), rulesets=SEALED)
put("entries.6.trump", "♠", (6, "bad-trump", "trump"), rulesets=PORTUGUESE)
put("entries.5.trump", "none", (5, "bad-trump", "trump"), rulesets=BARBU)
put("entries.6.trump", "clubs", (6, "bad-trump", "trump"), rulesets=BARBU)
put("entries.2.trump", None, (2, "wrong-type", "trump"))
