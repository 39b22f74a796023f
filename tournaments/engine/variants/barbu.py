"""Barbu: each of four declarers names each of seven contracts once, seven deals in a row."""

from dataclasses import replace

from tournaments.engine.rules.rulesets import PENALTY, SUITS, TRUMP, Contract, Ruleset

DOMINO = "domino"

CONTRACTS = (
    Contract(id="no-tricks", kind=PENALTY, values={"tricks": -2}, quota_each=1),
    Contract(id="no-hearts", kind=PENALTY, values={"hearts": -2, "heart_ace": -4}, quota_each=1),
    Contract(id="no-queens", kind=PENALTY, values={"queens": -6}, quota_each=1),
    Contract(id="heart-king", kind=PENALTY, values={"heart_king": -20}, quota_each=1),
    Contract(
        id="last-two", kind=PENALTY, values={"twelfth_trick": -10, "last_trick": -20}, quota_each=1
    ),
    Contract(id="trump", kind=TRUMP, values={"tricks": 5}, quota_each=1, trumps=SUITS),
    Contract(
        id="domino",
        kind=DOMINO,
        values={"places": 0},
        quota_each=1,
        scoring="places",
        prizes=(45, 20, 5, -5),
    ),
)

BARBU = Ruleset(
    id="barbu",
    family="barbu",
    contracts=tuple(replace(contract, leads="declarer") for contract in CONTRACTS),
    deals=28,
    clockwise=True,
    in_a_row=7,
    fields=("doubles",),
    steps=("doubles",),
    settings={"outcome": "highest-wins", "dealer": "declares"},
)

RULESETS = (BARBU,)
