"""The parts of the deal form: contracts, players as they sit, numbers, and further fields."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from django.utils.translation import pgettext

from tournaments.engine.play.games import OFFERED as NUMBER_OFFERED
from tournaments.engine.play.games import Game
from tournaments.engine.rules.fields import fields_anywhere
from tournaments.engine.rules.rulesets import ALL_TRICKS, UNITS, Contract, Points, Ruleset
from tournaments.presenters.rulesets import declared_by
from tournaments.texts import labels
from tournaments.web.games.deals.reading import ALL_UNITS, NAMED_BY, OFFERED, double_field
from tournaments.web.games.deals.sheet_view import Members, Symbol, members_of


@dataclass(frozen=True)
class SuitField:
    """A trump suit to choose."""

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
        """Whether a declaration can be made blind."""
        return "blind" in self.fields

    @property
    def is_blind(self) -> bool:
        return bool(self.typed.get("blind"))

    @property
    def buyers(self) -> tuple[PlayerField, ...]:
        """The players who can buy a declaration."""
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
        """The typed number of doubles."""
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
