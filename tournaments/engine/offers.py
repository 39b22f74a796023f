"""Offered contracts: the dealer offers two, the partner takes one or goes third."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tournaments.engine.problems import Code, Problem

OFFERED = 2


def check_offer(
    left: Mapping[str, int], contract: str, details: Mapping[str, Any]
) -> Iterator[Problem]:
    """Check `offered` and `third` of a completed deal (`docs/rules.md` §2.5).

    `left` says how often each contract is left before the deal; that `contract` itself is
    left is checked elsewhere.
    """
    number_left = sum(left.values())
    offered = details.get("offered")
    if number_left < OFFERED:
        if offered is not None:
            yield _bad("offered", "last-one")
        if details.get("third"):
            yield _bad("third", "last-one")
    elif offered is None:
        yield Problem(Code.MISSING_FIELD, "offered", {"field": "offered"})
    elif len(offered) != OFFERED or any(n > left.get(c, 0) for c, n in Counter(offered).items()):
        yield _bad("offered", "not-two-left")
    elif details.get("third"):
        if number_left == OFFERED or offered.count(contract) >= left.get(contract, 0) > 0:
            yield _bad("third", "no-third" if number_left == OFFERED else "was-offered")
    elif contract not in offered and left.get(contract, 0) > 0:
        yield _bad("offered", "not-offered")


def _bad(where: str, why: str) -> Problem:
    return Problem(Code.BAD_OFFER, where, {"why": why})
