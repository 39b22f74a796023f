"""What the next declarer may name, why not the rest, and what must be."""

import pytest

from tests.engine.oracle import SCORED
from tests.engine.test_kings import UNITS
from tournaments.engine.entries import Deal, Redeal, Void
from tournaments.engine.entry_checks import play
from tournaments.engine.games import Game
from tournaments.engine.problems import InvalidEntry
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
        for choice in game.choices()
        if choice.problems
    }


def left(game):
    return {choice.contract.id: choice.left for choice in game.choices()}


@pytest.mark.parametrize("ruleset", SCORED)
def test_everything_may_be_named_first(ruleset):
    game = after(ruleset=ruleset)
    assert legal(game) == [*PENALTIES, "trump"]
    assert left(game) == {**dict.fromkeys(PENALTIES, 2), "trump": None}
    assert game.must is None


def test_turn_starts_at_the_first_declarer_and_goes_round():
    turns = [after(*["trump"] * deals, first_declarer=2).declarer for deals in range(6)]
    assert turns == [2, 3, 0, 1, 2, 3]


def test_choices_name_a_penalty_played_twice_as_used_up():
    game = after("no-men", "no-men")
    assert reasons(game) == {"no-men": ["contract-used-up"]}
    assert left(game)["no-men"] == 0


def test_choices_name_what_a_player_has_used():
    game = after(*["trump"] * 8)
    assert reasons(game) == {"trump": ["player-quota-used"]}
    assert (game.must, game.left_to_declare(0)) == ("penalty", {"penalty": 3, "trump": 0})


def test_choices_give_every_reason():
    # Seat 0 has named three penalties; heart-king and no-men have been played twice.
    trumps = ["trump"] * 3
    game = after("heart-king", *trumps, "no-men", *trumps, "heart-king", *PENALTIES[:3])
    used_up = {name: ["contract-used-up"] for name in ("heart-king", "no-men")}
    assert reasons(game) == {
        name: [*used_up.get(name, []), "player-quota-used"] for name in PENALTIES
    }
    assert (game.must, legal(game)) == ("trump", ["trump"])


def test_player_must_trump_after_three_penalties_and_after_two_in_the_short_game():
    deals = ["no-men", "trump", "trump", "trump", "no-men", "no-tricks", "no-tricks", "no-hearts"]
    long_game, short_game = after(*deals), after(*deals, ruleset="turkish-king-internet")
    assert (long_game.declarer, long_game.must) == (0, None)
    assert (short_game.declarer, short_game.must) == (0, "trump")


def test_player_who_must_take_a_penalty_has_named_one_trump_in_the_short_game():
    game = after(*["trump"] * 4, ruleset="turkish-king-internet")
    assert (game.must, legal(game)) == ("penalty", PENALTIES)


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


def test_strict_game_comes_to_trump_after_twelve_penalties():
    dearest_first = ["no-tricks", "no-men", "no-queens", "no-hearts", "last-two", "heart-king"]
    twice_each = [name for name in dearest_first for _ in range(2)]
    game = after(*twice_each, ruleset="turkish-king-bloody", order="strict")
    assert (legal(game), game.must) == (["trump"], "trump")


def test_strict_game_comes_to_no_trump_after_eleven_penalties():
    dearest_first = ["no-tricks", "no-men", "no-queens", "no-hearts", "last-two", "heart-king"]
    eleven = [name for name in dearest_first for _ in range(2)][:11]
    game = after(*eleven, ruleset="turkish-king-bloody", order="strict")
    assert (legal(game), reasons(game)["trump"]) == (["heart-king"], ["out-of-order"])


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


@pytest.mark.parametrize("ruleset", SCORED)
@pytest.mark.parametrize("by", range(4))
def test_redeal_without_a_high_card_is_for_a_declarer_who_must_trump(ruleset, by):
    short = ruleset == "turkish-king-internet"
    deals = ["no-men", "trump", "trump", "trump", "no-men", "last-two", "last-two", "no-tricks"]
    if not short:
        deals += ["heart-king", "no-hearts", "no-hearts", "no-queens"]
    game = after(*deals, ruleset=ruleset)
    assert (game.declarer, game.must) == (0, "trump")
    if ruleset != "rifki" and by == 0:
        assert play(game, Redeal(by, "no-high-card")).declarer == 0
    else:
        with pytest.raises(InvalidEntry) as refusal:
            play(game, Redeal(by, "no-high-card"))
        where = "reason" if ruleset == "rifki" else "by"
        found = [(str(p.code), p.where) for p in refusal.value.problems]
        assert found == [("redeal-not-allowed", where)]


def test_redeal_for_lack_of_high_cards_needs_a_declarer_who_must_trump():
    with pytest.raises(InvalidEntry) as refusal:
        play(after(*["trump"] * 8), Redeal(0, "no-high-card"))
    found = [(str(p.code), p.where) for p in refusal.value.problems]
    assert found == [("redeal-not-allowed", "reason")]
