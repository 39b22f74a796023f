"""A game that ran out of time: ended by a director as the settings of the tournament say."""

from datetime import datetime

from django.db import transaction

from tournaments.engine.tournament_settings import OVERTIME
from tournaments.models import Game, Round, Table
from tournaments.queries.sheets import Sheet, load_sheet
from tournaments.queries.tournaments import settings_of
from tournaments.services.auditing import Actor
from tournaments.services.play.playing import record_entry, withdraw_entry
from tournaments.services.play.tables import current_game
from tournaments.services.play.writing import Pen
from tournaments.services.tournaments.leading import WrongState

AS_IT_STANDS, LAST_DEAL_VOID = OVERTIME


def finish_for_time(table_pk: int, reason: str, by: Actor, *, at: datetime) -> Sheet:
    """End the game of a table whose time is over; ended already, it stays as it ended.

    A deal that is being played is withdrawn, and the last whole one with it where the settings
    say so; then the game is stopped. What is withdrawn stays in the history, with the `reason`.

    Raises:
        WrongState: the round was not opened.
        LaterEntryInvalid: the sheet does not go without its last deal.
        RoundClosed: whoever asks directs the club no more.
        Table.DoesNotExist: the table was removed.
    In each case nothing is written.
    """
    tables = Table.objects.select_related("round__event__tournament")
    with transaction.atomic():
        table = tables.get(pk=table_pk)
        place: Round = table.round
        if place.opened_at is None:
            raise WrongState(place.state)
        # Locked from here on: what is decided now is about the sheet as it stands.
        row = Game.objects.select_for_update().get(pk=current_game(table).pk)
        sheet = load_sheet(row)
        for position in _withdrawn(sheet, settings_of(place.event.tournament).overtime):
            if sheet.game.finished:
                return sheet
            sheet = withdraw_entry(row.pk, position, reason, _pen(sheet, by, at))
        if sheet.game.finished:
            return sheet
        return record_entry(row.pk, {"type": "stopped", "reason": "time"}, _pen(sheet, by, at))


def _withdrawn(sheet: Sheet, overtime: str) -> list[int]:
    """The positions of what does not count any more, the last first."""
    game = sheet.game
    if game.finished:
        return []
    positions = [sheet.positions[-1]] if game.open_deal is not None else []
    if overtime == LAST_DEAL_VOID and game.deals:
        positions.append(sheet.positions[game.deals[-1].entry])
    return positions


def _pen(sheet: Sheet, by: Actor, at: datetime) -> Pen:
    """A write of the program for a director, whose key says after what it was written."""
    revision = sheet.row.revision
    return Pen(key=f"overtime-{revision:06}", revision=revision, at=at, by=by)
