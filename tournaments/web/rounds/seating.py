"""The seating of a round: proposed, changed by its director, published."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from fractions import Fraction
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.judging import (
    InvalidSeating,
    Quality,
    Seating,
    SeatingReason,
    judge,
    leaders_apart,
    least_spread,
)
from tournaments.engine.pairing.neighbours import Apart
from tournaments.engine.rules.rulesets import Points
from tournaments.models import Entrant, Game, Revision, Round, Tournament, Visitor
from tournaments.models.people import name_order
from tournaments.permissions import (
    actor_of,
    directed_tournament,
    directed_tournament_round,
    seen_tournament,
)
from tournaments.queries.overview import seat_in_game, seated_sentence
from tournaments.queries.ratings import outlooks
from tournaments.queries.sheets import LaterEntryInvalid, load_sheet
from tournaments.queries.state import TournamentState
from tournaments.queries.tables import measure_text, short_teams
from tournaments.services.base.writes import Refused
from tournaments.services.rounds.changes import (
    Exchange,
    change_late,
    exchange_seats,
    exchanged,
    swap_of,
    who_can_come,
)
from tournaments.services.rounds.proposals import (
    Presence,
    alternatives_of,
    number_of,
    outdated_at,
    presence_at,
)
from tournaments.services.rounds.seating import (
    apart_in,
    field_seated,
    lost_with,
    publish_round,
    seat_again,
    seat_next_round,
    sections_seated,
    take_alternative,
    take_back_round,
    unseat_round,
)
from tournaments.texts.labels import ABSENCES, Text, round_name, section_name
from tournaments.web.base.pages import cached_for_going_back, show_refusal
from tournaments.web.games.views import number_in, refusal_of
from tournaments.web.tournaments.views import page_of, preview_below


def seating_page(
    state: TournamentState, round_: Round, visitor: Visitor = None, at: datetime | None = None
) -> dict[str, Any]:
    """Return the seating of a round with names; for a proposal, also its quality.

    With a moment `at`, add the expectations by the ratings that a visitor may see.
    """
    seated = state.seating_of(round_)
    expected = outlooks(state, seated, visitor, at) if at is not None else {}
    judged, draft = None, round_.seating or {"tables": [], "byes": []}
    if not round_.published_at:
        with suppress(InvalidSeating):
            judged = judge(field_seated(state, round_), draft["tables"], draft["byes"])
    sections = list(sections_seated(state, seated)) if judged else []
    neighbours = apart_in(state, round_, sections)
    why = {name: reasons for _field, each in sections for name, reasons in each.why.items()}
    locked = draft.get("locked", [])

    def chair(name: str) -> dict[str, Any]:
        entrant = state.entrants[name]
        players = state.players_of(entrant, round_.number)
        return {
            "entrant": entrant,
            "names": [player.shown_name or f"№ {entrant.number}" for player in players],
            "why": [reason_text(reason) for reason in why.get(name, ())],
            "apart": [
                {"entrant": state.entrants[each.other], "text": apart_text(each)}
                for each in neighbours.get(name, ())
            ],
            "outlook": expected.get(name),
        }

    tables: list[dict[str, Any]] = [
        {
            "number": table.number,
            "place": at,
            "chairs": [chair(name) for name in table.entrants],
            "locked": at in locked,
            "section": state.section_at(table.entrants),
        }
        for at, table in enumerate(seated.tables)
    ]
    out = ((chair(name), state.section_of(state.entrants[name])) for name in seated.byes)
    byes = [each | {"section": section, "outlook": None} for each, section in out]
    names = [(name, t["number"]) for t in tables for each in t["chairs"] for name in each["names"]]
    names += [(name, None) for bye in byes for name in bye["names"]]
    page = {
        "tables": tables,
        "byes": byes,
        "by_name": sorted(names, key=lambda line: name_order(line[0])),
        "has_outlooks": any(each["outlook"] for table in tables for each in table["chairs"]),
        "quality": judged and judged.quality,
    }
    if judged is not None:
        apart = any(leaders_apart(field, each.tables) for field, each in sections)
        settings = state.settings
        # The leaders should sit together in the last round, if no finals follow.
        leaders_meet = round_.number == settings.rounds and not settings.finals
        page["leaders_apart"] = apart and leaders_meet and settings.seating in LEADERS_MEET
        found = alternatives_of(state, round_)
        offered = found["offered"] if found is not None else []
        page["as_by_lot"] = any(each["taken"] and each["as_by_lot"] for each in offered)
        if found is not None and len(offered) > 1:
            by_lot = found["spread_by_lot"]
            lines = [each | {"text": alternative_text(each, by_lot)} for each in offered]
            page |= {"alternatives": lines, "moved": found["moved"]}
        # What is taken says these two already.
        said = len(sections) == 1 and len(offered) > 1 and any(each["taken"] for each in offered)
        page["praise"] = [
            text for field, each in sections for text in _praise(state, field, each, said=said)
        ]
    return page


def alternative_text(each: Mapping[str, Any], by_lot: Points) -> str:
    """Return an alternative of a seating in words, with its figures."""
    spread, lot = measure_text(each["score_spread"]), measure_text(by_lot)
    numbers = {"number": each["repeat_meetings"], "spread": spread, "by_lot": lot}
    again = (
        ngettext("%(number)s meeting again", "%(number)s meetings again", numbers["number"])
        if numbers["number"]
        else _("Nobody meets again")
    )
    if each["is_nearest"]:
        apart = _("points %(spread)s apart, the nearest possible")
    elif each["as_by_lot"]:
        apart = _("points %(spread)s apart, by lot it would be %(by_lot)s")
    else:
        apart = _("points %(spread)s apart")
    return f"{again} · {apart}" % numbers


def _praise(
    state: TournamentState, field: PairingField, seating: Seating, *, said: bool
) -> list[str]:
    """Return the sentences about a seating; with sections, as one that names the section.

    Those about meetings and scores may be `said` already.
    """
    least = least_spread(field, seating.why.keys() - {*seating.byes})
    sentences = list(praise(seating.quality, least, teams=bool(field.avoid), said=said))
    section = state.section_at(field.index)
    return [f"{section_name(section)}: {' '.join(sentences)}"] if section else sentences


def exchange_preview(state: TournamentState, round_: Round, keys: Sequence[str]) -> dict[str, Any]:
    """Return what an exchange of chairs in a published round changes (1 query)."""
    after = exchanged(state, round_, Exchange(keys))
    seated = next(each for each in after.seated_rounds if each.row.pk == round_.pk)
    chairs = {
        key: (table, side) for table in seated.tables for side, key in enumerate(table.entrants, 1)
    }
    old, new = (each.points_after(round_.number) for each in (state, after))
    lines = []
    for key in keys:
        table, side = chairs.get(key, (None, None))
        points = (old.get(key, 0), new.get(key, 0))
        number = table.number if table else None
        moved = points if points[0] != points[1] else None
        lines.append(
            {"entrant": state.entrants[key], "table": number, "side": side, "points": moved}
        )
    tables = {chairs[key][0].pk if key in chairs else None for key in keys}
    entries = Revision.objects.of_entries().filter(game__table__in=tables - {None})
    return {"lines": lines, "begun": entries.exists(), "one_table": len(tables) == 1}


def reason_text(reason: SeatingReason) -> str:
    params = dict(reason.params)
    if reason.code == "seat":
        params["seat"] += 1
    return REASONS[reason.code](params)


REASONS: Mapping[str, Callable[[dict[str, int]], str]] = {
    "fixed": lambda _params: _("Put together with others by the director."),
    "score-group": lambda p: _("Place %(rank)s so far.") % p,
    "met-before": lambda p: (
        ngettext(
            "Has met %(players)s of this table before.",
            "Has met %(players)s of this table before.",
            p["players"],
        )
        % p
    ),
    "not-met": lambda _params: _("Has met nobody of this table before."),
    "seat": lambda p: (
        ngettext(
            "Sat in seat %(seat)s %(times)s time so far.",
            "Sat in seat %(seat)s %(times)s times so far.",
            p["times"],
        )
        % p
    ),
    "fewest-byes": lambda p: (
        _("Sat out %(byes)s of the %(rounds)s rounds they were here for: first in turn.") % p
        if p["rounds"]
        else ngettext(
            "Sat out %(byes)s time so far: nobody less often.",
            "Sat out %(byes)s times so far: nobody less often.",
            p["byes"],
        )
        % p
    ),
    "lowest-score": lambda p: (
        ngettext(
            "%(lower)s of them has fewer points.",
            "%(lower)s of them have fewer points.",
            p["lower"],
        )
        % p
    ),
}


def apart_text(apart: Apart) -> str:
    """Return why a neighbour in the standings sits elsewhere, and what it would cost if not."""
    rule = APART[apart.code] % {"round": apart.round}
    if apart.code == "sits-out":
        return rule
    repeats, clubs = apart.repeats, apart.same_club
    costs = []
    if repeats > 0:
        text = ngettext("%(number)s more meeting again", "%(number)s more meetings again", repeats)
        costs.append(text % {"number": repeats})
    if clubs > 0:
        text = ngettext("%(number)s more pair of a club", "%(number)s more pairs of a club", clubs)
        costs.append(text % {"number": clubs})
    if apart.spread > 0:
        spread = {"spread": measure_text(apart.spread)}
        costs.append(_("points %(spread)s further apart at the two tables") % spread)
    if apart.code == "seat":
        costs.append(_("somebody in one seat too often"))
    cost = _("together it would cost nothing")
    if costs:
        cost = _("together: %(costs)s") % {"costs": ", ".join(costs)}
    return "; ".join(filter(None, (rule, cost)))


APART: Mapping[str, Text] = {
    "sits-out": gettext_lazy("sits out"),
    "locked": gettext_lazy("one of the tables stays"),
    "avoided": gettext_lazy("of the same team"),
    "met": gettext_lazy("they met in round %(round)s"),
    "same-club": gettext_lazy("of the same club"),
    # The cost says it all.
    "seat": "",
    "others": "",
}
"""The rules that keep neighbours in the standings apart."""


def faults(quality: Quality) -> Iterator[tuple[str, str]]:
    """Yield the name and value of each measure of a seating that should be 0, but is not."""
    for name in ("avoided_met", "same_club", "fixed_parted"):
        if getattr(quality, name):
            yield FIGURES[name](), str(getattr(quality, name))


def praise(
    quality: Quality, least: Fraction, *, teams: bool = False, said: bool = False
) -> Iterator[str]:
    """Yield sentences about meetings, seats and scores; `least` is the least possible spread.

    With `teams`, players of one team are to be kept apart. Meetings and scores may be `said`.
    """
    if not said:
        yield _meetings(quality)
    if teams and not quality.avoided_met:
        yield _("Nobody sits with a teammate.")
    uneven = quality.seat_imbalance
    yield (
        ngettext(
            "Each has sat in each seat at most %(number)s time more than in another.",
            "Each has sat in each seat at most %(number)s times more than in another.",
            uneven,
        )
        % {"number": uneven}
        if uneven
        else _("Each has sat in each seat equally often.")
    )
    if quality.score_spread and not said:
        numbers = {"spread": measure_text(quality.score_spread), "least": measure_text(least)}
        yield (
            _("Points at a table are %(spread)s apart on average, at best possible %(least)s.")
            if quality.score_spread > least
            else _("Points at a table are %(spread)s apart on average, the least possible.")
        ) % numbers


def _meetings(quality: Quality) -> str:
    again = quality.repeat_meetings
    if not again:
        return _("Nobody meets twice.")
    least = (
        ngettext(
            "%(number)s meeting is a repeat: fewer are not possible.",
            "%(number)s meetings are repeats: fewer are not possible.",
            again,
        )
        if again <= quality.repeat_bound
        else ngettext("%(number)s meeting is a repeat.", "%(number)s meetings are repeats.", again)
    )
    return least % {"number": again}


LEADERS_MEET = ("swiss", "rank-near", "manual")
"""The methods by which the leaders should sit together in the last round."""


FIGURES: Mapping[str, Callable[[], str]] = {
    "repeat_meetings": lambda: _("Meetings again"),
    "repeat_bound": lambda: _("Meetings again at least"),
    "score_spread": lambda: _("Points apart at a table"),
    "seat_imbalance": lambda: _("Seats uneven by"),
    "avoided_met": lambda: _("Pairs of one team at a table"),
    "same_club": lambda: _("Pairs of one club"),
    "fixed_parted": lambda: _("Put together, yet apart"),
}


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


@cached_for_going_back
@require_safe
def seating(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Show the seating of a round, by table or by name; proposals are visible only to directors."""
    row = seen_tournament(request, slug, tournament)
    page = page_of(request, row)
    state = page["shared"].state
    round_ = _round_of(state, number)
    if round_.published_at is None and not page["directs"]:
        raise Http404
    # For a closed round, the sheets show the expectations.
    at = timezone.now() if round_.closed_at is None else None
    context = seating_page(state, round_, request.user, at)
    seated = state.seating_of(round_)
    reserves: dict[str, list[Entrant]] = defaultdict(list)
    presence = Presence()
    # The presence is that of the next round to be published.
    if round_ == next((r.row for r in state.seated_rounds if r.row.published_at is None), None):
        presence = presence_at(state, seated)
    for each, why in presence.not_seated:
        if why == "reserve":
            reserves[each.team].append(each)
    button = page["shared"].strip.button if page["directs"] else None
    publishes = {"step": "publish-seating", "round": str(number)}
    page |= {
        "round": round_,
        "rounds": [
            each.row for each in state.seated_rounds if page["directs"] or each.row.published_at
        ],
        "seating": context,
        "by_name": request.GET.get("by") == "name",
        "faults": list(faults(context["quality"])) if context["quality"] else [],
        **(_picked(state, round_, request.GET) if page["directs"] else {}),
        "presence": presence,
        "outdated": outdated_at(state, seated) if page["directs"] else None,
        "not_seated": [
            (each, ABSENCES[why]) for each, why in presence.not_seated if why != "reserve"
        ],
        "reserves": dict(reserves),
        "short": short_teams(state, number) if round_.published_at is None else [],
        "late": _late(state, round_, request.GET) if page["directs"] else None,
        "strip_publishes": button is not None and publishes.items() <= button.sends.items(),
    }
    name = round_name(round_)
    page |= preview_below(
        page,
        _("%(round)s: seating") % {"round": name},
        lambda: _("Who sits at which table in %(round)s.") % {"round": name},
    )
    return render(request, "tournaments/rounds/seating.html", page)


def _round_of(state: TournamentState, number: int) -> Round:
    for seated in state.seated_rounds:
        if seated.row.number == number:
            return seated.row
    raise Http404


def _picked(state: TournamentState, round_: Round, query: QueryDict) -> dict[str, Any]:
    """Return the chosen exchange with its effect, and the query of the next name tapped."""
    keys = chosen_in(query)
    nobody: dict[str, Any] = {"swap": None, "pick": "one="}
    if not keys or not state.seating_of(round_).names.issuperset(keys):
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
        return {"swap": swap | exchange_preview(state, round_, keys), "pick": pick}
    try:
        swapped = swap_of(state, round_, *keys)
    except InvalidSeating:
        return nobody
    costs = [
        (FIGURES[change.name](), measure_text(change.before), measure_text(change.after))
        for change in swapped.changes
    ]
    field, out = field_seated(state, round_), (round_.seating or {"byes": []})["byes"]
    # How often each has sat out, if one of them does.
    byes = [(each.shown_name, field.byes_had[field.index[each.key]]) for each in who]
    effect = {"costs": costs, "byes": byes if any(each.key in out for each in who) else []}
    return {"swap": swap | {"other": who[1]} | effect, "pick": "one="}


def chosen_in(query: QueryDict) -> list[str]:
    """Return the keys of the entrants who exchange chairs, in order."""
    return list(dict.fromkeys(filter(None, [query.get("one"), *query.getlist("other")])))


def _late(state: TournamentState, round_: Round, query: QueryDict) -> dict[str, Any] | None:
    """Return who can leave or join a published round; None if nobody can."""
    if round_.state not in ("published", "open"):
        return None
    seated, entrants = state.seating_of(round_), state.entrants.values()
    return {
        "leaving": [
            each
            for each in entrants
            if each.withdrawn_at is not None and (seat := seat_in_game(each)) is not None
            if seat.round_id == round_.pk
        ],
        "arriving": who_can_come(state, seated),
        "nobody": _("Nobody is chosen.") if "nobody" in query else "",
    }


Act = Callable[[HttpRequest, Tournament, Round], HttpResponse | None]


def round_action(leads_to: str) -> Callable[[Act], Callable[..., HttpResponse]]:
    """Make a view of what directors do with a round, which may be refused.

    It leads to a page of the round, or to the tournament, unless the act answers itself.
    """

    def decorator(act: Act) -> Callable[..., HttpResponse]:
        @require_POST
        @wraps(act)
        def view(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
            row, round_ = directed_tournament_round(request, slug, tournament, number)
            try:
                response = act(request, row, round_)
            except Round.DoesNotExist:
                return redirect("tournament", slug, tournament)
            except Refused as error:
                messages.error(request, str(error))
                response = None
            of_round = () if leads_to == "tournament" else (number,)
            return response or redirect(leads_to, slug, row.slug, *of_round)

        return view

    return decorator


@round_action("seating")
def swap(request: HttpRequest, row: Tournament, round_: Round) -> HttpResponse | None:
    """Exchange the chairs of entrants; in a closed round, show what it changed."""
    if len(chosen_in(request.POST)) < 2 and "partners" not in request.POST:
        return None
    with_people = request.POST.get("entries") == "people"
    exchange = Exchange(chosen_in(request.POST), with_people, _("wrong chairs"))
    seen = number_in(request.POST, "seen", -1)
    try:
        exchange_seats(round_.pk, exchange, actor_of(request), seen=seen, at=timezone.now())
    except LaterEntryInvalid as error:
        entrant = number_of(exchange.who[0])
        game = Game.objects.get(table__sittings__entrant__number=entrant, table__round=round_)
        refusal = refusal_of(error, load_sheet(game))
        messages.error(request, " ".join([refusal.notice, *refusal.details]))
        return None
    if round_.published_at is not None:
        messages.success(request, _("The chairs are exchanged."))
    if round_.closed_at is None:
        return None
    return redirect("round_changes", row.event.club.slug, row.slug)


@round_action("seating")
def reseat(request: HttpRequest, _row: Tournament, round_: Round) -> None:
    """Keep the ticked tables, and seat everybody else again, with those to take in."""
    locked = [
        int(each) for each in request.POST.getlist("locked") if each.isdecimal() and len(each) < 6
    ]
    more = request.POST.getlist("take_in")
    seat_again(round_.pk, locked, actor_of(request), at=timezone.now(), taking_in=more)


@round_action("seating")
def take(request: HttpRequest, _row: Tournament, round_: Round) -> None:
    """Seat the proposal as another of its alternatives."""
    number, _sep, seed = request.POST.get("alternative", "").partition(" ")
    if (number + seed).isdecimal() and len(number) < 3 and len(seed) < 20:
        take_alternative(
            round_.pk, int(number), int(seed or 0), actor_of(request), at=timezone.now()
        )


@round_action("seating")
def publish(request: HttpRequest, _row: Tournament, round_: Round) -> None:
    """Publish the seating; ask first if some are not checked in, or results have changed."""
    publish_round(
        round_.pk,
        actor_of(request),
        at=timezone.now(),
        all_the_same="all_the_same" in request.POST,
        accept_outdated=request.POST.get("accept_outdated", ""),
    )


@round_action("seating")
def take_back(request: HttpRequest, row: Tournament, round_: Round) -> HttpResponse | None:
    """Turn a published round into a proposal again; ask first, with the number of entries lost."""
    if "entries" in request.POST:
        entries = number_in(request.POST, "entries", -1)
        take_back_round(round_.pk, actor_of(request), at=timezone.now(), entries=entries)
        return None
    lost = lost_with(round_)
    page = page_of(request, row) | {"round": round_, "lost": lost, "round_name": round_name(round_)}
    return render(request, "tournaments/rounds/take_back.html", page)


@round_action("seating")
def late(request: HttpRequest, row: Tournament, round_: Round) -> HttpResponse | None:
    """Seat latecomers, and remove entrants who have left."""
    entrants = {each.key: each.pk for each in row.entrants.all()}
    who = {
        name: [entrants[key] for key in request.POST.getlist(name) if key in entrants]
        for name in ("arriving", "leaving")
    }
    if not any(who.values()):
        # At its place on the page.
        at = reverse("seating", args=[row.event.club.slug, row.slug, round_.number])
        return redirect(f"{at}?nobody=1#missing")
    done = change_late(round_.pk, actor_of(request), at=timezone.now(), **who)
    tables = ", ".join(str(number + 1) for number in sorted(done.changed))
    if tables:
        messages.success(request, _("Changed tables: %(tables)s.") % {"tables": tables})
    for entrant in row.entrants.filter(pk__in=who["arriving"]):
        if entrant.key in done.byes:
            messages.success(request, seated_sentence(entrant, round_.number))
    return None


@require_POST
def unseat(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    row = directed_tournament(request, slug, tournament)
    round_ = row.event.rounds.filter(number=number).first()
    with show_refusal(request):
        if round_ is not None:
            unseat_round(round_.pk, actor_of(request), at=timezone.now())
    return redirect("tournament", slug, tournament)
