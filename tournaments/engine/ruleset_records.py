"""The portable ruleset: `kingscore-ruleset/1` read strictly, checked and written.

Strategies stand in it by their names, from the closed lists of the engine. What has a
default may be left out, and is written only where it differs, so that a document stays
readable when rulesets learn something new.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from functools import partial
from types import MappingProxyType
from typing import Any

from tournaments.engine.badges import AT_THE_END, IN_A_DEAL
from tournaments.engine.entries import NO_TRUMP, SUITS
from tournaments.engine.entry_checks import FINEST_PART, REDEAL_SWITCHES
from tournaments.engine.entry_records import is_text, write_points, wrong_type
from tournaments.engine.fields import FIELDS
from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.ruleset_checks import SETTINGS, check_ruleset
from tournaments.engine.rulesets import (
    LARGEST_COUNT,
    OPTION_KINDS,
    Contract,
    Option,
    Points,
    Ruleset,
    Stage,
    number_of,
)
from tournaments.engine.scoring import SCORINGS
from tournaments.engine.steps import STEPS
from tournaments.engine.units import UNITS

RULESET_FORMAT = "kingscore-ruleset/1"

LONGEST_ID, LONGEST_NAME = 40, 80
MOST_CONTRACTS, MOST_SEATS = 40, 4
LARGEST_VALUE = 1_000_000

DECLARERS = ("turn", "pair")
REDEALS = ("misdeal", "no-high-card")
VOIDS = ("misdeal", "one-each", "over-quota")

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

Read = Callable[[Any, str], Any]
"""Reads a value that stands at a path; raises `InvalidEntry` with all that is wrong with it."""


def read_ruleset(document: Any, where: str = "") -> Ruleset:
    """The ruleset of a `kingscore-ruleset/1` document, in which every game can be played.

    Raises:
        InvalidEntry: with every problem, each at its path below `where`.
    """
    ruleset: Ruleset = _read_ruleset(document, where)
    problems = [
        Problem(problem.code, _join(where, problem.where), problem.params)
        for problem in check_ruleset(ruleset)
    ]
    if problems:
        raise InvalidEntry(problems)
    return ruleset


def write_ruleset(ruleset: Ruleset) -> dict[str, Any]:
    """A ruleset as a `kingscore-ruleset/1` document; reading it gives the same ruleset."""
    return {"format": RULESET_FORMAT, **_write(ruleset)}


def _write(thing: Ruleset | Contract | Option | Stage) -> dict[str, Any]:
    """What differs from the defaults, by the names of the fields."""
    written = {}
    for field in fields(thing):
        value = getattr(thing, field.name)
        default = field.default
        if field.default_factory is not MISSING:
            default = field.default_factory()
        if default is MISSING or value != default:
            written[field.name] = _write_value(value)
    if isinstance(thing, Ruleset) and thing.implied:
        written["implied"] = [
            {"setting": setting, "value": value, "settings": dict(follows)}
            for setting, by_value in thing.implied.items()
            for value, follows in by_value.items()
        ]
    return written


def _write_value(value: Any) -> Any:
    if isinstance(value, Contract | Option | Stage):
        return _write(value)
    if isinstance(value, tuple):
        return [_write_value(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _write_value(item) for name, item in value.items()}
    return value if isinstance(value, str | bool | None) else write_points(value)


# Readers of single values.


def _join(where: str, name: object) -> str:
    return f"{where}.{name}" if where and name != "" else f"{where}{name}"


def _refuse(where: str, why: str, **params: object) -> InvalidEntry:
    return InvalidEntry([Problem(Code.BAD_RULESET, where, {"why": why, **params})])


def _text(value: Any, where: str) -> str:
    if not is_text(value):
        raise InvalidEntry([wrong_type(where, "string")])
    if len(value) > LONGEST_NAME:
        raise _refuse(where, "too-long", most=LONGEST_NAME)
    return str(value).strip()


def _slug(value: Any, where: str) -> str:
    if not is_text(value):
        raise InvalidEntry([wrong_type(where, "string")])
    if len(value) > LONGEST_ID or not _SLUG.fullmatch(value):
        raise _refuse(where, "no-id", most=LONGEST_ID)
    return str(value)


def _switch(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidEntry([wrong_type(where, "true or false")])
    return value


def _whole(value: Any, where: str, least: int, most: int) -> int:
    if type(value) is not int:
        raise InvalidEntry([wrong_type(where, "integer")])
    if not least <= value <= most:
        raise _refuse(where, "out-of-range", least=least, most=most)
    return value


def _worth(value: Any, where: str) -> Points:
    number = number_of(value)
    if number is None:
        raise InvalidEntry([wrong_type(where, 'integer or "p/q"')])
    if not -LARGEST_VALUE <= number <= LARGEST_VALUE or number.denominator > FINEST_PART:
        raise _refuse(where, "out-of-range", least=-LARGEST_VALUE, most=LARGEST_VALUE)
    return number


def _setting(value: Any, where: str) -> str | int | bool:
    if not is_text(value) and not isinstance(value, int):
        raise InvalidEntry([wrong_type(where, "string, integer, true or false")])
    setting: str | int | bool = value
    return setting


def _one_of(names: Iterable[str], value: Any, where: str) -> str:
    if not is_text(value):
        raise InvalidEntry([wrong_type(where, "string")])
    if value not in (allowed := list(names)):
        raise _refuse(where, "unknown", got=value, allowed=allowed)
    return str(value)


# Readers of values that hold others: each collects what is wrong with any of them.


def _each(reads: Iterable[tuple[Any, Read, Any, str]]) -> dict[Any, Any]:
    """What `(key, reader, value, path)` give by key; everything wrong is raised together."""
    found: dict[Any, Any] = {}
    problems: list[Problem] = []
    for key, read, value, where in reads:
        try:
            found[key] = read(value, where)
        except InvalidEntry as error:
            problems += error.problems
    if problems:
        raise InvalidEntry(problems)
    return found


def _list(read: Read, most: int) -> Read:
    def read_list(value: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise InvalidEntry([wrong_type(where, "list")])
        if len(value) > most:
            raise _refuse(where, "too-many", most=most)
        items = ((i, read, item, _join(where, i)) for i, item in enumerate(value))
        return tuple(_each(items).values())

    return read_list


def _names(*groups: Iterable[str]) -> Read:
    """A list of different names out of closed lists."""
    allowed = [name for group in groups for name in group]
    read = _list(partial(_one_of, allowed), len(allowed))

    def read_names(value: Any, where: str) -> tuple[Any, ...]:
        names: tuple[str, ...] = read(value, where)
        if len(set(names)) < len(names):
            raise _refuse(where, "repeated")
        return names

    return read_names


def _table(read_key: Read, read: Read) -> Read:
    """An object whose names are read, too."""

    def read_table(value: Any, where: str) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise InvalidEntry([wrong_type(where, "object")])
        _each((key, read_key, key, _join(where, key)) for key in value)
        found = _each((key, read, item, _join(where, key)) for key, item in value.items())
        return MappingProxyType(found)

    return read_table


def _in_order(read: Read, order: Iterable[str]) -> Read:
    """An object in an order of ours: databases keep none."""
    known = list(order)

    def read_in_order(value: Any, where: str) -> Mapping[str, Any]:
        found = read(value, where)
        return MappingProxyType({name: found[name] for name in known if name in found})

    return read_in_order


def _object(readers: Mapping[str, Read], required: Iterable[str], make: Callable[..., Any]) -> Read:
    """An object with these fields, of which some may not be left out."""

    def read_object(value: Any, where: str) -> Any:
        if not isinstance(value, dict):
            raise InvalidEntry([wrong_type(where, "object")])
        problems = [
            Problem(Code.MISSING_FIELD, _join(where, name), {"field": name})
            for name in required
            if name not in value
        ]
        problems += [
            Problem(Code.UNEXPECTED_FIELD, _join(where, name), {"field": name})
            for name in value
            if name not in readers
        ]
        known = ((n, readers[n], v, _join(where, n)) for n, v in value.items() if n in readers)
        try:
            found = _each(known)
        except InvalidEntry as error:
            raise InvalidEntry([*problems, *error.problems]) from error
        if problems:
            raise InvalidEntry(problems)
        return make(**found)

    return read_object


def _or_none(read: Read) -> Read:
    return lambda value, where: None if value is None else read(value, where)


_count = partial(_whole, least=0, most=LARGEST_COUNT)
_from_one = partial(_whole, least=1, most=LARGEST_COUNT)
_flag: Read = _switch
_settings = _in_order(_table(partial(_one_of, SETTINGS), _setting), SETTINGS)

CONTRACT: Mapping[str, Read] = MappingProxyType(
    {
        "id": _slug,
        "name": _text,
        "kind": _slug,
        "values": _in_order(_table(partial(_one_of, UNITS), _worth), UNITS),
        "quota": _or_none(_from_one),
        "quota_each": _or_none(_from_one),
        "scoring": partial(_one_of, SCORINGS),
        "may_end_early": _flag,
        "replay_one_each": _flag,
        "trumps": _names(SUITS, (NO_TRUMP,)),
        "fields": _names(FIELDS),
        "redeals": _names(REDEAL_SWITCHES),
        "badges": _names(IN_A_DEAL),
        "prizes": _list(_worth, MOST_SEATS),
        "cappotto": _flag,
        "named": _flag,
        "declared": _flag,
    }
)

OPTION: Mapping[str, Read] = MappingProxyType(
    {
        "setting": partial(_one_of, SETTINGS),
        "values": _list(_setting, MOST_CONTRACTS),
        "kind": partial(_one_of, OPTION_KINDS),
    }
)

STAGE: Mapping[str, Read] = MappingProxyType(
    {"deals": _from_one, "contracts": _list(_slug, MOST_CONTRACTS)}
)

IMPLIED: Mapping[str, Read] = MappingProxyType(
    {"setting": partial(_one_of, SETTINGS), "value": _setting, "settings": _settings}
)


def _read_implied(value: Any, where: str) -> Mapping[str, Mapping[Any, Mapping[str, Any]]]:
    """For each option and value of it the defaults that follow."""
    implied: dict[str, dict[Any, Mapping[str, Any]]] = {}
    for follows in _list(_object(IMPLIED, IMPLIED, dict), MOST_CONTRACTS)(value, where):
        implied.setdefault(follows["setting"], {})[follows["value"]] = follows["settings"]
    return MappingProxyType({name: MappingProxyType(each) for name, each in implied.items()})


def _read_format(value: Any, where: str) -> str:
    if not is_text(value):
        raise InvalidEntry([wrong_type(where, "string")])
    if value != RULESET_FORMAT:
        raise InvalidEntry([Problem(Code.UNKNOWN_FORMAT, where, {"expected": RULESET_FORMAT})])
    return str(value)


RULESET: Mapping[str, Read] = MappingProxyType(
    {
        "format": _read_format,
        "id": _slug,
        "name": _text,
        "family": _slug,
        "contracts": _list(_object(CONTRACT, ("id", "kind", "values"), Contract), MOST_CONTRACTS),
        "quotas": _table(_slug, _from_one),
        "deals": _or_none(_from_one),
        "sides": _list(partial(_whole, least=0, most=MOST_SEATS - 1), MOST_SEATS),
        "clockwise": _flag,
        "stages": _list(_object(STAGE, STAGE, Stage), MOST_CONTRACTS),
        "in_a_row": _from_one,
        "declares": partial(_one_of, DECLARERS),
        "passes": _flag,
        "fields": _names(FIELDS),
        "steps": _names(STEPS),
        "all_units": _names(UNITS),
        "settings": _settings,
        "options": _list(_object(OPTION, ("setting",), Option), len(SETTINGS)),
        "implied": _read_implied,
        "redeals": _names(REDEALS),
        "voids": _names(VOIDS),
        "badges": _names(AT_THE_END),
    }
)


def _make_ruleset(*, contracts: tuple[Contract, ...], **found: Any) -> Ruleset:
    """The ruleset, with its quotas in the order of the contracts."""
    del found["format"]
    quotas = found.pop("quotas", {})
    kinds = dict.fromkeys(c.kind for c in contracts if c.kind in quotas)
    in_order = {kind: quotas[kind] for kind in (*kinds, *quotas)}
    return Ruleset(contracts=contracts, quotas=MappingProxyType(in_order), **found)


_read_ruleset = _object(RULESET, ("format", "id", "family", "contracts"), _make_ruleset)
