"""The questions when somebody leaves a table, or comes late to a round."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.engine.pairing.methods import LateChange
from tournaments.engine.rules.rulesets import whole
from tournaments.engine.standings.results import tally_rounds
from tournaments.models import Entrant, Round
from tournaments.permissions import actor_of
from tournaments.queries.state import TournamentState
from tournaments.services.base.writes import Refused
from tournaments.services.rounds.changes import preview_late
from tournaments.services.rounds.comings import (
    COUNTS,
    FORFEIT,
    HOUSE,
    LEAVING,
    RESEAT,
    STOPS,
    SUBSTITUTE,
    VOID,
    Arriving,
    Effect,
    Leaving,
    TakenSeat,
    WayGone,
    arrive,
    arriving_seats,
    can_arrive,
    effects_of_leaving,
    leave,
    seat_taken,
)
from tournaments.texts.labels import points_text, round_name
from tournaments.web.entrants.views import directed_entrant, published_round
from tournaments.web.events.views import names_lately
from tournaments.web.tournaments.views import page_of

TITLES: Mapping[str, str | Promise] = {
    SUBSTITUTE: gettext_lazy("A substitute plays"),
    HOUSE: gettext_lazy("A house player takes the chair"),
    RESEAT: gettext_lazy("The tables change"),
    COUNTS: gettext_lazy("The game ends here: its deals count"),
    VOID: gettext_lazy("The game ends here: it does not count"),
    FORFEIT: gettext_lazy("The game ends here: forfeit"),
}
TEXTS: Mapping[str, str | Promise] = {
    SUBSTITUTE: gettext_lazy("The result is that of %(name)s. Nothing else changes."),
    HOUSE: gettext_lazy(
        "Nobody sits out. The result of this chair counts for nobody; %(name)s gets nothing for"
        " this round."
    ),
    RESEAT: gettext_lazy("As few tables change as can be. Their cards stay good."),
    COUNTS: gettext_lazy("All keep what they have. A deal that is not finished does not count."),
    VOID: gettext_lazy("The others get what a bye is worth, %(name)s 0."),
    FORFEIT: gettext_lazy(
        "%(name)s comes last, with the fewest points of the table; the others keep what they have."
    ),
}


def leaves(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Show the possible decisions when somebody leaves a table, or carry one out."""
    row = directed_entrant(request, slug, tournament, entrant)
    round_ = published_round(row.tournament)
    page = page_of(request, row.tournament)
    problem, status = "", 200
    if request.method == "POST" and round_ is not None:
        way = request.POST.get("way", "")
        name, whom = request.POST.get("who", ""), request.POST.get("instead_of", "")
        players = {str(player.pk): player.pk for player in row.players}
        decision = Leaving(way, "for_good" in request.POST, name, players.get(whom))
        reason = _("%(name)s has left") % {"name": row.shown_name}
        try:
            if way not in LEAVING:
                raise WayGone(sentence=_("Choose what follows."))
            by, at = actor_of(request), timezone.now()
            leave(round_.pk, row.pk, decision, by, at=at, reason=reason)
        except Refused as error:
            problem, status = str(error), 422
        else:
            done = {"name": row.shown_name, "what": TITLES[way]}
            messages.success(request, _("%(name)s leaves the table. %(what)s.") % done)
            return redirect("running", slug, tournament, round_.number)
    state = page["shared"].state
    seat = seat_taken(state, round_, row.key) if round_ is not None else None
    if round_ is None or seat is None or not seat.ways:
        if problem:
            messages.error(request, problem)
        return redirect("entrant", slug, tournament, entrant)
    effects = effects_of_leaving(state, round_, seat)
    page |= {
        "entrant": row,
        "round": round_,
        "round_name": round_name(round_),
        "seat": seat,
        "deals": len(seat.sheet.game.deals),
        "ways": [_way(state, round_, seat, effect) for effect in effects],
        "problem": problem,
        "problem_at": request.POST.get("way", ""),
        "typed": request.POST.get("who", ""),
        "for_good": request.method != "POST" or "for_good" in request.POST,
        "players": row.players if len(row.players) > 1 else (),
        "names": names_lately(row.tournament.event.club),
        "hub": False,
    }
    return render(request, "tournaments/entrants/leave.html", page, status=status)


def _way(state: TournamentState, round_: Round, seat: TakenSeat, effect: Effect) -> dict[str, Any]:
    """Return a decision in words, with what it changes in the standings and the seating."""
    text = str(TEXTS[effect.way]) % {"name": seat.entrant.shown_name}
    way: dict[str, Any] = {"code": effect.way, "title": TITLES[effect.way], "text": text}
    if effect.way in STOPS:
        way["lines"], way["moved"] = _moved(state, effect.after, round_, seat.table.entrants)
    if effect.seating is not None:
        way["seating"] = _seating(state, round_, effect.seating)
    return way


def _moved(
    before: TournamentState, after: TournamentState, round_: Round, keys: tuple[str, ...]
) -> tuple[list[dict[str, Any]], int]:
    """Return points and places of a table before and after, and how many others move."""
    old, new = (
        {row.entrant: row for row in state.standings_before(round_.number + 1)}
        for state in (before, after)
    )
    lines = [
        {
            "entrant": before.entrants[key],
            "gets": whole(new[key].points - old[key].points),
            "points": (old[key].points, new[key].points),
            "place": (old[key].place if old[key].has_played else None, new[key].place),
        }
        for key in keys
        if key in new
    ]
    others = [key for key in new if key not in keys and new[key].place != old[key].place]
    return lines, len(others)


def _seating(state: TournamentState, round_: Round, seating: LateChange) -> dict[str, Any]:
    """Return which tables change, and who sits out with what a bye is worth to them so far."""
    tallies = tally_rounds(state.competitors, state.results, state.settings)
    numbers = [table.number for table in state.seating_of(round_).tables]
    was_out = {*state.seating_of(round_).byes}
    return {
        "tables": [
            {
                "number": numbers[at] if at < len(numbers) else max(numbers, default=0) + 1,
                "names": [state.entrants[key].shown_name for key in seating.tables[at]],
            }
            for at in sorted(seating.changed)
        ],
        "out": [
            (state.entrants[key].shown_name, points_text(tallies[key].bye))
            for key in seating.byes
            if key not in was_out and key in tallies
        ],
    }


def arrives(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Ask where somebody plays who comes late, and what the rounds missed are worth."""
    row = directed_entrant(request, slug, tournament, entrant)
    round_ = published_round(row.tournament)
    page = page_of(request, row.tournament)
    state = page["shared"].state
    known = state.entrants.get(row.key)
    can_come = round_ is not None and known is not None and can_arrive(state, round_, known)
    if round_ is None or known is None or not (can_come or request.method == "POST"):
        return redirect("entrant", slug, tournament, entrant)
    is_new = not any(row.key in seated.names for seated in state.seated_rounds)
    problem, status = "", 200
    if request.method == "POST":
        what, _sep, chair = request.POST.get("do", "").partition(" ")
        missed = request.POST.get("missed") if is_new else None
        try:
            if what not in ("plays", "chair", "out") or (what == "chair") != bool(chair):
                raise WayGone(sentence=_("Choose what follows."))
            if missed is not None and missed not in Entrant.Missed.values:
                missed = Entrant.Missed.NOTHING
            decision = Arriving(what == "plays", chair, missed)
            arrive(round_.pk, row.pk, decision, actor_of(request), at=timezone.now())
        except Refused as error:
            problem, status = str(error), 422
        else:
            if what == "out":
                text = _("%(name)s sits out %(round)s.")
            else:
                text = _("%(name)s plays %(round)s.")
            done = {"name": row.shown_name, "round": round_name(round_)}
            messages.success(request, text % done)
            return redirect("running", slug, tournament, round_.number)
        if not can_come:
            messages.error(request, problem)
            return redirect("entrant", slug, tournament, entrant)
    seating = preview_late(state, round_, arriving=[row.key])
    plays = seating is None or row.key not in seating.byes
    freed = () if seating is None else _without(state, round_, seating)
    page |= {
        "entrant": row,
        "round": round_,
        "round_name": round_name(round_),
        "plays": plays,
        "seating": _seating(state, round_, seating) if plays and seating is not None else None,
        "freed": [state.entrants[key].shown_name for key in freed],
        "chairs": [
            {"seat": seat, "house": house, "deals": len(seat.sheet.game.deals)}
            for seat, house in arriving_seats(state, round_, known)
            if house.key not in freed
        ],
        "missed": [(value, label) for value, label in Entrant.Missed.choices if is_new and value],
        "chosen": request.POST.get("missed", Entrant.Missed.NOTHING),
        "problem": problem,
        "hub": False,
    }
    return render(request, "tournaments/entrants/arrive.html", page, status=status)


def _without(state: TournamentState, round_: Round, seating: LateChange) -> list[str]:
    """Return the house players who leave the tables of a changed seating, by key."""
    stay = {key for table in seating.tables for key in table} | {*seating.byes}
    seated = state.seating_of(round_).names
    return [key for key in sorted(seated - stay) if state.entrants[key].house]
