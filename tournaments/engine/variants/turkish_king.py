"""Turkish King and its variants (`docs/rules.md` §1)."""

from dataclasses import replace

from tournaments.engine.rules.rulesets import (
    PENALTY,
    SUITS,
    TRUMP,
    Contract,
    Option,
    Pack,
    Ruleset,
    Stage,
)

NO_TRICKS = Contract(
    id="no-tricks", kind=PENALTY, values={"tricks": -50}, quota=2, badges=("king", "dys", "ox-eye")
)
NO_HEARTS = Contract(
    id="no-hearts",
    kind=PENALTY,
    values={"hearts": -30},
    quota=2,
    may_end_early=True,
    badges=("king", "dys", "ox-eye"),
)
NO_MEN = Contract(
    id="no-men",
    kind=PENALTY,
    values={"men": -60},
    quota=2,
    may_end_early=True,
    badges=("king", "dys", "ox-eye"),
)
NO_QUEENS = Contract(
    id="no-queens",
    kind=PENALTY,
    values={"queens": -100},
    quota=2,
    may_end_early=True,
    replay_one_each=True,
    badges=("king", "dys", "ox-eye"),
)
HEART_KING = Contract(
    id="heart-king",
    kind=PENALTY,
    values={"heart_king": -320},
    quota=2,
    may_end_early=True,
    fields=("rifki_holder",),
    badges=("king", "dys", "sold-rifki", "own-rifki"),
)
LAST_TWO = Contract(
    id="last-two", kind=PENALTY, values={"last_two": -180}, quota=2, badges=("king", "dys")
)
TRUMP_DEAL = Contract(
    id="trump",
    kind=TRUMP,
    values={"tricks": 50},
    trumps=SUITS,
    badges=("king", "outside-king", "flower"),
)

PENALTIES_FIRST = Option("penalties_first", (0, 4))
LAST_TWO_OR_SEVENTH = Option("last_two", ("last-two", "seventh-and-last"))


def _without(rules: Ruleset, *names: str) -> Ruleset:
    """Return a ruleset without some of its switches."""
    return replace(
        rules,
        settings={name: value for name, value in rules.settings.items() if name not in names},
        options=tuple(option for option in rules.options if option.setting not in names),
    )


TURKISH_KING = Ruleset(
    id="turkish-king",
    family="turkish-king",
    contracts=(NO_TRICKS, NO_HEARTS, NO_MEN, NO_QUEENS, HEART_KING, LAST_TWO, TRUMP_DEAL),
    quotas={PENALTY: 3, TRUMP: 2},
    deals=20,
    settings={
        "order": "free",
        "outcome": "out-and-sunk",
        "king": "ends-game",
        "king_deals": "all",
        "king_tricks": 13,
        "king_in_a_row": 0,
        "out": "positive",
        "penalties_first": 0,
        "last_two": "last-two",
        "redeal_by": "declarer",
    },
    options=(
        Option("king", ("ends-game", "declared", "off")),
        Option("king_deals", ("all", "trump")),
        Option("king_tricks", (13, 11, 10)),
        Option("king_in_a_row", (0, 10)),
        Option("out", ("positive", "mean")),
        PENALTIES_FIRST,
        LAST_TWO_OR_SEVENTH,
        Option("redeal_by", ("declarer", "must-trump")),
    ),
    # Who plays for fewer tricks speaks of trump deals only.
    implied={"king_tricks": {11: {"king_deals": "trump"}, 10: {"king_deals": "trump"}}},
    redeals=("misdeal", "no-high-card"),
    voids=("misdeal", "one-each"),
    fields=("tricks_played",),
    badges=("triple-socket", "phone-plug"),
)

INTERNET = replace(
    TURKISH_KING, id="turkish-king-internet", quotas={PENALTY: 2, TRUMP: 1}, deals=12
)

BLOODY = replace(
    TURKISH_KING,
    id="turkish-king-bloody",
    settings={**TURKISH_KING.settings, "order": "advised", "order_by": "deal-sum"},
    options=(
        *TURKISH_KING.options,
        Option("order", ("advised", "ordered", "strict")),
        Option("order_by", ("deal-sum", "unit")),
    ),
)

RIFKI = replace(
    TURKISH_KING,
    id="rifki",
    contracts=tuple(
        replace(
            c,
            replay_one_each=False,
            badges=tuple(badge for badge in c.badges if badge not in ("king", "outside-king")),
        )
        for c in TURKISH_KING.contracts
    ),
    settings={"order": "free", "outcome": "highest-wins", "last_two": "last-two"},
    options=(LAST_TWO_OR_SEVENTH,),
    implied={},
    redeals=("misdeal",),
    voids=("misdeal",),
    badges=(),
)

# The contract is named before the players see their cards, so nobody can request new ones.
BLIND = replace(_without(TURKISH_KING, "redeal_by"), id="turkish-king-blind", redeals=("misdeal",))
BLIND = replace(BLIND, settings={**BLIND.settings, "naming": "blind"})

IN_ALL_UNITS = _without(TURKISH_KING, "redeal_by", "penalties_first", "last_two")

SEALED = replace(
    IN_ALL_UNITS,
    id="turkish-king-sealed",
    contracts=tuple(
        replace(contract, may_end_early=False, trumps=()) for contract in TURKISH_KING.contracts
    ),
    settings={**IN_ALL_UNITS.settings, "naming": "sealed"},
    fields=("tricks_played", "sealed", "salt"),
    all_units=("tricks", "hearts", "men", "queens", "heart_king", "last_two"),
    redeals=("misdeal",),
    voids=("misdeal", "one-each", "over-quota"),
)

ALL_PENALTIES = Contract(
    id="all-penalties",
    kind=PENALTY,
    values={
        unit: each
        for contract in TURKISH_KING.contracts
        if contract.kind == PENALTY
        for unit, each in contract.values.items()
    },
    badges=("king",),
    declared=False,
)

DOUBLE = replace(
    IN_ALL_UNITS,
    id="turkish-king-double",
    contracts=(ALL_PENALTIES, TRUMP_DEAL),
    quotas={},
    deals=10,
    stages=(Stage(2, ("all-penalties",)), Stage(8, ("trump",))),
    redeals=("misdeal",),
    voids=("misdeal",),
)

PARTNERS = replace(
    TURKISH_KING,
    id="turkish-king-partners",
    contracts=tuple(replace(c, replay_one_each=False) for c in TURKISH_KING.contracts),
    quotas={PENALTY: 6, TRUMP: 4},
    sides=(0, 1, 0, 1),
    declares="pair",
    settings={
        "order": "free",
        "outcome": "pair-out-and-sunk",
        "king": "ends-game",
        "king_deals": "all",
        "penalties_first": 0,
        "last_two": "last-two",
    },
    options=(*TURKISH_KING.options[:2], PENALTIES_FIRST, LAST_TWO_OR_SEVENTH),
    implied={},
    redeals=("misdeal",),
    voids=("misdeal",),
)

HONEYMOON = Ruleset(
    id="honeymoon-king",
    family="turkish-king",
    contracts=(TRUMP_DEAL,),
    deals=8,
    sides=(0, 1),
    fields=("tricks_played",),
    settings={"outcome": "highest-wins", "king": "ends-game"},
    options=(Option("deals", kind="even-count"),),
)

KING_THREE = Ruleset(
    id="king-three",
    family="turkish-king",
    pack=Pack(without=("clubs-2",), tricks=17),
    contracts=RIFKI.contracts,
    quotas={PENALTY: 4, TRUMP: 2},
    deals=18,
    sides=(0, 1, 2),
    fields=("tricks_played",),
    # The scores cannot come to zero.
    settings={
        "order": "free",
        "outcome": "out-and-sunk",
        "king": "ends-game",
        "king_deals": "all",
        "out": "mean",
    },
    options=(
        Option("king", ("ends-game", "declared", "off")),
        Option("king_deals", ("all", "trump")),
        Option("out", ("mean", "positive")),
    ),
    redeals=("misdeal", "no-high-card"),
)

KING_FIVE = replace(
    KING_THREE,
    id="king-five",
    pack=Pack(without=("spades-2", "clubs-2"), tricks=10),
    quotas={PENALTY: 2, TRUMP: 1},
    deals=15,
    sides=(0, 1, 2, 3, 4),
)

RULESETS = (
    TURKISH_KING,
    INTERNET,
    BLOODY,
    BLIND,
    SEALED,
    DOUBLE,
    PARTNERS,
    HONEYMOON,
    RIFKI,
    KING_THREE,
    KING_FIVE,
)
