"""Entries in documents: read, written, and described as a schema."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from tournaments.engine.documents.shapes import Definitions, define_counts, if_present
from tournaments.engine.play.games import REDEAL_SWITCHES, redeal_reasons
from tournaments.engine.rules.entries import (
    ANY_TABLE,
    ANY_TEXT,
    CONTRACT,
    NAME,
    POINTS,
    RECEIVER,
    REDEALS,
    REMARKS,
    SEAT,
    STOP_REASONS,
    TOTALS_FLAGS,
    TOTALS_OF_SIDES,
    YES,
    Adjustment,
    Deal,
    Declared,
    Entry,
    Json,
    Kind,
    Passed,
    Redeal,
    Schema,
    Shape,
    Stopped,
    TableShape,
    Totals,
    Void,
    are_integers,
    as_it_is,
    constant,
    missing,
    refer,
    unexpected,
    within,
    without_default,
    word,
    write_all_points,
    write_points,
    wrong_type,
)
from tournaments.engine.rules.fields import (
    DEAL,
    FIELDS,
    allowed_fields,
    needed_always,
    needed_fields,
    ways_to_play,
)
from tournaments.engine.rules.rulesets import InvalidEntry, Problem, Ruleset


@dataclass(frozen=True)
class Form:
    """One type of entry in a record: the class of the entry and its own fields.

    Required is what has no default in the class. A field that is none of its attributes is one of
    its details.
    """

    entry: type[Entry]
    fields: Mapping[str, Kind]

    @cached_property
    def shapes(self) -> Mapping[str, Shape]:
        """The fields at any table, including those that every entry has."""
        known = {"type": ANY_TEXT, **self.fields, **EVERYWHERE}
        return {name: kind.shape for name, kind in known.items()}

    @cached_property
    def required(self) -> Sequence[str]:
        return without_default(self.entry)

    @cached_property
    def own(self) -> frozenset[str]:
        return frozenset(field.name for field in fields(self.entry))

    @cached_property
    def details(self) -> tuple[str, ...]:
        return tuple(name for name in self.fields if name not in self.own)


def _remark(about: Declared) -> Kind:
    schema = {**refer("text"), "maxLength": about.shape.schema["maxLength"]}
    return constant(about.shape.with_schema(schema))


EVERYWHERE: Mapping[str, Kind] = MappingProxyType(
    {"author": ANY_TEXT, **{name: _remark(about) for name, about in REMARKS.items()}}
)
"""The fields of every entry."""

UNREAD: Json = MappingProxyType({"by": -1, "points": 0, "reason": "", "seat": -1, "totals": ()})
"""Placeholders for required fields that could not be read."""

SEALS = ("sealed", "salt")

FORMS: Mapping[str, Form] = MappingProxyType(
    {
        "deal": Form(Deal, {name: field.kind for name, field in DEAL.items()}),
        "void": Form(
            Void,
            {
                "reason": word(lambda table: table.voids),
                "contract": CONTRACT,
                "declarer": SEAT,
                **{name: FIELDS[name].kind for name in SEALS},
            },
        ),
        "redeal": Form(Redeal, {"by": SEAT, "reason": word(lambda table: table.redeals)}),
        "passed": Form(Passed, {}),
        "adjustment": Form(
            Adjustment, {"seat": SEAT, "points": POINTS, "to": RECEIVER, "reason": NAME}
        ),
        "stopped": Form(Stopped, {"reason": word(lambda _table: STOP_REASONS)}),
        "totals": Form(Totals, {"totals": TOTALS_OF_SIDES, **dict.fromkeys(TOTALS_FLAGS, YES)}),
    }
)
"""The entries of a record by their `type`."""

DETAILS = FORMS["deal"].details
TYPES: Mapping[type, str] = MappingProxyType({form.entry: name for name, form in FORMS.items()})


def parse_entry(raw: Any) -> Entry:
    """Return an entry.

    Raises: InvalidEntry: with every problem of its form.
    """
    entry, faults = read_entry(raw)
    if entry is None or faults:
        raise InvalidEntry(faults)
    return entry


def read_entry(raw: Any) -> tuple[Entry | None, list[Problem]]:
    """Return the entry, as far as it could be read, and the problems of its form."""
    if not isinstance(raw, dict):
        return None, [wrong_type("", "object")]
    kind = raw.get("type")
    if "type" not in raw:
        return None, [missing("type")]
    form = FORMS.get(kind) if isinstance(kind, str) else None
    if form is None:
        return None, [wrong_type("type", " | ".join(FORMS))]
    faults = [missing(name) for name in form.required if name not in raw]
    own: dict[str, Any] = {}
    details: dict[str, Any] = {}
    shapes, own_names = form.shapes, form.own
    for name, value in raw.items():
        if (shape := shapes.get(name)) is None:
            faults.append(unexpected(name))
            continue
        read = own if name in own_names else details
        if not (wrong := shape.check(value)):
            # Most values are read as they are: a call for each would take too long.
            read[name] = value if shape.read is as_it_is else shape.read(value)
            continue
        faults += within(name, wrong)
        # The counts of one unit can be read without those of another.
        if name == "counts" and isinstance(value, dict):
            read[name] = shape.read({u: n for u, n in value.items() if are_integers(n)})
    del details["type"]
    if details:
        order = details if len(details) == 1 else sorted(details, key=form.details.index)
        own["details"] = {name: details[name] for name in order}
    for name in form.required:
        own.setdefault(name, UNREAD[name])
    return form.entry(**own), faults


def write_entry(entry: Entry, ruleset: Ruleset | None = None) -> dict[str, Any]:
    """Return the entry as JSON for a record; `read_entry` reads the same entry back.

    With the ruleset of its game an adjustment says who gets the opposite, as it is stored.
    """
    if ruleset is not None and isinstance(entry, Adjustment) and entry.to is None:
        entry = replace(entry, to=str(ruleset.settings.get("adjustment_to", "none")))
    written: dict[str, Any] = {"type": TYPES[type(entry)]}
    for name in ("contract", "declarer", "by", "seat", "points", "to", "reason"):
        value = getattr(entry, name, None)
        if value is not None:
            written[name] = write_points(value) if name == "points" else value
    if isinstance(entry, Deal | Void):
        written.update(entry.details)
    if isinstance(entry, Deal) and entry.counts is not None:
        written["counts"] = {unit: list(counts) for unit, counts in entry.counts.items()}
    if isinstance(entry, Totals):
        written["totals"] = write_all_points(entry.totals)
        written.update({name: True for name in TOTALS_FLAGS if getattr(entry, name)})
    for name in EVERYWHERE:
        if (value := getattr(entry, name)) is not None:
            written[name] = value
    return written


def move_seats(body: Json, to: Sequence[int], sides: Sequence[int]) -> dict[str, Any]:
    """Return an entry as JSON with everything moved from each seat to the seat `to[seat]`.

    `sides` maps each seat to its side; a side moves as a whole.
    """
    by_side = dict(zip(sides, (sides[seat] for seat in to), strict=True))
    moves = list(to), [by_side[side] for side in sorted(by_side)]
    moved = {name: kind.moved for name, kind in FORMS[body["type"]].fields.items() if kind.moved}
    return {
        name: moved[name](value, *moves) if name in moved else value for name, value in body.items()
    }


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
    return {"if": if_present("type", {"const": name}), "then": form}


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
    shapes = {name: kind.schema(table) for name, kind in known.items() if name not in leave_out}
    return {
        "required": ["type", *form.required, *required],
        "additionalProperties": False,
        "properties": {"type": {"const": kind}, **shapes},
        **{keyword: value for keyword, value in more.items() if value},
    }


def _deal(ruleset: Ruleset, table: TableShape, shared: Definitions) -> Schema:
    """A deal: the fields of any contract, then the conditions of each contract."""
    ways = ways_to_play(ruleset)
    allowed = {contract.id: allowed_fields(ways, contract) for contract in ruleset.contracts}
    leave_out = FORMS["deal"].fields.keys() - set().union(*allowed.values())
    if ruleset.unnamed is not None:
        needed = needed_fields(ruleset, ruleset.unnamed)
        return _form("deal", table, leave_out=leave_out, required=needed)
    some_contracts = {
        name: if_present("contract", {"enum": [c for c, names in allowed.items() if name in names]})
        for name in FORMS["deal"].fields
        if 0 < sum(name in names for names in allowed.values()) < len(allowed)
    }
    sealed = "sealed" in ruleset.fields
    return _form(
        "deal",
        table,
        leave_out=leave_out,
        required=[] if sealed else ["contract"],
        dependentRequired={"counts": needed} if (needed := needed_always(ruleset)) else {},
        dependentSchemas=some_contracts
        | {"contract": shared.define(f"{ruleset.id}.contracts", _contracts(ruleset, shared))},
        **(SEALED_OR_NAMED if sealed else {}),
    )


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
        ways = {tuple(way.by_id[contract.id].values): None for way in ways_to_play(ruleset)}
        some = [{"required": list(units), "maxProperties": len(units)} for units in ways]
        units: Schema = some[0] if len(some) == 1 else {"anyOf": some}
        if ruleset.all_units:
            # The table may write all units instead.
            every = {"required": list(ruleset.all_units), "maxProperties": len(ruleset.all_units)}
            units = {"anyOf": [units, shared.define(f"{ruleset.id}.all_units", every)]}
        then = if_present("counts", units)
        if needed := [name for name in needed_fields(ruleset, contract) if name not in always]:
            then["dependentRequired"] = {"counts": needed}
        forms.append({"if": if_present("contract", {"const": contract.id}), "then": then})
    return {"allOf": forms}


def _void(ruleset: Ruleset, table: TableShape) -> Schema:
    """A void deal: any reason but a misdeal requires the contract."""
    declared = [contract.id for contract in ruleset.contracts if contract.declared]
    leave_out = {name for name in SEALS if name not in ruleset.fields}
    replayed = [contract.id for contract in ruleset.contracts if contract.replay_one_each]
    by_reason: list[Schema] = []
    for reason in ruleset.voids:
        if reason != "misdeal":
            then: Schema = {"required": ["contract"]}
            if reason == "one-each":
                then |= if_present("contract", {"enum": replayed})
            by_reason.append({"if": if_present("reason", {"const": reason}), "then": then})
    return _form(
        "void",
        table,
        leave_out=leave_out | ({"contract"} if ruleset.unnamed else set()),
        dependentSchemas={"declarer": if_present("contract", {"enum": declared})}
        if len(declared) < len(ruleset.contracts)
        else {},
        dependentRequired={"sealed": ["contract", "salt"], "salt": ["sealed"]}
        if "sealed" in ruleset.fields
        else {},
        allOf=by_reason,
    )


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
