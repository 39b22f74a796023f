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


BEGINS: Mapping[str, str] = MappingProxyType(
    {
        "turkish-king": "two-of-diamonds",
        # Nobody has seen the cards, or half of them are not dealt, or so the article says.
        "turkish-king-blind": "lot",
        "turkish-king-sealed": "lot",
        "honeymoon-king": "lot",
        "rifki": "lot",
        "italian-king": "dealer",
        "portuguese-king": "heart-king",
        "russian-king": "lot",
        "barbu": "lot",
        "euchre": "dealer",
    }
)
"""How the first player is found, by ruleset, or else by family."""

CARDS = {
    "two-of-diamonds": "diamonds-2",
    "seven-of-diamonds": "diamonds-7",
    "heart-king": "hearts-K",
}


def _with_switches(rules: Ruleset) -> Ruleset:
    """Return a ruleset with the switches of every game; each has its default first."""
    switches = [Option("adjustment_to", ("none", "others"))]
    if rules.settings["outcome"] != "highest-wins":
        switches.append(Option("stake_per", ("point", "sinking")))
    if usual := BEGINS.get(rules.id) or BEGINS.get(rules.family):
        ways = (usual, *(way for way, card in CARDS.items() if card in rules.dealt.cards), "lot")
        switches.append(Option("begins", tuple(dict.fromkeys(ways))))
    if rules.family in ("turkish-king", "barbu") and any(c.trumps for c in rules.contracts):
        raised = ("always", "led", "ruff", "none")
        switches.append(Option("raise_trump", raised[:: -1 if rules.id == "rifki" else 1]))
    defaults = {option.setting: option.values[0] for option in switches}
    switches.append(Option("stake", kind="money"))
    return replace(
        rules, settings={**rules.settings, **defaults}, options=(*rules.options, *switches)
    )


RULESETS: Mapping[str, Ruleset] = MappingProxyType(_load())
