"""Ratings beside games, in words: what a game has changed, and how well its places were told."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.engine.predictions import COIN, Accuracy
from tournaments.models import Tournament
from tournaments.queries.predictions import (
    SeatRated,
    accuracy_told,
    is_to_be_rated,
    seats_rated,
)
from tournaments.queries.sheets import Sheet

FEW_PAIRS = 30
"""With fewer pairs than at five tables of four, chance says more than the ratings."""


@dataclass(frozen=True, slots=True)
class RatedGame:
    """What a finished game has changed: name and figures per seat, or that it is still to come."""

    seats: Sequence[tuple[str, SeatRated]] = ()

    @property
    def is_due(self) -> bool:
        """Whether it is rated only when its round is closed."""
        return not self.seats


def rated_game(request: HttpRequest, sheet: Sheet) -> RatedGame | None:
    """What a game has changed in the ratings of its club (up to 2 queries).

    None for an open table, for one where nothing is rated, and for who may not see the ratings.
    """
    row, game = sheet.row, sheet.game
    if row.table_id is None or not game.finished or not any(game.totals):
        return None
    seats = seats_rated(row, game.ruleset.sides, sheet.outcome.ranks, request.user)
    if seats:
        # The first place first, as above the sheet.
        in_order = sorted(zip(row.players, seats, strict=True), key=lambda each: each[1].place)
        return RatedGame(in_order)
    return RatedGame() if is_to_be_rated(row, request.user) else None


def accuracy_lines(request: HttpRequest, row: Tournament, *, directs: bool) -> list[str]:
    """How well the ratings told a tournament's places, in sentences (up to 2 queries).

    While it is played, for its directors only; none where there is nothing to tell.
    """
    told = accuracy_told(row, request.user, directs=directs)
    return list(_sentences(told)) if told.pairs else []


def _sentences(told: Accuracy) -> list[str]:
    figures = {
        # Rounded first: what has too many digits is cut off.
        "share": number_format(round(100 * told.share)),
        "pairs": number_format(told.pairs, force_grouping=True),
        "loss": number_format(Decimal(f"{told.log_loss:.2f}"), 2),
        "coin": number_format(Decimal(f"{COIN:.2f}"), 2),
    }
    lines = [
        ngettext(
            "Who of two at a table ends above the other: the ratings told it right for"
            " %(share)s %% of %(pairs)s pair; a coin is right for half.",
            "Who of two at a table ends above the other: the ratings told it right for"
            " %(share)s %% of %(pairs)s pairs; a coin is right for half.",
            told.pairs,
        )
        % figures,
        _("Their log-loss is %(loss)s, that of a coin %(coin)s: the lower, the better.") % figures,
    ]
    if told.pairs < FEW_PAIRS:
        lines.append(_("That is still too few to say much."))
    elif told.log_loss > COIN:
        lines.append(_("This time a coin would have done better."))
    return lines
