"""The prizes of a tournament, shared out by place."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby

from tournaments.engine.standings.standings import Standing


def share_prizes(
    prizes: Sequence[str], pot: Fraction, standings: Sequence[Standing]
) -> Mapping[str, Fraction]:
    """Return what each entrant with a prize gets, in whole hundredths; `pot` is all fees together.

    Those who share a place share the prizes of the places that they fill. Hundredths left over by
    rounding go to the first prize, and those of a shared sum to the first by number.
    """
    worth = [_worth(prize, pot) * 100 for prize in prizes]
    cents = [int(each) for each in worth]
    if cents:
        cents[0] += int(sum(worth)) - sum(cents)
    given: dict[str, Fraction] = {}
    first = 0
    played = [row for row in standings if row.has_played]
    for _place, rows in groupby(played, key=lambda row: row.place):
        tied = [row.entrant for row in rows]
        each, over = divmod(sum(cents[first : first + len(tied)]), len(tied))
        first += len(tied)
        given |= {name: Fraction(each, 100) for name in tied}
        given[tied[0]] += Fraction(over, 100)
    return {name: amount for name, amount in given.items() if amount}


def _worth(prize: str, pot: Fraction) -> Fraction:
    if prize.endswith("%"):
        return pot * Fraction(prize[:-1]) / 100
    return Fraction(prize)
