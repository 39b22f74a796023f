"""A game as the fold of its entries: turns, quotas, checks, matches, and totals."""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from hmac import compare_digest
from operator import add, sub
from types import MappingProxyType
from typing import Any, NamedTuple

from tournaments.engine.rules.entries import (
    IMPORTED,
    STOP_REASONS,
    TOTALS,
    Adjustment,
    Deal,
    Entry,
    Passed,
    Redeal,
    Stake,
    Stopped,
    Totals,
    Void,
    check_seat,
    missing,
    unexpected,
    write_points,
    wrong_type,
)
from tournaments.engine.rules.fields import (
    fields_anywhere,
)
from tournaments.engine.rules.rulesets import (
    PENALTY,
    PLACES,
    TRUMP,
    Code,
    Contract,
    InvalidEntry,
    PerSide,
    Points,
    Problem,
    Ruleset,
    Setting,
    whole,
)
from tournaments.engine.rules.scoring import King, check_deal, deal_sum, score_deal, sums_of


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


class Choice(NamedTuple):
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
    stake: Stake | None = None

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
        return self.seat_of(self.turns)

    def seat_of(self, hand: int) -> int:
        """Return the seat on turn for a hand; hands count from 0."""
        ruleset = self.ruleset
        return (self.first_declarer + hand // ruleset.in_a_row) % ruleset.seats

    def left_to_declare(self, seat: int) -> dict[str, int]:
        """The contracts of each kind that a seat, with its partner, still has to declare."""
        sides = self.ruleset.sides
        kinds = [deal.contract.kind for deal in self.deals if sides[deal.declarer] == sides[seat]]
        return {kind: quota - kinds.count(kind) for kind, quota in self.ruleset.side_quotas.items()}

    @property
    def must(self) -> str | None:
        """The only kind of contract that the declarer has left (`trump`, `penalty` …), or None."""
        return self.must_of(self.declarer)

    def must_of(self, seat: int) -> str | None:
        left = self.left_to_declare(seat)
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
        return tuple(choice.contract for choice in self.choices if not choice.problems)

    def after(self, entry: Entry) -> "Game":
        """Return the game after an entry that passed `entry_checks.check`."""
        entries = (*self.entries, entry)
        if isinstance(entry, Deal):
            if entry.counts is None and self.ruleset.unnamed is None:
                return self._replace(entries=entries, open_deal=entry)
            return self._after_deal(entry, entries)
        if isinstance(entry, Totals):
            return self._after_totals(entry, entries)
        ending, rows = self.ending, self.rows
        if isinstance(entry, Adjustment):
            points = adjusted_points(self.ruleset, entry)
            rows = self._add_row(points, sum(points))
            if ending is None and self._reaches_target(rows):
                ending = Ending("target", len(self.entries))
        elif isinstance(entry, Stopped):
            ending = Ending("stopped", len(self.entries))
        passed = self.passed + isinstance(entry, Passed)
        return self._replace(entries=entries, passed=passed, rows=rows, ending=ending)

    def without_open_deal(self) -> "Game":
        """Return the game before its open deal, which is its last entry."""
        return self._replace(entries=self.entries[:-1], open_deal=None)

    def _after_deal(self, deal: Deal, entries: tuple[Entry, ...]) -> "Game":
        ruleset, index, turn = self.ruleset, len(self.entries), self.declarer
        contract = ruleset.contract_named(deal.contract)
        assert contract is not None
        deal = with_declarer(ruleset, contract, deal, turn)
        points, expected, king = score_deal(ruleset, contract, deal)
        declarer = turn if deal.declarer is None else deal.declarer
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
        return Game(ruleset, first, entries, deals, rows, ending, None, self.passed, self.stake)

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
        named = by_side = of_kind = 0
        # One pass: this is asked at every deal of every game.
        for deal in self.deals:
            played = deal.contract
            if played is contract:
                named += 1
                by_side += sides[deal.declarer] == side
            if played.kind == kind and sides[deal.declarer] == side:
                of_kind += 1
        used_up = named == contract.quota
        if used_up:
            limit = {"contract": contract.id, "quota": contract.quota}
            problems.append(Problem(Code.CONTRACT_USED_UP, "contract", limit))
        if of_kind == ruleset.side_quotas.get(kind):
            problems.append(_quota_used(kind, of_kind, seat))
        if contract.quota_each is not None and by_side >= contract.quota_each:
            problems.append(_quota_used(contract.id, contract.quota_each, seat))
        order = ORDERS[ruleset.settings.get("order", "free")]
        first = None if order is None else order(self, contract)
        stage = self.stage if ruleset.plan else ()
        if stage and first is None and not used_up and contract.id not in stage:
            contracts = [ruleset.by_id[name] for name in stage]
            first = next((c for c in contracts if self.times_left(c) != 0), contracts[0])
        if first is not None:
            names = {"contract": contract.id, "first": first.id}
            problems.append(Problem(Code.OUT_OF_ORDER, "contract", names))
        return problems

    def dearest_left(self) -> Contract | None:
        """The penalty with the highest cost that is not used up (`docs/rules.md` §1.3)."""
        penalties = [
            contract
            for contract in self.ruleset.contracts
            if contract.kind == PENALTY and self.times_left(contract) != 0
        ]
        expense = self.ruleset.expense
        return min(penalties, key=lambda contract: expense[contract.id], default=None)


def times_of(game: Game) -> Iterator[tuple[PlayedDeal, int]]:
    """Yield each deal, and how often its contract has been played with it."""
    times: Counter[str] = Counter()
    for played in game.deals:
        times[played.contract.id] += 1
        yield played, times[played.contract.id]


def _quota_used(kind: str, quota: int, seat: int) -> Problem:
    params = {"kind": kind, "quota": quota, "seat": seat}
    return Problem(Code.PLAYER_QUOTA_USED, "contract", params)


class Roles(NamedTuple):
    """The seats that deal, cut, name the contract and play the first card; None: nobody."""

    deals: int | None
    cuts: int | None
    names: int | None
    leads: int | None


CUTTERS = ("before-dealer", "after-dealer", "after-declarer", "opposite")


def find_roles(ruleset: Ruleset, contract: Contract | None, turn: int) -> Roles:
    """Return who does what in a deal in which it is the turn of this seat (`docs/rules.md`, §5).

    Without a contract, as long as none is chosen. After a sale the buyer names it, which only the
    deal says.
    """
    seats, settings = ruleset.seats, ruleset.settings
    if contract is not None and contract.scoring == "piles-emptied":
        return Roles(None, None, None, None)
    declares = settings.get("dealer") == "declares"
    dealer = turn if declares else (turn - 1) % seats
    before, after, opposite = ((dealer + n) % seats for n in (-1, 1, seats // 2))
    where = settings.get("cuts", "before-dealer" if declares else "after-declarer")
    cuts = (before, after, (turn + 1) % seats, opposite)[CUTTERS.index(str(where))]
    # Of two players the one who does not deal cuts.
    cuts = (dealer + 1) % seats if cuts == dealer else cuts
    is_named = contract is None or (contract.named and contract.id not in ruleset.forced)
    place = (contract.leads if contract else "") or ("after-dealer" if declares else "declarer")
    leads: int | None = (turn, dealer, after, before)[PLACES.index(place)]
    # The highest bidder, or who has the seven of diamonds, which only the deal says.
    if contract and contract.scoring in ("bid-tricks", "domino", "pair-domino"):
        leads = None
    return Roles(dealer, cuts, turn if is_named else None, leads)


def with_declarer(ruleset: Ruleset, contract: Contract, deal: Deal, turn: int) -> Deal:
    """Return the deal with its declarer, if that follows from the turn.

    A wrongly stated declarer is one problem; all other checks use the right one.
    """
    # Only the checks of details need the declarer.
    if not deal.details or deal.declarer == turn:
        return deal
    return (
        replace(deal, declarer=turn) if contract.declared and ruleset.declares == "turn" else deal
    )


def adjusted_points(ruleset: Ruleset, entry: Adjustment) -> PerSide:
    """Return the points per side of an adjustment.

    With `to="others"`, also as the setting of the table, the other sides share the opposite.
    """
    side = ruleset.sides[entry.seat]
    rest: Points = 0
    if (entry.to or ruleset.settings.get("adjustment_to")) == "others":
        rest = whole(Fraction(-entry.points) / (ruleset.side_count - 1))
    return tuple(entry.points if s == side else rest for s in range(ruleset.side_count))


def _dearest_first(game: Game, contract: Contract) -> Contract | None:
    dearest = game.dearest_left()
    if contract.kind != PENALTY or dearest is None:
        return None
    expense = game.ruleset.expense
    return dearest if expense[dearest.id] < expense[contract.id] else None


def _penalties_first(game: Game, contract: Contract) -> Contract | None:
    penalties = sum(1 for deal in game.deals if deal.contract.kind == PENALTY)
    everything = game.ruleset.side_quotas[PENALTY] * game.ruleset.side_count
    if contract.kind == TRUMP and penalties < everything:
        return game.dearest_left()
    return _dearest_first(game, contract)


ORDERS: Mapping[Setting, Callable[[Game, Contract], Contract | None] | None] = MappingProxyType(
    {
        "free": None,
        "advised": None,
        "ordered": _dearest_first,
        "strict": _penalties_first,
    }
)
"""The named orders of play: each returns the contract that must come first, or None.

None instead of a function: any contract may come.
"""


@dataclass(frozen=True, slots=True)
class Terms:
    """The length and the scoring of a match.

    `length` names a strategy of `LENGTHS`, and `number` is its N. With `laps`, points over the
    target carry into the next game. With `slam`, a game won while all others are at 0 counts as
    two.

    Raises: ValueError: if the length is unknown, or the number is below 1.
    """

    length: str
    number: int
    laps: bool = False
    slam: bool = False

    def __post_init__(self) -> None:
        if self.length not in LENGTHS:
            raise ValueError(f"A match is {' or '.join(LENGTHS)}, not {self.length!r}.")
        if self.number < 1:
            raise ValueError(f"A match is of 1 game or more, not {self.number}.")


@dataclass(frozen=True, slots=True)
class Match:
    """A match so far.

    `won` is the number of games won per side. `carry` is the points per side at the start of the
    next game (0 when the match is over). `played` is the number of games that count. `games_left`
    is the greatest number of games still to come, except draws of a first-to match, which have no
    limit. `winners` is empty until the match is over; sides that are level then have won it
    jointly.
    """

    won: tuple[int, ...]
    carry: tuple[Points, ...]
    played: int
    games_left: int
    winners: tuple[int, ...] = ()

    @property
    def over(self) -> bool:
        return self.games_left == 0


def play_match(
    sides: int, games: Sequence[Sequence[Points]], target: Points, terms: Terms
) -> Match:
    """Return the match after `games`: the totals per side of each finished game, in order.

    The totals include the points carried into the game. The highest total wins a game, even one
    that was stopped short of the target. Equal highest totals win it jointly (`docs/rules.md` §4
    `euchre-three`), a game for each; but if all sides are level, nobody has won. Games beyond the
    end of the match, which a correction of an earlier game can leave behind, do not count.

    Raises: ValueError: if a game does not have one total for each side.
    """
    won, counted, played = [0] * sides, 0, 0
    carry: tuple[Points, ...] = (0,) * sides
    games_left = LENGTHS[terms.length]
    for totals in games:
        if len(totals) != sides:
            raise ValueError(f"A game has a total for each of {sides} sides, not {len(totals)}.")
        if games_left(terms.number, won, counted) == 0:
            break
        best = _highest(totals)
        # Nobody has won if all are level.
        winners = () if len(best) == sides else best
        # A slam: the winners reached the target with all others at 0 or below. A total below 0
        # counts too, or else a penalty would protect its side from a slam.
        is_slam = bool(winners) and all(
            total >= target if side in winners else total <= 0 for side, total in enumerate(totals)
        )
        worth = 2 if terms.slam and is_slam else 1
        for side in winners:
            won[side] += worth
        counted, played = counted + worth, played + 1
        carry = over_target(totals, target) if terms.laps else carry
    left = games_left(terms.number, won, counted)
    if left:
        return Match(tuple(won), carry, played, left)
    return Match(tuple(won), (0,) * sides, played, 0, _highest(won))


def over_target(totals: Sequence[Points], target: Points) -> tuple[Points, ...]:
    """Return the points of each side over the target, whether it has won the game or not.

    The result is always less than the target: no game is won before it begins.
    """
    return tuple(min(max(total - target, 0), target - 1) for total in totals)


def _highest(numbers: Sequence[Points]) -> tuple[int, ...]:
    return tuple(side for side, number in enumerate(numbers) if number == max(numbers))


LENGTHS: Mapping[str, Callable[[int, Sequence[int], int], int]] = MappingProxyType(
    {
        # Over with more than half of N won, or with N games counted. A draw counts as one of the N
        # and a slam as two. So with draws, an even N or more than two sides, the match may end
        # level, or with less than half won.
        "best-of": lambda number, won, counted: (
            0 if 2 * max(won) > number else max(number - counted, 0)
        ),
        # Over with N won; before the last game all may be one short of it.
        "first-to": lambda number, won, _counted: (
            0 if max(won) >= number else sum(number - 1 - games for games in won) + 1
        ),
    }
)
"""The named lengths: each returns the most games left, 0 when the match is over.

The arguments are N, the games won per side, and the games counted; a slam counts as two.
"""


def check_totals(ruleset: Ruleset, totals: PerSide, *, early: bool = False) -> Iterator[Problem]:
    """Yield the reasons why a game cannot have ended with `totals`, one per side.

    With `early`, a King or the table ended it before its last deal, so the sum is unknown.
    """
    if len(totals) != ruleset.side_count:
        params = {"expected": ruleset.side_count, "got": len(totals)}
        yield Problem(Code.WRONG_SEATS, "totals", params)
        return
    if early:
        return
    ends = sums_of(ruleset).game
    if ends is not None and not ends[0] <= sum(totals) <= ends[1]:
        least, most, got = map(write_points, (*ends, sum(totals)))
        yield Problem(Code.BAD_SUM, "totals", {"least": least, "most": most, "got": got})
    if ruleset.target is not None and max(totals) < ruleset.target:
        yield Problem(Code.BELOW_TARGET, "totals", {"target": ruleset.target})


def only_totals(game: Game, *, rated: bool = False) -> bool:
    """Return whether no deal is known of a game, only its totals.

    With `rated`, totals that were imported do not count.
    """
    if game.turns:
        return False
    # Adjustments in records from before totals were an entry.
    reasons = (TOTALS,) if rated else (TOTALS, IMPORTED)
    return any(
        not (rated and entry.imported)
        if isinstance(entry, Totals)
        else isinstance(entry, Adjustment) and entry.reason in reasons
        for entry in game.entries
    )


def share_of_unplayed(game: Game) -> Points:
    """Return what each side of a stopped game lacks until its sum is that of a whole game.

    It is 0 for a game that was not stopped, and for rules whose whole games have any sum. If they
    have one of several, the nearest is taken. Points that a director gave count in no sum.
    """
    # Totals are of a whole game, or were stopped; some were corrected before that was checked.
    by_totals = any(isinstance(entry, Totals) for entry in game.entries)
    if game.ending is None or (game.ending.by != "stopped" and not by_totals):
        return 0
    of_whole = sums_of(game.ruleset).game
    if of_whole is None:
        return 0
    # Adjustments in records from before totals were an entry.
    totals = () if game.turns else (TOTALS, IMPORTED)
    played = sum(
        sum(row.points)
        for row in game.rows
        if not isinstance(entry := game.entries[row.entry], Adjustment) or entry.reason in totals
    )
    due = min(max(played, of_whole[0]), of_whole[1])
    return whole(Fraction(due - played, game.ruleset.side_count))


FINEST_PART = 1000
"""Adjustments and totals can have fractions of a point, down to a thousandth."""

MOST_POINTS = 1_000_000
"""The most points, above or below 0, that can be typed or sent."""


def check(game: Game, entry: Entry) -> list[Problem]:
    """Return every reason why `entry` cannot come next."""
    if game.open_deal is not None:
        return [Problem(Code.OPEN_DEAL, "", {})]
    if game.ending is not None and not isinstance(entry, Adjustment):
        return [Problem(Code.GAME_OVER, "", {})]
    return list(CHECKS[type(entry)](game, entry))


def play(game: Game, entry: Entry, accepted: Container[Code] = ()) -> Game:
    """Return the game after `entry`.

    Raises: InvalidEntry: with every problem of `entry` but those of the `accepted` codes.
    """
    if problems := [problem for problem in check(game, entry) if problem.code not in accepted]:
        raise InvalidEntry(problems)
    return game.after(entry)


def check_room(game: Game) -> Iterator[Problem]:
    """Yield a problem if a sheet is full.

    Not part of `check`: sheets stored before there was a limit are longer, and are still read.
    """
    most = game.ruleset.most_entries
    if len(game.entries) >= most:
        yield Problem(Code.TOO_MANY_ENTRIES, "", {"most": most})


def check_declarer(game: Game, declarer: int | None) -> Iterator[Problem]:
    """Yield the reasons why `declarer` cannot declare next."""
    if declarer is None:
        return
    sides, expected = game.ruleset.sides, game.declarer
    if declarer not in range(game.ruleset.seats):
        yield from check_seat(game.ruleset, "declarer", declarer)
    elif declarer != expected and not (
        game.ruleset.declares == "pair" and sides[declarer] == sides[expected]
    ):
        yield Problem(Code.WRONG_DECLARER, "declarer", {"expected": expected, "got": declarer})


def _check_deal(game: Game, deal: Deal) -> list[Problem]:
    ruleset, turn = game.ruleset, game.declarer
    contract = ruleset.contract_named(deal.contract)
    problems: list[Problem] = []
    if deal.declarer is None:
        # Of a pair, either player may have declared.
        if ruleset.declares == "pair" and deal.counts is not None:
            problems.append(missing("declarer"))
    elif contract is not None and not (contract.declared and contract.named):
        problems.append(unexpected("declarer"))
    elif deal.declarer != turn:
        problems += check_declarer(game, deal.declarer)
    if "sealed" in ruleset.fields and (deal.contract is not None or deal.counts is None):
        problems += check_seal(deal.contract, deal.details)
    if contract is None and deal.contract is not None:
        params = {"contract": deal.contract}
        return [*problems, Problem(Code.UNKNOWN_CONTRACT, "contract", params)]
    if contract is None:
        sealed = "sealed" in ruleset.fields and "sealed" in deal.details
        if not sealed or deal.counts is not None:
            problems.append(Problem(Code.MISSING_FIELD, "contract", {"field": "contract"}))
        known = fields_anywhere(ruleset)
        return problems + [unexpected(name) for name in deal.details if name not in known]
    if contract.named:
        problems += game.check_choice(contract, turn)
    elif deal.contract is not None:
        problems.append(unexpected("contract"))
    problems += check_deal(ruleset, contract, with_declarer(ruleset, contract, deal, turn))
    if "offered" in ruleset.fields and ("offered" in deal.details or deal.counts is not None):
        left = {c.id: game.times_left(c) or 0 for c in ruleset.contracts}
        problems += check_offer(left, contract.id, deal.details)
    return [*problems, *_check_doubles(game, contract, deal)]


def _check_doubles(game: Game, contract: Contract, deal: Deal) -> Iterator[Problem]:
    """Check doubles of the others (`docs/rules.md` §2.6): the declarer only redoubles."""
    turn, doubles = game.declarer, deal.details.get("doubles", ())
    if game.ruleset.settings.get("doubles_rule") != "declarer":
        return
    if any(double.get("by") == turn for double in doubles):
        yield Problem(Code.BAD_DOUBLE, "doubles", {"why": "declarer"})
    if (deal_sum(game.ruleset, contract) or 0) > 0 and any(turn not in d["seats"] for d in doubles):
        yield Problem(Code.BAD_DOUBLE, "doubles", {"why": "positive"})
    if deal.counts is None:
        return
    after = game._replace(deals=(*game.deals, PlayedDeal(0, contract, turn, deal, None)))
    later = _hands_left(after, turn)
    for seat, owed in owed_doubles(after, turn).items():
        if owed > later:
            params = {"why": "duty", "seat": seat, "owed": owed, "deals": later}
            yield Problem(Code.BAD_DOUBLE, "doubles", params)


def owed_doubles(game: Game, declarer: int) -> dict[int, int]:
    """Return how often each other player still has to double a declarer."""
    settings, seats = game.ruleset.settings, game.ruleset.seats
    if settings.get("doubles_rule") != "declarer" or game.ruleset.length is None:
        return {}
    played = [deal.deal for deal in game.deals if deal.declarer == declarer]
    duty = min(int(settings.get("doubles_duty", 0)), len(played) + _hands_left(game, declarer))
    pairs = [double["seats"] for deal in played for double in deal.details.get("doubles", ())]
    done = Counter(seat for pair in pairs if declarer in pair for seat in pair)
    others = [(declarer + turn) % seats for turn in range(1, seats)]
    return {seat: duty - done[seat] for seat in others if duty > done[seat]}


def _hands_left(game: Game, seat: int) -> int:
    """Return how many of the hands left to be played are the turn of a seat."""
    ruleset, in_a_row = game.ruleset, game.ruleset.in_a_row
    hands = range(game.turns, (ruleset.length or 0) + game.passed)
    laps, rest = divmod(len(hands), in_a_row * ruleset.seats)
    return laps * in_a_row + sum(game.seat_of(hand) == seat for hand in hands[:rest])


def _check_void(game: Game, void: Void) -> Iterator[Problem]:
    contract = game.ruleset.by_id.get(void.contract or "")
    barred: list[Problem] = []
    if void.contract is not None and game.ruleset.unnamed is not None:
        yield unexpected("contract")
    elif void.contract is not None and contract is None:
        yield Problem(Code.UNKNOWN_CONTRACT, "contract", {"contract": void.contract})
    elif contract is not None:
        barred = list(game.check_choice(contract))
    if contract is not None and not contract.declared and void.declarer is not None:
        yield unexpected("declarer")
    else:
        yield from check_declarer(game, void.declarer)
    for name in void.details:
        if name not in game.ruleset.fields or void.contract is None:
            yield unexpected(name)
    if "sealed" in game.ruleset.fields and void.contract is not None:
        yield from check_seal(void.contract, void.details)
    if void.reason != "over-quota" or void.reason not in game.ruleset.voids:
        yield from barred
    yield from _check_void_reason(game, void, contract, barred)


def _check_void_reason(
    game: Game, void: Void, contract: Contract | None, barred: Sequence[Problem]
) -> Iterator[Problem]:
    if void.reason not in game.ruleset.voids:
        yield Problem(Code.VOID_NOT_ALLOWED, "reason", {"reason": void.reason})
    elif void.reason == "misdeal":
        return
    elif void.contract is None:
        yield missing("contract")
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
        # Only the declarer's hand matters for the contract, and only one who must name trump
        # suffers; some tables let all of these ask.
        if redeal.by in range(game.ruleset.seats) and redeal.by not in askers_of(game):
            yield Problem(Code.REDEAL_NOT_ALLOWED, "by", {**params, "declarer": game.declarer})
        if game.ruleset.settings.get("redeal_by") != "must-trump" and game.must != TRUMP:
            yield Problem(Code.REDEAL_NOT_ALLOWED, "reason", params)


def askers_of(game: Game) -> list[int]:
    """Return the seats that may ask for new cards because they have no high one."""
    if game.ruleset.settings.get("redeal_by") != "must-trump":
        return [game.declarer]
    return [seat for seat in range(game.ruleset.seats) if game.must_of(seat) == TRUMP]


REDEAL_SWITCHES: Mapping[str, str] = MappingProxyType({"four-extremes": "domino_redeal"})
"""The reasons for new cards that need a setting, and the setting for each."""


def redeals_of(game: Game) -> tuple[str, ...]:
    """Return the reasons for which a player may request new cards now."""
    of_contracts = [
        reason
        for contract in game.ruleset.contracts
        for reason in contract.redeals
        if game.ruleset.settings.get(REDEAL_SWITCHES[reason])
        and not any(game.check_choice(contract))
    ]
    return (*game.ruleset.redeals, *dict.fromkeys(of_contracts))


def _check_other(game: Game, entry: Passed | Adjustment | Stopped | Totals) -> Iterator[Problem]:
    if isinstance(entry, Passed):
        if not game.ruleset.passes:
            yield Problem(Code.WRONG_TYPE, "type", {"expected": "deal"})
    elif isinstance(entry, Stopped):
        if entry.reason not in STOP_REASONS:
            yield Problem(Code.WRONG_TYPE, "reason", {"expected": " | ".join(STOP_REASONS)})
    elif isinstance(entry, Totals):
        if any(points.denominator > FINEST_PART for points in entry.totals):
            yield wrong_type("totals", "list of points")
        # The sum of totals that were never checked is shown as wrong on the sheet.
        yield from check_totals(game.ruleset, entry.totals, early=entry.early or entry.unchecked)
    else:
        yield from check_seat(game.ruleset, "seat", entry.seat)
        # Limit the totals so that they can be written down, whatever fractions are added.
        if entry.points == 0 or entry.points.denominator > FINEST_PART:
            yield Problem(Code.BAD_ADJUSTMENT, "points", {})
        if entry.to not in (None, "none", "others"):
            yield Problem(Code.BAD_ADJUSTMENT, "to", {"to": entry.to})
        if not entry.reason.strip():
            yield Problem(Code.BAD_ADJUSTMENT, "reason", {})


CHECKS: Mapping[type, Callable[[Game, Any], Iterable[Problem]]] = MappingProxyType(
    {
        Deal: _check_deal,
        Void: _check_void,
        Redeal: _check_redeal,
        Passed: _check_other,
        Adjustment: _check_other,
        Stopped: _check_other,
        Totals: _check_other,
    }
)
"""The checks of each kind of entry."""


_HASH = re.compile("[0-9a-fA-F]{64}")
_SALT = re.compile("[0-9a-fA-F]{32,1000}")


def seal(contract: str, salt: str) -> str:
    """Return the hash to publish for a contract: SHA-256 of `contract + ":" + salt`, in hex.

    `salt` is at least 128 random bits in hex.
    """
    return sha256(f"{contract}:{salt}".encode()).hexdigest()


def check_seal(contract: str | None, details: Mapping[str, Any]) -> Iterator[Problem]:
    """Check `sealed` and `salt`: only the hash before the reveal, both after it."""
    sealed, salt = details.get("sealed"), details.get("salt")
    if sealed is not None and not _HASH.fullmatch(sealed):
        yield Problem(Code.BAD_SEAL, "sealed", {"why": "no-hash"})
    elif salt is not None and not _SALT.fullmatch(salt):
        yield Problem(Code.BAD_SEAL, "salt", {"why": "no-salt"})
    elif (salt is None) != (sealed is None or contract is None):
        # A salt before the reveal would give the contract away; a hash without a salt proves
        # nothing.
        where = "sealed" if sealed is None else "salt"
        yield Problem(Code.BAD_SEAL, where, {"why": "incomplete"})
    elif (
        contract is not None
        and sealed is not None
        and salt is not None
        and not compare_digest(seal(contract, salt), sealed.lower())
    ):
        yield Problem(Code.BAD_SEAL, "sealed", {"why": "changed"})


OFFERED = 2


def check_offer(
    left: Mapping[str, int], contract: str, details: Mapping[str, Any]
) -> Iterator[Problem]:
    """Check `offered` and `third` of a completed deal (`docs/rules.md` §2.5).

    `left` holds the number of times that each contract was left before the deal. Another check
    covers whether `contract` itself is left.
    """
    number_left = sum(left.values())
    offered = details.get("offered")
    if number_left < OFFERED:
        if offered is not None:
            yield _bad("offered", "last-one")
        if details.get("third"):
            yield _bad("third", "last-one")
    elif offered is None:
        yield missing("offered")
    elif len(offered) != OFFERED or any(n > left.get(c, 0) for c, n in Counter(offered).items()):
        yield _bad("offered", "not-two-left")
    elif details.get("third"):
        if number_left == OFFERED or offered.count(contract) >= left.get(contract, 0) > 0:
            yield _bad("third", "no-third" if number_left == OFFERED else "was-offered")
    elif contract not in offered and left.get(contract, 0) > 0:
        yield _bad("offered", "not-offered")


def _bad(where: str, why: str) -> Problem:
    return Problem(Code.BAD_OFFER, where, {"why": why})


def redeal_reasons(ways: Sequence[Ruleset]) -> list[str]:
    """Return the reasons for new cards at some of the tables."""
    switched = [
        reason
        for way in ways
        for contract in way.contracts
        for reason in contract.redeals
        if way.settings.get(REDEAL_SWITCHES[reason])
    ]
    return list(dict.fromkeys((*ways[0].redeals, *switched)))
