"""Money from points: what each side wins or loses, and who pays whom (`docs/rules.md` §2)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from tournaments.engine.rulesets import Points

CENT = Fraction(1, 100)
"""The smallest coin where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Payment:
    """Money from one side to another; `amount` is above 0."""

    payer: int
    payee: int
    amount: Fraction


@dataclass(frozen=True, slots=True)
class Settlement:
    """What each side wins (above 0) or loses, in side order, and the payments that bring it about.

    All amounts are money in whole coins; the balances sum to 0.
    """

    balances: tuple[Fraction, ...]
    payments: tuple[Payment, ...]


def settle(totals: Sequence[Points], stake: Points, coin: Fraction = CENT) -> Settlement:
    """Stake × (score − mean score) for each side, and the fewest payments that settle it.

    `totals` are points per side, `stake` is money per point, `coin` the smallest money paid.
    A balance that is not a whole number of coins is rounded by largest remainders: all are
    rounded down, and the coins then missing from a sum of 0 go one each to the sides that lost
    most by it; where they lost the same, to the side that comes first. So no balance is a
    coin or more away from its exact value, and a higher score never gets less than a lower one.

    The work doubles with each side, which is nothing for the sides of one table.

    Raises:
        ValueError: when there are no sides, or stake or coin is not above 0.
    """
    _check_money("stake", stake)
    _check_money("coin", coin)
    if not totals:
        raise ValueError("There is nobody to settle with.")
    coins = _round(_exact_coins(totals, stake, coin))
    return Settlement(
        tuple(number * coin for number in coins),
        tuple(
            Payment(payer, payee, number * coin)
            for group in _settling_groups(coins)
            for payer, payee, number in _settle_group(group)
        ),
    )


def _check_money(name: str, money: Points) -> None:
    if money <= 0:
        raise ValueError(f"A {name} is above 0, not {money}.")


def _exact_coins(totals: Sequence[Points], stake: Points, coin: Fraction) -> list[Fraction]:
    mean = Fraction(sum(totals)) / len(totals)
    return [stake * (score - mean) / coin for score in totals]


def _round(exact: Sequence[Fraction]) -> list[int]:
    """Whole numbers near those of `exact`, which sum to 0, by largest remainders."""
    rounded = [floor(number) for number in exact]
    # Sorting keeps the order of equals: the first side comes first.
    by_remainder = sorted(
        range(len(exact)), key=lambda side: exact[side] - rounded[side], reverse=True
    )
    for side in by_remainder[: -sum(rounded)]:
        rounded[side] += 1
    return rounded


def _settling_groups(coins: Sequence[int]) -> Iterator[dict[int, int]]:
    """The sides, with their coins, in as many groups as can settle among themselves.

    A group of n sides that cannot be divided further needs n − 1 payments, so the more groups,
    the fewer payments. Whoever is at 0 is a group alone and pays nothing.
    """
    left = dict(enumerate(coins))
    chain = _best_chain(left)
    while left:
        group: dict[int, int] = {}
        while not group or sum(group.values()) != 0:
            side = chain[frozenset(left)]
            group[side] = left.pop(side)
        yield group


def _best_chain(coins: Mapping[int, int]) -> dict[frozenset[int], int]:
    """For each set of sides the one to take out first, so that what is left is 0 most often.

    Taking the sides out one by one, a group is complete each time that the rest sums to 0.
    """
    first: dict[frozenset[int], int] = {}
    groups = {frozenset[int](): 0}
    for subset in _subsets(coins):
        side = max(sorted(subset), key=lambda side: groups[subset - {side}])
        first[subset] = side
        settled = sum(coins[member] for member in subset) == 0
        groups[subset] = groups[subset - {side}] + settled
    return first


def _subsets(sides: Mapping[int, int]) -> list[frozenset[int]]:
    """Every set of one or more of `sides`, the smaller before the larger."""
    subsets = [frozenset[int]()]
    for side in sides:
        subsets += [subset | {side} for subset in subsets]
    return sorted(subsets[1:], key=len)


def _settle_group(coins: dict[int, int]) -> Iterator[tuple[int, int, int]]:
    """Payer, payee and coins: whoever owes most pays whoever is owed most, until all are at 0.

    Each payment brings one side to 0 and the last one two.
    """
    while any(coins.values()):
        payer = min(coins, key=lambda side: (coins[side], side))
        payee = max(coins, key=lambda side: (coins[side], -side))
        number = min(-coins[payer], coins[payee])
        coins[payer] += number
        coins[payee] -= number
        yield payer, payee, number
