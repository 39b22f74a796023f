"""Open tables: start one with its first game, and go on with another game."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from tournaments.models import Game, OpenTable
from tournaments.models.games import digest
from tournaments.queries.games.open_tables import last_game_after, next_number
from tournaments.services.games.matches import start_match
from tournaments.services.games.playing import GameSetup, start_game

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
    game_pk: int, following: NextGame, *, at: datetime, key: str
) -> tuple[Game, bool]:
    """Go on with another game at the open table of a game.

    Return it, and whether it was started with this `key`; if not, another phone has gone on
    meanwhile, and this is the last game of the table.

    Raises:
        InvalidEntry: an invalid setup; nothing is written.
        OpenTable.DoesNotExist: the game was deleted, or has no open table.
    """
    with transaction.atomic():
        # The lock makes two phones queue up; without it both would start a game.
        table = OpenTable.objects.select_for_update(no_key=True).get(games=game_pk)
        before = Game.objects.get(pk=game_pk)
        start_key = digest(f"rematch of {game_pk} {key}")
        started = last_game_after(before)
        if started is not None:
            return started, started.start_key == start_key
        game = _start(following.head, following.terms, at=at)
        game.open_table, game.number = table, next_number(table.pk)
        game.start_key, game.resting = start_key, list(following.resting)
        game.save(update_fields=["open_table", "number", "start_key", "resting"])
    return game, True


def _start(head: GameSetup, terms: Terms | None, *, at: datetime, key: str | None = None) -> Game:
    return start_match(head, *terms, at=at, key=key) if terms else start_game(head, at=at, key=key)
