"""Check that every game of a ruleset can end: no side ever runs out of contracts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf

from tournaments.engine.rules.problems import Code, Problem
from tournaments.engine.rules.rulesets import PENALTY, Contract, Ruleset, Stage


def check_end(ruleset: Ruleset) -> Iterator[Problem]:
    """Yield every reason why a game could stop before its last deal, with any options."""
    if ruleset.length is None or ruleset.unnamed is not None:
        return
    problems = [problem for played in _as_played(ruleset) for problem in _check_end(played)]
    for number, problem in enumerate(problems):
        if problem not in problems[:number]:
            yield problem


def _as_played(ruleset: Ruleset) -> Iterator[Ruleset]:
    """The ruleset with each value of the options that restrict contracts."""
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
    """Whether the dearest penalty left is always free to all, so that an order blocks nobody."""
    penalties = [contract for contract in ruleset.contracts if contract.kind == PENALTY]
    options = {option.setting for option in ruleset.options} | ruleset.settings.keys()
    free = all(c.quota_each is None and c.quota is not None for c in penalties)
    return free and not ruleset.stages and "declarations" not in options


def _penalties_come_in_step(ruleset: Ruleset) -> bool:
    """Whether all sides finish their penalties before any side may declare something else."""
    if PENALTY not in ruleset.quotas:
        return False
    each = ruleset.quotas[PENALTY]
    first_deals = range(each * ruleset.side_count)
    return len(first_deals) <= (ruleset.length or 0) and all(
        set(_turns(ruleset, first, first_deals).values()) == {each}
        for first in range(ruleset.seats)
    )


def _turns(ruleset: Ruleset, first: int, deals: range) -> Counter[int]:
    """The number of these deals that each side declares if seat `first` begins."""
    sides = ruleset.sides
    return Counter(sides[(first + deal // ruleset.in_a_row) % len(sides)] for deal in deals)


@dataclass(frozen=True)
class _Group:
    """Contracts that share limits: how often one side may name them, and all sides together."""

    each: float
    together: float


def _check_stages(ruleset: Ruleset) -> Iterator[Problem]:
    """Check that every side finds a contract for each turn of a stage, whatever others took."""
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
    """A side's number of turns and its guaranteed contracts, if these are fewer; else None."""
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
    """Group the contracts of a stage by their limits, after the earlier stages at their worst."""
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
    """The greatest number of contracts of a kind that one side can have declared already."""
    of_kind = [
        stage for stage in before if any(ruleset.by_id[n].kind == kind for n in stage.contracts)
    ]
    return sum(stage.deals for stage in of_kind)


def _of_one_kind(contracts: list[Contract], before: tuple[Stage, ...], quota: int) -> list[_Group]:
    """Group contracts with a quota of their kind; count only guaranteed ones if each has one."""
    if all(contract.quota_each is None for contract in contracts):
        return [_group(contracts, before, quota)]
    sure = min(quota, sum(min(quota, c.quota_each or quota) for c in contracts))
    endless = all(contract.quota is None for contract in contracts)
    return [_Group(sure, inf)] if endless else []


def _group(contracts: list[Contract], before: tuple[Stage, ...], each: int | None) -> _Group:
    """Group contracts of which one side may name `each`, less those used in earlier stages."""
    together: float = 0
    for contract in contracts:
        left = inf if contract.quota is None else contract.quota - _played(contract, before)
        together += max(0, left)
    return _Group(inf if each is None else each, together)


def _played(contract: Contract, before: tuple[Stage, ...]) -> int:
    """The greatest number of times that earlier stages can have used a contract."""
    return sum(stage.deals for stage in before if contract.id in stage.contracts)
