"""The further fields of a deal: read from the form, and put into it again."""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from types import MappingProxyType
from typing import Any

from django.utils.translation import gettext as _

from tournaments import words
from tournaments.engine.fields import fields_of
from tournaments.engine.problems import Code, Problem
from tournaments.engine.rulesets import Contract, Ruleset

Typed = Mapping[str, str]
"""The fields of the form by name, as they were sent."""

OFFERED = ("offered1", "offered2")
ALL_UNITS = "all_units"
NAMED_BY = "named_by"
DOUBLED, REDOUBLED = "doubled", "redoubled"


def read_details(
    ruleset: Ruleset, contract: Contract, typed: Typed, problems: list[Problem]
) -> Iterator[tuple[str, Any]]:
    """The further fields of a deal of `contract`, as far as something was typed for them."""
    names = dict.fromkeys(("king_declared_by", *fields_of(ruleset, contract)))
    for name in names:
        if name in READERS:
            value = READERS[name](ruleset, typed, name, problems)
            if value is not None:
                yield name, value


def type_details(body: Mapping[str, Any]) -> dict[str, str]:
    """The fields of the form for the further fields of a deal that stands in the sheet."""
    plain = ("contract", "trump", "king_declared_by", "rifki_holder", "partner", "closed_by")
    typed = {name: str(body[name]) for name in plain if name in body}
    typed |= {name: "yes" for name in ("blind", "third") if body.get(name)}
    if "king" in body:
        typed["king"] = "yes"
    if "declarer" in body:
        typed[NAMED_BY] = str(body["declarer"])
    typed |= {f"sale_{name}": str(value) for name, value in body.get("sale", {}).items()}
    typed |= dict(zip(OFFERED, body.get("offered", ()), strict=False))
    for double in body.get("doubles", ()):
        redoubled = double.get("redoubled")
        typed[double_field(*sorted(double["seats"]))] = REDOUBLED if redoubled else DOUBLED
    return typed


def double_field(one: int, other: int) -> str:
    """The field in which two seats double each other."""
    return f"double-{one}-{other}"


def read_number(text: str, where: str, problems: list[Problem]) -> int:
    """A whole number; people also write it with a real minus sign."""
    try:
        return int(text.strip().replace(words.MINUS, "-"))
    except ValueError:
        expected = {"expected": _("a whole number")}
        problems.append(Problem(Code.WRONG_TYPE, where, expected))
        return 0


def _number(_ruleset: Ruleset, typed: Typed, name: str, problems: list[Problem]) -> int | None:
    return read_number(typed[name], name, problems) if typed.get(name) else None


def _tick(_ruleset: Ruleset, typed: Typed, name: str, _problems: list[Problem]) -> bool | None:
    return True if typed.get(name) else None


def _sale(
    _ruleset: Ruleset, typed: Typed, name: str, problems: list[Problem]
) -> dict[str, int] | None:
    sale = {
        part: read_number(typed[f"{name}_{part}"], f"{name}.{part}", problems)
        for part in ("buyer", "tricks")
        if typed.get(f"{name}_{part}")
    }
    return sale or None


def _offered(
    _ruleset: Ruleset, typed: Typed, _name: str, _problems: list[Problem]
) -> list[str] | None:
    return [typed[field] for field in OFFERED if typed.get(field)] or None


def _doubles(
    ruleset: Ruleset, typed: Typed, _name: str, _problems: list[Problem]
) -> list[dict[str, Any]] | None:
    found: list[dict[str, Any]] = []
    for pair in combinations(range(ruleset.seats), 2):
        value = typed.get(double_field(*pair))
        if value:
            double: dict[str, Any] = {"seats": list(pair)}
            found.append(double | ({"redoubled": True} if value == REDOUBLED else {}))
    return found or None


Reader = Callable[[Ruleset, Typed, str, list[Problem]], Any]

READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "king_declared_by": _number,
        "rifki_holder": _number,
        "partner": _number,
        "closed_by": _number,
        "blind": _tick,
        "third": _tick,
        "sale": _sale,
        "offered": _offered,
        "doubles": _doubles,
    }
)
"""How the further fields that the form has are read, by their names in a record."""
