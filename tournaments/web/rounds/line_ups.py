"""The line-ups of a round: named by directors before it is published, changed by reserves after."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.models import Tournament
from tournaments.permissions import actor_of, directed_tournament
from tournaments.presenters.rounds.line_ups import TeamMember, filling_of, line_ups_of
from tournaments.queries.tournaments.state import load_state
from tournaments.services.base.refusals import Refused
from tournaments.services.rounds.late_changes import Replacement, replace_player
from tournaments.services.rounds.line_ups import LineUp, put_line_up
from tournaments.texts.labels import ABSENCES, Text
from tournaments.web.tournaments.pages import page_of


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def line_ups(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Show the line-ups of a round, or change that of one team."""
    row = directed_tournament(request, slug, tournament)
    if request.method == "POST":
        try:
            _change(request, row, number)
        except Refused as error:
            messages.error(request, str(error))
        return redirect(reverse("line_ups", args=[slug, tournament, number]))
    state = load_state(row)
    seated = {each.row.number: each.row for each in state.seated_rounds}
    round_ = seated.get(number)
    published = round_ is not None and round_.published_at is not None
    teams = line_ups_of(state, number)
    without = [each for each in state.entrants.values() if not each.team and not each.house]
    page = page_of(request, row) | {
        "number": number,
        "round": round_,
        "published": published,
        "can_change": row.state != Tournament.State.FINISHED
        and (round_ is None or round_.closed_at is None),
        "numbers": range(1, state.settings.rounds + 1),
        "size": state.settings.line_up,
        "teams": [(each, _lines(each.members)) for each in teams],
        "without": without if teams else [],
        "filling": filling_of(state, number) if teams and not published else None,
        "hub": False,
    }
    return render(request, "tournaments/rounds/line_ups.html", page)


def _lines(members: Sequence[TeamMember]) -> list[tuple[TeamMember, Text]]:
    return [(each, ABSENCES.get(each.absence, "")) for each in members]


def _change(request: HttpRequest, row: Tournament, number: int) -> None:
    """Put an entrant in a line-up (`in`) or take them out (`out`), or let a reserve replace one."""
    said, by, at = request.POST, actor_of(request), timezone.now()
    if "replace" in said:
        player, _colon, reserve = said["replace"].partition(":")
        round_ = row.event.rounds.filter(number=number).first()
        if round_ is not None:
            replace_player(round_.pk, Replacement(player, reserve), by, at=at)
            messages.success(request, _("The reserve plays."))
        return
    seen = said.get("seen", "").split()
    players = [key for key in [*seen, *said.getlist("in")] if key not in said.getlist("out")]
    put_line_up(row.pk, LineUp(number, said.get("team", ""), players, seen), by, at=at)
