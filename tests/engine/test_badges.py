"""What can be earned in a deal (docs/rules.md §1.11)."""

import pytest

from tests.engine.oracle import SCORED
from tests.engine.test_kings import UNITS
from tournaments.engine.badges import award
from tournaments.engine.entries import Deal
from tournaments.engine.entry_checks import play
from tournaments.engine.games import Game
from tournaments.engine.variants import RULESETS


def earned(*deals, ruleset="rifki"):
    """The badges of a game; each deal is a contract, the units, and perhaps details."""
    game = Game(RULESETS[ruleset])
    for contract, counts, *details in deals:
        fields = details[0] if details else {}
        game = play(game, Deal(contract, counts={UNITS[contract][0]: counts}, details=fields))
    return [(b.badge, b.seat, b.entry) for b in award(game)]


@pytest.mark.parametrize(
    ("contract", "half", "more"),
    [
        ("no-tricks", (6, 7, 0, 0), (7, 6, 0, 0)),
        ("no-hearts", (6, 7, 0, 0), (7, 6, 0, 0)),
        ("no-men", (4, 4, 0, 0), (5, 3, 0, 0)),
        ("no-queens", (2, 2, 0, 0), (3, 1, 0, 0)),
        ("heart-king", (0, 1, 0, 0), (1, 0, 0, 0)),
        ("last-two", (1, 1, 0, 0), (2, 0, 0, 0)),
    ],
)
@pytest.mark.parametrize("ruleset", SCORED)
def test_dys_is_for_the_declarer_who_took_more_than_half(ruleset, contract, half, more):
    assert earned((contract, half), ruleset=ruleset) == []
    assert earned((contract, more), ruleset=ruleset) == [("dys", 0, 0)]


def test_dys_is_not_for_trump():
    assert earned(("trump", (10, 1, 1, 1))) == []


@pytest.mark.parametrize("contract", ["no-tricks", "no-hearts", "no-men", "no-queens"])
def test_ox_eye_is_for_nothing_in_both_deals(contract):
    units = UNITS[contract][1]
    first = (contract, (0, units - 1, 1, 0))
    second = (contract, (0, 0, 2, units - 2))
    assert earned(first) == []
    assert earned(first, ("trump", (4, 3, 3, 3)), second) == [("ox-eye", 0, 2)]


@pytest.mark.parametrize("contract", ["heart-king", "last-two"])
def test_ox_eye_is_not_for_penalties_of_few_parts(contract):
    units = UNITS[contract][1]
    assert earned((contract, (0, 0, 0, units)), (contract, (0, 0, 0, units))) == []


@pytest.mark.parametrize("ruleset", SCORED)
def test_flower_is_for_no_trick_in_a_trump_deal(ruleset):
    deal = ("trump", (0, 6, 7, 0))
    assert earned(deal, ruleset=ruleset) == [("flower", 0, 0), ("flower", 3, 0)]


@pytest.mark.parametrize("ruleset", SCORED)
@pytest.mark.parametrize(
    ("holder", "badges"),
    [
        ({}, []),
        ({"rifki_holder": 3}, [("sold-rifki", 3, 0)]),
        ({"rifki_holder": 2}, [("own-rifki", 2, 0)]),
    ],
)
def test_rifki_is_sold_or_kept_where_its_holder_is_noted(ruleset, holder, badges):
    assert earned(("heart-king", (0, 0, 1, 0), holder), ruleset=ruleset) == badges


def test_declarer_who_held_and_took_the_king_of_hearts_earns_both():
    deal = ("heart-king", (1, 0, 0, 0), {"rifki_holder": 0})
    assert earned(deal) == [("dys", 0, 0), ("own-rifki", 0, 0)]
