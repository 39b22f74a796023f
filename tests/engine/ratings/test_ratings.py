import random
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.engine.ratings import fitting
from tournaments.engine.ratings.ratings import (
    LUCK,
    MODEL,
    PROVISIONAL,
    START_VARIANCE,
    Constants,
    Foretold,
    Rating,
    Spread,
    accuracy_of,
    chance_above,
    expected_places,
    newcomer,
    rate,
    scores_of,
)

RATINGS = st.builds(
    Rating, st.floats(800, 2200), st.floats(100, START_VARIANCE), st.just(START_VARIANCE)
)
POINTS = st.integers(-2000, 2000)
SEATINGS = st.sampled_from([(0, 1), (0, 1, 2), (0, 1, 2, 3), (0, 1, 0, 1), (0, 1, 2, 1, 0)])
NEWCOMERS = [Rating()] * 4


@st.composite
def games(draw):
    """Ratings and sides by seat, scores by side, and the unit."""
    sides = draw(SEATINGS)
    ratings = [draw(RATINGS) for _ in sides]
    totals = [draw(POINTS) for _ in set(sides)]
    return ratings, sides, scores_of(totals, ranks_of(totals)), draw(st.floats(50, 800))


def ranks_of(totals):
    return [1 + sum(other > own for other in totals) for own in totals]


def rate_by_matrices(ratings, sides, scores, unit):
    """Bayes' rule for all seats at once: what is seen are differences to the first side."""
    count = len(scores)
    of_sides = np.array([[(s == k) / sides.count(k) for s in sides] for k in range(count)])
    differences = np.hstack([-np.ones((count - 1, 1)), np.eye(count - 1)])
    seen = differences @ of_sides
    means = np.array([r.mean for r in ratings])
    known = np.diag([r.variance for r in ratings])
    noise = LUCK**2 * differences @ differences.T
    gain = known @ seen.T @ np.linalg.inv(seen @ known @ seen.T + noise)
    means = means + gain @ (differences @ np.array(scores) * LUCK / unit - seen @ means)
    return means, np.diag(known - gain @ seen @ known)


@given(games())
def test_rate_is_bayes_rule(game):
    means, variances = rate_by_matrices(*game)

    after = rate(*game)

    assert [r.mean for r in after] == pytest.approx(means, abs=1e-6)
    assert [r.variance for r in after] == pytest.approx(variances, rel=1e-7)


@given(games(), st.randoms(use_true_random=False))
def test_order_of_seats_does_not_matter(game, chance):
    ratings, sides, scores, unit = game
    order = list(range(len(sides)))
    chance.shuffle(order)

    after = rate([ratings[s] for s in order], [sides[s] for s in order], scores, unit)

    # To the last digit, though the straight way is taken only where seats and sides agree.
    assert after == [rate(ratings, sides, scores, unit)[s] for s in order]


def test_king_maker_is_first_with_few_points():
    # The example in the rules: C makes King in the sixth deal.
    assert scores_of([-220, -160, -150, -20], [4, 3, 1, 2]) == [-82.5, -22.5, 117.5, -12.5]


def test_equals_share_what_their_places_count():
    assert scores_of([10, 10, -20], [1, 1, 3]) == [10, 10, -20]
    assert scores_of([0, 60, 60], [1, 2, 2]) == [20, -10, -10]


@given(st.lists(POINTS, min_size=2, max_size=5))
def test_scores_are_the_points_about_their_mean_where_nobody_made_king(totals):
    scores = scores_of(totals, ranks_of(totals))

    mean = sum(totals) / len(totals)
    assert scores == pytest.approx([points - mean for points in totals], abs=1e-9)


def test_ratings_are_the_same_to_the_last_digit_everywhere():
    """Other figures here mean another model: raise MODEL, so that all is rated again."""
    chance, now, spread = random.Random(20), list(NEWCOMERS), Spread()
    for _ in range(200):
        totals = [chance.randrange(-900, 900) for _ in range(4)]
        scores = scores_of(totals, ranks_of(totals))
        spread = spread.seeing(scores)
        now = [r.rested(0.3) for r in rate(now, range(4), scores, spread.unit())]

    assert MODEL == "gaussian-2"
    assert [repr(number) for number in (now[0].mean, now[3].mean, now[0].variance)] == [
        "1521.2804613594983",
        "1471.1413093217602",
        "390.27308455741223",
    ]


@given(RATINGS, st.floats(0, 5000))
def test_rest_makes_less_sure_but_never_less_than_of_a_newcomer(rating, days):
    rested = rating.rested(days)

    assert rested.mean == rating.mean
    assert rating.variance <= rested.variance <= START_VARIANCE
    assert rating.rested(20_000) == Rating(rating.mean, START_VARIANCE)
    assert rating.rested(-1) == rating


def test_rating_is_provisional_for_about_ten_games():
    ratings, played = list(NEWCOMERS), 0
    while ratings[0].provisional:
        ratings = rate(ratings, range(4), [300.0, 100.0, -100.0, -300.0], 500.0)
        played += 1

    assert 8 <= played <= 14
    assert Rating(1500.0, PROVISIONAL**2 + 1).provisional


def test_settled_rating_is_provisional_again_after_about_two_years():
    rating, rival = Rating(), Rating(1500.0, 700.0)
    # Five games a week, for two years.
    for _ in range(100):
        for _ in range(5):
            rating = rate([rating, rival, rival, rival], range(4), [0.0] * 4, 500.0)[0]
        rating = rating.rested(7)

    assert not rating.rested(600).provisional
    assert rating.rested(800).provisional


@given(st.lists(RATINGS, min_size=1, max_size=2), st.lists(RATINGS, min_size=1, max_size=2))
def test_one_of_two_ends_above_the_other(one, other):
    assert chance_above(one, other) + chance_above(other, one) == pytest.approx(1)
    assert chance_above(one, one) == 0.5


def test_400_points_more_win_ten_of_eleven():
    assert chance_above([Rating(1900.0, 0.0)], [Rating(1500.0, 0.0)]) == pytest.approx(
        10 / 11, abs=0.001
    )


@given(games())
def test_expected_places_share_out_all_places(game):
    ratings, sides, scores, _ = game
    count = len(scores)

    places = expected_places(ratings, sides)

    assert sum(places) == pytest.approx(count * (count + 1) / 2)
    assert all(1 <= place <= count for place in places)


def test_game_without_points_teaches_nothing():
    assert rate(NEWCOMERS, range(4), [0.0] * 4, Spread().seeing([0.0] * 4).unit()) == NEWCOMERS
    assert Spread().unit() == 0.0


@pytest.mark.parametrize("sides", [2, 3, 4])
def test_unit_is_the_luck_of_newcomers_in_points_however_many_play(sides):
    chance, spread = random.Random(sides), Spread()
    for _ in range(4000):
        totals = [chance.gauss(0, 300) + chance.gauss(0, 150) for _ in range(sides)]
        spread = spread.seeing([t - sum(totals) / sides for t in totals])

    assert spread.unit() == pytest.approx(300, rel=0.03)


GOOD, BAD, NEW = Rating(1700, 900), Rating(1300, 900), Rating()
EACH = (0, 1, 2, 3)


def foretold(ratings, ranks, sides=EACH, counts=None):
    return Foretold(ratings, sides, ranks, counts or [True] * len(ranks))


def by_hand(games):
    """Pairs, those told right, and the loss, each pair looked at for itself."""
    pairs = right = loss = 0
    for ratings, sides, ranks, counts in games:
        for one in range(len(ranks)):
            for other in range(one):
                if not (counts[one] and counts[other]):
                    continue
                mine = [r for r, side in zip(ratings, sides, strict=True) if side == one]
                theirs = [r for r, side in zip(ratings, sides, strict=True) if side == other]
                chance = chance_above(mine, theirs)
                pairs += 1
                if ranks[one] == ranks[other]:
                    right, loss = right + 0.5, loss - (log(chance) + log(1 - chance)) / 2
                else:
                    told = chance if ranks[one] < ranks[other] else 1 - chance
                    right += 1 if told > 0.5 else 0.5 if told == 0.5 else 0
                    loss -= log(told)
    return pairs, right, loss


def chance_games(number, sides):
    chance = random.Random(number)
    for _ in range(60):
        ratings = [
            Rating(chance.gauss(1500, 150), chance.uniform(900, START_VARIANCE)) for _ in sides
        ]
        count = max(sides) + 1
        ranks = [chance.randint(1, count) for _ in range(count)]
        yield foretold(ratings, ranks, sides, [chance.random() < 0.8 for _ in range(count)])


@pytest.mark.parametrize("sides", [EACH, (0, 1), (0, 1, 0, 1), (0, 1, 2)])
def test_accuracy_is_what_each_pair_adds_up_to(sides):
    games = list(chance_games(7, sides))

    told = accuracy_of(games)

    pairs, right, loss = by_hand(games)
    assert (told.pairs, told.right) == (pairs, right)
    assert told.log_loss == pytest.approx(loss / pairs, abs=1e-12)
    assert told.share == right / pairs


def test_who_does_not_count_is_in_no_pair():
    told = accuracy_of(
        [foretold([GOOD, BAD, NEW, NEW], [1, 2, 3, 4], counts=(True, True, False, True))]
    )

    assert told.pairs == 3


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
        games.append(fitting.Sample(people, sides, scores_of(points, ranks), ruleset, played / 20))
    return games


def loss(games, constants):
    months = fitting.calibrate(games, constants, whole=True)[1].values()
    return sum(of for _pairs, of, _other in months) / sum(pairs for pairs, *_ in months)


@pytest.mark.parametrize("deviation", [40, 250])
def test_fitted_constants_are_those_of_the_players_and_predict_better(deviation):
    games = drawn(deviation, 1200)
    constants = fitting.fit_constants(games[:600])

    assert constants.start**0.5 == pytest.approx(deviation, rel=0.3)
    assert constants.luck["king"] == pytest.approx(400, rel=0.1)
    assert loss(games, constants) < loss(games, Constants()) - 0.0005


def test_luck_of_each_ruleset_is_fitted_if_it_has_enough_games():
    games = drawn(150, 900, ("king", "euchre", "krapet"))
    few = [game._replace(ruleset="house king") for game in drawn(150, 50, seed=2)]

    constants = fitting.fit_constants(games + few)

    assert constants.luck == pytest.approx(LUCKS, rel=0.15)
    assert constants.start**0.5 == pytest.approx(150, rel=0.3)


def test_constants_differ_from_five_percent_on():
    one = Constants(10_000.0, {"king": 400.0})

    assert not fitting.differs(one, Constants(10_900.0, {"king": 415.0}))
    assert fitting.differs(one, Constants(11_200.0, {"king": 400.0}))
    assert fitting.differs(one, Constants(10_000.0, {"king": 422.0}))
    assert fitting.differs(one, Constants(10_000.0))


NEWCOMER = newcomer(150.0**2)
SIDES_OF_A_GAME = st.sampled_from([(0, 1), (0, 1, 2), (0, 1, 2, 3), (0, 1, 0, 1)])
HOUR = 3600 * fitting.MICROSECONDS


@st.composite
def games_played(draw):
    """Games of six players and guests, some of them without points, at growing moments."""
    games, at = [], 0
    for key in range(1, draw(st.integers(1, 30))):
        at += draw(st.integers(0, 100 * 24)) * HOUR
        sides = draw(SIDES_OF_A_GAME)
        players = draw(st.permutations([*range(6), fitting.GUEST, fitting.GUEST]))[: len(sides)]
        scores = [draw(st.integers(-900, 900)) / 3 for _ in set(sides)]
        games.append((key, at, players, sides, scores, draw(st.sampled_from([0.0, 70.0, 210.5]))))
    return games


def one_by_one(games):
    """The changes of all players, and what they have reached, with `rate` for each game."""
    reached = dict.fromkeys(range(6), (NEWCOMER, 0, 0))
    changes = []
    for key, at, players, sides, scores, unit in games:
        ratings = [
            NEWCOMER if player == fitting.GUEST else rested(*reached[player], at)
            for player in players
        ]
        after = rate(ratings, sides, scores, unit)
        for seat, player in enumerate(players):
            if player != fitting.GUEST:
                number = reached[player][1] + 1
                reached[player] = after[seat], number, at
                change = player, key, seat, number, at
                changes.append((*change, *ratings[seat][:2], *after[seat][:2]))
    return changes, list(reached.values())


def rested(rating, _games, last_at, at):
    return rating.rested((at - last_at) / fitting.MICROSECONDS / fitting.DAY)


@given(games_played())
def test_waves_rate_as_one_game_after_the_other_to_the_last_digit(games):
    waves = fitting.Waves([(NEWCOMER, 0, 0)] * 6, NEWCOMER)
    for *game, scores, unit in games:
        waves.add(*game, unit, *scores)

    changes = waves.rate()

    assert (changes.tolist(), list(waves.reached())) == one_by_one(games)
