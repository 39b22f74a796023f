"""Rating changes by games, and the accuracy of predictions, as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.engine.play.games import only_totals
from tournaments.engine.ratings.ratings import COIN, Accuracy
from tournaments.models import Tournament
from tournaments.queries.games.sheets import Sheet
from tournaments.queries.ratings.predictions import (
    SeatRated,
    accuracy_told,
    is_to_be_rated,
    seats_rated,
)

FEW_PAIRS = 30
"""The minimum of pairs, those of five tables of four: below it, chance dominates."""


@dataclass(frozen=True, slots=True)
class RatedGame:
    """The rating changes of a finished game by seat, or a note on what is to come.

    It is due if it is rated when its round is closed: one without a deal only by totals from paper.
    """

    seats: Sequence[tuple[str, SeatRated]] = ()
    is_due: bool = False


def rated_part(request: HttpRequest, sheet: Sheet) -> str:
    """Draw the rating changes of a game; empty if there is nothing to show."""
    rated = rated_game(request, sheet)
    return render_to_string("tournaments/ratings/_rated.html", {"rated": rated}) if rated else ""


def rated_game(request: HttpRequest, sheet: Sheet) -> RatedGame | None:
    """Return the rating changes of a game in its club (up to 2 queries).

    None for an open table, for an unrated one, and for visitors who may not see the ratings.
    """
    row, game = sheet.row, sheet.game
    if row.table_id is None or not game.finished or not any(game.totals):
        return None
    seats = seats_rated(row, game.ruleset.sides, sheet.outcome.ranks, request.user)
    if seats:
        # The first place first, as above the sheet.
        in_order = sorted(zip(row.players, seats, strict=True), key=lambda each: each[1].place)
        return RatedGame(in_order)
    if not is_to_be_rated(row, request.user):
        return None
    return RatedGame(is_due=bool(game.deals) or only_totals(game, rated=True))


def accuracy_lines(request: HttpRequest, row: Tournament, *, directs: bool) -> list[str]:
    """Return sentences on how well ratings predicted a tournament's places (up to 2 queries).

    While it is played, for its directors only; empty if there are no predictions.
    """
    details = accuracy_told(row, request.user, directs=directs)
    return list(_sentences(details)) if details.pairs else []


def _sentences(details: Accuracy) -> list[str]:
    figures = {
        # Rounded first, since the format cuts off extra digits.
        "share": number_format(round(100 * details.share)),
        "pairs": number_format(details.pairs, force_grouping=True),
        "loss": number_format(Decimal(f"{details.log_loss:.2f}"), 2),
        "coin": number_format(Decimal(f"{COIN:.2f}"), 2),
    }
    lines = [
        ngettext(
            "Who of two at a table ends above the other: the ratings were right for"
            " %(share)s %% of %(pairs)s pair; a coin is right for half.",
            "Who of two at a table ends above the other: the ratings were right for"
            " %(share)s %% of %(pairs)s pairs; a coin is right for half.",
            details.pairs,
        )
        % figures,
        _("Their log-loss is %(loss)s, that of a coin %(coin)s: the lower, the better.") % figures,
    ]
    if details.pairs < FEW_PAIRS:
        lines.append(_("That is still too few to say much."))
    elif details.log_loss > COIN:
        lines.append(_("This time a coin would have done better."))
    return lines
