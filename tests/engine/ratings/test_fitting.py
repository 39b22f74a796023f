import random

import pytest

from tournaments.engine.ratings.fitting import Sample, calibrate, differs, fit_constants
from tournaments.engine.ratings.ratings import LUCK, Constants, scores_of

SIDES = {"king": (0, 1, 2, 3), "euchre": (0, 1, 0, 1), "krapet": (0, 1)}
LUCKS = {"king": 400.0, "euchre": 5.0, "krapet": 60.0}


def drawn(deviation, number, rulesets=("king",), seed=1):
    """Games between 40 players whose strengths lie so far apart, one in eight with a guest."""
    chance = random.Random(seed)
    strengths = [chance.gauss(0, deviation) / LUCK for _ in range(40)]
    games = []
    for played in range(number):
        ruleset = rulesets[played % len(rulesets)]
        sides, luck = SIDES[ruleset], LUCKS[ruleset]
        people = chance.sample(range(40), len(sides))
        points = []
        for side in range(max(sides) + 1):
            members = [strengths[p] for p, s in zip(people, sides, strict=True) if s == side]
            points.append(luck * (sum(members) / len(members) + chance.gauss(0, 1)))
        ranks = [1 + sum(other > own for other in points) for own in points]
        if not chance.randrange(8):
            people[0] = None
        games.append(Sample(people, sides, scores_of(points, ranks), ruleset, played / 20))
    return games


def loss(games, constants):
    months = calibrate(games, constants, whole=True).months.values()
    return sum(of for _pairs, of, _other in months) / sum(pairs for pairs, *_ in months)


@pytest.mark.parametrize("deviation", [40, 250])
def test_fitted_constants_are_those_of_the_players_and_predict_better(deviation):
    games = drawn(deviation, 1200)
    constants = fit_constants(games[:600])

    assert constants.start**0.5 == pytest.approx(deviation, rel=0.3)
    assert constants.luck["king"] == pytest.approx(400, rel=0.1)
    assert loss(games, constants) < loss(games, Constants()) - 0.0005


def test_luck_of_each_ruleset_is_fitted_if_it_has_enough_games():
    games = drawn(150, 900, ("king", "euchre", "krapet"))
    few = [game._replace(ruleset="house king") for game in drawn(150, 50, seed=2)]

    constants = fit_constants(games + few)

    assert constants.luck == pytest.approx(LUCKS, rel=0.15)
    assert constants.start**0.5 == pytest.approx(150, rel=0.3)


def test_constants_differ_from_five_percent_on():
    one = Constants(10_000.0, {"king": 400.0})

    assert not differs(one, Constants(10_900.0, {"king": 415.0}))
    assert differs(one, Constants(11_200.0, {"king": 400.0}))
    assert differs(one, Constants(10_000.0, {"king": 422.0}))
    assert differs(one, Constants(10_000.0))


def test_favourites_of_well_known_players_end_above_as_often_as_predicted():
    games = drawn(200, 3000)

    found = calibrate(games, fit_constants(games), whole=True)

    for pairs, predicted, above in found.bins:
        assert above / pairs == pytest.approx(predicted / pairs, abs=0.05)
    # A game of four has six pairs, three with a guest.
    guests = sum(None in game.people for game in games)
    assert sum(pairs for pairs, *_ in found.bins) == 6 * len(games) - 3 * guests
