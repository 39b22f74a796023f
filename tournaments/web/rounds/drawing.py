"""The seating of a round: proposed, changed by its director, published, and read by all."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from tournaments.engine.pairing.byes import ImpossibleFixed
from tournaments.engine.pairing.judging import InvalidSeating
from tournaments.engine.pairing.late import ImpossibleChange
from tournaments.engine.pairing.methods import NoRoundRobin
from tournaments.models import Entrant, Round, Tournament
from tournaments.queries.tournaments import Course, load_course
from tournaments.services.tournaments.drawing import (
    NotWhoIsHere,
    RuledAbout,
    SeatingOutdated,
    field_seated,
    publish_round,
    seat_again,
    seat_next_round,
    take_back_round,
    unseat_round,
)
from tournaments.services.tournaments.late_changes import change_late, who_can_come
from tournaments.services.tournaments.leading import Depended, WrongState
from tournaments.services.tournaments.proposals import (
    NoRoundLeft,
    NotEnough,
    Presence,
    RoundsLeft,
    StageUnfinished,
    TooFewLeft,
    TooFewThrough,
    presence_at,
)
from tournaments.services.tournaments.substituting import TakesPart
from tournaments.services.tournaments.swapping import SeatingMoved, swap_of, swap_seats
from tournaments.visitors import (
    actor_of,
    directed_tournament,
    directed_tournament_round,
    seen_tournament,
)
from tournaments.web.rounds.seating_view import cost_lines, figures, seating_page
from tournaments.web.tournaments.pages import page_of

REFUSALS = (
    Depended,
    ImpossibleChange,
    ImpossibleFixed,
    InvalidSeating,
    NoRoundLeft,
    NoRoundRobin,
    NotEnough,
    NotWhoIsHere,
    RoundsLeft,
    SeatingMoved,
    SeatingOutdated,
    TakesPart,
    WrongState,
)


@require_POST
def seat(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Seat the next round, and show the proposal."""
    row = directed_tournament(request, slug, tournament)
    try:
        place = seat_next_round(row.pk, actor_of(request), at=timezone.now())
    except REFUSALS as error:
        messages.error(request, refusal_text(error))
        return redirect("tournament", slug, tournament)
    return redirect("seating", slug, tournament, place.number)


@never_cache
@require_safe
def seating(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """The seating of a round, by table or by name; not published yet it is for directors."""
    row = seen_tournament(request, slug, tournament)
    page = page_of(request, row)
    course = load_course(row)
    place = _round_of(course, number)
    if place.published_at is None and not page["directs"]:
        raise Http404
    # What was expected of a round that is over stands on its sheets.
    at = timezone.now() if place.closed_at is None else None
    shown = seating_page(course, place, request.user, at)
    page |= {
        "course": course,
        "round": place,
        "rounds": [each.row for each in course.drawn if page["directs"] or each.row.published_at],
        "seating": shown,
        "by_name": request.GET.get("by") == "name",
        "figures": list(figures(shown.quality)) if shown.quality else [],
        "swap": _swap(course, place, request.GET) if page["directs"] else None,
        "presence": _presence(course, place),
        "late": _late(course, place) if page["directs"] else None,
    }
    return render(request, "tournaments/seating.html", page)


def _round_of(course: Course, number: int) -> Round:
    for each in course.drawn:
        if each.row.number == number:
            return each.row
    raise Http404


def _presence(course: Course, place: Round) -> Presence | None:
    """Who is here, against the next round to be published; None for any other one."""
    proposed = next((each for each in course.drawn if each.row.published_at is None), None)
    if proposed is None or proposed.row.pk != place.pk:
        return None
    return presence_at(course, proposed)


def _swap(course: Course, place: Round, asked: QueryDict) -> dict[str, Any] | None:
    """Who is about to change places, and what that costs; None where nobody is chosen."""
    one, other = asked.get("one", ""), asked.get("other", "")
    if place.published_at or one not in course.entrants:
        return None
    found: dict[str, Any] = {"one": course.entrants[one], "other": course.entrants.get(other)}
    if found["other"] is None or one == other:
        return found | {"other": None}
    try:
        swapped = swap_of(course, place, one, other)
    except InvalidSeating:
        return None
    return found | {"costs": cost_lines(swapped.changes), "byes": _sat_out(course, place, found)}


def _sat_out(course: Course, place: Round, found: dict[str, Entrant]) -> list[tuple[str, int]]:
    """How often each of two has sat out before, where one of them is to sit out now."""
    field, out = field_seated(course, place), (place.seating or {"byes": []})["byes"]
    if not any(each.key in out for each in found.values()):
        return []
    return [(each.shown_name, field.byes_had[field.index[each.key]]) for each in found.values()]


def _late(course: Course, place: Round) -> dict[str, Any] | None:
    """Who can leave a published round, and who can still come; None where nobody can."""
    if place.state not in ("published", "open"):
        return None
    drawn = next(each for each in course.drawn if each.row.pk == place.pk)
    here = {name for table in drawn.tables for name in table.entrants} | {*drawn.byes}
    entrants = course.entrants.values()
    return {
        # Who has withdrawn first: it is most often they who are missing.
        "leaving": sorted(
            (each for each in entrants if each.key in here),
            key=lambda each: each.withdrawn_at is None,
        ),
        "arriving": who_can_come(course, drawn),
    }


@require_POST
def swap(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Let two entrants change places."""

    def turn(place: Round, row: Tournament) -> None:
        one, other = request.POST.get("one", ""), request.POST.get("other", "")
        seen = request.POST.get("seen", "")
        if not seen.isdecimal() or int(seen) != row.revision:
            raise SeatingMoved
        swap_seats(place.pk, one, other, actor_of(request), seen=int(seen), at=timezone.now())

    return _led(request, slug, tournament, number, turn)


@require_POST
def reseat(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Keep the tables that are ticked, and seat everybody else again."""
    locked = [int(each) for each in request.POST.getlist("locked") if each.isdecimal()]

    def again(place: Round, _row: Tournament) -> None:
        seat_again(place.pk, locked, actor_of(request), at=timezone.now())

    return _led(request, slug, tournament, number, again)


@require_POST
def publish(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Lay the tables, and let everybody see who sits where; once asked, also of who is not here."""
    service = partial(publish_round, all_the_same="all_the_same" in request.POST)
    return _led(request, slug, tournament, number, _by_service(request, service))


@require_POST
def take_back(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Make a published round a proposal again."""
    return _led(request, slug, tournament, number, _by_service(request, take_back_round))


@require_POST
def unseat(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Throw a proposal away."""
    row = directed_tournament(request, slug, tournament)
    place = row.event.rounds.filter(number=number).first()
    try:
        if place is not None:
            unseat_round(place.pk, actor_of(request), at=timezone.now())
    except WrongState as error:
        messages.error(request, refusal_text(error))
    return redirect("tournament", slug, tournament)


@require_POST
def late(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Seat who has come late, and do without who has left."""

    def change(place: Round, row: Tournament) -> None:
        entrants = {each.key: each.pk for each in row.entrants.all()}
        who = {
            name: [entrants[key] for key in request.POST.getlist(name) if key in entrants]
            for name in ("arriving", "leaving")
        }
        if not any(who.values()):
            return
        done = change_late(place.pk, actor_of(request), at=timezone.now(), **who)
        tables = ", ".join(str(number + 1) for number in sorted(done.changed))
        if tables:
            messages.success(request, _("Changed tables: %(tables)s.") % {"tables": tables})

    return _led(request, slug, tournament, number, change)


def _by_service(
    request: HttpRequest, service: Callable[..., Any]
) -> Callable[[Round, Tournament], None]:
    def lead(place: Round, _row: Tournament) -> None:
        service(place.pk, actor_of(request), at=timezone.now())

    return lead


def _led(
    request: HttpRequest,
    slug: str,
    tournament: str,
    number: int,
    lead: Callable[[Round, Tournament], None],
) -> HttpResponse:
    """Do something with a round, and show its seating; why not, where it cannot be done."""
    row, place = directed_tournament_round(request, slug, tournament, number)
    try:
        lead(place, row)
    except Round.DoesNotExist:
        return redirect("tournament", slug, tournament)
    except REFUSALS as error:
        messages.error(request, refusal_text(error))
    return redirect("seating", slug, tournament, number)


def refusal_text(error: Exception) -> str:
    """Why a seating cannot be had, or not changed so."""
    if isinstance(error, NoRoundRobin):
        sizes = ", ".join(map(str, error.sizes))
        return _(
            "%(count)s cannot all meet each other once at tables of four: only %(sizes)s can."
            " Change “Who sits with whom” in the settings."
        ) % {"count": error.count, "sizes": sizes}
    if isinstance(error, ImpossibleChange) and error.code == "begun":
        number = error.table + 1
        return _("Table %(number)s has begun: nobody leaves it any more.") % {"number": number}
    if isinstance(error, TakesPart):
        return _("%(name)s plays this round already.") % {"name": error.player.name}
    return str(SENTENCES[type(error)]())


SENTENCES: dict[type[Exception], Callable[[], str]] = {
    Depended: lambda: _("A table has begun, or a later round builds on it: it stays."),
    ImpossibleChange: lambda: _("So few are left that not one table could be filled."),
    ImpossibleFixed: lambda: _("Those who are to sit together do not fit at the tables."),
    InvalidSeating: lambda: _("Somebody of this seating is not there any more: seat again."),
    NoRoundLeft: lambda: _("All rounds have been seated."),
    NotEnough: lambda: _("Too few are here to fill a table."),
    NotWhoIsHere: lambda: _("Look who is here: the seating is not of them."),
    RuledAbout: lambda: _("Somebody was ruled about in this round: withdraw the ruling first."),
    RoundsLeft: lambda: _("A round is still played; its results decide who sits where."),
    StageUnfinished: lambda: _("A table of the stage before has no result yet."),
    TooFewLeft: lambda: _(
        "Too few are left for these finals. Change “Finals” in the settings while none is seated."
    ),
    TooFewThrough: lambda: _(
        "Too few are left for this stage: let somebody return who has withdrawn."
    ),
    SeatingMoved: lambda: _("The seating has changed meanwhile: look at it once more."),
    SeatingOutdated: lambda: _("Somebody of this seating has withdrawn: seat again."),
    WrongState: lambda: _("Somebody was faster: look at how it stands now."),
}
