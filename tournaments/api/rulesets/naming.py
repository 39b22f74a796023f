"""Names of the ids in a ruleset's description, in the reader's language."""

from typing import Any

from tournaments.engine.rules.entries import NO_TRUMP, SUITS
from tournaments.engine.rules.rulesets import Ruleset
from tournaments.texts import labels

Json = dict[str, Any]


def with_names(described: Json, rules: Ruleset) -> Json:
    """A description with names for all that a form shows; house rules keep their own.

    Browsers are sent the description without them: their pages have the names already.
    """
    contracts = zip(described["contracts"], rules.contracts, strict=True)
    return described | {
        "name": labels.name_of(rules),
        "options": [_option(option) for option in described["options"]],
        "units": {
            unit: {"name": labels.unit_name(unit)} | said
            for unit, said in described["units"].items()
        },
        "contracts": [
            said
            | {
                "name": labels.contract_title(contract),
                "short": labels.contract_short(contract.id, contract.name),
                "symbol": labels.contract_symbol(contract.id, name=contract.name),
            }
            for said, contract in contracts
        ],
        "suits": {suit: _suit(suit) for suit in (*SUITS, NO_TRUMP)},
    }


def _option(option: Json) -> Json:
    setting = option["setting"]
    return option | {
        "name": labels.option_name(setting),
        "about": labels.option_help(setting),
        "value_names": [labels.option_value_name(setting, value) for value in option["values"]],
    }


def _suit(suit: str) -> Json:
    return {"name": labels.suit_name(suit), "symbol": labels.suit_symbol(suit)}
