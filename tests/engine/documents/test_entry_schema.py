import pytest

from tests.engine.documents.schemas import an_empty_game, is_game
from tournaments.engine.rules.rulesets import UNITS
from tournaments.engine.variants import RULESETS


def is_entry(entry, ruleset, **options):
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
    played = deal(contract=contract.id, **pair, **own)
    sides = [0] * ruleset.side_count
    units = dict.fromkeys(contract.values, sides)
    assert is_entry({**played, "counts": units}, ruleset.id)
    for unit in contract.values:
        fewer = {name: count for name, count in units.items() if name != unit}
        assert not is_entry({**played, "counts": fewer}, ruleset.id)
    for unit in UNITS.keys() - units.keys():
        assert not is_entry({**played, "counts": {**units, unit: sides}}, ruleset.id)


HASH, SALT = "ab" * 32, "ab" * 16
LEFT = {"reserve": [0, 1], "stock": [0, 1], "waste": [0, 1]}
BOTH = ["declaration", "no-trump"]


def void(reason, **more):
    return {"type": "void", "reason": reason, **more}


def redeal(reason):
    return {"type": "redeal", "by": 0, "reason": reason}


def deal(**fields):
    return {"type": "deal", **fields}


SEALED = deal(sealed=HASH)
SOLD = deal(contract="declaration", sale={"buyer": 1, "tricks": 4})
OFFERED = deal(contract="declaration", offered=BOTH)
WON = deal(winner=0, left=LEFT)
DOUBLED = deal(contract="trump", doubles=[{"seats": [0, 1]}])
FINED = {"type": "adjustment", "seat": 1, "points": "1/2", "reason": "revoke"}
NEARLY_RIGHT = [
    # ruleset, options, an entry of the right form, and what makes it wrong
    ("euchre", {}, void("misdeal"), {"reason": "one-each"}),
    ("euchre-three", {}, void("misdeal", declarer=2), {"declarer": 3}),
    ("turkish-king", {}, void("one-each", contract="no-queens"), {"contract": "no-men"}),
    (
        "turkish-king-double",
        {},
        void("misdeal", contract="trump", declarer=0),
        {"contract": "all-penalties"},
    ),
    ("italian-king", {"domino_redeal": True}, redeal("four-extremes"), {"reason": "no-high-card"}),
    ("italian-king-pairs", {}, redeal("misdeal"), {"reason": "four-extremes"}),
    ("turkish-king-blind", {}, redeal("misdeal"), {"reason": "no-high-card"}),
    *(
        ("turkish-king-sealed", {}, SEALED, wrong)
        for wrong in ({"sealed": "no-men"}, {"salt": SALT}, {"contract": "no-men"})
    ),
    ("turkish-king-sealed", {}, SEALED | {"contract": "no-men", "salt": SALT}, {"salt": "salt"}),
    ("turkish-king-sealed", {}, void("over-quota", contract="no-men"), {"sealed": HASH}),
    *(
        ("italian-king", {"sale": True}, SOLD, {"sale": {"buyer": 1, "tricks": tricks}})
        for tricks in (0, 14)
    ),
    *(
        ("italian-king-pairs-choice", {}, OFFERED, {"offered": [*BOTH, "no-men"][:number]})
        for number in (1, 3)
    ),
    *(("krapet", {}, WON, {"left": {**LEFT, pile: [0, 105]}}) for pile in LEFT),
    *(
        ("barbu", {}, DOUBLED, {"doubles": [{"seats": seats} for seats in doubles]})
        for doubles in ([[1, 1]], [[0]], [[0, 1, 2]], [[0, 1], [0, 1]])
    ),
    *(
        ("honeymoon-king", {}, FINED, wrong)
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
