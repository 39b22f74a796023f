"""Right games of the Turkish forms, drawn by chance with all that a record may hold.

Made without the engine; the cards of deals that need several counts are really dealt.
"""

import hashlib
from fractions import Fraction

from tests.engine.turkish_forms_oracle import ALL_UNITS, FORMS, score

SUITS = ("spades", "hearts", "diamonds", "clubs")
EARLY = ("no-hearts", "no-men", "no-queens", "heart-king")
KING_OPTIONS = {"king": ("ends-game", "declared", "off"), "king_deals": ("all", "trump")}
OUT = {"out": ("positive", "mean")}
OPTIONS = {
    "turkish-king-blind": KING_OPTIONS | OUT,
    "turkish-king-sealed": KING_OPTIONS | OUT,
    "turkish-king-double": KING_OPTIONS | OUT,
    "turkish-king-partners": KING_OPTIONS,
    "honeymoon-king": {"deals": (2, 4, 6, 8, 10, 14, 20)},
    "portuguese-king": {},
    "barbu": {},
}
NAMES = ["Ayşe", "Burak", "Cem", "Deniz"]

# What a table may write down in some of the games only.
REPLAYED = ("turkish-king-blind", "turkish-king-sealed")
PLAYED_TO_THE_END = ("turkish-king-sealed", "turkish-king-double", "honeymoon-king")
TRICKS_PLAYED = ("turkish-king-blind", "turkish-king-partners", *PLAYED_TO_THE_END)
TRUMP_SUITS = {
    ("turkish-king-blind", "trump"): SUITS,
    ("turkish-king-double", "trump"): SUITS,
    ("turkish-king-partners", "trump"): SUITS,
    ("honeymoon-king", "trump"): SUITS,
    ("portuguese-king", "positive"): (*SUITS, "none"),
    ("barbu", "trump"): SUITS,
}
HOLDERS = ("turkish-king-blind", "turkish-king-sealed", "turkish-king-partners")


def draw_game(chance, ruleset):
    """A right record of `ruleset`: anything from no entry to a game that is over and adjusted."""
    seats = len(FORMS[ruleset].side_of)
    record = {
        "format": "kingscore-game/1",
        "ruleset": ruleset,
        "options": {
            name: chance.choice(values)
            for name, values in OPTIONS[ruleset].items()
            if chance.random() < 0.6
        },
        "players": NAMES[:seats],
        "first_declarer": chance.randrange(seats),
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
    return forgetful(chance, record)


def forgetful(chance, record):
    """The record, now and then without a head field that says no more than the default."""
    if record["first_declarer"] == 0 and chance.random() < 0.5:
        del record["first_declarer"]
    if not record["options"] and chance.random() < 0.5:
        del record["options"]
    return record


def draw_entry(chance, record, result):
    """One entry that may stand after the record."""
    if result["finished"] or chance.random() < 0.05:
        return draw_adjustment(chance, len(record["players"]))
    if chance.random() < 0.07:
        return draw_pause(chance, record, result["next"])
    if chance.random() < 0.01:
        return {"type": "stopped", "reason": chance.choice(("time", "agreement", "other"))}
    deal = draw_deal(chance, record, result["next"])
    if chance.random() < 0.015:
        return open_deal(chance, deal)
    return deal


def draw_adjustment(chance, seats):
    """Points for a seat, sometimes from the others, sometimes in parts."""
    points = Fraction(chance.choice((-100, 7, -9, 320)), chance.choice((1, 1, 2, 3)))
    entry = {
        "type": "adjustment",
        "seat": chance.randrange(seats),
        "points": points.numerator if points.denominator == 1 else str(points),
        "reason": "revoke",
    }
    if chance.random() < 0.5:
        entry["to"] = chance.choice(("none", "others"))
    return entry


# What is no deal yet.


def draw_pause(chance, record, ahead):
    """Cards dealt anew, or a deal that is played again."""
    ruleset = record["ruleset"]
    if chance.random() < 0.4:
        seats = len(record["players"])
        return {"type": "redeal", "by": chance.randrange(seats), "reason": "misdeal"}
    void = {"type": "void", "reason": "misdeal"}
    over_quota = [name for name in FORMS[ruleset].contracts if name not in ahead["contracts"]]
    if ruleset == "turkish-king-sealed" and over_quota and chance.random() < 0.8:
        void |= {"reason": "over-quota", "contract": chance.choice(over_quota)}
        if chance.random() < 0.5:
            void |= seal(chance, void["contract"])
    elif ruleset in REPLAYED and "no-queens" in ahead["contracts"] and chance.random() < 0.7:
        void |= {"reason": "one-each", "contract": "no-queens"}
    elif chance.random() < 0.5:
        void["contract"] = chance.choice(ahead["contracts"])
    if "all-penalties" not in ahead["contracts"] and chance.random() < 0.5:
        void["declarer"] = draw_declarer(chance, record, ahead)
    return void


def seal(chance, contract):
    """A contract sealed with a salt of at least 128 bits."""
    salt = "".join(chance.choices("0123456789abcdef", k=chance.choice((32, 32, 40, 64))))
    return {"sealed": hashlib.sha256(f"{contract}:{salt}".encode()).hexdigest(), "salt": salt}


def draw_declarer(chance, record, ahead):
    """Whose turn it is, or either of the pair whose turn it is."""
    if record["ruleset"] == "turkish-king-partners":
        return (ahead["declarer"] + chance.choice((0, 2))) % 4
    return ahead["declarer"]


def open_deal(chance, deal):
    """The deal as it stands before its counts; a sealed contract is not yet revealed."""
    unknown = {"counts", "king", "tricks_played"}
    if "sealed" in deal and chance.random() < 0.7:
        unknown |= {"contract", "salt", "rifki_holder", "king_declared_by"}
    return {name: value for name, value in deal.items() if name not in unknown}


# Deals.


def draw_deal(chance, record, ahead):
    """A deal the next declarer may name, with any counts that it can have."""
    ruleset, contract = record["ruleset"], chance.choice(ahead["contracts"])
    deal = {"type": "deal", "contract": contract, "author": "Ayşe"}
    if may_declare_king(record["options"], contract) and chance.random() < 0.05:
        deal["king_declared_by"] = chance.randrange(4)
    deal["counts"] = draw_counts(chance, ruleset, contract)
    if contract == "no-queens" and ruleset in REPLAYED and "king_declared_by" not in deal:
        while deal["counts"]["queens"] == [1, 1, 1, 1]:
            deal["counts"] = draw_counts(chance, ruleset, contract)
    deal |= draw_king(chance, record, deal)
    deal |= draw_tricks_played(chance, ruleset, deal)
    return deal | draw_extras(chance, record, ahead, contract)


def draw_extras(chance, record, ahead, contract):
    """Some of the fields that say more about a deal than its counts."""
    ruleset, extras = record["ruleset"], {}
    if contract != "all-penalties":
        extras["declarer"] = draw_declarer(chance, record, ahead)
    if (ruleset, contract) in TRUMP_SUITS:
        extras["trump"] = chance.choice(TRUMP_SUITS[ruleset, contract])
    if ruleset in HOLDERS and contract == "heart-king":
        extras["rifki_holder"] = chance.randrange(4)
    if ruleset == "barbu":
        extras["doubles"] = draw_doubles(chance)
    extras = {name: value for name, value in extras.items() if chance.random() < 0.6}
    if ruleset == "turkish-king-partners":
        extras["declarer"] = draw_declarer(chance, record, ahead)
    if ruleset == "turkish-king-sealed" and chance.random() < 0.7:
        extras |= seal(chance, contract)
    return extras


def draw_doubles(chance):
    """Some pairs of seats that doubled each other, some of them twice."""
    pairs = [[one, other] for one in range(4) for other in range(one)]
    doubles = []
    for pair in chance.sample(pairs, chance.randrange(7)):
        double = {"seats": chance.sample(pair, 2)}
        if chance.random() < 0.6:
            double["redoubled"] = chance.random() < 0.5
        doubles.append(double)
    return doubles


def draw_counts(chance, ruleset, contract):
    """Counts of a deal that agree with each other, often to few sides."""
    sides = max(FORMS[ruleset].side_of) + 1
    values = FORMS[ruleset].contracts[contract]
    if contract == "domino":
        return {"places": chance.sample((1, 2, 3, 4), 4)}
    if contract == "all-penalties" or (ruleset == "turkish-king-sealed" and chance.random() < 0.4):
        return draw_six(chance)
    counts = {unit: spread(chance, units, sides) for unit, (units, _) in values.items()}
    while any(ace > hearts for ace, hearts in zip(*aces(counts), strict=True)):
        counts["heart_ace"] = spread(chance, 1, sides)
    return counts


def aces(counts):
    """♥A beside all hearts, where both are counted."""
    if "heart_ace" not in counts:
        return [], []
    return counts["heart_ace"], counts["hearts"]


def spread(chance, units, sides):
    """`units` over the sides, often to few of them."""
    draws = (1, 2, 2, 3, 3, 3, 4, 4, 4, 8) if sides == 4 else (1, 3, 4, 5, 5, 6, 6, 7, 8, 8)
    few = [chance.randrange(sides) for _ in range(chance.choice(draws))]
    counts = [0] * sides
    for _ in range(units):
        counts[chance.choice(few)] += 1
    return counts


def draw_six(chance):
    """All six units of four seats: cards really taken, or counts that only agree."""
    if chance.random() < 0.5:
        for _ in range(300):
            counts = {unit: spread(chance, units, 4) for unit, (units, _) in ALL_UNITS.items()}
            if agrees(counts):
                return counts
    return take_cards(chance)


def agrees(counts):
    """Whether the six units of every seat may stand together (`docs/rules.md` §0)."""
    for seat in range(4):
        taken = {unit: numbers[seat] for unit, numbers in counts.items()}
        cards = 4 * taken["tricks"]
        hearts, men, queens = taken["hearts"], taken["men"], taken["queens"]
        if (
            taken["last_two"] > taken["tricks"]
            or taken["heart_king"] > min(men, hearts)
            or max(hearts, men, queens, taken["heart_king"]) > cards
            or hearts + men + queens - min(3, hearts) > cards
        ):
            return False
    return True


def take_cards(chance):
    """The six units of 13 tricks of real cards; court cards and hearts sometimes fall together."""
    pack = [(suit, rank) for suit in SUITS for rank in "23456789TJQKA"]
    chance.shuffle(pack)
    if chance.random() < 0.5:
        pack.sort(key=lambda card: (card[1] in "JQK", card[0] == "hearts"))
    tricks = [pack[first : first + 4] for first in range(0, 52, 4)]
    chance.shuffle(tricks)
    few = [chance.randrange(4) for _ in range(chance.choice((1, 2, 3, 4, 4, 4, 8)))]
    counts = {unit: [0] * 4 for unit in ALL_UNITS}
    for number, trick in enumerate(tricks):
        taker = chance.choice(few)
        counts["tricks"][taker] += 1
        counts["last_two"][taker] += number >= 11
        for suit, rank in trick:
            counts["hearts"][taker] += suit == "hearts"
            counts["men"][taker] += rank in "JK"
            counts["queens"][taker] += rank == "Q"
            counts["heart_king"][taker] += (suit, rank) == ("hearts", "K")
    return counts


# Kings, and tricks played.


def may_declare_king(options, contract):
    """Whether a player may declare King in a deal of `contract`."""
    counts = options.get("king_deals") != "trump" or contract == "trump"
    return counts and options.get("king") == "declared"


def draw_king(chance, record, deal):
    """`king`, where a side took everything, King counts and the table may say so."""
    options, form = record["options"], FORMS[record["ruleset"]]
    contract, rule = deal["contract"], options.get("king", "ends-game")
    if not form.kings or rule == "off":
        return {}
    if options.get("king_deals") == "trump" and contract != "trump":
        return {}
    own = deal["counts"].get("tricks") or next(iter(deal["counts"].values()))
    taker = next((side for side, count in enumerate(own) if count == sum(own)), None)
    declared = deal.get("king_declared_by")
    if taker is None or (
        rule == "declared" and (declared is None or taker != form.side_of[declared])
    ):
        return {}
    shown = "tricks" in deal["counts"]
    if chance.random() < (0.5 if shown or rule == "declared" else 0.2):
        return {"king": chance.choice([s for s, side in enumerate(form.side_of) if side == taker])}
    return {}


def draw_tricks_played(chance, ruleset, deal):
    """How many tricks were played, where the table writes it down."""
    if ruleset not in TRICKS_PLAYED or chance.random() < 0.7:
        return {}
    early = ruleset not in PLAYED_TO_THE_END and deal["contract"] in EARLY
    if not early or "king" in deal or "king_declared_by" in deal:
        return {"tricks_played": 13}
    taken = next(iter(deal["counts"].values()))
    return {"tricks_played": chance.randint(sum(-(-count // 4) for count in taken), 13)}
