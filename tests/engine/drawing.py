"""Right games drawn by chance, with all that a record may hold; made without the engine."""

from fractions import Fraction

from tests.engine.oracle import CONTRACTS, score

OPTIONS = {
    "king": ("ends-game", "declared", "off"),
    "king_deals": ("all", "trump"),
    "out": ("positive", "mean"),
}
ORDERS = ("advised", "ordered", "strict")
EARLY = ("no-hearts", "no-men", "no-queens", "heart-king")
SUITS = ("spades", "hearts", "diamonds", "clubs")


def draw_record(chance, ruleset):
    """A right record of `ruleset`: anything from no entry to a game that is over and adjusted."""
    record = {
        "format": "kingscore-game/1",
        "ruleset": ruleset,
        "options": draw_options(chance, ruleset),
        "players": ["Ayşe", "Burak", "Cem", "Deniz"],
        "first_declarer": chance.randrange(4),
        "entries": [],
    }
    for _ in range(chance.choice((5, 15, 60))):
        result = score(record)
        record["entries"].append(draw_entry(chance, record, result))
        last = record["entries"][-1]
        if last["type"] == "deal" and "counts" not in last:
            break
        if result["finished"] and chance.random() < 0.5:
            break
    return record


def draw_options(chance, ruleset):
    """Some of the options that the ruleset has."""
    choices = {} if ruleset == "rifki" else dict(OPTIONS)
    if ruleset == "turkish-king-bloody":
        choices["order"] = ORDERS
    return {
        name: chance.choice(values) for name, values in choices.items() if chance.random() < 0.6
    }


def draw_entry(chance, record, result):
    """One entry that may stand after the record."""
    if result["finished"] or chance.random() < 0.05:
        return draw_adjustment(chance)
    if chance.random() < 0.05:
        return draw_pause(chance, record, result["next"])
    if chance.random() < 0.01:
        return {"type": "stopped", "reason": chance.choice(("time", "agreement", "other"))}
    deal = draw_deal(chance, record, result["next"])
    if chance.random() < 0.02:
        del deal["counts"]
    return deal


def draw_adjustment(chance):
    """Points for a seat, sometimes from the others, sometimes in parts."""
    points = Fraction(chance.choice((-100, 7, -9, 320)), chance.choice((1, 1, 2, 3)))
    entry = {
        "type": "adjustment",
        "seat": chance.randrange(4),
        "points": points.numerator if points.denominator == 1 else str(points),
        "reason": "revoke",
    }
    if chance.random() < 0.5:
        entry["to"] = chance.choice(("none", "others"))
    return entry


def draw_pause(chance, record, ahead):
    """Cards dealt anew, or a deal that is played again."""
    king = record["ruleset"] != "rifki"
    if king and ahead["must"] == "trump" and chance.random() < 0.5:
        return {"type": "redeal", "by": ahead["declarer"], "reason": "no-high-card"}
    if king and "no-queens" in ahead["contracts"] and chance.random() < 0.5:
        return {"type": "void", "contract": "no-queens", "reason": "one-each"}
    if chance.random() < 0.5:
        return {"type": "redeal", "by": chance.randrange(4), "reason": "misdeal"}
    return {"type": "void", "reason": "misdeal", "declarer": ahead["declarer"]}


def draw_deal(chance, record, ahead):
    """A deal the next declarer may name, with any counts that it can have."""
    contract = chance.choice(ahead["contracts"])
    unit, units, _ = CONTRACTS[contract]
    deal = {"type": "deal", "contract": contract, "author": "Ayşe"}
    if may_declare_king(record, contract) and chance.random() < 0.05:
        deal["king_declared_by"] = chance.randrange(4)
    counts = draw_counts(chance, units)
    if contract == "no-queens" and record["ruleset"] != "rifki" and "king_declared_by" not in deal:
        while counts == [1, 1, 1, 1]:
            counts = draw_counts(chance, units)
    deal["counts"] = {unit: counts}
    if units in counts and may_be_king(record, deal):
        if contract in ("trump", "no-tricks") or chance.random() < 0.2:
            deal["king"] = counts.index(units)
    elif contract in EARLY and "king_declared_by" not in deal and chance.random() < 0.3:
        deal["tricks_played"] = chance.randint(sum(-(-count // 4) for count in counts), 13)
    extras = {"declarer": ahead["declarer"]}
    if contract == "trump":
        extras["trump"] = chance.choice(SUITS)
    if contract == "heart-king":
        extras["rifki_holder"] = chance.randrange(4)
    return deal | {name: value for name, value in extras.items() if chance.random() < 0.6}


def draw_counts(chance, units):
    """`units` over four seats, often to few of them."""
    seats = [chance.randrange(4) for _ in range(chance.choice((1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 8)))]
    counts = [0] * 4
    for _ in range(units):
        counts[chance.choice(seats)] += 1
    return counts


def may_declare_king(record, contract):
    """Whether a player may declare King in a deal of `contract`."""
    options = record["options"]
    counts = options.get("king_deals") != "trump" or contract == "trump"
    return counts and options.get("king") == "declared"


def may_be_king(record, deal):
    """Whether the seat with all units of a deal may be stated as its King."""
    rule = record["options"].get("king", "ends-game")
    taker = next(seat for counts in deal["counts"].values() for seat in range(4) if counts[seat])
    if record["ruleset"] == "rifki" or rule == "off":
        return False
    if record["options"].get("king_deals") == "trump" and deal["contract"] != "trump":
        return False
    return rule == "ends-game" or deal.get("king_declared_by") == taker
