"""The form for deals in which no contract is named: makers and their tricks, or piles emptied."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from django.utils.translation import gettext as _

from tournaments import words
from tournaments.engine.fields import PILES, TRICKS_OF_FIVE, trumps_of
from tournaments.engine.problems import Problem
from tournaments.engine.rulesets import Contract, Points, Ruleset
from tournaments.web.deals.entry_form import EntryForm, explained
from tournaments.web.deals.fields import PlayerField, SuitField, Tile
from tournaments.web.deals.hand_reading import ALONE, STALEMATE
from tournaments.web.deals.situation import DealForm
from tournaments.web.deals.state import state_of
from tournaments.web.deals.tiles import seat_tiles


@dataclass(frozen=True)
class TricksField:
    """A number of the makers' tricks to choose; `value` says as well whether one played alone."""

    value: str
    tricks: int
    checked: bool


@dataclass(frozen=True)
class PileField:
    """How many cards one player has left in a pile."""

    field: str
    name: str
    value: str


@dataclass(frozen=True)
class PilesField:
    """The piles of one player, or the calls of each: a row of numbers."""

    seat: int
    name: str
    piles: tuple[PileField, ...]


@dataclass(frozen=True)
class HandForm(DealForm):
    """The form for one deal of a game whose contract is never named."""

    @property
    def template(self) -> str:
        """The template of the fields."""
        return TEMPLATES[self._hand.scoring]

    @property
    def deal(self) -> int:
        """The number of the deal, from 1; hands that everyone passed count."""
        return self.game.turns + 1

    @property
    def opener(self) -> int:
        """The seat that deals, or starts where nobody deals."""
        return self.game.declarer

    @property
    def opener_name(self) -> str:
        """Who deals, or starts."""
        return self.players[self.opener]

    @property
    def opens(self) -> str:
        """What the opener does."""
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
    def sides(self) -> tuple[tuple[str, Points], ...]:
        """The pairs with their scores; empty where each plays alone."""
        if self.game.ruleset.seats_in_a_side == 1:
            return ()
        names = self.game.ruleset.side_names(self.players)
        return tuple(zip(names, self.game.totals, strict=True))

    @property
    def why(self) -> str:
        """Why an entry is corrected, as typed."""
        return self._typed("why")

    @property
    def state(self) -> dict[str, Any]:
        """What the phone needs to go on by itself where there is no signal."""
        return state_of(self.game, list(self.players))

    # Makers and their tricks.

    @property
    def maker(self) -> str:
        """The seat that made trump, as typed."""
        return self._typed("maker")

    @property
    def passes(self) -> bool:
        """Whether everyone may pass."""
        return self.game.ruleset.passes

    @property
    def plays_alone(self) -> bool:
        """Whether one of a pair may leave the partner out."""
        return self.game.ruleset.seats_in_a_side > 1

    @property
    def tricks(self) -> tuple[TricksField, ...]:
        """The numbers of tricks the makers can have taken."""
        return self._tricks("")

    @property
    def tricks_alone(self) -> tuple[TricksField, ...]:
        """The same for a maker who played alone; empty where nobody does."""
        return self._tricks(f"-{ALONE}") if self.plays_alone else ()

    @property
    def lone_defenders(self) -> tuple[tuple[PlayerField, int], ...]:
        """Who can have defended alone, each with the side; empty where nobody does."""
        if not self.plays_alone:
            return ()
        chosen = self._typed("defender_alone")
        return tuple(
            (PlayerField(tile.seat, tile.name, str(tile.seat) == chosen), tile.side)
            for tile in sorted(self.tiles, key=lambda tile: tile.seat)
        )

    @property
    def suits(self) -> tuple[SuitField, ...]:
        """The suits that can be noted as trump."""
        chosen = self._typed("trump")
        return tuple(
            SuitField(suit, words.suit_name(suit), words.suit_symbol(suit), suit == chosen)
            for suit in trumps_of(self.game.ruleset, self._hand)
        )

    # Piles emptied.

    @property
    def winner(self) -> str:
        """The seat that won, as typed, or that nobody did."""
        return self._typed("winner")

    @property
    def stalemate(self) -> str:
        """What stands for nobody having won."""
        return STALEMATE

    @property
    def counts_cards(self) -> bool:
        """Whether the cards left have to be counted."""
        return not self.counts_games

    @property
    def has_left(self) -> bool:
        """Whether something was typed for cards left."""
        return any(pile.value for row in self.piles for pile in row.piles)

    @property
    def has_calls(self) -> bool:
        """Whether something was typed for krapet calls."""
        return any(call.value for call in self.calls)

    @cached_property
    def piles(self) -> tuple[PilesField, ...]:
        """The piles of each player."""
        return tuple(
            PilesField(
                seat,
                player,
                tuple(
                    PileField(field, str(words.FIELDS[pile]), self._typed(field))
                    for pile in PILES
                    for field in [f"left-{pile}-{seat}"]
                ),
            )
            for seat, player in enumerate(self.players)
        )

    @cached_property
    def calls(self) -> tuple[PileField, ...]:
        """How often each player called krapet."""
        fields = [(f"calls-{seat}", player) for seat, player in enumerate(self.players)]
        return tuple(PileField(field, player, self._typed(field)) for field, player in fields)

    # What is wrong.

    def errors(self, group: str) -> tuple[str, ...]:
        """The sentences for the problems at a group of fields."""
        return explained([p for p in self.problems if self._group(p) == group], self.players)

    @property
    def maker_errors(self) -> tuple[str, ...]:
        """What is wrong with who made trump, or who won."""
        return self.errors("maker") + self.errors("winner")

    @property
    def tricks_errors(self) -> tuple[str, ...]:
        """What is wrong with the tricks."""
        return self.errors("tricks") + self.errors("alone")

    @property
    def defender_errors(self) -> tuple[str, ...]:
        """What is wrong with the lone defender."""
        return self.errors("defender_alone")

    @property
    def left_errors(self) -> tuple[str, ...]:
        """What is wrong with the cards left."""
        return self.errors("left")

    @property
    def calls_errors(self) -> tuple[str, ...]:
        """What is wrong with the calls."""
        return self.errors("calls")

    @property
    def other_errors(self) -> tuple[str, ...]:
        """What is wrong with no field in particular."""
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
        chosen = self._typed("tricks")
        values = ((f"{tricks}{ending}", tricks) for tricks in range(TRICKS_OF_FIVE + 1))
        return tuple(TricksField(value, tricks, value == chosen) for value, tricks in values)


BESIDE = ("maker", "winner", "tricks", "alone", "defender_alone", "left", "calls")
"""The fields beside which their problems stand."""

TEMPLATES: Mapping[str, str] = MappingProxyType(
    {
        "makers-and-defenders": "tournaments/_makers_form.html",
        "piles-emptied": "tournaments/_piles_form.html",
    }
)
"""The form of a deal, by the strategy that scores it."""


def form_of_ruleset(ruleset: Ruleset) -> type[EntryForm] | type[HandForm]:
    """The form in which deals of a ruleset are written down."""
    return EntryForm if ruleset.unnamed is None else HandForm
