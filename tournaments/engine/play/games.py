"""A game as a fold over its entries: turns, contracts left, and totals."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import add, sub
from types import MappingProxyType
from typing import NamedTuple

from tournaments.engine.rules.entries import Adjustment, Deal, Entry, Passed, Stopped, Totals
from tournaments.engine.rules.problems import Code, Problem
from tournaments.engine.rules.ruleset_sums import sums_of
from tournaments.engine.rules.rulesets import (
    PENALTY,
    TRUMP,
    Contract,
    PerSide,
    Points,
    Ruleset,
    Setting,
    whole,
)
from tournaments.engine.rules.scoring import King, Score, score_deal


class Row(NamedTuple):
    """A row of the score sheet: an entry that changes points.

    `points` and `totals` hold one value per side; `expected_sum` is the required sum of the totals.
    """

    entry: int
    points: PerSide
    totals: PerSide
    expected_sum: Points


class PlayedDeal(NamedTuple):
    """A completed deal: the index of its entry, its contract, its declarer, and its counts.

    If nobody declares, `declarer` is the leader or the dealer.
    """

    entry: int
    contract: Contract
    declarer: int
    deal: Deal
    king: King | None


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended (`king`, `failed-king`, `length`, `target`, `stopped`), and by which entry.

    `seat` is the player who made or failed the King.
    """

    by: str
    entry: int
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A contract at the next deal: how often it is left in the game, and the reasons against it."""

    contract: Contract
    left: int | None
    problems: tuple[Problem, ...]


class Game(NamedTuple):
    """A game so far; `after` returns the game with one more checked entry."""

    ruleset: Ruleset
    first_declarer: int = 0
    entries: tuple[Entry, ...] = ()
    deals: tuple[PlayedDeal, ...] = ()
    rows: tuple[Row, ...] = ()
    ending: Ending | None = None
    open_deal: Deal | None = None
    passed: int = 0

    @property
    def totals(self) -> PerSide:
        return self.rows[-1].totals if self.rows else (0,) * self.ruleset.side_count

    @property
    def expected_sum(self) -> Points:
        return self.rows[-1].expected_sum if self.rows else 0

    @property
    def finished(self) -> bool:
        return self.ending is not None

    @property
    def turns(self) -> int:
        """The number of hands dealt: those played, and those that everybody passed."""
        return len(self.deals) + self.passed

    @property
    def declarer(self) -> int:
        """The seat whose turn it is to declare the next deal (or to deal it, or to start)."""
        ruleset = self.ruleset
        turns = len(self.deals) + self.passed
        return (self.first_declarer + turns // ruleset.in_a_row) % ruleset.seats

    def left_to_declare(self, seat: int) -> dict[str, int]:
        """The contracts of each kind that a seat, with its partner, still has to declare."""
        sides = self.ruleset.sides
        kinds = [deal.contract.kind for deal in self.deals if sides[deal.declarer] == sides[seat]]
        return {kind: quota - kinds.count(kind) for kind, quota in self.ruleset.side_quotas.items()}

    @property
    def must(self) -> str | None:
        """The only kind of contract that the declarer has left (`trump`, `penalty` …), or None."""
        left = self.left_to_declare(self.declarer)
        kinds = [kind for kind, number in left.items() if number > 0]
        return kinds[0] if len(kinds) == 1 and len(left) > 1 else None

    @property
    def stage(self) -> tuple[str, ...]:
        """The contracts of the stage of the next deal; empty if any contract may come."""
        plan = self.ruleset.plan
        return plan[len(self.deals)] if plan and len(self.deals) < len(plan) else ()

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Every contract of the ruleset, in order, with the reasons against it now."""
        return tuple(
            Choice(contract, self.times_left(contract), tuple(self.check_choice(contract)))
            for contract in self.ruleset.contracts
            if contract.named
        )

    def legal_contracts(self) -> tuple[Contract, ...]:
        """The contracts the next declarer may name, in the order of the ruleset."""
        return tuple(choice.contract for choice in self.choices if not choice.problems)

    def after(self, entry: Entry) -> "Game":
        """Return the game after an entry that passed `entry_checks.check`."""
        entries = (*self.entries, entry)
        if isinstance(entry, Deal):
            if is_open(self.ruleset, entry):
                return self._replace(entries=entries, open_deal=entry)
            return self._after_deal(self.with_declarer(entry), entries)
        if isinstance(entry, Adjustment):
            return self._after_adjustment(entry, entries)
        if isinstance(entry, Totals):
            return self._after_totals(entry, entries)
        passed = self.passed + isinstance(entry, Passed)
        stops = isinstance(entry, Stopped)
        ending = Ending("stopped", len(self.entries)) if stops else self.ending
        return self._replace(entries=entries, passed=passed, ending=ending)

    def without_open_deal(self) -> "Game":
        """Return the game before its open deal, which is its last entry."""
        return self._replace(entries=self.entries[:-1], open_deal=None)

    def _after_deal(self, deal: Deal, entries: tuple[Entry, ...]) -> "Game":
        contract = self.ruleset.contract_named(deal.contract)
        assert contract is not None
        return self.after_scored(deal, contract, score_deal(self.ruleset, contract, deal), entries)

    def after_scored(
        self, deal: Deal, contract: Contract, score: Score, entries: tuple[Entry, ...]
    ) -> "Game":
        """Return the game after a completed deal, the last of `entries`, with its score."""
        ruleset, index = self.ruleset, len(self.entries)
        points, expected, king = score
        declarer = self.declarer if deal.declarer is None else deal.declarer
        deals = (*self.deals, PlayedDeal(index, contract, declarer, deal, king))
        rows = self._add_row(points, expected)
        ending = None
        if king is not None:
            ending = Ending("king" if king.made else "failed-king", index, king.seat)
        elif ruleset.target is not None and self._reaches_target(rows):
            ending = Ending("target", index)
        elif len(deals) == ruleset.length:
            ending = Ending("length", index)
        first = self.first_declarer
        return Game(ruleset, first, entries, deals, rows, ending, None, self.passed)

    def _after_adjustment(self, entry: Adjustment, entries: tuple[Entry, ...]) -> "Game":
        points = adjusted_points(self.ruleset, entry)
        rows = self._add_row(points, sum(points))
        ending = self.ending
        if ending is None and self._reaches_target(rows):
            ending = Ending("target", len(self.entries))
        return self._replace(entries=entries, rows=rows, ending=ending)

    def _after_totals(self, entry: Totals, entries: tuple[Entry, ...]) -> "Game":
        totals, must_be = entry.totals, sum(entry.totals)
        if entry.unchecked and not entry.early and (possible := sums_of(self.ruleset).game):
            must_be = min(max(must_be, possible[0]), possible[1])
        for ruling in self.entries:
            if isinstance(ruling, Adjustment):
                points = adjusted_points(self.ruleset, ruling)
                totals, must_be = tuple(map(add, totals, points)), must_be + sum(points)
        rows = self._add_row(tuple(map(sub, totals, self.totals)), must_be - self.expected_sum)
        by = "stopped" if entry.early or self.ruleset.length is None else "length"
        ending = Ending("target" if self._reaches_target(rows) else by, len(self.entries))
        return self._replace(entries=entries, rows=rows, ending=ending)

    def _reaches_target(self, rows: tuple[Row, ...]) -> bool:
        target = self.ruleset.target
        return target is not None and max(rows[-1].totals) >= target

    def with_declarer(self, deal: Deal) -> Deal:
        """Return the deal with its declarer, if that follows from the turn.

        A wrongly stated declarer is one problem; all other checks use the right one.
        """
        # Only the checks of details need the declarer.
        if not deal.details or deal.declarer == self.declarer:
            return deal
        contract = self.ruleset.contract_named(deal.contract)
        follows = contract is not None and contract.declared and self.ruleset.declares == "turn"
        return replace(deal, declarer=self.declarer) if follows else deal

    def _add_row(self, points: PerSide, expected: Points) -> tuple[Row, ...]:
        rows, totals = self.rows, points
        if rows:
            totals = tuple(map(add, rows[-1].totals, points))
            expected += rows[-1].expected_sum
        if type(sum(totals, expected)) is not int:
            totals, expected = tuple(map(whole, totals)), whole(expected)
        return (*rows, Row(len(self.entries), points, totals, expected))

    def times_left(self, contract: Contract) -> int | None:
        """The number of times that a contract may still be named; None without a limit."""
        if contract.quota is None:
            return None
        return contract.quota - [deal.contract.id for deal in self.deals].count(contract.id)

    def check_choice(self, contract: Contract, declarer: int | None = None) -> list[Problem]:
        """Return the reasons why the next declarer may not name `contract`.

        A caller that knows the declarer gives it.
        """
        problems = []
        ruleset, kind = self.ruleset, contract.kind
        seat = self.declarer if declarer is None else declarer
        sides = ruleset.sides
        side = sides[seat]
        named = of_kind = 0
        # One pass: this is asked at every deal of every game.
        for deal in self.deals:
            played = deal.contract
            if played is contract:
                named += 1
            if played.kind == kind and sides[deal.declarer] == side:
                of_kind += 1
        used_up = named == contract.quota
        if used_up:
            limit = {"contract": contract.id, "quota": contract.quota}
            problems.append(Problem(Code.CONTRACT_USED_UP, "contract", limit))
        if of_kind == ruleset.side_quotas.get(kind):
            problems.append(_quota_used(kind, of_kind, seat))
        if (
            contract.quota_each is not None
            and self._times_declared(contract) >= contract.quota_each
        ):
            problems.append(_quota_used(contract.id, contract.quota_each, seat))
        first = ORDERS[ruleset.settings.get("order", "free")](self, contract)
        stage = self.stage if ruleset.plan else ()
        if stage and first is None and not used_up and contract.id not in stage:
            first = self._first_of_stage()
        if first is not None:
            names = {"contract": contract.id, "first": first.id}
            problems.append(Problem(Code.OUT_OF_ORDER, "contract", names))
        return problems

    def _times_declared(self, contract: Contract) -> int:
        sides = self.ruleset.sides
        return sum(
            1
            for played in self.deals
            if played.contract is contract and sides[played.declarer] == sides[self.declarer]
        )

    def _first_of_stage(self) -> Contract:
        stage = [self.ruleset.by_id[name] for name in self.stage]
        return next((c for c in stage if self.times_left(c) != 0), stage[0])

    def dearest_left(self) -> Contract | None:
        """The penalty with the highest cost that is not used up (`docs/rules.md` §1.3)."""
        penalties = [
            contract
            for contract in self.ruleset.contracts
            if contract.kind == PENALTY and self.times_left(contract) != 0
        ]
        return min(penalties, key=lambda contract: contract.unit_sum, default=None)


def _quota_used(kind: str, quota: int, seat: int) -> Problem:
    params = {"kind": kind, "quota": quota, "seat": seat}
    return Problem(Code.PLAYER_QUOTA_USED, "contract", params)


def is_open(ruleset: Ruleset, deal: Deal) -> bool:
    """Return whether a deal has begun but has no counts yet."""
    return deal.counts is None and ruleset.unnamed is None


def adjusted_points(ruleset: Ruleset, entry: Adjustment) -> PerSide:
    """Return the points per side of an adjustment.

    With `to="others"`, the other sides share the opposite of the points.
    """
    side = ruleset.sides[entry.seat]
    rest: Points = 0
    if entry.to == "others":
        rest = whole(Fraction(-entry.points) / (ruleset.side_count - 1))
    return tuple(entry.points if s == side else rest for s in range(ruleset.side_count))


def _any_order(_game: Game, _contract: Contract) -> Contract | None:
    return None


def _dearest_first(game: Game, contract: Contract) -> Contract | None:
    """No penalty is allowed while one with a larger deal sum is left."""
    dearest = game.dearest_left()
    if contract.kind != PENALTY or dearest is None:
        return None
    return dearest if dearest.unit_sum < contract.unit_sum else None


def _penalties_first(game: Game, contract: Contract) -> Contract | None:
    """The dearest penalty first, and no trump before every penalty is played."""
    penalties = sum(1 for deal in game.deals if deal.contract.kind == PENALTY)
    everything = game.ruleset.side_quotas[PENALTY] * game.ruleset.side_count
    if contract.kind == TRUMP and penalties < everything:
        return game.dearest_left()
    return _dearest_first(game, contract)


ORDERS: Mapping[Setting, Callable[[Game, Contract], Contract | None]] = MappingProxyType(
    {
        "free": _any_order,
        "advised": _any_order,
        "ordered": _dearest_first,
        "strict": _penalties_first,
    }
)
"""The named orders of play: each returns the contract that must come first, or None."""
