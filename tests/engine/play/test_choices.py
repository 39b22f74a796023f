import pytest

from tests.deals import UNITS
from tournaments.engine.play.games import Game, play
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


def test_choices_name_a_penalty_played_twice_as_used_up():
    game = after("no-men", "no-men")
    assert reasons(game) == {"no-men": ["contract-used-up"]}
    assert left(game)["no-men"] == 0


def test_choices_name_what_a_player_has_used():
    game = after(*["trump"] * 8)
    assert reasons(game) == {"trump": ["player-quota-used"]}
    assert (game.must, game.left_to_declare(0)) == ("penalty", {"penalty": 3, "trump": 0})


def test_partners_share_what_they_have_to_declare():
    men = Deal("no-men", declarer=0, counts={"men": (7, 1)})
    game = play(Game(RULESETS["turkish-king-partners"]), men)
    assert game.left_to_declare(0) == game.left_to_declare(2) != game.left_to_declare(1)


def test_partners_have_used_what_either_of_them_has_named():
    game = Game(RULESETS["turkish-king-partners"])
    for turn in range(2 * game.left_to_declare(0)["trump"]):
        assert "trump" in legal(game)
        game = play(game, Deal("trump", declarer=turn % 4, counts={"tricks": (12, 1)}))

    assert reasons(game) == {"trump": ["player-quota-used"]}


def test_choices_give_every_reason():
    # Seat 0 has named three penalties; heart-king and no-men have been played twice.
    trumps = ["trump"] * 3
    game = after("heart-king", *trumps, "no-men", *trumps, "heart-king", *PENALTIES[:3])
    used_up = {name: ["contract-used-up"] for name in ("heart-king", "no-men")}
    assert reasons(game) == {
        name: [*used_up.get(name, []), "player-quota-used"] for name in PENALTIES
    }
    assert (game.must, legal(game)) == ("trump", ["trump"])


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
