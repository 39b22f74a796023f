"""The fields that a deal may have and must have, over all options of a table."""

from collections.abc import Sequence

from tournaments.engine.play.entry_checks import REDEAL_SWITCHES
from tournaments.engine.rules.fields import FIELDS, fields_of, is_required, trumps_of
from tournaments.engine.rules.rulesets import Contract, Ruleset


def ways_to_play(ruleset: Ruleset) -> list[Ruleset]:
    """Return the ruleset itself, and with every value of every option."""
    chosen = [{o.setting: value} for o in ruleset.options for value in o.values]
    return [ruleset, *map(ruleset.with_options, chosen)]


def allowed_fields(ways: Sequence[Ruleset], contract: Contract) -> set[str]:
    """Return the fields that a deal of a contract may have at some table."""
    names = {name for way in ways for name in fields_of(way, contract)}
    names |= {"trump"} if contract.trumps else set()
    names |= {"contract", "counts"} if contract.named else set()
    return names | ({"declarer"} if contract.named and contract.declared else set())


def needed_fields(ruleset: Ruleset, contract: Contract) -> list[str]:
    """Return the required fields of a completed deal of a contract."""
    own = [name for name in fields_of(ruleset, contract) if is_required(ruleset, FIELDS[name])]
    return [*(("declarer",) if ruleset.declares == "pair" else ()), *own]


def needed_always(ruleset: Ruleset) -> list[str]:
    """Return the fields that every completed deal requires."""
    first, *others = (needed_fields(ruleset, contract) for contract in ruleset.contracts)
    return [name for name in first if all(name in needed for needed in others)]


def allowed_anywhere(ways: Sequence[Ruleset]) -> set[str]:
    """Return the fields that a deal of some contract may have at some table."""
    return {name for contract in ways[0].contracts for name in allowed_fields(ways, contract)}


def trumps_anywhere(ways: Sequence[Ruleset]) -> set[str]:
    """Return the possible trumps at some table."""
    return {trump for way in ways for c in way.contracts for trump in trumps_of(way, c)}


def redeal_reasons(ways: Sequence[Ruleset]) -> list[str]:
    """Return the reasons for new cards at some of the tables."""
    switched = [
        reason
        for way in ways
        for contract in way.contracts
        for reason in contract.redeals
        if way.settings.get(REDEAL_SWITCHES[reason])
    ]
    return list(dict.fromkeys((*ways[0].redeals, *switched)))
