"""The forms of a deal: its entry, its hand, and its opening."""

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from django.utils.translation import gettext as _

from tournaments.engine.play.games import Choice, Game
from tournaments.engine.rules.entries import PILES, TRICKS_OF_FIVE, Deal, Void, write_points
from tournaments.engine.rules.fields import fields_of, trumps_of
from tournaments.engine.rules.rulesets import (
    TRUMP,
    UNITS,
    WITHIN,
    Code,
    Contract,
    Points,
    Problem,
    Unit,
)
from tournaments.engine.rules.scoring import king_is_said
from tournaments.queries.rulesets import describe, most_of, state_of
from tournaments.texts import labels, messages
from tournaments.web.base.phone import new_write_key
from tournaments.web.games.deals.fields import (
    ALONE,
    STALEMATE,
    ContractField,
    DealOptions,
    PlayerField,
    SuitField,
    Tile,
    Typed,
    UnitField,
    seat_tiles,
    side_tiles,
    total_of,
)
from tournaments.web.games.deals.sheets import Members, Symbol, members_of, symbol_of


@dataclass(frozen=True)
class DealForm:
    """The form for one deal of a game.

    `game` is the game before the deal, `holder` the seat of the phone's holder, `typed`
    the values by field name, `problems` their errors.
    """

    game: Game
    players: Sequence[str]
    revision: int
    holder: int = 0
    typed: Typed | None = None
    problems: Sequence[Problem] = ()

    @cached_property
    def key(self) -> str:
        """A new key, for phones without scripts; the others make their own."""
        return new_write_key()

    def value_of(self, name: str) -> str:
        return (self.typed or {}).get(name, "")


FIELDS_OF = {
    "adjustment": ("seat", "points", "reason"),
    "stopped": ("reason",),
    "totals": ("totals",),
}
"""Fields of entries other than deals that show their own problems."""

SHOWN_WITH = ("blind", "sale", "closed_by", "rifki_holder")
"""Further fields that are shown only with some contracts."""

ONE_TAP = 2
"""Up to this number of units, a tap on a player gives one; no row of numbers is needed."""


@dataclass(frozen=True)
class EntryForm(DealForm):
    """The form for one deal with a named contract."""

    @property
    def deal(self) -> int:
        """The number of the deal, from 1."""
        return len(self.game.deals) + 1

    # The turn.

    @property
    def dealer_declares(self) -> bool:
        return self.game.ruleset.settings.get("dealer") == "declares"

    @cached_property
    def turn_word(self) -> str:
        if self.fixed is None or self.fixed.declared:
            return _("declares")
        return _("deals") if self.dealer_declares else _("leads")

    @property
    def dealer(self) -> int:
        """The seat that deals: the one before the declarer in the order of play."""
        return (self.game.declarer - 1) % self.game.ruleset.seats

    @property
    def cutter_name(self) -> str:
        """The player who cuts: the one after the declarer, or of two the one not dealing."""
        after = self.game.ruleset.next_seat(self.game.declarer)
        return self.players[self.game.declarer if after == self.dealer else after]

    @property
    def must(self) -> str:
        """The kind that the declarer has to name, as text, if there is no choice left."""
        return labels.must_sentence(self.game.must) if self.game.must else ""

    # Contracts.

    @cached_property
    def fixed(self) -> Contract | None:
        """The contract of this deal, if the ruleset leaves no choice."""
        ruleset = self.game.ruleset
        possible = self.game.stage or tuple(ruleset.by_id)
        if self.asks.offers and self.asks.contracts_left == 1:
            possible = tuple(contract.id for contract in self.game.legal_contracts())
        return ruleset.by_id[possible[0]] if len(possible) == 1 else None

    @cached_property
    def contracts(self) -> tuple[ContractField, ...]:
        """The contracts of the ruleset, in its order."""
        return tuple(self._contract(choice) for choice in self.game.choices)

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """One sentence for each reason why contracts cannot be named."""
        barred = [(c.contract, self._main_problem(c)) for c in self.game.choices if c.problems]
        played = [c for c, problem in barred if _is_played_out(c, problem)]
        later = [c for c, problem in barred if c not in played and self._comes_later(problem)]
        rest = [(c, p) for c, p in barred if c not in played and c not in later]
        sentences = [self._reason(c, p) for c, p in rest]
        if later:
            sentences.append(_("Later: %(contracts)s.") % {"contracts": _names(later)})
        if played:
            sentences.append(_("Played out: %(contracts)s.") % {"contracts": _names(played)})
        return tuple(dict.fromkeys(sentences))

    def _comes_later(self, problem: Problem) -> bool:
        return problem.code == Code.OUT_OF_ORDER and bool(self.game.stage)

    def _reason(self, contract: Contract, problem: Problem) -> str:
        if problem.code != Code.OUT_OF_ORDER:
            return messages.explain(problem, self.players)
        if contract.kind == TRUMP:
            return _("Trumps come after all penalties.")
        first = self.game.ruleset.by_id[str(problem.params["first"])]
        return _("Now: %(contract)s first.") % {"contract": _names([first])}

    @staticmethod
    def _main_problem(choice: Choice) -> Problem:
        quota = (p for p in choice.problems if p.code == Code.PLAYER_QUOTA_USED)
        return next(quota, choice.problems[0])

    # The table and the numbers.

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """The players as they sit, the phone's holder first, then in order of play."""
        return tuple(seat_tiles(self.game, self.players, self.holder))

    @cached_property
    def units(self) -> tuple[UnitField, ...]:
        """The units of the ruleset, each with the contracts that count it."""
        units = {
            unit.id: unit for contract in self.game.ruleset.contracts for unit in contract.units
        }
        units |= {name: UNITS[name] for name in self.game.ruleset.all_units}
        return tuple(self._unit(unit) for unit in units.values())

    @property
    def keys(self) -> range:
        return range(max((unit.most for unit in self.units), default=0) + 1)

    @property
    def columns(self) -> tuple[Tile, ...]:
        """The sides in the order of the numbers of a unit."""
        return self.units[0].tiles if self.units else ()

    @cached_property
    def agreement(self) -> tuple[tuple[str, str], ...]:
        """How the units that are entered together must agree: the units, and a sentence."""
        together = [c.values for c in self.game.ruleset.contracts if len(c.values) > 1]
        units = dict.fromkeys(unit for values in together for unit in values)
        units |= dict.fromkeys(self.game.ruleset.all_units)
        sentences = [
            (
                f"{part} {whole}",
                _("“%(part)s” also counts as “%(whole)s”.")
                % {"part": labels.unit_name(part), "whole": labels.unit_name(whole)},
            )
            for part in units
            for whole in WITHIN.get(part, ())
            if whole in units
        ]
        if "tricks" in units and any(UNITS[unit].cards for unit in units):
            cards = _("A trick holds four cards: without a trick nobody has a card.")
            sentences.append(("tricks", cards))
        return tuple(sentences)

    # Further fields.

    @cached_property
    def asks(self) -> DealOptions:
        return DealOptions(self.game, self.players, self.typed or {})

    @property
    def can_say_king(self) -> bool:
        """Whether some contracts have counts that do not show a King by themselves."""
        return any(contract.says_king for contract in self.contracts)

    @property
    def has_rifki_holder(self) -> bool:
        """Whether the original holder of the king of hearts can be noted."""
        return any("rifki_holder" in contract.fields for contract in self.game.ruleset.contracts)

    # Errors.

    @property
    def to_replay(self) -> bool:
        """Whether the deal as typed has to be replayed."""
        return any(problem.code == Code.MUST_BE_VOID for problem in self.problems)

    def errors(self, *where: str) -> tuple[str, ...]:
        found = [problem for problem in self.problems if problem.where in where]
        return explained(found, self.players)

    @cached_property
    def beside(self) -> Mapping[str, tuple[str, ...]]:
        return {group: self.errors(*where) for group, where in self.asks.groups.items()}

    @property
    def other_errors(self) -> tuple[str, ...]:
        if not self.problems:
            return ()
        beside = {place for where in self.asks.groups.values() for place in where}
        beside |= {f"counts.{unit.id}" for unit in self.units}
        places = dict.fromkeys(problem.where for problem in self.problems)
        return self.errors(*(place for place in places if place not in beside))

    # Data for the phone.

    @property
    def state(self) -> dict[str, Any]:
        """The state that the phone needs to continue without a signal."""
        return state_of(self.game, list(self.players))

    @property
    def rules(self) -> dict[str, Any]:
        """The ruleset, with which the phone validates entries before sending them."""
        return describe(self.game.ruleset)

    @cached_property
    def _dearest(self) -> Contract | None:
        return self.game.dearest_left()

    def _contract(self, choice: Choice) -> ContractField:
        contract, ruleset = choice.contract, self.game.ruleset
        suit = self.value_of("trump")
        fields = fields_of(ruleset, contract)
        chosen = self.fixed.id if self.fixed is not None else self.value_of("contract")
        values = {unit: write_points(each) for unit, each in contract.values.items()}
        return ContractField(
            id=contract.id,
            name=_names([contract]),
            symbol=symbol_of(contract.id),
            kind=contract.kind,
            left=choice.left,
            barred=bool(choice.problems),
            units=tuple(contract.values),
            values=json.dumps(values),
            checked=contract.id == chosen,
            advised=ruleset.settings.get("order") == "advised" and contract is self._dearest,
            replay=contract.replay_one_each,
            says_king=king_is_said(ruleset, contract),
            asks=tuple(name for name in SHOWN_WITH if name in fields),
            suits=tuple(
                SuitField(s, labels.suit_name(s), labels.suit_symbol(s), s == suit)
                for s in trumps_of(ruleset, contract)
            ),
        )

    def _unit(self, unit: Unit) -> UnitField:
        total = total_of(self.game.ruleset, unit.id)
        ordered = unit.total is None and total is not None
        return UnitField(
            id=unit.id,
            name=labels.unit_name(unit.id),
            total=total,
            has_sum=unit.total is not None,
            most=most_of(self.game.ruleset, unit),
            one_tap=ordered or (unit.total or ONE_TAP + 1) <= ONE_TAP,
            tiles=tuple(
                side_tiles(self.game, self.players, self.holder, unit.id, self.typed or {})
            ),
            problems=self.errors(f"counts.{unit.id}"),
        )


def errors_beside(
    problems: Sequence[Problem], players: Sequence[str], kind: str
) -> dict[str, tuple[str, ...]]:
    """Return the errors for the fields of an entry other than a deal, by field."""
    fields = FIELDS_OF.get(kind, ())
    found = {
        field: explained([problem for problem in problems if problem.where == field], players)
        for field in fields
    }
    return {field: sentences for field, sentences in found.items() if sentences}


def explained(
    problems: Sequence[Problem], players: Sequence[str], beside: Container[str] = ()
) -> tuple[str, ...]:
    """Return a sentence for each problem, except those shown at their fields."""
    return tuple(messages.explain(p, players) for p in problems if p.where not in beside)


def _names(contracts: Sequence[Contract]) -> str:
    return ", ".join(map(labels.contract_title, contracts))


def _is_played_out(contract: Contract, problem: Problem) -> bool:
    own = problem.code == Code.PLAYER_QUOTA_USED and problem.params["kind"] == contract.id
    return own or problem.code == Code.CONTRACT_USED_UP


@dataclass(frozen=True)
class TricksField:
    """A possible number of the makers' tricks; `value` includes whether one played alone."""

    value: str
    tricks: int
    checked: bool


@dataclass(frozen=True)
class PileField:
    """The number of cards that one player has left in a pile."""

    field: str
    name: str
    value: str


@dataclass(frozen=True)
class PilesField:
    """A row of numbers: the piles of one player, or the calls of each."""

    seat: int
    name: str
    piles: tuple[PileField, ...]


@dataclass(frozen=True)
class HandForm(DealForm):
    """The form for one deal of a game without named contracts."""

    @property
    def template(self) -> str:
        return TEMPLATES[self._hand.scoring]

    @property
    def deal(self) -> int:
        """The number of the deal, from 1; hands that everyone passed count."""
        return self.game.turns + 1

    @property
    def opener(self) -> int:
        """The seat that deals, or starts if nobody deals."""
        return self.game.declarer

    @property
    def opener_name(self) -> str:
        return self.players[self.opener]

    @property
    def opens(self) -> str:
        return _("deals") if self.game.ruleset.passes else _("starts")

    @property
    def target(self) -> int | None:
        """The points (or games) at which the game ends."""
        return self.game.ruleset.target

    @property
    def counts_games(self) -> bool:
        """Whether games are counted instead of points."""
        return self.game.ruleset.settings.get("scoring") == "win"

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """The players as they sit, the phone's holder first, then in order of play."""
        return tuple(seat_tiles(self.game, self.players, self.holder))

    @property
    def sides(self) -> tuple[tuple[Members, Points], ...]:
        """The pairs with their scores; empty if each plays alone."""
        if self.game.ruleset.seats_in_a_side == 1:
            return ()
        sides = members_of(self.game.ruleset, self.players)
        return tuple(zip(sides, self.game.totals, strict=True))

    @property
    def state(self) -> dict[str, Any]:
        """The state that the phone needs to continue without a signal."""
        return state_of(self.game, list(self.players))

    # Makers and their tricks.

    @property
    def passes(self) -> bool:
        return self.game.ruleset.passes

    @property
    def plays_alone(self) -> bool:
        """Whether one of a pair may leave the partner out."""
        return self.game.ruleset.seats_in_a_side > 1

    @property
    def tricks(self) -> tuple[TricksField, ...]:
        return self._tricks("")

    @property
    def tricks_alone(self) -> tuple[TricksField, ...]:
        """The same for a maker who played alone; empty if nobody does."""
        return self._tricks(f"-{ALONE}") if self.plays_alone else ()

    @property
    def lone_defenders(self) -> tuple[tuple[PlayerField, int], ...]:
        """The players who can have defended alone, each with the side; empty if nobody does."""
        if not self.plays_alone:
            return ()
        chosen = self.value_of("defender_alone")
        return tuple(
            (PlayerField(tile.seat, tile.name, str(tile.seat) == chosen), tile.side)
            for tile in sorted(self.tiles, key=lambda tile: tile.seat)
        )

    @property
    def suits(self) -> tuple[SuitField, ...]:
        chosen = self.value_of("trump")
        return tuple(
            SuitField(suit, labels.suit_name(suit), labels.suit_symbol(suit), suit == chosen)
            for suit in trumps_of(self.game.ruleset, self._hand)
        )

    # Piles emptied.

    @property
    def stalemate(self) -> str:
        """The value for a deal without a winner."""
        return STALEMATE

    @property
    def counts_cards(self) -> bool:
        return not self.counts_games

    @property
    def has_left(self) -> bool:
        return any(pile.value for row in self.piles for pile in row.piles)

    @property
    def has_calls(self) -> bool:
        return any(call.value for call in self.calls)

    @cached_property
    def piles(self) -> tuple[PilesField, ...]:
        return tuple(
            PilesField(
                seat,
                player,
                tuple(
                    PileField(field, str(labels.FIELDS[pile]), self.value_of(field))
                    for pile in PILES
                    for field in [f"left-{pile}-{seat}"]
                ),
            )
            for seat, player in enumerate(self.players)
        )

    @cached_property
    def calls(self) -> tuple[PileField, ...]:
        fields = [(f"calls-{seat}", player) for seat, player in enumerate(self.players)]
        return tuple(PileField(field, player, self.value_of(field)) for field, player in fields)

    # Errors.

    def errors(self, group: str) -> tuple[str, ...]:
        return explained([p for p in self.problems if self._group(p) == group], self.players)

    @property
    def maker_errors(self) -> tuple[str, ...]:
        return self.errors("maker") + self.errors("winner")

    @property
    def tricks_errors(self) -> tuple[str, ...]:
        return self.errors("tricks") + self.errors("alone")

    @property
    def defender_errors(self) -> tuple[str, ...]:
        return self.errors("defender_alone")

    @property
    def left_errors(self) -> tuple[str, ...]:
        return self.errors("left")

    @property
    def calls_errors(self) -> tuple[str, ...]:
        return self.errors("calls")

    @property
    def other_errors(self) -> tuple[str, ...]:
        return self.errors("")

    @staticmethod
    def _group(problem: Problem) -> str:
        field = problem.where.partition(".")[0]
        return field if field in BESIDE else ""

    @property
    def _hand(self) -> Contract:
        hand = self.game.ruleset.unnamed
        assert hand is not None
        return hand

    def _tricks(self, ending: str) -> tuple[TricksField, ...]:
        chosen = self.value_of("tricks")
        values = ((f"{tricks}{ending}", tricks) for tricks in range(TRICKS_OF_FIVE + 1))
        return tuple(TricksField(value, tricks, value == chosen) for value, tricks in values)


BESIDE = ("maker", "winner", "tricks", "alone", "defender_alone", "left", "calls")
"""The fields that show their own problems."""

TEMPLATES: Mapping[str, str] = MappingProxyType(
    {
        "makers-and-defenders": "tournaments/games/deals/_makers_form.html",
        "piles-emptied": "tournaments/games/deals/_piles_form.html",
    }
)
"""The form of a deal, by its scoring strategy."""


SHORT = 8
"""The number of digits of a hash to compare by eye."""


@dataclass(frozen=True)
class Proof:
    """The proof that a sealed contract was not changed."""

    contract: str
    symbol: Symbol
    sealed: str
    salt: str


@dataclass(frozen=True)
class NamingForm(EntryForm):
    """The contract of the next deal, named before anyone has seen a card."""

    begins = "tournaments/games/deals/_naming_form.html"

    @property
    def is_sealed(self) -> bool:
        """Whether only the declarer may know the contract."""
        return self.game.ruleset.settings.get("naming") == "sealed"

    @property
    def next_step(self) -> EntryForm | None:
        """The form to count a deal named without a signal; a sealed one needs the server."""
        if self.is_sealed:
            return None
        return NextCountingForm(self.game, self.players, self.revision, self.holder)

    @property
    def over_quota(self) -> Proof | None:
        """The contract just revealed that was no longer available."""
        last = self.game.entries[-1] if self.game.entries else None
        if not isinstance(last, Void) or last.reason != "over-quota":
            return None
        return proof_of(last)

    @property
    def why_over_quota(self) -> tuple[str, ...]:
        """The reasons why that contract was no longer available."""
        proof = self.over_quota
        contract = None if proof is None else self.game.ruleset.by_id.get(proof.contract)
        problems = () if contract is None else self.game.check_choice(contract)
        return tuple(messages.explain(problem, self.players) for problem in problems)


@dataclass(frozen=True)
class SealedForm(EntryForm):
    """A deal with a sealed contract, which can only be revealed."""

    begins = "tournaments/games/deals/_sealed_form.html"

    @property
    def sealed(self) -> str:
        return str(_open(self.game).details.get("sealed", ""))

    @property
    def sealed_short(self) -> str:
        return self.sealed[:SHORT]


@dataclass(frozen=True)
class CountingForm(EntryForm):
    """The counts of a deal whose contract was named at its start."""

    begins = "tournaments/games/deals/_counting_form.html"

    @cached_property
    def fixed(self) -> Contract | None:
        return self.game.ruleset.contract_named(_open(self.game).contract)

    @cached_property
    def contracts(self) -> tuple[ContractField, ...]:
        """The contracts; for one named with its suit, only that suit."""
        named = _open(self.game).details.get("trump")
        if named is None:
            return super().contracts
        return tuple(
            replace(
                field,
                suits=tuple(replace(s, checked=True) for s in field.suits if s.id == named),
            )
            for field in super().contracts
        )

    @property
    def next_step(self) -> EntryForm:
        """The form to name the next deal after counting this one without a signal."""
        before = self.game.without_open_deal()
        return NextNamingForm(before, self.players, self.revision, self.holder)

    @property
    def proof(self) -> Proof | None:
        return proof_of(_open(self.game))


@dataclass(frozen=True)
class NextCountingForm(EntryForm):
    """The counts of the next named deal; the phone fills in its contract."""

    begins = "tournaments/games/deals/_counting_form.html"
    proof = None


@dataclass(frozen=True)
class NextNamingForm(NamingForm):
    """The naming after a deal in play; the phone fills in the rest."""

    @property
    def over_quota(self) -> Proof | None:
        """None: the deal in play comes first."""
        return None


def proof_of(entry: Deal | Void) -> Proof | None:
    """Return the proof of a contract; None if it was not sealed, or is not revealed."""
    salt = entry.details.get("salt")
    if entry.contract is None or salt is None:
        return None
    return Proof(entry.contract, symbol_of(entry.contract), entry.details["sealed"], salt)


def _open(game: Game) -> Deal:
    assert game.open_deal is not None
    return game.open_deal
