"""Kings of every kind: made, missed, declared and failed (docs/rules.md §1.1, §1.9)."""

from dataclasses import replace
from fractions import Fraction

import pytest

from tests.deals import UNITS
from tests.sample_games import load
from tournaments.engine.documents.games import read_game
from tournaments.engine.play import games
from tournaments.engine.play.games import Game
from tournaments.engine.play.outcomes import decide
from tournaments.engine.rules.entries import Deal
from tournaments.engine.rules.rulesets import InvalidEntry, Stage
from tournaments.engine.rules.scoring import sums_of
from tournaments.engine.variants import RULESETS

KING = RULESETS["turkish-king"]

GAMES = {
    "turkish-king-internet": ((-1240, -340), False),
    "barbu-french": ((-1680, -1680), False),
    "barbu-french-three": ((-1320, -1320), False),
    "barbu-french-five": ((-2000, -2000), False),
    "king-three": ((-500, -500), False),
    "king-five": ((-1760, -1400), False),
    "honeymoon-king": ((5200, 5200), False),
    "krapet": (None, None),
    "euchre": (None, None),
    "euchre-two": (None, None),
    "euchre-three": (None, None),
    "euchre-railroad": (None, None),
    "bid-euchre": (None, None),
}


@pytest.mark.parametrize("ruleset", RULESETS)
def test_game_of_the_program_adds_up_to_what_its_rules_say(ruleset):
    sums = sums_of(RULESETS[ruleset])
    assert (sums.game, sums.zero_sum) == GAMES.get(ruleset, ((0, 0), True))


def test_deals_of_king_add_up_to_the_values_of_their_units():
    assert sums_of(KING).deals == {
        "no-tricks": (-650, -650),
        "no-hearts": (-390, -390),
        "no-men": (-480, -480),
        "no-queens": (-400, -400),
        "heart-king": (-320, -320),
        "last-two": (-360, -360),
        "trump": (650, 650),
    }


def test_deals_of_differences_and_domino_add_up_to_nothing():
    sums = sums_of(RULESETS["italian-king-pairs"])
    assert set(sums.deals.values()) == {(0, 0)}
    assert sums_of(RULESETS["italian-king"]).deals["domino"] == (0, 0)


def with_value(ruleset, number, values):
    contracts = list(ruleset.contracts)
    contracts[number] = replace(contracts[number], values=values)
    return replace(ruleset, contracts=tuple(contracts))


def test_dearer_rifki_is_not_zero_sum():
    sums = sums_of(with_value(KING, 4, {"heart_king": -400}))
    assert (sums.deals["heart-king"], sums.game, sums.zero_sum) == (
        (-400, -400),
        (-160, -160),
        False,
    )


def test_fractions_stay_exact():
    sums = sums_of(with_value(KING, 4, {"heart_king": Fraction(-641, 2)}))
    assert (sums.game, sums.zero_sum) == ((-1, -1), False)


def test_quotas_decide_how_often_the_dear_ones_come():
    free = replace(KING, quotas={}, deals=2)
    assert sums_of(free).game == (-1300, 1300)
    assert sums_of(free).zero_sum is None
    each = tuple(replace(c, quota=None, quota_each=1) for c in KING.contracts)
    # Each of four sides names each contract once: seven times four deals.
    everything = replace(KING, quotas={}, deals=28, contracts=each)
    assert sums_of(everything).game == (-7800, -7800)


def test_stages_decide_what_is_played():
    staged = replace(
        KING,
        quotas={},
        deals=4,
        stages=(Stage(1, ("no-tricks", "last-two")), Stage(3, ("no-tricks", "trump"))),
    )
    # Each penalty twice at the most, and the last two tricks only in the first deal.
    assert sums_of(staged).game == (-360 - 650 - 650 + 650, -360 + 3 * 650)


def test_sum_depends_on_what_is_only_known_afterwards():
    italian = RULESETS["italian-king"]
    blind = sums_of(italian.with_options({"blind_declaration": True}))
    assert (blind.deals["declaration"], blind.game, blind.zero_sum) == (None, None, None)
    thirteen = sums_of(italian.with_options({"cappotto": "plus13"}))
    assert thirteen.deals["no-hearts"] == (-13, 13)
    assert (thirteen.game, thirteen.zero_sum) == ((0, 52), None)
    assert sums_of(italian.with_options({"cappotto": "plus14"})).zero_sum is True


def test_game_that_may_end_at_a_target_has_no_sum_beforehand():
    assert sums_of(replace(KING, settings={**KING.settings, "target": 500})).game is None


SAID = ("no-hearts", "no-men", "no-queens", "heart-king", "last-two")


def play(contract, taker, *, options=None, ruleset="turkish-king", **details):
    """A game after one deal, declared by seat 0, of which `taker` has every unit."""
    unit, units = UNITS[contract]
    counts = tuple(units if seat == taker else 0 for seat in range(4))
    game = Game(RULESETS[ruleset].with_options(options or {}))
    return games.play(game, Deal(contract, counts={unit: counts}, details=details))


def ending(game):
    """How a game ended and by whom, and who is out."""
    if game.ending is None:
        return None
    return (game.ending.by, game.ending.seat, decide(game).out)


def refusal(*args, **kwargs):
    with pytest.raises(InvalidEntry) as error:
        play(*args, **kwargs)
    return [(str(p.code), p.where, p.params.get("why")) for p in error.value.problems]


ANY_KING = {"king": "ends-game"}
DECLARED = {"king": "declared"}
IN_TRUMP = {"king_deals": "trump"}


@pytest.mark.parametrize("ruleset", ["turkish-king", "turkish-king-internet"])
@pytest.mark.parametrize("contract", ["trump", "no-tricks"])
@pytest.mark.parametrize("stated", [{}, {"king": 2}])
def test_king_shown_by_13_tricks_ends_the_game(ruleset, contract, stated):
    game = play(contract, 2, ruleset=ruleset, options=ANY_KING, **stated)
    assert ending(game) == ("king", 2, (2,))


@pytest.mark.parametrize("contract", list(UNITS))
def test_king_needs_every_unit(contract):
    assert refusal(contract, 2, king=1) == [("bad-king", "king", "not-all-units")]


@pytest.mark.parametrize("contract", ["no-hearts", "no-men", "no-queens", "heart-king"])
@pytest.mark.parametrize("options", [{}, DECLARED])
def test_king_needs_13_tricks_played(contract, options):
    declared = {"king_declared_by": 2} if options else {}
    found = refusal(contract, 2, options=options, king=2, tricks_played=12, **declared)
    assert found == [("bad-king", "king", "ended-early")]


def test_declared_king_needs_13_tricks_played_even_when_it_failed():
    found = refusal("no-queens", 2, options=DECLARED, king_declared_by=0, tricks_played=12)
    assert found == [("bad-king", "king_declared_by", "ended-early")]


@pytest.mark.parametrize("contract", ["trump", "no-tricks"])
def test_13_tricks_are_no_king_where_it_is_off_or_was_not_declared(contract):
    assert ending(play(contract, 2, options={"king": "off"})) is None
    assert ending(play(contract, 2, options=DECLARED)) is None
    assert ending(play(contract, 2, ruleset="rifki")) is None


@pytest.mark.parametrize("contract", list(UNITS))
def test_king_in_trump_deals_only(contract):
    if contract == "trump":
        assert ending(play(contract, 2, options=IN_TRUMP)) == ("king", 2, (2,))
        return
    assert ending(play(contract, 2, options=IN_TRUMP)) is None
    why = "only-in-trump"
    assert refusal(contract, 2, options=IN_TRUMP, king=2) == [("bad-king", "king", why)]
    found = refusal(contract, 2, options={**IN_TRUMP, **DECLARED}, king_declared_by=2)
    assert found == [("bad-king", "king_declared_by", why)]


@pytest.mark.parametrize("contract", ["trump", "no-tricks"])
def test_declared_king_of_tricks_fails_when_someone_else_takes_13(contract):
    game = play(contract, 1, options=DECLARED, king_declared_by=3)
    assert ending(game) == ("failed-king", 3, (0, 1, 2))


@pytest.mark.parametrize("contract", SAID)
def test_declared_king_of_a_penalty_is_made_when_the_entry_says_so(contract):
    made = play(contract, 1, options=DECLARED, king_declared_by=1, king=1)
    failed = play(contract, 1, options=DECLARED, king_declared_by=1)
    assert ending(made) == ("king", 1, (1,))
    assert ending(failed) == ("failed-king", 1, (0, 2, 3))


@pytest.mark.parametrize("contract", list(UNITS))
@pytest.mark.parametrize("tricks", [{}, {"king_tricks": 10, "king_deals": "all"}])
def test_king_of_someone_who_did_not_declare_is_refused(contract, tricks):
    why, options = [("bad-king", "king", "not-declared")], {**DECLARED, **tricks}
    assert refusal(contract, 1, options=options, king=1) == why
    assert refusal(contract, 1, options=options, king=1, king_declared_by=2) == why


def test_king_with_enough_tricks_but_fewer_than_in_a_row():
    rules = RULESETS["turkish-king"]
    settings = {**rules.settings, "king_tricks": 8, "king_in_a_row": 10}
    deal = Deal("trump", counts={"tricks": (4, 9, 0, 0)}, details={"king": 1})
    assert ending(games.play(Game(replace(rules, settings=settings)), deal)) == ("king", 1, (1,))


def test_declared_king_with_a_queen_each_stands_as_failed():
    game = Game(RULESETS["turkish-king"].with_options(DECLARED))
    deal = Deal("no-queens", counts={"queens": (1, 1, 1, 1)}, details={"king_declared_by": 0})
    assert ending(games.play(game, deal)) == ("failed-king", 0, (1, 2, 3))


def test_king_at_the_last_deal_is_a_king():
    document = load("turkish-king-whole")
    document["entries"][-1]["counts"]["tricks"] = [0, 0, 0, 13]
    game = read_game(document).game
    assert len(game.deals) == 20
    assert ending(game) == ("king", 3, (3,))


@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_defaults_may_be_stated(ruleset):
    rules = RULESETS[ruleset]
    stated = {
        o.setting: rules.settings[o.setting] for o in rules.options if o.setting in rules.settings
    }
    assert rules.with_options(stated) == rules
