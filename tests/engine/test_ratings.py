import random
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import PlackettLuce

from tournaments.engine.ratings import (
    LUCK,
    MODEL,
    PROVISIONAL,
    START_VARIANCE,
    Rating,
    Spread,
    chance_above,
    expected_places,
    rate,
    scores_of,
)

RATINGS = st.builds(Rating, st.floats(800, 2200), st.floats(100, START_VARIANCE))
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


@given(st.lists(POINTS, min_size=2, max_size=5, unique=True))
def test_winner_gains_and_last_loses_among_equals(totals):
    scores = scores_of(totals, ranks_of(totals))

    after = rate([Rating()] * len(totals), range(len(totals)), scores, 500.0)

    best, worst = totals.index(max(totals)), totals.index(min(totals))
    assert after[best].mean > Rating().mean > after[worst].mean
    assert sorted(range(len(totals)), key=lambda s: after[s].mean) == sorted(
        range(len(totals)), key=lambda s: totals[s]
    )


@given(games())
def test_what_some_gain_others_lose_when_all_are_known_alike(game):
    ratings, sides, scores, unit = game
    ratings = [Rating(r.mean, 4000.0) for r in ratings]
    # Of a pair, both get what the pair gains: the sides' sum is zero, not the seats'.
    seats = [sides.index(side) for side in range(len(scores))]
    alike = len({sides.count(side) for side in sides}) == 1

    after = rate(ratings, sides, scores, unit)

    gained = sum(after[s].mean - ratings[s].mean for s in seats)
    assert gained == pytest.approx(0, abs=1e-6) or not alike


@given(games(), st.randoms(use_true_random=False))
def test_order_of_seats_does_not_matter(game, chance):
    ratings, sides, scores, unit = game
    order = list(range(len(sides)))
    chance.shuffle(order)

    after = rate([ratings[s] for s in order], [sides[s] for s in order], scores, unit)

    # To the last digit, though the straight way is taken only where seats and sides agree.
    assert after == [rate(ratings, sides, scores, unit)[s] for s in order]


@given(games())
def test_order_of_sides_does_not_matter(game):
    ratings, sides, scores, unit = game
    last = len(scores) - 1

    after = rate(ratings, [last - side for side in sides], scores[::-1], unit)

    expected = rate(ratings, sides, scores, unit)
    assert [r.mean for r in after] == pytest.approx([r.mean for r in expected], abs=1e-9)
    assert [r.variance for r in after] == pytest.approx([r.variance for r in expected])


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


@given(st.lists(RATINGS, min_size=8, max_size=8), st.lists(POINTS, min_size=8, max_size=8))
def test_games_of_others_do_not_matter(ratings, totals):
    one, other = (scores_of(points, ranks_of(points)) for points in (totals[:4], totals[4:]))

    def after(order):
        now = list(ratings)
        for half, scores in order:
            now[half : half + 4] = rate(now[half : half + 4], range(4), scores, 500.0)
        return now

    assert after([(0, one), (4, other)]) == after([(4, other), (0, one)])


def test_ratings_are_the_same_to_the_last_digit_everywhere():
    """Other figures here mean another model: raise MODEL, so that all is rated again."""
    chance, now, spread = random.Random(20), list(NEWCOMERS), Spread()
    for _ in range(200):
        totals = [chance.randrange(-900, 900) for _ in range(4)]
        scores = scores_of(totals, ranks_of(totals))
        spread = spread.seeing(scores)
        now = [r.rested(0.3) for r in rate(now, range(4), scores, spread.unit)]

    assert MODEL == "gaussian-2"
    assert [repr(number) for number in (now[0].mean, now[3].mean, now[0].variance)] == [
        "1521.2804613594983",
        "1471.1413093217602",
        "390.27308455741223",
    ]


@given(games())
def test_every_game_makes_surer(game):
    before = game[0]

    assert all(new.variance < old.variance for new, old in zip(rate(*game), before, strict=True))


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


def test_stronger_expects_the_better_place():
    ratings = [Rating(1500.0 + 100 * s, 900.0) for s in (2, 0, 3, 1)]

    places = expected_places(ratings, range(4))

    assert sorted(range(4), key=places.__getitem__) == [2, 0, 3, 1]


def test_game_without_points_teaches_nothing():
    assert rate(NEWCOMERS, range(4), [0.0] * 4, Spread().seeing([0.0] * 4).unit) == NEWCOMERS
    assert Spread().unit == 0.0


@pytest.mark.parametrize("sides", [2, 3, 4])
def test_unit_is_the_luck_of_newcomers_in_points_however_many_play(sides):
    chance, spread = random.Random(sides), Spread()
    for _ in range(4000):
        totals = [chance.gauss(0, 300) + chance.gauss(0, 150) for _ in range(sides)]
        spread = spread.seeing([t - sum(totals) / sides for t in totals])

    assert spread.unit == pytest.approx(300, rel=0.03)


def test_clear_cut_players_are_ranked_as_openskill_ranks_them():
    chance, model, spread = random.Random(4), PlackettLuce(), Spread()
    ours, theirs = [Rating()] * 8, [model.rating() for _ in range(8)]
    for _ in range(200):
        seats = chance.sample(range(8), 4)
        totals = [round(400 * s + chance.gauss(0, 400)) for s in seats]
        ranks = ranks_of(totals)
        scores = scores_of(totals, ranks)
        spread = spread.seeing(scores)
        rated = rate([ours[s] for s in seats], range(4), scores, spread.unit)
        teams = model.rate([[theirs[s]] for s in seats], ranks=ranks)
        for seat, rating, team in zip(seats, rated, teams, strict=True):
            ours[seat], theirs[seat] = rating, team[0]

    assert sorted(range(8), key=lambda s: ours[s].mean) == list(range(8))
    assert sorted(range(8), key=lambda s: theirs[s].mu) == list(range(8))


def test_ratings_find_out_strengths_as_surely_as_they_say():
    """Of many newcomers, 68 of 100 are within one deviation of their strength, 95 within two."""
    chance = random.Random(5)
    strengths = [chance.gauss(1500, sqrt(START_VARIANCE)) for _ in range(200)]
    ratings, unit = [Rating()] * 200, 500.0
    for _ in range(20):
        order = chance.sample(range(200), 200)
        for seats in (order[first : first + 4] for first in range(0, 200, 4)):
            shown = [(strengths[s] + chance.gauss(0, LUCK)) * unit / LUCK for s in seats]
            scores = [points - sum(shown) / 4 for points in shown]
            rated = rate([ratings[s] for s in seats], range(4), scores, unit)
            for seat, rating in zip(seats, rated, strict=True):
                ratings[seat] = rating

    far = [abs(r.mean - s) / r.deviation for r, s in zip(ratings, strengths, strict=True)]
    assert 0.60 < sum(f < 1 for f in far) / 200 < 0.76
    assert 0.90 < sum(f < 2 for f in far) / 200 < 0.99
