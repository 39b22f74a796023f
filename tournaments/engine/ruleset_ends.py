"""Whether every game of a ruleset comes to its end: nobody is ever left without a contract."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf

from tournaments.engine.problems import Code, Problem
from tournaments.engine.rulesets import PENALTY, Contract, Ruleset, Stage


def check_end(ruleset: Ruleset) -> Iterator[Problem]:
    """Every reason why a game could stop before its last deal, whatever a table chooses."""
    if ruleset.length is None or ruleset.unnamed is not None:
        return
    problems = [problem for played in _as_played(ruleset) for problem in _check_end(played)]
    for number, problem in enumerate(problems):
        if problem not in problems[:number]:
            yield problem


def _as_played(ruleset: Ruleset) -> Iterator[Ruleset]:
    """The ruleset with each choice of what bars contracts."""
    yield ruleset
    for option in ruleset.options:
        if option.setting in ("order", "declarations"):
            for value in option.values:
                yield replace(ruleset, settings={**ruleset.settings, option.setting: value})


def _check_end(ruleset: Ruleset) -> Iterator[Problem]:
    strict = ruleset.settings.get("order") in ("ordered", "strict")
    if strict and not _may_be_ordered(ruleset):
        yield _bad("settings.order", "order")
        return
    if ruleset.settings.get("order") == "strict" and not _penalties_come_in_step(ruleset):
        yield _bad("settings.order", "strict")
        return
    yield from _check_stages(ruleset)


def _bad(where: str, why: str, **params: object) -> Problem:
    return Problem(Code.BAD_RULESET, where, {"why": why, **params})


def _may_be_ordered(ruleset: Ruleset) -> bool:
    """An order of penalties bars nobody only where the dearest one left is free to all."""
    penalties = [contract for contract in ruleset.contracts if contract.kind == PENALTY]
    options = {option.setting for option in ruleset.options} | ruleset.settings.keys()
    free = all(c.quota_each is None and c.quota is not None for c in penalties)
    return free and not ruleset.stages and "declarations" not in options


def _penalties_come_in_step(ruleset: Ruleset) -> bool:
    """Whether all have declared their penalties when the first may declare something else."""
    if PENALTY not in ruleset.quotas:
        return False
    each = ruleset.quotas[PENALTY]
    first_deals = range(each * ruleset.side_count)
    return len(first_deals) <= (ruleset.length or 0) and all(
        set(_turns(ruleset, first, first_deals).values()) == {each}
        for first in range(ruleset.seats)
    )


def _turns(ruleset: Ruleset, first: int, deals: range) -> Counter[int]:
    """How many of these deals each side declares when seat `first` begins."""
    sides = ruleset.sides
    return Counter(sides[(first + deal // ruleset.in_a_row) % len(sides)] for deal in deals)


@dataclass(frozen=True)
class _Group:
    """Contracts that share limits: how often one side may name them, and all together."""

    each: float
    together: float


def _check_stages(ruleset: Ruleset) -> Iterator[Problem]:
    """In each stage every side finds a contract for each of its turns, whatever others took."""
    everything = tuple(contract.id for contract in ruleset.contracts)
    stages = ruleset.stages or (Stage(ruleset.length or 0, everything),)
    begin = 0
    for number, stage in enumerate(stages):
        deals = range(begin, begin + stage.deals)
        before = stages[:number]
        for first in range(ruleset.seats):
            fault = _find_shortage(ruleset, _groups(ruleset, stage, before), first, deals)
            if fault is not None:
                where = f"stages.{number}" if ruleset.stages else "deals"
                yield _bad(where, "runs-out", deals=fault[0], contracts=fault[1])
                break
        begin += stage.deals


def _find_shortage(
    ruleset: Ruleset, groups: list[_Group], first: int, deals: range
) -> tuple[int, int] | None:
    """How often a side has to declare, and how often it surely can, where that is less."""
    turns = _turns(ruleset, first, deals)
    for side, own in turns.items():
        others = [number for other, number in turns.items() if other != side]
        sure = sum(
            max(0, min(group.each, group.together - sum(min(n, group.each) for n in others)))
            for group in groups
        )
        if sure < own:
            return own, int(sure)
    return None


def _groups(ruleset: Ruleset, stage: Stage, before: tuple[Stage, ...]) -> list[_Group]:
    """The contracts of a stage by what limits them, after whatever was played before."""
    contracts = [ruleset.by_id[name] for name in stage.contracts]
    groups = []
    for kind in dict.fromkeys(contract.kind for contract in contracts):
        of_kind = [contract for contract in contracts if contract.kind == kind]
        if kind in ruleset.side_quotas:
            left = ruleset.side_quotas[kind] - _most_before(ruleset, before, kind)
            groups += _of_one_kind(of_kind, before, max(0, left))
    rest = [contract for contract in contracts if contract.kind not in ruleset.side_quotas]
    groups += [
        _group([contract], before, max(0, contract.quota_each - _played(contract, before)))
        for contract in rest
        if contract.quota_each is not None
    ]
    groups.append(_group([c for c in rest if c.quota_each is None], before, None))
    return groups


def _most_before(ruleset: Ruleset, before: tuple[Stage, ...], kind: str) -> int:
    """At most so many contracts of a kind can one side have declared already."""
    of_kind = [
        stage for stage in before if any(ruleset.by_id[n].kind == kind for n in stage.contracts)
    ]
    return sum(stage.deals for stage in of_kind)


def _of_one_kind(contracts: list[Contract], before: tuple[Stage, ...], quota: int) -> list[_Group]:
    """Contracts with a quota of their kind; where each has its own, only what is sure counts."""
    if all(contract.quota_each is None for contract in contracts):
        return [_group(contracts, before, quota)]
    sure = min(quota, sum(min(quota, c.quota_each or quota) for c in contracts))
    endless = all(contract.quota is None for contract in contracts)
    return [_Group(sure, inf)] if endless else []


def _group(contracts: list[Contract], before: tuple[Stage, ...], each: int | None) -> _Group:
    """Contracts of which one side may name `each`, as far as earlier stages leave them."""
    together: float = 0
    for contract in contracts:
        left = inf if contract.quota is None else contract.quota - _played(contract, before)
        together += max(0, left)
    return _Group(inf if each is None else each, together)


def _played(contract: Contract, before: tuple[Stage, ...]) -> int:
    """How often a contract can have been played in earlier stages."""
    return sum(stage.deals for stage in before if contract.id in stage.contracts)
