"""Games as loaded: rows, their writes, and the fold of them by the engine."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import models

from tournaments.engine import badges, games, outcomes
from tournaments.engine.earnings import write_badges, write_earned
from tournaments.engine.entry_records import write_points
from tournaments.engine.problems import InvalidEntry, Problem
from tournaments.engine.records import GAME_FORMAT, play_record
from tournaments.engine.ruleset_records import write_ruleset
from tournaments.engine.rulesets import Ruleset
from tournaments.models import Game, Write
from tournaments.queries.rulesets import rules_of, ruleset_of


class LaterEntryInvalid(Exception):
    """A change was refused because the entry at `position` (from 0) no longer fits."""

    def __init__(self, position: int, problems: Sequence[Problem]) -> None:
        self.position = position
        self.problems = tuple(problems)
        super().__init__(f"entry at position {position}: {InvalidEntry(problems)}")


@dataclass(frozen=True)
class Sheet:
    """A game as loaded: its row, its writes in order of revision, and the fold of them.

    `positions[i]` is the position of the fold's entry `i`.
    """

    row: Game
    writes: tuple[Write, ...]
    positions: tuple[int, ...]
    game: games.Game

    @cached_property
    def outcome(self) -> outcomes.Outcome:
        """Ranks, and who is out or sunk."""
        return outcomes.decide(self.game)

    @cached_property
    def badges(self) -> tuple[badges.Badge, ...]:
        """The badges earned so far."""
        return badges.award(self.game)

    def versions(self, position: int) -> tuple[Write, ...]:
        """Every version of the entry at a position, the oldest first."""
        return tuple(write for write in self.writes if write.position == position)

    def body(self, position: int) -> Mapping[str, Any] | None:
        """The entry that stands at a position; None where there is none, or it was withdrawn."""
        return current_bodies(self.writes).get(position)

    @property
    def record(self) -> dict[str, Any]:
        """The game as a `kingscore-game/1` document."""
        bodies = current_bodies(self.writes)
        head: dict[str, Any] = {
            "format": GAME_FORMAT,
            "ruleset": self.row.ruleset
            if self.row.document is None
            else write_ruleset(rules_of(self.row)),
            "options": self.row.options,
            "players": self.row.players,
            "first_declarer": self.row.first_declarer,
            "played_at": self.row.played_at.isoformat(),
            "entries": [bodies[position] for position in self.positions],
        }
        optional = {"title": self.row.title, "place": self.row.place}
        return head | {name: text for name, text in optional.items() if text}


def result_of(sheet: Sheet) -> dict[str, Any] | None:
    """What a finished game came to, as JSON; None while it goes on.

    Totals and ranks are per side, the others lists of sides: in `kings` one for each King made.
    `contracts` and `badges` are as `engine.earnings` writes them: by seat, and by side.
    """
    if not sheet.game.finished:
        return None
    return {
        "totals": [write_points(points) for points in sheet.game.totals],
        "ranks": list(sheet.outcome.ranks),
        "out": list(sheet.outcome.out),
        "sunk": list(sheet.outcome.sunk),
        "kings": sorted(badge.seat for badge in sheet.badges if badge.badge == "king"),
        "contracts": write_earned(sheet.game),
        "badges": write_badges(sheet.badges, sheet.game.ruleset.side_count),
    }


def load_sheet(row: Game) -> Sheet:
    """A game with all that was written up to the revision of `row` (1 query)."""
    # What came after `row` was read belongs to another revision, perhaps under another head.
    writes = tuple(row.writes.filter(revision__lte=row.revision).order_by("revision"))
    return fold_sheet(row, writes)


def load_sheets(rows: Iterable[Game]) -> list[Sheet]:
    """Several games with all that was written (1 query, and that of the rows)."""
    games = list(rows)
    in_order = models.Prefetch("writes", Write.objects.order_by("revision"))
    models.prefetch_related_objects(games, in_order)
    return [
        fold_sheet(row, tuple(w for w in row.writes.all() if w.revision <= row.revision))
        for row in games
    ]


def fold_sheet(row: Game, writes: tuple[Write, ...]) -> Sheet:
    """The sheet that `writes` add up to.

    Raises:
        LaterEntryInvalid: an entry does not fit those before it.
    """
    bodies = current_bodies(writes)
    game = fold_bodies(ruleset_of(row), row.first_declarer, bodies.items())
    return Sheet(row, writes, tuple(bodies), game)


def fold_bodies(
    ruleset: Ruleset, first_declarer: int, bodies: Iterable[tuple[int, Mapping[str, Any]]]
) -> games.Game:
    """The game after the entries `(position, body)`.

    Raises:
        LaterEntryInvalid: the first entry that does not fit those before it.
    """
    game = games.Game(ruleset, first_declarer)
    for position, body in bodies:
        try:
            game = play_record(game, body)
        except InvalidEntry as error:
            raise LaterEntryInvalid(position, error.problems) from error
    return game


def current_bodies(writes: Iterable[Write]) -> dict[int, Mapping[str, Any]]:
    """The entries that stand, by position in ascending order."""
    latest = {write.position: write.body for write in writes if write.position is not None}
    return {position: body for position, body in sorted(latest.items()) if body is not None}
