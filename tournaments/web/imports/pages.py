"""Pages to import players, results and records of a club: preview, then import."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import get_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tournaments.models import Club, Role
from tournaments.permissions import actor_of, directed_club, role_in
from tournaments.queries.rulesets import rulesets_of_club
from tournaments.services.audit import Actor
from tournaments.services.imports.files import (
    MOST_LINES,
    FileRefused,
    Imported,
    PlanChanged,
    PlayersAsked,
    names_asked,
    preview_players,
)
from tournaments.services.imports.files import import_players as store_players
from tournaments.services.imports.records import (
    COLUMNS,
    RecordFile,
    RecordsAsked,
    RecordsPlan,
    fault_text,
    preview_records,
    record_files,
)
from tournaments.services.imports.records import import_records as store_records
from tournaments.services.imports.results import ResultsAsked, ResultsPlan, preview_results
from tournaments.services.imports.results import import_results as store_results
from tournaments.web.base.name_lists import meant_by
from tournaments.web.imports.cells import read_rows
from tournaments.web.imports.columns import read_players, read_results
from tournaments.web.imports.forms import PlayersForm, RecordsForm, ResultsForm
from tournaments.web.imports.keeping import Upload, upload_of
from tournaments.web.imports.preview import evenings_of_records, evenings_of_results, wrong_files


@never_cache
@require_safe
def imports(request: HttpRequest, slug: str) -> HttpResponse:
    """List the possible imports."""
    club = directed_club(request, slug)
    page = {"club": club, "owns": role_in(request, club) == Role.OWNER}
    return render(request, "tournaments/imports/imports.html", page)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def import_players(request: HttpRequest, slug: str) -> HttpResponse:
    """Import players from a table."""
    page = _Page(request, directed_club(request, slug), "players", PlayersForm())
    if request.method != "POST":
        return page.shown()
    try:
        upload = upload_of(request, page.club, "players", _rows)
        read = read_players(upload.content)
    except FileRefused as error:
        return page.refused(error)
    skip = frozenset(int(n) for n in request.POST.getlist("skip") if n.isdecimal() and len(n) < 7)
    asked = PlayersAsked(read.lines, read.faults, skip)
    if request.POST.get("what") == "skip":
        faults = preview_players(page.club, asked).faults
        asked = replace(asked, skip=skip | {fault.line for fault in faults})

    def store(seen: str, by: Actor, at: datetime) -> str:
        added = store_players(page.club.pk, asked, seen, by, at=at)
        text = ngettext("%(number)s player is added.", "%(number)s players are added.", added)
        return text % {"number": added}

    done = page.attempt(store)
    if done is not None:
        return page.done(done, "players")
    plan = preview_players(page.club, asked)
    lines = [(each, fault_text(each.fault) if each.fault else "") for each in plan.seen]
    columns = [(each.heading, COLUMNS.get(each.field, "")) for each in read.file.columns]
    return page.preview(
        upload, plan, wrong=len(plan.faults), lines=lines, columns=columns, file=read.file
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def import_results(request: HttpRequest, slug: str) -> HttpResponse:
    """Import results of past evenings from a table."""
    club = directed_club(request, slug)
    posted = request.POST if request.method == "POST" else None
    last = club.events.order_by("-pk").first()
    form = ResultsForm(posted, rulesets=dict(rulesets_of_club(club)), event=last)
    return _answer(_Page(request, club, "results", form), RESULTS)


def _results_asked(upload: Upload, form: ResultsForm, meant: dict[str, str]) -> ResultsAsked:
    read = read_results(
        upload.content,
        evening=form.evening_name,
        decimal=get_format("DECIMAL_SEPARATOR"),
        today=timezone.localdate(),
    )
    return ResultsAsked(
        read.lines,
        form.rules,
        options=form.options,
        early=form.cleaned_data["early"],
        meant=meant,
        faults=read.faults,
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def import_records(request: HttpRequest, slug: str) -> HttpResponse:
    """Import records of whole games."""
    form = RecordsForm(request.POST if request.method == "POST" else None)
    return _answer(_Page(request, directed_club(request, slug), "records", form), RECORDS)


def _records_asked(upload: Upload, form: RecordsForm, meant: dict[str, str]) -> RecordsAsked:
    return RecordsAsked([RecordFile(*file) for file in upload.content], form.evening_name, meant)


def _results_shown(plan: ResultsPlan, asked: ResultsAsked) -> dict[str, Any]:
    named = (line.name for line in asked.lines)
    return {
        "wrong": len(plan.faults),
        "evenings": evenings_of_results(plan),
        "faults": [(fault.line, fault_text(fault)) for fault in plan.faults],
        "names": names_asked(plan.book, named, asked.meant),
    }


def _records_shown(plan: RecordsPlan, asked: RecordsAsked) -> dict[str, Any]:
    named = (name for seen in plan.seen for name in seen.typed)
    return {
        "wrong": len(plan.wrong),
        "evenings": evenings_of_records(plan),
        "files": wrong_files(plan),
        "names": names_asked(plan.book, named, asked.meant),
    }


def _rows(files: "list[UploadedFile[Any]]") -> Any:
    return read_rows(files[0].read())


def _records(files: "list[UploadedFile[Any]]") -> Any:
    read = record_files([(file.name or "", file.read()) for file in files])
    return [[file.name, file.text] for file in read]


def _games_text(done: Imported) -> str:
    text = ngettext("%(number)s game is imported.", "%(number)s games are imported.", done.games)
    return text % {"number": done.games}


@dataclass
class _Page:
    """One of the three pages: empty, with a refusal, or with a preview."""

    request: HttpRequest
    club: Club
    name: str
    form: forms.Form

    changed: bool = False

    def attempt(self, store: Callable[[str, Actor, datetime], str]) -> str | None:
        """Import the previewed rows; return the outcome as text, None if the page shows it."""
        if self.request.POST.get("what") != "import":
            return None
        seen = self.request.POST.get("seen", "")
        try:
            return store(seen, actor_of(self.request), timezone.now())
        except PlanChanged as error:
            # Tapped twice: nothing is left to import.
            if error.plan.is_done:
                return _("All of it is there already.")
            self.changed = True
        return None

    def shown(self, upload: Upload | None = None) -> HttpResponse:
        return self._render({"kept": upload and upload.kept}, 422 if upload else 200)

    def refused(self, error: FileRefused) -> HttpResponse:
        return self._render({"refusal": str(error)}, 422)

    def preview(self, upload: Upload, plan: Any, *, wrong: int, **shown: Any) -> HttpResponse:
        details = {"kept": upload.kept, "seen": plan.mark, "plan": plan, "wrong": wrong}
        details |= {"changed": self.changed, **shown}
        return self._render(details, 422 if wrong or self.changed else 200)

    def done(self, text: str, then: str) -> HttpResponse:
        messages.success(self.request, text)
        return redirect(then, self.club.slug)

    def _render(self, details: dict[str, Any], status: int) -> HttpResponse:
        page = {"club": self.club, "form": self.form, "most": MOST_LINES, **details}
        return render(self.request, f"tournaments/imports/{self.name}.html", page, status=status)


@dataclass(frozen=True)
class _Games:
    """The import of games from files of one kind, from reading to preview."""

    kind: str
    read: Callable[["list[UploadedFile[Any]]"], Any]
    asked: Callable[[Upload, Any, dict[str, str]], Any]
    store: Callable[..., Imported]
    preview_entries: Callable[[Club, Any], Any]
    shown: Callable[[Any, Any], dict[str, Any]]


RESULTS = _Games("results", _rows, _results_asked, store_results, preview_results, _results_shown)
RECORDS = _Games(
    "records",
    _records,
    _records_asked,
    store_records,
    lambda club, asked: preview_records(club, asked, now=timezone.now()),
    _records_shown,
)


def _answer(page: _Page, games: _Games) -> HttpResponse:
    """Return a page of games for its form as far as it is filled in."""
    if page.request.method != "POST":
        return page.shown()
    try:
        upload = upload_of(page.request, page.club, games.kind, games.read)
        if not page.form.is_valid():
            return page.shown(upload)
        asked = games.asked(upload, page.form, meant_by(page.request.POST))
    except FileRefused as error:
        return page.refused(error)

    def store(seen: str, by: Actor, at: datetime) -> str:
        return _games_text(games.store(page.club.pk, asked, seen, by, at=at))

    done = page.attempt(store)
    if done is not None:
        return page.done(done, "events")
    plan = games.preview_entries(page.club, asked)
    return page.preview(upload, plan, **games.shown(plan, asked))
