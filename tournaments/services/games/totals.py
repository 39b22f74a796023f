"""Enter the final totals of a game that was written on paper."""

from django.db import transaction

from tournaments.engine.play.totals import check_totals, entries_to
from tournaments.engine.rules.entries import TOTALS
from tournaments.engine.rules.problems import Code, InvalidEntry, Problem
from tournaments.engine.rules.rulesets import PerSide
from tournaments.models import Game
from tournaments.queries.games.sheets import Sheet, load_sheet
from tournaments.services.games.confirming import confirm_all
from tournaments.services.games.playing import record_entries
from tournaments.services.games.writing import KeyReused, StaleRevision, WriteContext


def record_totals(
    game_pk: int,
    totals: PerSide,
    context: WriteContext,
    *,
    early: bool = False,
    signed: bool = False,
) -> Sheet:
    """Bring a game to its final `totals`, one per side, and end it. Idempotent for one key.

    With `early` a King or the table ended it before its last deal, so that any sum goes. With
    `signed` everybody has signed the paper: each seat confirms the result.

    Raises:
        InvalidEntry: the game cannot have ended so, is over, or has an open deal.
        StaleRevision, KeyReused, BadKey, RoundClosed, Game.DoesNotExist: as in `record_entry`.
    In each case nothing is written.
    """
    with transaction.atomic():
        # Locked, so that the entries to write follow from the sheet that they are written on.
        sheet = load_sheet(Game.objects.select_for_update().get(pk=game_pk))
        if any(write.key == f"{context.key}-000" for write in sheet.revisions):
            if sheet.game.totals != totals:
                raise KeyReused
            return sheet
        if sheet.row.revision != context.revision:
            raise StaleRevision(sheet)
        problems = [*check_totals(sheet.game.ruleset, totals, early=early)]
        if sheet.game.finished:
            problems = [Problem(Code.GAME_OVER, "", {})]
        elif sheet.game.open_deal is not None:
            problems = [Problem(Code.OPEN_DEAL, "", {})]
        if problems:
            raise InvalidEntry(problems)
        sheet = record_entries(game_pk, entries_to(sheet.game, totals, TOTALS), context)
        if signed:
            confirm_all(game_pk, sheet.row.revision, context.by, at=context.at)
        return sheet
