"""What can be wrong with one deal of Krapet or Euchre; see `spoiled_drawing`."""

from tests.engine.mutations import GONE
from tests.engine.piles_and_makers_oracle import SIDES
from tests.engine.spoiled_drawing import change


def another_winner(chance, record, index, entry):
    value, code = chance.choice(((2, "bad-seat"), ("0", "wrong-type"), (GONE, "missing-field")))
    return change(entry, "winner", value, (code, "winner"))


def another_pile(chance, record, index, entry):
    if "left" not in entry:
        return []
    pile = chance.choice(("reserve", "stock", "waste"))
    value, code = chance.choice(
        (([0, 0, 0], "wrong-seats"), (GONE, "missing-field"), (7, "wrong-type"))
    )
    return change(entry["left"], pile, value, (code, f"left.{pile}"))


def other_cards(chance, record, index, entry):
    if "left" not in entry:
        return []
    left, winner = entry["left"], entry["winner"]
    pile = chance.choice(list(left))
    if winner is not None and chance.random() < 0.3:
        return change(left[pile], winner, 1, ("bad-krapet", "left"))
    side = chance.randrange(2) if winner is None else 1 - winner
    if chance.random() < 0.5:
        return change(left[pile], side, 105, ("count-too-large", "left"))
    for cards in left.values():
        cards[side] = 0
    return [("bad-krapet", "left")]


def other_calls(chance, record, index, entry):
    calls, code = chance.choice(
        (([1], "wrong-seats"), ([0, -2], "negative-count"), (None, "wrong-type"))
    )
    return change(entry, "calls", calls, (code, "calls"))


def another_maker(chance, record, index, entry):
    seats = len(record["players"])
    wrong = (seats, "bad-seat"), (-1, "bad-seat"), ("0", "wrong-type"), (GONE, "missing-field")
    value, code = chance.choice(wrong)
    return change(entry, "maker", value, (code, "maker"))


def other_tricks(chance, record, index, entry):
    wrong = (6, "count-too-large"), (-1, "negative-count"), (GONE, "missing-field")
    value, code = chance.choice(wrong)
    return change(entry, "tricks", value, (code, "tricks"))


def another_defender(chance, record, index, entry):
    where = "defender_alone"
    if not with_partners(record):
        seat = chance.randrange(len(record["players"]))
        return change(entry, where, seat, ("unexpected-field", where))
    if chance.random() < 0.5:
        return change(entry, where, 4, ("bad-seat", where))
    seat = (entry["maker"] + chance.choice((0, 2))) % 4
    return change(entry, where, seat, ("bad-euchre", where))


def with_partners(record):
    return len(SIDES[record["ruleset"]]) == 4


def another_lone_maker(chance, record, index, entry):
    if with_partners(record):
        return change(entry, "alone", chance.choice((0, None, "no")), ("wrong-type", "alone"))
    return change(entry, "alone", True, ("unexpected-field", "alone"))


def another_suit(chance, record, index, entry):
    return change(entry, "trump", chance.choice(("none", "♠", "")), ("bad-trump", "trump"))


def another_field(chance, record, index, entry):
    field = chance.choice(("king", "counts", "contract", "declarer", "sale", "partner", "x"))
    value = {"counts": {"tricks": [2, 3]}, "contract": "trump"}.get(field, 0)
    return change(entry, field, value, ("unexpected-field", field))


def another_type(chance, record, index, entry):
    return change(entry, "type", chance.choice(("hand", None, 3)), ("wrong-type", "type"))


PILES = (
    another_winner,
    another_pile,
    other_cards,
    other_cards,
    other_calls,
    another_field,
    another_type,
)
MAKERS = (
    another_maker,
    other_tricks,
    another_defender,
    another_lone_maker,
    another_suit,
    another_field,
    another_type,
)
FAULTS = {ruleset: PILES if ruleset == "krapet" else MAKERS for ruleset in SIDES}
