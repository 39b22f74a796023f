import random
from math import inf, log

import pytest

from tournaments.engine.ratings.ratings import (
    COIN,
    START_VARIANCE,
    Accuracy,
    Foretold,
    Rating,
    accuracy_of,
    chance_above,
)

GOOD, BAD, NEW = Rating(1700, 900), Rating(1300, 900), Rating()
EACH = (0, 1, 2, 3)


def game(ratings, ranks, sides=EACH, counts=None):
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
        yield game(ratings, ranks, sides, [chance.random() < 0.8 for _ in range(count)])


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
        [game([GOOD, BAD, NEW, NEW], [1, 2, 3, 4], counts=(True, True, False, True))]
    )

    assert told.pairs == 3


def test_nothing_told_is_a_coin():
    assert (Accuracy().share, Accuracy().log_loss) == (0.5, COIN)


def test_certainty_that_fails_costs_much_and_not_everything():
    sure = game([Rating(1e7, 1), Rating(0, 1)], [2, 1], (0, 1))

    assert 10 < accuracy_of([sure]).log_loss < inf
