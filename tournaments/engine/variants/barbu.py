"""Barbu: each of four declarers names each of seven contracts once, seven deals in a row."""

from tournaments.engine.entries import SUITS
from tournaments.engine.rulesets import Contract, Ruleset

# Each player declares each contract once, so that every contract is a kind of its own.
CONTRACTS = (
    Contract(id="no-tricks", kind="no-tricks", values={"tricks": -2}),
    Contract(id="no-hearts", kind="no-hearts", values={"hearts": -2, "heart_ace": -4}),
    Contract(id="no-queens", kind="no-queens", values={"queens": -6}),
    Contract(id="heart-king", kind="heart-king", values={"heart_king": -20}),
    Contract(id="last-two", kind="last-two", values={"twelfth_trick": -10, "last_trick": -20}),
    Contract(id="trump", kind="trump", values={"tricks": 5}, trumps=SUITS),
    Contract(
        id="domino", kind="domino", values={"places": 0}, scoring="places", prizes=(45, 20, 5, -5)
    ),
)

BARBU = Ruleset(
    id="barbu",
    family="barbu",
    contracts=CONTRACTS,
    quotas={contract.kind: 1 for contract in CONTRACTS},
    deals=28,
    in_a_row=7,
    fields=("doubles",),
    steps=("doubles",),
    settings={"outcome": "highest-wins"},
)

RULESETS = (BARBU,)
