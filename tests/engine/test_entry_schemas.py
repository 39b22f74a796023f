"""The published schema of games takes right entries of each ruleset, and no nearly right ones."""

import pytest

from tests.engine.test_schemas import an_empty_game, is_game
from tournaments.engine.units import UNITS
from tournaments.engine.variants import RULESETS


def is_entry(entry, ruleset, **options):
    """Whether the entry of a game fits the schema."""
    return is_game({**an_empty_game(ruleset), "options": options, "entries": [entry]})


@pytest.mark.parametrize(
    ("ruleset", "contract"),
    [(r, contract) for r in RULESETS.values() for contract in r.contracts if contract.named],
    ids=lambda table: table.id,
)
def test_deal_holds_the_units_of_its_contract_and_no_others(ruleset, contract):
    needed = {"closed_by": 0, "partner": 1}
    own = {name: needed[name] for name in (*ruleset.fields, *contract.fields) if name in needed}
    pair = {"declarer": 0} if ruleset.declares == "pair" else {}
    deal = {"type": "deal", "contract": contract.id, **pair, **own}
    sides = [0] * ruleset.side_count
    units = dict.fromkeys(contract.values, sides)
    assert is_entry({**deal, "counts": units}, ruleset.id)
    for unit in contract.values:
        fewer = {name: count for name, count in units.items() if name != unit}
        assert not is_entry({**deal, "counts": fewer}, ruleset.id)
    for unit in UNITS.keys() - units.keys():
        assert not is_entry({**deal, "counts": {**units, unit: sides}}, ruleset.id)


HASH, SALT = "ab" * 32, "ab" * 16
SALE = {"type": "deal", "contract": "declaration"}
LEFT = {"reserve": [0, 1], "stock": [0, 1], "waste": [0, 1]}
NEARLY_RIGHT = [
    # ruleset, options, an entry of the right form, and what makes it wrong
    ("euchre", {}, {"type": "void", "reason": "misdeal"}, {"reason": "one-each"}),
    ("euchre-three", {}, {"type": "void", "reason": "misdeal", "declarer": 2}, {"declarer": 3}),
    (
        "turkish-king",
        {},
        {"type": "void", "reason": "one-each", "contract": "no-queens"},
        {"contract": "no-men"},
    ),
    (
        "turkish-king-double",
        {},
        {"type": "void", "reason": "misdeal", "contract": "trump", "declarer": 0},
        {"contract": "all-penalties"},
    ),
    (
        "italian-king",
        {"domino_redeal": True},
        {"type": "redeal", "by": 0, "reason": "four-extremes"},
        {"reason": "no-high-card"},
    ),
    (
        "italian-king-pairs",
        {"domino_redeal": False},
        {"type": "redeal", "by": 0, "reason": "misdeal"},
        {"reason": "four-extremes"},
    ),
    (
        "turkish-king-blind",
        {},
        {"type": "redeal", "by": 0, "reason": "misdeal"},
        {"reason": "no-high-card"},
    ),
    ("turkish-king-sealed", {}, {"type": "deal", "sealed": HASH}, {"sealed": "no-men"}),
    ("turkish-king-sealed", {}, {"type": "deal", "sealed": HASH}, {"salt": SALT}),
    ("turkish-king-sealed", {}, {"type": "deal", "sealed": HASH}, {"contract": "no-men"}),
    (
        "turkish-king-sealed",
        {},
        {"type": "deal", "contract": "no-men", "sealed": HASH, "salt": SALT},
        {"salt": "salt"},
    ),
    (
        "turkish-king-sealed",
        {},
        {"type": "void", "reason": "over-quota", "contract": "no-men"},
        {"sealed": HASH},
    ),
    *(
        (
            "italian-king",
            {"sale": True},
            {**SALE, "sale": {"buyer": 1, "tricks": 4}},
            {"sale": sale},
        )
        for sale in ({"buyer": 1, "tricks": 0}, {"buyer": 1, "tricks": 14})
    ),
    *(
        (
            "italian-king-pairs-choice",
            {},
            {**SALE, "offered": ["declaration", "no-trump"]},
            {"offered": ["declaration", "no-trump", "no-men"][:number]},
        )
        for number in (1, 3)
    ),
    *(
        (
            "krapet",
            {},
            {"type": "deal", "winner": 0, "left": LEFT},
            {"left": {**LEFT, pile: [0, 105]}},
        )
        for pile in LEFT
    ),
    *(
        (
            "barbu",
            {},
            {"type": "deal", "contract": "trump", "doubles": [{"seats": [0, 1]}]},
            {"doubles": [{"seats": seats} for seats in doubles]},
        )
        for doubles in ([[1, 1]], [[0]], [[0, 1, 2]], [[0, 1], [0, 1]])
    ),
    *(
        (
            "honeymoon-king",
            {},
            {"type": "adjustment", "seat": 1, "points": "1/2", "reason": "revoke"},
            wrong,
        )
        for wrong in ({"to": "all"}, {"seat": 2}, {"points": "1/0"}, {"by": 0}, {"reason": " "})
    ),
]


@pytest.mark.parametrize(("ruleset", "options", "entry", "wrong"), NEARLY_RIGHT)
def test_what_is_nearly_right_does_not_fit_the_schema(ruleset, options, entry, wrong):
    assert is_entry(entry, ruleset, **options)
    assert not is_entry({**entry, **wrong}, ruleset, **options)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_entry_without_a_type_does_not_fit_the_schema(ruleset):
    assert not is_entry({}, ruleset)
