"""All the ways to take what a deal hands out."""

from itertools import product
from math import comb

import pytest

from tests.engine.oracle import CONTRACTS, SCORED
from tournaments.engine.entries import Deal
from tournaments.engine.entry_checks import play
from tournaments.engine.games import Game
from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.variants import RULESETS

ONE_EACH = (1, 1, 1, 1)


def ways(units):
    """Every way to hand `units` to four players."""
    return [way for way in product(range(units + 1), repeat=4) if sum(way) == units]


WAYS = {contract: ways(units) for contract, (_, units, _) in CONTRACTS.items()}


def test_seven_contracts_can_be_taken_in_1894_ways():
    assert sum(len(each) for each in WAYS.values()) == 1894
    assert [len(WAYS[name]) for name in CONTRACTS] == [
        comb(units + 3, 3) for _, units, _ in CONTRACTS.values()
    ]


@pytest.mark.parametrize("ruleset", SCORED)
@pytest.mark.parametrize("contract", sorted(CONTRACTS))
def test_every_way_is_scored_by_its_units(ruleset, contract):
    unit, units, each = CONTRACTS[contract]
    game = Game(RULESETS[ruleset])
    played_again = contract == "no-queens" and ruleset != "rifki"

    for way in WAYS[contract]:
        if played_again and way == ONE_EACH:
            continue
        after = play(game, Deal(contract, counts={unit: way}))
        row = after.rows[-1]
        assert row.points == row.totals == tuple(each * count for count in way)
        assert row.expected_sum == sum(row.points) == each * units


@pytest.mark.parametrize("ruleset", SCORED)
def test_a_queen_each_is_played_again_where_there_is_a_replay(ruleset):
    game = Game(RULESETS[ruleset])
    deal = Deal("no-queens", counts={"queens": ONE_EACH})

    if ruleset == "rifki":
        assert play(game, deal).totals == (-100, -100, -100, -100)
    else:
        with pytest.raises(InvalidEntry) as refusal:
            play(game, deal)
        problem = Problem(Code.MUST_BE_VOID, "counts.queens", {"contract": "no-queens"})
        assert refusal.value.problems == (problem,)


@pytest.mark.parametrize("contract", ["no-tricks", "trump", "no-hearts"])
def test_only_tricks_show_a_king_by_themselves(contract):
    unit, units, _ = CONTRACTS[contract]
    endings = {
        seat: play(Game(RULESETS["turkish-king"]), Deal(contract, counts={unit: way})).ending
        for seat in range(4)
        for way in WAYS[contract]
        if way[seat] == units
    }
    if unit == "tricks":
        assert {seat: (end.by, end.seat) for seat, end in endings.items()} == {
            seat: ("king", seat) for seat in range(4)
        }
    else:
        assert endings == dict.fromkeys(range(4))
