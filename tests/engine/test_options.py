"""What a table may choose."""

from dataclasses import replace

import pytest

from tournaments.engine.problems import InvalidEntry
from tournaments.engine.rulesets import Option
from tournaments.engine.variants import RULESETS

CHOICES = [
    (ruleset.id, option.setting, value)
    for ruleset in RULESETS.values()
    for option in ruleset.options
    for value in option.values
]


@pytest.mark.parametrize(("ruleset", "setting", "value"), CHOICES)
def test_option_changes_one_setting(ruleset, setting, value):
    before = RULESETS[ruleset]
    after = before.with_options({setting: value})
    implied = before.implied.get(setting, {}).get(value, {})
    assert after == replace(before, settings={**before.settings, **implied, setting: value})


@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_defaults_may_be_stated(ruleset):
    rules = RULESETS[ruleset]
    stated = {
        o.setting: rules.settings[o.setting] for o in rules.options if o.setting in rules.settings
    }
    assert rules.with_options(stated) == rules


def test_true_is_no_number():
    rules = replace(RULESETS["rifki"], options=(Option("laps", (0, 1)),))
    assert rules.with_options({"laps": 1}).settings["laps"] == 1
    with pytest.raises(InvalidEntry):
        rules.with_options({"laps": True})


@pytest.mark.parametrize("stake", [2, "1/10", "3/1"])
def test_stake_is_a_number_above_zero(stake):
    rules = RULESETS["italian-king"].with_options({"stake": stake})
    assert rules.settings["stake"] == stake


@pytest.mark.parametrize("stake", [0, -1, "0/5", "-1/10", "1/0", "ten", "", 0.1, True, None])
def test_what_is_no_stake_is_refused(stake):
    with pytest.raises(InvalidEntry):
        RULESETS["italian-king"].with_options({"stake": stake})


@pytest.mark.parametrize(("deals", "possible"), [(2, True), (8, True), (7, False), (0, False)])
def test_honeymoon_has_an_even_number_of_deals(deals, possible):
    rules = RULESETS["honeymoon-king"]
    if possible:
        assert rules.with_options({"deals": deals}).length == deals
        return
    with pytest.raises(InvalidEntry):
        rules.with_options({"deals": deals})
