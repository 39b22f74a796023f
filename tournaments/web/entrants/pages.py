"""The entrants of a tournament: listed, registered by its directors, checked in by hand."""

from dataclasses import dataclass
from functools import cached_property
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

from tournaments.models import Entrant, Tournament
from tournaments.services.tournaments.entering import (
    MOST_ENTRANTS,
    EntrantsRefused,
    TooMany,
    check_in,
    register_entrants,
)
from tournaments.services.tournaments.entering_lists import (
    EnteredAlready,
    Entry,
    Foreseen,
    foresee,
    is_for_pairs,
)
from tournaments.services.tournaments.leading import WrongState
from tournaments.telling.entrants import found_in, list_entrants, with_ratings
from tournaments.visitors import actor_of, directed_tournament, seen_tournament
from tournaments.web.entrants.forms import EntryForm, ListForm, list_refusal, refusal
from tournaments.web.entrants.lists import ListLine, read_file, read_text, write_text
from tournaments.web.events.tables import names_lately
from tournaments.web.spreadsheets import SpreadsheetRefused
from tournaments.web.tournaments.pages import page_of


@never_cache
@require_safe
def entrants(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Everybody in a tournament; those who are searched for while one types."""
    row = seen_tournament(request, slug, tournament)
    page = page_of(request, row)
    everybody = with_ratings(list_entrants(row, directs=page["directs"]), row, request.user)
    asked = request.GET.get("q", "")[:80]
    page |= {
        "entrants": everybody,
        "here": request.path,
        "asked": asked,
        "found": found_in(everybody.lines, asked, directs=page["directs"]),
        "hub": False,
    }
    fragment = bool(request.htmx)  # type: ignore[attr-defined]
    template = "tournaments/_entrants_found.html" if fragment else "tournaments/entrants.html"
    return render(request, template, page)


@require_POST
def check(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Note that an entrant is here (`here` is the number), or that they are not (`gone`)."""
    row = directed_tournament(request, slug, tournament)
    here = "here" in request.POST
    typed = request.POST.get("here" if here else "gone", "")[:5]
    number = int(typed) if typed.isdecimal() else 0
    htmx = bool(request.htmx)  # type: ignore[attr-defined]
    try:
        found = row.entrants.get(number=number)
        entrant = check_in(found.pk, actor_of(request), at=timezone.now(), here=here)
    except Entrant.DoesNotExist:
        messages.error(request, _("They are on the list no more."))
    except WrongState:
        messages.error(request, _("Nobody can be checked in now."))
    else:
        if htmx:
            return _line_checked(request, row, entrant)
    if htmx:
        return HttpResponseClientRefresh()
    # Back to where the list was, with what was searched for.
    asked = request.POST.get("q", "")[:80]
    query = f"?{urlencode({'q': asked})}" if asked else ""
    return redirect(f"{reverse('entrants', args=[slug, tournament])}{query}#e{number}")


def _line_checked(request: HttpRequest, row: Tournament, entrant: Entrant) -> HttpResponse:
    """The line of an entrant as it is now, with how many there are."""
    everybody = with_ratings(list_entrants(row, directs=True), row, request.user)
    page = {
        "line": next(line for line in everybody.lines if line.entrant.pk == entrant.pk),
        "entrants": everybody,
        "here": reverse("entrants", args=[row.event.club.slug, row.slug]),
        "directs": True,
        "swapped": True,
    }
    return render(request, "tournaments/_entrant_line.html", page)


@dataclass(frozen=True)
class PreviewLine:
    """A line of a list, with what it becomes: each name, and whether it is new to the club."""

    line: ListLine
    foreseen: Foreseen
    pairs: bool

    @cached_property
    def problem(self) -> str:
        """Why it cannot be."""
        problem = self.foreseen.problem
        return refusal(problem, pairs=self.pairs) if problem else ""

    @property
    def names(self) -> list[tuple[str, bool]]:
        """The names as they will stand in the list."""
        players = self.foreseen.players
        return [(p, True) if isinstance(p, str) else (p.name, False) for p in players]

    @property
    def typed(self) -> str:
        """The names as they were sent."""
        entry = self.line.entry
        return " + ".join(name for name in (entry.name, entry.partner) if name)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def add_entrants(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Register entrants: one by name, or a list that is looked at before it counts."""
    row = directed_tournament(request, slug, tournament)
    if row.state == Tournament.State.FINISHED:
        messages.error(request, _("The tournament is finished: nobody can be added."))
        return redirect("entrants", slug, tournament)
    what = request.POST.get("what", "")
    if request.method != "POST":
        return _add_page(request, row)
    if what == "one":
        return _add_one(request, row)
    return _add_list(request, row, sure=what == "sure")


def _add_one(request: HttpRequest, row: Tournament) -> HttpResponse:
    pairs = is_for_pairs(row)
    form = EntryForm(request.POST, pairs=pairs, suggest=_suggest(row))
    if form.is_valid():
        try:
            added = register_entrants(row.pk, [form.entry], actor_of(request), at=timezone.now())
        except EntrantsRefused as refused:
            form.add_error("name", refusal(refused.problems[0], pairs=pairs))
        except TooMany:
            form.add_error(None, list_refusal("long"))
        else:
            messages.success(request, added_sentence(added[0]))
            return redirect("add_entrants", row.event.club.slug, row.slug)
    return _add_page(request, row, one=form)


def added_sentence(entrant: Entrant) -> str:
    """That somebody is registered, and from when they play."""
    told = {"name": " + ".join(p.name for p in entrant.players), "number": entrant.number}
    if entrant.joins_in > 1:
        told["round"] = entrant.joins_in
        return _("%(name)s is number %(number)s and plays from round %(round)s.") % told
    return _("%(name)s is number %(number)s.") % told


def _add_list(request: HttpRequest, row: Tournament, *, sure: bool) -> HttpResponse:
    """Show what a list would become; once the director is `sure`, it counts, all or nothing."""
    pairs = is_for_pairs(row)
    form = ListForm(request.POST, request.FILES)
    if not form.is_valid():
        return _add_page(request, row, many=form)
    file = form.cleaned_data["file"]
    try:
        if file:
            lines = read_file(file.read(), pairs=pairs)
        else:
            lines = read_text(form.cleaned_data["list"], pairs=pairs)
    except SpreadsheetRefused as refused:
        form.add_error("file" if file else "list", list_refusal(refused.why))
        return _add_page(request, row, many=form)
    if sure and (stored := _store(request, row, [line.entry for line in lines])) is not None:
        return stored
    return _preview(request, row, lines, pairs=pairs)


def _store(request: HttpRequest, row: Tournament, entries: list[Entry]) -> HttpResponse | None:
    """Register a list; None where it has problems, which the preview shows as well."""
    try:
        added = len(register_entrants(row.pk, entries, actor_of(request), at=timezone.now()))
    except TooMany:
        return None
    except EntrantsRefused as refused:
        problems = refused.problems.values()
        if len(problems) < len(entries) or not all(isinstance(p, EnteredAlready) for p in problems):
            return None
        # Tapped twice.
        added = 0
    if added:
        text = ngettext("%(number)s is registered.", "%(number)s are registered.", added)
        messages.success(request, text % {"number": added})
    return redirect("entrants", row.event.club.slug, row.slug)


def _preview(
    request: HttpRequest, row: Tournament, lines: list[ListLine], *, pairs: bool
) -> HttpResponse:
    foreseen = foresee(row, [line.entry for line in lines])
    preview = [PreviewLine(line, each, pairs) for line, each in zip(lines, foreseen, strict=True)]
    wrong = [line for line in preview if line.problem]
    room = MOST_ENTRANTS - row.entrants.count()
    page = page_of(request, row) | {
        "preview": preview,
        "wrong": wrong,
        "too_many": list_refusal("long") if len(lines) > room else "",
        "new": sum(new for line in preview for _name, new in line.names),
        "text": write_text(lines),
        "hub": False,
    }
    status = 422 if wrong or page["too_many"] else 200
    return render(request, "tournaments/entrants_preview.html", page, status=status)


def _add_page(
    request: HttpRequest,
    row: Tournament,
    one: EntryForm | None = None,
    many: ListForm | None = None,
) -> HttpResponse:
    pairs = is_for_pairs(row)
    page: dict[str, Any] = page_of(request, row) | {
        "one": one or EntryForm(pairs=pairs, suggest=_suggest(row)),
        "many": many or ListForm(),
        "pairs": pairs,
        "names": names_lately(row.event.club),
        "late": row.state == Tournament.State.RUNNING,
        "hub": False,
    }
    return render(
        request, "tournaments/entrants_add.html", page, status=422 if one or many else 200
    )


def numbered(row: Tournament, number: int) -> Entrant:
    """The entrant of a tournament with a number; 404 where there is none."""
    rows = row.entrants.select_related("player", "partner")
    entrant: Entrant = get_object_or_404(rows, number=number)
    entrant.tournament = row
    return entrant


def _suggest(row: Tournament) -> str:
    return reverse("player_names", args=[row.event.club.slug])
