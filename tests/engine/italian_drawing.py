"""Right games of Italian King drawn by chance, with all that a record may hold."""

from fractions import Fraction

from tests.engine.italian_oracle import IN_ORDER, PAIRS, TABLE, score

EVERYONE = {
    "domino_redeal": (False, True, True),
    "no_trump_declaration": (False, True),
    "stake": (1, 25, "1/10", "3/2"),
}
SINGLE = {
    "cappotto": ("none", "plus14", "plus13"),
    "domino_winners": ("one", "several", "several"),
    "blind_declaration": (False, True, True),
    "sale": (False, True, True),
}
CHOSEN = {"declarations": ("one-each", "free")}
OPTIONS = {
    "italian-king": EVERYONE | SINGLE,
    "italian-king-choice": EVERYONE | SINGLE | CHOSEN,
    "italian-king-pirandello": EVERYONE | SINGLE | CHOSEN,
    "italian-king-pairs": EVERYONE,
    "italian-king-pairs-choice": EVERYONE,
}
UNKNOWN_YET = (("partner", "closed_by"), ("trump", "sale", "blind"), ("offered", "third"))
"""What may be left out together while a deal is open."""
SUITS = ("spades", "hearts", "diamonds", "clubs")


def draw_game(chance, ruleset):
    """A right record of `ruleset`: anything from no entry to a game that is over and adjusted."""
    record = {
        "format": "kingscore-game/1",
        "ruleset": ruleset,
        "options": draw_options(chance, OPTIONS[ruleset]),
        "players": ["Anna", "Bruno", "Carla", "Dino"],
        "entries": [],
    }
    if chance.random() < 0.8:
        record["first_declarer"] = chance.randrange(4)
    for _ in range(chance.choice((4, 12, 40, 40))):
        result = score(record)
        if result["finished"] and chance.random() < 0.5:
            break
        record["entries"].append(draw_entry(chance, record, result))
        last = record["entries"][-1]
        if last["type"] == "deal" and "counts" not in last:
            break
    return record


def draw_options(chance, choices):
    """Some of the options that a ruleset has."""
    return {
        name: chance.choice(values) for name, values in choices.items() if chance.random() < 0.7
    }


def draw_entry(chance, record, result):
    """One entry that may stand after the record."""
    if result["finished"] or chance.random() < 0.05:
        return draw_adjustment(chance, 4)
    if chance.random() < 0.06:
        return draw_pause(chance, record, result["next"])
    if chance.random() < 0.01:
        return {"type": "stopped", "reason": chance.choice(("time", "agreement", "other"))}
    deal = draw_deal(chance, record, result["next"])
    if chance.random() < 0.02:
        for name in ("counts", *chance.choice(UNKNOWN_YET)):
            deal.pop(name, None)
    return deal


def draw_adjustment(chance, seats):
    """Points for a seat, sometimes from the others, sometimes in parts."""
    points = Fraction(chance.choice((-10, 7, -9, 26, 1)), chance.choice((1, 1, 1, 2, 3)))
    entry = {
        "type": "adjustment",
        "seat": chance.randrange(seats),
        "points": points.numerator if points.denominator == 1 else str(points),
        "reason": "revoke",
    }
    if chance.random() < 0.6:
        entry["to"] = chance.choice(("none", "others", "others"))
    return entry


def draw_pause(chance, record, ahead):
    """Cards dealt anew, or a deal that is played again."""
    extremes = record["options"].get("domino_redeal") and "domino" in ahead["contracts"]
    if extremes and chance.random() < 0.7:
        return {"type": "redeal", "by": chance.randrange(4), "reason": "four-extremes"}
    if chance.random() < 0.5:
        return {"type": "redeal", "by": chance.randrange(4), "reason": "misdeal"}
    known = {"contract": chance.choice(ahead["contracts"]), "declarer": ahead["declarer"]}
    return {"type": "void", "reason": "misdeal"} | some_of(chance, known, 0.5)


def some_of(chance, fields, share):
    """Some of the fields that may be left out."""
    return {name: value for name, value in fields.items() if chance.random() < share}


def draw_deal(chance, record, ahead):
    """A deal the next dealer may name, with any counts that it can have."""
    contract = chance.choice(ahead["contracts"])
    deal = {"type": "deal", "contract": contract}
    if record["ruleset"] == "italian-king-pairs-choice":
        deal |= draw_offer(chance, record)
        contract = deal["contract"]
    unit, units, _each, _times = TABLE[contract]
    sides = 2 if record["ruleset"] in PAIRS else 4
    if contract == "domino":
        deal |= draw_domino(chance, record, sides)
    else:
        deal["counts"] = {unit: draw_counts(chance, units, sides)}
    if contract == "declaration":
        deal |= draw_declaration(chance, record["options"], ahead["declarer"])
    if record["ruleset"] == "italian-king-pirandello":
        deal["partner"] = (ahead["declarer"] + chance.randint(1, 3)) % 4
    return deal | some_of(chance, {"declarer": ahead["declarer"], "author": "Anna"}, 0.5)


def draw_offer(chance, record):
    """Two contracts that are left, and the one of them, or the third, that is played."""
    left = list(IN_ORDER)
    for entry in record["entries"]:
        if entry["type"] == "deal":
            left.remove(entry["contract"])
    chance.shuffle(left)
    if len(left) == 1:
        return {"contract": left[0]}
    if len(left) > 2 and chance.random() < 0.4:
        return {"contract": left[2], "offered": left[:2], "third": True}
    told = {"third": False} if chance.random() < 0.2 else {}
    return {"contract": chance.choice(left[:2]), "offered": left[:2]} | told


def draw_counts(chance, units, sides):
    """`units` over the sides, often to few of them."""
    takers = [chance.randrange(sides) for _ in range(chance.choice((1, 1, 2, 3, 3, 4, 4, 8)))]
    counts = [0] * sides
    for _ in range(units):
        counts[chance.choice(takers)] += 1
    return counts


def draw_domino(chance, record, sides):
    """Cards left in a hand, or in the hands of a pair."""
    if sides == 2:
        closed_by = chance.randrange(2)
        left = [chance.choice((2, 13, 26, chance.randint(2, 26)))] * 2
        left[closed_by] = chance.choice((0, 13, chance.randint(0, 13)))
        return {"counts": {"cards_left": left}, "closed_by": closed_by}
    left = [chance.choice((1, 13, chance.randint(1, 13))) for _ in range(4)]
    several = record["options"].get("domino_winners") == "several"
    for seat in chance.sample(range(4), chance.randint(1, 4) if several else 1):
        left[seat] = 0
    return {"counts": {"cards_left": left}}


def draw_declaration(chance, options, dealer):
    """What a declaration may hold: a suit or none, chosen blind, or sold."""
    fields = {}
    if chance.random() < 0.6:
        without = ("none",) if options.get("no_trump_declaration", True) else ()
        fields["trump"] = chance.choice(SUITS + without)
    if options.get("sale") and chance.random() < 0.6:
        buyer = (dealer + chance.randint(1, 3)) % 4
        fields["sale"] = {"buyer": buyer, "tricks": chance.choice((1, 4, 5, 6, 13))}
    if options.get("blind_declaration") and chance.random() < 0.7:
        fields["blind"] = "sale" not in fields and chance.random() < 0.8
    return fields
