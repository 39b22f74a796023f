import json
from pathlib import Path

from tournaments.engine.variants import RULESETS
from tournaments.queries.rulesets import describe

HONEYMOON = json.loads(Path(__file__).with_name("honeymoon-king.json").read_text())


def contract_of(description, name):
    return next(contract for contract in description["contracts"] if contract["id"] == name)


def test_description_says_everything_with_the_options_of_the_table():
    assert describe(RULESETS["honeymoon-king"].with_options({"deals": 6})) == HONEYMOON


def test_one_pair_may_hold_the_cards_of_two_hands():
    left = {"total": None, "most": 26, "cards": False}
    assert describe(RULESETS["italian-king-pairs"])["units"]["cards_left"] == left
    assert describe(RULESETS["italian-king"])["units"]["cards_left"] == left | {"most": 13}


def test_sum_that_is_known_only_afterwards_is_none():
    assert contract_of(describe(RULESETS["euchre"]), "euchre")["sum"] is None
    assert contract_of(describe(RULESETS["italian-king-pairs"]), "no-men")["sum"] == 0


def test_fields_and_trumps_are_those_of_the_table():
    rules = RULESETS["italian-king-choice"]
    plain = contract_of(describe(rules), "declaration")
    assert (plain["fields"], plain["trumps"][-1]) == ([], "none")
    options = {"sale": True, "no_trump_declaration": False}
    chosen = contract_of(describe(rules.with_options(options)), "declaration")
    assert (chosen["fields"], chosen["trumps"][-1]) == (["sale"], "clubs")
