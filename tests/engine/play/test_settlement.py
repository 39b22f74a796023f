from fractions import Fraction
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.engine.play.outcomes import Payment, settle

CENT = Fraction(1, 100)

points = st.integers(-40, 40) | st.fractions(-40, 40, max_denominator=6)
tables = st.lists(points, min_size=1, max_size=4)
stakes = st.integers(1, 5) | st.fractions(Fraction(1, 1000), 5, max_denominator=1000)
coins = st.sampled_from([CENT, Fraction(1, 20), Fraction(1), Fraction(5)])


def money(*amounts):
    return tuple(Fraction(amount) for amount in amounts)


def after_payments(settlement):
    balances = list(settlement.balances)
    for payment in settlement.payments:
        balances[payment.payer] += payment.amount
        balances[payment.payee] -= payment.amount
    return balances


def fewest_payments(balances):
    """By brute force over all choices of who pays whom.

    Payments between chosen pairs can settle everything if whoever they link is at 0 together.
    """
    pairs = list(combinations(range(len(balances)), 2))
    for number in range(len(balances)):
        for chosen in combinations(pairs, number):
            links = list(range(len(balances)))
            for one, other in chosen:
                links = [links[one] if link == links[other] else link for link in links]
            sums = [
                sum(b for b, link in zip(balances, links, strict=True) if link == group)
                for group in set(links)
            ]
            if not any(sums):
                return number
    raise AssertionError(balances)


def test_example_of_the_rules():
    settlement = settle((13, -7, 3, -9), Fraction(1, 10))
    assert settlement.balances == money("1.30", "-0.70", "0.30", "-0.90")
    assert settlement.payments == (
        Payment(3, 0, Fraction("0.90")),
        Payment(1, 0, Fraction("0.40")),
        Payment(1, 2, Fraction("0.30")),
    )


def test_the_most_groups_are_found_where_the_largest_pay_first_would_miss_them():
    # 6 = 4 + 2 and 5 + 3 = 8: largest first would let 8 pay 6 and then need five payments.
    settlement = settle((6, 5, 3, -8, -4, -2), 1)
    assert len(settlement.payments) == 4
    assert after_payments(settlement) == [0] * 6


def test_scores_that_do_not_sum_to_zero_are_taken_from_their_mean():
    # Euchre 10–4, a pair a side: 3 points above and below the mean.
    assert settle((10, 4), Fraction(1, 2)).balances == money("1.50", "-1.50")


def test_missing_coins_go_to_the_largest_remainders():
    # Cents of 33⅓, −66⅔, 33⅓ are 33, −67, 33 rounded down: one is missing. Each lost ⅓ of one,
    # so the first side gets it.
    assert settle((1, 0, 1), 1).balances == money("0.34", "-0.67", "0.33")
    # Cents of 16⅔, 16⅔, −33⅓ are 16, 16, −34: each lost ⅔ of one, and the first two get theirs.
    assert settle((1, 1, -2), Fraction(1, 6)).balances == money("0.17", "0.17", "-0.34")
    # 2½, −¼, −¾, −1½ are 2, −1, −1, −2: the second side lost most, ¾; then the first, ½.
    assert settle((10, -1, -3, -6), Fraction(1, 4), Fraction(1)).balances == (3, 0, -1, -2)


@pytest.mark.parametrize(("stake", "coin"), [(0, CENT), (-1, CENT), (1, Fraction(0))])
def test_stake_and_coin_are_above_zero(stake, coin):
    with pytest.raises(ValueError, match="above 0"):
        settle((1, -1), stake, coin)


def test_nobody_cannot_settle():
    with pytest.raises(ValueError, match="nobody"):
        settle((), 1)


@settings(deadline=None)
@given(tables, stakes, coins)
def test_balances_are_whole_coins_near_the_exact_money_and_sum_to_zero(totals, stake, coin):
    balances = settle(totals, stake, coin).balances
    mean = Fraction(sum(totals)) / len(totals)
    assert sum(balances) == 0
    assert [(balance / coin).denominator for balance in balances] == [1] * len(totals)
    for score, balance in zip(totals, balances, strict=True):
        assert abs(balance - stake * (score - mean)) < coin


@settings(deadline=None)
@given(tables, stakes, coins)
def test_higher_score_never_gets_less_and_equals_differ_by_a_coin_for_the_first(
    totals, stake, coin
):
    balances = settle(totals, stake, coin).balances
    places = sorted(range(len(totals)), key=lambda side: (-totals[side], side))
    assert [balances[side] for side in places] == sorted(balances, reverse=True)
    for upper, lower in pairwise(places):
        if totals[upper] == totals[lower]:
            assert balances[upper] - balances[lower] in (0, coin)


@settings(deadline=None)
@given(tables, stakes, coins)
def test_payments_settle_everything_and_are_the_fewest(totals, stake, coin):
    settlement = settle(totals, stake, coin)
    assert after_payments(settlement) == [0] * len(totals)
    assert all(payment.amount > 0 for payment in settlement.payments)
    assert len(settlement.payments) == fewest_payments(settlement.balances)


@settings(deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=3, max_size=4))
def test_payments_are_the_fewest_where_many_sides_balance_each_other(balances):
    settlement = settle((*balances, -sum(balances)), 1)
    assert after_payments(settlement) == [0] * (len(balances) + 1)
    assert len(settlement.payments) == fewest_payments(settlement.balances)
