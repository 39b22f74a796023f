from dataclasses import replace

import pytest

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
