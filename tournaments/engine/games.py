"""A game as a fold over its entries: whose turn it is, what is left, the totals."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import add
from types import MappingProxyType

from tournaments.engine.entries import (
    STOP_REASONS,
    Adjustment,
    Deal,
    Entry,
    Redeal,
    Stopped,
    Void,
)
from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.rulesets import PENALTY, TRUMP, Contract, Points, Ruleset
from tournaments.engine.scoring import King, check_deal, score_deal

FINEST_PART = 1000
"""Adjustments may be given in parts of a point, down to a thousandth."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the sheet: an entry that moves points.

    `points` and `totals` hold one value per side; `expected_sum` is what the totals
    must add up to.
    """

    entry: int
    points: tuple[Points, ...]
    totals: tuple[Points, ...]
    expected_sum: Points


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A completed deal: the index of its entry, its contract, who declared, what was taken."""

    entry: int
    contract: Contract
    declarer: int
    deal: Deal
    king: King | None


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended (`king`, `failed-king`, `length`, `stopped`), and by which entry.

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

    @property
    def totals(self) -> tuple[Points, ...]:
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
    def declarer(self) -> int:
        """The seat that declares the next deal."""
        return (self.first_declarer + len(self.deals)) % self.ruleset.seats

    def left_to_declare(self, seat: int) -> dict[str, int]:
        """How many contracts of each kind a seat still has to declare."""
        left = dict(self.ruleset.quotas)
        for played in self.deals:
            if played.declarer == seat:
                left[played.contract.kind] -= 1
        return left

    @property
    def must(self) -> str | None:
        """The only kind of contract the declarer has left (`trump`, `penalty`), if it is so."""
        left = self.left_to_declare(self.declarer)
        kinds = [kind for kind, number in left.items() if number > 0]
        return kinds[0] if len(kinds) == 1 and len(left) > 1 else None

    def choices(self) -> tuple[Choice, ...]:
        """Every contract of the ruleset, in its order, with the reasons against it now."""
        return tuple(
            Choice(contract, self._times_left(contract), tuple(self.check_choice(contract)))
            for contract in self.ruleset.contracts
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
            if entry.counts is None:
                return replace(self, entries=entries, open_deal=entry)
            return self._after_deal(entry, entries)
        if isinstance(entry, Adjustment):
            points = adjusted_points(self.ruleset, entry)
            return replace(self, entries=entries, rows=self._add_row(points, sum(points)))
        if isinstance(entry, Stopped):
            return replace(self, entries=entries, ending=Ending("stopped", len(self.entries)))
        return replace(self, entries=entries)

    def _after_deal(self, deal: Deal, entries: tuple[Entry, ...]) -> "Game":
        index = len(self.entries)
        score = score_deal(self.ruleset, deal)
        contract = self.ruleset.by_id[deal.contract]
        deals = (*self.deals, PlayedDeal(index, contract, self.declarer, deal, score.king))
        ending = None
        if score.king is not None:
            ending = Ending("king" if score.king.made else "failed-king", index, score.king.seat)
        elif len(deals) == self.ruleset.deals:
            ending = Ending("length", index)
        rows = self._add_row(score.points, score.expected_sum)
        return Game(self.ruleset, self.first_declarer, entries, deals, rows, ending)

    def _add_row(self, points: tuple[Points, ...], expected: Points) -> tuple[Row, ...]:
        totals = tuple(map(whole, map(add, self.totals, points)))
        row = Row(len(self.entries), points, totals, whole(self.expected_sum + expected))
        return (*self.rows, row)

    def _times_left(self, contract: Contract) -> int | None:
        if contract.quota is None:
            return None
        return contract.quota - sum(1 for deal in self.deals if deal.contract is contract)

    def check_choice(self, contract: Contract) -> Iterator[Problem]:
        """The reasons why the next declarer may not name `contract`."""
        left = self.left_to_declare(self.declarer)
        if self._times_left(contract) == 0:
            yield Problem(
                Code.CONTRACT_USED_UP,
                "contract",
                {"contract": contract.id, "quota": contract.quota},
            )
        if left.get(contract.kind) == 0:
            yield Problem(
                Code.PLAYER_QUOTA_USED,
                "contract",
                {
                    "kind": contract.kind,
                    "quota": self.ruleset.quotas[contract.kind],
                    "seat": self.declarer,
                },
            )
        first = ORDERS[self.ruleset.settings["order"]](self, contract)
        if first is not None:
            yield Problem(
                Code.OUT_OF_ORDER, "contract", {"contract": contract.id, "first": first.id}
            )

    def check_declarer(self, declarer: int | None) -> Iterator[Problem]:
        """The reasons why `declarer` cannot be the seat that declares next."""
        if declarer is None:
            return
        if declarer not in range(self.ruleset.seats):
            yield _bad_seat(self, "declarer", declarer)
        elif declarer != self.declarer:
            yield Problem(
                Code.WRONG_DECLARER, "declarer", {"expected": self.declarer, "got": declarer}
            )

    def dearest_left(self) -> Contract | None:
        """The penalty that costs most and is not used up (`docs/rules.md` §1.3)."""
        penalties = [
            contract
            for contract in self.ruleset.contracts
            if contract.kind == PENALTY and self._times_left(contract) != 0
        ]
        return min(penalties, key=lambda contract: contract.deal_sum, default=None)


def whole(points: Points) -> Points:
    """`points` as an int wherever they are whole."""
    if type(points) is int:
        return points
    return points.numerator if points.denominator == 1 else points


def adjusted_points(ruleset: Ruleset, entry: Adjustment) -> tuple[Points, ...]:
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
        case Adjustment():
            return _check_adjustment(game, entry)
        case Stopped():
            return _check_stopped(entry)


def _check_deal(game: Game, deal: Deal) -> Iterator[Problem]:
    yield from game.check_declarer(deal.declarer)
    contract = game.ruleset.by_id.get(deal.contract)
    if contract is not None:
        yield from game.check_choice(contract)
    yield from check_deal(game.ruleset, deal)


def _check_void(game: Game, void: Void) -> Iterator[Problem]:
    yield from game.check_declarer(void.declarer)
    contract = game.ruleset.by_id.get(void.contract or "")
    if void.contract is not None and contract is None:
        yield Problem(Code.UNKNOWN_CONTRACT, "contract", {"contract": void.contract})
    elif contract is not None:
        yield from game.check_choice(contract)
    if void.reason not in game.ruleset.voids:
        yield Problem(Code.VOID_NOT_ALLOWED, "reason", {"reason": void.reason})
    elif void.reason == "one-each" and void.contract is None:
        yield Problem(Code.MISSING_FIELD, "contract", {"field": "contract"})
    elif void.reason == "one-each" and contract is not None and not contract.replay_one_each:
        yield Problem(
            Code.VOID_NOT_ALLOWED, "reason", {"reason": void.reason, "contract": contract.id}
        )


def _check_redeal(game: Game, redeal: Redeal) -> Iterator[Problem]:
    params = {"reason": redeal.reason}
    if redeal.by not in range(game.ruleset.seats):
        yield _bad_seat(game, "by", redeal.by)
    if redeal.reason not in game.ruleset.redeals:
        yield Problem(Code.REDEAL_NOT_ALLOWED, "reason", params)
    elif redeal.reason == "no-high-card":
        # Only the declarer's hand decides what is declared, and only one who must trump suffers.
        if redeal.by in range(game.ruleset.seats) and redeal.by != game.declarer:
            yield Problem(Code.REDEAL_NOT_ALLOWED, "by", {**params, "declarer": game.declarer})
        if game.must != TRUMP:
            yield Problem(Code.REDEAL_NOT_ALLOWED, "reason", params)


def _check_adjustment(game: Game, adjustment: Adjustment) -> Iterator[Problem]:
    if adjustment.seat not in range(game.ruleset.seats):
        yield _bad_seat(game, "seat", adjustment.seat)
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


def _bad_seat(game: Game, where: str, seat: int) -> Problem:
    return Problem(Code.BAD_SEAT, where, {"seats": game.ruleset.seats, "got": seat})


def _any_order(_game: Game, _contract: Contract) -> Contract | None:
    """The declarer is free."""
    return None


def _dearest_first(game: Game, contract: Contract) -> Contract | None:
    """No penalty while one with a larger deal sum is left."""
    dearest = game.dearest_left()
    if contract.kind != PENALTY or dearest is None:
        return None
    return dearest if dearest.deal_sum < contract.deal_sum else None


def _penalties_first(game: Game, contract: Contract) -> Contract | None:
    """The dearest first, and no trump before every penalty is played."""
    penalties = sum(1 for deal in game.deals if deal.contract.kind == PENALTY)
    everything = game.ruleset.quotas[PENALTY] * game.ruleset.seats
    if contract.kind == TRUMP and penalties < everything:
        return game.dearest_left()
    return _dearest_first(game, contract)


ORDERS: Mapping[str | int | bool, Callable[[Game, Contract], Contract | None]] = MappingProxyType(
    {
        "free": _any_order,
        "advised": _any_order,
        "ordered": _dearest_first,
        "strict": _penalties_first,
    }
)
"""The named orders of play: each gives the contract that must come before, or None."""
