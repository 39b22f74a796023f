"""Spoiled records of the Turkish forms, of Portuguese King and of Barbu: Kings, seals, the end.

`bad-seal` may stand at `sealed` or at `salt`. The lists are whole once this module is read.
"""

import hashlib

from tests.engine.mutations import GONE, Mutation
from tests.engine.turkish_forms_count_mutations import SIX, TWO_SIDES
from tests.engine.turkish_forms_mutations import (
    ALL,
    BARBU,
    BLIND,
    DOUBLE,
    FOUR,
    FREE,
    HONEYMOON,
    MUTATIONS,
    PARTNERS,
    PORTUGUESE,
    QUOTAS,
    REFUSED,
    SEALED,
    TURKISH,
    deal,
    found,
    insert,
    only,
    put,
)

# Kings.

put("entries.2.king", 0, (2, "bad-king", "king"), rulesets=(*TURKISH, HONEYMOON))
put("entries.2.king", 4, (2, "bad-seat", "king"), rulesets=(*TURKISH, HONEYMOON))
put("entries.2.king", 2, (2, "bad-seat", "king"), rulesets=HONEYMOON)
put("entries.2.king", None, (2, "wrong-type", "king"), rulesets=(*TURKISH, HONEYMOON))
put("entries.0.king", 0, (0, "bad-king", "king"), rulesets=DOUBLE)

DECLARED = {"king": "declared"}
IN_TRUMP = {"king_deals": "trump"}
ALL_TO_CEM = {unit: [0, 0, sum(numbers), 0] for unit, numbers in SIX.items()}
KINGS = (
    # ruleset, a deal of which Cem (or his pair) has everything
    (BLIND, deal("heart-king", [0, 0, 1, 0])),
    (SEALED, deal("heart-king", [0, 0, 1, 0])),
    (SEALED, deal("heart-king", ALL_TO_CEM)),
    (DOUBLE, deal("all-penalties", ALL_TO_CEM)),
    (PARTNERS, deal("heart-king", [1, 0], declarer=0)),
)


def refuse_king(ruleset, taken, options, code, where, **fields):
    """Enter the mutation that leaves a game of one deal with fields about a King."""
    only({**taken, **fields}, (0, code, where), rulesets=ruleset, options=options)


for _ruleset, _taken in KINGS:
    refuse_king(_ruleset, _taken, {}, "bad-king", "king", king=1)
    refuse_king(_ruleset, _taken, {"king": "off"}, "unexpected-field", "king", king=2)
    refuse_king(_ruleset, _taken, IN_TRUMP, "bad-king", "king", king=2)
    refuse_king(
        _ruleset,
        _taken,
        DECLARED | IN_TRUMP,
        "bad-king",
        "king_declared_by",
        king_declared_by=2,
    )
    refuse_king(_ruleset, _taken, DECLARED, "bad-king", "king", king=2)
    refuse_king(_ruleset, _taken, DECLARED, "bad-king", "king", king=2, king_declared_by=1)
    refuse_king(_ruleset, _taken, DECLARED, "bad-seat", "king", king=7, king_declared_by=2)
    refuse_king(_ruleset, _taken, DECLARED, "bad-seat", "king_declared_by", king_declared_by=-1)
    refuse_king(
        _ruleset,
        _taken,
        {"king": "off"},
        "unexpected-field",
        "king_declared_by",
        king_declared_by=2,
    )
for _ruleset, _taken in (KINGS[0], KINGS[4]):
    refuse_king(_ruleset, _taken, {}, "bad-king", "king", king=2, tricks_played=12)
    refuse_king(
        _ruleset,
        _taken,
        DECLARED,
        "bad-king",
        "king_declared_by",
        king_declared_by=1,
        tricks_played=12,
    )
only(
    deal("no-queens", {**SIX, "queens": [4, 0, 0, 0]}, king=0),
    (0, "bad-king", "king"),
    rulesets=SEALED,
)
only(deal("trump", [0, 13], king=0), (0, "bad-king", "king"), rulesets=HONEYMOON)


def two_deals(ruleset, first, second, options=None):
    """Enter the mutation that leaves a game of which the first deal was the last."""

    def spoil(game):
        game |= {"options": options or {}, "first_declarer": 0, "entries": [first, second]}

    name = f"deal after {first} {options or ''}"
    MUTATIONS.append(Mutation(name, (ruleset,), spoil, ((1, "game-over", ""),)))


for _ruleset, _taken in KINGS:
    _later = {"declarer": 1} if _ruleset == PARTNERS else {}
    two_deals(_ruleset, {**_taken, "king": 2}, {**_taken, **_later})
    two_deals(_ruleset, {**_taken, "king_declared_by": 1}, {**_taken, **_later}, DECLARED)
for _ruleset, _taken in (KINGS[2], KINGS[3]):
    two_deals(_ruleset, _taken, _taken)
    two_deals(_ruleset, {**_taken, "king_declared_by": 2}, _taken, DECLARED)
two_deals(HONEYMOON, deal("trump", [0, 13]), deal("trump", [7, 6]))
two_deals(PARTNERS, deal("trump", [0, 13], declarer=0), deal("trump", [7, 6], declarer=1))


# Seals.


def sealed(contract, salt="0123456789abcdef" * 2):
    """A contract sealed with a salt."""
    return {"sealed": hashlib.sha256(f"{contract}:{salt}".encode()).hexdigest(), "salt": salt}


def bad_seal(**fields):
    """Enter the mutations that leave a deal, and a void, with a seal that proves nothing."""
    only(
        {**deal("no-men", [2, 1, 3, 2]), **fields},
        (0, "bad-seal", "sealed or salt"),
        rulesets=SEALED,
    )


bad_seal(**sealed("no-hearts"))
bad_seal(**sealed("no-men "))
bad_seal(sealed=sealed("no-men")["sealed"])
bad_seal(salt=sealed("no-men")["salt"])
bad_seal(**sealed("no-men", "0123456789abcdef" * 2 + "0") | {"salt": "0123456789abcdef" * 2})
for _salt in ("", "0123456789abcdef", "0123456789abcde" * 2, "salt" * 10, "0123456789abcdeg" * 2):
    bad_seal(**sealed("no-men", _salt))
for _hash in ("", "ab" * 31, "ab" * 33, "xy" * 32, "ab" * 32):
    bad_seal(**sealed("no-men") | {"sealed": _hash})
for _hash in ("", "ab" * 31, "ab" * 33, "xy" * 32, "no-men"):
    only(
        {"type": "deal", "declarer": 0, "sealed": _hash},
        (0, "bad-seal", "sealed or salt"),
        rulesets=SEALED,
    )
only(
    {**deal("no-men", [2, 1, 3, 2]), **sealed("no-men"), "sealed": 7},
    (0, "wrong-type", "sealed"),
    rulesets=SEALED,
)
only(
    {**deal("no-men", [2, 1, 3, 2]), **sealed("no-men"), "salt": 7},
    (0, "wrong-type", "salt"),
    rulesets=SEALED,
)
only({"type": "deal", "declarer": 0}, (0, "missing-field", "contract"), rulesets=SEALED)
UNREVEALED = {"type": "deal", "declarer": 2, "sealed": sealed("no-men")["sealed"]}
only({**UNREVEALED, "declarer": 1}, (0, "wrong-declarer", "declarer"), rulesets=SEALED)
only({**UNREVEALED, "declarer": 0, "counts": {"men": [2, 1, 3, 2]}}, rulesets=SEALED, into=REFUSED)
put("entries.2", UNREVEALED, (2, "open-deal", ""), rulesets=SEALED)
only(UNREVEALED, rulesets=(BLIND, DOUBLE, PARTNERS), into=REFUSED)


# What is no deal.

VOID = {"type": "void", "reason": "misdeal"}
insert({"type": "void"}, (2, "missing-field", "reason"))
insert({**VOID, "reason": 1}, (2, "wrong-type", "reason"))
insert({**VOID, "reason": "boredom"}, (2, "void-not-allowed", "reason"))
insert({**VOID, "declarer": 9}, (2, "bad-seat", "declarer"))
insert({**VOID, "declarer": 3}, (2, "wrong-declarer", "declarer"), rulesets=FOUR)
insert({**VOID, "declarer": 1}, (2, "wrong-declarer", "declarer"), rulesets=HONEYMOON)
insert({**VOID, "counts": {}}, (2, "unexpected-field", "counts"))
insert({**VOID, "contract": "no-kings"}, (2, "unknown-contract", "contract"))
NEXT = {
    BLIND: "no-men",
    SEALED: "no-men",
    DOUBLE: "trump",
    PARTNERS: "no-queens",
    HONEYMOON: "trump",
    PORTUGUESE: "no-queens",
    BARBU: "no-queens",
}
for _ruleset, _contract in NEXT.items():
    for _reason in ("one-each", "over-quota"):
        insert(
            {"type": "void", "reason": _reason, "contract": _contract},
            (2, "void-not-allowed", "reason"),
            rulesets=_ruleset,
        )
ONE_EACH = {"type": "void", "reason": "one-each", "contract": "no-queens"}
insert({**ONE_EACH, "declarer": 1}, (2, "wrong-declarer", "declarer"), rulesets=FREE)
insert({"type": "void", "reason": "one-each"}, (2, "missing-field", "contract"), rulesets=FREE)
insert(ONE_EACH, (10, "contract-used-up", "contract"), rulesets=FREE, at=10)

# The third no-men of a game: what a seal hid may be over quota.
OVER = {"type": "void", "reason": "over-quota", "contract": "no-men"}
insert(
    {**OVER, "contract": "no-kings"}, (13, "unknown-contract", "contract"), rulesets=SEALED, at=13
)
insert(
    {"type": "void", "reason": "over-quota"},
    (13, "missing-field", "contract"),
    rulesets=SEALED,
    at=13,
)
insert({**OVER, "declarer": 0}, (13, "wrong-declarer", "declarer"), rulesets=SEALED, at=13)
insert({**OVER, **sealed("no-hearts")}, (13, "bad-seal", "sealed or salt"), rulesets=SEALED, at=13)
insert(
    {**OVER, "sealed": sealed("no-men")["sealed"]},
    (13, "bad-seal", "sealed or salt"),
    rulesets=SEALED,
    at=13,
)
insert({**OVER, "salt": "ab" * 16}, (13, "bad-seal", "sealed or salt"), rulesets=SEALED, at=13)
insert(
    {**OVER, "contract": "heart-king"}, (11, "void-not-allowed", "reason"), rulesets=SEALED, at=11
)
insert({**OVER, "contract": "trump"}, (16, "void-not-allowed", "reason"), rulesets=SEALED, at=16)
insert(
    {**OVER, **sealed("no-men")},
    (2, "unexpected-field", "sealed"),
    (2, "unexpected-field", "salt"),
    (2, "void-not-allowed", "reason"),
    rulesets=BLIND,
)

REDEAL = {"type": "redeal", "by": 1, "reason": "misdeal"}
insert({"type": "redeal", "reason": "misdeal"}, (2, "missing-field", "by"))
insert({"type": "redeal", "by": 1}, (2, "missing-field", "reason"))
insert({**REDEAL, "by": 4}, (2, "bad-seat", "by"))
insert({**REDEAL, "by": 2}, (2, "bad-seat", "by"), rulesets=HONEYMOON)
for _reason in ("no-high-card", "four-extremes", "bad cards"):
    insert({**REDEAL, "reason": _reason}, (2, "redeal-not-allowed", "reason"))
insert(
    {**REDEAL, "by": 0, "reason": "no-high-card"},
    (16, "redeal-not-allowed", "reason"),
    rulesets=QUOTAS,
    at=16,
)
insert(
    {**REDEAL, "reason": "four-extremes"},
    (6, "redeal-not-allowed", "reason"),
    rulesets=BARBU,
    at=6,
)

ADJUSTMENT = {"type": "adjustment", "seat": 1, "points": -100, "reason": "revoke"}
for _field in ("seat", "points", "reason"):
    insert(
        {name: value for name, value in ADJUSTMENT.items() if name != _field},
        (2, "missing-field", _field),
    )
insert({**ADJUSTMENT, "seat": 4}, (2, "bad-seat", "seat"))
insert({**ADJUSTMENT, "seat": 2}, (2, "bad-seat", "seat"), rulesets=HONEYMOON)
insert({**ADJUSTMENT, "points": 0}, (2, "bad-adjustment", "points"))
insert({**ADJUSTMENT, "points": 1.5}, (2, "wrong-type", "points"))
insert({**ADJUSTMENT, "to": "all"}, (2, "bad-adjustment", "to"))

STOP = {"type": "stopped", "reason": "time"}
insert({"type": "stopped"}, (2, "missing-field", "reason"))
insert({**STOP, "reason": "rain"}, (2, "wrong-type", "reason"))
insert(STOP, (3, "game-over", ""))


# Open deals, and what comes too late.

put("entries.2.counts", GONE, (2, "open-deal", ""))


@found((2, "open-deal", ""), (2, "wrong-declarer", "declarer"), rulesets=FOUR)
def _open_deal_of_someone_else(game):
    del game["entries"][2]["counts"]
    game["entries"][2]["declarer"] = 3


@found((2, "open-deal", ""), rulesets=PARTNERS)
def _open_deal_of_nobody_yet(game):
    del game["entries"][2]["counts"]
    del game["entries"][2]["declarer"]


LENGTHS = {DOUBLE: 10, HONEYMOON: 8, PORTUGUESE: 10, BARBU: 28}
LAST = {PORTUGUESE: "positive"}
for _ruleset in ALL:
    _length, _contract = LENGTHS.get(_ruleset, 20), LAST.get(_ruleset, "trump")
    for _entry in (
        {"type": "deal", "contract": _contract},
        deal(_contract, [7, 6] if _ruleset in TWO_SIDES else [4, 3, 3, 3]),
        VOID,
        REDEAL,
        STOP,
    ):
        insert(_entry, (_length, "game-over", ""), rulesets=_ruleset, at=_length)
insert(UNREVEALED, (20, "game-over", ""), rulesets=SEALED, at=20)


@found((2, "game-over", ""), rulesets=HONEYMOON)
def _third_deal_of_two(game):
    game["options"] = {"deals": 2}


@found((29, "game-over", ""), rulesets=BARBU)
def _deal_between_adjustments_after_the_end(game):
    game["entries"] += [ADJUSTMENT, {"type": "deal", "contract": "trump"}, ADJUSTMENT]
