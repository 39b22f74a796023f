"""A round at tables of two: the pairing that costs least of all, by matching in a graph.

As FIDE's Dutch system, without colours: no opponent twice, scores as near as can be, and within
one score the upper half against the lower half in order.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random

import rustworkx

from tournaments.engine.pairing.costs import pair_costs, scaled_scores
from tournaments.engine.pairing.field import Field
from tournaments.engine.pairing.seats import seat_table

FOLD = 4_000
"""What the distance of scores weighs against the order within one score."""


def draw_twos(
    field: Field, groups: Sequence[Sequence[int]], random: Random
) -> list[tuple[int, ...]]:
    """The pairs of a round in seat order, as places in `field.entrants`; all play."""
    fixed = {place for group in groups for place in group}
    free = [place for place in range(len(field.entrants)) if place not in fixed]
    costs = pair_costs(field)
    folds = _folds(field, free, random)
    graph = rustworkx.PyGraph[int, int](multigraph=False)
    graph.add_nodes_from(free)
    graph.add_edges_from([
        (one, other, int(costs[free[one], free[other]]) * FOLD + folds(free[one], free[other]))
        for one, other in combinations(range(len(free)), 2)
    ])  # fmt: skip
    most = max(graph.edges(), default=0) + 1
    matched = rustworkx.max_weight_matching(
        graph, max_cardinality=True, weight_fn=lambda cost: most - cost
    )
    # The matching comes in any order, and each pair in either.
    pairs = [sorted((free[one], free[other])) for one, other in matched]
    pairs += [sorted(group) for group in groups]
    scores = scaled_scores(field)
    pairs.sort(key=lambda pair: (-max(scores[pair]), -min(scores[pair]), pair))
    return [seat_table(field, pair, random) for pair in pairs]


def _folds(field: Field, free: Sequence[int], random: Random) -> Callable[[int, int], int]:
    """What two of one score cost: how far they are from meeting as the halves in order do."""
    ranks: dict[object, list[int]] = defaultdict(list)
    for place in random.sample(list(free), len(free)):
        ranks[field.entrants[place].score].append(place)
    at = {place: (rank, len(group)) for group in ranks.values() for rank, place in enumerate(group)}

    def fold(one: int, other: int) -> int:
        if field.entrants[one].score != field.entrants[other].score:
            return 0
        (rank, count), (opposite, _) = at[one], at[other]
        return min(FOLD - 1, abs(abs(rank - opposite) - count // 2))

    return fold
