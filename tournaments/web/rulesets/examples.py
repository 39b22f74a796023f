"""Example deals of a ruleset: generated from its data, scored by the engine."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from tournaments.engine.play.games import Game, PlayedDeal
from tournaments.engine.rules.entries import Deal
from tournaments.engine.rules.fields import CAPPOTTO, fields_of, trumps_of
from tournaments.engine.rules.rulesets import Contract, PerSide, Points, Ruleset
from tournaments.engine.rules.scoring import check_deal, score_deal
from tournaments.presenters.games.sheets import MARKS, deal_line, marks_of
from tournaments.texts import labels

LETTERS = "ABCD"
"""Names of the players of an example."""

SHARES: Mapping[int, tuple[int, ...]] = MappingProxyType(
    {2: (3, 10), 3: (2, 7, 4), 4: (1, 6, 4, 2)}
)
"""Distributions of 13 tricks, by the number of sides; other units are similar."""


@dataclass(frozen=True)
class Example:
    """An example deal of a ruleset, with the option that it requires, if any."""

    rules: Ruleset
    contract: Contract
    deal: Deal
    option: tuple[str, Any] | None = None


@dataclass(frozen=True)
class ScoredExample:
    """An example as text: the counts of the sides, other details, and the score."""

    contract: Contract
    option: str
    taken: tuple[str, ...]
    said: tuple[str, ...]
    points: PerSide
    sum: Points

    @property
    def name(self) -> str:
        return labels.contract_title(self.contract)


def scored_examples(rules: Ruleset) -> list[ScoredExample]:
    """Return the scored examples that are possible at the ruleset's table."""
    return [
        _score(example)
        for example in examples_of(rules)
        if not any(check_deal(example.rules, example.contract, example.deal))
    ]


def examples_of(rules: Ruleset) -> Iterator[Example]:
    """Yield one deal or more of each contract, then the additions of its steps."""
    for contract in rules.contracts:
        yield from DEALS.get(contract.scoring, _by_units)(rules, contract)
    for step in rules.steps:
        yield from STEPS[step](rules) if step in STEPS else ()


def _score(example: Example) -> ScoredExample:
    rules, contract, deal = example.rules, example.contract, example.deal
    score = score_deal(rules, contract, deal)
    players = LETTERS[: rules.seats]
    played = PlayedDeal(0, contract, deal.declarer or 0, deal, score.king)
    option = ""
    if example.option is not None:
        setting, value = example.option
        chosen = labels.option_value_name(setting, value)
        option = f"{labels.option_name(setting)}: {chosen}"
    said = [labels.suit_of(deal.details.get("trump"))]
    said += marks_of(rules, players, deal.details, [name for name in MARKS if name not in TAKEN])
    return ScoredExample(
        contract,
        option,
        deal_line(Game(rules), played, players).taken,
        tuple(filter(None, said)),
        score.points,
        sum(score.points),
    )


TAKEN = ("tricks", "left")
"""Details of a deal derived from the counts of the sides."""


def share(total: int, sides: int) -> tuple[int, ...]:
    """Divide `total` units among the sides by largest remainders."""
    weights = SHARES[sides]
    exact = [Fraction(total * weight, sum(weights)) for weight in weights]
    shares = [int(number) for number in exact]
    by_remainder = sorted(range(sides), key=lambda side: shares[side] - exact[side])
    for side in by_remainder[: total - sum(shares)]:
        shares[side] += 1
    return tuple(shares)


def _counts(rules: Ruleset, contract: Contract) -> dict[str, tuple[int, ...]]:
    totals = {unit.id: unit.total for unit in contract.units}
    return {
        unit: FREE[unit][rules.side_count] if total is None else share(total, rules.side_count)
        for unit, total in totals.items()
    }


FREE: Mapping[str, Mapping[int, tuple[int, ...]]] = MappingProxyType(
    {
        "cards_left": {2: (4, 9), 3: (0, 3, 5), 4: (0, 3, 5, 1)},
        "places": {2: (2, 1), 3: (2, 1, 3), 4: (2, 1, 4, 3)},
    }
)
"""Numbers of units without a fixed total, by the number of sides."""


def _details(rules: Ruleset, contract: Contract) -> dict[str, Any]:
    """Return the details that a deal needs besides its counts."""
    allowed = fields_of(rules, contract)
    said = {name: value for name, value in SAID.items() if name in allowed}
    trumps = trumps_of(rules, contract)
    return {"trump": trumps[0], **said} if trumps else said


SAID: Mapping[str, Any] = MappingProxyType({"partner": 2, "closed_by": 0})


def _deal(rules: Ruleset, contract: Contract, **details: Any) -> Deal:
    return Deal(
        contract=contract.id,
        declarer=0 if contract.declared else None,
        counts=_counts(rules, contract),
        details={**_details(rules, contract), **details},
    )


def _by_units(rules: Ruleset, contract: Contract) -> Iterator[Example]:
    yield Example(rules, contract, _deal(rules, contract))


def _makers(rules: Ruleset, contract: Contract) -> Iterator[Example]:
    """Yield every line of the table of Euchre (`docs/rules.md` §4)."""
    for details in MAKERS:
        yield Example(rules, contract, Deal(details={"maker": 0, **details}))


MAKERS: Sequence[Mapping[str, Any]] = (
    {"tricks": 3},
    {"tricks": 5},
    {"tricks": 2},
    {"tricks": 3, "alone": True},
    {"tricks": 5, "alone": True},
    {"tricks": 2, "alone": True},
    {"tricks": 2, "defender_alone": 1},
    {"tricks": 0, "defender_alone": 1},
    {"tricks": 2, "alone": True, "defender_alone": 1},
)


def _piles(rules: Ruleset, contract: Contract) -> Iterator[Example]:
    """Yield the examples of Krapet (`docs/rules.md` §3): a game won, and by points."""
    yield Example(rules, contract, Deal(details={"winner": 0}))
    for option in rules.options:
        if "points" in option.values:
            chosen = (option.setting, "points")
            by_points = rules.with_options(dict([chosen]))
            for details in PILES:
                yield Example(by_points, contract, Deal(details=details), chosen)


PILES: Sequence[Mapping[str, Any]] = (
    {"winner": 0, "left": {"reserve": (0, 4), "stock": (0, 9), "waste": (0, 6)}},
    {"winner": None, "left": {"reserve": (2, 5), "stock": (8, 10), "waste": (0, 0)}},
)

DEALS: Mapping[str, Callable[[Ruleset, Contract], Iterator[Example]]] = MappingProxyType(
    {"makers-and-defenders": _makers, "piles-emptied": _piles}
)
"""The examples of a contract by its scoring strategy; the default counts units."""


def _with_option(rules: Ruleset, setting: str, value: Any) -> Ruleset | None:
    known = any(option.setting == setting for option in rules.options)
    return rules.with_options({setting: value}) if known else None


def _cappotto(rules: Ruleset) -> Iterator[Example]:
    """Yield a deal in which one side takes everything, for each way of scoring it."""
    contract = next((c for c in rules.contracts if c.cappotto), None)
    for value in CAPPOTTO:
        chosen = _with_option(rules, "cappotto", value)
        if contract is not None and chosen is not None:
            (unit,) = contract.units
            all_by_one = (0, unit.total or 0, *(0 for _ in range(rules.side_count - 2)))
            deal = replace(_deal(chosen, contract), counts={unit.id: all_by_one})
            yield Example(chosen, contract, deal, ("cappotto", value))


def _switched(setting: str, field: str, said: Any) -> Callable[[Ruleset], Iterator[Example]]:
    """Return a generator of a deal with a field that an option enables."""

    def examples(rules: Ruleset) -> Iterator[Example]:
        chosen = _with_option(rules, setting, value=True)
        contract = next((c for c in rules.contracts if field in c.fields), None)
        if chosen is not None and contract is not None:
            deal = _deal(chosen, contract, **{field: said})
            yield Example(chosen, contract, deal, (setting, True))

    return examples


def _third(rules: Ruleset) -> Iterator[Example]:
    """Yield a deal with most units on the declaring side, since only a loss counts double."""
    contract = rules.contracts[0]
    deal = _deal(rules, contract, third=True)
    counts = {unit: tuple(reversed(numbers)) for unit, numbers in (deal.counts or {}).items()}
    yield Example(rules, contract, replace(deal, counts=counts))


def _doubles(rules: Ruleset) -> Iterator[Example]:
    contract = rules.contracts[0]
    for double in ({"seats": (0, 1)}, {"seats": (0, 1), "redoubled": True}):
        yield Example(rules, contract, _deal(rules, contract, doubles=(double,)))


STEPS: Mapping[str, Callable[[Ruleset], Iterator[Example]]] = MappingProxyType(
    {
        "cappotto": _cappotto,
        "blind": _switched("blind_declaration", "blind", said=True),
        "sale": _switched("sale", "sale", {"buyer": 1, "tricks": 3}),
        "third": _third,
        "doubles": _doubles,
    }
)
"""Examples of the points that a step moves; other steps apply to every deal."""
