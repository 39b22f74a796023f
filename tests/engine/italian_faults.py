"""What can be wrong with one deal of Italian King; see `spoiled_drawing`."""

from tests.engine.italian_oracle import FIXED, IN_ORDER, PAIRS, TABLE, dealer_after, what_is_left
from tests.engine.mutations import GONE
from tests.engine.spoiled_drawing import change


def named_before(record, index):
    """The contracts of the deals before an entry, with their dealers."""
    named = []
    for entry in record["entries"][:index]:
        if entry["type"] == "deal":
            named.append((entry["contract"], dealer_after(record, named)))
    return named


def turn(record, index):
    return dealer_after(record, named_before(record, index))


def another_declarer(chance, record, index, entry):
    declarer = (turn(record, index) + chance.randint(1, 3)) % 4
    return change(entry, "declarer", declarer, ("wrong-declarer", "declarer"))


def another_count(chance, record, index, entry):
    ((unit, counts),) = entry["counts"].items()
    where = f"counts.{unit}"
    if unit == "cards_left":
        return []
    side = chance.randrange(len(counts))
    counts[side] += chance.choice((-14, -1, 1, 14))
    codes = [("wrong-total", where)]
    if counts[side] < 0:
        codes.append(("negative-count", where))
    if counts[side] > TABLE[entry["contract"]][1]:
        codes.append(("count-too-large", where))
    return codes


def another_list(chance, record, index, entry):
    ((unit, counts),) = entry["counts"].items()
    if chance.random() < 0.5:
        counts.append(0)
    else:
        counts.pop()
    return [("wrong-seats", f"counts.{unit}")]


def another_unit(chance, record, index, entry):
    ((unit, counts),) = entry["counts"].items()
    other = chance.choice([name for name, *_ in TABLE.values() if name != unit])
    entry["counts"] = {other: counts}
    return [("missing-field", f"counts.{unit}"), ("unexpected-field", f"counts.{other}")]


def another_contract(chance, record, index, entry):
    """A contract that is not left, or whose time has not come, with right counts."""
    named = named_before(record, index)
    refused = [name for name in TABLE if name not in what_is_left(record, named)]
    if not refused:
        return []
    contract = chance.choice(refused)
    play(entry, contract, record["ruleset"] in PAIRS)
    if record["ruleset"] in FIXED:
        return [("out-of-order", "contract")]
    if record["ruleset"] in PAIRS:
        return [("contract-used-up", "contract")]
    if contract == "no-trump":
        return [("out-of-order", "contract")]
    return used_up(record, named, contract)


def play(entry, contract, pairs):
    """Let an entry be a right deal of another contract."""
    for field in ("trump", "sale", "blind", "closed_by"):
        entry.pop(field, None)
    unit, units, *_ = TABLE[contract]
    counts = [0, units or 5] if pairs else [0, 1, 2, 3] if units is None else [0, 0, 0, units]
    entry |= {"contract": contract, "counts": {unit: counts}}
    if pairs and contract == "domino":
        entry["closed_by"] = 0


def used_up(record, named, contract):
    """The quotas, of the contract and of the dealer, that are used up."""
    codes = []
    if [name for name, _ in named].count(contract) == IN_ORDER.count(contract):
        codes.append(("contract-used-up", "contract"))
    declares = contract == "declaration"
    dealer = dealer_after(record, named)
    own = [(name == "declaration") == declares for name, seat in named if seat == dealer]
    one_each = record["options"].get("declarations", "one-each") == "one-each"
    if one_each and own.count(True) == (1 if declares else 2):
        codes.append(("player-quota-used", "contract"))
    return codes


def no_contract(chance, record, index, entry):
    return change(entry, "contract", GONE, ("missing-field", "contract"))


def unknown_contract(chance, record, index, entry):
    return change(entry, "contract", "trump", ("unknown-contract", "contract"))


def another_trump(chance, record, index, entry):
    trump = "none"
    if entry["contract"] != "declaration":
        trump = chance.choice(("hearts", "none", "♥"))
    elif record["options"].get("no_trump_declaration", True):
        trump = "♥"
    return change(entry, "trump", trump, ("bad-trump", "trump"))


def other_cards_left(chance, record, index, entry):
    if entry["contract"] != "domino":
        return []
    left, where = entry["counts"]["cards_left"], "counts.cards_left"
    if record["ruleset"] in PAIRS:
        side = chance.randrange(2)
        wrong = (14, 20, 26) if side == entry["closed_by"] else (0, 1)
        return change(left, side, chance.choice(wrong), ("bad-domino", where))
    if not any(left):
        return change(left, 0, -1, ("negative-count", where))
    seat = chance.choice([seat for seat in range(4) if left[seat] or left.count(0) == 1])
    if left[seat] == 0:
        return change(left, seat, chance.randint(1, 13), ("bad-domino", where))
    wrong = [(14, "count-too-large"), (-1, "negative-count")]
    if record["options"].get("domino_winners", "one") == "one":
        wrong.append((0, "bad-domino"))
    value, code = chance.choice(wrong)
    return change(left, seat, value, (code, where))


def a_sale(chance, record, index, entry):
    if entry["contract"] == "declaration" and record["options"].get("sale"):
        return []
    sale = {"buyer": (turn(record, index) + 1) % 4, "tricks": 4}
    return change(entry, "sale", sale, ("unexpected-field", "sale"))


def another_sale(chance, record, index, entry):
    if "sale" not in entry:
        return []
    buyer, tricks = "sale.buyer", "sale.tricks"
    field, value, code = chance.choice(
        (
            ("buyer", turn(record, index), ("bad-sale", buyer)),
            ("buyer", 4, ("bad-seat", buyer)),
            ("buyer", GONE, ("missing-field", buyer)),
            ("tricks", chance.choice((-1, 0, 14, 99)), ("bad-sale", tricks)),
            ("tricks", GONE, ("missing-field", tricks)),
        )
    )
    return change(entry["sale"], field, value, code)


def another_blind(chance, record, index, entry):
    known = record["options"].get("blind_declaration")
    if entry["contract"] == "declaration" and known and "sale" in entry:
        return change(entry, "blind", True, ("bad-sale", "sale"))
    if entry["contract"] == "declaration" and known:
        return change(entry, "blind", 1, ("wrong-type", "blind"))
    return change(entry, "blind", False, ("unexpected-field", "blind"))


def another_partner(chance, record, index, entry):
    if "partner" not in entry:
        return change(entry, "partner", 3, ("unexpected-field", "partner"))
    wrong = (turn(record, index), "bad-partner"), (4, "bad-seat"), (GONE, "missing-field")
    value, code = chance.choice(wrong)
    return change(entry, "partner", value, (code, "partner"))


def another_closer(chance, record, index, entry):
    if "closed_by" not in entry:
        return change(entry, "closed_by", 0, ("unexpected-field", "closed_by"))
    value, code = chance.choice(((2, "bad-seat"), (GONE, "missing-field")))
    return change(entry, "closed_by", value, (code, "closed_by"))


def an_offer(chance, record, index, entry):
    if record["ruleset"] == "italian-king-pairs-choice":
        return []
    field, value = chance.choice((("offered", ["no-men", "domino"]), ("third", False)))
    return change(entry, field, value, ("unexpected-field", field))


def another_offer(chance, record, index, entry):
    if record["ruleset"] != "italian-king-pairs-choice":
        return []
    played = [name for name, _ in named_before(record, index)]
    spare = {name: IN_ORDER.count(name) - played.count(name) for name in TABLE}
    contract = entry["contract"]
    if len(played) == 12:
        return change(entry, "offered", [contract, contract], ("bad-offer", "offered"))
    gone = [name for name in TABLE if spare[name] == 0]
    if gone and chance.random() < 0.3:
        offered = [chance.choice(gone), contract]
        entry.pop("third", None)
        return change(entry, "offered", offered, ("bad-offer", "offered"))
    if chance.random() < 0.2:
        return change(entry, "offered", GONE, ("missing-field", "offered"))
    return other_third(entry, spare[contract], len(played))


def other_third(entry, left_of_it, played):
    """Tell a third choice as none, or one of the offered as a third."""
    contract, offered = entry["contract"], entry["offered"]
    if entry.get("third"):
        codes = [] if contract in offered else [("bad-offer", "offered")]
        return change(entry, "third", False, *codes)
    if played < 11 and left_of_it > offered.count(contract):
        return []
    return change(entry, "third", True, ("bad-offer", "third"))


def another_field(chance, record, index, entry):
    field = chance.choice(("king", "king_declared_by", "rifki_holder", "maker", "winner", "x"))
    return change(entry, field, 0, ("unexpected-field", field))


def another_type(chance, record, index, entry):
    return change(entry, "type", chance.choice(("hand", None, 3)), ("wrong-type", "type"))


FAULTS = (
    another_declarer, another_count, another_count, another_list, another_unit, another_contract,
    another_contract, no_contract, unknown_contract, another_trump, other_cards_left, a_sale,
    another_sale, another_sale, another_blind, another_partner, another_closer, an_offer,
    another_offer, another_offer, another_field, another_type,
)  # fmt: skip
