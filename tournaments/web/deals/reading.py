"""What a table typed into the form, read as a raw entry of a record."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from tournaments import words
from tournaments.engine.entry_records import write_points
from tournaments.engine.kings import king_is_said
from tournaments.engine.problems import Code, Problem
from tournaments.engine.rulesets import Contract, Ruleset
from tournaments.engine.units import UNITS
from tournaments.web.deals.details import (
    ALL_UNITS,
    NAMED_BY,
    Typed,
    read_details,
    read_number,
    type_details,
)
from tournaments.web.deals.hand_reading import read_hand, type_hand

BEGUN = "begun"
"""The field of a form that names the contract of a deal before it is counted."""

POINTS = re.compile(r"[+-]?[0-9]{1,9}(/0*[1-9][0-9]{0,8}|[.,][0-9]{1,6})?")
"""Points as people write them: 100, 1/2, 0.5 or 0,5."""


def read_entry(ruleset: Ruleset, typed: Typed) -> tuple[dict[str, Any], list[Problem]]:
    """What was typed as a raw entry of a record, and what could not be read of it."""
    problems: list[Problem] = []
    kind = typed.get("type", "")
    raw: dict[str, Any] = {"type": kind}
    raw.update(READERS[kind](ruleset, typed, problems) if kind in READERS else {})
    return raw, problems


def typed_entry(ruleset: Ruleset, body: Mapping[str, Any]) -> dict[str, str]:
    """The fields of the form, filled in with an entry that stands in the sheet."""
    typed = type_details(body) if ruleset.unnamed is None else type_hand(body)
    counts = body.get("counts", {})
    for unit, numbers in counts.items():
        typed |= {f"count-{unit}-{side}": str(number) for side, number in enumerate(numbers)}
    contract = ruleset.contract_named(body.get("contract"))
    if contract is not None and counts.keys() - contract.values.keys():
        typed[ALL_UNITS] = "yes"
    return typed


def total_of(ruleset: Ruleset, unit: str) -> int | None:
    """What the numbers of a unit add up to in every deal; None where that is not fixed."""
    sides = range(1, ruleset.side_count + 1)
    return sum(sides) if unit == "places" else UNITS[unit].total


def _read_deal(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Iterator[Any]:
    if ruleset.unnamed is not None:
        yield from read_hand(ruleset, typed, problems)
        return
    contract = ruleset.by_id.get(typed.get("contract", ""))
    yield from _given(typed, "contract")
    if contract is None:
        return
    if ruleset.declares == "pair":
        named_by = typed.get(NAMED_BY) or typed.get("declarer")
        if named_by:
            yield "declarer", read_number(named_by, "declarer", problems)
    if contract.trumps:
        yield from _given(typed, "trump")
    if typed.get(BEGUN):
        return
    yield from read_details(ruleset, contract, typed, problems)
    counts = {
        unit: _read_counts(ruleset, unit, typed, problems)
        for unit in _units_typed(ruleset, contract, typed)
    }
    if typed.get("king") and king_is_said(ruleset, contract):
        # One tick is enough: it can only be the side that holds the most of everything.
        sides = range(ruleset.side_count)
        side = max(sides, key=lambda side: sum(c[side] for c in counts.values()))
        yield "king", ruleset.sides.index(side)
    yield "counts", counts


def _units_typed(ruleset: Ruleset, contract: Contract, typed: Typed) -> tuple[str, ...]:
    if typed.get(ALL_UNITS) and ruleset.all_units:
        return ruleset.all_units
    return tuple(contract.values)


def _read_counts(ruleset: Ruleset, unit: str, typed: Typed, problems: list[Problem]) -> list[int]:
    """The numbers of one unit; what is left blank is filled in where only one number fits."""
    fields = [typed.get(f"count-{unit}-{side}", "").strip() for side in range(ruleset.side_count)]
    numbers = [read_number(text, f"counts.{unit}", problems) if text else None for text in fields]
    given = [number for number in numbers if number is not None]
    rest = (total_of(ruleset, unit) or 0) - sum(given)
    if len(given) != len(numbers) - 1 or rest < 0:
        rest = 0
    return [rest if number is None else number for number in numbers]


def _read_void(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Iterator[Any]:
    contract = ruleset.by_id.get(typed.get("contract", ""))
    one_each = contract is not None and contract.replay_one_each
    yield "reason", typed.get("reason") or ("one-each" if one_each else "misdeal")
    yield from _given(typed, "contract")


def _read_redeal(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Iterator[Any]:
    yield "by", read_number(typed.get("by", ""), "by", problems)
    yield "reason", typed.get("reason", "")


def _read_adjustment(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Iterator[Any]:
    yield "seat", read_number(typed.get("seat", ""), "seat", problems)
    yield "points", _points(typed.get("points", ""), problems)
    yield "reason", typed.get("reason", "").strip()
    if typed.get("to"):
        yield "to", typed["to"]


def _read_stopped(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Iterator[Any]:
    yield "reason", typed.get("reason", "")


READERS = {
    "deal": _read_deal,
    "void": _read_void,
    "redeal": _read_redeal,
    "adjustment": _read_adjustment,
    "stopped": _read_stopped,
}
"""How the fields of each type of entry are read."""


def _given(typed: Typed, name: str) -> Iterator[tuple[str, str]]:
    if typed.get(name):
        yield name, typed[name]


def _points(text: str, problems: list[Problem]) -> int | str:
    """Points as they stand in a record: whole, or an exact fraction."""
    plain = "".join(text.split()).replace(words.MINUS, "-")
    if not POINTS.fullmatch(plain):
        problems.append(Problem(Code.WRONG_TYPE, "points", {"expected": 'integer or "p/q"'}))
        return 0
    return write_points(Fraction(plain.replace(",", ".")))
