from fractions import Fraction

import pytest

from tests.deals import WHOLE_GAME
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.play.games import Game, play, share_of_unplayed
from tournaments.engine.play.outcomes import award, decide, rank
from tournaments.engine.rules.entries import Adjustment, Deal, Stopped, Totals
from tournaments.engine.variants import RULESETS


def stopped_at(totals, *, ruleset="turkish-king", **options):
    game = Game(RULESETS[ruleset].with_options(options))
    for seat, points in enumerate(totals):
        if points:
            game = play(game, Adjustment(seat, points, "as it stood"))
    return play(game, Stopped("other"))


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ((0, 0, 0, 0), (1, 1, 1, 1)),
        ((10, 20, 20, 5), (3, 1, 1, 4)),
        ((9, 8, 8, 7), (1, 2, 2, 4)),
        ((Fraction(1, 3), 0, Fraction(1, 2), -1), (2, 3, 1, 4)),
    ],
)
def test_equal_scores_share_a_rank(scores, ranks):
    assert rank(scores) == ranks
    assert decide(stopped_at(scores)).ranks == ranks


def test_exactly_zero_is_sunk():
    outcome = decide(stopped_at((0, Fraction(1, 3), -5, 5)))
    assert (outcome.out, outcome.sunk) == ((1, 3), (0, 2))


@pytest.mark.parametrize(
    ("totals", "out"),
    [
        ((-100, -200, -300, -400), (0, 1)),
        # The mean is -250/4 = -62.5: -62 is above it, -63 below.
        ((-62, -63, -63, -62), (0, 3)),
        ((-100, -100, -100, -100), ()),
        # The mean is 1/12 + 1/4 = 1/3: exactly the mean is sunk.
        ((Fraction(1, 3), 1, 0, 0), (1,)),
    ],
)
def test_out_may_mean_above_the_mean(totals, out):
    outcome = decide(stopped_at(totals, out="mean"))
    assert outcome.out == out
    assert outcome.sunk == tuple(seat for seat in range(4) if seat not in out)


def test_adjustment_after_the_end_decides_anew_and_reopens_nothing():
    game = stopped_at((1, -1, -1, -1))
    adjusted = play(game, Adjustment(0, -3, "revoke", "others"))
    assert adjusted.totals == (-2, 0, 0, 0)
    assert (adjusted.finished, adjusted.ending) == (True, game.ending)
    assert (decide(adjusted).out, award(adjusted)) == ((), ())


def test_adjustment_does_not_take_a_king_away():
    game = play(Game(RULESETS["turkish-king"]), Deal("trump", counts={"tricks": (0, 13, 0, 0)}))
    outcome = decide(play(game, Adjustment(1, -2000, "revoke")))
    assert (outcome.ranks, outcome.out) == ((2, 1, 2, 2), (1,))


@pytest.mark.parametrize(
    ("ruleset", "deals", "share"),
    [
        ("turkish-king", 1, 80),
        ("turkish-king", 3, 80 + 100 + 120),
        ("honeymoon-king", 0, 2600),
        ("euchre", 0, 0),
    ],
)
def test_stopped_game_lacks_what_whole_games_have(ruleset, deals, share):
    game = Game(RULESETS[ruleset])
    for body in WHOLE_GAME[:deals]:
        game = play(game, parse_entry(body))
    fined = play(game, Adjustment(0, -100, "revoke"))

    assert share_of_unplayed(game) == 0
    for stopped in (play(game, Stopped("time")), play(fined, Stopped("time"))):
        assert share_of_unplayed(stopped) == share


@pytest.mark.parametrize("totals", [(-850, -1200, -1000, -1500), (0, -700, 0, 0)])
@pytest.mark.parametrize("fine", [0, -100])
def test_totals_of_a_game_that_ended_early_lack_the_same(totals, fine):
    game = Game(RULESETS["turkish-king"])
    if fine:
        game = play(game, Adjustment(0, fine, "revoke"))

    assert share_of_unplayed(play(game, Totals(totals, early=True))) == Fraction(-sum(totals), 4)
