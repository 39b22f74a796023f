"""Portuguese King: six penalties in a fixed order, then four positive deals."""

from dataclasses import replace

from tournaments.engine.rules.entries import NO_TRUMP
from tournaments.engine.rules.rulesets import (
    PENALTY,
    SUITS,
    Contract,
    Option,
    Pack,
    Ruleset,
    Stage,
)

CONTRACTS: tuple[Contract, ...] = (
    Contract(id="no-tricks", kind=PENALTY, values={"tricks": -20}),
    Contract(id="no-hearts", kind=PENALTY, values={"hearts": -20}),
    Contract(id="no-queens", kind=PENALTY, values={"queens": -50}),
    Contract(id="no-men", kind=PENALTY, values={"men": -30}),
    Contract(id="heart-king", kind=PENALTY, values={"heart_king": -160}),
    Contract(id="last-two", kind=PENALTY, values={"last_two": -90}),
    Contract(id="positive", kind="positive", values={"tricks": 25}, trumps=(*SUITS, NO_TRUMP)),
)

CONTRACTS = tuple(replace(contract, leads="dealer") for contract in CONTRACTS)

PORTUGUESE_KING = Ruleset(
    id="portuguese-king",
    family="portuguese-king",
    contracts=CONTRACTS,
    deals=10,
    clockwise=True,
    stages=tuple(
        Stage(4 if contract.kind == "positive" else 1, (contract.id,)) for contract in CONTRACTS
    ),
    settings={"outcome": "highest-wins", "dealer": "declares"},
)

*PENALTIES, POSITIVE = CONTRACTS

AUCTION = replace(
    PORTUGUESE_KING,
    id="portuguese-king-auction",
    pack=Pack(tricks=13),
    contracts=(
        *PENALTIES,
        replace(POSITIVE, fields=("sale", "refused")),
        replace(
            POSITIVE, id="nulos", values={"tricks": -75}, base=325, trumps=(), fields=("sale",)
        ),
    ),
    stages=(*PORTUGUESE_KING.stages[:-1], Stage(4, ("positive", "nulos"))),
    steps=("sale",),
    settings={**PORTUGUESE_KING.settings, "sale": True, "sale_debt": "single", "refusal": True},
    options=(
        Option("sale", (True, False)),
        Option("refusal", (True, False)),
        Option("sale_debt", ("single", "double")),
    ),
)

RULESETS = (PORTUGUESE_KING, AUCTION)
