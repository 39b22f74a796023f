"""Right games of Italian King spoiled: domino, sales, blind declarations, partners, offers."""

from tests.engine.italian_mutations import (
    CHOSEN,
    OFFERED,
    ORDER,
    PIRANDELLO,
    SINGLE,
    WHOLE,
    deal,
)
from tests.engine.italian_oracle import PAIRS
from tests.engine.mutations import GONE
from tests.engine.spoiling import Spoiling

MUTATIONS = Spoiling(WHOLE)
put, found, replace = MUTATIONS.put, MUTATIONS.found, MUTATIONS.replace


# Domino.

for _ruleset in SINGLE:
    _deal = ORDER[_ruleset].index("domino")
    _at, _where, _only = f"entries.{_deal}.counts.cards_left", "counts.cards_left", (_ruleset,)
    for _left in ([0, 0, 3, 4], [1, 4, 2, 5], [0, 0, 0, 0], [13, 13, 13, 13]):
        put(_at, _left, (_deal, "bad-domino", _where), rulesets=_only)
    put(
        _at,
        [1, 4, 2, 5],
        (_deal, "bad-domino", _where),
        rulesets=_only,
        options={"domino_winners": "several"},
    )
    put(_at, [0, 14, 2, 5], (_deal, "count-too-large", _where), rulesets=_only)
    put(_at, [0, -1, 2, 5], (_deal, "negative-count", _where), rulesets=_only)
    put(
        _at,
        [0, -1, 14, 5],
        (_deal, "count-too-large", _where),
        (_deal, "negative-count", _where),
        rulesets=_only,
    )
    put(_at, [0, 4, 2], (_deal, "wrong-seats", _where), rulesets=_only)
    put(_at, [0, 4, 2, "5"], (_deal, "wrong-type", _where), rulesets=_only)
    put(
        f"entries.{_deal}.closed_by",
        0,
        (_deal, "unexpected-field", "closed_by"),
        rulesets=_only,
    )
for _ruleset in PAIRS:
    _deal = ORDER[_ruleset].index("domino")
    _closer = MUTATIONS.whole_game(_ruleset)["entries"][_deal]["closed_by"]
    _at, _where, _only = f"entries.{_deal}.counts.cards_left", "counts.cards_left", (_ruleset,)
    for _own, _others, *_codes in (
        (14, 6, "bad-domino"),
        (26, 6, "bad-domino"),
        (5, 1, "bad-domino"),
        (0, 0, "bad-domino"),
        (5, 27, "count-too-large"),
        (-1, 6, "negative-count"),
        (-1, 27, "negative-count", "count-too-large"),
    ):
        put(
            _at,
            [_own, _others] if _closer == 0 else [_others, _own],
            *((_deal, code, _where) for code in _codes),
            rulesets=_only,
        )
    put(_at, [0, 4, 2, 5], (_deal, "wrong-seats", _where), rulesets=_only)
    _at = f"entries.{_deal}.closed_by"
    put(_at, GONE, (_deal, "missing-field", "closed_by"), rulesets=_only)
    for _side in (-1, 2, 3):
        put(_at, _side, (_deal, "bad-seat", "closed_by"), rulesets=_only)
    for _side in (None, "0", [0]):
        put(_at, _side, (_deal, "wrong-type", "closed_by"), rulesets=_only)


# Declarations that are sold, or blind.

SOLD = {"sale": True, "blind_declaration": True}
for _ruleset in SINGLE:
    _deal = ORDER[_ruleset].index("declaration")
    _dealer = MUTATIONS.whole_game(_ruleset)["entries"][_deal]["declarer"]
    _buyer = (_dealer + 1) % 4
    for _sale, *_problems in (
        ({"buyer": _dealer, "tricks": 4}, ("bad-sale", "sale.buyer")),
        ({"buyer": 4, "tricks": 4}, ("bad-seat", "sale.buyer")),
        ({"buyer": -1, "tricks": 4}, ("bad-seat", "sale.buyer")),
        ({"buyer": "1", "tricks": 4}, ("wrong-type", "sale.buyer")),
        ({"buyer": None, "tricks": 4}, ("wrong-type", "sale.buyer")),
        ({"buyer": _buyer, "tricks": 0}, ("bad-sale", "sale.tricks")),
        ({"buyer": _buyer, "tricks": 14}, ("bad-sale", "sale.tricks")),
        ({"buyer": _buyer, "tricks": -4}, ("bad-sale", "sale.tricks")),
        ({"buyer": _buyer, "tricks": "4"}, ("wrong-type", "sale.tricks")),
        ({"buyer": _buyer, "tricks": 4.0}, ("wrong-type", "sale.tricks")),
        ({"buyer": _buyer}, ("missing-field", "sale.tricks")),
        ({"tricks": 4}, ("missing-field", "sale.buyer")),
        ({}, ("missing-field", "sale.buyer"), ("missing-field", "sale.tricks")),
        ({"buyer": _buyer, "tricks": 4, "price": 1}, ("unexpected-field", "sale.price")),
        (
            {"buyer": _dealer, "tricks": 0},
            ("bad-sale", "sale.buyer"),
            ("bad-sale", "sale.tricks"),
        ),
        (None, ("wrong-type", "sale")),
        ([_buyer, 4], ("wrong-type", "sale")),
        (True, ("wrong-type", "sale")),
    ):
        put(
            f"entries.{_deal}.sale",
            _sale,
            *((_deal, code, where) for code, where in _problems),
            rulesets=(_ruleset,),
            options=SOLD,
        )
    for _blind in (1, "true", None):
        put(
            f"entries.{_deal}.blind",
            _blind,
            (_deal, "wrong-type", "blind"),
            rulesets=(_ruleset,),
            options=SOLD,
        )
    for _contract in ("no-men", "domino", "no-trump"):
        _other = ORDER[_ruleset].index(_contract)
        for _field, _value in (
            ("sale", {"buyer": _buyer, "tricks": 4}),
            ("blind", True),
            ("blind", False),
        ):
            put(
                f"entries.{_other}.{_field}",
                _value,
                (_other, "unexpected-field", _field),
                rulesets=(_ruleset,),
                options=SOLD,
            )
    put(
        f"entries.{_deal}.blind",
        True,
        (_deal, "unexpected-field", "blind"),
        rulesets=(_ruleset,),
        options={"sale": True},
    )
    put(
        f"entries.{_deal}.sale",
        {"buyer": _buyer, "tricks": 4},
        (_deal, "unexpected-field", "sale"),
        rulesets=(_ruleset,),
        options={"blind_declaration": True},
    )

for _ruleset in SINGLE:
    _deal = ORDER[_ruleset].index("declaration")

    @found((_deal, "bad-sale", "sale"), rulesets=(_ruleset,), options=SOLD)
    def _sold_and_blind(game, deal=_deal):
        game["entries"][deal] |= {"blind": True, "sale": {"buyer": 2, "tricks": 4}}


@found((8, "missing-field", "contract"), rulesets=("italian-king",), options=SOLD)
def _sale_of_a_contract_that_is_not_told(game):
    game["entries"][8]["sale"] = {"buyer": 2, "tricks": 4}
    del game["entries"][8]["contract"]


@found((8, "wrong-type", "contract"), rulesets=("italian-king",), options=SOLD)
def _blind_contract_that_is_no_word(game):
    game["entries"][8] |= {"blind": True, "contract": 9}


# The dealer, who sells and who has a partner, is the seat whose turn it is, whatever is told.


@found((1, "wrong-declarer", "declarer"), rulesets=CHOSEN, options=SOLD)
def _sale_to_a_wrong_declarer(game):
    game["entries"][1] |= {"declarer": 2, "sale": {"buyer": 2, "tricks": 4}}


@found(
    (1, "wrong-declarer", "declarer"),
    (1, "bad-sale", "sale.buyer"),
    rulesets=CHOSEN,
    options=SOLD,
)
def _sale_by_a_wrong_declarer_to_the_dealer(game):
    game["entries"][1] |= {"declarer": 2, "sale": {"buyer": 1, "tricks": 4}}


@found((1, "wrong-declarer", "declarer"), (1, "bad-partner", "partner"), rulesets=PIRANDELLO)
def _dealer_as_the_partner_of_a_wrong_declarer(game):
    game["entries"][1] |= {"declarer": 2, "partner": 1}


# Partners called by a card.

for _deal in (0, 1, 12):
    _dealer = _deal % 4
    _at = f"entries.{_deal}.partner"
    put(_at, GONE, (_deal, "missing-field", "partner"), rulesets=PIRANDELLO)
    put(_at, _dealer, (_deal, "bad-partner", "partner"), rulesets=PIRANDELLO)
    for _seat in (-1, 4):
        put(_at, _seat, (_deal, "bad-seat", "partner"), rulesets=PIRANDELLO)
    for _seat in (None, "1", 1.0):
        put(_at, _seat, (_deal, "wrong-type", "partner"), rulesets=PIRANDELLO)


@found((1, "bad-partner", "partner"), rulesets=PIRANDELLO)
def _partner_of_oneself_in_an_open_deal(game):
    game["entries"][1:] = [{"type": "deal", "contract": "declaration", "partner": 1}]


# Contracts that are offered.

put("entries.3.offered", GONE, (3, "missing-field", "offered"), rulesets=OFFERED)
put("entries.0.offered", GONE, (0, "missing-field", "offered"), rulesets=OFFERED)
put("entries.11.offered", GONE, (11, "missing-field", "offered"), rulesets=OFFERED)
for _offered in ("no-queens", None, {"no-queens": "heart-king"}):
    put("entries.3.offered", _offered, (3, "wrong-type", "offered"), rulesets=OFFERED)
for _offered in (
    [],
    ["no-queens"],
    ["no-queens", "heart-king", "last-two"],
    ["no-queens", "no-men"],
    ["no-queens", "no-queens"],
    ["no-queens", "trump"],
    ["heart-king", "last-two"],
    ["no-men", "domino"],
):
    put("entries.3.offered", _offered, (3, "bad-offer", "offered"), rulesets=OFFERED)
put("entries.3.third", True, (3, "bad-offer", "third"), rulesets=OFFERED)
for _third in (None, 1, "no-queens"):
    put("entries.3.third", _third, (3, "wrong-type", "third"), rulesets=OFFERED)
put("entries.0.third", GONE, (0, "bad-offer", "offered"), rulesets=OFFERED)
put("entries.0.third", False, (0, "bad-offer", "offered"), rulesets=OFFERED)
put("entries.6.third", True, (6, "bad-offer", "third"), rulesets=OFFERED)
put(
    "entries.8.offered",
    ["declaration", "declaration"],
    (8, "bad-offer", "offered"),
    rulesets=OFFERED,
)
put("entries.11.third", True, (11, "bad-offer", "third"), rulesets=OFFERED)
put("entries.12.third", True, (12, "bad-offer", "third"), rulesets=OFFERED)
for _offered in (["diamond-eight", "diamond-eight"], ["diamond-eight", "no-men"]):
    put("entries.12.offered", _offered, (12, "bad-offer", "offered"), rulesets=OFFERED)
replace(
    4,
    deal("no-men", [4, 4], offered=["declaration", "no-trump"]),
    (4, "contract-used-up", "contract"),
    rulesets=OFFERED,
)
replace(
    4,
    deal("no-men", [4, 4], offered=["declaration", "no-trump"], third=True),
    (4, "contract-used-up", "contract"),
    rulesets=OFFERED,
)
