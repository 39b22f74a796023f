"""What every form for a deal knows: the game before it, who holds the phone, what was typed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tournaments.engine.games import Game
from tournaments.engine.problems import Problem
from tournaments.web.deals.details import Typed
from tournaments.web.tables.forms import new_key


@dataclass(frozen=True)
class DealForm:
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
    def next_holder(self) -> int:
        """The seat at the bottom after the drawing is turned once."""
        return self.game.ruleset.next_seat(self.holder)

    @property
    def next_holder_name(self) -> str:
        """Who is at the bottom after the drawing is turned once."""
        return self.players[self.next_holder]

    def _typed(self, name: str) -> str:
        return (self.typed or {}).get(name, "")
