"""JSON Schemas of entries: for each ruleset, and for any house ruleset."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tournaments.engine.documents.entry_records import EVERYWHERE, FORMS, SEALS
from tournaments.engine.documents.record_shapes import Definitions, define_counts, where
from tournaments.engine.play.games import (
    REDEAL_SWITCHES,
    allowed_fields,
    needed_always,
    needed_fields,
    redeal_reasons,
    ways_to_play,
)
from tournaments.engine.rules.entry_shapes import ANY_TABLE, REDEALS, TableShape
from tournaments.engine.rules.fields import DEAL
from tournaments.engine.rules.rulesets import Contract, Ruleset
from tournaments.engine.rules.shapes import Schema


def entry_form(ruleset: Ruleset, shared: Definitions) -> Schema:
    """Return the schema of an entry of a game: one form for each type."""
    table = _table_of(ruleset, shared)
    forms = {
        "deal": _deal(ruleset, table, shared),
        "void": _void(ruleset, table),
        "redeal": _form("redeal", table),
        "passed": _form("passed", table),
        "adjustment": _form("adjustment", table),
        "stopped": _form("stopped", table),
        "totals": _form("totals", table),
    }
    if not ruleset.passes:
        del forms["passed"]
    return _one_of_types({t: shared.define(f"{ruleset.id}.{t}", f) for t, f in forms.items()})


def _table_of(ruleset: Ruleset, shared: Definitions) -> TableShape:
    table = replace(
        TableShape.of(ruleset), redeals=tuple(redeal_reasons(ways_to_play(ruleset))), contract={}
    )
    if ruleset.unnamed is not None:
        return table
    return replace(
        table,
        contract=shared.define(f"{ruleset.id}.contract", {"enum": list(ruleset.by_id)}),
        counts=define_counts(table, shared),
    )


def _one_of_types(forms: dict[str, Schema]) -> Schema:
    return {
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"enum": list(forms)}},
        "allOf": [of_type(name, form) for name, form in forms.items()],
    }


def of_type(name: str, form: Schema) -> Schema:
    """Return a schema that applies `form` to entries of one type only."""
    return {"if": where("type", {"const": name}), "then": form}


def _form(
    kind: str,
    table: TableShape,
    *,
    leave_out: Collection[str] = (),
    required: Sequence[str] = (),
    **more: Any,
) -> Schema:
    form = FORMS[kind]
    known = {**form.fields, **EVERYWHERE}
    shapes = {name: shape(table).schema for name, shape in known.items() if name not in leave_out}
    return {
        "required": ["type", *form.required, *required],
        "additionalProperties": False,
        "properties": {"type": {"const": kind}, **shapes},
        **{keyword: said for keyword, said in more.items() if said},
    }


def _deal(ruleset: Ruleset, table: TableShape, shared: Definitions) -> Schema:
    """A deal: the fields of any contract, then the conditions of each contract."""
    ways = ways_to_play(ruleset)
    allowed = {contract.id: allowed_fields(ways, contract) for contract in ruleset.contracts}
    leave_out = FORMS["deal"].fields.keys() - set().union(*allowed.values())
    if ruleset.unnamed is not None:
        needed = needed_fields(ruleset, ruleset.unnamed)
        return _form("deal", table, leave_out=leave_out, required=needed)
    sealed = "sealed" in ruleset.fields
    return _form(
        "deal",
        table,
        leave_out=leave_out,
        required=[] if sealed else ["contract"],
        dependentRequired={"counts": needed} if (needed := needed_always(ruleset)) else {},
        dependentSchemas=_fields_of_some_contracts(allowed)
        | {"contract": shared.define(f"{ruleset.id}.contracts", _contracts(ruleset, shared))},
        **(SEALED_OR_NAMED if sealed else {}),
    )


def _fields_of_some_contracts(allowed: Mapping[str, set[str]]) -> Schema:
    """List, for each field that some contracts lack, the contracts that have it."""
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
"""Only the hash before the reveal; then the contract, with both hash and salt or neither."""


def _contracts(ruleset: Ruleset, shared: Definitions) -> Schema:
    """The conditions of each contract for its deals: its units and its other required fields."""
    always, forms = needed_always(ruleset), []
    for contract in ruleset.contracts:
        then = where("counts", _units(ruleset, contract, shared))
        if needed := [name for name in needed_fields(ruleset, contract) if name not in always]:
            then["dependentRequired"] = {"counts": needed}
        forms.append({"if": where("contract", {"const": contract.id}), "then": then})
    return {"allOf": forms}


def _units(ruleset: Ruleset, contract: Contract, shared: Definitions) -> Schema:
    """Allow exactly the units of a contract, or all units that the table may write instead."""
    own: Schema = {"required": list(contract.values), "maxProperties": len(contract.values)}
    if not ruleset.all_units:
        return own
    every = {"required": list(ruleset.all_units), "maxProperties": len(ruleset.all_units)}
    return {"anyOf": [own, shared.define(f"{ruleset.id}.all_units", every)]}


def _void(ruleset: Ruleset, table: TableShape) -> Schema:
    """A void deal: any reason but a misdeal requires the contract."""
    declared = [contract.id for contract in ruleset.contracts if contract.declared]
    leave_out = {name for name in SEALS if name not in ruleset.fields}
    return _form(
        "void",
        table,
        leave_out=leave_out | ({"contract"} if ruleset.unnamed else set()),
        dependentSchemas={"declarer": where("contract", {"enum": declared})}
        if len(declared) < len(ruleset.contracts)
        else {},
        dependentRequired={"sealed": ["contract", "salt"], "salt": ["sealed"]}
        if "sealed" in ruleset.fields
        else {},
        allOf=list(_replays(ruleset)),
    )


def _replays(ruleset: Ruleset) -> Iterator[Schema]:
    """Yield the reasons for a void that require the contract."""
    replayed = [contract.id for contract in ruleset.contracts if contract.replay_one_each]
    for reason in ruleset.voids:
        if reason != "misdeal":
            then: Schema = {"required": ["contract"]}
            if reason == "one-each":
                then |= where("contract", {"enum": replayed})
            yield {"if": where("reason", {"const": reason}), "then": then}


# A game with a house ruleset.


def any_entry(shared: Definitions) -> Schema:
    """Return the schema of an entry of any ruleset, with a description of every field of a deal."""
    table = replace(
        ANY_TABLE, redeals=(*REDEALS, *REDEAL_SWITCHES), counts=define_counts(ANY_TABLE, shared)
    )
    forms = {kind: _form(kind, table) for kind in FORMS}
    shapes = forms["deal"]["properties"]
    shapes |= {name: {"description": DEAL[name].about, **shapes[name]} for name in DEAL}
    return _one_of_types({kind: shared.define(kind, form) for kind, form in forms.items()})
