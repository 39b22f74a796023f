"""Italian King and its variants (`docs/rules.md` §2)."""

from dataclasses import replace

from tournaments.engine.rules.entries import NO_TRUMP
from tournaments.engine.rules.rulesets import PENALTY, SUITS, Contract, Option, Ruleset, Stage

DECLARATION, CHOICE = "declaration", "choice"

PENALTIES = (
    Contract(id="no-men", kind=PENALTY, values={"men": -2}),
    Contract(id="no-queens", kind=PENALTY, values={"queens": -3}),
    Contract(id="diamond-eight", kind=PENALTY, values={"diamond_eight": -8}),
    Contract(id="heart-king", kind=PENALTY, values={"heart_king": -8}),
    Contract(id="no-hearts", kind=PENALTY, values={"hearts": -1}, cappotto=True),
    Contract(id="last-two", kind=PENALTY, values={"last_two": -4}),
    Contract(id="no-tricks", kind=PENALTY, values={"tricks": -1}, cappotto=True),
)
DOMINO = Contract(
    id="domino",
    kind=PENALTY,
    values={"cards_left": -1},
    scoring="domino",
    redeals=("four-extremes",),
)
DECLARED = Contract(
    id="declaration",
    kind=DECLARATION,
    values={"tricks": 1},
    trumps=(*SUITS, NO_TRUMP),
    fields=("blind", "sale"),
    leads="before-dealer",
)
WITHOUT_TRUMP = Contract(
    id="no-trump", kind="no-trump", values={"tricks": 2}, leads="before-dealer"
)

CONTRACTS = (*PENALTIES, DOMINO, DECLARED, WITHOUT_TRUMP)
FIXED_ORDER = (
    *(Stage(1, (contract.id,)) for contract in (*PENALTIES, DOMINO)),
    Stage(4, (DECLARED.id,)),
    Stage(1, (WITHOUT_TRUMP.id,)),
)

ON_OFF = (True, False)

ITALIAN_KING = Ruleset(
    id="italian-king",
    family="italian-king",
    contracts=CONTRACTS,
    deals=13,
    stages=FIXED_ORDER,
    steps=("cappotto", "blind", "sale"),
    settings={
        "outcome": "highest-wins",
        "dealer": "declares",
        "cappotto": "none",
        "domino_winners": "one",
        "domino_redeal": False,
        "no_trump_declaration": True,
        "blind_declaration": False,
        "sale": False,
    },
    options=(
        Option("cappotto", ("none", "plus14", "plus13")),
        Option("domino_winners", ("one", "several")),
        Option("domino_redeal", ON_OFF),
        Option("no_trump_declaration", ON_OFF),
        Option("blind_declaration", ON_OFF),
        Option("sale", ON_OFF),
    ),
)


def _limited(contract: Contract, kind: str) -> Contract:
    """Limit a contract to once a game, the declaration to four times."""
    return replace(contract, kind=kind, quota=4 if contract is DECLARED else 1)


ITALIAN_KING_CHOICE = replace(
    ITALIAN_KING,
    id="italian-king-choice",
    contracts=(
        *(_limited(contract, CHOICE) for contract in (*PENALTIES, DOMINO)),
        _limited(DECLARED, DECLARATION),
        _limited(WITHOUT_TRUMP, "no-trump"),
    ),
    quotas={CHOICE: 2, DECLARATION: 1},
    stages=(
        Stage(12, tuple(contract.id for contract in (*PENALTIES, DOMINO, DECLARED))),
        Stage(1, (WITHOUT_TRUMP.id,)),
    ),
    settings={**ITALIAN_KING.settings, "declarations": "one-each"},
    options=(*ITALIAN_KING.options, Option("declarations", ("one-each", "free"))),
)

PIRANDELLO = replace(
    ITALIAN_KING_CHOICE,
    id="italian-king-pirandello",
    fields=("partner",),
    steps=(*ITALIAN_KING.steps, "secret-pair"),
)


def _for_pairs(contract: Contract) -> Contract:
    if contract.scoring == "domino":
        return replace(contract, scoring="pair-domino", prizes=(10,), fields=("closed_by",))
    return replace(contract, scoring="pair-difference", fields=(), cappotto=False)


NOT_FOR_PAIRS = ("cappotto", "domino_winners", "blind_declaration", "sale")

PAIRS = replace(
    ITALIAN_KING,
    id="italian-king-pairs",
    contracts=tuple(map(_for_pairs, CONTRACTS)),
    sides=(0, 1, 0, 1),
    steps=(),
    settings={
        name: value for name, value in ITALIAN_KING.settings.items() if name not in NOT_FOR_PAIRS
    },
    options=tuple(o for o in ITALIAN_KING.options if o.setting not in NOT_FOR_PAIRS),
)

PAIRS_CHOICE = replace(
    PAIRS,
    id="italian-king-pairs-choice",
    contracts=tuple(_for_pairs(_limited(contract, contract.kind)) for contract in CONTRACTS),
    stages=(),
    fields=("offered", "third"),
    steps=("third",),
)

RULESETS = (ITALIAN_KING, ITALIAN_KING_CHOICE, PIRANDELLO, PAIRS, PAIRS_CHOICE)
