"""The form of entries as JSON Schema: in each ruleset, and in a house ruleset."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tournaments.engine.allowances import (
    allowed_fields,
    needed_always,
    needed_fields,
    redeal_reasons,
    ways_to_play,
)
from tournaments.engine.entries import NO_TRUMP, STOP_REASONS, SUITS
from tournaments.engine.entry_checks import REDEAL_SWITCHES
from tournaments.engine.entry_records import FORMS, SEALS
from tournaments.engine.record_shapes import (
    ANY_TABLE,
    Definitions,
    Schema,
    Table,
    deal_shapes,
    define_counts,
    described,
    refer,
    seat_shape,
    where,
)
from tournaments.engine.ruleset_records import REDEALS, VOIDS
from tournaments.engine.rulesets import Contract, Ruleset


def entry_form(ruleset: Ruleset, shared: Definitions) -> Schema:
    """An entry of a game: one form for each type."""
    table = Table.of(ruleset)
    forms = {
        "deal": _deal(ruleset, shared),
        "void": _void(ruleset, shared),
        "redeal": _redeal(table, redeal_reasons(ways_to_play(ruleset))),
        "passed": _form("passed", {}),
        "adjustment": _adjustment(table),
        "stopped": _stopped(),
    }
    if not ruleset.passes:
        del forms["passed"]
    return _one_of_types({t: shared.define(f"{ruleset.id}.{t}", f) for t, f in forms.items()})


def _one_of_types(forms: dict[str, Schema]) -> Schema:
    return {
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"enum": list(forms)}},
        "allOf": [of_type(name, form) for name, form in forms.items()],
    }


def of_type(name: str, form: Schema) -> Schema:
    """What is said of the entries of one type."""
    return {"if": where("type", {"const": name}), "then": form}


def _form(kind: str, shapes: Schema, *, required: Sequence[str] = (), **more: Any) -> Schema:
    """An entry of a type with these fields, and what there is in every entry."""
    return {
        "required": ["type", *FORMS[kind].required, *required],
        "additionalProperties": False,
        "properties": {"type": {"const": kind}, **shapes, "author": refer("text")},
        **{keyword: said for keyword, said in more.items() if said},
    }


def _deal(ruleset: Ruleset, shared: Definitions) -> Schema:
    """A deal: the fields of any contract, then what each contract says about them."""
    ways = ways_to_play(ruleset)
    allowed = {contract.id: allowed_fields(ways, contract) for contract in ruleset.contracts}
    shapes = {
        name: shape
        for name, shape in _shapes(ruleset, shared).items()
        if name in set().union(*allowed.values())
    }
    if ruleset.unnamed is not None:
        return _form("deal", shapes, required=needed_fields(ruleset, ruleset.unnamed))
    sealed = "sealed" in ruleset.fields
    return _form(
        "deal",
        shapes,
        required=[] if sealed else ["contract"],
        dependentRequired={"counts": needed} if (needed := needed_always(ruleset)) else {},
        dependentSchemas=_fields_of_some_contracts(allowed)
        | {"contract": shared.define(f"{ruleset.id}.contracts", _contracts(ruleset, shared))},
        **(SEALED_OR_NAMED if sealed else {}),
    )


def _shapes(ruleset: Ruleset, shared: Definitions) -> dict[str, Schema]:
    """What the fields of a deal can hold, in each of its contracts."""
    contract: Schema = {}
    if ruleset.unnamed is None:
        contract = shared.define(f"{ruleset.id}.contract", {"enum": list(ruleset.by_id)})
    trumps = dict.fromkeys(t for contract in ruleset.contracts for t in contract.trumps)
    shapes = deal_shapes(Table.of(ruleset), contract, trumps)
    if ruleset.unnamed is None:
        shapes["counts"] = define_counts(Table.of(ruleset), shared)
    return shapes


def _fields_of_some_contracts(allowed: Mapping[str, set[str]]) -> Schema:
    """For each field that not every contract has, the contracts that have it."""
    return {
        name: where("contract", {"enum": [c for c, names in allowed.items() if name in names]})
        for name in FORMS["deal"].fields
        if 0 < sum(name in names for names in allowed.values()) < len(allowed)
    }


SEALED_OR_NAMED: Schema = {
    "if": {"required": ["contract"]},
    "then": {"dependentRequired": {"sealed": ["salt"], "salt": ["sealed"]}},
    "else": {"required": ["sealed"], "properties": {"salt": False, "counts": False}},
}
"""The hash alone before the reveal; after it the contract, with hash and salt or neither."""


def _contracts(ruleset: Ruleset, shared: Definitions) -> Schema:
    """What each contract says about its deals: its units, and what else it needs with them."""
    always, forms = needed_always(ruleset), []
    for contract in ruleset.contracts:
        then = where("counts", _units(ruleset, contract, shared))
        if needed := [name for name in needed_fields(ruleset, contract) if name not in always]:
            then["dependentRequired"] = {"counts": needed}
        forms.append({"if": where("contract", {"const": contract.id}), "then": then})
    return {"allOf": forms}


def _units(ruleset: Ruleset, contract: Contract, shared: Definitions) -> Schema:
    """The units of a contract, and no others, or all that the table may write down instead."""
    own: Schema = {"required": list(contract.values), "maxProperties": len(contract.values)}
    if not ruleset.all_units:
        return own
    every = {"required": list(ruleset.all_units), "maxProperties": len(ruleset.all_units)}
    return {"anyOf": [own, shared.define(f"{ruleset.id}.all_units", every)]}


def _void(ruleset: Ruleset, shared: Definitions) -> Schema:
    """A deal played again; a replay needs its contract, and the contract its replay."""
    declared = [contract.id for contract in ruleset.contracts if contract.declared]
    seals = [name for name in SEALS if name in ruleset.fields]
    present = ["declarer", *seals] if ruleset.unnamed else ["contract", "declarer", *seals]
    shapes = _shapes(ruleset, shared)
    return _form(
        "void",
        {"reason": {"enum": list(ruleset.voids)}, **{name: shapes[name] for name in present}},
        dependentSchemas={"declarer": where("contract", {"enum": declared})}
        if len(declared) < len(ruleset.contracts)
        else {},
        dependentRequired={"sealed": ["contract", "salt"], "salt": ["sealed"]} if seals else {},
        allOf=list(_replays(ruleset)),
    )


def _replays(ruleset: Ruleset) -> Iterator[Schema]:
    """The reasons to play a deal again that need to say of which contract."""
    replayed = [contract.id for contract in ruleset.contracts if contract.replay_one_each]
    for reason in ruleset.voids:
        if reason != "misdeal":
            then: Schema = {"required": ["contract"]}
            if reason == "one-each":
                then |= where("contract", {"enum": replayed})
            yield {"if": where("reason", {"const": reason}), "then": then}


def _redeal(table: Table, reasons: Sequence[str]) -> Schema:
    return _form("redeal", {"by": seat_shape(table), "reason": {"enum": list(reasons)}})


def _adjustment(table: Table) -> Schema:
    shapes = {
        "seat": seat_shape(table),
        "points": refer("points"),
        "to": {"enum": ["none", "others"], "default": "none"},
        "reason": refer("name"),
    }
    return _form("adjustment", shapes)


def _stopped() -> Schema:
    return _form("stopped", {"reason": {"enum": list(STOP_REASONS)}})


# A game with a house ruleset.


def any_entry(shared: Definitions) -> Schema:
    """An entry of whatever ruleset, with a word about every field."""
    shapes = deal_shapes(ANY_TABLE, refer("text"), (*SUITS, NO_TRUMP))
    shapes["counts"] = define_counts(ANY_TABLE, shared)
    again = {name: shapes[name] for name in ("contract", "declarer", *SEALS)}
    forms = {
        "deal": _form("deal", described(shapes)),
        "void": _form("void", {"reason": {"enum": list(VOIDS)}, **again}),
        "redeal": _redeal(ANY_TABLE, (*REDEALS, *REDEAL_SWITCHES)),
        "passed": _form("passed", {}),
        "adjustment": _adjustment(ANY_TABLE),
        "stopped": _stopped(),
    }
    return _one_of_types({kind: shared.define(kind, form) for kind, form in forms.items()})
