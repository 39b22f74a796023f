"""Rulesets: their units, contracts, options and ends, and the problems of entries."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from operator import add, le, sub
from types import MappingProxyType
from typing import Any

LONGEST_NAME = 80
"""Names of players, clubs, teams, events, seasons, rulesets and contracts; titles, places,
authors."""

LONGEST_VENUE = 100
"""Longest venue of an evening or tournament."""

LONGEST_SHOWN_NAME = 100
"""The name of a player as shown at a table."""

LONGEST_REASON = 200
"""The reason for a change, a ruling or a removal."""

LONGEST_ID = 40
LONGEST_ZONE = 64
"""The id of a ruleset or contract, and the slug of a club."""

LONGEST_TOURNAMENT_SLUG = 60
LONGEST_TOKEN_NAME = 60


class Code(StrEnum):
    """The codes of `docs/records.md` §1 and §2; their sentences are in `texts/messages.py`."""

    BAD_JSON = "bad-json"
    UNKNOWN_FORMAT = "unknown-format"
    UNKNOWN_RULESET = "unknown-ruleset"
    UNKNOWN_OPTION = "unknown-option"
    MISSING_FIELD = "missing-field"
    UNEXPECTED_FIELD = "unexpected-field"
    WRONG_TYPE = "wrong-type"
    WRONG_PLAYERS = "wrong-players"
    UNKNOWN_CONTRACT = "unknown-contract"
    WRONG_SEATS = "wrong-seats"
    BAD_SEAT = "bad-seat"
    NEGATIVE_COUNT = "negative-count"
    COUNT_TOO_LARGE = "count-too-large"
    WRONG_TOTAL = "wrong-total"
    INCONSISTENT_COUNTS = "inconsistent-counts"
    WRONG_DECLARER = "wrong-declarer"
    OUT_OF_ORDER = "out-of-order"
    CONTRACT_USED_UP = "contract-used-up"
    PLAYER_QUOTA_USED = "player-quota-used"
    MUST_BE_VOID = "must-be-void"
    VOID_NOT_ALLOWED = "void-not-allowed"
    REDEAL_NOT_ALLOWED = "redeal-not-allowed"
    BAD_KING = "bad-king"
    BAD_TRUMP = "bad-trump"
    BAD_SALE = "bad-sale"
    BAD_PARTNER = "bad-partner"
    BAD_OFFER = "bad-offer"
    BAD_DOMINO = "bad-domino"
    BAD_DOUBLE = "bad-double"
    BAD_EUCHRE = "bad-euchre"
    BAD_KRAPET = "bad-krapet"
    BAD_SEAL = "bad-seal"
    BAD_ADJUSTMENT = "bad-adjustment"
    BAD_SUM = "bad-sum"
    BELOW_TARGET = "below-target"
    OPEN_DEAL = "open-deal"
    GAME_OVER = "game-over"
    TOO_MANY_ENTRIES = "too-many-entries"
    TOO_MANY_REVISIONS = "too-many-revisions"
    BAD_RULESET = "bad-ruleset"
    ODD_TABLE = "odd-table"
    TOO_FEW_ENTRANTS = "too-few-entrants"
    DUPLICATE_ENTRANT = "duplicate-entrant"
    UNKNOWN_ENTRANT = "unknown-entrant"
    IMPOSSIBLE_FIXED = "impossible-fixed"
    TOO_LARGE = "too-large"


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of an entry.

    `where` is the path of the invalid field inside the entry (`counts.tricks`, `declarer`), empty
    for the entry as a whole. `params` are plain JSON values for the sentence that explains the
    problem.
    """

    code: Code
    where: str = ""
    params: Mapping[str, object] = field(default_factory=dict)


class InvalidEntry(Exception):
    """An invalid entry or head of a game; `problems` holds every reason."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(", ".join(f"{p.code} at {p.where or 'entry'}" for p in self.problems))


def refuse(problems: Iterable[Problem]) -> None:
    if found := list(problems):
        raise InvalidEntry(found)


def check_repeated(where: str, names: Iterable[object]) -> Iterator[Problem]:
    for name, times in Counter(names).items():
        if times > 1:
            yield Problem(Code.DUPLICATE_ENTRANT, where, {"entrant": name})


def check_known(where: str, names: Iterable[str], known: Iterable[str]) -> Iterator[Problem]:
    there = known if isinstance(known, AbstractSet | Mapping) else set(known)
    for name in names:
        if name not in there:
            yield Problem(Code.UNKNOWN_ENTRANT, where, {"entrant": name})


def write_problem(problem: Problem, entry: int | None = None) -> dict[str, object]:
    """Return a problem of an entry (None: of the whole document) as JSON."""
    return {
        "entry": entry,
        "code": str(problem.code),
        "where": problem.where,
        "params": dict(problem.params),
    }


SUITS = ("spades", "hearts", "diamonds", "clubs")
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
LEAST_SEATS, MOST_SEATS = 2, 6
PLACES = ("declarer", "dealer", "after-dealer", "before-dealer")
TRICKS_OF_FIVE = 5
MOST_WITHOUT_PACK = 4
"""The most seats at which a ruleset without a pack has 13 tricks, however many cards are left."""

Counts = Mapping[str, tuple[int, ...]]
"""One number per side, in side order, by unit id."""


@dataclass(frozen=True)
class Pack:
    """The cards of a game: `packs` times those of `ranks` and `suits`, but for those `without`.

    `tricks` is the number of cards in each hand (None: as many as there are). The `talon` says who
    gets those left over: `none` are, all are `out`, or whoever takes the first or the last trick.
    """

    ranks: tuple[str, ...] = RANKS
    suits: tuple[str, ...] = SUITS
    without: tuple[str, ...] = ()
    packs: int = 1
    tricks: int | None = None
    talon: str = "none"

    @cached_property
    def cards(self) -> frozenset[str]:
        return cards_of(self.suits, self.ranks) - frozenset(self.without)

    @cached_property
    def size(self) -> int:
        return len(self.cards) * self.packs


TALONS = ("none", "out", "first-trick", "last-trick")


def cards_of(suits: Iterable[str] = SUITS, ranks: Iterable[str] = RANKS) -> frozenset[str]:
    return frozenset(f"{suit}-{rank}" for suit, rank in product(suits, tuple(ranks)))


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of a contract: there are `total` of them in every deal (None: not fixed).

    It is one of `cards`, of which a trick holds one of each seat, or of the tricks `at` these
    places, from 0 (from −1: backwards), or neither. `most` is the most that one side can have.
    """

    id: str
    cards: frozenset[str] = frozenset()
    at: tuple[int, ...] = ()
    total: int | None = None
    most: int = 0


_UNITS = (
    Unit("tricks"),
    Unit("hearts", cards_of(("hearts",))),
    Unit("men", cards_of(ranks=("K", "J"))),
    Unit("queens", cards_of(ranks=("Q",))),
    Unit("heart_king", frozenset({"hearts-K"})),
    Unit("heart_ace", frozenset({"hearts-A"})),
    Unit("diamond_eight", frozenset({"diamonds-8"})),
    Unit("last_two", at=(-2, -1)),
    Unit("twelfth_trick", at=(11,)),
    Unit("last_trick", at=(-1,)),
    Unit("cards_left"),
    Unit("places"),
    Unit("kings", cards_of(ranks=("K",))),
    Unit("jacks", cards_of(ranks=("J",))),
    Unit("aces", cards_of(ranks=("A",))),
    Unit("spade_king", frozenset({"spades-K"})),
    Unit("spade_queen", frozenset({"spades-Q"})),
    Unit("first_trick", at=(0,)),
    Unit("seventh_trick", at=(6,)),
    Unit("penultimate_trick", at=(-2,)),
)


def _places(unit: Unit, tricks: int) -> frozenset[int]:
    """Return the numbers, from 0, of the tricks that a unit names in a deal of so many."""
    return frozenset(range(tricks)[at] for at in unit.at if -tricks <= at < tricks)


@lru_cache
def count_units(pack: Pack, tricks: int, sides: int, together: int = 1) -> Mapping[str, Unit]:
    """Return all units as they are at a table of so many sides, with so many people `together`."""
    totals = {
        unit.id: pack.packs * len(unit.cards & pack.cards) + len(_places(unit, tricks))
        for unit in _UNITS
        if unit.cards or unit.at
    }
    totals["tricks"] = tricks
    most = {**totals, "cards_left": tricks * together, "places": sides}
    return MappingProxyType(
        {u.id: replace(u, total=totals.get(u.id), most=most[u.id]) for u in _UNITS}
    )


FULL_PACK = Pack(tricks=13)
UNITS = count_units(FULL_PACK, 13, 4)
"""The units of a ruleset without a pack at a table of four."""


@lru_cache
def find_parts(tricks: int) -> Mapping[str, tuple[str, ...]]:
    """Return for each unit those of which it is a part in a deal of so many tricks.

    A side cannot have more of it than of those.
    """
    at = {unit.id: _places(unit, tricks) for unit in _UNITS}
    return MappingProxyType(
        {
            unit.id: tuple(
                whole.id
                for whole in _UNITS
                if (unit.cards and unit.cards < whole.cards)
                or (unit.at and (at[unit.id] < at[whole.id] or whole.id == "tricks"))
            )
            for unit in _UNITS
        }
    )


@lru_cache
def share_cards(pack: Pack, units: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], int], ...]:
    """Return which of these units share cards, and how many."""
    of_cards = (tuple(u for u in units if card in UNITS[u].cards) for card in sorted(pack.cards))
    shared = Counter(units for units in of_cards if len(units) > 1)
    return tuple((units, number * pack.packs) for units, number in shared.items())


def check_agreement(ruleset: "Ruleset", counts: Counts) -> Iterator[Problem]:
    """Check that some deal gives these counts (`docs/rules.md`, Units).

    The counts of each unit have passed their own checks.
    """
    tricks = counts.get("tricks")
    alone = True
    for unit, numbers in counts.items():
        parts = find_parts(ruleset.tricks)[unit]
        bounds = [counts[whole] for whole in parts if whole in counts]
        if tricks is not None and UNITS[unit].cards:
            more = ruleset.talon_cards
            bounds.append(tuple(ruleset.seats * taken + more * (taken > 0) for taken in tricks))
        if any(n > most for bound in bounds for n, most in zip(numbers, bound, strict=True)):
            alone = False
            yield Problem(Code.INCONSISTENT_COUNTS, f"counts.{unit}", {"why": "within"})
    fewest = fewest_tricks(ruleset, counts, enough=ruleset.tricks) if alone else 0
    if fewest is None or fewest > ruleset.tricks:
        yield Problem(Code.INCONSISTENT_COUNTS, "counts", {"why": "cards"})


def fewest_tricks(ruleset: "Ruleset", counts: Counts, enough: int = 0) -> int | None:
    """Return the fewest tricks in which the sides can have taken `counts`, or None if in none.

    So few as are `enough` may not be the fewest.
    """
    tricks, seats = counts.get("tricks"), ruleset.seats
    fewest = None
    named_tricks = [*_named(ruleset, counts)]
    ways = ((cards, *more) for cards in _cards_by_side(ruleset, counts) for more in named_tricks)
    for cards, named, talon in ways:
        needed = [
            max(-(-(n - more) // seats), least)
            for n, more, least in zip(cards, talon, named, strict=True)
        ]
        if tricks is not None:
            if any(n > taken for n, taken in zip(needed, tricks, strict=True)):
                continue
            needed = list(tricks)
        fewest = sum(needed) if fewest is None else min(fewest, sum(needed))
        if fewest <= enough:
            break
    return fewest


def _named(ruleset: "Ruleset", counts: Counts) -> Iterator[tuple[list[int], list[int]]]:
    """Yield how many named tricks, and how many cards left over, each side can have."""
    sides = range(ruleset.side_count)
    owners: dict[int, int] = {}
    for unit, numbers in counts.items():
        if len(places := _places(UNITS[unit], ruleset.tricks)) == 1:
            [place], owner = places, numbers.index(1)
            if owners.setdefault(place, owner) != owner:
                return
    named = [[*owners.values()].count(side) for side in sides]
    last = _places(UNITS["last_two"], ruleset.tricks) if "last_two" in counts else frozenset[int]()
    known = [owners[place] for place in last if place in owners]
    more = [n - known.count(side) for side, n in enumerate(counts["last_two"])] if last else []
    if any(number < 0 for number in more):
        return
    named = [sum(both) for both in zip(named, more, strict=True)] if last else named
    if not (cards := ruleset.talon_cards):
        yield named, [0 for _ in sides]
        return
    place = 0 if ruleset.dealt.talon == "first-trick" else ruleset.tricks - 1
    for side in [owners[place]] if place in owners else sides:
        talon = [cards * (side == each) for each in sides]
        if place in owners or (place in last and more[side]):
            yield named, talon
        elif place not in last:
            yield [n + (side == each) for each, n in enumerate(named)], talon


def _cards_by_side(ruleset: "Ruleset", counts: Counts) -> Iterator[list[int]]:
    """Yield how many cards of the counts each side can have: some are of two units or more."""
    left = {unit: list(numbers) for unit, numbers in counts.items() if UNITS[unit].cards}
    cards = [sum(numbers) for numbers in zip(*left.values(), strict=True)] or [
        0
    ] * ruleset.side_count
    free = []
    for units, number in share_cards(ruleset.dealt, tuple(left)):
        owners = next((counts[unit] for unit in units if len(UNITS[unit].cards) == 1), None)
        if owners is None:
            free.append((units, number))
            continue
        for side, own in enumerate(owners):
            cards[side] -= own * (len(units) - 1)
            for unit in units:
                left[unit][side] -= own
    if any(min(numbers) < 0 for numbers in left.values()):
        return
    # Without a unit of their own these are hearts of one other unit: only their number matters.
    twice = {(0,) * ruleset.side_count}
    for (one, other), number in free:
        shares = tuple(_shares(number, tuple(map(min, left[one], left[other]))))
        twice = {tuple(map(add, before, more)) for before in twice for more in shares}
    for both in twice:
        if all(map(le, both, left.get("hearts", both))):
            yield list(map(sub, cards, both))


def _shares(number: int, most: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the ways to share a number so that each gets no more than its most."""
    if len(most) == 1:
        if number <= most[0]:
            yield (number,)
        return
    for first in range(min(number, most[0]) + 1):
        for rest in _shares(number - first, most[1:]):
            yield (first, *rest)


Points = int | Fraction
PerSide = tuple[Points, ...]
Setting = str | int | bool

PENALTY = "penalty"
TRUMP = "trump"

LARGEST_COUNT = 10_000
"""The greatest number of deals in one game, and the greatest target in points."""

LONGEST_SHEET = 400
"""The most entries of any sheet, of a game to a target too: more deals than an evening has."""

ENTRIES_PER_DEAL = 4
FURTHER_ENTRIES = 100
"""Room on every sheet for adjustments, and for what happens between deals."""

MOST_GAMES_AT_TABLE = 120
"""The most games at a table in an evening, and of a match."""

LONGEST_EVENING = 2_000
"""The most revisions of all sheets of a table together: the page of an evening reads them all."""

LAST_FOR_DIRECTORS = 100
"""The last revisions of a sheet: at a club's table they are for its directors."""


@dataclass(frozen=True)
class Contract:
    """A contract that a declarer can name.

    `kind` is what quotas count (`penalty`, `trump`). `values` gives, for each unit written down,
    the points of each one for the side that takes it. `quota` limits how often the contract may be
    named in one game, and `quota_each` how often by one side (None: no limit of its own). Every
    side gets the `base` in each deal. `scoring` names the strategy that turns counts into points. A
    contract that `may_end_early` is over once all its units are out; with `replay_one_each` a deal
    of one unit each is played again.

    `leads` says who plays the first card, the `PLACES`; without it the declarer, or in games whose
    dealer declares the player after.

    `trumps` are the suits that may be named with it, `fields` the further fields of its deals,
    `redeals` the reasons for new cards when it may be played next, `badges` those that can be
    earned in it. `prizes` are points for places or for going out first, not for units. With
    `cappotto` the table may score all units taken by one side differently (an option). A contract
    that is not `named` applies to every deal of its game and appears in no record; one that is not
    `declared` has only a leader. A `name` is used in every language.
    """

    id: str
    kind: str
    values: Mapping[str, Points]
    quota: int | None = None
    quota_each: int | None = None
    scoring: str = "per-unit"
    base: Points = 0
    may_end_early: bool = False
    replay_one_each: bool = False
    trumps: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    redeals: tuple[str, ...] = ()
    badges: tuple[str, ...] = ()
    prizes: tuple[Points, ...] = ()
    leads: str = ""
    cappotto: bool = False
    named: bool = True
    declared: bool = True
    name: str = ""


@dataclass(frozen=True)
class Option:
    """A setting of the ruleset that a table may choose, and its possible values.

    `kind` names the check of a value: `one-of` the `values`, a `count` from 1, an `even-count`, or
    `money` (a positive whole number or `"p/q"`).
    """

    setting: str
    values: tuple[Setting, ...] = ()
    kind: str = "one-of"


@dataclass(frozen=True)
class Stage:
    """A part of the game: a number of deals, each of one of `contracts`."""

    deals: int
    contracts: tuple[str, ...]


@dataclass(frozen=True)
class Ruleset:
    """The rules of a whole game.

    `sides` maps each seat to its side. Without a `pack` a deal has 13 tricks of 52 cards. `quotas`
    gives the number of contracts of each kind that one side declares. `deals` is the length of the
    game (None: it ends at a target). `stages` restrict contracts to parts of the game (none: any at
    any time). The declarer changes after `in_a_row` deals; `declares` names the declarer (`turn`:
    the seat whose turn it is, `pair`: that seat or its partner). In a game that `passes`, all
    players can pass a hand. `fields` are further fields of every deal. `steps` name further changes
    to the points of a deal, in order. If there are `all_units`, these may be written down instead
    of those of the contract. `settings` holds the names of strategies and switches; the table may
    change those in `options`, and `implied` are the defaults that follow from other options.
    `redeals` and `voids` are the reasons that a table may give for one; `badges` can be earned at
    the end of the game. A house ruleset has a `name` of its own; other rulesets are named after
    their id, in the reader's language.
    """

    id: str
    family: str
    contracts: tuple[Contract, ...]
    pack: Pack | None = None
    quotas: Mapping[str, int] = field(default_factory=dict)
    deals: int | None = None
    sides: tuple[int, ...] = (0, 1, 2, 3)
    clockwise: bool = False
    stages: tuple[Stage, ...] = ()
    in_a_row: int = 1
    declares: str = "turn"
    passes: bool = False
    fields: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    all_units: tuple[str, ...] = ()
    settings: Mapping[str, Setting] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    implied: Mapping[str, Mapping[Setting, Mapping[str, Setting]]] = field(default_factory=dict)
    redeals: tuple[str, ...] = ("misdeal",)
    voids: tuple[str, ...] = ("misdeal",)
    badges: tuple[str, ...] = ()
    name: str = ""

    @cached_property
    def by_id(self) -> Mapping[str, Contract]:
        return MappingProxyType({contract.id: contract for contract in self.contracts})

    @cached_property
    def unnamed(self) -> Contract | None:
        return next((contract for contract in self.contracts if not contract.named), None)

    @cached_property
    def seats(self) -> int:
        return len(self.sides)

    @cached_property
    def side_count(self) -> int:
        return max(self.sides) + 1

    @cached_property
    def seats_in_a_side(self) -> int:
        return self.seats // self.side_count

    @cached_property
    def dealt(self) -> Pack:
        """The pack with which it is played."""
        if self.pack is None and self.seats <= MOST_WITHOUT_PACK:
            return FULL_PACK
        return self.pack or Pack()

    @cached_property
    def tricks(self) -> int:
        return self.dealt.tricks or self.dealt.size // self.seats

    @cached_property
    def hand_tricks(self) -> int:
        """The number of tricks in a hand that nobody names: five in Euchre, of whatever pack."""
        euchre = self.unnamed is not None and self.unnamed.scoring == "makers-and-defenders"
        return TRICKS_OF_FIVE if euchre else self.tricks

    @cached_property
    def talon_cards(self) -> int:
        """The number of cards that come to those of the first or last trick."""
        to_trick = self.dealt.talon in ("first-trick", "last-trick")
        return self.dealt.size - self.seats * self.tricks if to_trick else 0

    @cached_property
    def units(self) -> Mapping[str, Unit]:
        """All units by id, as there are at this table."""
        return count_units(self.dealt, self.tricks, self.side_count, self.seats_in_a_side)

    @cached_property
    def unit_sums(self) -> Mapping[str, Points]:
        """What one deal adds to all scores, in points, by contract that counts units."""
        return {
            contract.id: self.side_count * contract.base
            + sum((self.units[u].total or 0) * v for u, v in contract.values.items())
            for contract in self.contracts
        }

    @cached_property
    def king_tricks(self) -> int:
        """How many tricks of a trump deal make King; other deals need all."""
        return int(self.settings.get("king_tricks", self.tricks))

    @cached_property
    def king_in_a_row(self) -> int:
        """How many tricks of a trump deal, one after the other, make King; 0: no fewer."""
        return int(self.settings.get("king_in_a_row", 0))

    @cached_property
    def expense(self) -> Mapping[str, Points]:
        """What contracts are ordered by, the dearest first: their deal sum or dearest unit."""
        if self.settings.get("order_by") != "unit":
            return self.unit_sums
        return {c.id: min(c.values.values(), default=0) for c in self.contracts}

    @cached_property
    def plan(self) -> tuple[tuple[str, ...], ...]:
        """For each deal the contracts of its stage; past its end any contract may come."""
        if first := int(self.settings.get("penalties_first", 0)):
            return (tuple(c.id for c in self.contracts if c.kind == PENALTY),) * first
        return tuple(stage.contracts for stage in self.stages for _ in range(stage.deals))

    @cached_property
    def forced(self) -> frozenset[str]:
        """The contracts that nobody declares, or that are alone in their stages without a trump."""
        alone = {stage.contracts[0] for stage in self.stages if len(stage.contracts) == 1}
        alone -= {n for stage in self.stages if len(stage.contracts) > 1 for n in stage.contracts}
        return frozenset(
            id_
            for id_, contract in self.by_id.items()
            if not contract.declared or (id_ in alone and not contract.trumps)
        )

    @cached_property
    def length(self) -> int | None:
        """The number of deals, from the table's options or the ruleset."""
        chosen = self.settings.get("deals")
        return self.deals if chosen is None else int(chosen)

    @cached_property
    def most_entries(self) -> int:
        """How many entries a sheet takes: each deal may be void, dealt anew and passed as well."""
        if self.length is None:
            return LONGEST_SHEET
        return min(ENTRIES_PER_DEAL * self.length + FURTHER_ENTRIES, LONGEST_SHEET)

    @cached_property
    def most_revisions(self) -> int:
        """How many revisions a sheet takes: its entries, with completions and corrections."""
        return 2 * self.most_entries + LAST_FOR_DIRECTORS

    @cached_property
    def target(self) -> int | None:
        """The points at which the game ends; None without a target."""
        target = self.settings.get("target")
        return None if target is None else int(target)

    @cached_property
    def side_quotas(self) -> Mapping[str, int]:
        return {} if self.settings.get("declarations") == "free" else self.quotas

    def contract_named(self, name: str | None) -> Contract | None:
        """The contract that a deal names, or that of every deal; None if there is none."""
        return self.unnamed or self.by_id.get(name or "")

    def side_names(self, players: Sequence[str]) -> list[str]:
        """One name per side, from names in seat order: a player, or both players of a pair."""
        names: list[list[str]] = [[] for _side in range(self.side_count)]
        for side, name in zip(self.sides, players, strict=True):
            names[side].append(name)
        return list(map(" + ".join, names))

    def with_options(self, options: Mapping[str, object]) -> "Ruleset":
        """This ruleset with the options of a table.

        Raises: InvalidEntry: if an option does not exist here, or has an invalid value.
        """
        choices = {option.setting: option for option in self.options}
        problems = []
        for name, value in options.items():
            option = choices.get(name)
            if option is None or not OPTION_KINDS[option.kind](option, value):
                allowed = {"option": name, "allowed": list(option.values) if option else []}
                problems.append(Problem(Code.UNKNOWN_OPTION, f"options.{name}", allowed))
        if problems:
            raise InvalidEntry(problems)
        settings: dict[str, object] = dict(self.settings)
        for name, value in options.items():
            settings.update(self.implied.get(name, {}).get(value, {}))  # type: ignore[call-overload]
        settings.update(options)
        chosen = self
        if settings.get("last_two") == "seventh-and-last":
            chosen = replace(self, contracts=tuple(map(_count_seventh, self.contracts)))
        return replace(chosen, settings=MappingProxyType(settings)) if options else chosen  # type: ignore[arg-type]

    def default_of(self, setting: str) -> Any:
        """Return the default of an option; None if the option does not exist then."""
        # The number of deals is not a setting of a ruleset until a table chooses one.
        return self.settings.get(setting, getattr(self, setting, None))

    def changed_options(self, chosen: Mapping[str, Any]) -> dict[str, Setting]:
        """Return the options that differ from their defaults, including implied defaults."""
        defaults = {option.setting: self.default_of(option.setting) for option in self.options}
        for name, value in chosen.items():
            defaults.update(self.implied.get(name, {}).get(value, {}))
        return {
            name: value
            for name, value in chosen.items()
            if value is not None and value != defaults.get(name)
        }


def _count_seventh(contract: Contract) -> Contract:
    """Return the contract of the last two tricks with the seventh in place of the last but one."""
    if tuple(contract.values) != ("last_two",):
        return contract
    return replace(
        contract, values=dict.fromkeys(("seventh_trick", "last_trick"), contract.values["last_two"])
    )


def _is_count(_option: Option, value: object) -> bool:
    return type(value) is int and 1 <= value <= LARGEST_COUNT


_FRACTION = re.compile(r"-?[0-9]{1,30}/[0-9]{1,30}")


def number_of(value: object) -> Points | None:
    """Parse a number of a record: whole, or `"p/q"`; None if it is neither."""
    if type(value) is int:
        return value
    if not isinstance(value, str) or not _FRACTION.fullmatch(value):
        return None
    numerator, denominator = map(int, value.split("/"))
    return whole(Fraction(numerator, denominator)) if denominator else None


def whole(points: Points) -> Points:
    """Return `points` as an int if they are whole."""
    if type(points) is int:
        return points
    return points.numerator if points.denominator == 1 else points


OPTION_KINDS: Mapping[str, Callable[[Option, object], bool]] = MappingProxyType(
    {
        # True == 1 in Python: reject values of the wrong type.
        "one-of": lambda option, value: any(
            value == choice and type(value) is type(choice) for choice in option.values
        ),
        "count": _is_count,
        "even-count": lambda option, value: (
            _is_count(option, value) and value in range(2, LARGEST_COUNT + 1, 2)
        ),
        "money": lambda _option, value: (number_of(value) or 0) > 0,
    }
)
"""The checks of option values, by kind."""
