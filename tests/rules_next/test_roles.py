"""Who deals, cuts, names and leads, game by game, as the table of docs/rules.md has it."""

import pytest

from tests.rules_next.test_rules_next import load
from tournaments.engine.documents.ruleset_records import read_ruleset
from tournaments.engine.play.games import find_roles
from tournaments.engine.variants import RULESETS


@pytest.mark.parametrize(
    ("ruleset", "contract", "roles"),
    [
        # As steps from the seat of the turn, in the order of play; None: nobody.
        ("turkish-king", "heart-king", (-1, 1, 0, 0)),
        ("turkish-king-blind", "trump", (-1, 1, 0, 0)),
        ("turkish-king-partners", "trump", (-1, 1, 0, 0)),
        ("turkish-king-double", "all-penalties", (-1, 1, None, 0)),
        ("turkish-king-double", "trump", (-1, 1, 0, 0)),
        ("honeymoon-king", "trump", (-1, 0, 0, 0)),
        ("rifki", "no-men", (-1, 1, 0, 0)),
        ("italian-king", "no-men", (0, -1, None, 1)),
        ("italian-king", "domino", (0, -1, None, None)),
        ("italian-king", "declaration", (0, -1, 0, -1)),
        ("italian-king", "no-trump", (0, -1, None, -1)),
        ("italian-king-choice", "no-men", (0, -1, 0, 1)),
        ("italian-king-pairs-choice", "no-men", (0, -1, 0, 1)),
        ("portuguese-king", "no-men", (0, -1, None, 0)),
        ("portuguese-king", "positive", (0, -1, 0, 0)),
        ("barbu", "domino", (0, -1, 0, 0)),
        ("euchre", "euchre", (0, -1, None, 1)),
        ("bid-euchre", "bid-euchre", (0, -1, None, None)),
        ("krapet", "krapet", (None, None, None, None)),
        ("barbu-french-five", "no-tricks", (-1, -2, 0, 0)),
        ("russian-king", "no-tricks", (0, 1, None, 1)),
    ],
)
def test_roles_go_round_with_the_turn(ruleset, contract, roles):
    rules = RULESETS.get(ruleset) or read_ruleset(load(f"rulesets/{ruleset}.json"))
    for turn in range(rules.seats):
        seats = tuple(None if step is None else (turn + step) % rules.seats for step in roles)
        assert find_roles(rules, rules.by_id[contract], turn) == seats


@pytest.mark.parametrize(
    ("cuts", "seat"), [("before-dealer", 0), ("after-dealer", 2), ("opposite", 3)]
)
def test_house_rules_say_who_cuts(cuts, seat):
    document = load("rulesets/barbu-french.json")
    settings = {**document["settings"], "cuts": cuts}
    assert find_roles(read_ruleset({**document, "settings": settings}), None, 2).cuts == seat
