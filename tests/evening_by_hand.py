"""Games of Turkish King drawn beforehand, and their standings added up by hand.

By the rules of `docs/rules.md` §1.1 alone: nothing here knows the program.
"""

PENALTIES = {
    "no-tricks": ("tricks", 13, -50),
    "no-hearts": ("hearts", 13, -30),
    "no-men": ("men", 8, -60),
    "no-queens": ("queens", 4, -100),
    "heart-king": ("heart_king", 1, -320),
    "last-two": ("last_two", 2, -180),
}
TRUMP = ("tricks", 13, 50)
CONTRACTS = {**PENALTIES, "trump": TRUMP}
SUITS = ("spades", "hearts", "diamonds", "clubs")


def draw_deals(chance):
    """Twenty right deals: each player names three penalties and two trumps, in any order."""
    turns = [chance.sample(["penalty"] * 3 + ["trump"] * 2, 5) for _seat in range(4)]
    penalties = chance.sample([*PENALTIES, *PENALTIES], 12)
    return [
        draw_deal(chance, "trump" if turns[deal % 4][deal // 4] == "trump" else penalties.pop())
        for deal in range(20)
    ]


def draw_deal(chance, contract):
    """A deal of a contract, of which no one takes everything where that would be a King."""
    unit, total, _worth = CONTRACTS[contract]
    counts = [total]
    # One queen each would be played again.
    while len(counts) == 1 or set(counts) == {1} or (total > 1 and total in counts):
        takers = chance.choices(range(4), k=total)
        counts = [takers.count(seat) for seat in range(4)]
    named = {"trump": chance.choice(SUITS)} if contract == "trump" else {}
    return {"type": "deal", "contract": contract, **named, "counts": {unit: counts}}


def points_of(record):
    sums = [0, 0, 0, 0]
    for entry in record["entries"]:
        _unit, _total, worth = CONTRACTS[entry["contract"]]
        (counts,) = entry["counts"].values()
        sums = [before + worth * count for before, count in zip(sums, counts, strict=True)]
    return sums
