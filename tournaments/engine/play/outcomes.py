"""The outcome of a game and of an evening, and who pays whom."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import floor
from operator import add
from types import MappingProxyType
from typing import NamedTuple

from tournaments.engine.play.games import Game, PlayedDeal
from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import TRUMP, Points, Ruleset, Setting


@dataclass(frozen=True, slots=True)
class Outcome:
    """The rank of each side (1 is best, equals share), and the sides that are out and sunk."""

    ranks: tuple[int, ...]
    out: tuple[int, ...] = ()
    sunk: tuple[int, ...] = ()


def decide(game: Game, *, as_finished: bool = False) -> Outcome:
    """Return the outcome of a game so far; out and sunk are empty until it is finished.

    A King made beats every score, a failed one loses to every score. `as_finished` is the outcome
    if the game ended now.
    """
    ranks = rank(game.totals)
    if game.ending is not None and game.ending.seat is not None:
        lift = [0] * game.ruleset.side_count
        lift[game.ruleset.sides[game.ending.seat]] = 1 if game.ending.by == "king" else -1
        ranks = rank(list(zip(lift, game.totals, strict=True)))
    if not game.finished and not as_finished:
        return Outcome(ranks)
    out = OUTCOMES[game.ruleset.settings["outcome"]](game)
    if out is None:
        return Outcome(ranks)
    sunk = tuple(side for side in range(game.ruleset.side_count) if side not in out)
    return Outcome(ranks, out, sunk)


def rank(keys: Sequence[object]) -> tuple[int, ...]:
    """Return places for keys, the largest first; equal keys share a place (1, 2, 2, 4)."""
    ordered = sorted(keys, reverse=True)  # type: ignore[type-var]
    return tuple(ordered.index(key) + 1 for key in keys)


def _out_by_score(game: Game) -> tuple[int, ...]:
    """The sides that are out: only a made King's, all but a failed King's, or else by score."""
    ending = game.ending
    sides = range(game.ruleset.side_count)
    if ending is not None and ending.seat is not None:
        king = game.ruleset.sides[ending.seat]
        return tuple(side for side in sides if (side == king) == (ending.by == "king"))
    totals = game.totals
    bar: Points = 0
    if game.ruleset.settings.get("out") == "mean":
        bar = Fraction(sum(totals), len(totals))
    return tuple(side for side, points in enumerate(totals) if points > bar)


def _pair_out_by_score(game: Game) -> tuple[int, ...] | None:
    """The sides that are out by score; None for a draw at 0 each (`docs/rules.md` §1.7)."""
    king = game.ending is not None and game.ending.seat is not None
    return _out_by_score(game) if king or any(game.totals) else None


OUTCOMES: Mapping[Setting, Callable[[Game], tuple[int, ...] | None]] = MappingProxyType(
    {
        "out-and-sunk": _out_by_score,
        "pair-out-and-sunk": _pair_out_by_score,
        "highest-wins": lambda _game: None,
    }
)
"""The named outcomes: each returns the sides that are out, or None if there is only a winner."""


def sinks(ruleset: Ruleset) -> bool:
    """Return whether players can sink in a game, or whether it only has a winner."""
    return ruleset.settings.get("outcome") != "highest-wins"


def tricks_to_be_out(game: Game) -> tuple[int | None, ...]:
    """Return how many tricks each side still needs, over all trump deals left, to be out by score.

    It then takes nothing in the penalties left. 0 for a side that is above already, None for one
    that more tricks than are left would not save. Empty where nobody sinks, where the rules leave
    open how many deals of trumps come, or what the mean will be, and at the end.
    """
    ruleset = game.ruleset
    trumps = [contract for contract in ruleset.contracts if contract.kind == TRUMP]
    if game.finished or not sinks(ruleset) or ruleset.steps or len(trumps) != 1:
        return ()
    penalties, trump_deals = deals_left(game)
    trump, bar = trumps[0], Fraction(0)
    value = Fraction(trump.values.get("tricks", 0))
    if trump_deals is None or trump.scoring != "per-unit" or value <= 0:
        return ()
    if ruleset.settings.get("out") == "mean":
        others = [contract for contract in ruleset.contracts if contract.kind != TRUMP]
        left = [
            (game.times_left(contract) or 0, ruleset.unit_sums[contract.id]) for contract in others
        ]
        if penalties and sum(times for times, _worth in left) != penalties:
            return ()
        worth = sum(times * each for times, each in left if penalties)
        end = sum(game.totals) + trump_deals * ruleset.unit_sums[trump.id] + worth
        bar = Fraction(end, ruleset.side_count)
    needs = (max(floor((bar - points) / value) + 1, 0) for points in game.totals)
    return tuple(need if need <= trump_deals * ruleset.tricks else None for need in needs)


def deals_left(game: Game) -> tuple[int, int | None]:
    """Return how many deals of penalties and of trumps are left, the latter None if it is open."""
    ruleset, played = game.ruleset, len(game.deals)
    left = (ruleset.length or 0) - played
    if ruleset.stages:
        stages = [{ruleset.by_id[name].kind for name in stage} for stage in ruleset.plan[played:]]
        trumps = stages.count({TRUMP})
        is_open = any(len(kinds) > 1 for kinds in stages)
    else:
        firsts = [ruleset.sides.index(side) for side in range(ruleset.side_count)]
        declared = [game.left_to_declare(seat) for seat in firsts]
        trumps = sum(kinds.get(TRUMP, 0) for kinds in declared)
        is_open = sum(sum(kinds.values()) for kinds in declared) != left
    return (left, None) if is_open else (left - trumps, trumps)


Earners = Callable[[Game, PlayedDeal], Iterable[int]]
"""Returns the sides that earned a badge with a deal."""


class Badge(NamedTuple):
    """A badge, the side that earned it, and the index of the entry that earned it."""

    badge: str
    seat: int
    entry: int


def award(game: Game, outcome: Outcome | None = None) -> tuple[Badge, ...]:
    """Return all badges of a game so far, in the order of the entries (`docs/rules.md` §1.11)."""
    earned = [
        Badge(badge, side, played.entry)
        for played in game.deals
        for badge in played.contract.badges
        if played.king is not None or badge not in OF_A_KING
        for side in IN_A_DEAL[badge](game, played)
    ]
    if game.ending is not None:
        outcome = outcome or decide(game)
        earned += [
            Badge(badge, side, game.ending.entry)
            for badge in game.ruleset.badges
            for side in AT_THE_END[badge](outcome)
        ]
    return tuple(earned)


IN_A_DEAL: dict[str, Earners] = {}
"""Badges for a deal: each function returns the sides that earned it."""

OF_A_KING = frozenset({"king", "outside-king"})
"""Badges that only a deal with a declared King can earn."""


def in_a_deal(name: str) -> Callable[[Earners], Earners]:
    def add(earners: Earners) -> Earners:
        IN_A_DEAL[name] = earners
        return earners

    return add


def _taken(played: PlayedDeal) -> tuple[int, ...]:
    counts, units = played.deal.counts or {}, tuple(played.contract.values)
    if units == ("seventh_trick", "last_trick"):
        return tuple(map(add, *(counts[unit] for unit in units)))
    return counts[units[0]]


@in_a_deal("king")
def _king(game: Game, played: PlayedDeal) -> Sequence[int]:
    king = played.king
    return () if king is None or not king.made else (game.ruleset.sides[king.seat],)


@in_a_deal("outside-king")
def _outside_king(game: Game, played: PlayedDeal) -> Sequence[int]:
    own = game.ruleset.sides[played.declarer]
    return [side for side in _king(game, played) if side != own]


@in_a_deal("dys")
def _dys(game: Game, played: PlayedDeal) -> Sequence[int]:
    side = game.ruleset.sides[played.declarer]
    taken = _taken(played)
    return (side,) if 2 * taken[side] > sum(taken) else ()


@in_a_deal("ox-eye")
def _ox_eye(game: Game, played: PlayedDeal) -> Sequence[int]:
    """No units in either deal of the same penalty; earned with the second deal."""
    taken = _taken(played)
    if 0 not in taken:
        return ()
    contract = played.contract
    both = [deal for deal in game.deals if deal.contract is contract]
    if len(both) != 2 or both[0] is played:
        return ()
    before = _taken(both[0])
    return [side for side, units in enumerate(taken) if units == before[side] == 0]


@in_a_deal("flower")
def _flower(_game: Game, played: PlayedDeal) -> Sequence[int]:
    taken = _taken(played)
    return [side for side, tricks in enumerate(taken) if tricks == 0] if 0 in taken else ()


def _rifki(game: Game, played: PlayedDeal, *, taken: bool) -> tuple[int, ...]:
    """The side that held the Rıfkı, if it has taken it (or has not)."""
    holder = played.deal.details.get("rifki_holder")
    if holder is None:
        return ()
    side = game.ruleset.sides[int(holder)]
    return (side,) if bool(_taken(played)[side]) == taken else ()


IN_A_DEAL |= {"sold-rifki": partial(_rifki, taken=False), "own-rifki": partial(_rifki, taken=True)}

AT_THE_END: Mapping[str, Callable[[Outcome], tuple[int, ...]]] = MappingProxyType(
    {
        "triple-socket": lambda end: end.sunk if len(end.sunk) == 1 and len(end.out) == 3 else (),
        "phone-plug": lambda end: end.out if len(end.out) == 1 and len(end.sunk) == 3 else (),
    }
)
"""Badges for the end of a game."""


@dataclass(slots=True)
class Earned:
    """A seat's deals of one contract, declared by it or by others, with its points.

    The points are those of its side.
    """

    declared: int = 0
    declared_points: Points = 0
    others: int = 0
    others_points: Points = 0


def earned(game: Game) -> dict[str, list[Earned]]:
    """Return the earnings of each seat, in seat order, by contract played.

    A deal without a declarer, or without a choice of contract, counts as declared by others.
    """
    ruleset = game.ruleset
    moved = {row.entry: row.points for row in game.rows}
    by_contract: dict[str, list[Earned]] = {}
    for number, played in enumerate(game.deals):
        contract = played.contract
        seats = by_contract.setdefault(contract.id, [Earned() for _ in ruleset.sides])
        stage = ruleset.plan[number] if number < len(ruleset.plan) else ()
        no_choice = len(stage) == 1 and not contract.trumps
        chose = None if no_choice else who_declared(played)
        points = moved[played.entry]
        for seat, side in enumerate(ruleset.sides):
            if seat == chose:
                seats[seat].declared += 1
                seats[seat].declared_points += points[side]
            else:
                seats[seat].others += 1
                seats[seat].others_points += points[side]
    return by_contract


def who_declared(played: PlayedDeal) -> int | None:
    """Return the seat that declared or made trump; None if the deal had only a leader."""
    maker: int | None = played.deal.details.get("maker")
    declared = played.contract.declared and played.contract.named
    return played.declarer if declared else maker


def write_earned(game: Game) -> dict[str, list[list[int | str]]]:
    """Return `earned` as JSON.

    By contract, each seat has four values: its declared deals and their points, the other deals and
    their points.
    """
    return {
        contract: [
            [
                seat.declared,
                write_points(seat.declared_points),
                seat.others,
                write_points(seat.others_points),
            ]
            for seat in seats
        ]
        for contract, seats in earned(game).items()
    }


def write_badges(badges: Sequence[Badge], sides: int) -> dict[str, list[int]]:
    """Return how often each side earned each badge, as JSON; only badges that were earned."""
    found = Counter((badge.badge, badge.seat) for badge in badges)
    names = dict.fromkeys(badge.badge for badge in badges)
    return {name: [found[name, side] for side in range(sides)] for name in names}


CENT = Fraction(1, 100)
"""The default smallest coin."""


class Payment(NamedTuple):
    """What one side pays to another: an `amount` above 0 of a `thing`, or of money without one."""

    payer: int
    payee: int
    amount: Fraction
    thing: str = ""


@dataclass(frozen=True, slots=True)
class Settlement:
    """The balance of each side (above 0: it wins), in side order, and the payments for them.

    All amounts are money in whole coins; the balances sum to 0.
    """

    balances: tuple[Fraction, ...]
    payments: tuple[Payment, ...]


OWES: Mapping[str, Callable[[Outcome, int, int], bool]] = MappingProxyType(
    {
        "sinking": lambda end, payer, payee: payer in end.sunk and payee in end.out,
        "last": lambda end, payer, _payee: end.ranks[payer] == max(end.ranks),
        "place": lambda end, payer, payee: end.ranks[payer] > end.ranks[payee],
    }
)
"""Whether a side owes the stake to another; two who owe it to each other pay nothing."""


def settle_game(game: Game) -> Settlement | None:
    """Return the settlement of a game by its stake, as if it ended now; None without a stake.

    None also before the first points, and for a stake on sinking where nobody can sink. Each of a
    pair owes what a player alone would, except for points and for a pot.
    """
    stake, ruleset = game.stake, game.ruleset
    if stake is None or not game.rows or (stake.per in ("sinking", "pot") and not sinks(ruleset)):
        return None
    if stake.per == "point":
        return settle(game.totals, stake.amount, thing=stake.thing)
    end, sides = decide(game, as_finished=True), range(ruleset.side_count)
    if stake.per == "pot":
        won, lost = Fraction(len(end.sunk), len(end.out) or 1), -1 if end.out else 0
        units = [won if side in end.out else lost * (side in end.sunk) for side in sides]
    else:
        owes = OWES[stake.per]
        owed = [sum(owes(end, b, a) - owes(end, a, b) for b in sides) for a in sides]
        units = [Fraction(number * ruleset.seats_in_a_side) for number in owed]
    return settle(units, stake.amount, thing=stake.thing)


def settle(
    totals: Sequence[Points], stake: Points, coin: Fraction = CENT, thing: str = ""
) -> Settlement:
    """Return stake × (score − mean score) for each side, and the fewest payments that settle it.

    `totals` are points per side, `stake` is money (or a thing) per point, `coin` is the smallest
    unit of it.

    Balances are rounded to whole coins by largest remainders. All are rounded down; the coins then
    missing from a sum of 0 go, one each, to the sides that lost most by rounding. Ties go to the
    side that comes first. So each balance is less than a coin from its exact value, and a higher
    score never gets less than a lower one.

    The work doubles with each side, which is negligible for the sides of one table.

    Raises: ValueError: if there are no sides, or stake or coin is not above 0.
    """
    _check_money("stake", stake)
    _check_money("coin", coin)
    if not totals:
        raise ValueError("There is nobody to settle with.")
    mean = Fraction(sum(totals)) / len(totals)
    coins = _round([stake * (score - mean) / coin for score in totals])
    balances = tuple(number * coin for number in coins)
    return Settlement(balances, tuple(_payments(coins, coin, thing)))


MOST_TO_GROUP = 10
"""The largest number of people for which the fewest payments are sought; more only need few."""


def _payments(coins: Sequence[int], coin: Fraction, thing: str) -> Iterator[Payment]:
    """Yield the fewest payments: in each group the largest debtor pays the largest creditor.

    Each payment settles one side, and the last payment of a group two.
    """
    left = {side: number for side, number in enumerate(coins) if number}
    for group in _settling_groups(left) if len(left) <= MOST_TO_GROUP else [left]:
        while any(group.values()):
            payer = min(group, key=lambda side: (group[side], side))
            payee = max(group, key=lambda side: (group[side], -side))
            number = min(-group[payer], group[payee])
            group[payer] += number
            group[payee] -= number
            yield Payment(payer, payee, number * coin, thing)


def _check_money(name: str, money: Points) -> None:
    if money <= 0:
        raise ValueError(f"A {name} is above 0, not {money}.")


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


def _settling_groups(coins: Mapping[int, int]) -> Iterator[dict[int, int]]:
    """Split the sides, with their coins, into as many groups as can settle among themselves.

    A group of n sides that cannot be divided further needs n − 1 payments, so more groups mean
    fewer payments.
    """
    subsets = [frozenset[int]()]
    for side in coins:
        subsets += [subset | {side} for subset in subsets]
    # For each set of sides, the side to remove first so that most of the later rests sum to 0:
    # removing the sides one by one completes a group each time that the rest sums to 0.
    first: dict[frozenset[int], int] = {}
    groups = {subsets[0]: 0}
    for subset in sorted(subsets[1:], key=len):
        side = first[subset] = max(sorted(subset), key=lambda side: groups[subset - {side}])
        settled = sum(coins[member] for member in subset) == 0
        groups[subset] = groups[subset - {side}] + settled
    left = dict(coins)
    while left:
        group: dict[int, int] = {}
        while not group or sum(group.values()) != 0:
            side = first[frozenset(left)]
            group[side] = left.pop(side)
        yield group


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A finished game with the names of its players in seat order."""

    game: Game
    players: Sequence[str]

    @property
    def outcome(self) -> Outcome:
        return decide(self.game)


@dataclass(frozen=True, slots=True)
class Placed:
    """A player's rank and total in a game, with those of a partner the same; how it ended."""

    rank: int
    total: Points
    out: bool
    sunk: bool
    king: bool


@dataclass(frozen=True, slots=True)
class EveningStanding:
    """A player's evening: `placed` has an item for each game, None for those without the player."""

    name: str
    placed: tuple[Placed | None, ...]

    @property
    def games(self) -> int:
        return len(list(self._played()))

    @property
    def won(self) -> int:
        """Return how many games the player was first in, alone or with others."""
        return sum(placed.rank == 1 for placed in self._played())

    @property
    def sunk(self) -> int:
        return sum(placed.sunk for placed in self._played())

    @property
    def kings(self) -> int:
        return sum(placed.king for placed in self._played())

    @property
    def points(self) -> Points:
        return sum((placed.total for placed in self._played()), start=0)

    @property
    def average(self) -> Fraction:
        return Fraction(self.points) / self.games

    def places(self) -> tuple[int, ...]:
        """Return how often the player was first, second, … up to the last place taken."""
        ranks = [placed.rank for placed in self._played()]
        return tuple(ranks.count(rank) for rank in range(1, max(ranks) + 1))

    def _played(self) -> Iterator[Placed]:
        return (placed for placed in self.placed if placed is not None)


def tally(games: Sequence[FinishedGame]) -> list[EveningStanding]:
    """Return the standing of each player, by games won, then points, then first appearance."""
    names = dict.fromkeys(name for played in games for name in played.players)
    rows = [{name: _placed(played, name) for name in names} for played in games]
    standings = [EveningStanding(name, tuple(row[name] for row in rows)) for name in names]
    return sorted(standings, key=lambda standing: (-standing.won, -standing.points))


def _placed(played: FinishedGame, name: str) -> Placed | None:
    if name not in played.players:
        return None
    game, outcome = played.game, played.outcome
    side = game.ruleset.sides[played.players.index(name)]
    ending = game.ending
    king = ending is not None and ending.by == "king" and ending.seat is not None
    made_king = king and game.ruleset.sides[ending.seat or 0] == side if ending else False
    out, sunk = side in outcome.out, side in outcome.sunk
    return Placed(outcome.ranks[side], game.totals[side], out, sunk, made_king)


def settle_evening(games: Sequence[FinishedGame]) -> tuple[list[str], tuple[Payment, ...]] | None:
    """Return the names, and payments between their indexes, for all games with a stake.

    None if no game has one. Partners share what their pair wins or loses; each thing is settled
    by itself.
    """
    names = list(dict.fromkeys(name for played in games for name in played.players))
    by_thing: dict[str, dict[str, Fraction]] = {}
    for played in games:
        rules, stake = played.game.ruleset, played.game.stake
        settlement = settle_game(played.game)
        if settlement is None or stake is None:
            continue
        balances = by_thing.setdefault(stake.thing, dict.fromkeys(names, Fraction(0)))
        for seat, name in enumerate(played.players):
            balances[name] += settlement.balances[rules.sides[seat]] / rules.seats_in_a_side
    if not by_thing:
        return None
    payments: list[Payment] = []
    for thing, balances in by_thing.items():
        coins = _round([balance / CENT for balance in balances.values()])
        payments += _payments(coins, CENT, thing)
    return names, tuple(payments)


def courses(games: Sequence[FinishedGame]) -> dict[str, list[Points]]:
    """Return the points of the evening of each player after each row of all games, from 0.

    During games without the player they stay.
    """
    names = dict.fromkeys(name for played in games for name in played.players)
    lines: dict[str, list[Points]] = {name: [0] for name in names}
    for played in games:
        sides = played.game.ruleset.sides
        for name, points in lines.items():
            before = points[-1]
            if name in played.players:
                side = sides[played.players.index(name)]
                points.extend(before + row.totals[side] for row in played.game.rows)
            else:
                points.extend([before] * len(played.game.rows))
    return lines
