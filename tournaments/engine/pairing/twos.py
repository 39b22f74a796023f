"""Seat a round at tables of two: a minimum-cost matching in a graph.

It follows FIDE's Dutch system, without colours: no opponent twice, scores as near as possible, and
within one score the upper half against the lower half, in order.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random

from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.seats import seat_table

FOLD = 4_000
"""The weight of a distance in score against the order within one score."""


def draw_twos(
    field: PairingField, groups: Sequence[Sequence[int]], random: Random
) -> list[tuple[int, ...]]:
    """Return the pairs of a round in seat order, as places in `field.entrants`; all play."""
    # Only tables of two need them.
    import rustworkx

    from tournaments.engine.pairing.matrices import pair_costs, scaled_scores

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
    # The matching returns pairs in any order, and each pair in either.
    pairs = [sorted((free[one], free[other])) for one, other in matched]
    pairs += [sorted(group) for group in groups]
    scores = scaled_scores(field)
    pairs.sort(key=lambda pair: (-max(scores[pair]), -min(scores[pair]), pair))
    return [seat_table(field, pair, random) for pair in pairs]


def _folds(field: PairingField, free: Sequence[int], random: Random) -> Callable[[int, int], int]:
    """The cost of a pair of equal score: its distance from a pairing of the halves in order."""
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
