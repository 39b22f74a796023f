from tournaments.engine.play.games import check, play, seal
from tournaments.engine.rules.entries import Adjustment, Deal, Passed, Redeal, Stopped, Void
from tournaments.engine.rules.fields import fields_of, trumps_of

SALT = "0f" * 16


def draw_entry(chance, game):
    """Something that could come next: mostly a deal, which need not be legal."""
    roll = chance.random()
    seat = chance.randrange(game.ruleset.seats)
    if roll < 0.05:
        return Adjustment(seat, chance.choice((-7, 40)), "late", chance.choice(("none", "others")))
    if roll < 0.08:
        return Void(chance.choice(("misdeal", "one-each")), draw_contract(chance, game).id)
    if roll < 0.11:
        return Redeal(seat, chance.choice(("misdeal", "no-high-card", "four-extremes")))
    if roll < 0.14:
        return Passed()
    if roll < 0.145:
        return Stopped("time")
    return draw_deal(chance, game, draw_contract(chance, game))


def draw_contract(chance, game):
    return chance.choice(game.legal_contracts() or game.ruleset.contracts)


def draw_deal(chance, game, contract):
    ruleset = game.ruleset
    details = {
        name: draw_field(chance, game, contract, name)
        for name in fields_of(ruleset, contract)
        if chance.random() < (0.9 if name not in ("king", "king_declared_by") else 0.1)
    }
    if trumps_of(ruleset, contract) and chance.random() < 0.5:
        details["trump"] = chance.choice(trumps_of(ruleset, contract))
    if not contract.named:
        return Deal(details=details)
    declarer = game.declarer if contract.declared and chance.random() < 0.8 else None
    return Deal(contract.id, declarer, draw_counts(chance, ruleset, contract), details)


def draw_counts(chance, ruleset, contract):
    sides = range(ruleset.side_count)
    units = contract.values
    if ruleset.all_units and chance.random() < 0.3:
        # All of everything to one side agrees always.
        lucky = chance.choice(sides)
        return {
            unit: tuple(ruleset.units[unit].total if side == lucky else 0 for side in sides)
            for unit in ruleset.all_units
        }
    counts = {}
    lucky = [chance.choice(sides) for _ in range(chance.choice((1, 2, 4)))]
    for unit in units:
        numbers = [0 for _ in sides]
        if unit == "places":
            numbers = chance.sample(range(1, len(sides) + 1), len(sides))
        elif ruleset.units[unit].total is None:
            numbers = [chance.randrange(2, 14) for _ in sides]
            numbers[chance.choice(sides)] = 0
        else:
            for _ in range(ruleset.units[unit].total):
                numbers[chance.choice(lucky if len(units) == 1 else lucky[:1])] += 1
        counts[unit] = tuple(numbers)
    return counts


def draw_field(chance, game, contract, name):
    ruleset = game.ruleset
    seat = chance.randrange(ruleset.seats)
    other = (game.declarer + chance.randrange(1, ruleset.seats)) % ruleset.seats
    left = [c.id for c in ruleset.contracts if game.times_left(c) != 0]
    piles = [0 if s == seat else chance.randrange(1, 9) for s in range(ruleset.seats)]
    draws = {
        "tricks_played": 13,
        "sealed": seal(contract.id, SALT),
        "salt": SALT,
        "blind": chance.random() < 0.3,
        "sale": {"buyer": other, "tricks": chance.randrange(1, 14)},
        "partner": other,
        "closed_by": chance.randrange(ruleset.side_count),
        "offered": (contract.id, chance.choice(left or [contract.id])),
        "third": chance.random() < 0.2,
        "doubles": tuple(
            {"seats": (game.declarer, s), "by": s, "redoubled": chance.random() < 0.5}
            for s in range(ruleset.seats)
            if s != game.declarer and chance.random() < 0.7
        ),
        "tricks": chance.randrange(6),
        "alone": chance.random() < 0.2,
        "defender_alone": None,
        "winner": seat,
        "left": {"reserve": tuple(piles), "stock": tuple(piles), "waste": tuple(piles)},
        "calls": tuple(piles),
    }
    return draws.get(name, seat)


def play_on(chance, game, entries):
    """The game after up to so many drawn entries that may be played, and how many those were."""
    played = 0
    for _ in range(entries):
        entry = draw_entry(chance, game)
        if not list(check(game, entry)):
            game = play(game, entry)
            played += 1
            if game.open_deal is not None:
                break
    return game, played
