"""End a game that ran out of time, by the settings of the tournament."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.engine.rules.entries import Stopped
from tournaments.engine.standings.tournament_settings import OVERTIME
from tournaments.models import Game, Round, Table
from tournaments.queries.games.sheets import Sheet, load_sheet
from tournaments.queries.tournaments.state import settings_of
from tournaments.services.audit import Actor
from tournaments.services.games.playing import record_entry, withdraw_entry
from tournaments.services.games.tables import current_game
from tournaments.services.games.writing import WriteContext
from tournaments.services.tournaments.lifecycle import WrongState

AS_IT_STANDS, LAST_DEAL_VOID = OVERTIME


def finish_for_time(table_pk: int, reason: str, by: Actor, *, at: datetime) -> Sheet:
    """End the game of a table whose time is over. Idempotent.

    The open deal is withdrawn, and the last complete one too if the settings say so; then the game
    is stopped. Withdrawn deals stay in the history, with the `reason`.

    Raises:
        WrongState: the round was not opened.
        LaterEntryInvalid: the sheet is invalid without its last deal.
        RoundClosed: the actor no longer directs the club.
        Table.DoesNotExist: the table was removed.
    In each case nothing is written.
    """
    tables = Table.objects.select_related("round__event__tournament")
    with transaction.atomic():
        table = tables.get(pk=table_pk)
        round_: Round = table.round
        if round_.opened_at is None:
            raise WrongState(round_.state, _("The round has not begun."))
        # Locked from here on, so that the decision applies to the current sheet.
        row = Game.objects.select_for_update().get(pk=current_game(table).pk)
        sheet = load_sheet(row)
        for position in _withdrawn(sheet, settings_of(round_.event.tournament).overtime):
            if sheet.game.finished:
                return sheet
            sheet = withdraw_entry(row.pk, position, reason, _context(sheet, by, at))
        if sheet.game.finished:
            return sheet
        return record_entry(row.pk, Stopped("time"), _context(sheet, by, at))


def _withdrawn(sheet: Sheet, overtime: str) -> list[int]:
    """Return the positions of deals that no longer count, last first."""
    game = sheet.game
    if game.finished:
        return []
    positions = [sheet.positions[-1]] if game.open_deal is not None else []
    if overtime == LAST_DEAL_VOID and game.deals:
        positions.append(sheet.positions[game.deals[-1].entry])
    return positions


def _context(sheet: Sheet, by: Actor, at: datetime) -> WriteContext:
    """Return the context of an automatic write for a director; its key contains the revision."""
    revision = sheet.row.revision
    return WriteContext(key=f"overtime-{revision:06}", revision=revision, at=at, by=by)
