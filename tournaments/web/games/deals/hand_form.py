"""The form for deals without a named contract: makers and their tricks, or emptied piles."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from django.utils.translation import gettext as _

from tournaments.engine.rules.entries import PILES, TRICKS_OF_FIVE
from tournaments.engine.rules.fields import trumps_of
from tournaments.engine.rules.rulesets import Contract, Points, Problem
from tournaments.presenters.rulesets import state_of
from tournaments.texts import labels
from tournaments.web.games.deals.entry_form import DealForm, explained
from tournaments.web.games.deals.fields import PlayerField, SuitField, Tile, seat_tiles
from tournaments.web.games.deals.reading import ALONE, STALEMATE
from tournaments.web.games.deals.sheet_view import Members, members_of


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
    def why(self) -> str:
        """The typed reason of a correction."""
        return self._typed("why")

    @property
    def state(self) -> dict[str, Any]:
        """The state that the phone needs to continue without a signal."""
        return state_of(self.game, list(self.players))

    # Makers and their tricks.

    @property
    def maker(self) -> str:
        """The typed seat that made trump."""
        return self._typed("maker")

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
        chosen = self._typed("defender_alone")
        return tuple(
            (PlayerField(tile.seat, tile.name, str(tile.seat) == chosen), tile.side)
            for tile in sorted(self.tiles, key=lambda tile: tile.seat)
        )

    @property
    def suits(self) -> tuple[SuitField, ...]:
        chosen = self._typed("trump")
        return tuple(
            SuitField(suit, labels.suit_name(suit), labels.suit_symbol(suit), suit == chosen)
            for suit in trumps_of(self.game.ruleset, self._hand)
        )

    # Piles emptied.

    @property
    def winner(self) -> str:
        """The typed seat that won, or the value for nobody."""
        return self._typed("winner")

    @property
    def stalemate(self) -> str:
        """The value for a deal without a winner."""
        return STALEMATE

    @property
    def counts_cards(self) -> bool:
        """Whether the cards left have to be counted."""
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
                    PileField(field, str(labels.FIELDS[pile]), self._typed(field))
                    for pile in PILES
                    for field in [f"left-{pile}-{seat}"]
                ),
            )
            for seat, player in enumerate(self.players)
        )

    @cached_property
    def calls(self) -> tuple[PileField, ...]:
        fields = [(f"calls-{seat}", player) for seat, player in enumerate(self.players)]
        return tuple(PileField(field, player, self._typed(field)) for field, player in fields)

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
        """The errors that belong to no field."""
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
"""The fields that show their own problems."""

TEMPLATES: Mapping[str, str] = MappingProxyType(
    {
        "makers-and-defenders": "tournaments/games/deals/_makers_form.html",
        "piles-emptied": "tournaments/games/deals/_piles_form.html",
    }
)
"""The form of a deal, by its scoring strategy."""
