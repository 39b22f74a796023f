"""The sums of the scores of a game, computed from its rules alone."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from types import MappingProxyType

from tournaments.engine.rules.fields import fields_of
from tournaments.engine.rules.rulesets import Contract, Points, Ruleset, Stage, whole
from tournaments.engine.rules.scoring import deal_sum
from tournaments.engine.rules.steps import CAPPOTTO

Range = tuple[Points, Points]
"""The least and the greatest possible sum."""


@dataclass(frozen=True, slots=True)
class RulesetSums:
    """The sum that each deal of a contract adds to all scores, and that of a whole game.

    A sum is None if it is known only after play. A game that a King or the table ends early is not
    whole.
    """

    deals: Mapping[str, Range | None]
    game: Range | None

    @property
    def zero_sum(self) -> bool | None:
        """Whether all scores of a whole game sum to 0; None if that depends on the table."""
        if self.game is None:
            return None
        least, most = self.game
        if least == most == 0:
            return True
        return None if least <= 0 <= most else False


def sums_of(ruleset: Ruleset) -> RulesetSums:
    """Return the sums of the deals and of a whole game, with the ruleset's current settings."""
    deals = {contract.id: _range_of(ruleset, contract) for contract in ruleset.contracts}
    return RulesetSums(MappingProxyType(deals), _game_range(ruleset, deals))


def _range_of(ruleset: Ruleset, contract: Contract) -> Range | None:
    fixed = deal_sum(contract)
    blind = "blind" in ruleset.steps and "blind" in fields_of(ruleset, contract)
    if fixed is None or blind:
        return None
    sums = [whole(fixed)]
    scores = CAPPOTTO.get(ruleset.settings.get("cappotto", "none"))
    if "cappotto" in ruleset.steps and contract.cappotto and scores is not None:
        sums.append(whole(scores[0] + (ruleset.side_count - 1) * scores[1]))
    return min(sums), max(sums)


def _game_range(ruleset: Ruleset, deals: Mapping[str, Range | None]) -> Range | None:
    """The least and the greatest sum over all choices of a table."""
    ends_anywhere = ruleset.length is None or "target" in ruleset.settings
    ranges = {name: ends for name, ends in deals.items() if ends is not None}
    if ends_anywhere or len(ranges) < len(deals):
        return None
    least = _cheapest(ruleset, {name: ends[0] for name, ends in ranges.items()})
    most = _cheapest(ruleset, {name: -ends[1] for name, ends in ranges.items()})
    return None if least is None or most is None else (whole(least), whole(-most))


# The deals of each stage flow to contracts, and from there to their kinds, within the quotas: the
# cheapest full assignment is a minimum-cost flow. Whenever the totals are possible, so is a share
# of each kind for every side.


@dataclass
class _Edge:
    source: str
    target: str
    room: float
    cost: Points
    back: "_Edge | None" = None


def _cheapest(ruleset: Ruleset, costs: Mapping[str, Points]) -> Points | None:
    """The least sum of a whole game; None if not all of its deals can be played."""
    edges = []
    for edge in _ways(ruleset, costs):
        edge.back = _Edge(edge.target, edge.source, 0, -edge.cost, edge)
        edges += [edge, edge.back]
    left, total = ruleset.length or 0, 0 * next(iter(costs.values()), 0)
    while left:
        path = _cheapest_path(edges)
        if path is None:
            return None
        sent = int(min(left, *(edge.room for edge in path)))
        for edge in path:
            edge.room -= sent
            assert edge.back is not None
            edge.back.room += sent
            total += sent * edge.cost
        left -= sent
    return total


def _ways(ruleset: Ruleset, costs: Mapping[str, Points]) -> Iterator[_Edge]:
    stages = ruleset.stages or (Stage(ruleset.length or 0, tuple(ruleset.by_id)),)
    for number, stage in enumerate(stages):
        yield _Edge("start", f"stage {number}", stage.deals, 0)
        for name in stage.contracts:
            yield _Edge(f"stage {number}", f"contract {name}", inf, costs[name])
    for contract in ruleset.contracts:
        quota = inf if contract.quota is None else contract.quota
        if contract.quota_each is not None:
            quota = min(quota, contract.quota_each * ruleset.side_count)
        yield _Edge(f"contract {contract.id}", f"kind {contract.kind}", quota, 0)
    for kind in Counter(contract.kind for contract in ruleset.contracts):
        each = ruleset.side_quotas.get(kind)
        room = inf if each is None else each * ruleset.side_count
        yield _Edge(f"kind {kind}", "end", room, 0)


def _cheapest_path(edges: list[_Edge]) -> list[_Edge] | None:
    """The edges of the cheapest path from start to end with room on each of them."""
    cost: dict[str, Points] = {"start": 0}
    last: dict[str, _Edge] = {}
    changed = True
    while changed:
        changed = False
        for edge in edges:
            if edge.room > 0 and edge.source in cost:
                found = cost[edge.source] + edge.cost
                if edge.target not in cost or found < cost[edge.target]:
                    cost[edge.target], last[edge.target], changed = found, edge, True
    if "end" not in cost:
        return None
    path = [last["end"]]
    while path[-1].source != "start":
        path.append(last[path[-1].source])
    return path
