"""What the ids in a ruleset's description are called, in the language of whoever asks."""

from typing import Any

from tournaments import words
from tournaments.engine.entries import NO_TRUMP, SUITS
from tournaments.engine.rulesets import Ruleset

Json = dict[str, Any]


def with_names(described: Json, rules: Ruleset) -> Json:
    """A description with names for all that a form shows; house rules keep their own.

    Browsers are sent the description without them: their pages have the names already.
    """
    contracts = zip(described["contracts"], rules.contracts, strict=True)
    return described | {
        "name": words.name_of(rules),
        "options": [_option(option) for option in described["options"]],
        "units": {
            unit: {"name": words.unit_name(unit)} | said
            for unit, said in described["units"].items()
        },
        "contracts": [
            said
            | {
                "name": words.contract_title(contract),
                "short": words.contract_short(contract.id, contract.name),
                "symbol": words.contract_symbol(contract.id, name=contract.name),
            }
            for said, contract in contracts
        ],
        "suits": {suit: _suit(suit) for suit in (*SUITS, NO_TRUMP)},
    }


def _option(option: Json) -> Json:
    setting = option["setting"]
    return option | {
        "name": words.option_name(setting),
        "about": words.option_help(setting),
        "value_names": [words.option_value_name(setting, value) for value in option["values"]],
    }


def _suit(suit: str) -> Json:
    return {"name": words.suit_name(suit), "symbol": words.suit_symbol(suit)}
