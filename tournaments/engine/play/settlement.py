"""Money from points: the balance of each side, and the payments (`docs/rules.md` §2)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from tournaments.engine.rules.rulesets import Points

CENT = Fraction(1, 100)
"""The default smallest coin."""


@dataclass(frozen=True, slots=True)
class Payment:
    """Money from one side to another; `amount` is above 0."""

    payer: int
    payee: int
    amount: Fraction


@dataclass(frozen=True, slots=True)
class Settlement:
    """The balance of each side (above 0: it wins), in side order, and the payments for them.

    All amounts are money in whole coins; the balances sum to 0.
    """

    balances: tuple[Fraction, ...]
    payments: tuple[Payment, ...]


def settle(totals: Sequence[Points], stake: Points, coin: Fraction = CENT) -> Settlement:
    """Return stake × (score − mean score) for each side, and the fewest payments that settle it.

    `totals` are points per side, `stake` is money per point, `coin` is the smallest unit of money.

    Balances are rounded to whole coins by largest remainders. All are rounded down; the coins then
    missing from a sum of 0 go, one each, to the sides that lost most by rounding. Ties go to the
    side that comes first. So each balance is less than a coin from its exact value, and a higher
    score never gets less than a lower one.

    The work doubles with each side, which is negligible for the sides of one table.

    Raises:
        ValueError: if there are no sides, or stake or coin is not above 0.
    """
    _check_money("stake", stake)
    _check_money("coin", coin)
    if not totals:
        raise ValueError("There is nobody to settle with.")
    coins = _round(_exact_coins(totals, stake, coin))
    return Settlement(tuple(number * coin for number in coins), _payments(coins, coin))


MOST_TO_GROUP = 10
"""The largest number of people for which the fewest payments are sought; more only need few."""


def settle_balances(balances: Sequence[Fraction], coin: Fraction = CENT) -> tuple[Payment, ...]:
    """Return the payments that settle balances with a sum of 0, rounded as in `settle`."""
    return _payments(_round([balance / coin for balance in balances]), coin)


def _payments(coins: Sequence[int], coin: Fraction) -> tuple[Payment, ...]:
    few = len(coins) <= MOST_TO_GROUP
    groups = _settling_groups(coins) if few else [dict(enumerate(coins))]
    return tuple(
        Payment(payer, payee, number * coin)
        for group in groups
        for payer, payee, number in _settle_group(group)
    )


def _check_money(name: str, money: Points) -> None:
    if money <= 0:
        raise ValueError(f"A {name} is above 0, not {money}.")


def _exact_coins(totals: Sequence[Points], stake: Points, coin: Fraction) -> list[Fraction]:
    mean = Fraction(sum(totals)) / len(totals)
    return [stake * (score - mean) / coin for score in totals]


def _round(exact: Sequence[Fraction]) -> list[int]:
    """Round to whole numbers with a sum of 0, by largest remainders."""
    rounded = [floor(number) for number in exact]
    # Sorting keeps the order of equals: the first side comes first.
    by_remainder = sorted(
        range(len(exact)), key=lambda side: exact[side] - rounded[side], reverse=True
    )
    for side in by_remainder[: -sum(rounded)]:
        rounded[side] += 1
    return rounded


def _settling_groups(coins: Sequence[int]) -> Iterator[dict[int, int]]:
    """Split the sides, with their coins, into as many groups as can settle among themselves.

    A group of n sides that cannot be divided further needs n − 1 payments, so more groups mean
    fewer payments. A side at 0 is a group of its own and pays nothing.
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
    """For each set of sides, the side to remove first so that most of the later rests sum to 0.

    Removing the sides one by one completes a group each time that the rest sums to 0.
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
    """Yield payer, payee and coins: the largest debtor pays the largest creditor, until all are 0.

    Each payment settles one side, and the last payment two.
    """
    while any(coins.values()):
        payer = min(coins, key=lambda side: (coins[side], side))
        payee = max(coins, key=lambda side: (coins[side], -side))
        number = min(-coins[payer], coins[payee])
        coins[payer] += number
        coins[payee] -= number
        yield payer, payee, number
