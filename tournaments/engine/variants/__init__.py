"""The games as data; `RULESETS` maps each id to its ruleset."""

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from tournaments.engine.rules.rulesets import Option, Ruleset

# In the order of the menus; a new game is a new module of this package.
FAMILIES = ("turkish_king", "italian_king", "krapet", "euchre")


def _load() -> dict[str, Ruleset]:
    found = {module.name for module in iter_modules(__path__)}
    names = (*FAMILIES, *sorted(found - set(FAMILIES)))
    modules = [import_module(f"{__name__}.{name}") for name in names]
    return {rules.id: _with_switches(rules) for module in modules for rules in module.RULESETS}


def _with_switches(rules: Ruleset) -> Ruleset:
    """Return a ruleset with the switches of every game."""
    switches = [Option("adjustment_to", ("none", "others"))]
    if rules.settings["outcome"] != "highest-wins":
        switches.append(Option("stake_per", ("point", "sinking")))
    defaults = {option.setting: option.values[0] for option in switches}
    switches.append(Option("stake", kind="money"))
    return replace(
        rules, settings={**rules.settings, **defaults}, options=(*rules.options, *switches)
    )


RULESETS: Mapping[str, Ruleset] = MappingProxyType(_load())
