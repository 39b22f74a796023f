"""A game as a fold over its entries: whose turn it is, what is left, the totals."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import add
from types import MappingProxyType

from tournaments.engine.entries import (
    STOP_REASONS,
    Adjustment,
    Deal,
    Entry,
    Passed,
    Redeal,
    Stopped,
    Void,
)
from tournaments.engine.fields import check_seat, fields_anywhere
from tournaments.engine.kings import King
from tournaments.engine.offers import check_offer
from tournaments.engine.problems import Code, InvalidEntry, Problem
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
from tournaments.engine.scoring import check_deal, score_deal
from tournaments.engine.seals import check_seal

FINEST_PART = 1000
"""Adjustments may be given in parts of a point, down to a thousandth."""


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
    """A game so far; `play` gives the game after one more entry."""

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

    def check(self, entry: Entry) -> Iterator[Problem]:
        """Every reason why `entry` cannot come next."""
        if self.open_deal is not None:
            yield Problem(Code.OPEN_DEAL, "", {})
        elif self.finished and not isinstance(entry, Adjustment):
            yield Problem(Code.GAME_OVER, "", {})
        else:
            yield from _check_entry(self, entry)

    def play(self, entry: Entry) -> "Game":
        """The game after `entry`.

        Raises:
            InvalidEntry: with every problem of `entry`; this game stays as it is.
        """
        problems = tuple(self.check(entry))
        if problems:
            raise InvalidEntry(problems)
        return self.after(entry)

    def after(self, entry: Entry) -> "Game":
        """The game after an entry in which `check` found nothing."""
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

    def check_declarer(self, declarer: int | None) -> Iterator[Problem]:
        """The reasons why `declarer` cannot be the seat that declares next."""
        if declarer is None:
            return
        seats, expected = self.ruleset.sides, self.declarer
        if declarer not in range(len(seats)):
            yield from check_seat(self.ruleset, "declarer", declarer)
        elif declarer != expected and not (
            self.ruleset.declares == "pair" and seats[declarer] == seats[expected]
        ):
            yield Problem(Code.WRONG_DECLARER, "declarer", {"expected": expected, "got": declarer})

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


def _check_entry(game: Game, entry: Entry) -> Iterator[Problem]:
    match entry:
        case Deal():
            return _check_deal(game, entry)
        case Void():
            return _check_void(game, entry)
        case Redeal():
            return _check_redeal(game, entry)
        case Passed():
            return _check_passed(game)
        case Adjustment():
            return _check_adjustment(game, entry)
        case Stopped():
            return _check_stopped(entry)


def _check_deal(game: Game, deal: Deal) -> Iterator[Problem]:
    ruleset = game.ruleset
    contract = ruleset.contract_named(deal.contract)
    yield from _check_who(game, contract, deal)
    if "sealed" in ruleset.fields and (deal.contract is not None or deal.counts is None):
        yield from check_seal(deal.contract, deal.details)
    if contract is None:
        yield from _check_without_contract(ruleset, deal)
        return
    if contract.named:
        yield from game.check_choice(contract)
    elif deal.contract is not None:
        yield _unexpected("contract")
    yield from check_deal(ruleset, contract, game.with_declarer(deal))
    if "offered" in ruleset.fields and deal.counts is not None:
        left = {c.id: game.times_left(c) or 0 for c in ruleset.contracts}
        yield from check_offer(left, contract.id, deal.details)


def _check_who(game: Game, contract: Contract | None, deal: Deal) -> Iterator[Problem]:
    """Who declared: nobody in some games and contracts, and stated where it does not follow."""
    declared = contract is None or (contract.declared and contract.named)
    if not declared and deal.declarer is not None:
        yield _unexpected("declarer")
    elif game.ruleset.declares == "pair" and deal.declarer is None and deal.counts is not None:
        yield Problem(Code.MISSING_FIELD, "declarer", {"field": "declarer"})
    else:
        yield from game.check_declarer(deal.declarer)


def _check_without_contract(ruleset: Ruleset, deal: Deal) -> Iterator[Problem]:
    if deal.contract is not None:
        yield Problem(Code.UNKNOWN_CONTRACT, "contract", {"contract": deal.contract})
        return
    sealed = "sealed" in ruleset.fields and "sealed" in deal.details
    if not sealed or deal.counts is not None:
        yield Problem(Code.MISSING_FIELD, "contract", {"field": "contract"})
    known = fields_anywhere(ruleset)
    for name in deal.details:
        if name not in known:
            yield _unexpected(name)


def _unexpected(field: str) -> Problem:
    return Problem(Code.UNEXPECTED_FIELD, field, {"field": field})


def _check_passed(game: Game) -> Iterator[Problem]:
    if not game.ruleset.passes:
        yield Problem(Code.WRONG_TYPE, "type", {"expected": "deal"})


def _check_void(game: Game, void: Void) -> Iterator[Problem]:
    contract = game.ruleset.by_id.get(void.contract or "")
    barred: list[Problem] = []
    if void.contract is not None and game.ruleset.unnamed is not None:
        yield _unexpected("contract")
    elif void.contract is not None and contract is None:
        yield Problem(Code.UNKNOWN_CONTRACT, "contract", {"contract": void.contract})
    elif contract is not None:
        barred = list(game.check_choice(contract))
    if contract is not None and not contract.declared and void.declarer is not None:
        yield _unexpected("declarer")
    else:
        yield from game.check_declarer(void.declarer)
    yield from _check_seal_of(game.ruleset, void)
    if void.reason != "over-quota" or void.reason not in game.ruleset.voids:
        yield from barred
    yield from _check_void_reason(game, void, contract, barred)


def _check_seal_of(ruleset: Ruleset, void: Void) -> Iterator[Problem]:
    for name in void.details:
        if name not in ruleset.fields or void.contract is None:
            yield _unexpected(name)
    if "sealed" in ruleset.fields and void.contract is not None:
        yield from check_seal(void.contract, void.details)


def _check_void_reason(
    game: Game, void: Void, contract: Contract | None, barred: Sequence[Problem]
) -> Iterator[Problem]:
    """A replay needs its contract, and the contract its replay; too often has to be too often."""
    if void.reason not in game.ruleset.voids:
        yield Problem(Code.VOID_NOT_ALLOWED, "reason", {"reason": void.reason})
    elif void.reason == "misdeal":
        return
    elif void.contract is None:
        yield Problem(Code.MISSING_FIELD, "contract", {"field": "contract"})
    elif contract is not None and not (
        contract.replay_one_each if void.reason == "one-each" else barred
    ):
        yield Problem(
            Code.VOID_NOT_ALLOWED, "reason", {"reason": void.reason, "contract": contract.id}
        )


def _check_redeal(game: Game, redeal: Redeal) -> Iterator[Problem]:
    params = {"reason": redeal.reason}
    yield from check_seat(game.ruleset, "by", redeal.by)
    if redeal.reason not in redeals_of(game):
        yield Problem(Code.REDEAL_NOT_ALLOWED, "reason", params)
    elif redeal.reason == "no-high-card":
        # Only the declarer's hand decides what is declared, and only one who must trump suffers.
        if redeal.by in range(game.ruleset.seats) and redeal.by != game.declarer:
            yield Problem(Code.REDEAL_NOT_ALLOWED, "by", {**params, "declarer": game.declarer})
        if game.must != TRUMP:
            yield Problem(Code.REDEAL_NOT_ALLOWED, "reason", params)


REDEAL_SWITCHES: Mapping[str, str] = MappingProxyType({"four-extremes": "domino_redeal"})
"""Reasons for new cards that a table has to switch on, and the setting that does."""


def redeals_of(game: Game) -> tuple[str, ...]:
    """The reasons for which someone may ask for new cards now."""
    of_contracts = [
        reason
        for contract in game.ruleset.contracts
        for reason in contract.redeals
        if game.ruleset.settings.get(REDEAL_SWITCHES[reason])
        and not any(game.check_choice(contract))
    ]
    return (*game.ruleset.redeals, *dict.fromkeys(of_contracts))


def _check_adjustment(game: Game, adjustment: Adjustment) -> Iterator[Problem]:
    yield from check_seat(game.ruleset, "seat", adjustment.seat)
    # Totals stay numbers that can be written down, whatever fractions are added up.
    if adjustment.points == 0 or adjustment.points.denominator > FINEST_PART:
        yield Problem(Code.BAD_ADJUSTMENT, "points", {})
    if adjustment.to not in ("none", "others"):
        yield Problem(Code.BAD_ADJUSTMENT, "to", {"to": adjustment.to})
    if not adjustment.reason.strip():
        yield Problem(Code.BAD_ADJUSTMENT, "reason", {})


def _check_stopped(stopped: Stopped) -> Iterator[Problem]:
    if stopped.reason not in STOP_REASONS:
        yield Problem(Code.WRONG_TYPE, "reason", {"expected": " | ".join(STOP_REASONS)})


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
