"""The entrants of a tournament: list, registration by directors, check-in by hand."""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.models import Club, Entrant, Round, Tournament
from tournaments.permissions import actor_of, directed_tournament, seen_tournament
from tournaments.presenters.entrants import (
    EntrantList,
    found_in,
    list_entrants,
    players_offered,
    seated_sentence,
    with_ratings,
)
from tournaments.presenters.people.players import named_player
from tournaments.queries.tournaments.state import settings_of
from tournaments.services.base.writes import Refused
from tournaments.services.entrants.registration import (
    MOST_ENTRANTS,
    EnteredAlready,
    EntrantsRefused,
    Entry,
    Preview,
    TooMany,
    check_in,
    check_in_all,
    is_for_pairs,
    preview_entries,
    register_entrants,
)
from tournaments.services.imports.files import FileRefused
from tournaments.services.imports.records import COLUMNS
from tournaments.services.rounds.changes import change_late
from tournaments.services.tournaments.lifecycle import WrongState
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.base.htmx import HtmxRequest
from tournaments.web.base.name_lists import ListFile, meant_by
from tournaments.web.base.refusals import add_refused, refusal_shown
from tournaments.web.entrants.forms import EntrantForm, ListForm, list_refusal
from tournaments.web.entrants.lists import (
    ListLine,
    ListRead,
    read_file,
    read_text,
    write_text,
)
from tournaments.web.entrants.near_names import NearNames, near_names
from tournaments.web.events.tables import names_lately
from tournaments.web.tournaments.pages import page_of, preview_below
from tournaments.web.tournaments.rules_told import missed_sentence


@kept_for_going_back
@require_safe
def entrants(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    """List the entrants of a tournament; htmx requests matches while one types."""
    row = seen_tournament(request, slug, tournament)
    page = page_of(request, row)
    everybody = with_ratings(list_entrants(row, directs=page["directs"]), row, request.user)
    if not page["directs"]:
        everybody = _with_pages(everybody, row.event.club, member=page["member"])
    asked = request.GET.get("q", "")[:LONGEST_NAME]
    page |= {
        "entrants": everybody,
        "here": request.path,
        "asked": asked,
        "found": found_in(everybody.lines, asked, directs=page["directs"]),
        "hub": False,
    }
    page |= preview_below(page, _("Entrants"), partial(_entrants_line, row, len(everybody.lines)))
    fragment = bool(request.htmx)
    template = (
        "tournaments/entrants/_found.html" if fragment else "tournaments/entrants/entrants.html"
    )
    return render(request, template, page)


def _with_pages(entrants: EntrantList, club: Club, *, member: bool) -> EntrantList:
    """Return the list with the pages of players that a visitor may see."""
    lines = []
    for line in entrants.lines:
        players = [named_player(club, each, member=member) for each in line.entrant.players]
        if any(each.url for each in players):
            named = tuple((each.name, each.url) for each in players)
            lines.append(replace(line, named=named))
        else:
            lines.append(line)
    return replace(entrants, lines=tuple(lines))


def _entrants_line(row: Tournament, number: int) -> str:
    text = ngettext("%(number)s entrant", "%(number)s entrants", number) % {"number": number}
    return " · ".join([row.event.club.name, *row.event.details, text])


@require_POST
def check(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    """Check an entrant in (`here` is the number), or undo it (`gone`); or check in `all`."""
    row = directed_tournament(request, slug, tournament)
    if "all" in request.POST:
        with refusal_shown(request):
            check_in_all(row.pk, actor_of(request), at=timezone.now())
        return redirect("entrants", slug, tournament)
    here = "here" in request.POST
    typed = request.POST.get("here" if here else "gone", "")[:5]
    number = int(typed) if typed.isdecimal() else 0
    htmx = bool(request.htmx)
    try:
        found = row.entrants.get(number=number)
        entrant = check_in(found.pk, actor_of(request), at=timezone.now(), here=here)
    except Entrant.DoesNotExist:
        messages.error(request, _("They are on the list no more."))
    except WrongState as error:
        messages.error(request, str(error))
    else:
        if htmx:
            return _line_checked(request, row, entrant)
    if htmx:
        return HttpResponseClientRefresh()
    # Back to the same place in the list, with the same search.
    asked = request.POST.get("q", "")[:LONGEST_NAME]
    query = f"?{urlencode({'q': asked})}" if asked else ""
    return redirect(f"{reverse('entrants', args=[slug, tournament])}{query}#e{number}")


def _line_checked(request: HttpRequest, row: Tournament, entrant: Entrant) -> HttpResponse:
    everybody = with_ratings(list_entrants(row, directs=True), row, request.user)
    page = {
        "found": [line for line in everybody.lines if line.entrant.pk == entrant.pk],
        "entrants": everybody,
        "here": reverse("entrants", args=[row.event.club.slug, row.slug]),
        "directs": True,
        "swapped": True,
    }
    return render(request, "tournaments/entrants/_line_checked.html", page)


@dataclass(frozen=True)
class PreviewLine:
    """A line of a list in the preview: each name, and whether it is new to the club."""

    line: ListLine
    foreseen: Preview

    @cached_property
    def problem(self) -> str:
        return str(self.foreseen.problem or "")

    @property
    def names(self) -> list[tuple[str, bool]]:
        players = self.foreseen.players
        return [(p, True) if isinstance(p, str) else (p.name, False) for p in players]

    @property
    def typed(self) -> str:
        entry = self.line.entry
        return " + ".join(name for name in (entry.name, entry.partner) if name)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def add_entrants(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Register entrants: one by name, or a list after a preview."""
    row = directed_tournament(request, slug, tournament)
    if row.state == Tournament.State.FINISHED:
        messages.error(request, _("The tournament is finished: nobody can be added."))
        return redirect("entrants", slug, tournament)
    what = request.POST.get("what", "")
    if request.method != "POST":
        return _add_page(request, row)
    if what == "one":
        return _add_one(request, row)
    if what == "ticked":
        return _add_ticked(request, row)
    return _add_list(request, row, sure=what == "sure" or "seat" in request.POST)


def _add_one(request: HttpRequest, row: Tournament) -> HttpResponse:
    form = _form(row, request.POST)
    if form.is_valid():
        read = ListRead([ListLine(1, form.entry)], ListFile())
        near = near_names(row.event.club, read.lines, {})
        if near.lines != read.lines:
            # Somebody is called so but for case and marks.
            return _preview(request, row, read, near)
        try:
            added = register_entrants(row.pk, [form.entry], actor_of(request), at=timezone.now())
        except (EntrantsRefused, TooMany) as error:
            add_refused(form, error)
        else:
            if not _seat(request, row, added):
                messages.success(request, added_sentence(added[0]))
            return redirect("add_entrants", row.event.club.slug, row.slug)
    return _add_page(request, row, one=form)


def _add_ticked(request: HttpRequest, row: Tournament) -> HttpResponse:
    """Register the ticked players; those who take part meanwhile are left out."""
    ticked = set(request.POST.getlist("player"))
    offered = [player for group in players_offered(row).values() for player in group]
    chosen = [Entry(player.name) for player in offered if player.public_id in ticked]
    if not chosen:
        messages.error(request, _("Nobody is chosen."))
        return redirect("add_entrants", row.event.club.slug, row.slug)
    with refusal_shown(request):
        _tell_registered(
            request, row, register_entrants(row.pk, chosen, actor_of(request), at=timezone.now())
        )
    return redirect("entrants", row.event.club.slug, row.slug)


def _tell_registered(request: HttpRequest, row: Tournament, added: list[Entrant]) -> None:
    """Say how many are registered, and seat them if that was asked."""
    text = ngettext("%(number)s is registered.", "%(number)s are registered.", len(added))
    messages.success(request, text % {"number": len(added)})
    _seat(request, row, added)


def _published_round(row: Tournament) -> Round | None:
    """Return the round that still takes latecomers, if any."""
    rounds = row.event.rounds.filter(published_at__isnull=False, closed_at=None)
    return rounds.order_by("number").last()


def _seat(request: HttpRequest, row: Tournament, entrants: list[Entrant]) -> bool:
    """Seat new entrants in a running round, if asked; a refusal leaves them for the next one."""
    going = _published_round(row) if "seat" in request.POST else None
    coming = [each for each in entrants if not each.waiting]
    if going is None or not coming:
        return False
    arriving = [each.pk for each in coming]
    try:
        change_late(going.pk, actor_of(request), at=timezone.now(), arriving=arriving)
    except Refused as error:
        messages.error(request, str(error))
        return False
    for each in coming:
        messages.success(request, seated_sentence(each, going.number))
    return True


def added_sentence(entrant: Entrant) -> str:
    """Say that somebody is registered, and from which round they play."""
    details = {"name": " + ".join(p.name for p in entrant.players), "number": entrant.number}
    if entrant.waiting:
        return _("%(name)s is number %(number)s, on the waiting list.") % details
    if entrant.joins_in > 1:
        details["round"] = entrant.joins_in
        return _("%(name)s is number %(number)s and plays from round %(round)s.") % details
    return _("%(name)s is number %(number)s.") % details


def _add_list(request: HttpRequest, row: Tournament, *, sure: bool) -> HttpResponse:
    """Preview a list; once the director is `sure`, register all of it or nothing."""
    pairs = is_for_pairs(row)
    form = ListForm(request.POST, request.FILES)
    if not form.is_valid():
        return _add_page(request, row, many=form)
    file = form.cleaned_data["file"]
    try:
        if file:
            read = read_file(file.read(), pairs=pairs)
        else:
            read = read_text(form.cleaned_data["list"], pairs=pairs)
    except FileRefused as refused:
        form.add_error("file" if file else "list", list_refusal(refused.why))
        return _add_page(request, row, many=form)
    if request.POST.get("what") == "skip":
        read = replace(read, lines=_without_faults(row, read.lines))
    near = near_names(row.event.club, read.lines, meant_by(request.POST))
    if sure and near.answered:
        stored = _store(request, row, [each.entry for each in near.lines])
        if stored is not None:
            return stored
    return _preview(request, row, read, near)


def _without_faults(row: Tournament, lines: list[ListLine]) -> list[ListLine]:
    foreseen = preview_entries(row, [line.entry for line in lines])
    return [line for line, each in zip(lines, foreseen, strict=True) if each.problem is None]


def _store(request: HttpRequest, row: Tournament, entries: list[Entry]) -> HttpResponse | None:
    """Register a list; return None if it has problems, which the preview shows as well."""
    try:
        added = register_entrants(row.pk, entries, actor_of(request), at=timezone.now())
    except TooMany:
        return None
    except EntrantsRefused as refused:
        problems = refused.problems.values()
        if len(problems) < len(entries) or not all(isinstance(p, EnteredAlready) for p in problems):
            return None
        # Tapped twice.
        added = []
    if added:
        _tell_registered(request, row, added)
    return redirect("entrants", row.event.club.slug, row.slug)


def _preview(
    request: HttpRequest, row: Tournament, read: ListRead, near: NearNames
) -> HttpResponse:
    foreseen = preview_entries(row, [line.entry for line in near.lines])
    preview = [PreviewLine(line, each) for line, each in zip(near.lines, foreseen, strict=True)]
    wrong = [line for line in preview if line.problem]
    room = MOST_ENTRANTS - row.entrants.count()
    page = page_of(request, row) | {
        "preview": preview,
        "wrong": wrong,
        "too_many": list_refusal("long") if len(preview) > room else "",
        "names": near.asked,
        "unanswered": not near.answered,
        "columns": [(each.heading, COLUMNS.get(each.field, "")) for each in read.file.columns],
        "file": read.file,
        "new": sum(new for line in preview for _name, new in line.names),
        "text": write_text(read.lines),
        "going": _published_round(row),
        "hub": False,
    }
    status = 422 if wrong or page["too_many"] or page["unanswered"] else 200
    return render(request, "tournaments/entrants/preview.html", page, status=status)


def _add_page(
    request: HttpRequest,
    row: Tournament,
    one: EntrantForm | None = None,
    many: ListForm | None = None,
) -> HttpResponse:
    pairs = is_for_pairs(row)
    page: dict[str, Any] = page_of(request, row) | {
        "one": one or _form(row),
        "many": many or ListForm(),
        "offered": {} if pairs else players_offered(row),
        "pairs": pairs,
        "names": names_lately(row.event.club),
        "late": row.state == Tournament.State.RUNNING,
        "missed": missed_sentence(settings_of(row)),
        "going": _published_round(row),
        "hub": False,
    }
    return render(
        request, "tournaments/entrants/add.html", page, status=422 if one or many else 200
    )


def numbered(row: Tournament, number: int) -> Entrant:
    """Return the entrant of a tournament with a number; 404 if there is none."""
    rows = row.entrants.select_related("player", "partner")
    entrant: Entrant = get_object_or_404(rows, number=number)
    entrant.tournament = row
    return entrant


def _form(row: Tournament, data: Any = None) -> EntrantForm:
    return EntrantForm(
        data,
        pairs=is_for_pairs(row),
        suggest=reverse("player_names", args=[row.event.club.slug]),
        sections=settings_of(row).section_names,
    )
