"""What a table may write down in a deal, and has to, whatever options it plays by."""

from collections.abc import Sequence

from tournaments.engine.entry_checks import REDEAL_SWITCHES
from tournaments.engine.fields import FIELDS, Field, fields_of, trumps_of
from tournaments.engine.rulesets import Contract, Ruleset


def ways_to_play(ruleset: Ruleset) -> list[Ruleset]:
    """The ruleset as it stands, and with every value of every option."""
    chosen = [{o.setting: value} for o in ruleset.options for value in o.values]
    return [ruleset, *map(ruleset.with_options, chosen)]


def allowed_fields(ways: Sequence[Ruleset], contract: Contract) -> set[str]:
    """The fields a deal of a contract may have at some table."""
    names = {name for way in ways for name in fields_of(way, contract)}
    names |= {"trump"} if contract.trumps else set()
    names |= {"contract", "counts"} if contract.named else set()
    return names | ({"declarer"} if contract.named and contract.declared else set())


def needed_fields(ruleset: Ruleset, contract: Contract) -> list[str]:
    """The fields a completed deal of a contract cannot do without."""
    own = [name for name in fields_of(ruleset, contract) if _is_needed(ruleset, FIELDS[name])]
    return [*(("declarer",) if ruleset.declares == "pair" else ()), *own]


def needed_always(ruleset: Ruleset) -> list[str]:
    """The fields that no completed deal can do without."""
    first, *others = (needed_fields(ruleset, contract) for contract in ruleset.contracts)
    return [name for name in first if all(name in needed for needed in others)]


def _is_needed(ruleset: Ruleset, field: Field) -> bool:
    if field.required_where is None:
        return field.required
    setting, value = field.required_where
    return ruleset.settings.get(setting) == value


def allowed_anywhere(ways: Sequence[Ruleset]) -> set[str]:
    """The fields a deal of some contract may have at some table."""
    return {name for contract in ways[0].contracts for name in allowed_fields(ways, contract)}


def trumps_anywhere(ways: Sequence[Ruleset]) -> set[str]:
    """What may be named as trump at some table."""
    return {trump for way in ways for c in way.contracts for trump in trumps_of(way, c)}


def redeal_reasons(ways: Sequence[Ruleset]) -> list[str]:
    """The reasons for new cards at some of the tables."""
    switched = [
        reason
        for way in ways
        for contract in way.contracts
        for reason in contract.redeals
        if way.settings.get(REDEAL_SWITCHES[reason])
    ]
    return list(dict.fromkeys((*ways[0].redeals, *switched)))
