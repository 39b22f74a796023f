"""The further fields of a deal: which a deal of a contract may have, and what each may say."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any

from tournaments.engine.entries import NO_TRUMP, Deal
from tournaments.engine.problems import Code, Problem
from tournaments.engine.rulesets import Contract, Ruleset, Setting
from tournaments.engine.units import UNITS

ALL_TRICKS = UNITS["tricks"].total or 0
TRICKS_OF_FIVE = 5
CARDS_OF_BOTH_PACKS = 104
PILES = ("reserve", "stock", "waste")

Check = Callable[[Ruleset, Deal, Any], Iterator[Problem]]


@dataclass(frozen=True, slots=True)
class Field:
    """A further field: its check, and when a completed deal needs it.

    With a `switch` it exists only where that setting is on; with `required_where` it is
    needed where that setting has that value.
    """

    check: Check
    required: bool = False
    switch: str | None = None
    required_where: tuple[str, Setting] | None = None


KING_FIELDS: Mapping[Setting, tuple[str, ...]] = MappingProxyType(
    {"off": (), "ends-game": ("king",), "declared": ("king", "king_declared_by")}
)


def fields_of(ruleset: Ruleset, contract: Contract) -> tuple[str, ...]:
    """The fields a deal of `contract` may have besides contract, declarer, counts and trump."""
    king = KING_FIELDS[ruleset.settings.get("king", "off")]
    names = (*ruleset.fields, *contract.fields, *king)
    return tuple(name for name in names if _is_on(ruleset, FIELDS[name]))


def fields_anywhere(ruleset: Ruleset) -> frozenset[str]:
    """The fields that a deal of some contract may have."""
    names = set(chain.from_iterable(fields_of(ruleset, c) for c in ruleset.contracts))
    has_suits = any(contract.named or contract.trumps for contract in ruleset.contracts)
    return frozenset(names | ({"trump"} if has_suits else set()))


def trumps_of(ruleset: Ruleset, contract: Contract) -> tuple[str, ...]:
    """What may be named as trump with a contract at this table."""
    if ruleset.settings.get("no_trump_declaration", True):
        return contract.trumps
    return tuple(trump for trump in contract.trumps if trump != NO_TRUMP)


def check_fields(ruleset: Ruleset, contract: Contract, deal: Deal) -> Iterator[Problem]:
    """Check the further fields of a deal, each for itself."""
    allowed = fields_of(ruleset, contract) if deal.details else ()
    for name, value in deal.details.items():
        if name == "trump" and (contract.named or contract.trumps):
            yield from _check_trump(trumps_of(ruleset, contract), value)
        elif name not in allowed:
            yield Problem(Code.UNEXPECTED_FIELD, name, {"field": name})
        else:
            yield from FIELDS[name].check(ruleset, deal, value)
    if deal.counts is not None or not contract.named:
        yield from _check_required(ruleset, contract, deal)


def _check_required(ruleset: Ruleset, contract: Contract, deal: Deal) -> Iterator[Problem]:
    if REQUIRED.isdisjoint(ruleset.fields) and REQUIRED.isdisjoint(contract.fields):
        return  # As in most games, so that it had better be quick.
    for name in fields_of(ruleset, contract):
        if name not in deal.details and _is_required(ruleset, FIELDS[name]):
            yield Problem(Code.MISSING_FIELD, name, {"field": name})


def _is_on(ruleset: Ruleset, field: Field) -> bool:
    return field.switch is None or bool(ruleset.settings.get(field.switch))


def _is_required(ruleset: Ruleset, field: Field) -> bool:
    if field.required_where is None:
        return field.required
    setting, value = field.required_where
    return ruleset.settings.get(setting) == value


def _check_trump(allowed: tuple[str, ...], trump: object) -> Iterator[Problem]:
    if trump not in allowed:
        yield Problem(Code.BAD_TRUMP, "trump", {"trump": trump, "allowed": list(allowed)})


def check_seat(ruleset: Ruleset, where: str, seat: int) -> Iterator[Problem]:
    """Check that a seat exists."""
    if seat not in range(ruleset.seats):
        yield Problem(Code.BAD_SEAT, where, {"seats": ruleset.seats, "got": seat})


def _seat(where: str) -> Check:
    return lambda ruleset, _deal, seat: check_seat(ruleset, where, seat)


def _anything(_ruleset: Ruleset, _deal: Deal, _value: Any) -> Iterator[Problem]:
    """What is checked elsewhere, together with other things."""
    return iter(())


def _check_partner(ruleset: Ruleset, deal: Deal, partner: int) -> Iterator[Problem]:
    yield from check_seat(ruleset, "partner", partner)
    if partner == deal.declarer:
        yield Problem(Code.BAD_PARTNER, "partner", {"seat": partner})


def _check_sale(ruleset: Ruleset, deal: Deal, sale: Mapping[str, int]) -> Iterator[Problem]:
    """The dealer sells the declaration for a number of tricks (`docs/rules.md` §2.1)."""
    yield from _check_keys("sale", sale, ("buyer", "tricks"))
    if deal.details.get("blind"):
        yield Problem(Code.BAD_SALE, "sale", {"why": "blind"})
    buyer, tricks = sale.get("buyer"), sale.get("tricks")
    if buyer is not None:
        yield from check_seat(ruleset, "sale.buyer", buyer)
        if buyer == deal.declarer:
            yield Problem(Code.BAD_SALE, "sale.buyer", {"why": "own"})
    if tricks is not None and tricks not in range(1, ALL_TRICKS + 1):
        yield Problem(Code.BAD_SALE, "sale.tricks", {"why": "price", "most": ALL_TRICKS})


def _check_keys(where: str, value: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[Problem]:
    for key in keys:
        if key not in value:
            yield Problem(Code.MISSING_FIELD, f"{where}.{key}", {"field": key})
    for key in value:
        if key not in keys:
            yield Problem(Code.UNEXPECTED_FIELD, f"{where}.{key}", {"field": key})


def _check_closed_by(ruleset: Ruleset, _deal: Deal, side: int) -> Iterator[Problem]:
    if side not in range(ruleset.side_count):
        yield Problem(Code.BAD_SEAT, "closed_by", {"seats": ruleset.side_count, "got": side})


def _check_doubles(
    ruleset: Ruleset, _deal: Deal, doubles: tuple[Mapping[str, Any], ...]
) -> Iterator[Problem]:
    """Pairs that have doubled each other: two different seats, each pair once."""
    pairs = [frozenset(double["seats"]) for double in doubles]
    for seat in sorted({seat for double in doubles for seat in double["seats"]}):
        yield from check_seat(ruleset, "doubles", seat)
    if any(len(double["seats"]) != 2 for double in doubles) or any(len(p) != 2 for p in pairs):
        yield Problem(Code.BAD_DOUBLE, "doubles", {"why": "pair"})
    elif len(set(pairs)) < len(pairs):
        yield Problem(Code.BAD_DOUBLE, "doubles", {"why": "twice"})


def _check_tricks_of_five(_ruleset: Ruleset, _deal: Deal, tricks: int) -> Iterator[Problem]:
    if tricks < 0:
        yield Problem(Code.NEGATIVE_COUNT, "tricks", {"got": tricks})
    elif tricks > TRICKS_OF_FIVE:
        yield Problem(Code.COUNT_TOO_LARGE, "tricks", {"most": TRICKS_OF_FIVE, "got": tricks})


def _check_alone(ruleset: Ruleset, _deal: Deal, alone: bool) -> Iterator[Problem]:
    """Only one of a pair can leave a partner out."""
    if alone and ruleset.seats_in_a_side == 1:
        yield Problem(Code.UNEXPECTED_FIELD, "alone", {"field": "alone"})


def _check_defender_alone(ruleset: Ruleset, deal: Deal, seat: int | None) -> Iterator[Problem]:
    if seat is None:
        return
    if ruleset.seats_in_a_side == 1:
        yield Problem(Code.UNEXPECTED_FIELD, "defender_alone", {"field": "defender_alone"})
    elif seat not in range(ruleset.seats):
        yield from check_seat(ruleset, "defender_alone", seat)
    else:
        maker = deal.details.get("maker", -1)
        if maker in range(ruleset.seats) and ruleset.sides[maker] == ruleset.sides[seat]:
            yield Problem(Code.BAD_EUCHRE, "defender_alone", {"seat": seat})


def _check_winner(ruleset: Ruleset, _deal: Deal, winner: int | None) -> Iterator[Problem]:
    """Nobody wins a stalemate."""
    if winner is not None:
        yield from check_seat(ruleset, "winner", winner)


def _check_left(ruleset: Ruleset, deal: Deal, left: Mapping[str, Any]) -> Iterator[Problem]:
    """The piles: those of the winner empty, nobody else's, nobody with more than both packs."""
    faults = list(_check_piles(ruleset, left))
    yield from faults
    if faults:
        return
    cards = [sum(left[pile][seat] for pile in PILES) for seat in range(ruleset.seats)]
    if max(cards) > CARDS_OF_BOTH_PACKS:
        most = {"most": CARDS_OF_BOTH_PACKS, "got": max(cards)}
        yield Problem(Code.COUNT_TOO_LARGE, "left", most)
    winner = deal.details.get("winner", -1)
    empty = [seat for seat in range(ruleset.seats) if cards[seat] == 0]
    known = winner in (None, *range(ruleset.seats))
    if known and empty != ([] if winner is None else [winner]):
        yield Problem(Code.BAD_KRAPET, "left", {"why": "empty", "winner": winner})


def _check_piles(ruleset: Ruleset, left: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _check_keys("left", left, PILES)
    for pile in PILES:
        if pile in left:
            yield from _check_one_per_seat(ruleset, f"left.{pile}", left[pile])


def _check_one_per_seat(
    ruleset: Ruleset, where: str, numbers: tuple[int, ...]
) -> Iterator[Problem]:
    if len(numbers) != ruleset.seats:
        yield Problem(Code.WRONG_SEATS, where, {"expected": ruleset.seats, "got": len(numbers)})
    elif min(numbers) < 0:
        yield Problem(Code.NEGATIVE_COUNT, where, {"got": min(numbers)})


def _check_calls(ruleset: Ruleset, _deal: Deal, calls: tuple[int, ...]) -> Iterator[Problem]:
    return _check_one_per_seat(ruleset, "calls", calls)


FIELDS: Mapping[str, Field] = MappingProxyType(
    {
        "king": Field(_seat("king")),
        "king_declared_by": Field(_seat("king_declared_by")),
        "tricks_played": Field(_anything),
        "rifki_holder": Field(_seat("rifki_holder")),
        "sealed": Field(_anything),
        "salt": Field(_anything),
        "blind": Field(_anything, switch="blind_declaration"),
        "sale": Field(_check_sale, switch="sale"),
        "partner": Field(_check_partner, required=True),
        "closed_by": Field(_check_closed_by, required=True),
        "offered": Field(_anything),
        "third": Field(_anything),
        "doubles": Field(_check_doubles),
        "maker": Field(_seat("maker"), required=True),
        "tricks": Field(_check_tricks_of_five, required=True),
        "alone": Field(_check_alone),
        "defender_alone": Field(_check_defender_alone),
        "winner": Field(_check_winner, required=True),
        "left": Field(_check_left, required_where=("scoring", "points")),
        "calls": Field(_check_calls),
    }
)
"""The further fields of a deal by name."""

REQUIRED = frozenset(
    name for name, field in FIELDS.items() if field.required or field.required_where
)
