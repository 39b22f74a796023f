"""Check that a ruleset can be played and that it contradicts itself nowhere."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, combinations, groupby, islice
from types import MappingProxyType
from typing import TypeVar

from tournaments.engine.play.games import CUTTERS, ORDERS
from tournaments.engine.play.outcomes import OUTCOMES, sinks
from tournaments.engine.rules.fields import CAPPOTTO, KING_FIELDS
from tournaments.engine.rules.rulesets import (
    LARGEST_COUNT,
    LEAST_SEATS,
    MOST_SEATS,
    MOST_WITHOUT_PACK,
    OPTION_KINDS,
    PENALTY,
    RANKS,
    SUITS,
    Code,
    Contract,
    Option,
    Problem,
    Ruleset,
    Setting,
    cards_of,
)

ON_OFF = (False, True)
BEGINNERS = ("two-of-diamonds", "seven-of-diamonds", "heart-king", "lot", "dealer")

SETTINGS: Mapping[str, Option] = MappingProxyType(
    {
        option.setting: option
        for option in (
            Option("outcome", tuple(OUTCOMES)),
            Option("order", tuple(ORDERS)),
            Option("order_by", ("deal-sum", "unit")),
            Option("last_two", ("last-two", "seventh-and-last")),
            Option("redeal_by", ("declarer", "must-trump")),
            Option("adjustment_to", ("none", "others")),
            Option("king", tuple(KING_FIELDS)),
            Option("king_deals", ("all", "trump")),
            Option("king_tricks", kind="number"),
            Option("king_in_a_row", kind="number"),
            Option("out", ("positive", "mean")),
            Option("naming", ("blind", "sealed")),
            Option("dealer", ("before", "declares")),
            Option("cuts", CUTTERS),
            Option("penalties_first", kind="number"),
            Option("deals", kind="count"),
            Option("cappotto", ("none", *CAPPOTTO)),
            Option("domino_winners", ("one", "several")),
            Option("domino_redeal", ON_OFF),
            Option("no_trump_declaration", ON_OFF),
            Option("blind_declaration", ON_OFF),
            Option("sale", ON_OFF),
            Option("refusal", ON_OFF),
            Option("sale_debt", ("double", "single")),
            Option("doubles_rule", ("free", "declarer")),
            Option("doubles_duty", kind="number"),
            Option("stake", kind="money"),
            Option("stake_per", ("point", "sinking")),
            Option("declarations", ("one-each", "free")),
            Option("scoring", ("win", "points")),
            Option("target", kind="count"),
            Option("march", kind="count"),
            Option("march_alone", kind="count"),
            Option("euchred_alone", kind="count"),
            Option("euchred_alone_by_alone", kind="count"),
            Option("deck", (24, 32, 25)),
            Option("begins", BEGINNERS),
            Option("raise_trump", ("none", "led", "ruff", "always")),
            Option("laps", ON_OFF),
            Option("slam", ON_OFF),
        )
    }
)
"""Every setting of rulesets, with its possible values."""


NO_COUNTS = ("makers-and-defenders", "bid-tricks", "piles-emptied")
"""Scorings without counts of units and without named contracts."""

NEEDED_SETTINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "domino": ("domino_winners",),
        "makers-and-defenders": (
            "march",
            "march_alone",
            "euchred_alone",
            "euchred_alone_by_alone",
        ),
        "piles-emptied": ("scoring",),
    }
)

NEEDED_FIELDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "pair-domino": ("closed_by",),
        "makers-and-defenders": ("maker", "tricks"),
        "bid-tricks": ("maker", "bid", "tricks"),
        "piles-emptied": ("winner", "left"),
    }
)

OWN_UNIT: Mapping[str, str] = MappingProxyType(
    {"domino": "cards_left", "pair-domino": "cards_left", "places": "places"}
)
"""Scorings with a single unit that no other scoring uses."""

OF_EVERY_DEAL = ("tricks_played", "sealed", "salt", "offered", "third", "partner", "doubles")
OF_A_CONTRACT = (
    "tricks_played",
    "rifki_holder",
    "blind",
    "sale",
    "refused",
    "closed_by",
    "maker",
    "bid",
    "tricks",
    "alone",
    "defender_alone",
    "winner",
    "left",
    "calls",
)

FIELD_OF_STEP: Mapping[str, str] = MappingProxyType(
    {
        "blind": "blind",
        "sale": "sale",
        "secret-pair": "partner",
        "third": "third",
        "doubles": "doubles",
    }
)


def check_ruleset(ruleset: Ruleset) -> Iterator[Problem]:
    """Yield every reason why some game of this ruleset cannot be played to its end."""
    faults: list[Problem] = []
    sides = ruleset.sides
    count = max(sides, default=0) + 1
    in_turn = tuple(seat % count for seat in range(len(sides)))
    if (
        len(sides) not in range(LEAST_SEATS, MOST_SEATS + 1)
        or count < LEAST_SEATS
        or len(sides) % count
        or sides != in_turn
    ):
        faults.append(bad_ruleset("sides", "sides"))
    elif in_pack := list(_check_pack(ruleset)):
        faults += in_pack
    elif ruleset.declares == "pair" and ruleset.seats_in_a_side == 1:
        faults.append(bad_ruleset("declares", "needs-pairs"))
    else:
        # Check contracts and steps only if sides and pack are valid.
        for number, contract in enumerate(ruleset.contracts):
            for problem in _check_contract(ruleset, contract):
                field = f"contracts.{number}.{problem.where}"
                faults.append(Problem(problem.code, field, problem.params))
        faults += [*_check_fields_and_steps(ruleset), *_check_tricks_of_settings(ruleset)]
    settings = list(_check_settings(ruleset))
    faults += [*settings, *_check_options(ruleset), *_check_ids(ruleset)]
    # Invalid settings cannot give a number of deals.
    if not settings:
        faults += _check_length(ruleset)
    yield from faults
    # Check the end of games only if the rest is valid.
    if not faults:
        yield from check_end(ruleset)


def _check_pack(ruleset: Ruleset) -> Iterator[Problem]:
    pack, seats = ruleset.dealt, ruleset.seats
    for where, names, known in (("ranks", pack.ranks, RANKS), ("suits", pack.suits, SUITS)):
        if list(names) != sorted(names, key=known.index):
            yield bad_ruleset(f"pack.{where}", "order")
    if not cards_of(pack.suits, pack.ranks).issuperset(pack.without):
        yield bad_ruleset("pack.without", "not-in-pack")
    left = pack.size - seats * ruleset.tricks
    if left < 0 or ruleset.tricks == 0:
        yield bad_ruleset("pack.tricks", "too-many-tricks", most=pack.size // seats)
    elif ruleset.pack is None and seats <= MOST_WITHOUT_PACK:
        return  # Cards left over are not looked at.
    elif (left > 0) == (pack.talon == "none"):
        yield bad_ruleset("pack.talon", "left-over" if left else "no-talon", cards=left)


def _check_counted(
    ruleset: Ruleset, units: Collection[str], own: str | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the units, "" for all, that no deal of this pack has; `own` needs no fixed number."""
    if "men" in units and not {"kings", "jacks"}.isdisjoint(units):
        yield "", "overlap"
    for unit in map(ruleset.units.__getitem__, units):
        if (own is None and unit.total is None) or (unit.cards and ruleset.dealt.talon == "out"):
            yield unit.id, "not-fixed"
        elif unit.total is not None and unit.total < max(len(unit.at), 1):
            yield unit.id, "no-such-card" if unit.cards else "no-such-trick"


def _fits(setting: str, value: Setting) -> bool:
    option = SETTINGS[setting]
    if option.kind == "number":
        return type(value) is int and 0 <= value <= LARGEST_COUNT
    return OPTION_KINDS[option.kind](option, value)


def _check_tricks_of_settings(ruleset: Ruleset) -> Iterator[Problem]:
    for setting in ("king_tricks", "king_in_a_row"):
        for number in _values(ruleset, setting):
            # Two sides at once never have more than half.
            is_off = setting == "king_in_a_row" and number == 0
            if not (is_off or ruleset.tricks < 2 * int(number) <= 2 * ruleset.tricks):
                yield bad_ruleset(f"settings.{setting}", "value", got=number)
    if "seventh-and-last" in _values(ruleset, "last_two"):
        if ruleset.tricks < LEAST_FOR_SEVENTH_AND_LAST:
            yield bad_ruleset("settings.last_two", "no-such-trick", unit="seventh_trick")
        if ruleset.all_units:
            yield bad_ruleset("settings.last_two", "all-units")


LEAST_FOR_SEVENTH_AND_LAST = 8


def _values(ruleset: Ruleset, setting: str) -> list[Setting]:
    """Return the valid values that a setting can have at some table."""
    own = [ruleset.settings[setting]] if setting in ruleset.settings else []
    choices = [v for o in ruleset.options if o.setting == setting for v in o.values]
    return [value for value in own + choices if _fits(setting, value)]


def _check_settings(ruleset: Ruleset) -> Iterator[Problem]:
    for setting, value in ruleset.settings.items():
        if not _fits(setting, value):
            yield bad_ruleset(f"settings.{setting}", "value", got=value)
    if "outcome" not in ruleset.settings:
        yield Problem(Code.MISSING_FIELD, "settings.outcome", {"field": "outcome"})
    for contract in ruleset.contracts:
        for setting in NEEDED_SETTINGS.get(contract.scoring, ()):
            if setting not in ruleset.settings:
                yield Problem(Code.MISSING_FIELD, f"settings.{setting}", {"field": setting})
    sealed = {"sealed", "salt"} & set(ruleset.fields)
    if bool(sealed) != (ruleset.settings.get("naming") == "sealed") or len(sealed) == 1:
        yield bad_ruleset("settings.naming", "sealed")
    if "sinking" in _values(ruleset, "stake_per") and not sinks(ruleset):
        yield bad_ruleset("settings.stake_per", "no-sinking")
    if ruleset.settings.get("king", "off") != "off" and ruleset.unnamed is not None:
        yield bad_ruleset("settings.king", "no-king")


FIXED = ("outcome", "naming", "dealer", "cuts", "march_alone", "euchred_alone_by_alone")
"""Settings that a table cannot choose."""


def _check_options(ruleset: Ruleset) -> Iterator[Problem]:
    options = {option.setting: option for option in ruleset.options}
    if len(options) < len(ruleset.options):
        yield bad_ruleset("options", "repeated")
    for number, option in enumerate(ruleset.options):
        where = f"options.{number}"
        if option.setting in FIXED or not _is_choice(option):
            yield bad_ruleset(where, "option", option=option.setting)
        elif option.setting in ruleset.settings:
            if not OPTION_KINDS[option.kind](option, ruleset.settings[option.setting]):
                yield bad_ruleset(where, "default", option=option.setting)
        elif option.kind == "one-of":
            yield bad_ruleset(where, "no-default", option=option.setting)
    for setting, by_value in ruleset.implied.items():
        for value, follows in by_value.items():
            for name, chosen in ((setting, value), *follows.items()):
                implied = options.get(name)
                if implied is None or not OPTION_KINDS[implied.kind](implied, chosen):
                    yield bad_ruleset("implied", "implied", option=name)


def _is_choice(option: Option) -> bool:
    kind = SETTINGS[option.setting].kind
    if option.kind == "one-of":
        types = {(type(value), value) for value in option.values}
        fits = all(_fits(option.setting, value) for value in option.values)
        return bool(option.values) and len(types) == len(option.values) and fits
    counts = kind == "count" and option.kind in ("count", "even-count")
    return not option.values and (option.kind == kind or counts)


def _check_ids(ruleset: Ruleset) -> Iterator[Problem]:
    contracts = ruleset.contracts
    if not contracts:
        yield bad_ruleset("contracts", "no-contracts")
    for number, contract in enumerate(contracts):
        if contract.id in [earlier.id for earlier in contracts[:number]]:
            yield bad_ruleset(f"contracts.{number}.id", "repeated")
    for number, stage in enumerate(ruleset.stages):
        for name in stage.contracts:
            if name not in ruleset.by_id:
                where = f"stages.{number}.contracts"
                yield Problem(Code.UNKNOWN_CONTRACT, where, {"contract": name})
        if not stage.contracts or len(set(stage.contracts)) < len(stage.contracts):
            yield bad_ruleset(f"stages.{number}.contracts", "stage")
    for kind in ruleset.quotas:
        if kind not in {contract.kind for contract in contracts}:
            yield bad_ruleset(f"quotas.{kind}", "no-such-kind", kind=kind)


# One contract.


def _check_contract(ruleset: Ruleset, contract: Contract) -> Iterator[Problem]:
    yield from _check_units(ruleset, contract)
    # A prize for each place, one for going out first, or none.
    prizes = {"places": ruleset.side_count, "pair-domino": 1}.get(contract.scoring, 0)
    if len(contract.prizes) != prizes:
        yield bad_ruleset("prizes", "prizes", expected=prizes)
    if (
        contract.scoring in ("pair-difference", "pair-domino", "bid-tricks")
        and ruleset.side_count != 2
    ):
        yield bad_ruleset("scoring", "two-sides")
    elif contract.scoring == "pair-domino" and ruleset.seats_in_a_side == 1:
        yield bad_ruleset("scoring", "needs-pairs")
    elif contract.scoring == "piles-emptied" and ruleset.seats != 2:
        yield bad_ruleset("scoring", "two-players")
    if contract.named == (contract.scoring in NO_COUNTS):
        yield bad_ruleset("named", "named")
    elif not contract.named and (len(ruleset.contracts) > 1 or _is_limited(ruleset)):
        yield bad_ruleset("named", "alone")
    yield from _check_contract_fields(contract)
    units = len(contract.values) + (
        "last_two" in contract.values and "seventh-and-last" in _values(ruleset, "last_two")
    )
    if contract.cappotto and (contract.scoring != "per-unit" or units != 1):
        yield bad_ruleset("cappotto", "one-unit")
    if contract.base and contract.scoring != "per-unit":
        yield bad_ruleset("base", "scoring")
    elif contract.base and contract.cappotto:
        yield bad_ruleset("base", "cappotto")
    if contract.badges and contract.scoring in NO_COUNTS:
        yield bad_ruleset("badges", "no-units")
    if contract.replay_one_each and "one-each" not in ruleset.voids:
        yield bad_ruleset("replay_one_each", "one-each")


def _check_units(ruleset: Ruleset, contract: Contract) -> Iterator[Problem]:
    own = OWN_UNIT.get(contract.scoring)
    if contract.scoring in NO_COUNTS:
        if contract.values:
            yield bad_ruleset("values", "no-units")
    elif own is not None:
        if tuple(contract.values) != (own,):
            yield bad_ruleset("values", "own-unit", unit=own)
    elif not contract.values:
        yield bad_ruleset("values", "no-values")
    for unit in contract.values:
        if ruleset.all_units and unit not in ruleset.all_units:
            yield bad_ruleset(f"values.{unit}", "all-units", unit=unit)
    for unit, why in _check_counted(ruleset, contract.values, own):
        yield bad_ruleset(f"values.{unit}" if unit else "values", why, unit=unit)
    if contract.scoring == "places" and any(contract.values.values()):
        yield bad_ruleset("values.places", "prizes-instead")


def _is_limited(ruleset: Ruleset) -> bool:
    limits = [(contract.quota, contract.quota_each) for contract in ruleset.contracts]
    return bool(ruleset.quotas or ruleset.stages) or any(limit != (None, None) for limit in limits)


def _check_contract_fields(contract: Contract) -> Iterator[Problem]:
    for field in contract.fields:
        if field not in OF_A_CONTRACT:
            yield bad_ruleset("fields", "field-of-every-deal", field=field)
        elif field in ("blind", "sale") and not contract.declared:
            yield bad_ruleset("fields", "undeclared")
    if "refused" in contract.fields and tuple(contract.values) != ("tricks",):
        yield bad_ruleset("fields", "refused-tricks")
    for field in NEEDED_FIELDS.get(contract.scoring, ()):
        if field not in contract.fields:
            yield Problem(Code.MISSING_FIELD, "fields", {"field": field})
    own = {field for fields in NEEDED_FIELDS.values() for field in fields}
    own |= {"alone", "defender_alone", "calls"}
    if own & set(contract.fields) and contract.scoring not in NEEDED_FIELDS:
        yield bad_ruleset("fields", "no-such-scoring")


# The whole game.


def _check_fields_and_steps(ruleset: Ruleset) -> Iterator[Problem]:
    for field in ruleset.fields:
        if field not in OF_EVERY_DEAL:
            yield bad_ruleset("fields", "field-of-a-contract", field=field)
    if ("offered" in ruleset.fields) != ("third" in ruleset.fields):
        yield bad_ruleset("fields", "offered")
    elif "offered" in ruleset.fields and any(c.quota is None for c in ruleset.contracts):
        yield bad_ruleset("fields", "offered-quota")
    elif "sealed" in ruleset.fields and "offered" in ruleset.fields:
        yield bad_ruleset("fields", "offered-sealed")
    for unit, why in _check_counted(ruleset, ruleset.all_units):
        yield bad_ruleset("all_units", why, unit=unit)
    anywhere = {*ruleset.fields, *(f for c in ruleset.contracts for f in c.fields)}
    for step, field in FIELD_OF_STEP.items():
        if (step in ruleset.steps) != (field in anywhere):
            yield bad_ruleset("steps", "step-and-field", step=step)
    each_alone = ruleset.seats_in_a_side == 1
    everyone_declares = all(contract.declared for contract in ruleset.contracts)
    counted = all(contract.values for contract in ruleset.contracts)
    have_closers = all(not c.prizes or c.scoring == "pair-domino" for c in ruleset.contracts)
    possible = {
        "cappotto": counted,
        "sale": each_alone,
        "doubles": each_alone and counted,
        "secret-pair": each_alone and ruleset.seats == 4 and everyone_declares and counted,
        "third": ruleset.side_count == 2 and everyone_declares and have_closers,
    }
    for step in ruleset.steps:
        if not possible.get(step, True):
            yield bad_ruleset("steps", "step", step=step)


def _check_length(ruleset: Ruleset) -> Iterator[Problem]:
    options = {option.setting for option in ruleset.options}
    if ruleset.stages and sum(stage.deals for stage in ruleset.stages) != ruleset.deals:
        deals = sum(stage.deals for stage in ruleset.stages)
        yield bad_ruleset("stages", "stages", deals=deals, expected=ruleset.deals or 0)
    first = int(ruleset.settings.get("penalties_first", 0))
    if ruleset.stages and _values(ruleset, "penalties_first"):
        yield bad_ruleset("settings.penalties_first", "stages", deals=first, expected=0)
    elif first > (ruleset.length or 0):
        yield bad_ruleset("settings.penalties_first", "value", got=first)
    if "deals" in options | ruleset.settings.keys() and _is_limited(ruleset):
        yield bad_ruleset("deals", "deals-chosen")
    if ruleset.length is None and "target" not in ruleset.settings:
        yield bad_ruleset("deals", "no-end")
    elif ruleset.length is None and _is_limited(ruleset):
        yield bad_ruleset("deals", "target-runs-out")
    if ruleset.passes and _is_limited(ruleset):
        yield bad_ruleset("passes", "passes")
    if ruleset.length is None and not any(_can_win(contract) for contract in ruleset.contracts):
        yield bad_ruleset("settings.target", "target")


def _can_win(contract: Contract) -> bool:
    if contract.scoring == "per-unit":
        return contract.base > 0 or any(value > 0 for value in contract.values.values())
    if contract.scoring in NO_COUNTS:
        return True
    return any(contract.values.values()) or any(prize > 0 for prize in contract.prizes)


# The end.

MOST_STEPS = 2_000_000
"""The steps that are walked where counting does not prove that no game gets stuck."""

MOST_CHOSEN = 10
"""The most kinds or contracts for which all ways to use them up are tried."""


def check_end(ruleset: Ruleset) -> Iterator[Problem]:
    """Yield every reason why a game could stop before its last deal, with any options."""
    if ruleset.length is None or ruleset.unnamed is not None:
        return
    problems = [fault for order in _with_values(ruleset, "order") for fault in _check_order(order)]
    budget = iter(range(MOST_STEPS))
    for free in _with_values(ruleset, "declarations"):
        for way in _with_values(free, "penalties_first"):
            problems += _check_stuck(way, budget)
    for number, problem in enumerate(problems):
        if problem not in problems[:number]:
            yield problem


def _with_values(ruleset: Ruleset, setting: str) -> Iterator[Ruleset]:
    """Yield the ruleset itself, and with every value of an option."""
    yield ruleset
    for option in ruleset.options:
        if option.setting == setting:
            for value in option.values:
                yield replace(ruleset, settings={**ruleset.settings, setting: value})


def bad_ruleset(where: str, why: str, **params: object) -> Problem:
    return Problem(Code.BAD_RULESET, where, {"why": why, **params})


def _check_order(ruleset: Ruleset) -> Iterator[Problem]:
    order = ruleset.settings.get("order")
    # An order blocks nobody if the dearest penalty left is always free to all.
    penalties = [contract for contract in ruleset.contracts if contract.kind == PENALTY]
    options = {option.setting for option in ruleset.options} | ruleset.settings.keys()
    free = all(c.quota_each is None and c.quota is not None for c in penalties)
    may_be_ordered = free and not ruleset.stages and "declarations" not in options
    if order in ("ordered", "strict") and not may_be_ordered:
        yield bad_ruleset("settings.order", "order")
    elif order == "strict" and not _penalties_come_in_step(ruleset):
        yield bad_ruleset("settings.order", "strict")


def _penalties_come_in_step(ruleset: Ruleset) -> bool:
    if PENALTY not in ruleset.quotas:
        return False
    quota = ruleset.quotas[PENALTY]
    first_deals = range(quota * ruleset.side_count)
    return len(first_deals) <= (ruleset.length or 0) and all(
        set(_turns(ruleset, first, first_deals).values()) == {quota}
        for first in range(ruleset.seats)
    )


def _turns(ruleset: Ruleset, first: int, deals: range) -> Counter[int]:
    sides, in_a_row = ruleset.sides, ruleset.in_a_row
    laps, rest = divmod(len(deals), in_a_row * len(sides))
    turns = Counter(sides[(first + deal // in_a_row) % len(sides)] for deal in deals[:rest])
    return turns + Counter({side: laps * in_a_row * sides.count(side) for side in {*sides}})


def _check_stuck(ruleset: Ruleset, budget: Iterator[int]) -> Iterator[Problem]:
    length = ruleset.length or 0
    plan = (ruleset.plan + (tuple(ruleset.by_id),) * length)[:length]
    found = _find_unproved(ruleset, _stages_of(plan))
    if found is None or (found := _walk(ruleset, plan, found, budget)) is None:
        return
    first, deal = found
    where = "settings.penalties_first" if ruleset.settings.get("penalties_first") else "deals"
    if ruleset.stages:
        ends = accumulate(stage.deals for stage in ruleset.stages)
        where = f"stages.{next(number for number, end in enumerate(ends) if deal < end)}"
    seat = (first + deal // ruleset.in_a_row) % ruleset.seats
    turns = _turns(ruleset, first, range(deal + 1))[ruleset.sides[seat]]
    yield bad_ruleset(where, "runs-out", deals=turns, contracts=turns - 1)


def _stages_of(plan: tuple[tuple[str, ...], ...]) -> list[tuple[frozenset[str], range]]:
    """Return the contracts of each part of a game, and its deals."""
    stages, begin = [], 0
    for names, deals in groupby(plan):
        end = begin + sum(1 for _ in deals)
        stages.append((frozenset(names), range(begin, end)))
        begin = end
    return stages


def _find_unproved(
    ruleset: Ruleset, stages: Sequence[tuple[frozenset[str], range]]
) -> tuple[int, int] | None:
    """Return a first seat and a deal that finds no contract left, as far as counting can tell.

    Of each side only the last turn in a stage counts: what was used up before it stays so.
    """
    for first in range(ruleset.seats):
        for number, (names, deals) in enumerate(stages):
            last = {}
            for deal in deals[-ruleset.in_a_row * ruleset.seats :]:
                seat = (first + deal // ruleset.in_a_row) % ruleset.seats
                last[ruleset.sides[seat]] = deal
            for side, deal in last.items():
                before = [*stages[:number], (names, range(deals.start, deal))]
                played = [(stage, _turns(ruleset, first, each)) for stage, each in before]
                if _Blocking(ruleset, played, side).is_possible(names):
                    return first, deal
    return None


@dataclass(frozen=True)
class _Blocking:
    """Whether all contracts can be used up for a side, after so many turns of each in each stage.

    `docs/rulesets.md`, The end, says how it counts and proves it.
    """

    ruleset: Ruleset
    played: Sequence[tuple[frozenset[str], Counter[int]]]
    side: int

    def turns(self, side: int, names: Iterable[str]) -> int:
        """Return the turns of a side in stages that have one of these contracts."""
        return sum(turns[side] for stage, turns in self.played if not stage.isdisjoint(names))

    def can(self, side: int, contract: Contract) -> int:
        """Return how often a side can have named a contract."""
        turns = self.turns(side, (contract.id,))
        limits = (contract.quota_each, self.ruleset.side_quotas.get(contract.kind))
        return min([turns, *(most for most in limits if most is not None)])

    def is_possible(self, names: frozenset[str]) -> bool:
        contracts = [c for c in self.ruleset.contracts if c.id in names]
        turns = sum(turns[self.side] for _stage, turns in self.played)
        quotas = {}
        for kind in {contract.kind for contract in contracts} & self.ruleset.side_quotas.keys():
            of_kind = [c.id for c in self.ruleset.contracts if c.kind == kind]
            if (quota := self.ruleset.side_quotas[kind]) <= self.turns(self.side, of_kind):
                quotas[kind] = quota
        return len(quotas) > MOST_CHOSEN or any(
            self._are_blocked([c for c in contracts if c.kind not in used_up], left)
            for used_up in _subsets(quotas)
            if (left := turns - sum(quotas[kind] for kind in used_up)) >= 0
        )

    def _are_blocked(self, contracts: Sequence[Contract], left: int) -> bool:
        """Return whether these contracts can be used up with the turns `left` to the side."""
        own: list[Contract] = []
        shared: list[Contract] = []
        both: list[Contract] = []
        for contract in contracts:
            can = [self.can(side, contract) for side in range(self.ruleset.side_count)]
            by_own = can[self.side] == contract.quota_each
            by_all = contract.quota is not None and sum(can) >= contract.quota
            if not (by_own or by_all):
                return False
            (both if by_own and by_all else own if by_own else shared).append(contract)
        if len(both) > MOST_CHOSEN:
            used = sum((c.quota_each or 0) for c in own) + sum((c.quota or 0) for c in shared)
            used += sum(min(c.quota or 0, c.quota_each or 0) for c in both)
            return used <= left + self._by_others([*shared, *both])
        return any(
            self._suffice([*own, *chosen], [*shared, *(c for c in both if c not in chosen)], left)
            for chosen in _subsets(both)
        )

    def _suffice(self, own: Sequence[Contract], shared: Sequence[Contract], left: int) -> bool:
        """Return whether there are turns for those used up by the side, and those by all sides."""
        left -= sum(contract.quota_each or 0 for contract in own)
        able = min(left, sum(self.can(self.side, contract) for contract in shared))
        used = sum(contract.quota or 0 for contract in shared)
        return left >= 0 and used <= able + self._by_others(shared)

    def _by_others(self, contracts: Sequence[Contract]) -> int:
        names, total = [contract.id for contract in contracts], 0
        for side in {*range(self.ruleset.side_count)} - {self.side}:
            of_kinds: Counter[str] = Counter()
            for contract in contracts:
                of_kinds[contract.kind] += self.can(side, contract)
            quotas = self.ruleset.side_quotas
            able = sum(min(n, quotas.get(kind, n)) for kind, n in of_kinds.items())
            total += min(self.turns(side, names), able)
        return total


_Item = TypeVar("_Item")


def _subsets(items: Collection[_Item]) -> Iterator[tuple[_Item, ...]]:
    return chain.from_iterable(combinations(items, n) for n in range(len(items) + 1))


def _walk(
    ruleset: Ruleset,
    plan: Sequence[Sequence[str]],
    unproved: tuple[int, int],
    budget: Iterator[int],
) -> tuple[int, int] | None:
    """Return a first seat and a deal at which a game gets stuck, by playing every game.

    If these are too many, return what was `unproved`.
    """
    sides, limits = ruleset.sides, {}
    for side in {*sides}:
        for contract in ruleset.contracts:
            counted = (
                ((-1, contract.id), contract.quota),
                ((side, contract.id), contract.quota_each),
                ((side, f"kind {contract.kind}"), ruleset.side_quotas.get(contract.kind)),
            )
            limits[side, contract.id] = {key: most for key, most in counted if most is not None}
    all_limits = dict(chain.from_iterable(map(dict.items, limits.values())))
    width = max(all_limits.values(), default=0).bit_length()
    bits = {key: number * (width + 1) for number, key in enumerate(all_limits)}
    # A state is one number, with a counter for each limit. Its highest bit is set at the limit.
    start = sum((1 << width) - most << bits[key] for key, most in all_limits.items())
    moves = {
        turn: (sum(1 << bits[key] + width for key in keys), sum(1 << bits[key] for key in keys))
        for turn, keys in limits.items()
    }
    for first in range(ruleset.seats):
        states = {start}
        for deal, names in enumerate(plan):
            side = sides[(first + deal // ruleset.in_a_row) % len(sides)]
            possible = {moves[side, name] for name in names}
            if any(all(state & full for full, _step in possible) for state in states):
                return first, deal
            steps = len(states) * len(possible)
            if sum(1 for _ in islice(budget, steps)) < steps:
                return unproved
            states = {
                state + step for full, step in possible for state in states if not state & full
            }
    return None
