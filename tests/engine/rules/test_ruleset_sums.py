from dataclasses import replace
from fractions import Fraction

import pytest

from tournaments.engine.rules.rulesets import Stage
from tournaments.engine.rules.scoring import sums_of
from tournaments.engine.variants import RULESETS

KING = RULESETS["turkish-king"]

GAMES = {
    "turkish-king-internet": ((-1240, -340), False),
    "honeymoon-king": ((5200, 5200), False),
    "krapet": (None, None),
    "euchre": (None, None),
    "euchre-two": (None, None),
    "euchre-three": (None, None),
    "euchre-railroad": (None, None),
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
