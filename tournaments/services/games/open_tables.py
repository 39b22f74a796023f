"""Open tables: start one with its first game, and go on with another game; also at a club's."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from tournaments.models import Game, OpenTable, Round
from tournaments.models.games import digest
from tournaments.queries.games.sheets import last_game_after, load_sheet
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.games.confirming import is_agreed
from tournaments.services.games.matches import (
    copy_seats,
    lock_table_of,
    note_next_game,
    number_of_next,
    start_match,
)
from tournaments.services.games.playing import GameSetup, start_game
from tournaments.services.games.writing import NotFinished, round_for_writing

Terms = tuple[str, int]
"""Length and number of games of a match."""


@dataclass(frozen=True, slots=True)
class NextGame:
    """The next game at a table, of a match if it has `terms`, and who sits it out."""

    head: GameSetup
    terms: Terms | None = None
    resting: Sequence[str] = ()


def start_table(
    head: GameSetup, terms: Terms | None = None, *, at: datetime, key: str | None = None
) -> Game:
    """Open a table with its first game, of a match if it has `terms`. Idempotent for one `key`.

    Raises:
        InvalidEntry: an invalid setup; nothing is written.
    """
    with transaction.atomic():
        game = _start(head, terms, at=at, key=key)
        if game.open_table_id is None:
            game.open_table, game.number = OpenTable.objects.create(created_at=at), 1
            game.save(update_fields=["open_table", "number"])
    return game


def start_rematch(
    game_pk: int, following: NextGame, *, at: datetime, key: str, by: Actor = NOBODY
) -> tuple[Game, bool]:
    """Go on with another game at the table of a game; at a club's, with the same players.

    Return it, and whether it was started with this `key`; if not, another phone has gone on
    meanwhile, and this is the last game of the table.

    Raises:
        InvalidEntry: an invalid setup.
        NotFinished: a club's game is not finished, or its result not confirmed.
        TableFull: the table has as many games as one takes.
        RoundClosed: the round of a club's table is closed, and `by` is no director.
        Game.DoesNotExist: the game was deleted.
    In each case nothing is written.
    """
    with transaction.atomic():
        # The lock makes two phones queue up; without it both would start a game.
        lock_table_of(game_pk)
        before = Game.objects.get(pk=game_pk)
        start_key = digest(f"rematch of {game_pk} {key}")
        started = last_game_after(before)
        if started is not None:
            return started, started.start_key == start_key
        round_ = _round_of_finished(before, by)
        head = following.head
        if round_ is not None:
            # Read under the lock: a player may have been renamed meanwhile.
            head = replace(head, players=before.players)
        game = _start(head, following.terms, at=at)
        game.open_table = before.open_table or _table_of_evening(before)
        game.number, game.table = number_of_next(game.open_table.pk), before.table
        game.start_key, game.resting = start_key, list(following.resting)
        game.save(update_fields=["open_table", "number", "table", "start_key", "resting"])
        if round_ is not None:
            copy_seats(before, game)
            note_next_game(round_.event, game, by, at=at)
    return game, True


def _round_of_finished(row: Game, by: Actor) -> Round | None:
    """Return the round of a club's game after which another may begin; None for an open table."""
    round_ = round_for_writing(row, by)
    if round_ is not None and not (load_sheet(row).game.finished and is_agreed(row, round_.event)):
        raise NotFinished
    return round_


def _table_of_evening(row: Game) -> OpenTable:
    """Give the games at a club's table one address for the evening."""
    table = OpenTable.objects.create(created_at=row.played_at)
    beside = {"pk": row.pk} if row.table_id is None else {"table": row.table_id}
    for number, game in enumerate(Game.objects.filter(**beside).order_by("pk"), 1):
        game.open_table, game.number = table, number
        game.save(update_fields=["open_table", "number"])
    return table


def _start(head: GameSetup, terms: Terms | None, *, at: datetime, key: str | None = None) -> Game:
    return start_match(head, *terms, at=at, key=key) if terms else start_game(head, at=at, key=key)
