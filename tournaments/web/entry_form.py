"""The form in which a table writes down a deal, as it is shown, with what was typed so far."""

import json
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from tournaments import messages, words
from tournaments.engine.entry_records import write_points
from tournaments.engine.games import Choice, Game
from tournaments.engine.kings import king_is_said
from tournaments.engine.problems import Code, Problem
from tournaments.engine.rulesets import TRUMP, Contract, Points, Ruleset
from tournaments.engine.units import Unit
from tournaments.web.entry_reading import Typed
from tournaments.web.forms import new_key
from tournaments.web.sheet_view import Symbol, symbol_of

PLACES = {4: ("bottom", "right", "top", "left"), 2: ("bottom", "top")}
"""Where the seats are in counter-clockwise order of play, beginning with the phone."""

FIELDS_OF = {"adjustment": ("seat", "points", "reason"), "stopped": ("reason",)}
"""Fields of an entry that is no deal, beside which their problems stand."""

ONE_TAP = 2
"""Of so few units, a tap on a player gives one; no row of numbers is needed."""


@dataclass(frozen=True)
class SuitField:
    """A trump suit to choose."""

    id: str
    name: str
    symbol: str
    checked: bool


@dataclass(frozen=True)
class ContractField:
    """A contract to choose: how often it is left, and in words what forbids it."""

    id: str
    name: str
    symbol: Symbol
    kind: str
    left: int | None
    reasons: tuple[str, ...]
    units: tuple[str, ...]
    values: str
    checked: bool
    advised: bool
    replay: bool
    says_king: bool
    notes_holder: bool
    suits: tuple[SuitField, ...]


@dataclass(frozen=True)
class Tile:
    """A player at the table as drawn: place, totals, what is left, and the number typed."""

    seat: int
    name: str
    place: str
    total: Points
    declares: bool
    deals: bool
    left: tuple[tuple[str, str, int], ...]
    field: str = ""
    value: str = ""


@dataclass(frozen=True)
class UnitField:
    """The numbers of one unit, a tile for each player."""

    id: str
    name: str
    total: int
    one_tap: bool
    tiles: tuple[Tile, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True)
class EntryForm:
    """The form for one deal of a game, as far as it is filled in.

    `game` is the game before the deal, `holder` the seat that holds the phone, `typed`
    the fields by name, `problems` what is wrong with them.
    """

    game: Game
    players: Sequence[str]
    revision: int
    holder: int = 0
    typed: Typed | None = None
    problems: Sequence[Problem] = ()

    @cached_property
    def key(self) -> str:
        """A fresh key, for phones without scripts; the others make their own."""
        return new_key()

    @property
    def deal(self) -> int:
        """The number of the deal, from 1."""
        return len(self.game.deals) + 1

    @property
    def deals(self) -> int | None:
        """How many deals the game has, where it has a length."""
        return self.game.ruleset.length

    @property
    def declarer(self) -> int:
        """The seat that declares."""
        return self.game.declarer

    @property
    def declarer_name(self) -> str:
        """Who declares."""
        return self.players[self.declarer]

    @property
    def dealer_name(self) -> str:
        """Who deals: before the declarer in the order of play."""
        return self.players[(self.declarer - 1) % self.game.ruleset.seats]

    @property
    def cutter_name(self) -> str:
        """Who cuts: after the declarer in the order of play."""
        return self.players[self.game.ruleset.next_seat(self.declarer)]

    @property
    def must(self) -> str:
        """What the declarer has to name, in words, where there is no choice left."""
        return words.must_sentence(self.game.must) if self.game.must else ""

    @property
    def next_holder(self) -> int:
        """The seat at the bottom after the drawing is turned once."""
        return self.game.ruleset.next_seat(self.holder)

    @property
    def next_holder_name(self) -> str:
        """Who is at the bottom after the drawing is turned once."""
        return self.players[self.next_holder]

    @cached_property
    def contracts(self) -> tuple[ContractField, ...]:
        """The contracts of the ruleset, in its order."""
        return tuple(self._contract(choice) for choice in self.game.choices())

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why contracts cannot be named, one sentence for each cause."""
        barred = [(c.contract, _main_problem(c)) for c in self.game.choices() if c.problems]
        used_up = [c.id for c, problem in barred if problem.code == Code.CONTRACT_USED_UP]
        sentences = [self._reason(c, p) for c, p in barred if p.code != Code.CONTRACT_USED_UP]
        if used_up:
            names = ", ".join(map(words.contract_name, used_up))
            sentences.append(_("Played out: %(contracts)s.") % {"contracts": names})
        return tuple(dict.fromkeys(sentences))

    def _reason(self, contract: Contract, problem: Problem) -> str:
        if problem.code != Code.OUT_OF_ORDER:
            return messages.explain(problem, self.players)
        if contract.kind == TRUMP:
            return _("Trumps come after all penalties.")
        first = words.contract_name(str(problem.params["first"]))
        return _("Now: %(contract)s first.") % {"contract": first}

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """The players as they sit, the phone's holder first, then in order of play."""
        return tuple(self._tiles())

    @cached_property
    def units(self) -> tuple[UnitField, ...]:
        """The units of the ruleset, each shown with the contracts that count it."""
        units = {
            unit.id: unit for contract in self.game.ruleset.contracts for unit in contract.units
        }
        return tuple(self._unit(unit) for unit in units.values())

    @property
    def can_declare_king(self) -> bool:
        """Whether King is declared at this table."""
        return self.game.ruleset.settings.get("king") == "declared"

    @property
    def can_say_king(self) -> bool:
        """Whether there are contracts whose counts do not show a King by themselves."""
        return any(contract.says_king for contract in self.contracts)

    @property
    def has_rifki_holder(self) -> bool:
        """Whether the original holder of the king of hearts can be noted."""
        return any("rifki_holder" in contract.fields for contract in self.game.ruleset.contracts)

    @property
    def king_declared_by(self) -> str:
        """The seat that declared King, as typed."""
        return self._typed("king_declared_by")

    @property
    def rifki_holder(self) -> str:
        """The seat that was dealt the king of hearts, as typed."""
        return self._typed("rifki_holder")

    @property
    def king(self) -> bool:
        """Whether the tick for King is set."""
        return bool(self._typed("king"))

    @property
    def why(self) -> str:
        """Why an entry is corrected, as typed."""
        return self._typed("why")

    @property
    def to_replay(self) -> bool:
        """Whether the deal as typed has to be played again."""
        return any(problem.code == Code.MUST_BE_VOID for problem in self.problems)

    def errors(self, *where: str) -> tuple[str, ...]:
        """The sentences for the problems at some fields."""
        found = [problem for problem in self.problems if problem.where in where]
        return explained(found, self.players)

    @property
    def contract_errors(self) -> tuple[str, ...]:
        """What is wrong with the contract or its suit."""
        return self.errors("contract", "trump")

    @property
    def king_errors(self) -> tuple[str, ...]:
        """What is wrong with a King, or the holder of the king of hearts."""
        return self.errors("king", "king_declared_by", "rifki_holder")

    @property
    def other_errors(self) -> tuple[str, ...]:
        """What is wrong with no field in particular."""
        beside = {"contract", "trump", "king", "king_declared_by", "rifki_holder"}
        beside |= {f"counts.{unit.id}" for unit in self.units}
        return self.errors(*({problem.where for problem in self.problems} - beside))

    @property
    def state(self) -> dict[str, Any]:
        """What the phone needs to go on by itself where there is no signal: it only adds up."""
        game = self.game
        seats = range(game.ruleset.seats)
        return {
            "deal": self.deal,
            "deals": self.deals,
            "declarer": self.declarer,
            "players": list(self.players),
            "left": [game.left_to_declare(seat) for seat in seats],
            "totals": [write_points(total) for total in game.totals],
            "kinds": {kind: words.kind_name(kind) for kind in game.ruleset.quotas},
            "must": {kind: words.must_sentence(kind) for kind in game.ruleset.quotas},
            "king": game.ruleset.settings.get("king", "off"),
            "kingDeals": game.ruleset.settings.get("king_deals", "all"),
            "contracts": {
                choice.contract.id: {
                    "kind": choice.contract.kind,
                    "left": choice.left,
                    "after": _must_come_first(choice),
                    "values": _values(choice.contract),
                }
                for choice in game.choices()
            },
        }

    def _typed(self, name: str) -> str:
        return (self.typed or {}).get(name, "")

    def _contract(self, choice: Choice) -> ContractField:
        contract = choice.contract
        suit = self._typed("trump")
        dearest = self.game.dearest_left()
        return ContractField(
            id=contract.id,
            name=words.contract_name(contract.id),
            symbol=symbol_of(contract.id),
            kind=contract.kind,
            left=choice.left,
            reasons=tuple(messages.explain(p, self.players) for p in choice.problems),
            units=tuple(contract.values),
            values=json.dumps(_values(contract)),
            checked=self._typed("contract") == contract.id,
            advised=self.game.ruleset.settings.get("order") == "advised" and contract is dearest,
            replay=contract.replay_one_each,
            says_king=king_is_said(self.game.ruleset, contract),
            notes_holder="rifki_holder" in contract.fields,
            suits=tuple(
                SuitField(s, words.suit_name(s), words.suit_symbol(s), s == suit)
                for s in contract.trumps
            ),
        )

    def _tiles(self, unit: str = "") -> Iterator[Tile]:
        seats = self.game.ruleset.seats
        for turn in range(seats):
            seat = (self.holder + turn) % seats
            field = f"count-{unit}-{seat}" if unit else ""
            left = self.game.left_to_declare(seat).items()
            yield Tile(
                seat=seat,
                name=self.players[seat],
                place=place_of(self.game.ruleset, turn),
                total=self.game.totals[self.game.ruleset.sides[seat]],
                declares=seat == self.declarer,
                deals=self.game.ruleset.next_seat(seat) == self.declarer,
                left=tuple((kind, words.kind_name(kind), number) for kind, number in left),
                field=field,
                value=self._typed(field),
            )

    def _unit(self, unit: Unit) -> UnitField:
        return UnitField(
            id=unit.id,
            name=words.unit_name(unit.id),
            total=unit.total or 0,
            one_tap=(unit.total or ONE_TAP + 1) <= ONE_TAP,
            tiles=tuple(self._tiles(unit.id)),
            problems=self.errors(f"counts.{unit.id}"),
        )


def errors_beside(
    problems: Sequence[Problem], players: Sequence[str], kind: str
) -> dict[str, tuple[str, ...]]:
    """The sentences for the fields of an entry that is no deal, by field."""
    fields = FIELDS_OF.get(kind, ())
    found = {
        field: explained([problem for problem in problems if problem.where == field], players)
        for field in fields
    }
    return {field: sentences for field, sentences in found.items() if sentences}


def explained(
    problems: Sequence[Problem], players: Sequence[str], beside: Container[str] = ()
) -> tuple[str, ...]:
    """A sentence for each problem, except those that stand beside their fields."""
    return tuple(messages.explain(p, players) for p in problems if p.where not in beside)


def place_of(ruleset: Ruleset, turn: int) -> str:
    """The side of the drawing at which the `turn`-th seat after the phone's holder sits."""
    places = PLACES[ruleset.seats]
    return places[-turn % len(places) if ruleset.clockwise else turn]


def _values(contract: Contract) -> dict[str, int | str]:
    return {unit: write_points(each) for unit, each in contract.values.items()}


def _main_problem(choice: Choice) -> Problem:
    quota = (p for p in choice.problems if p.code == Code.PLAYER_QUOTA_USED)
    return next(quota, choice.problems[0])


def _must_come_first(choice: Choice) -> str | None:
    """The contract that the order of play wants before this one."""
    firsts = [p.params.get("first") for p in choice.problems if p.code == Code.OUT_OF_ORDER]
    return str(firsts[0]) if firsts else None
