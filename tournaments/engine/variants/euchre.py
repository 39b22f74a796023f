"""Euchre and its variants for two and three, and Railroad and bid Euchre (`docs/rules.md` §4)."""

from dataclasses import replace

from tournaments.engine.rules.entries import NO_TRUMP
from tournaments.engine.rules.rulesets import RANKS, SUITS, Contract, Option, Pack, Ruleset

HAND = Contract(
    id="euchre",
    kind="hand",
    values={},
    scoring="makers-and-defenders",
    trumps=SUITS,
    fields=("maker", "tricks", "alone", "defender_alone"),
    named=False,
)

TARGET = Option("target", kind="count")
EUCHRED_ALONE = Option("euchred_alone", (2, 4))

EUCHRE = Ruleset(
    id="euchre",
    family="euchre",
    contracts=(HAND,),
    sides=(0, 1, 0, 1),
    clockwise=True,
    passes=True,
    settings={
        "outcome": "highest-wins",
        "dealer": "declares",
        "target": 10,
        "march": 2,
        "march_alone": 4,
        "euchred_alone": 2,
        "euchred_alone_by_alone": 2,
        "deck": 24,
    },
    options=(Option("deck", (24, 32, 25)), EUCHRED_ALONE, TARGET),
)

TWO = replace(EUCHRE, id="euchre-two", sides=(0, 1), options=(TARGET,))

THREE = replace(
    EUCHRE,
    id="euchre-three",
    sides=(0, 1, 2),
    settings={**EUCHRE.settings, "march": 3},
    options=(Option("march", (2, 3)), TARGET),
)

RAILROAD = replace(
    EUCHRE,
    id="euchre-railroad",
    settings={
        **EUCHRE.settings,
        "deck": 25,
        "euchred_alone_by_alone": 4,
        "laps": False,
        "slam": False,
    },
    options=(
        EUCHRED_ALONE,
        TARGET,
        Option("laps", (True, False)),
        Option("slam", (True, False)),
    ),
)

BID = replace(
    EUCHRE,
    id="bid-euchre",
    pack=Pack(ranks=RANKS[7:], tricks=6),
    contracts=(
        replace(
            HAND,
            id="bid-euchre",
            scoring="bid-tricks",
            trumps=(*SUITS, NO_TRUMP),
            fields=("maker", "bid", "tricks"),
        ),
    ),
    settings={"outcome": "highest-wins", "dealer": "declares", "target": 32},
    options=(TARGET,),
)

RULESETS = (EUCHRE, TWO, THREE, RAILROAD, BID)
