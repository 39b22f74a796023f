"""The form for a deal with a named contract, with the values typed so far."""

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from tournaments.engine.play.games import Choice, Game
from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.fields import fields_of, trumps_of
from tournaments.engine.rules.rulesets import TRUMP, UNITS, WITHIN, Code, Contract, Problem, Unit
from tournaments.engine.rules.scoring import king_is_said
from tournaments.presenters.rulesets import describe, most_of, state_of
from tournaments.texts import labels, messages
from tournaments.web.base.phone import new_write_key
from tournaments.web.games.deals.fields import (
    ContractField,
    DealOptions,
    SuitField,
    Tile,
    UnitField,
    seat_tiles,
    side_tiles,
)
from tournaments.web.games.deals.reading import Typed, total_of
from tournaments.web.games.deals.sheet_view import symbol_of


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

    @property
    def next_holder(self) -> int:
        """The seat at the bottom after one rotation of the drawing."""
        return self.game.ruleset.next_seat(self.holder)

    @property
    def next_holder_name(self) -> str:
        return self.players[self.next_holder]

    @property
    def declares_in_pairs(self) -> bool:
        """Whether what is left to declare is left to both players of a pair together."""
        return self.game.ruleset.seats_in_a_side > 1

    def _typed(self, name: str) -> str:
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

    @property
    def deals(self) -> int | None:
        """The number of deals in the game; None without a fixed length."""
        return self.game.ruleset.length

    # The turn.

    @property
    def declarer(self) -> int:
        return self.game.declarer

    @property
    def declarer_name(self) -> str:
        return self.players[self.declarer]

    @property
    def dealer_declares(self) -> bool:
        """Whether the dealer also declares."""
        return self.game.ruleset.settings.get("dealer") == "declares"

    @cached_property
    def turn_word(self) -> str:
        if self.fixed is None or self.fixed.declared:
            return _("declares")
        return _("deals") if self.dealer_declares else _("leads")

    @property
    def dealer(self) -> int:
        """The seat that deals: the one before the declarer in the order of play."""
        return (self.declarer - 1) % self.game.ruleset.seats

    @property
    def dealer_name(self) -> str:
        return self.players[self.dealer]

    @property
    def cutter_name(self) -> str:
        """The player who cuts: the one after the declarer, or of two the one not dealing."""
        after = self.game.ruleset.next_seat(self.declarer)
        return self.players[self.declarer if after == self.dealer else after]

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

    @property
    def fixed_deal(self) -> int | None:
        """The number of the deal, if its contract leaves no choice."""
        return self.deal if self.fixed else None

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
    def can_declare_king(self) -> bool:
        return self.game.ruleset.settings.get("king") == "declared"

    @property
    def can_say_king(self) -> bool:
        """Whether some contracts have counts that do not show a King by themselves."""
        return any(contract.says_king for contract in self.contracts)

    @property
    def has_rifki_holder(self) -> bool:
        """Whether the original holder of the king of hearts can be noted."""
        return any("rifki_holder" in contract.fields for contract in self.game.ruleset.contracts)

    @property
    def king_declared_by(self) -> str:
        """The typed seat that declared King."""
        return self._typed("king_declared_by")

    @property
    def rifki_holder(self) -> str:
        """The typed seat that was dealt the king of hearts."""
        return self._typed("rifki_holder")

    @property
    def king(self) -> bool:
        return bool(self._typed("king"))

    @property
    def why(self) -> str:
        """The typed reason of a correction."""
        return self._typed("why")

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
    def contract_errors(self) -> tuple[str, ...]:
        return self.beside["contract"]

    @property
    def king_errors(self) -> tuple[str, ...]:
        return self.beside["king"]

    @property
    def other_errors(self) -> tuple[str, ...]:
        """The errors that belong to no field."""
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
        suit = self._typed("trump")
        fields = fields_of(ruleset, contract)
        chosen = self.fixed.id if self.fixed is not None else self._typed("contract")
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
