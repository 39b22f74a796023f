"""Right records spoiled in every way that has a code, and what must be found in each.

A mutation is a name, the rulesets it applies to, a function that spoils a whole right
game in place, and the problems `(entry, code, where)` that must be reported for it.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass

from tests.engine.test_records import load

KINGS = ("turkish-king", "turkish-king-internet", "turkish-king-bloody")
ALL = (*KINGS, "rifki")
WHOLE = {
    "turkish-king": "turkish-king-whole",
    "turkish-king-internet": "internet-mean",
    "turkish-king-bloody": "turkish-king-whole",
    "rifki": "rifki-whole",
}

# The first deals of the whole game, by what they are good for.
RIFKI, QUEENS, MEN, TRUMP, TRICKS, _, HEARTS, LAST_TWO = range(8)


@dataclass(frozen=True)
class Mutation:
    name: str
    rulesets: tuple[str, ...]
    spoil: Callable
    problems: tuple[tuple[int | None, str, str], ...]


def whole_game(ruleset):
    """A right game of a ruleset from the first deal to the last."""
    return {**copy.deepcopy(load(WHOLE[ruleset])), "ruleset": ruleset}


MUTATIONS = []


def found(*problems, rulesets=ALL):
    """Enter the function below as a mutation in which `problems` are found."""

    def enter(spoil):
        name = spoil.__name__.strip("_").replace("_", "-")
        MUTATIONS.append(Mutation(name, rulesets, spoil, problems))
        return spoil

    return enter


def put(place, value, *problems, rulesets=ALL, why=""):
    """Enter the mutation that writes `value` at a dotted place of the record (None: takes away)."""

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
    MUTATIONS.append(Mutation(why or f"{place}={shown}", rulesets, spoil, problems))


GONE = object()


# The head.

put("format", "kingscore-game/2", (None, "unknown-format", "format"))
put("format", 1, (None, "wrong-type", "format"))
put("ruleset", "bridge", (None, "unknown-ruleset", "ruleset"))
put("ruleset", 3, (None, "wrong-type", "ruleset"))
put(
    "ruleset",
    {"format": "kingscore-ruleset/1", "id": "Moda!", "family": "moda", "contracts": []},
    (None, "bad-ruleset", "ruleset.id"),
)
for _field in ("format", "ruleset", "players", "entries"):
    put(_field, GONE, (None, "missing-field", _field))
put("winner", 0, (None, "unexpected-field", "winner"))
put("title", 5, (None, "wrong-type", "title"))
put("place", None, (None, "wrong-type", "place"))
put("played_at", "yesterday", (None, "wrong-type", "played_at"))
put("played_at", 20261120, (None, "wrong-type", "played_at"))
put("entries", {}, (None, "wrong-type", "entries"))
put("players", ["A", "B", "C"], (None, "wrong-players", "players"))
put("players", ["A", "B", "C", "D", "E"], (None, "wrong-players", "players"))
put("players", ["A", "B", "C", ""], (None, "wrong-players", "players"))
put("players", ["A", "B", "C", "  "], (None, "wrong-players", "players"))
put("players", ["A", "B", "C", "A"], (None, "wrong-players", "players"))
put("players", "ABCD", (None, "wrong-type", "players"))
put("players", ["A", "B", "C", 4], (None, "wrong-type", "players"))
put("players", ["A", "B", "C", "\ud800"], (None, "wrong-type", "players"))
for _seat in (-1, 4, 10**9):
    put("first_declarer", _seat, (None, "bad-seat", "first_declarer"))
for _seat in (None, "0", True, 0.0, [0]):
    put("first_declarer", _seat, (None, "wrong-type", "first_declarer"))
put("options", [], (None, "wrong-type", "options"))
put("options", None, (None, "wrong-type", "options"))
put("options", {"deck": 24}, (None, "unknown-option", "options.deck"))
put("options", {"king": "sometimes"}, (None, "unknown-option", "options.king"))
put("options", {"out": True}, (None, "unknown-option", "options.out"))
put("options", {"out": ["mean"]}, (None, "unknown-option", "options.out"))
put(
    "options",
    {"king": "off", "out": "positive"},
    (None, "unknown-option", "options.king"),
    (None, "unknown-option", "options.out"),
    rulesets=("rifki",),
)
put(
    "options",
    {"order": "strict"},
    (None, "unknown-option", "options.order"),
    rulesets=("turkish-king", "turkish-king-internet", "rifki"),
)


@found(
    (None, "missing-field", "players"),
    (None, "unknown-format", "format"),
    (None, "unexpected-field", "x"),
    (None, "bad-seat", "first_declarer"),
    (None, "unknown-option", "options.x"),
)
def _everything_wrong_with_the_head(game):
    del game["players"]
    game |= {"format": "", "x": 1, "first_declarer": 7, "options": {"x": 1}}


# The form of an entry.

put("entries.2", [], (2, "wrong-type", ""))
put("entries.2", None, (2, "wrong-type", ""))
put("entries.2", {}, (2, "missing-field", "type"))
put("entries.2.type", "passed", (2, "wrong-type", "type"))
put("entries.2.type", "hand", (2, "wrong-type", "type"))
put("entries.2.type", None, (2, "wrong-type", "type"))
put("entries.2.type", ["deal"], (2, "wrong-type", "type"))
put("entries.2.contract", GONE, (2, "missing-field", "contract"))
put("entries.2.contract", 3, (2, "wrong-type", "contract"))
put("entries.2.contract", None, (2, "wrong-type", "contract"))
put("entries.2.contract", "no-kings", (2, "unknown-contract", "contract"))
put("entries.2.contract", "all-penalties", (2, "unknown-contract", "contract"))
put("entries.2.declarer", "2", (2, "wrong-type", "declarer"))
put("entries.2.declarer", None, (2, "wrong-type", "declarer"))
put("entries.2.declarer", 2.0, (2, "wrong-type", "declarer"))
put("entries.2.author", 7, (2, "wrong-type", "author"))
put("entries.2.points", [0, 0, 0, 0], (2, "unexpected-field", "points"))
for _field in ("blind", "sale", "partner", "offered", "third", "closed_by", "sealed", "salt"):
    put(f"entries.2.{_field}", False, (2, "unexpected-field", _field))


# Whose turn it is, and what may be named.

put("entries.2.declarer", 3, (2, "wrong-declarer", "declarer"))
put("entries.2.declarer", 4, (2, "bad-seat", "declarer"))
put("entries.2.declarer", -1, (2, "bad-seat", "declarer"))
put("first_declarer", 1, (0, "wrong-declarer", "declarer"))


@found((4, "player-quota-used", "contract"), rulesets=("turkish-king-internet",))
def _second_trump_of_a_player(game):
    game["entries"][0] = deal("trump", [4, 3, 3, 3])
    game["entries"][4] = deal("trump", [4, 3, 3, 3])


@found((8, "player-quota-used", "contract"), rulesets=("turkish-king", "rifki"))
def _third_trump_of_a_player(game):
    for entry in (0, 4, 8):
        game["entries"][entry] = deal("trump", [4, 3, 3, 3])


@found((16, "player-quota-used", "contract"), rulesets=("turkish-king", "turkish-king-bloody"))
def _fourth_penalty_of_a_player(game):
    game["entries"][11] = deal("trump", [4, 3, 3, 3])
    game["entries"][16] = deal("heart-king", [0, 0, 0, 1])


@found((2, "contract-used-up", "contract"))
def _third_deal_of_a_penalty(game):
    for entry in range(3):
        game["entries"][entry] = deal("heart-king", [0, 0, 0, 1])


@found(
    (12, "contract-used-up", "contract"),
    (12, "player-quota-used", "contract"),
    rulesets=("turkish-king", "rifki"),
)
def _nothing_left_of_a_penalty_for_a_player_who_must_trump(game):
    game["entries"][8], game["entries"][12] = game["entries"][12], deal("heart-king", [1, 0, 0, 0])


@found((0, "out-of-order", "contract"), rulesets=("turkish-king-bloody",))
def _cheap_penalty_first(game):
    game["options"] = {"order": "ordered"}


@found((1, "out-of-order", "contract"), rulesets=("turkish-king-bloody",))
def _trump_before_the_penalties(game):
    game["options"] = {"order": "strict"}
    game["entries"][:2] = [deal("no-tricks", [4, 3, 3, 3]), deal("trump", [4, 3, 3, 3])]


@found((1, "out-of-order", "contract"), rulesets=("turkish-king-bloody",))
def _void_of_a_contract_out_of_order(game):
    game["options"] = {"order": "ordered"}
    again = {"type": "void", "contract": "no-queens", "reason": "one-each"}
    game["entries"][:2] = [deal("no-tricks", [4, 3, 3, 3]), again]


# Counts.

for _counts in (None, [2, 1, 3, 2], 8, "8"):
    put("entries.2.counts", _counts, (2, "wrong-type", "counts"))
put("entries.2.counts", {}, (2, "missing-field", "counts.men"))
put(
    "entries.2.counts",
    {"hearts": [2, 1, 3, 2]},
    (2, "missing-field", "counts.men"),
    (2, "unexpected-field", "counts.hearts"),
)
put("entries.2.counts.tricks", [3, 3, 3, 4], (2, "unexpected-field", "counts.tricks"))
for _counts in (8, None, "2132", {"0": 8}, [2, 1, 3, "2"], [2, 1, 3, 2.0], [True, 1, 3, 3]):
    put("entries.2.counts.men", _counts, (2, "wrong-type", "counts.men"))
for _counts in ([], [8], [2, 1, 3], [2, 1, 3, 2, 0]):
    put("entries.2.counts.men", _counts, (2, "wrong-seats", "counts.men"))
for _counts in ([], [1, 1, 1], [1, 1, 1, 1, 1]):
    put("entries.1.counts.queens", _counts, (1, "wrong-seats", "counts.queens"))
put("entries.2.counts.men", [2, 1, 3, 1], (2, "wrong-total", "counts.men"))
put("entries.2.counts.men", [2, 2, 3, 2], (2, "wrong-total", "counts.men"))
put("entries.2.counts.men", [0, 0, 0, 0], (2, "wrong-total", "counts.men"))
put("entries.2.counts.men", [-1, 4, 3, 2], (2, "negative-count", "counts.men"))
put(
    "entries.2.counts.men",
    [-2, 1, 3, 2],
    (2, "negative-count", "counts.men"),
    (2, "wrong-total", "counts.men"),
)
put(
    "entries.2.counts.men",
    [0, 9, 0, 0],
    (2, "count-too-large", "counts.men"),
    (2, "wrong-total", "counts.men"),
)
put(
    "entries.2.counts.men",
    [-1, 9, 0, 0],
    (2, "count-too-large", "counts.men"),
    (2, "negative-count", "counts.men"),
)
put(
    "entries.2.counts.men",
    [10**99, 1, 1, 1],
    (2, "count-too-large", "counts.men"),
    (2, "wrong-total", "counts.men"),
)
put("entries.2.counts.men", [10**4000, 1, 1, 1], (2, "wrong-type", "counts.men"))
put("entries.1.counts.queens", [1, 1, 1, 1], (1, "must-be-void", "counts.queens"), rulesets=KINGS)


# Tricks played.

put("entries.6.tricks_played", 3, (6, "inconsistent-counts", "tricks_played"))
put("entries.1.tricks_played", 2, (1, "inconsistent-counts", "tricks_played"))
put("entries.0.tricks_played", 0, (0, "inconsistent-counts", "tricks_played"))
put("entries.0.tricks_played", -1, (0, "negative-count", "tricks_played"))
put("entries.0.tricks_played", 14, (0, "count-too-large", "tricks_played"))
for _entry in (TRUMP, TRICKS, LAST_TWO):
    put(f"entries.{_entry}.tricks_played", 12, (_entry, "inconsistent-counts", "tricks_played"))
put("entries.0.tricks_played", None, (0, "wrong-type", "tricks_played"))


@found((6, "wrong-total", "counts.hearts"))
def _tricks_played_beside_wrong_counts(game):
    game["entries"][6] |= {"counts": {"hearts": [1, 6, 4, 3]}, "tricks_played": 4}


# Trump suits, and who held the king of hearts.

put("entries.3.trump", "none", (3, "bad-trump", "trump"))
put("entries.3.trump", "♠", (3, "bad-trump", "trump"))
put("entries.2.trump", "spades", (2, "bad-trump", "trump"))
put("entries.3.trump", None, (3, "wrong-type", "trump"))
put("entries.2.rifki_holder", 0, (2, "unexpected-field", "rifki_holder"))
put("entries.3.rifki_holder", 0, (3, "unexpected-field", "rifki_holder"))
put("entries.0.rifki_holder", 4, (0, "bad-seat", "rifki_holder"))
put("entries.0.rifki_holder", "Ayşe", (0, "wrong-type", "rifki_holder"))


# Kings.

put("entries.0.king", 2, (0, "unexpected-field", "king"), rulesets=("rifki",))
put("entries.0.king_declared_by", 2, (0, "unexpected-field", "king_declared_by"))
put("entries.2.king", 0, (2, "bad-king", "king"), rulesets=KINGS)
put("entries.3.king", 3, (3, "bad-king", "king"), rulesets=KINGS)
put("entries.2.king", 4, (2, "bad-seat", "king"), rulesets=KINGS)
put("entries.2.king", None, (2, "wrong-type", "king"), rulesets=KINGS)


def king_of_hearts(game, options=None, **fields):
    """Let Cem take ♥K in the first deal of a game, with fields about a King."""
    game["options"] = options or {}
    game["entries"][0] = {**deal("heart-king", [0, 0, 1, 0]), **fields}


@found((0, "bad-king", "king"), rulesets=KINGS)
def _king_in_a_deal_that_ended_early(game):
    king_of_hearts(game, king=2, tricks_played=12)


@found((0, "unexpected-field", "king"), rulesets=KINGS)
def _king_where_there_is_none(game):
    king_of_hearts(game, {"king": "off"}, king=2)


@found((0, "bad-king", "king"), rulesets=KINGS)
def _king_in_a_penalty_where_it_counts_in_trump(game):
    king_of_hearts(game, {"king_deals": "trump"}, king=2)


@found((0, "bad-king", "king_declared_by"), rulesets=KINGS)
def _king_declared_in_a_penalty_where_it_counts_in_trump(game):
    king_of_hearts(game, {"king": "declared", "king_deals": "trump"}, king_declared_by=2)


@found((0, "bad-king", "king_declared_by"), rulesets=KINGS)
def _king_declared_in_a_deal_that_ended_early(game):
    king_of_hearts(game, {"king": "declared"}, king_declared_by=1, tricks_played=12)


@found((0, "bad-king", "king"), rulesets=KINGS)
def _king_that_was_not_declared(game):
    king_of_hearts(game, {"king": "declared"}, king=2)


@found((0, "bad-king", "king"), rulesets=KINGS)
def _king_that_someone_else_declared(game):
    king_of_hearts(game, {"king": "declared"}, king=2, king_declared_by=1)


@found((0, "bad-seat", "king"), rulesets=KINGS)
def _declared_king_of_nobody(game):
    king_of_hearts(game, {"king": "declared"}, king=7, king_declared_by=2)


@found((0, "bad-seat", "king_declared_by"), rulesets=KINGS)
def _king_declared_by_nobody(game):
    king_of_hearts(game, {"king": "declared"}, king=2, king_declared_by=-1)


@found((0, "wrong-seats", "counts.heart_king"), rulesets=KINGS)
def _king_beside_counts_of_three(game):
    king_of_hearts(game, king=2)
    game["entries"][0]["counts"]["heart_king"].pop()


@found((0, "wrong-type", "counts.heart_king"), rulesets=KINGS)
def _king_beside_counts_that_are_none(game):
    king_of_hearts(game, king=2)
    game["entries"][0]["counts"]["heart_king"] = "2"


@found(
    (1, "must-be-void", "counts.queens"),
    (1, "unexpected-field", "king_declared_by"),
    rulesets=KINGS,
)
def _queen_each_with_a_declaration_that_does_not_exist(game):
    game["entries"][1] |= {"counts": {"queens": [1, 1, 1, 1]}, "king_declared_by": 1}


@found((1, "game-over", ""), rulesets=KINGS)
def _deal_after_a_king(game):
    king_of_hearts(game, king=2)


@found((1, "game-over", ""), rulesets=KINGS)
def _deal_after_a_failed_king(game):
    king_of_hearts(game, {"king": "declared"}, king_declared_by=1)


# What is no deal.


def insert(entry, *problems, rulesets=ALL, at=2):
    """Enter the mutation that inserts an entry."""
    shown = ", ".join(f"{name}={value!r}" for name, value in entry.items())
    MUTATIONS.append(
        Mutation(shown, rulesets, lambda game: game["entries"].insert(at, dict(entry)), problems)
    )


def deal(contract, counts):
    unit = {
        "no-hearts": "hearts",
        "no-men": "men",
        "no-queens": "queens",
        "heart-king": "heart_king",
        "last-two": "last_two",
    }.get(contract, "tricks")
    return {"type": "deal", "contract": contract, "counts": {unit: counts}}


VOID = {"type": "void", "reason": "misdeal"}
ONE_EACH = {"type": "void", "reason": "one-each", "contract": "no-queens"}
insert({"type": "void"}, (2, "missing-field", "reason"))
insert({**VOID, "reason": 1}, (2, "wrong-type", "reason"))
insert({**VOID, "reason": "boredom"}, (2, "void-not-allowed", "reason"))
insert({**ONE_EACH, "reason": "over-quota"}, (2, "void-not-allowed", "reason"))
insert(ONE_EACH, (2, "void-not-allowed", "reason"), rulesets=("rifki",))
insert({**ONE_EACH, "contract": "no-men"}, (2, "void-not-allowed", "reason"))
insert({**ONE_EACH, "contract": "no-girls"}, (2, "unknown-contract", "contract"), rulesets=KINGS)
insert({**ONE_EACH, "contract": None}, (2, "wrong-type", "contract"), rulesets=KINGS)
insert({"type": "void", "reason": "one-each"}, (2, "missing-field", "contract"), rulesets=KINGS)
insert({**ONE_EACH, "declarer": 1}, (2, "wrong-declarer", "declarer"), rulesets=KINGS)
insert({**VOID, "declarer": 9}, (2, "bad-seat", "declarer"))
insert({**VOID, "counts": {}}, (2, "unexpected-field", "counts"))
insert(
    ONE_EACH,
    (10, "contract-used-up", "contract"),
    rulesets=("turkish-king", "turkish-king-bloody"),
    at=10,
)

REDEAL = {"type": "redeal", "by": 2, "reason": "misdeal"}
insert({"type": "redeal", "reason": "misdeal"}, (2, "missing-field", "by"))
insert({"type": "redeal", "by": 2}, (2, "missing-field", "reason"))
insert({**REDEAL, "by": 4}, (2, "bad-seat", "by"))
insert({**REDEAL, "by": "Cem"}, (2, "wrong-type", "by"))
insert({**REDEAL, "reason": "bad cards"}, (2, "redeal-not-allowed", "reason"))
insert({**REDEAL, "reason": "four-extremes"}, (2, "redeal-not-allowed", "reason"))
insert({**REDEAL, "reason": "no-high-card"}, (2, "redeal-not-allowed", "reason"))
insert({**REDEAL, "declarer": 2}, (2, "unexpected-field", "declarer"))
insert(
    {**REDEAL, "reason": "no-high-card"},
    (16, "redeal-not-allowed", "by"),
    rulesets=("turkish-king", "turkish-king-bloody"),
    at=16,
)
insert(
    {**REDEAL, "by": 0, "reason": "no-high-card"},
    (16, "redeal-not-allowed", "reason"),
    rulesets=("rifki",),
    at=16,
)

ADJUSTMENT = {"type": "adjustment", "seat": 2, "points": -100, "reason": "revoke"}
for _field in ("seat", "points", "reason"):
    insert(
        {name: value for name, value in ADJUSTMENT.items() if name != _field},
        (2, "missing-field", _field),
    )
insert({**ADJUSTMENT, "seat": 4}, (2, "bad-seat", "seat"))
insert({**ADJUSTMENT, "seat": "2"}, (2, "wrong-type", "seat"))
for _points in (0, "0/3"):
    insert({**ADJUSTMENT, "points": _points}, (2, "bad-adjustment", "points"))
for _points in (None, 1.5, "100", "1/0", "1/-2", "½", " 1/2", "٣/٢", 10**4000, True):
    insert({**ADJUSTMENT, "points": _points}, (2, "wrong-type", "points"))
insert({**ADJUSTMENT, "points": "1/1000003"}, (2, "bad-adjustment", "points"))
insert({**ADJUSTMENT, "to": "all"}, (2, "bad-adjustment", "to"))
insert({**ADJUSTMENT, "to": 3}, (2, "wrong-type", "to"))
insert({**ADJUSTMENT, "reason": " "}, (2, "bad-adjustment", "reason"))
insert(
    {**ADJUSTMENT, "seat": -1, "points": 0, "to": ""},
    (2, "bad-adjustment", "points"),
    (2, "bad-adjustment", "to"),
    (2, "bad-seat", "seat"),
)

insert({"type": "stopped"}, (2, "missing-field", "reason"))
insert({"type": "stopped", "reason": "rain"}, (2, "wrong-type", "reason"))
insert({"type": "stopped", "reason": None}, (2, "wrong-type", "reason"))
insert({"type": "stopped", "reason": "time"}, (3, "game-over", ""))
insert({"type": "stopped", "reason": "time", "by": 0}, (2, "unexpected-field", "by"))


# Open deals, and what comes too late.

put("entries.2.counts", GONE, (2, "open-deal", ""))


@found((2, "open-deal", ""), (2, "wrong-declarer", "declarer"))
def _open_deal_of_someone_else(game):
    game["entries"][2] = {"type": "deal", "contract": "no-men", "declarer": 3}


def _append(entry):
    def spoil(game):
        game["entries"].append(entry)

    return spoil


LATE = {
    "deal": deal("trump", [4, 3, 3, 3]),
    "open deal": {"type": "deal", "contract": "trump"},
    "void": VOID,
    "redeal": REDEAL,
    "stop": {"type": "stopped", "reason": "time"},
}
for _name, _entry in LATE.items():
    for _length, _rulesets in (
        (12, ("turkish-king-internet",)),
        (20, ("turkish-king", "turkish-king-bloody", "rifki")),
    ):
        MUTATIONS.append(
            Mutation(
                f"{_name} after the last deal",
                _rulesets,
                _append(_entry),
                ((_length, "game-over", ""),),
            )
        )


@found((21, "game-over", ""), rulesets=("turkish-king", "rifki"))
def _open_deal_between_adjustments_after_the_end(game):
    game["entries"] += [ADJUSTMENT, {"type": "deal", "contract": "trump"}, ADJUSTMENT]


BAD_JSON = {
    "nothing": b"",
    "half a document": b'{"format": "kingscore-game/1"',
    "two documents": b"{} {}",
    "no number": b'{"first_declarer": NaN}',
    "no number either": b'{"first_declarer": -Infinity}',
    "a field twice": b'{"format": "kingscore-game/1", "format": "kingscore-game/1"}',
    "bytes that are no letters": b'{"title": "\xff\xfe"}',
    "half of a pair in UTF-8": b'{"title": "\xed\xa0\x80"}',
    "UTF-16": '{"format": "kingscore-game/1"}'.encode("utf-16"),
    "a number without end": b'{"first_declarer": ' + b"9" * 5000 + b"}",
    "deep nesting": b"[" * 100_000 + b"]" * 100_000,
    "single quotes": b"{'format': 1}",
    "a comma too many": b'{"entries": [],}',
}
"""Texts in which `bad-json` is found."""
