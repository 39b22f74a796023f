"""Enter and correct the final totals of a game that was written on paper."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from tournaments.engine.rules.entries import Totals
from tournaments.engine.rules.rulesets import PerSide
from tournaments.models import Game, Revision
from tournaments.queries.games.sheets import Sheet, load_sheet
from tournaments.services.games.confirming import confirm_all
from tournaments.services.games.playing import correct_entry, record_entry
from tournaments.services.games.writing import WriteContext


def totals_on(sheet: Sheet) -> tuple[int, Mapping[str, Any]] | None:
    """Return the position and the body of the totals on a sheet; None if it has none."""
    for position, entry in zip(sheet.positions, sheet.game.entries, strict=True):
        if isinstance(entry, Totals):
            return position, sheet.body(position) or {}
    return None


def record_totals(  # noqa: PLR0913 - what was typed, and how
    game_pk: int,
    totals: PerSide,
    context: WriteContext,
    *,
    early: bool = False,
    signed: bool = False,
    reason: str = "",
) -> Sheet:
    """Bring a game to its final `totals`, one per side, and end it. Idempotent for one key.

    Totals that are on the sheet are corrected, for `reason`: a new version of the same entry.
    With `early` a King or the table ended the game before its last deal, so that any sum goes.
    With `signed` everybody has signed the paper: each seat confirms the result.

    Raises:
        InvalidEntry: the game cannot have ended so, is over by its deals, or has an open deal.
        StaleRevision, KeyReused, BadKey, RoundClosed, Game.DoesNotExist: as in `record_entry`.
        LaterEntryInvalid: corrected totals that the game cannot have ended with.
    In each case nothing is written.
    """
    with transaction.atomic():
        # Locked, so that what was on the sheet when this was decided is on it when it is written.
        before = load_sheet(Game.objects.select_for_update().get(pk=game_pk))
        known = next((each for each in before.revisions if each.key == context.key), None)
        stands = totals_on(before)
        if stands is None or (known is not None and known.kind == Revision.Kind.ENTRY):
            sheet = record_entry(game_pk, Totals(totals, early), context)
        else:
            position, body = stands
            entry = Totals(totals, early, note=body.get("note"))
            sheet = correct_entry(game_pk, position, entry, reason, context)
        if signed and known is None:
            confirm_all(game_pk, sheet.row.revision, context.by, at=context.at)
        return sheet
