"""The fields of a deal in a form, and how they are read."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import Any

from django.utils.formats import get_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.play.games import OFFERED as NUMBER_OFFERED
from tournaments.engine.play.games import Game
from tournaments.engine.rules.entries import (
    PILES,
    REMARKS,
    Deal,
    Entry,
    clean_line,
    write_all_points,
    write_points,
)
from tournaments.engine.rules.fields import fields_anywhere, fields_of
from tournaments.engine.rules.rulesets import (
    ALL_TRICKS,
    UNITS,
    Code,
    Contract,
    InvalidEntry,
    Points,
    Problem,
    Ruleset,
)
from tournaments.engine.rules.scoring import king_is_said
from tournaments.queries.rulesets import declared_by
from tournaments.texts import labels
from tournaments.web.base.forms import read_points
from tournaments.web.games.deals.sheets import Members, Symbol, members_of

Typed = Mapping[str, str]
"""The fields of the form by name, as they were sent."""

ALONE = "alone"
"""Tricks and `alone` come as one: a lone maker's four tricks are `4-alone`."""

STALEMATE = "none"

Details = Iterator[tuple[str, Any]]


def read_hand(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Details:
    """Return the fields of a deal in a game without named contracts."""
    assert ruleset.unnamed is not None
    return HAND_READERS[ruleset.unnamed.scoring](ruleset, typed, problems)


def type_hand(body: Mapping[str, Any]) -> dict[str, str]:
    """Return the form's values for such a deal on the sheet."""
    typed = {
        name: str(body[name])
        for name in ("maker", "defender_alone", "trump")
        if body.get(name) is not None
    }
    if "tricks" in body:
        typed["tricks"] = f"{body['tricks']}-{ALONE}" if body.get("alone") else str(body["tricks"])
    if "winner" in body:
        typed["winner"] = STALEMATE if body["winner"] is None else str(body["winner"])
    rows = {f"left-{pile}": numbers for pile, numbers in body.get("left", {}).items()}
    if "calls" in body:
        rows["calls"] = body["calls"]
    for row, numbers in rows.items():
        typed |= {f"{row}-{seat}": str(number) for seat, number in enumerate(numbers)}
    return typed


def _read_makers(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Details:
    tricks, _dash, alone = typed.get("tricks", "").partition("-")
    seats = {"maker": typed.get("maker"), "defender_alone": typed.get("defender_alone")}
    for name, text in {**seats, "tricks": tricks}.items():
        if text:
            yield name, read_number(text, name, problems)
    if alone or typed.get(ALONE):
        yield "alone", True
    if typed.get("trump"):
        yield "trump", typed["trump"]


def _read_piles(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Details:
    """Return the winner and the cards left; a blank in a counted pile is 0."""
    winner = typed.get("winner")
    if winner:
        yield "winner", None if winner == STALEMATE else read_number(winner, "winner", problems)
    left = {pile: _row(ruleset, typed, f"left-{pile}") for pile in PILES}
    # The winner's piles are not counted: ignore values typed for them before.
    for numbers in left.values():
        for seat in range(len(numbers)):
            if winner == str(seat):
                numbers[seat] = ""
    if any(text for numbers in left.values() for text in numbers):
        yield (
            "left",
            {
                pile: [_number_or_zero(text, f"left.{pile}", problems) for text in numbers]
                for pile, numbers in left.items()
            },
        )
    calls = _row(ruleset, typed, "calls")
    if any(calls):
        yield "calls", [_number_or_zero(text, "calls", problems) for text in calls]


def _row(ruleset: Ruleset, typed: Typed, name: str) -> list[str]:
    return [typed.get(f"{name}-{seat}", "").strip() for seat in range(ruleset.seats)]


def _number_or_zero(text: str, where: str, problems: list[Problem]) -> int:
    return read_number(text, where, problems) if text else 0


HandReader = Callable[[Ruleset, Typed, list[Problem]], Details]

HAND_READERS: Mapping[str, HandReader] = MappingProxyType(
    {"makers-and-defenders": _read_makers, "piles-emptied": _read_piles}
)
"""Parsers of a deal, by its scoring strategy."""


OFFERED = ("offered1", "offered2")
ALL_UNITS = "all_units"
NAMED_BY = "named_by"
DOUBLED, REDOUBLED = "doubled", "redoubled"


def read_details(
    ruleset: Ruleset, contract: Contract, typed: Typed, problems: list[Problem]
) -> Iterator[tuple[str, Any]]:
    """Return the further fields of a deal of `contract` that are filled in."""
    names = dict.fromkeys(("king_declared_by", *fields_of(ruleset, contract)))
    for name in names:
        if name in DETAIL_READERS:
            value = DETAIL_READERS[name](ruleset, typed, name, problems)
            if value is not None:
                yield name, value


def type_details(body: Mapping[str, Any]) -> dict[str, str]:
    """Return the form's values for the further fields of a deal on the sheet."""
    plain = ("contract", "trump", "king_declared_by", "rifki_holder", "partner", "closed_by")
    typed = {name: str(body[name]) for name in plain if name in body}
    typed |= {name: "yes" for name in ("blind", "third") if body.get(name)}
    if "king" in body:
        typed["king"] = "yes"
    if "declarer" in body:
        typed[NAMED_BY] = str(body["declarer"])
    typed |= {f"sale_{name}": str(value) for name, value in body.get("sale", {}).items()}
    typed |= dict(zip(OFFERED, body.get("offered", ()), strict=False))
    for double in body.get("doubles", ()):
        redoubled = double.get("redoubled")
        typed[double_field(*sorted(double["seats"]))] = REDOUBLED if redoubled else DOUBLED
    return typed


def double_field(one: int, other: int) -> str:
    """Return the name of the field for two seats that double each other."""
    return f"double-{one}-{other}"


def read_number(text: str, where: str, problems: list[Problem]) -> int:
    """Return a whole number; a typographic minus sign is accepted."""
    try:
        return int(text.strip().replace(labels.MINUS, "-"))
    except ValueError:
        expected = {"expected": _("a whole number")}
        problems.append(Problem(Code.WRONG_TYPE, where, expected))
        return 0


def _number(_ruleset: Ruleset, typed: Typed, name: str, problems: list[Problem]) -> int | None:
    return read_number(typed[name], name, problems) if typed.get(name) else None


def _tick(_ruleset: Ruleset, typed: Typed, name: str, _problems: list[Problem]) -> bool | None:
    return True if typed.get(name) else None


def _sale(
    _ruleset: Ruleset, typed: Typed, name: str, problems: list[Problem]
) -> dict[str, int] | None:
    sale = {
        part: read_number(typed[f"{name}_{part}"], f"{name}.{part}", problems)
        for part in ("buyer", "tricks")
        if typed.get(f"{name}_{part}")
    }
    return sale or None


def _offered(
    _ruleset: Ruleset, typed: Typed, _name: str, _problems: list[Problem]
) -> list[str] | None:
    return [typed[field] for field in OFFERED if typed.get(field)] or None


def _doubles(
    ruleset: Ruleset, typed: Typed, _name: str, _problems: list[Problem]
) -> list[dict[str, Any]] | None:
    found: list[dict[str, Any]] = []
    for pair in combinations(range(ruleset.seats), 2):
        value = typed.get(double_field(*pair))
        if value:
            double: dict[str, Any] = {"seats": list(pair)}
            found.append(double | ({"redoubled": True} if value == REDOUBLED else {}))
    return found or None


DetailReader = Callable[[Ruleset, Typed, str, list[Problem]], Any]

DETAIL_READERS: Mapping[str, DetailReader] = MappingProxyType(
    {
        "king_declared_by": _number,
        "rifki_holder": _number,
        "partner": _number,
        "closed_by": _number,
        "blind": _tick,
        "third": _tick,
        "sale": _sale,
        "offered": _offered,
        "doubles": _doubles,
    }
)
"""Parsers of the form's further fields, by their names in a record."""


BEGUN = "begun"
"""The field of a form that names the contract of a deal before it is counted."""

POINTS = re.compile(r"[+-]?[0-9]{1,9}(/0*[1-9][0-9]{0,8}|[.,][0-9]{1,6})?")
"""Points as people write them: 100, 1/2, 0.5 or 0,5."""


def parse_form(ruleset: Ruleset, typed: Typed) -> Entry:
    """Return the entry of a form.

    Raises: InvalidEntry: the fields that cannot be read.
    """
    problems: list[Problem] = []
    kind = typed.get("type", "")
    raw: dict[str, Any] = {"type": kind}
    raw.update(ENTRY_READERS[kind](ruleset, typed, problems) if kind in ENTRY_READERS else {})
    for name in REMARKS:
        raw.update(_given(typed, name))
    if problems:
        raise InvalidEntry(problems)
    return parse_entry(raw)


TOTAL = re.compile(r"[+\-−–]?[0-9][0-9.,]*(?:/[0-9]+)?")


def read_totals(texts: Sequence[str]) -> tuple[Points, ...] | None:
    """Return the totals typed in the fields of the sides; None if they cannot be read.

    All of them may stand in one field: “−220-160 -150 530”.
    """
    decimal = get_format("DECIMAL_SEPARATOR")
    for parts in (texts, TOTAL.findall(" ".join(texts))):
        found = [_read_total(text, decimal) for text in parts]
        read = tuple(points for points in found if points is not None)
        if len(read) == len(found) == len(texts):
            return read
    return None


def _read_total(text: str, decimal: str) -> Points | None:
    plain = "".join(text.split()).replace(labels.MINUS, "-")
    if "/" in plain:
        return Fraction(plain) if POINTS.fullmatch(plain) else None
    return read_points(text, decimal)


def type_totals(body: Mapping[str, Any]) -> dict[str, str]:
    """Return the form's values for totals on the sheet."""
    typed = {f"total-{side}": str(points) for side, points in enumerate(body["totals"])}
    return typed | ({"early": "1"} if body.get("early") else {})


def check_suit(ruleset: Ruleset, entry: Entry) -> None:
    """Refuse a deal of trumps that does not say which; programs and records may leave it out.

    Raises: InvalidEntry: the suit is missing.
    """
    # Of a deal that was named before, the suit stands already.
    if not isinstance(entry, Deal) or "naming" in ruleset.settings:
        return
    contract = ruleset.contract_named(entry.contract)
    if contract and contract.named and contract.trumps and "trump" not in entry.details:
        raise InvalidEntry([Problem(Code.MISSING_FIELD, "trump", {"field": "trump"})])


def typed_entry(ruleset: Ruleset, body: Mapping[str, Any]) -> dict[str, str]:
    """Return the form's values for an entry on the sheet."""
    if body.get("type") == "totals":
        return type_totals(body)
    typed = type_details(body) if ruleset.unnamed is None else type_hand(body)
    counts = body.get("counts", {})
    for unit, numbers in counts.items():
        typed |= {f"count-{unit}-{side}": str(number) for side, number in enumerate(numbers)}
    contract = ruleset.contract_named(body.get("contract"))
    if contract is not None and counts.keys() - contract.values.keys():
        typed[ALL_UNITS] = "yes"
    return typed


def total_of(ruleset: Ruleset, unit: str) -> int | None:
    """Return the sum of a unit's numbers in every deal; None if it is not fixed."""
    sides = range(1, ruleset.side_count + 1)
    return sum(sides) if unit == "places" else UNITS[unit].total


def _read_deal(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Iterator[Any]:
    if ruleset.unnamed is not None:
        yield from read_hand(ruleset, typed, problems)
        return
    contract = ruleset.by_id.get(typed.get("contract", ""))
    yield from _given(typed, "contract")
    if contract is None:
        return
    if ruleset.declares == "pair":
        named_by = typed.get(NAMED_BY) or typed.get("declarer")
        if named_by:
            yield "declarer", read_number(named_by, "declarer", problems)
    if contract.trumps:
        yield from _given(typed, "trump")
    if typed.get(BEGUN):
        return
    yield from read_details(ruleset, contract, typed, problems)
    counts = {
        unit: _read_counts(ruleset, unit, typed, problems)
        for unit in _units_typed(ruleset, contract, typed)
    }
    if typed.get("king") and king_is_said(ruleset, contract):
        # One tick is enough: only the side that holds the most of everything is possible.
        sides = range(ruleset.side_count)
        side = max(sides, key=lambda side: sum(c[side] for c in counts.values()))
        yield "king", ruleset.sides.index(side)
    yield "counts", counts


def _units_typed(ruleset: Ruleset, contract: Contract, typed: Typed) -> tuple[str, ...]:
    if typed.get(ALL_UNITS) and ruleset.all_units:
        return ruleset.all_units
    return tuple(contract.values)


def _read_counts(ruleset: Ruleset, unit: str, typed: Typed, problems: list[Problem]) -> list[int]:
    """Return the numbers of one unit; fill in a blank if only one number fits."""
    fields = [typed.get(f"count-{unit}-{side}", "").strip() for side in range(ruleset.side_count)]
    numbers = [read_number(text, f"counts.{unit}", problems) if text else None for text in fields]
    given = [number for number in numbers if number is not None]
    rest = (total_of(ruleset, unit) or 0) - sum(given)
    if len(given) != len(numbers) - 1 or rest < 0:
        rest = 0
    return [rest if number is None else number for number in numbers]


def _read_void(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Iterator[Any]:
    contract = ruleset.by_id.get(typed.get("contract", ""))
    one_each = contract is not None and contract.replay_one_each
    yield "reason", typed.get("reason") or ("one-each" if one_each else "misdeal")
    yield from _given(typed, "contract")


def _read_redeal(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Iterator[Any]:
    yield "by", read_number(typed.get("by", ""), "by", problems)
    yield "reason", typed.get("reason", "")


def _read_adjustment(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Iterator[Any]:
    yield "seat", read_number(typed.get("seat", ""), "seat", problems)
    yield "points", _points(typed.get("points", ""), problems)
    yield "reason", clean_line(typed.get("reason", ""))
    if typed.get("to"):
        yield "to", typed["to"]


def _read_stopped(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Iterator[Any]:
    yield "reason", typed.get("reason", "")


def _read_totals(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> Iterator[Any]:
    texts = [typed.get(f"total-{side}", "").strip() for side in range(ruleset.side_count)]
    totals = read_totals(texts)
    if totals is None:
        params = {"expected": len(texts), "got": len([text for text in texts if text])}
        problems.append(Problem(Code.WRONG_SEATS, "totals", params))
        return
    yield "totals", write_all_points(totals)
    if typed.get("early"):
        yield "early", True


ENTRY_READERS = {
    "deal": _read_deal,
    "void": _read_void,
    "redeal": _read_redeal,
    "adjustment": _read_adjustment,
    "stopped": _read_stopped,
    "totals": _read_totals,
}
"""Parsers of each type of entry."""


def _given(typed: Typed, name: str) -> Iterator[tuple[str, str]]:
    if typed.get(name):
        yield name, typed[name]


def _points(text: str, problems: list[Problem]) -> int | str:
    """Return points as in a record: whole, or an exact fraction."""
    plain = "".join(text.split()).replace(labels.MINUS, "-")
    if not POINTS.fullmatch(plain):
        problems.append(Problem(Code.WRONG_TYPE, "points", {"expected": 'integer or "p/q"'}))
        return 0
    return write_points(Fraction(plain.replace(",", ".")))


@dataclass(frozen=True)
class SuitField:
    id: str
    name: str
    symbol: str
    checked: bool


@dataclass(frozen=True)
class ContractField:
    """A contract to choose: how often it is left, and whether it is forbidden.

    `asks` are the further fields of only some contracts.
    """

    id: str
    name: str
    symbol: Symbol
    kind: str
    left: int | None
    barred: bool
    units: tuple[str, ...]
    values: str
    checked: bool
    advised: bool
    replay: bool
    says_king: bool
    asks: tuple[str, ...]
    suits: tuple[SuitField, ...]


@dataclass(frozen=True)
class Tile:
    """A player at the table as drawn, or a side with its typed number.

    `seats` are all seats of the side, `members` these with their players, `left` its
    remaining declarations: kind, name and number.
    """

    seat: int
    side: int
    seats: tuple[int, ...]
    name: str
    place: str
    total: Points
    declares: bool
    left: tuple[tuple[str, str, int], ...]
    members: Members = ()
    field: str = ""
    value: str = ""


def unit_number(unit: str) -> int:
    """Return the number of a unit, by which the style sheet shows its row."""
    return list(UNITS).index(unit)


@dataclass(frozen=True)
class UnitField:
    """The numbers of one unit, a tile for each side.

    `total` is None if it is not fixed, and not a sum if the numbers are an order;
    `most` is the maximum of one side.
    """

    id: str
    name: str
    total: int | None
    has_sum: bool
    most: int
    one_tap: bool
    tiles: tuple[Tile, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True)
class PlayerField:
    """A player or side to choose; `barred` if it cannot be chosen."""

    value: int
    name: str
    checked: bool
    barred: bool = False


@dataclass(frozen=True)
class DoubleField:
    """Two players who may have doubled each other, and the choice."""

    field: str
    names: tuple[str, str]
    value: str


@dataclass(frozen=True)
class OfferField:
    """One of the two offered contracts: the possible ones, and the choice."""

    field: str
    contracts: tuple[tuple[str, str], ...]
    value: str


PLACES = {
    4: ("bottom", "right", "top", "left"),
    3: ("bottom", "right", "left"),
    2: ("bottom", "top"),
}
"""Positions of the seats in counter-clockwise order of play, beginning with the phone."""

Left = tuple[tuple[str, str, int], ...]


def place_of(ruleset: Ruleset, turn: int) -> str:
    """Return the side of the drawing for the `turn`-th seat after the phone's holder."""
    return _place(ruleset.seats, turn, clockwise=ruleset.clockwise)


def seat_tiles(game: Game, players: Sequence[str], holder: int) -> Iterator[Tile]:
    """Yield the players as they sit, the phone's holder first, then in order of play."""
    ruleset = game.ruleset
    for turn in range(ruleset.seats):
        seat = (holder + turn) % ruleset.seats
        yield Tile(
            seat=seat,
            side=ruleset.sides[seat],
            seats=(seat,),
            name=players[seat],
            place=place_of(ruleset, turn),
            total=game.totals[ruleset.sides[seat]],
            declares=seat == game.declarer,
            left=left_of(game, seat),
        )


def side_tiles(
    game: Game, players: Sequence[str], holder: int, unit: str, typed: Mapping[str, str]
) -> Iterator[Tile]:
    """Yield the sides with the numbers of a unit, that of the phone's holder first."""
    ruleset = game.ruleset
    order = [ruleset.sides[(holder + turn) % ruleset.seats] for turn in range(ruleset.seats)]
    names = ruleset.side_names(players)
    for turn, side in enumerate(dict.fromkeys(order)):
        field = f"count-{unit}-{side}"
        seats = tuple(seat for seat, its in enumerate(ruleset.sides) if its == side)
        yield Tile(
            seat=seats[0],
            side=side,
            seats=seats,
            name=names[side],
            place=_place(ruleset.side_count, turn, clockwise=ruleset.clockwise),
            total=game.totals[side],
            declares=game.declarer in seats,
            left=(),
            members=members_of(ruleset, players)[side],
            field=field,
            value=typed.get(field, ""),
        )


def left_of(game: Game, seat: int) -> Left:
    """Return the remaining declarations of a seat and its partner: kind, name and number.

    If each contract has its own number, one number is their sum.
    """
    each = sum(contract.quota_each or 0 for contract in game.ruleset.contracts)
    if each:
        number = each - sum(declared_by(game, seat).values())
        return (("", pgettext("contracts to declare", "left"), number),)
    left = game.left_to_declare(seat).items()
    return tuple((kind, labels.kind_name(kind), number) for kind, number in left)


def _place(number: int, turn: int, *, clockwise: bool) -> str:
    places = PLACES[number]
    return places[-turn % number if clockwise else turn]


PLACES_OF = {
    "contract": ("contract", "trump"),
    "king": ("king", "king_declared_by", "rifki_holder"),
    "declarer": ("declarer",),
    "partner": ("partner",),
    "sale": ("blind", "sale", "sale.buyer", "sale.tricks"),
    "offered": ("offered", "third"),
    "closed_by": ("closed_by",),
    "doubles": ("doubles",),
}
"""The groups of the form, and the fields of an entry whose problems each shows."""


@dataclass(frozen=True)
class DealOptions:
    """The further fields of a table with their values; parts that do not apply are empty."""

    game: Game
    players: Sequence[str]
    typed: Mapping[str, str]

    @cached_property
    def fields(self) -> frozenset[str]:
        return fields_anywhere(self.game.ruleset)

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The groups of this form, and the fields whose problems each shows."""
        shown = {"contract", "king", *self.fields}
        if self.named_by:
            shown.add("declarer")
        return {group: where for group, where in PLACES_OF.items() if group in shown}

    @cached_property
    def named_by(self) -> tuple[PlayerField, ...]:
        """The partners, of whom one named the contract: the one on turn, or the other."""
        ruleset, turn = self.game.ruleset, self.game.declarer
        if ruleset.declares != "pair":
            return ()
        seats = [s for s, side in enumerate(ruleset.sides) if side == ruleset.sides[turn]]
        said = self.typed.get(NAMED_BY, "")
        chosen = said if said in map(str, seats) else str(turn)
        seats.sort(key=lambda seat: seat != turn)
        return tuple(PlayerField(s, self.players[s], str(s) == chosen) for s in seats)

    @property
    def partner(self) -> tuple[PlayerField, ...]:
        """The players who can hold the card that the declarer named."""
        return tuple(self._others("partner")) if "partner" in self.fields else ()

    @property
    def blind(self) -> bool:
        return "blind" in self.fields

    @property
    def is_blind(self) -> bool:
        return bool(self.typed.get("blind"))

    @property
    def buyers(self) -> tuple[PlayerField, ...]:
        return tuple(self._others("sale_buyer")) if "sale" in self.fields else ()

    @property
    def prices(self) -> tuple[tuple[int, bool], ...]:
        """The prices of a declaration in tricks, and which is chosen."""
        chosen = self.typed.get("sale_tricks")
        return tuple((price, str(price) == chosen) for price in range(1, ALL_TRICKS + 1))

    @property
    def closers(self) -> tuple[PlayerField, ...]:
        """The sides, of which one went out first."""
        if "closed_by" not in self.fields:
            return ()
        names = self.game.ruleset.side_names(self.players)
        chosen = self.typed.get("closed_by")
        return tuple(PlayerField(s, name, str(s) == chosen) for s, name in enumerate(names))

    @property
    def doubles(self) -> tuple[DoubleField, ...]:
        """Every two players who may have doubled each other."""
        if "doubles" not in self.fields:
            return ()
        return tuple(map(self._double, combinations(range(self.game.ruleset.seats), 2)))

    @property
    def doubled(self) -> int:
        return sum(1 for double in self.doubles if double.value)

    @property
    def offers(self) -> bool:
        """Whether contracts are offered at this table."""
        return "offered" in self.fields

    @cached_property
    def offered(self) -> tuple[OfferField, ...]:
        """The two offered contracts; if only two are left, these."""
        left = [contract for contract, number in self._left() if number]
        all_left = [contract.id for contract, number in self._left() for _ in range(number)]
        choices = tuple((c.id, labels.contract_title(c)) for c in left)
        certain = all_left if len(all_left) == NUMBER_OFFERED else [""] * NUMBER_OFFERED
        return tuple(
            OfferField(field, choices, self.typed.get(field, known))
            for field, known in zip(OFFERED, certain, strict=True)
        )

    @property
    def contracts_left(self) -> int:
        """The number of contracts left: with one there is no offer, with two no third choice."""
        return sum(number for _, number in self._left())

    @property
    def is_third(self) -> bool:
        """Whether the partner went third, as typed."""
        return bool(self.typed.get("third"))

    @property
    def all_units(self) -> bool:
        """Whether all units may be entered instead of those of the contract."""
        return bool(self.game.ruleset.all_units)

    @property
    def gives_all_units(self) -> bool:
        """Whether all units were chosen."""
        return bool(self.typed.get(ALL_UNITS))

    def _left(self) -> Iterator[tuple[Contract, int]]:
        for contract in self.game.ruleset.contracts:
            yield contract, self.game.times_left(contract) or 0

    def _others(self, name: str) -> Iterator[PlayerField]:
        """Yield every player; the one on turn cannot be chosen."""
        chosen, turn = self.typed.get(name), self.game.declarer
        for seat, player in enumerate(self.players):
            yield PlayerField(seat, player, str(seat) == chosen and seat != turn, seat == turn)

    def _double(self, pair: tuple[int, int]) -> DoubleField:
        field = double_field(*pair)
        names = (self.players[pair[0]], self.players[pair[1]])
        return DoubleField(field, names, self.typed.get(field, ""))
