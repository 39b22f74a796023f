"""A game as a fold over its entries: whose turn it is, what is left, the totals."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import add
from types import MappingProxyType

from tournaments.engine.entries import (
    Adjustment,
    Deal,
    Entry,
    Passed,
    Stopped,
)
from tournaments.engine.kings import King
from tournaments.engine.problems import Code, Problem
from tournaments.engine.rulesets import (
    PENALTY,
    TRUMP,
    Contract,
    PerSide,
    Points,
    Ruleset,
    Setting,
    whole,
)
from tournaments.engine.scoring import score_deal


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the sheet: an entry that moves points.

    `points` and `totals` hold one value per side; `expected_sum` is what the totals
    must add up to.
    """

    entry: int
    points: PerSide
    totals: PerSide
    expected_sum: Points


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A completed deal: the index of its entry, its contract, who declared, what was taken.

    Where nobody declares, `declarer` is who led or dealt.
    """

    entry: int
    contract: Contract
    declarer: int
    deal: Deal
    king: King | None


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended (`king`, `failed-king`, `length`, `target`, `stopped`), by which entry.

    `seat` is whoever made or failed the King.
    """

    by: str
    entry: int
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A contract at the next deal: how often it is left in the game, and what forbids it."""

    contract: Contract
    left: int | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class Game:
    """A game so far; `after` gives the game after one more entry that was found possible."""

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
        """Points per side so far."""
        return self.rows[-1].totals if self.rows else (0,) * self.ruleset.side_count

    @property
    def expected_sum(self) -> Points:
        """What the totals must add up to."""
        return self.rows[-1].expected_sum if self.rows else 0

    @property
    def finished(self) -> bool:
        """Whether no further deal is played."""
        return self.ending is not None

    @property
    def turns(self) -> int:
        """How many hands have been dealt: those played, and those that everyone passed."""
        return len(self.deals) + self.passed

    @property
    def declarer(self) -> int:
        """The seat whose turn it is to declare the next deal (or to deal it, or to start)."""
        ruleset = self.ruleset
        return (self.first_declarer + self.turns // ruleset.in_a_row) % ruleset.seats

    def left_to_declare(self, seat: int) -> dict[str, int]:
        """How many contracts of each kind a seat, with its partner, still has to declare."""
        left = dict(self.ruleset.side_quotas)
        side = self.ruleset.sides[seat]
        for played in self.deals:
            kind = played.contract.kind
            if kind in left and self.ruleset.sides[played.declarer] == side:
                left[kind] -= 1
        return left

    @property
    def must(self) -> str | None:
        """The only kind of contract the declarer has left (`trump`, `penalty` …), if it is so."""
        left = self.left_to_declare(self.declarer)
        kinds = [kind for kind, number in left.items() if number > 0]
        return kinds[0] if len(kinds) == 1 and len(left) > 1 else None

    @property
    def stage(self) -> tuple[str, ...]:
        """The contracts of which the next deal is one; empty where it may be any."""
        plan = self.ruleset.plan
        return plan[len(self.deals)] if len(self.deals) < len(plan) else ()

    def choices(self) -> tuple[Choice, ...]:
        """Every contract of the ruleset, in its order, with the reasons against it now."""
        return tuple(
            Choice(contract, self.times_left(contract), tuple(self.check_choice(contract)))
            for contract in self.ruleset.contracts
            if contract.named
        )

    def legal_contracts(self) -> tuple[Contract, ...]:
        """The contracts the next declarer may name, in the order of the ruleset."""
        return tuple(choice.contract for choice in self.choices() if not choice.problems)

    def after(self, entry: Entry) -> "Game":
        """The game after an entry in which `entry_checks.check` found nothing."""
        entries = (*self.entries, entry)
        if isinstance(entry, Deal):
            if is_open(self.ruleset, entry):
                return replace(self, entries=entries, open_deal=entry)
            return self._after_deal(entry, entries)
        if isinstance(entry, Adjustment):
            return self._after_adjustment(entry, entries)
        if isinstance(entry, Passed):
            return replace(self, entries=entries, passed=self.passed + 1)
        if isinstance(entry, Stopped):
            return replace(self, entries=entries, ending=Ending("stopped", len(self.entries)))
        return replace(self, entries=entries)

    def _after_deal(self, deal: Deal, entries: tuple[Entry, ...]) -> "Game":
        index = len(self.entries)
        deal = self.with_declarer(deal)
        contract = self.ruleset.contract_named(deal.contract)
        assert contract is not None
        score = score_deal(self.ruleset, contract, deal)
        declarer = self.declarer if deal.declarer is None else deal.declarer
        deals = (*self.deals, PlayedDeal(index, contract, declarer, deal, score.king))
        rows = self._add_row(score.points, score.expected_sum)
        ending = None
        if score.king is not None:
            ending = Ending("king" if score.king.made else "failed-king", index, score.king.seat)
        elif self._reaches_target(rows):
            ending = Ending("target", index)
        elif len(deals) == self.ruleset.length:
            ending = Ending("length", index)
        return Game(
            self.ruleset, self.first_declarer, entries, deals, rows, ending, passed=self.passed
        )

    def _after_adjustment(self, entry: Adjustment, entries: tuple[Entry, ...]) -> "Game":
        points = adjusted_points(self.ruleset, entry)
        rows = self._add_row(points, sum(points))
        ending = self.ending
        if ending is None and self._reaches_target(rows):
            ending = Ending("target", len(self.entries))
        return replace(self, entries=entries, rows=rows, ending=ending)

    def _reaches_target(self, rows: tuple[Row, ...]) -> bool:
        target = self.ruleset.target
        return target is not None and max(rows[-1].totals) >= target

    def with_declarer(self, deal: Deal) -> Deal:
        """A deal that says who declared it, where that follows from the turn.

        A declarer who was stated wrongly is one problem; the rest is asked of the right one.
        """
        if not deal.details:  # Nothing else asks who declared.
            return deal
        contract = self.ruleset.contract_named(deal.contract)
        follows = contract is not None and contract.declared and self.ruleset.declares == "turn"
        if not follows or deal.declarer == self.declarer:
            return deal
        return replace(deal, declarer=self.declarer)

    def _add_row(self, points: PerSide, expected: Points) -> tuple[Row, ...]:
        totals = tuple(map(whole, map(add, self.totals, points)))
        row = Row(len(self.entries), points, totals, whole(self.expected_sum + expected))
        return (*self.rows, row)

    def times_left(self, contract: Contract) -> int | None:
        """How often a contract may still be named in the game; None without a limit."""
        if contract.quota is None:
            return None
        return contract.quota - sum(1 for deal in self.deals if deal.contract is contract)

    def check_choice(self, contract: Contract) -> Iterator[Problem]:
        """The reasons why the next declarer may not name `contract`."""
        used_up = self.times_left(contract) == 0
        if used_up:
            yield Problem(
                Code.CONTRACT_USED_UP,
                "contract",
                {"contract": contract.id, "quota": contract.quota},
            )
        if self.left_to_declare(self.declarer).get(contract.kind) == 0:
            yield Problem(
                Code.PLAYER_QUOTA_USED,
                "contract",
                {
                    "kind": contract.kind,
                    "quota": self.ruleset.side_quotas[contract.kind],
                    "seat": self.declarer,
                },
            )
        if (
            contract.quota_each is not None
            and self._times_declared(contract) >= contract.quota_each
        ):
            yield Problem(
                Code.PLAYER_QUOTA_USED,
                "contract",
                {"kind": contract.id, "quota": contract.quota_each, "seat": self.declarer},
            )
        first = ORDERS[self.ruleset.settings.get("order", "free")](self, contract)
        if first is None and not used_up and self.stage and contract.id not in self.stage:
            first = self._first_of_stage()
        if first is not None:
            yield Problem(
                Code.OUT_OF_ORDER, "contract", {"contract": contract.id, "first": first.id}
            )

    def _times_declared(self, contract: Contract) -> int:
        """How often the side whose turn it is has declared a contract."""
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
        """The penalty that costs most and is not used up (`docs/rules.md` §1.3)."""
        penalties = [
            contract
            for contract in self.ruleset.contracts
            if contract.kind == PENALTY and self.times_left(contract) != 0
        ]
        return min(penalties, key=lambda contract: contract.unit_sum, default=None)


def is_open(ruleset: Ruleset, deal: Deal) -> bool:
    """Whether a deal has been begun and not yet counted."""
    return deal.counts is None and ruleset.unnamed is None


def adjusted_points(ruleset: Ruleset, entry: Adjustment) -> PerSide:
    """Points per side of an adjustment: to its side, and the opposite to the others in parts."""
    side = ruleset.sides[entry.seat]
    rest: Points = 0
    if entry.to == "others":
        rest = whole(Fraction(-entry.points) / (ruleset.side_count - 1))
    return tuple(entry.points if s == side else rest for s in range(ruleset.side_count))


def _any_order(_game: Game, _contract: Contract) -> Contract | None:
    """The declarer is free."""
    return None


def _dearest_first(game: Game, contract: Contract) -> Contract | None:
    """No penalty while one with a larger deal sum is left."""
    dearest = game.dearest_left()
    if contract.kind != PENALTY or dearest is None:
        return None
    return dearest if dearest.unit_sum < contract.unit_sum else None


def _penalties_first(game: Game, contract: Contract) -> Contract | None:
    """The dearest first, and no trump before every penalty is played."""
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
"""The named orders of play: each gives the contract that must come before, or None."""
