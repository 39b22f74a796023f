"""The form in which a table writes down a deal, as it is shown, with what was typed so far."""

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from tournaments import messages, words
from tournaments.engine.entry_records import write_points
from tournaments.engine.fields import fields_of, trumps_of
from tournaments.engine.games import Choice
from tournaments.engine.kings import king_is_said
from tournaments.engine.problems import Code, Problem
from tournaments.engine.rulesets import TRUMP, Contract
from tournaments.engine.units import UNITS, WITHIN, Unit
from tournaments.ruleset_json import describe, most_of
from tournaments.web.deals.asks import Asks
from tournaments.web.deals.fields import ContractField, SuitField, Tile, UnitField
from tournaments.web.deals.reading import total_of
from tournaments.web.deals.sheet_view import symbol_of
from tournaments.web.deals.situation import DealForm
from tournaments.web.deals.state import state_of
from tournaments.web.deals.tiles import seat_tiles, side_tiles

FIELDS_OF = {"adjustment": ("seat", "points", "reason"), "stopped": ("reason",)}
"""Fields of an entry that is no deal, beside which their problems stand."""

SHOWN_WITH = ("blind", "sale", "closed_by", "rifki_holder")
"""Further fields that are shown only with the contracts that have them."""

ONE_TAP = 2
"""Of so few units, a tap on a player gives one; no row of numbers is needed."""


@dataclass(frozen=True)
class EntryForm(DealForm):
    """The form for one deal whose contract is named."""

    @property
    def deal(self) -> int:
        """The number of the deal, from 1."""
        return len(self.game.deals) + 1

    @property
    def deals(self) -> int | None:
        """How many deals the game has, where it has a length."""
        return self.game.ruleset.length

    # Whose turn it is.

    @property
    def declarer(self) -> int:
        """The seat that declares."""
        return self.game.declarer

    @property
    def declarer_name(self) -> str:
        """Who declares."""
        return self.players[self.declarer]

    @property
    def dealer_declares(self) -> bool:
        """Whether the turn to declare is the dealer's own."""
        return self.game.ruleset.settings.get("dealer") == "declares"

    @property
    def turn_word(self) -> str:
        """What the player does whose turn it is."""
        if self.dealer_declares:
            return _("deals")
        led = self.fixed is not None and not self.fixed.declared
        return _("leads") if led else _("declares")

    @property
    def dealer(self) -> int:
        """The seat that deals: the one before the declarer in the order of play."""
        return (self.declarer - 1) % self.game.ruleset.seats

    @property
    def dealer_name(self) -> str:
        """Who deals."""
        return self.players[self.dealer]

    @property
    def cutter_name(self) -> str:
        """Who cuts: after the declarer in the order of play; of two, whoever does not deal."""
        after = self.game.ruleset.next_seat(self.declarer)
        return self.players[self.declarer if after == self.dealer else after]

    @property
    def must(self) -> str:
        """What the declarer has to name, in words, where there is no choice left."""
        return words.must_sentence(self.game.must) if self.game.must else ""

    # Contracts.

    @cached_property
    def fixed(self) -> Contract | None:
        """The contract of this deal, where the ruleset leaves no choice of it."""
        ruleset = self.game.ruleset
        possible = self.game.stage or tuple(ruleset.by_id)
        if self.asks.offers and self.asks.contracts_left == 1:
            possible = tuple(contract.id for contract in self.game.legal_contracts())
        return ruleset.by_id[possible[0]] if len(possible) == 1 else None

    @cached_property
    def contracts(self) -> tuple[ContractField, ...]:
        """The contracts of the ruleset, in its order."""
        return tuple(self._contract(choice) for choice in self.game.choices())

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why contracts cannot be named, one sentence for each cause."""
        barred = [(c.contract, self._main_problem(c)) for c in self.game.choices() if c.problems]
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
        """The units of the ruleset, each shown with the contracts that count it."""
        units = {
            unit.id: unit for contract in self.game.ruleset.contracts for unit in contract.units
        }
        units |= {name: UNITS[name] for name in self.game.ruleset.all_units}
        return tuple(self._unit(unit) for unit in units.values())

    @property
    def keys(self) -> range:
        """The numbers of the pad."""
        return range(max((unit.most for unit in self.units), default=0) + 1)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The sides in the order of the numbers of a unit."""
        return tuple(tile.name for tile in self.units[0].tiles) if self.units else ()

    @property
    def agreement(self) -> tuple[str, ...]:
        """How the units that are written down together must agree."""
        together = [c.values for c in self.game.ruleset.contracts if len(c.values) > 1]
        units = dict.fromkeys(unit for values in together for unit in values)
        units |= dict.fromkeys(self.game.ruleset.all_units)
        sentences = [
            _("“%(part)s” also counts as “%(whole)s”.")
            % {"part": words.unit_name(part), "whole": words.unit_name(whole)}
            for part in units
            for whole in WITHIN.get(part, ())
            if whole in units
        ]
        if "tricks" in units and any(UNITS[unit].cards for unit in units):
            sentences.append(_("A trick holds four cards: without a trick nobody has a card."))
        return tuple(sentences)

    # What is asked besides.

    @cached_property
    def asks(self) -> Asks:
        """What else this table has to say about a deal."""
        return Asks(self.game, self.players, self.typed or {})

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

    # What is wrong.

    @property
    def to_replay(self) -> bool:
        """Whether the deal as typed has to be played again."""
        return any(problem.code == Code.MUST_BE_VOID for problem in self.problems)

    def errors(self, *where: str) -> tuple[str, ...]:
        """The sentences for the problems at some fields."""
        found = [problem for problem in self.problems if problem.where in where]
        return explained(found, self.players)

    @cached_property
    def beside(self) -> Mapping[str, tuple[str, ...]]:
        """The sentences for the problems of each group of the form, by its name."""
        return {group: self.errors(*where) for group, where in self.asks.groups.items()}

    @property
    def contract_errors(self) -> tuple[str, ...]:
        """What is wrong with the contract or its suit."""
        return self.beside["contract"]

    @property
    def king_errors(self) -> tuple[str, ...]:
        """What is wrong with a King, or the holder of the king of hearts."""
        return self.beside["king"]

    @property
    def other_errors(self) -> tuple[str, ...]:
        """What is wrong with no field in particular."""
        if not self.problems:
            return ()
        beside = {place for where in self.asks.groups.values() for place in where}
        beside |= {f"counts.{unit.id}" for unit in self.units}
        places = dict.fromkeys(problem.where for problem in self.problems)
        return self.errors(*(place for place in places if place not in beside))

    # What the phone is told.

    @property
    def state(self) -> dict[str, Any]:
        """What the phone needs to go on by itself where there is no signal."""
        return state_of(self.game, list(self.players))

    @property
    def rules(self) -> dict[str, Any]:
        """The ruleset, by which the phone checks what is typed before it is sent."""
        return describe(self.game.ruleset)

    def _contract(self, choice: Choice) -> ContractField:
        contract, ruleset = choice.contract, self.game.ruleset
        suit = self._typed("trump")
        dearest = self.game.dearest_left()
        chosen = self.fixed.id if self.fixed is not None else self._typed("contract")
        values = {unit: write_points(each) for unit, each in contract.values.items()}
        return ContractField(
            id=contract.id,
            name=_names([contract]),
            symbol=symbol_of(contract.id),
            kind=contract.kind,
            left=choice.left,
            reasons=tuple(messages.explain(p, self.players) for p in choice.problems),
            units=tuple(contract.values),
            values=json.dumps(values),
            checked=contract.id == chosen,
            advised=ruleset.settings.get("order") == "advised" and contract is dearest,
            replay=contract.replay_one_each,
            says_king=king_is_said(ruleset, contract),
            asks=tuple(name for name in SHOWN_WITH if name in fields_of(ruleset, contract)),
            suits=tuple(
                SuitField(s, words.suit_name(s), words.suit_symbol(s), s == suit)
                for s in trumps_of(ruleset, contract)
            ),
        )

    def _unit(self, unit: Unit) -> UnitField:
        total = total_of(self.game.ruleset, unit.id)
        ordered = unit.total is None and total is not None
        return UnitField(
            id=unit.id,
            name=words.unit_name(unit.id),
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


def _names(contracts: Sequence[Contract]) -> str:
    return ", ".join(map(words.contract_title, contracts))


def _is_played_out(contract: Contract, problem: Problem) -> bool:
    """Whether a contract is used up, for all or for whoever declares."""
    own = problem.code == Code.PLAYER_QUOTA_USED and problem.params["kind"] == contract.id
    return own or problem.code == Code.CONTRACT_USED_UP
