"""Apply the fields of the house rules form to its document.

The form carries the whole document; the values of its fields replace the parts they stand for.
So parts that the form does not show are kept, and unreadable values stay as typed.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from tournaments.engine.play.ruleset_checks import SETTINGS
from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import PENALTY, UNITS
from tournaments.texts import labels
from tournaments.web.rulesets.house_form import Document, kinds_of, shown_settings

CONTRACT_OF: Mapping[str, str] = MappingProxyType(
    {"tricks": "no-tricks", "hearts": "no-hearts", "men": "no-men", "queens": "no-queens"}
)
"""Contracts with a name in the program that differs from that of their unit."""


def typed_document(data: Mapping[str, str], base: Document) -> Document:
    """Return the document with the values of a form's fields."""
    document: Document = {**base, "settings": {**base.get("settings", {})}}
    document["name"] = data.get("name", document.get("name", "")).strip()
    document["contracts"] = [
        _typed_contract(data, f"contracts.{number}", contract)
        for number, contract in enumerate(base.get("contracts", ()))
    ]
    document["quotas"] = {**base.get("quotas", {})}
    kinds = {*kinds_of(document), *document["quotas"]}
    for kind in kinds:
        _put(document["quotas"], kind, data.get(f"quotas.{kind}"))
    _put(document, "deals", data.get("deals"))
    _put(document["settings"], "target", data.get("settings.target"))
    _type_settings(data, document)
    if document.get("stages"):
        _type_stages(data, document)
    return document


def _typed_contract(data: Mapping[str, str], at: str, base: Document) -> Document:
    contract = {**base, "values": {**base.get("values", {})}}
    for unit in contract["values"]:
        if f"{at}.values.{unit}" in data:
            contract["values"][unit] = number_typed(data[f"{at}.values.{unit}"])
    if "prizes" in contract:
        contract["prizes"] = [
            number_typed(data[path]) if (path := f"{at}.prizes.{place}") in data else prize
            for place, prize in enumerate(contract["prizes"])
        ]
    if data.get(f"{at}.kind"):
        contract["kind"] = data[f"{at}.kind"]
    if f"{at}.name" in data:
        contract.pop("name", None)
        if name := data[f"{at}.name"].strip():
            contract["name"] = name
    for limit in ("quota", "quota_each"):
        _put(contract, limit, data.get(f"{at}.{limit}"))
    return contract


def _put(place: Document, name: str, typed: str | None) -> None:
    """Set a number; an empty field removes it, a missing field leaves it."""
    if typed is None:
        return
    place.pop(name, None)
    if typed.strip():
        place[name] = number_typed(typed)


def _type_settings(data: Mapping[str, str], document: Document) -> None:
    options = {option["setting"]: option for option in document.get("options", ())}
    for setting in [*shown_settings(document), "target"]:
        typed = data.get(f"settings.{setting}")
        if typed is None:
            continue
        if setting != "target":
            _put(document["settings"], setting, typed)
        values = {str(value): value for value in SETTINGS[setting].values}
        if typed in values:
            document["settings"][setting] = values[typed]
        if f"choose.{setting}" not in data:
            options.pop(setting, None)
        else:
            options.setdefault(setting, _option(setting))
    document["options"] = list(options.values())


def _option(setting: str) -> Document:
    """Return an option with every possible value."""
    known = SETTINGS[setting]
    if known.kind == "one-of":
        return {"setting": setting, "values": list(known.values)}
    return {"setting": setting, "kind": known.kind}


def _type_stages(data: Mapping[str, str], document: Document) -> None:
    """Set the parts of the game; their sum is its length."""
    document["stages"] = [
        {**stage, "deals": number_typed(data[path])}
        if (path := f"stages.{number}.deals") in data
        else stage
        for number, stage in enumerate(document["stages"])
    ]
    deals = [stage["deals"] for stage in document["stages"]]
    if all(type(number) is int for number in deals):
        document["deals"] = sum(deals)


_WHOLE = re.compile(r"[-+]?[0-9]{1,12}")
_DECIMAL = re.compile(r"[-+]?[0-9]{1,9}[.,][0-9]{1,3}")


def number_typed(text: str) -> int | str:
    """Return a number as in a document; return other text unchanged."""
    text = text.strip().replace(labels.MINUS, "-")
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return write_points(Fraction(text.replace(",", ".")))
    return text


# Adding and removing contracts.


def with_contract(document: Document, unit: str) -> Document:
    """Return the document with one more contract, in which a unit counts against its taker."""
    contracts = document["contracts"]
    penalties = [contract for contract in contracts if contract.get("kind") == PENALTY]
    like = (penalties or contracts or [{}])[0]
    taken = {contract.get("id") for contract in contracts}
    stem = CONTRACT_OF.get(unit, unit.replace("_", "-"))
    ids = (stem if number == 1 else f"{stem}-{number}" for number in range(1, len(taken) + 2))
    new: Document = {"id": next(name for name in ids if name not in taken), "kind": PENALTY}
    if new["id"] not in labels.CONTRACTS:
        new["name"] = labels.unit_name(unit)
    new["values"] = {unit: -10}
    new |= {name: like[name] for name in ("quota", "quota_each") if name in like}
    if like.get("scoring") == "pair-difference":
        new["scoring"] = like["scoring"]
    document = {**document, "contracts": [*contracts, new]}
    if document.get("stages"):
        document["stages"] = [*document["stages"], {"deals": 1, "contracts": [new["id"]]}]
        document["deals"] = document["deals"] + 1
    if document.get("all_units") and unit not in document["all_units"]:
        document["all_units"] = [*document["all_units"], unit]
    return document


def without_contract(document: Document, number: int) -> Document:
    """Return the document without one of its contracts, and without references to it."""
    gone = document["contracts"][number]["id"]
    contracts = [c for n, c in enumerate(document["contracts"]) if n != number]
    kinds = {contract["kind"] for contract in contracts}
    quotas = {kind: n for kind, n in document.get("quotas", {}).items() if kind in kinds}
    document = {**document, "contracts": contracts, "quotas": quotas}
    if document.get("stages"):
        stages = [
            {**stage, "contracts": [name for name in stage["contracts"] if name != gone]}
            for stage in document["stages"]
        ]
        document["stages"] = [stage for stage in stages if stage["contracts"]]
        document["deals"] = sum(stage["deals"] for stage in document["stages"])
    return document


def units_to_add() -> list[tuple[str, str]]:
    return [(u.id, labels.unit_name(u.id)) for u in UNITS.values() if u.total is not None]
