"""The seating of a round: proposed, changed by its director, published."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from tournaments.engine.pairing.judging import InvalidSeating
from tournaments.models import Entrant, Game, Revision, Round, Tournament
from tournaments.permissions import (
    actor_of,
    directed_tournament,
    directed_tournament_round,
    seen_tournament,
)
from tournaments.presenters.entrants import seated_sentence
from tournaments.presenters.rounds.line_ups import short_teams
from tournaments.queries.games.sheets import LaterEntryInvalid, load_sheet
from tournaments.queries.tournaments.state import TournamentState
from tournaments.services.base.refusals import Refused
from tournaments.services.rounds.late_changes import change_late, who_can_come
from tournaments.services.rounds.pairing import number_of
from tournaments.services.rounds.proposals import (
    Outdated,
    Presence,
    outdated_at,
    presence_at,
)
from tournaments.services.rounds.seating import (
    field_seated,
    publish_round,
    seat_again,
    seat_next_round,
    unseat_round,
)
from tournaments.services.rounds.swapping import (
    Exchange,
    exchange_seats,
    swap_of,
)
from tournaments.services.rounds.taking_back import lost_with, take_back_round
from tournaments.texts.labels import ABSENCES, round_name
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.base.refusals import refusal_shown
from tournaments.web.games.pages import number_in, refusal_of
from tournaments.web.rounds.seating_view import (
    cost_lines,
    exchange_shown,
    faults,
    keys_in,
    seating_page,
)
from tournaments.web.tournaments.pages import page_of, preview_below
from tournaments.web.tournaments.steps import Button


@require_POST
def seat(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Propose the seating of the next round."""
    row = directed_tournament(request, slug, tournament)
    try:
        round_ = seat_next_round(row.pk, actor_of(request), at=timezone.now())
    except Refused as error:
        messages.error(request, str(error))
        return redirect("tournament", slug, tournament)
    return redirect("seating", slug, tournament, round_.number)


@kept_for_going_back
@require_safe
def seating(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Show the seating of a round, by table or by name; proposals are visible only to directors."""
    row = seen_tournament(request, slug, tournament)
    page = page_of(request, row)
    state = page["load_state"]()
    round_ = _round_of(state, number)
    if round_.published_at is None and not page["directs"]:
        raise Http404
    # For a closed round, the sheets show the expectations.
    at = timezone.now() if round_.closed_at is None else None
    shown = seating_page(state, round_, request.user, at)
    presence = _presence(state, round_)
    page |= {
        "round": round_,
        "rounds": [
            each.row for each in state.seated_rounds if page["directs"] or each.row.published_at
        ],
        "seating": shown,
        "by_name": request.GET.get("by") == "name",
        "faults": list(faults(shown.quality)) if shown.quality else [],
        **(_picked(state, round_, request.GET) if page["directs"] else {}),
        "presence": presence,
        "outdated": _outdated(state, round_) if page["directs"] else None,
        "not_seated": [
            (each, ABSENCES[why]) for each, why in presence.not_seated if why != "reserve"
        ],
        "reserves": _reserves(presence),
        "short": short_teams(state, number) if round_.published_at is None else [],
        "late": _late(state, round_) if page["directs"] else None,
        "strip_publishes": page["directs"] and _is_published_by(page["strip"]().button, round_),
    }
    name = round_name(round_)
    page |= preview_below(
        page,
        _("%(round)s: seating") % {"round": name},
        lambda: _("Who sits at which table in %(round)s.") % {"round": name},
    )
    return render(request, "tournaments/rounds/seating.html", page)


def _is_published_by(button: Button | None, round_: Round) -> bool:
    step = {"step": "publish-seating", "round": str(round_.number)}
    return button is not None and step.items() <= button.sends.items()


def _round_of(state: TournamentState, number: int) -> Round:
    for each in state.seated_rounds:
        if each.row.number == number:
            return each.row
    raise Http404


def _presence(state: TournamentState, round_: Round) -> Presence:
    """Return the presence for the next round to be published; empty for other rounds."""
    proposed = next((each for each in state.seated_rounds if each.row.published_at is None), None)
    if proposed is None or proposed.row.pk != round_.pk:
        return Presence()
    return presence_at(state, proposed)


def _outdated(state: TournamentState, round_: Round) -> Outdated | None:
    seated = next(each for each in state.seated_rounds if each.row.pk == round_.pk)
    return outdated_at(state, seated)


def _reserves(presence: Presence) -> dict[str, list[Entrant]]:
    """Return the reserves of a proposal by team."""
    teams: dict[str, list[Entrant]] = {}
    for each, why in presence.not_seated:
        if why == "reserve":
            teams.setdefault(each.team, []).append(each)
    return teams


def _picked(state: TournamentState, round_: Round, asked: QueryDict) -> dict[str, Any]:
    """Return the chosen exchange with its effect, and the query of the next name tapped."""
    keys = chosen_in(asked)
    nobody: dict[str, Any] = {"swap": None, "pick": "one="}
    if not keys or not keys_in(state, round_).issuperset(keys):
        return nobody
    if round_.published_at is None:
        keys = keys[:2]
    who = [state.entrants[key] for key in keys]
    swap: dict[str, Any] = {"chosen": keys, "who": who, "one": who[0]}
    pick = "&".join([f"one={keys[0]}", *(f"other={key}" for key in keys[1:]), "other="])
    if len(keys) == 1:
        games = Game.objects.filter(table__sittings__entrant=who[0], table__round=round_)
        if who[0].partner_id is not None and (game := games.first()) is not None:
            begun = Revision.objects.of_entries().filter(game=game).exists()
            swap |= {"partners": True, "begun": begun, "one_table": True}
        return {"swap": swap, "pick": pick}
    if round_.published_at is not None:
        return {"swap": swap | exchange_shown(state, round_, keys), "pick": pick}
    try:
        swapped = swap_of(state, round_, *keys)
    except InvalidSeating:
        return nobody
    effect = {"costs": cost_lines(swapped.changes), "byes": _sat_out(state, round_, who)}
    return {"swap": swap | {"other": who[1]} | effect, "pick": "one="}


def chosen_in(asked: QueryDict) -> list[str]:
    """Return the keys of the entrants who exchange chairs, in order."""
    return list(dict.fromkeys(filter(None, [asked.get("one"), *asked.getlist("other")])))


def _sat_out(
    state: TournamentState, round_: Round, who: Sequence[Entrant]
) -> list[tuple[str, int]]:
    """Return the earlier byes of two entrants, if the swap gives one of them a bye."""
    field, out = field_seated(state, round_), (round_.seating or {"byes": []})["byes"]
    if not any(each.key in out for each in who):
        return []
    return [(each.shown_name, field.byes_had[field.index[each.key]]) for each in who]


def _late(state: TournamentState, round_: Round) -> dict[str, Any] | None:
    """Return who can leave or join a published round; None if nobody can."""
    if round_.state not in ("published", "open"):
        return None
    seated = next(each for each in state.seated_rounds if each.row.pk == round_.pk)
    here = {name for table in seated.tables for name in table.entrants} | {*seated.byes}
    entrants = state.entrants.values()
    return {
        # Withdrawn entrants first: they are most often the missing ones.
        "leaving": sorted(
            (each for each in entrants if each.key in here),
            key=lambda each: each.withdrawn_at is None,
        ),
        "arriving": who_can_come(state, seated),
    }


@require_POST
def swap(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Exchange the chairs of entrants; in a closed round, show what it changed."""
    closed = []

    def turn(round_: Round, _row: Tournament) -> None:
        if len(chosen_in(request.POST)) < 2 and "partners" not in request.POST:
            return
        with_people = request.POST.get("entries") == "people"
        exchange = Exchange(chosen_in(request.POST), with_people, _("wrong chairs"))
        seen = number_in(request.POST, "seen", -1)
        try:
            exchange_seats(round_.pk, exchange, actor_of(request), seen=seen, at=timezone.now())
        except LaterEntryInvalid as error:
            game = Game.objects.get(
                table__sittings__entrant__number=number_of(exchange.who[0]), table__round=round_
            )
            refusal = refusal_of(error, load_sheet(game))
            messages.error(request, " ".join([refusal.notice, *refusal.details]))
            return
        if round_.published_at is not None:
            messages.success(request, _("The chairs are exchanged."))
        closed.append(round_.closed_at)

    response = _led(request, slug, tournament, number, turn)
    return redirect("round_changes", slug, tournament) if any(closed) else response


@require_POST
def reseat(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Keep the ticked tables, and seat everybody else again, with those to take in."""
    locked = [
        int(each) for each in request.POST.getlist("locked") if each.isdecimal() and len(each) < 6
    ]
    more = request.POST.getlist("take_in")

    def again(round_: Round, _row: Tournament) -> None:
        seat_again(round_.pk, locked, actor_of(request), at=timezone.now(), taking_in=more)

    return _led(request, slug, tournament, number, again)


@require_POST
def publish(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Publish the seating; ask first if some are not checked in, or results have changed."""
    service = partial(
        publish_round,
        all_the_same="all_the_same" in request.POST,
        accept_outdated=request.POST.get("accept_outdated", ""),
    )
    return _led(request, slug, tournament, number, _by_service(request, service))


@require_POST
def take_back(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Turn a published round into a proposal again; ask first, with the number of entries lost."""
    if "entries" in request.POST:
        service = partial(take_back_round, entries=number_in(request.POST, "entries", -1))
        return _led(request, slug, tournament, number, _by_service(request, service))
    row, round_ = directed_tournament_round(request, slug, tournament, number)
    try:
        lost = lost_with(round_)
    except Refused as error:
        messages.error(request, str(error))
        return redirect("seating", slug, tournament, number)
    page = page_of(request, row) | {"round": round_, "lost": lost, "round_name": round_name(round_)}
    return render(request, "tournaments/rounds/take_back.html", page)


@require_POST
def unseat(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Discard a proposal."""
    row = directed_tournament(request, slug, tournament)
    round_ = row.event.rounds.filter(number=number).first()
    with refusal_shown(request):
        if round_ is not None:
            unseat_round(round_.pk, actor_of(request), at=timezone.now())
    return redirect("tournament", slug, tournament)


@require_POST
def late(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Seat latecomers, and remove entrants who have left."""

    def change(round_: Round, row: Tournament) -> None:
        entrants = {each.key: each.pk for each in row.entrants.all()}
        who = {
            name: [entrants[key] for key in request.POST.getlist(name) if key in entrants]
            for name in ("arriving", "leaving")
        }
        if not any(who.values()):
            return
        done = change_late(round_.pk, actor_of(request), at=timezone.now(), **who)
        tables = ", ".join(str(number + 1) for number in sorted(done.changed))
        if tables:
            messages.success(request, _("Changed tables: %(tables)s.") % {"tables": tables})
        for each in row.entrants.filter(pk__in=who["arriving"]):
            if each.key in done.byes:
                messages.success(request, seated_sentence(each, number))

    return _led(request, slug, tournament, number, change)


def _by_service(
    request: HttpRequest, service: Callable[..., Any]
) -> Callable[[Round, Tournament], None]:
    def lead(round_: Round, _row: Tournament) -> None:
        service(round_.pk, actor_of(request), at=timezone.now())

    return lead


def _led(
    request: HttpRequest,
    slug: str,
    tournament: str,
    number: int,
    lead: Callable[[Round, Tournament], None],
) -> HttpResponse:
    """Run a step of a round, and show its seating, or the reason for a refusal."""
    row, round_ = directed_tournament_round(request, slug, tournament, number)
    try:
        lead(round_, row)
    except Round.DoesNotExist:
        return redirect("tournament", slug, tournament)
    except Refused as error:
        messages.error(request, str(error))
    return redirect("seating", slug, tournament, number)
