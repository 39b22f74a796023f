"""Barbu: each declarer names each of seven contracts once, in a row or (French) in turn."""

from dataclasses import replace

from tournaments.engine.rules.rulesets import (
    PENALTY,
    RANKS,
    SUITS,
    TRUMP,
    Contract,
    Option,
    Pack,
    Ruleset,
)

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
    settings={
        "outcome": "highest-wins",
        "dealer": "declares",
        "doubles_rule": "free",
        "doubles_duty": 0,
    },
    options=(Option("doubles_rule", ("free", "declarer")), Option("doubles_duty", (0, 2))),
)
DOUBLES = replace(
    BARBU,
    id="barbu-doubles",
    settings={**BARBU.settings, "doubles_rule": "declarer", "doubles_duty": 2},
    options=(Option("doubles_duty", (2, 0)),),
)

FRENCH = {
    "no-tricks": {"tricks": -5},
    "no-hearts": {"hearts": -5},
    "no-queens": {"queens": -10},
    "heart-king": {"heart_king": -50},
    "last-trick": {"last_trick": -40},
}
FRENCH["salade"] = {unit: each for values in FRENCH.values() for unit, each in values.items()}


def _french(id_: str, pack: Pack, prizes: tuple[int, ...]) -> Ruleset:
    penalties = (
        Contract(
            id=name,
            kind=PENALTY,
            values=values,
            quota_each=1,
            cappotto=name in ("no-tricks", "no-hearts", "no-queens"),
        )
        for name, values in FRENCH.items()
    )
    domino = Contract(
        id="reussite",
        kind=DOMINO,
        values={"places": 0},
        quota_each=1,
        scoring="places",
        prizes=prizes,
    )
    return Ruleset(
        id=id_,
        family="barbu",
        pack=pack,
        contracts=(*penalties, domino),
        deals=7 * len(prizes),
        sides=tuple(range(len(prizes))),
        clockwise=True,
        steps=("cappotto",),
        settings={
            "outcome": "highest-wins",
            "dealer": "before",
            "cuts": "before-dealer",
            "cappotto": "none",
        },
        options=(Option("cappotto", ("none", "plus13")),),
    )


THIRTY = Pack(ranks=RANKS[5:], without=("spades-7", "clubs-7"))

RULESETS = (
    BARBU,
    DOUBLES,
    _french("barbu-french", Pack(ranks=RANKS[5:], tricks=8), (40, 20, -20, -40)),
    _french("barbu-french-three", replace(THIRTY, tricks=10), (40, 0, -40)),
    _french("barbu-french-five", replace(THIRTY, tricks=6), (40, 20, 0, -20, -40)),
)
