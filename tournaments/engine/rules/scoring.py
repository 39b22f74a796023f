"""Check and score a deal, by the scoring strategy that its contract names.

Begin at `check_deal` and `score_deal`, then read the strategies, which `SCORINGS` lists. At the end
`sums_of` computes what the deals of a ruleset and a whole game add to all scores.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from types import MappingProxyType
from typing import NamedTuple

from tournaments.engine.rules.entries import Deal
from tournaments.engine.rules.fields import (
    KING_FIELDS,
    STEPS,
    cappotto_points,
    check_fields,
    fields_of,
)
from tournaments.engine.rules.rulesets import (
    TRUMP,
    Code,
    Contract,
    Counts,
    PerSide,
    Points,
    Problem,
    Ruleset,
    Stage,
    Unit,
    check_agreement,
    fewest_tricks,
    whole,
)

KINGS = frozenset(name for names in KING_FIELDS.values() for name in names)
"""The fields that state a King."""


@dataclass(frozen=True, slots=True)
class King:
    """A King at the table: the seat it depends on, and whether it was made."""

    seat: int
    made: bool


class Score(NamedTuple):
    """The score of a deal: points per side, in side order, and their expected sum."""

    points: PerSide
    expected_sum: Points
    king: King | None


def check_deal(ruleset: Ruleset, contract: Contract, deal: Deal) -> list[Problem]:
    """Return every reason why this deal is impossible, in any turn.

    `deal` includes the declarer. An open deal (no counts yet) is checked as far as it goes.
    """
    problems = check_fields(ruleset, contract, deal)
    counts = deal.counts
    if counts is not None and (
        faults := [*SCORINGS[contract.scoring].check(ruleset, contract, deal)]
    ):
        problems += faults
        # Check conclusions from counts only if the counts themselves are possible.
        counts = None
    if contract.replay_one_each and counts is not None:
        # One unit each is a void, unless a King was declared: it then counts as failed.
        may_declare = "king_declared_by" in KING_FIELDS[ruleset.settings.get("king", "off")]
        if not may_declare or "king_declared_by" not in deal.details:
            problems += [
                Problem(Code.MUST_BE_VOID, f"counts.{unit}", {"contract": contract.id})
                for unit in contract.values
                if all(number == 1 for number in counts[unit])
            ]
    if deal.details:
        if "tricks_played" in deal.details and "tricks_played" in fields_of(ruleset, contract):
            problems += _check_tricks_played(ruleset, contract, deal, counts)
        if not KINGS.isdisjoint(deal.details):
            problems += check_king(ruleset, contract, deal)
    return problems


def score_deal(ruleset: Ruleset, contract: Contract, deal: Deal) -> Score:
    """Return the points of a completed deal in which `check_deal` found no problem."""
    scoring = SCORINGS[contract.scoring]
    points = scoring.points(ruleset, contract, deal)
    deal_sum = scoring.deal_sum(ruleset, contract)
    expected = sum(points) if deal_sum is None else deal_sum
    for name in ruleset.steps:
        before, points = points, STEPS[name].move(ruleset, contract, deal, points)
        if STEPS[name].adds:
            expected += sum(points) - sum(before)
    return Score(points, expected, find_king(ruleset, contract, deal))


def deal_sum(ruleset: Ruleset, contract: Contract) -> Points | None:
    """Return the sum that one deal of a contract adds to all scores; None if it is not fixed."""
    return SCORINGS[contract.scoring].deal_sum(ruleset, contract)


def _check_tricks_played(
    ruleset: Ruleset, contract: Contract, deal: Deal, counts: Counts | None
) -> Iterator[Problem]:
    played, most = deal.details["tricks_played"], ruleset.tricks
    fewest = 1 if contract.may_end_early else most
    if counts is not None and contract.may_end_early:
        fewest = fewest_tricks(ruleset, counts) or 1
    if played < 0:
        yield Problem(Code.NEGATIVE_COUNT, "tricks_played", {"got": played})
    elif played > most:
        yield Problem(Code.COUNT_TOO_LARGE, "tricks_played", {"most": most, "got": played})
    elif played < fewest:
        yield Problem(
            Code.INCONSISTENT_COUNTS, "tricks_played", {"why": "fewest", "fewest": fewest}
        )


def find_king(ruleset: Ruleset, contract: Contract, deal: Deal) -> King | None:
    """Return the King made or failed in a deal, by the table's King rule."""
    rule = ruleset.settings.get("king", "off")
    if rule == "off" or (rule == "declared" and "king_declared_by" not in deal.details):
        return None
    taker: int | None = None
    if deal.counts is not None and "tricks" in deal.counts:
        tricks = deal.counts["tricks"]
        needed, in_a_row = _tricks_of_king(ruleset, contract)
        if (most := max(tricks)) >= needed:
            taker = tricks.index(most)
        elif in_a_row and "king" in deal.details:
            taker = ruleset.sides[int(deal.details["king"])]
    elif deal.details.get("king") is not None:
        taker = ruleset.sides[int(deal.details["king"])]
    if rule == "declared":
        seat = int(deal.details["king_declared_by"])
        return King(seat, taker == ruleset.sides[seat])
    if taker is None or not _king_counts_in(ruleset, contract):
        return None
    return King(int(deal.details.get("king", taker)), made=True)


def king_is_written(ruleset: Ruleset, contract: Contract) -> bool:
    """Return whether a King must be stated because the counts of this contract do not show it."""
    switched_on = ruleset.settings.get("king", "off") != "off"
    _needed, in_a_row = _tricks_of_king(ruleset, contract)
    is_hidden = "tricks" not in contract.values or in_a_row > 0
    return switched_on and is_hidden and _king_counts_in(ruleset, contract)


def _tricks_of_king(ruleset: Ruleset, contract: Contract) -> tuple[int, int]:
    """Return how many tricks make King in a contract, and how many do in a row (0: no fewer)."""
    if contract.kind != TRUMP:
        return ruleset.tricks, 0
    return ruleset.king_tricks, ruleset.king_in_a_row


def check_king(ruleset: Ruleset, contract: Contract, deal: Deal) -> Iterable[Problem]:
    """A King needs all tricks of a deal in which it counts, or as many as the table says."""
    details, (needed, in_a_row) = deal.details, _tricks_of_king(ruleset, contract)
    rule = ruleset.settings.get("king", "off")
    # The check of each field reports a seat that does not exist.
    stated = {
        name: ruleset.sides[int(details[name])]
        for name in KING_FIELDS[rule]
        if name in details and details[name] in range(ruleset.seats)
    }
    king = stated.get("king")
    if not stated:
        return ()
    fewest = min(needed, in_a_row or needed)
    taken = {
        unit: numbers[king]
        for unit, numbers in (deal.counts or {}).items()
        if king is not None and unit in ruleset.units and len(numbers) == ruleset.side_count
    }
    if not _king_counts_in(ruleset, contract):
        why = "only-in-trump"
    elif int(details.get("tricks_played", ruleset.tricks)) < ruleset.tricks:
        why = "ended-early"
    elif king is None:
        return ()
    elif fewest < ruleset.tricks and taken.get("tricks", fewest) < fewest:
        why = "not-enough"
    elif fewest == ruleset.tricks and any(n != ruleset.units[u].total for u, n in taken.items()):
        why = "not-all-units"
    elif rule == "declared" and (
        "king_declared_by" not in details or stated.get("king_declared_by", king) != king
    ):
        why = "not-declared"
    else:
        return ()
    return (
        Problem(Code.BAD_KING, "king" if "king" in stated else "king_declared_by", {"why": why}),
    )


def _king_counts_in(ruleset: Ruleset, contract: Contract) -> bool:
    return contract.kind == TRUMP or ruleset.settings.get("king_deals", "all") == "all"


class PerUnit:
    """A scoring strategy checks counts and turns them into points; this one by units taken."""

    def check(self, ruleset: Ruleset, contract: Contract, deal: Deal) -> Iterable[Problem]:
        """Check the units of the contract, or all that the table may write."""
        counts, known = deal.counts or {}, ruleset.all_units
        expected = tuple(contract.values)
        if known and any(unit in known and unit not in contract.values for unit in counts):
            expected = known
        problems = [
            Problem(Code.UNEXPECTED_FIELD, f"counts.{unit}", {"field": unit})
            for unit in counts
            if unit not in expected
        ]
        for name in expected:
            if name in counts:
                problems += _check_unit(ruleset, ruleset.units[name], counts[name])
            else:
                problems.append(Problem(Code.MISSING_FIELD, f"counts.{name}", {"field": name}))
        # Any counts of one unit fit into 13 tricks.
        if not problems and (len(expected) > 1 or ruleset.pack is not None):
            problems += check_agreement(ruleset, counts)
        return problems

    def points(self, _ruleset: Ruleset, contract: Contract, deal: Deal) -> PerSide:
        counts, values, base = deal.counts or {}, contract.values, contract.base
        if len(values) == 1:  # The usual case, so it must be fast.
            [(unit, value)] = values.items()
            return tuple([base + value * count for count in counts[unit]])
        columns = [[value * count for count in counts[unit]] for unit, value in values.items()]
        return tuple(base + sum(own) for own in zip(*columns, strict=True))

    def deal_sum(self, ruleset: Ruleset, contract: Contract) -> Points | None:
        """Return the sum that one deal adds to all scores.

        None if it is known only after play: it is the points awarded.
        """
        return ruleset.unit_sums[contract.id]


def _check_unit(ruleset: Ruleset, unit: Unit, counts: tuple[int, ...]) -> Iterator[Problem]:
    """Check the counts of one unit: one per side, none negative, summing to the total."""
    where = f"counts.{unit.id}"
    if len(counts) != ruleset.side_count:
        expected = {"expected": ruleset.side_count, "got": len(counts)}
        yield Problem(Code.WRONG_SEATS, where, expected)
        return
    if min(counts) < 0:
        yield Problem(Code.NEGATIVE_COUNT, where, {"got": min(counts)})
    if max(counts) > unit.most:
        yield Problem(Code.COUNT_TOO_LARGE, where, {"most": unit.most, "got": max(counts)})
    if unit.total is not None and sum(counts) != unit.total:
        yield Problem(Code.WRONG_TOTAL, where, {"expected": unit.total, "got": sum(counts)})


class PairDifference(PerUnit):
    """`value × (own − other)` for one side and its mirror for the other (§2.4)."""

    def points(self, ruleset: Ruleset, contract: Contract, deal: Deal) -> PerSide:
        own, other = super().points(ruleset, contract, deal)
        return own - other, other - own

    def deal_sum(self, _ruleset: Ruleset, _contract: Contract) -> Points | None:
        return 0


class Domino(PerUnit):
    """One point for each card left; the sides that went out share what the others lose."""

    def check(self, ruleset: Ruleset, contract: Contract, deal: Deal) -> Iterable[Problem]:
        """The sides that went out have no cards left; only one, unless the table allows more."""
        faults = list(super().check(ruleset, contract, deal))
        if faults or deal.counts is None:
            return faults
        one_winner = ruleset.settings["domino_winners"] == "one"
        winners = deal.counts["cards_left"].count(0)
        if winners == 0 or (winners > 1 and one_winner):
            why = "winners" if one_winner else "no-winner"
            return [Problem(Code.BAD_DOMINO, "counts.cards_left", {"why": why})]
        return []

    def points(self, _ruleset: Ruleset, contract: Contract, deal: Deal) -> PerSide:
        left = (deal.counts or {})["cards_left"]
        lost = [contract.values["cards_left"] * cards for cards in left]
        won = Fraction(-sum(lost), left.count(0))
        return tuple(whole(won) if cards == 0 else lost[side] for side, cards in enumerate(left))

    def deal_sum(self, _ruleset: Ruleset, _contract: Contract) -> Points | None:
        return 0


class PairDomino(PairDifference):
    """The difference in cards left, and a bonus for the pair that went out."""

    def check(self, ruleset: Ruleset, contract: Contract, deal: Deal) -> Iterable[Problem]:
        """The pair that went out may hold its partner's cards; each other player has some."""
        faults = list(super().check(ruleset, contract, deal))
        closer = deal.details.get("closed_by")
        if faults or deal.counts is None or closer not in (0, 1):
            return faults
        left = deal.counts["cards_left"]
        if left[closer] > ruleset.tricks:
            faults.append(Problem(Code.BAD_DOMINO, "counts.cards_left", {"why": "closer"}))
        if left[1 - closer] < ruleset.seats_in_a_side:
            faults.append(Problem(Code.BAD_DOMINO, "counts.cards_left", {"why": "others"}))
        return faults

    def points(self, ruleset: Ruleset, contract: Contract, deal: Deal) -> PerSide:
        own, other = super().points(ruleset, contract, deal)
        bonus = contract.prizes[0] if deal.details["closed_by"] == 0 else -contract.prizes[0]
        return own + bonus, other - bonus


class Places(PerUnit):
    def check(self, ruleset: Ruleset, contract: Contract, deal: Deal) -> Iterable[Problem]:
        """Each side has a different place, from 1; numbers out of range are reported together."""
        counts = deal.counts or {}
        places = counts.get("places", ())
        if len(places) != ruleset.side_count:
            return super().check(ruleset, contract, deal)
        faults = [
            Problem(Code.UNEXPECTED_FIELD, f"counts.{unit}", {"field": unit})
            for unit in counts
            if unit != "places"
        ]
        if sorted(places) != list(range(1, ruleset.side_count + 1)):
            faults.append(Problem(Code.BAD_DOMINO, "counts.places", {"why": "places"}))
        return faults

    def points(self, _ruleset: Ruleset, contract: Contract, deal: Deal) -> PerSide:
        return tuple(contract.prizes[place - 1] for place in (deal.counts or {})["places"])

    def deal_sum(self, _ruleset: Ruleset, contract: Contract) -> Points | None:
        return sum(contract.prizes)


class WithoutCounts(PerUnit):
    """Euchre and Krapet: their entries are not counts of units."""

    def check(self, _ruleset: Ruleset, _contract: Contract, _deal: Deal) -> Iterable[Problem]:
        return [Problem(Code.UNEXPECTED_FIELD, "counts", {"field": "counts"})]

    def deal_sum(self, _ruleset: Ruleset, _contract: Contract) -> Points | None:
        return None


MOST_TRICKS_TO_WIN, ALL_FIVE = 3, 5
EUCHRED, LONE_SWEEP = 2, 4


class MakersAndDefenders(WithoutCounts):
    """The table of `docs/rules.md` §4."""

    def points(self, ruleset: Ruleset, _contract: Contract, deal: Deal) -> PerSide:
        details, settings = deal.details, ruleset.settings
        tricks, alone = details["tricks"], bool(details.get("alone"))
        makers = ruleset.sides[details["maker"]]
        if tricks >= MOST_TRICKS_TO_WIN:
            march = settings["march_alone"] if alone else settings["march"]
            won = int(march) if tricks == ALL_FIVE else 1
            return tuple(won if side == makers else 0 for side in range(ruleset.side_count))
        won = int(settings["euchred_alone"]) if alone else EUCHRED
        if details.get("defender_alone") is not None:
            if tricks == 0:
                won = max(won, LONE_SWEEP)
            if alone:
                won = max(won, int(settings["euchred_alone_by_alone"]))
        return tuple(0 if side == makers else won for side in range(ruleset.side_count))


class BidTricks(WithoutCounts):
    """A point for each trick; a side with fewer than it has bid loses its bid instead."""

    def points(self, ruleset: Ruleset, _contract: Contract, deal: Deal) -> PerSide:
        bid, tricks = deal.details["bid"], deal.details["tricks"]
        makers = ruleset.sides[deal.details["maker"]]
        won, others = tricks if tricks >= bid else -bid, ruleset.tricks - tricks
        return tuple(won if side == makers else others for side in range(ruleset.side_count))


WON = 30


class PilesEmptied(WithoutCounts):
    """A win, or points: a bonus and the loser's remaining cards (`docs/rules.md` §3)."""

    def points(self, ruleset: Ruleset, _contract: Contract, deal: Deal) -> PerSide:
        winner = deal.details["winner"]
        if ruleset.settings["scoring"] == "win":
            return tuple(int(side == winner) for side in range(ruleset.side_count))
        left = deal.details["left"]
        weights = {"reserve": 2, "stock": 1, "waste": 1}
        cards = [
            sum(weight * left[pile][side] for pile, weight in weights.items()) for side in (0, 1)
        ]
        if winner is not None:
            won = [0, 0]
            won[winner] = WON + cards[1 - winner]
            return tuple(won)
        return max(0, cards[1] - cards[0]), max(0, cards[0] - cards[1])


SCORINGS: Mapping[str, PerUnit] = MappingProxyType(
    {
        "per-unit": PerUnit(),
        "pair-difference": PairDifference(),
        "domino": Domino(),
        "pair-domino": PairDomino(),
        "places": Places(),
        "makers-and-defenders": MakersAndDefenders(),
        "bid-tricks": BidTricks(),
        "piles-emptied": PilesEmptied(),
    }
)
"""The named scoring strategies; each contract names one of them."""


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
    ranges = {name: ends for name, ends in deals.items() if ends is not None}
    ends_anywhere = ruleset.length is None or "target" in ruleset.settings
    game = None
    if not ends_anywhere and len(ranges) == len(deals):
        least = _cheapest(ruleset, {name: ends[0] for name, ends in ranges.items()})
        most = _cheapest(ruleset, {name: -ends[1] for name, ends in ranges.items()})
        if least is not None and most is not None:
            game = whole(least), whole(-most)
    return RulesetSums(MappingProxyType(deals), game)


def _range_of(ruleset: Ruleset, contract: Contract) -> Range | None:
    fixed = deal_sum(ruleset, contract)
    blind = "blind" in ruleset.steps and "blind" in fields_of(ruleset, contract)
    if fixed is None or blind:
        return None
    sums = [whole(fixed)]
    scores = cappotto_points(ruleset, contract)
    if "cappotto" in ruleset.steps and scores is not None:
        sums.append(whole(scores[0] + (ruleset.side_count - 1) * scores[1]))
    return min(sums), max(sums)


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
        side_quota = ruleset.side_quotas.get(kind)
        room = inf if side_quota is None else side_quota * ruleset.side_count
        yield _Edge(f"kind {kind}", "end", room, 0)


def _cheapest_path(edges: list[_Edge]) -> list[_Edge] | None:
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
