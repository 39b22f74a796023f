"""What the form asks besides contract and numbers: partner, sale, offer, doubles, who went out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from tournaments import words
from tournaments.engine.fields import ALL_TRICKS, fields_anywhere
from tournaments.engine.games import Game
from tournaments.engine.offers import OFFERED as NUMBER_OFFERED
from tournaments.engine.rulesets import Contract
from tournaments.web.deals import details
from tournaments.web.deals.details import ALL_UNITS, NAMED_BY, double_field
from tournaments.web.deals.fields import DoubleField, OfferField, PlayerField

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
"""The groups of the form, and the fields of an entry whose problems stand there."""


@dataclass(frozen=True)
class Asks:
    """What is asked at a table, as far as it is filled in; each part is empty where it is not."""

    game: Game
    players: Sequence[str]
    typed: Mapping[str, str]

    @cached_property
    def fields(self) -> frozenset[str]:
        """The further fields that deals of this game may have."""
        return fields_anywhere(self.game.ruleset)

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The groups that this form shows, and the fields whose problems stand there."""
        shown = {"contract", "king", *self.fields}
        if self.named_by:
            shown.add("declarer")
        return {group: where for group, where in PLACES_OF.items() if group in shown}

    @cached_property
    def named_by(self) -> tuple[PlayerField, ...]:
        """Which of two partners named the contract: the one whose turn it is, or the other."""
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
        """Who can hold the card that the declarer named."""
        return tuple(self._others("partner")) if "partner" in self.fields else ()

    @property
    def blind(self) -> bool:
        """Whether a declaration can be made blind."""
        return "blind" in self.fields

    @property
    def is_blind(self) -> bool:
        """Whether the tick for blind is set."""
        return bool(self.typed.get("blind"))

    @property
    def buyers(self) -> tuple[PlayerField, ...]:
        """Who can buy a declaration."""
        return tuple(self._others("sale_buyer")) if "sale" in self.fields else ()

    @property
    def prices(self) -> tuple[tuple[int, bool], ...]:
        """The numbers of tricks for which a declaration can be sold, and which was chosen."""
        chosen = self.typed.get("sale_tricks")
        return tuple((price, str(price) == chosen) for price in range(1, ALL_TRICKS + 1))

    @property
    def closers(self) -> tuple[PlayerField, ...]:
        """The sides of which one went out first."""
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
        """How many have doubled each other, as typed."""
        return sum(1 for double in self.doubles if double.value)

    @property
    def offers(self) -> bool:
        """Whether contracts are offered at this table."""
        return "offered" in self.fields

    @cached_property
    def offered(self) -> tuple[OfferField, ...]:
        """The two contracts that are offered; where only two are left, these."""
        left = [contract for contract, number in self._left() if number]
        all_left = [contract.id for contract, number in self._left() for _ in range(number)]
        choices = tuple((c.id, words.contract_title(c)) for c in left)
        certain = all_left if len(all_left) == NUMBER_OFFERED else [""] * NUMBER_OFFERED
        return tuple(
            OfferField(field, choices, self.typed.get(field, known))
            for field, known in zip(details.OFFERED, certain, strict=True)
        )

    @property
    def contracts_left(self) -> int:
        """How many contracts are left: with one there is no offer, with two no third choice."""
        return sum(number for _, number in self._left())

    @property
    def is_third(self) -> bool:
        """Whether the partner went third, as typed."""
        return bool(self.typed.get("third"))

    @property
    def all_units(self) -> bool:
        """Whether every unit can be written down instead of those of the contract."""
        return bool(self.game.ruleset.all_units)

    @property
    def gives_all_units(self) -> bool:
        """Whether that was chosen."""
        return bool(self.typed.get(ALL_UNITS))

    def _left(self) -> Iterator[tuple[Contract, int]]:
        for contract in self.game.ruleset.contracts:
            yield contract, self.game.times_left(contract) or 0

    def _others(self, name: str) -> Iterator[PlayerField]:
        """Every player; the one whose turn it is cannot be chosen."""
        chosen, turn = self.typed.get(name), self.game.declarer
        for seat, player in enumerate(self.players):
            yield PlayerField(seat, player, str(seat) == chosen and seat != turn, seat == turn)

    def _double(self, pair: tuple[int, int]) -> DoubleField:
        field = double_field(*pair)
        names = (self.players[pair[0]], self.players[pair[1]])
        return DoubleField(field, names, self.typed.get(field, ""))
