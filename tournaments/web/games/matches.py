"""A match on the pages of its games: the score, and the next game."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from tournaments.engine.rules.rulesets import Points
from tournaments.models import Match
from tournaments.permissions import actor_of, writable_game
from tournaments.queries.games.sheets import Sheet
from tournaments.services.games.tables import (
    MatchOver,
    MatchSoFar,
    TableFull,
    load_match,
    start_next_game,
)
from tournaments.services.games.writing import NotFinished, RoundClosed
from tournaments.texts import labels
from tournaments.web.base.phone import address, new_key, remember_game
from tournaments.web.games.forms import key_of


@dataclass(frozen=True)
class Side:
    """A side of a match: its won games, and its starting points in the next game."""

    name: str
    won: int
    carry: Points
    leads: bool


@dataclass(frozen=True)
class MatchPage:
    """A match on the page of one of its games.

    `open` says whether the next game can be started, with the `key`.
    """

    terms: str
    number: int
    headline: str
    sides: tuple[Side, ...]
    over: bool
    open: bool
    key: str

    @property
    def carries(self) -> bool:
        return any(side.carry for side in self.sides)


def match_page(sheet: Sheet) -> MatchPage | None:
    """Return the match of a game; None if it has none (3 queries for a match)."""
    match = sheet.row.match
    if match is None:
        return None
    return match_in(load_match(match), sheet)


def match_in(so_far: MatchSoFar, sheet: Sheet) -> MatchPage:
    """Return a match as the page of one of its games shows it."""
    match, score = so_far.row, so_far.score
    best = max(score.won)
    leads = [won == best and best > 0 and min(score.won) < best for won in score.won]
    names = so_far.rules.side_names(sheet.row.players)
    sides = zip(names, score.won, score.carry, leads, strict=True)
    return MatchPage(
        terms=terms_text(match.length, match.number),
        number=sheet.row.match_number or 0,
        headline=_headline(so_far, names),
        sides=tuple(Side(*side) for side in sides),
        over=score.over,
        open=sheet.game.finished and not score.over and so_far.after(sheet.row) is None,
        key=new_key(),
    )


def terms_text(length: str, number: int) -> str:
    """Return the length of a match as text."""
    if length == Match.Length.BEST_OF:
        return ngettext("Best of %(number)s game", "Best of %(number)s games", number) % {
            "number": number
        }
    return ngettext("First to %(number)s game", "First to %(number)s games", number) % {
        "number": number
    }


def match_text(choice: str) -> str:
    length, _dot, number = choice.partition(".")
    return terms_text(length, int(number)) if number else _("First to a number of games")


@never_cache
@require_POST
def next_game(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Open the next game of a match, and redirect there. Idempotent."""
    row = get_object_or_404(writable_game(request, public_id, secret))
    key, reason = key_of(request.POST), labels.option_name("laps")
    by = actor_of(request, row.table.public_id if row.table else "")
    try:
        game, opened = start_next_game(row.pk, at=timezone.now(), key=key, reason=reason, by=by)
    except TableFull as error:
        messages.error(request, str(error))
        return redirect(address(row, "write"))
    except (NotFinished, MatchOver, RoundClosed):
        return redirect(address(row, "write"))
    # Whoever wrote the last game writes the next, also where another phone was faster.
    response = redirect(address(game, "write"))
    if opened:
        remember_game(request, response, game, "write")
    return response


def _headline(match: MatchSoFar, names: Sequence[str]) -> str:
    """Return the winner or the leader of the match as a sentence."""
    score = match.score
    best = [names[side] for side, won in enumerate(score.won) if won == max(score.won)]
    if not score.over:
        if len(best) == len(names):
            return _("The match is level.")
        return _("In the lead: %(players)s") % {"players": ", ".join(best)}
    winners = [names[side] for side in score.winners]
    if len(winners) == len(names):
        return _("The match ends level.")
    return _("Match won: %(players)s") % {"players": ", ".join(winners)}
