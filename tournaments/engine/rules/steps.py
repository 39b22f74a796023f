"""Further changes to the points of a deal, after its units have been counted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from tournaments.engine.rules.entries import Deal
from tournaments.engine.rules.rulesets import Contract, PerSide, Points, Ruleset, Setting, whole


@dataclass(frozen=True, slots=True)
class Step:
    """A named step; one that `adds` changes the sum that the deal adds to all scores."""

    move: Callable[[Ruleset, Contract, Deal, PerSide], PerSide]
    adds: bool = False


CAPPOTTO: Mapping[Setting, tuple[Points, Points]] = MappingProxyType(
    {"plus14": (14, -9), "plus13": (13, 0)}
)
"""The points of a player with every unit of a penalty, and those of the others."""


def _cappotto(ruleset: Ruleset, contract: Contract, deal: Deal, points: PerSide) -> PerSide:
    """All hearts or all tricks by one player (`docs/rules.md` §2.1)."""
    scores = CAPPOTTO.get(ruleset.settings.get("cappotto", "none"))
    taken = (deal.counts or {})[contract.units[0].id]
    total = contract.units[0].total
    if scores is None or not contract.cappotto or total not in taken:
        return points
    return tuple(scores[0] if count == total else scores[1] for count in taken)


def _blind(ruleset: Ruleset, _contract: Contract, deal: Deal, points: PerSide) -> PerSide:
    """A contract declared blind counts double for its declarer."""
    if not deal.details.get("blind"):
        return points
    own = ruleset.sides[deal.declarer or 0]
    return tuple(2 * p if side == own else p for side, p in enumerate(points))


def _sale(_ruleset: Ruleset, _contract: Contract, deal: Deal, points: PerSide) -> PerSide:
    """The dealer sold the declaration for a number of tricks (`docs/rules.md` §2.1)."""
    sale = deal.details.get("sale")
    if sale is None or deal.declarer is None:
        return points
    buyer, seller, price = sale["buyer"], deal.declarer, sale["tricks"]
    moved = list(points)
    moved[buyer] = points[buyer] - price
    moved[seller] = points[seller] + price
    if points[buyer] < price:
        missing = price - points[buyer]
        moved[buyer] = -2 * missing
        moved[seller] = points[seller] + points[buyer] + 2 * missing
    return tuple(moved)


def _secret_pair(ruleset: Ruleset, _contract: Contract, deal: Deal, points: PerSide) -> PerSide:
    """Each player gets half of their pair's sum; the dealer's partner holds the named card."""
    pair = (deal.declarer, deal.details["partner"])
    own = [points[side] for side in range(ruleset.side_count) if side in pair]
    others = [points[side] for side in range(ruleset.side_count) if side not in pair]
    half_own, half_others = whole(Fraction(sum(own)) / 2), whole(Fraction(sum(others)) / 2)
    return tuple(half_own if side in pair else half_others for side in range(ruleset.side_count))


def _third(ruleset: Ruleset, contract: Contract, deal: Deal, points: PerSide) -> PerSide:
    """Double a third choice below 0 for the side that chose, except for its bonus (§2.5)."""
    own = ruleset.sides[deal.declarer or 0]
    if not deal.details.get("third") or points[own] >= 0:
        return points
    bonus: Points = 0
    if contract.prizes:
        bonus = contract.prizes[0] if deal.details["closed_by"] == own else -contract.prizes[0]
    more = min(points[own] - bonus, 0)
    return tuple(p + more if side == own else p - more for side, p in enumerate(points))


def _doubles(_ruleset: Ruleset, _contract: Contract, deal: Deal, points: PerSide) -> PerSide:
    """For each pair that doubled, move the difference from the lower to the higher."""
    moved = list(points)
    for double in deal.details.get("doubles", ()):
        one, other = double["seats"]
        difference = (points[one] - points[other]) * (2 if double.get("redoubled") else 1)
        moved[one] += difference
        moved[other] -= difference
    return tuple(moved)


STEPS: Mapping[str, Step] = MappingProxyType(
    {
        "cappotto": Step(_cappotto, adds=True),
        "blind": Step(_blind, adds=True),
        "sale": Step(_sale),
        "secret-pair": Step(_secret_pair),
        "third": Step(_third),
        "doubles": Step(_doubles),
    }
)
"""The named steps; a ruleset lists those it uses, in order."""
