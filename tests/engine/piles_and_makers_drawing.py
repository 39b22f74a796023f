"""Right games of Krapet and Euchre drawn by chance, with all that a record may hold."""

from tests.engine.italian_drawing import SUITS, draw_adjustment, draw_options, some_of
from tests.engine.piles_and_makers_oracle import SIDES, score

OPTIONS = {
    "krapet": {"scoring": ("win", "points", "points")},
    "euchre": {"deck": (24, 25, 32), "euchred_alone": (2, 4)},
    "euchre-two": {},
    "euchre-three": {"march": (2, 3)},
    "euchre-railroad": {"euchred_alone": (2, 4), "laps": (False, True), "slam": (False, True)},
}
NAMES = ["Ayşe", "Burak", "Cem", "Deniz"]


def draw_game(chance, ruleset):
    """A right record of `ruleset`: anything from no entry to a game that is over and adjusted."""
    seats = len(SIDES[ruleset])
    options = draw_options(chance, OPTIONS[ruleset])
    if chance.random() < 0.5:
        points = options.get("scoring") == "points"
        options["target"] = chance.choice((40, 150, 500) if points else (1, 3, 7))
    record = {
        "format": "kingscore-game/1",
        "ruleset": ruleset,
        "options": options,
        "players": NAMES[:seats],
        "entries": [],
    }
    if chance.random() < 0.8:
        record["first_declarer"] = chance.randrange(seats)
    for _ in range(chance.choice((4, 12, 40))):
        finished = score(record)["finished"]
        if finished and chance.random() < 0.5:
            break
        record["entries"].append(draw_entry(chance, record, finished))
    return record


def draw_entry(chance, record, finished):
    """One entry that may stand after the record."""
    seats = len(record["players"])
    if finished or chance.random() < 0.05:
        return draw_adjustment(chance, seats)
    if chance.random() < 0.03:
        return {"type": "redeal", "by": chance.randrange(seats), "reason": "misdeal"}
    if chance.random() < 0.03:
        return {"type": "void", "reason": "misdeal"}
    if chance.random() < 0.01:
        return {"type": "stopped", "reason": chance.choice(("time", "agreement", "other"))}
    if record["ruleset"] == "krapet":
        deal = draw_piles(chance, points=record["options"].get("scoring") == "points")
    elif chance.random() < 0.1:
        deal = {"type": "passed"}
    else:
        deal = draw_makers(chance, SIDES[record["ruleset"]], record["ruleset"])
    return deal | some_of(chance, {"author": "Ayşe"}, 0.1)


def draw_piles(chance, *, points):
    """A game of Krapet that someone won, or nobody."""
    winner = chance.choice((0, 1, 0, 1, None))
    sides = [draw_pile(chance), draw_pile(chance)]
    if winner is not None:
        sides[winner] = (0, 0, 0)
    left = {
        name: [side[pile] for side in sides]
        for pile, name in enumerate(("reserve", "stock", "waste"))
    }
    deal = {"type": "deal", "winner": winner}
    if points or chance.random() < 0.5:
        deal["left"] = left
    return deal | some_of(chance, {"calls": [chance.randint(0, 3), chance.randint(0, 3)]}, 0.3)


def draw_pile(chance):
    """Reserve, stock and waste of a player with at least one card, and at most 104."""
    cards = chance.choice((1, 104, chance.randint(1, 104), chance.randint(1, 20)))
    reserve = chance.choice((0, cards, chance.randint(0, cards)))
    stock = chance.randint(0, cards - reserve)
    return reserve, stock, cards - reserve - stock


def draw_makers(chance, side_of, ruleset):
    """A hand of Euchre that someone made trump in."""
    maker = chance.randrange(len(side_of))
    deal = {"type": "deal", "maker": maker, "tricks": chance.randint(0, 5)}
    extras = {"trump": chance.choice(SUITS), "alone": False, "defender_alone": None}
    deal |= some_of(chance, extras, 0.4)
    if ruleset in ("euchre-two", "euchre-three"):
        return deal
    if chance.random() < 0.4:
        deal["alone"] = True
    if chance.random() < 0.3:
        deal["defender_alone"] = (maker + chance.choice((1, 3))) % 4
    return deal
