"""Right games of Italian King spoiled: turn, order, counts, foreign fields, pauses."""

from tests.engine.italian_drawing import OPTIONS
from tests.engine.italian_oracle import FIXED, ITALIAN, PAIRS, TABLE
from tests.engine.mutations import GONE
from tests.engine.spoiling import (
    REDEAL,
    VOID,
    Spoiling,
    append_too_late,
    spoil_the_head,
    spoil_the_options,
    spoil_what_is_no_deal,
)

WHOLE = {ruleset: f"{ruleset}-whole" for ruleset in ITALIAN}
MUTATIONS = Spoiling(WHOLE)
put, insert, found, replace = MUTATIONS.put, MUTATIONS.insert, MUTATIONS.found, MUTATIONS.replace

CHOSEN = ("italian-king-choice", "italian-king-pirandello")
SINGLE = ("italian-king", *CHOSEN)
PIRANDELLO = ("italian-king-pirandello",)
OFFERED = ("italian-king-pairs-choice",)
ORDER = {
    ruleset: [entry["contract"] for entry in MUTATIONS.whole_game(ruleset)["entries"]]
    for ruleset in ITALIAN
}


def deal(contract, counts, **more):
    return {"type": "deal", "contract": contract, "counts": {TABLE[contract][0]: counts}, **more}


spoil_the_head(MUTATIONS)
spoil_what_is_no_deal(MUTATIONS)
spoil_the_options(
    MUTATIONS,
    OPTIONS,
    {
        "cappotto": ("plus12", True, None),
        "domino_winners": ("two", 1),
        "domino_redeal": ("yes", 1, None),
        "no_trump_declaration": ("on", 0),
        "blind_declaration": ("on", 1),
        "sale": (4, "on"),
        "declarations": ("two-each", False),
        "stake": (0, -1, 0.1, "1/0", "0/1", "-1/10", "0.10", "a lot", True, None, [1]),
    },
)
for _option, _value in (("target", 10), ("scoring", "win"), ("march", 2), ("euchred_alone", 4)):
    put("options", {_option: _value}, (None, "unknown-option", f"options.{_option}"))


# Whose turn it is, and what may be named.

put("entries.2.declarer", 3, (2, "wrong-declarer", "declarer"))
put("entries.2.declarer", 4, (2, "bad-seat", "declarer"))
put("entries.2.declarer", "2", (2, "wrong-type", "declarer"))
put("first_declarer", 1, (0, "wrong-declarer", "declarer"), rulesets=FIXED)
put("entries.2.contract", GONE, (2, "missing-field", "contract"))
put("entries.2.contract", 2, (2, "wrong-type", "contract"))
for _contract in ("trump", "all-penalties", "♥"):
    put("entries.2.contract", _contract, (2, "unknown-contract", "contract"))
put("entries.8.contract", GONE, (8, "missing-field", "contract"), rulesets=FIXED)
put("entries.0.contract", GONE, (0, "missing-field", "contract"), rulesets=OFFERED)
put("entries.2.type", "passed", (2, "wrong-type", "type"))

for _ruleset, _counts in (("italian-king", [1, 0, 0, 0]), ("italian-king-pairs", [1, 0])):
    for _contract, _at in (("heart-king", 2), ("diamond-eight", 3), ("diamond-eight", 7)):
        replace(
            _at,
            deal(_contract, _counts),
            (_at, "out-of-order", "contract"),
            rulesets=(_ruleset,),
        )


@found((8, "out-of-order", "contract"), rulesets=FIXED)
def _no_trump_before_the_declarations(game):
    game["entries"][8]["contract"] = "no-trump"
    game["entries"][8].pop("trump")


@found((2, "out-of-order", "contract"), rulesets=FIXED)
def _open_deal_out_of_order(game):
    game["entries"][2:] = [{"type": "deal", "contract": "no-queens"}]


replace(
    1,
    deal("no-trump", [4, 3, 3, 3], partner=0),
    (1, "out-of-order", "contract"),
    rulesets=PIRANDELLO,
)
replace(
    1,
    deal("no-trump", [4, 3, 3, 3]),
    (1, "out-of-order", "contract"),
    rulesets=("italian-king-choice",),
)


def rename(game, **contracts):
    """Play other contracts, all of tricks, in some deals (`at_4="no-tricks"`)."""
    for place, contract in contracts.items():
        entry = game["entries"][int(place.removeprefix("at_"))]
        units = TABLE[contract][1]
        entry |= {"contract": contract, "counts": {TABLE[contract][0]: [0, 0, units, 0]}}
        entry.pop("trump", None)


@found((3, "contract-used-up", "contract"), rulesets=CHOSEN)
def _penalty_that_was_played(game):
    rename(game, at_3="no-hearts")


@found((5, "player-quota-used", "contract"), rulesets=CHOSEN)
def _second_declaration_of_a_player(game):
    rename(game, at_5="declaration")


@found((8, "player-quota-used", "contract"), rulesets=CHOSEN)
def _third_penalty_of_a_player(game):
    rename(game, at_4="no-tricks", at_8="last-two")


@found((8, "contract-used-up", "contract"), (8, "player-quota-used", "contract"), rulesets=CHOSEN)
def _third_penalty_of_a_player_which_was_played(game):
    rename(game, at_4="no-tricks")


def only_declarations(game):
    rename(game, at_0="declaration", at_2="declaration", at_3="declaration", at_4="declaration")


@found((4, "contract-used-up", "contract"), (4, "player-quota-used", "contract"), rulesets=CHOSEN)
def _fifth_declaration(game):
    only_declarations(game)


@found(
    (4, "contract-used-up", "contract"),
    rulesets=CHOSEN,
    options={"declarations": "free"},
)
def _fifth_declaration_where_they_are_free(game):
    only_declarations(game)


@found(
    (12, "contract-used-up", "contract"),
    rulesets=CHOSEN,
    options={"declarations": "free"},
)
def _penalty_in_the_last_deal(game):
    rename(game, at_12="no-tricks")


# Counts.

for _counts in (None, [2, 1], 8):
    put("entries.2.counts", _counts, (2, "wrong-type", "counts"))
put("entries.2.counts.queens", [1, 1, 1, 1], (2, "unexpected-field", "counts.queens"))
for _ruleset in ITALIAN:
    _men = ORDER[_ruleset].index("no-men")
    _at, _where, _only = f"entries.{_men}.counts.men", "counts.men", (_ruleset,)
    _rest = [0] if _ruleset in PAIRS else [0, 0, 0]
    _wrong = [[], [8], [*_rest, 8, 0]]
    _wrong.append([2, 2, 2, 2] if _ruleset in PAIRS else [4, 4])
    for _counts in _wrong:
        put(_at, _counts, (_men, "wrong-seats", _where), rulesets=_only)
    for _counts in (8, None, "80", {"0": 8}, ["8", *_rest], [8.0, *_rest], [True, *_rest]):
        put(_at, _counts, (_men, "wrong-type", _where), rulesets=_only)
    for _most in (7, 0):
        put(_at, [_most, *_rest], (_men, "wrong-total", _where), rulesets=_only)
    put(
        _at,
        [9, *_rest],
        (_men, "count-too-large", _where),
        (_men, "wrong-total", _where),
        rulesets=_only,
    )
    put(
        _at,
        [-1, 8, *_rest[1:]],
        (_men, "negative-count", _where),
        (_men, "wrong-total", _where),
        rulesets=_only,
    )
    put(
        _at,
        [-1, 9, *_rest[1:]],
        (_men, "negative-count", _where),
        (_men, "count-too-large", _where),
        rulesets=_only,
    )
    put(f"entries.{_men}.counts", {}, (_men, "missing-field", _where), rulesets=_only)
    for _contract in ("no-tricks", "declaration", "no-trump"):
        _deal = ORDER[_ruleset].index(_contract)
        put(
            f"entries.{_deal}.counts.tricks",
            [12, *_rest],
            (_deal, "wrong-total", "counts.tricks"),
            rulesets=_only,
        )


# Fields of other games, and of other contracts.

ELSEWHERE = {
    "tricks_played": 13,
    "king": 0,
    "king_declared_by": 0,
    "rifki_holder": 0,
    "sealed": "0" * 64,
    "salt": "0" * 32,
    "maker": 0,
    "tricks": 3,
    "alone": False,
    "defender_alone": None,
    "winner": 0,
    "left": {},
    "calls": [0, 0],
    "points": [0, 0, 0, 0],
}
OWN = {
    "blind": (False, ()),
    "sale": ({"buyer": 0, "tricks": 4}, ()),
    "partner": (3, PIRANDELLO),
    "offered": (["no-trump", "no-trump"], OFFERED),
    "third": (False, OFFERED),
    "closed_by": (0, ()),
}
for _ruleset in ITALIAN:
    for _contract in ("no-men", "heart-king", "declaration", "no-trump"):
        _deal = ORDER[_ruleset].index(_contract)
        for _field, _value in ELSEWHERE.items():
            put(
                f"entries.{_deal}.{_field}",
                _value,
                (_deal, "unexpected-field", _field),
                rulesets=(_ruleset,),
            )
        for _field, (_value, _rulesets) in OWN.items():
            if _ruleset not in _rulesets:
                put(
                    f"entries.{_deal}.{_field}",
                    _value,
                    (_deal, "unexpected-field", _field),
                    rulesets=(_ruleset,),
                )
    for _contract in ("no-men", "domino", "no-trump"):
        _deal = ORDER[_ruleset].index(_contract)
        for _trump in ("spades", "none"):
            put(
                f"entries.{_deal}.trump",
                _trump,
                (_deal, "bad-trump", "trump"),
                rulesets=(_ruleset,),
            )
    _deal = ORDER[_ruleset].index("declaration")
    _at, _only = f"entries.{_deal}.trump", (_ruleset,)
    put(_at, "♠", (_deal, "bad-trump", "trump"), rulesets=_only)
    put(_at, None, (_deal, "wrong-type", "trump"), rulesets=_only)
    put(
        _at,
        "none",
        (_deal, "bad-trump", "trump"),
        rulesets=_only,
        options={"no_trump_declaration": False},
    )


# Pauses, open deals, and what comes too late.

insert(
    {**VOID, "reason": "over-quota", "contract": "declaration"},
    (1, "void-not-allowed", "reason"),
    at=1,
    rulesets=(*CHOSEN, *OFFERED),
)
insert(
    {**VOID, "reason": "one-each", "contract": "no-queens"}, (1, "void-not-allowed", "reason"), at=1
)
insert({**VOID, "declarer": 0}, (2, "wrong-declarer", "declarer"))
insert({**VOID, "declarer": 7}, (2, "bad-seat", "declarer"))
insert({**VOID, "contract": "trump"}, (2, "unknown-contract", "contract"))
insert({**VOID, "contract": None}, (2, "wrong-type", "contract"))
insert({**REDEAL, "reason": "four-extremes"}, (2, "redeal-not-allowed", "reason"))
insert(
    {**REDEAL, "reason": "four-extremes"},
    (2, "redeal-not-allowed", "reason"),
    rulesets=(*FIXED, *CHOSEN),
    options={"domino_redeal": True},
)
insert(
    {**REDEAL, "reason": "four-extremes"},
    (8, "redeal-not-allowed", "reason"),
    options={"domino_redeal": True},
    at=8,
)
put("entries.2.counts", GONE, (2, "open-deal", ""))
append_too_late(MUTATIONS, {"type": "deal", "contract": "no-trump"})
append_too_late(MUTATIONS, deal("no-trump", [4, 3, 3, 3]), SINGLE)
append_too_late(MUTATIONS, deal("no-trump", [7, 6]), PAIRS)
