"""The costs of all meetings of a field, as matrices.

Few processes ever seat a round: this is imported where one is seated, because numpy takes 8 MB.
"""

import numpy as np
from numpy.typing import NDArray

from tournaments.engine.pairing.costs import BY_LOT, spread_by_lot, unwanted_pairs
from tournaments.engine.pairing.field import PairingField

Costs = NDArray[np.int64]


def pair_costs(field: PairingField) -> Costs:
    """Return the cost of each meeting of two entrants (symmetric, 0 on the diagonal)."""
    scores = scaled_scores(field)
    distances: Costs = np.abs(scores[:, None] - scores[None, :])
    return distances + extra_costs(field)


def extra_costs(field: PairingField) -> Costs:
    """Return what each meeting costs besides the distance in score."""
    count = len(field.entrants)
    costs: Costs = np.zeros((count, count), dtype=np.int64)
    for one, other, cost in unwanted_pairs(field):
        costs[one, other] += cost
        costs[other, one] += cost
    return costs


def scaled_scores(field: PairingField) -> Costs:
    """Return the scores above the lowest, scaled so that a table drawn by lot spreads `BY_LOT`."""
    scores = [entrant.score for entrant in field.entrants]
    low, by_lot = min(scores, default=0), spread_by_lot(field) or 1
    return np.array([(score - low) * BY_LOT // by_lot for score in scores], dtype=np.int64)
