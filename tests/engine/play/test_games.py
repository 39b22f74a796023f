from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deals import UNITS
from tournaments.engine.play.games import Game, Match, Terms, over_target, play, play_match
from tournaments.engine.rules.entries import Deal, Redeal, Void
from tournaments.engine.variants import RULESETS

PENALTIES = ["no-tricks", "no-hearts", "no-men", "no-queens", "heart-king", "last-two"]


def after(*contracts, ruleset="turkish-king", first_declarer=0, **options):
    """A game in which `contracts` have been dealt, without a King."""
    game = Game(RULESETS[ruleset].with_options(options), first_declarer)
    for contract in contracts:
        unit, units = UNITS[contract]
        counts = (units, 0, 0, 0) if units == 1 else (units - 1, 1, 0, 0)
        game = play(game, Deal(contract, counts={unit: counts}))
    return game


def legal(game):
    return [contract.id for contract in game.legal_contracts()]


def reasons(game):
    """The codes against each contract that may not be named."""
    return {
        choice.contract.id: [str(problem.code) for problem in choice.problems]
        for choice in game.choices
        if choice.problems
    }


def left(game):
    return {choice.contract.id: choice.left for choice in game.choices}


def test_choices_name_what_a_player_has_used():
    game = after(*["trump"] * 8)
    assert reasons(game) == {"trump": ["player-quota-used"]}
    assert (game.must, game.left_to_declare(0)) == ("penalty", {"penalty": 3, "trump": 0})


def test_partners_have_used_what_either_of_them_has_named():
    game = Game(RULESETS["turkish-king-partners"])
    for turn in range(2 * game.left_to_declare(0)["trump"]):
        assert "trump" in legal(game)
        game = play(game, Deal("trump", declarer=turn % 4, counts={"tricks": (12, 1)}))

    assert reasons(game) == {"trump": ["player-quota-used"]}
    assert [game.left_to_declare(seat)["trump"] for seat in range(4)] == [0] * 4


def test_choices_give_every_reason():
    # Seat 0 has named three penalties; heart-king and no-men have been played twice.
    trumps = ["trump"] * 3
    game = after("heart-king", *trumps, "no-men", *trumps, "heart-king", *PENALTIES[:3])
    used_up = {name: ["contract-used-up"] for name in ("heart-king", "no-men")}
    assert reasons(game) == {
        name: [*used_up.get(name, []), "player-quota-used"] for name in PENALTIES
    }
    assert (game.must, legal(game)) == ("trump", ["trump"])
    assert (left(game)["no-men"], left(game)["no-tricks"]) == (0, 1)


@pytest.mark.parametrize(
    ("played", "expected"),
    [
        ([], "no-tricks"),
        (["no-tricks"], "no-tricks"),
        (["no-tricks"] * 2, "no-men"),
        (["no-tricks"] * 2 + ["no-men"] * 2, "no-queens"),
        (["no-tricks"] * 2 + ["no-men"] * 2 + ["no-queens"] * 2, "no-hearts"),
    ],
)
def test_ordered_game_takes_the_dearest_penalty_first(played, expected):
    ordered = after(*played, ruleset="turkish-king-bloody", order="ordered")
    strict = after(*played, ruleset="turkish-king-bloody", order="strict")
    assert legal(ordered) == [expected, "trump"]
    assert legal(strict) == [expected]
    assert reasons(strict)["trump"] == ["out-of-order"]
    assert strict.must is None


def test_advised_order_forbids_nothing_and_says_what_is_dearest():
    game = after(*["no-tricks"] * 2, ruleset="turkish-king-bloody")
    assert legal(game) == [*PENALTIES[1:], "trump"]
    assert game.dearest_left().id == "no-men"


def test_void_and_redeal_leave_the_turn_and_the_quotas():
    game = after("no-men")
    for pause in (
        Void("one-each", "no-queens", 1),
        Void("misdeal"),
        Void("misdeal", "trump"),
        Redeal(3, "misdeal"),
    ):
        paused = play(game, pause)
        assert (paused.declarer, paused.totals, paused.rows) == (1, game.totals, game.rows)
        assert left(paused) == left(game)
        assert paused.left_to_declare(1) == {"penalty": 3, "trump": 2}


A, B, DRAW = (10, 4), (4, 10), (6, 6)
SLAM_A, SLAM_B = (11, 0), (0, 11)

terms = st.builds(
    Terms, st.sampled_from(["best-of", "first-to"]), st.integers(1, 5), st.booleans(), st.booleans()
)


@st.composite
def played(draw):
    sides = draw(st.integers(2, 4))
    totals = st.integers(-1, 6) | st.sampled_from([0, 0, Fraction(11, 2)])
    game = st.tuples(*[totals] * sides)
    return sides, draw(st.lists(game, max_size=8)), draw(st.integers(1, 5)), draw(terms)


def euchre(games, length, number, **switches):
    return play_match(2, games, 10, Terms(length, number, **switches))


@pytest.mark.parametrize(
    ("terms", "games", "won", "left", "winners"),
    [
        (("best-of", 3), [], (0, 0), 3, ()),
        (("best-of", 3), [A], (1, 0), 2, ()),
        (("best-of", 3), [A, A], (2, 0), 0, (0,)),
        (("best-of", 3), [A, B], (1, 1), 1, ()),
        (("best-of", 3), [A, B, B], (1, 2), 0, (1,)),
        (("best-of", 1), [B], (0, 1), 0, (1,)),
        # With an even N half is not enough, and the end may be level: a joint win.
        (("best-of", 4), [A, A], (2, 0), 2, ()),
        (("best-of", 4), [A, A, B], (2, 1), 1, ()),
        (("best-of", 4), [A, A, B, B], (2, 2), 0, (0, 1)),
        (("best-of", 4), [A, A, A], (3, 0), 0, (0,)),
        # A draw is one of the N games.
        (("best-of", 3), [DRAW], (0, 0), 2, ()),
        (("best-of", 3), [DRAW, A], (1, 0), 1, ()),
        (("best-of", 3), [DRAW, A, DRAW], (1, 0), 0, (0,)),
        (("best-of", 3), [DRAW, A, B], (1, 1), 0, (0, 1)),
        (("best-of", 2), [DRAW, DRAW], (0, 0), 0, (0, 1)),
        (("first-to", 1), [], (0, 0), 1, ()),
        (("first-to", 3), [], (0, 0), 5, ()),
        (("first-to", 3), [A, B, A], (2, 1), 2, ()),
        (("first-to", 3), [A, B, A, B], (2, 2), 1, ()),
        (("first-to", 3), [A, B, A, B, B], (2, 3), 0, (1,)),
        # A draw brings nobody nearer.
        (("first-to", 1), [DRAW, DRAW], (0, 0), 1, ()),
        (("first-to", 1), [DRAW, DRAW, A], (1, 0), 0, (0,)),
    ],
)
def test_match_is_over_as_its_length_says(terms, games, won, left, winners):
    match = euchre(games, *terms)
    assert match == Match(won, (0, 0), len(games), left, winners)
    assert match.over == bool(winners)


def test_laps_carry_what_is_over_the_target_into_the_next_game_only():
    match = euchre([(13, 4)], "first-to", 3, laps=True)
    assert (match.won, match.carry) == ((1, 0), (3, 0))
    # The second game holds the 3 points already; what it leaves over is all that goes on.
    assert euchre([(13, 4), (5, 11)], "first-to", 3, laps=True).carry == (0, 1)
    assert euchre([(13, 4), (5, 10)], "first-to", 3, laps=True).carry == (0, 0)
    assert euchre([(13, 4)], "first-to", 3).carry == (0, 0)


def test_nothing_is_carried_out_of_a_match_that_is_over():
    match = euchre([(13, 4)], "first-to", 1, laps=True)
    assert (match.over, match.carry) == (True, (0, 0))


def test_laps_carry_for_each_side_over_the_target():
    # Euchre for three: both defenders pass the target with the same euchre, the higher wins.
    match = play_match(3, [(11, 12, 7)], 10, Terms("first-to", 2, laps=True))
    assert (match.won, match.carry) == ((0, 1, 0), (1, 2, 0))


@pytest.mark.parametrize(
    ("totals", "won"),
    [
        ((10, 0), (2, 0)),
        ((0, 12), (0, 2)),
        ((10, 1), (1, 0)),
        # A penalty does not save from the slam.
        ((10, -2), (2, 0)),
        # Stopped before the target: the leader wins the game, but it is no slam.
        ((9, 0), (1, 0)),
    ],
)
def test_slam_counts_as_two_games(totals, won):
    assert euchre([totals], "first-to", 5, slam=True).won == won
    assert sum(euchre([totals], "first-to", 5).won) == 1


@pytest.mark.parametrize(
    ("length", "number", "games", "match"),
    [
        ("best-of", 3, [SLAM_A], Match((2, 0), (0, 0), 1, 0, (0,))),
        ("best-of", 5, [SLAM_A], Match((2, 0), (0, 0), 1, 3)),
        ("best-of", 5, [SLAM_A, SLAM_B], Match((2, 2), (0, 0), 2, 1)),
        ("best-of", 4, [SLAM_A, SLAM_B], Match((2, 2), (0, 0), 2, 0, (0, 1))),
        # A slam in the last game still counts as two, and may decide.
        ("best-of", 4, [A, A, B, SLAM_B], Match((2, 3), (0, 0), 4, 0, (1,))),
        # After draws it may be a game too many, with less than half won.
        ("best-of", 5, [DRAW] * 4 + [SLAM_A], Match((2, 0), (0, 0), 5, 0, (0,))),
        # Stopped before anybody scored: a draw, no slam against both.
        ("best-of", 3, [(0, 0)], Match((0, 0), (0, 0), 1, 2)),
        ("first-to", 3, [SLAM_A, B], Match((2, 1), (0, 0), 2, 2)),
        ("first-to", 3, [A, A, SLAM_B, SLAM_B], Match((2, 4), (0, 0), 4, 0, (1,))),
    ],
)
def test_slam_brings_the_end_nearer(length, number, games, match):
    assert euchre(games, length, number, slam=True) == match


def test_three_sides_may_win_a_game_and_the_match_jointly():
    games = [(11, 11, 8), (12, 3, 4), (2, 10, 9)]
    one = play_match(3, games[:1], 10, Terms("first-to", 2))
    assert (one.won, one.games_left) == ((1, 1, 0), 2)
    assert play_match(3, games, 10, Terms("first-to", 2)).winners == (0,)
    assert play_match(3, games[:1] * 2, 10, Terms("first-to", 2)).winners == (0, 1)
    assert play_match(3, games, 10, Terms("best-of", 5)).won == (2, 2, 0)
    # Everybody level is a draw.
    assert play_match(3, [(10, 10, 10)], 10, Terms("first-to", 2)).won == (0, 0, 0)


def test_joint_winners_share_a_slam():
    games = [(11, 11, 0), (10, 0, 0), (10, 0, 1)]
    match = play_match(3, games, 10, Terms("first-to", 9, slam=True))
    assert match.won == (5, 2, 0)


def test_games_beyond_the_end_are_not_taken_into_account():
    match = euchre([A, A, B, B, B], "best-of", 3)
    assert match == Match((2, 0), (0, 0), 2, 0, (0,))


@given(played())
def test_match_ends_once_and_those_with_most_games_have_won(case):
    sides, games, target, terms = case
    match = play_match(sides, games, target, terms)
    best = {side for side in range(sides) if match.won[side] == max(match.won)}
    assert set(match.winners) == (best if match.over else set())
    assert match.over or match.played == len(games)
    # Without the last game that counted, it was not over.
    if match.played:
        assert not play_match(sides, games[: match.played - 1], target, terms).over


@given(played(), st.data())
def test_match_is_never_longer_than_the_games_left(case, data):
    sides, games, target, terms = case
    left = play_match(sides, games, target, terms).games_left
    # A single winner each time: draws can make a first-to match go on for ever.
    winners = data.draw(st.lists(st.integers(0, sides - 1), min_size=left, max_size=left))
    more = [tuple(int(side == winner) for side in range(sides)) for winner in winners]
    assert play_match(sides, games + more, target, terms).over


@given(st.integers(1, 9))
def test_all_the_games_left_may_be_needed(number):
    for terms, sides in ((Terms("best-of", number), 2), (Terms("first-to", number), 3)):
        games = [
            tuple(int(side == turn % sides) for side in range(sides))
            for turn in range(play_match(sides, [], 1, terms).games_left)
        ]
        assert not play_match(sides, games[:-1], 1, terms).over
        assert play_match(sides, games, 1, terms).over


def test_what_is_carried_never_wins_the_next_game_by_itself():
    assert over_target((4, 0), 1) == (0, 0)
    assert over_target((6, 0), 3) == (2, 0)
    assert over_target((13, 9), 10) == (3, 0)
