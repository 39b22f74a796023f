"""Deals in which no contract is named, as they are typed: by the strategy that scores them."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from tournaments.engine.fields import PILES
from tournaments.engine.problems import Problem
from tournaments.engine.rulesets import Ruleset
from tournaments.web.deals.details import Typed, read_number

ALONE = "alone"
"""Tricks and `alone` come as one: a lone maker's four tricks are `4-alone`."""

STALEMATE = "none"

Details = Iterator[tuple[str, Any]]


def read_hand(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Details:
    """The fields of a deal of a game whose contract is never named."""
    assert ruleset.unnamed is not None
    return READERS[ruleset.unnamed.scoring](ruleset, typed, problems)


def type_hand(body: Mapping[str, Any]) -> dict[str, str]:
    """The fields of the form, filled in with such a deal that stands in the sheet."""
    typed = {
        name: str(body[name])
        for name in ("maker", "defender_alone", "trump")
        if body.get(name) is not None
    }
    if "tricks" in body:
        typed["tricks"] = f"{body['tricks']}-{ALONE}" if body.get("alone") else str(body["tricks"])
    if "winner" in body:
        typed["winner"] = STALEMATE if body["winner"] is None else str(body["winner"])
    rows = {f"left-{pile}": numbers for pile, numbers in body.get("left", {}).items()}
    if "calls" in body:
        rows["calls"] = body["calls"]
    for row, numbers in rows.items():
        typed |= {f"{row}-{seat}": str(number) for seat, number in enumerate(numbers)}
    return typed


def _read_makers(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Details:
    """Who made trump, the makers' tricks, and who played alone."""
    tricks, _dash, alone = typed.get("tricks", "").partition("-")
    seats = {"maker": typed.get("maker"), "defender_alone": typed.get("defender_alone")}
    for name, text in {**seats, "tricks": tricks}.items():
        if text:
            yield name, read_number(text, name, problems)
    if alone or typed.get(ALONE):
        yield "alone", True
    if typed.get("trump"):
        yield "trump", typed["trump"]


def _read_piles(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Details:
    """Who won, and the cards left; what is blank in a pile that was counted is no card."""
    winner = typed.get("winner")
    if winner:
        yield "winner", None if winner == STALEMATE else read_number(winner, "winner", problems)
    left = {pile: _row(ruleset, typed, f"left-{pile}") for pile in PILES}
    # Nobody counts the winner's piles: whatever was typed for them before is not meant.
    for numbers in left.values():
        if winner and winner.isdigit() and int(winner) < len(numbers):
            numbers[int(winner)] = ""
    if any(text for numbers in left.values() for text in numbers):
        yield (
            "left",
            {
                pile: [_number(text, f"left.{pile}", problems) for text in numbers]
                for pile, numbers in left.items()
            },
        )
    calls = _row(ruleset, typed, "calls")
    if any(calls):
        yield "calls", [_number(text, "calls", problems) for text in calls]


def _row(ruleset: Ruleset, typed: Typed, name: str) -> list[str]:
    """What was typed in a row of numbers, one for each seat."""
    return [typed.get(f"{name}-{seat}", "").strip() for seat in range(ruleset.seats)]


def _number(text: str, where: str, problems: list[Problem]) -> int:
    return read_number(text, where, problems) if text else 0


Reader = Callable[[Ruleset, Typed, list[Problem]], Details]

READERS: Mapping[str, Reader] = MappingProxyType(
    {"makers-and-defenders": _read_makers, "piles-emptied": _read_piles}
)
"""How a deal is read, by the strategy that scores it."""
