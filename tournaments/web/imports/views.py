"""Import files: uploaded, previewed, kept until they are confirmed."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime
from operator import itemgetter
from typing import Any

from django import forms
from django.contrib import messages
from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import get_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_safe

from tournaments.models import Club, Player, Role
from tournaments.models.people import fold_name
from tournaments.permissions import actor_of, directed_club, role_in
from tournaments.queries.rulesets import rulesets_of_club
from tournaments.services.audit import Actor
from tournaments.services.imports.files import FileRefused, Imported, ImportFault, PlanChanged, Who
from tournaments.services.imports.names import (
    PlayersPlan,
    PlayersRequest,
    name_questions,
    preview_players,
)
from tournaments.services.imports.names import import_players as store_players
from tournaments.services.imports.records import (
    COLUMNS,
    RecordFile,
    RecordSeen,
    RecordsRequest,
    fault_text,
    preview_records,
    record_files,
    record_texts,
)
from tournaments.services.imports.records import import_records as store_records
from tournaments.services.imports.results import (
    GameSeen,
    ResultsPlan,
    ResultsRequest,
    preview_results,
)
from tournaments.services.imports.results import import_results as store_results
from tournaments.texts import labels
from tournaments.web.base.forms import LineField
from tournaments.web.base.pages import name_choices
from tournaments.web.events.forms import OfferForm
from tournaments.web.imports.columns import read_players, read_results, read_rows

TABLES = ".csv,.tsv,.txt,.xlsx"


class FilesInput(forms.FileInput):
    allow_multiple_selected = True


def _evening(help_text: Any) -> forms.CharField:
    return LineField(
        label=gettext_lazy("Name of an evening that has none"),
        help_text=help_text,
        required=False,
    )


class PlayersForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("A file: CSV or XLSX"),
        required=False,
        widget=forms.FileInput(attrs={"accept": TABLES}),
    )


class RecordsForm(forms.Form):
    """Files of records, and the name of their evenings."""

    file = forms.FileField(
        label=gettext_lazy("Files: JSON, JSON Lines, or all of them in one ZIP"),
        required=False,
        widget=FilesInput(attrs={"accept": ".json,.jsonl,.zip"}),
    )
    evening = _evening(gettext_lazy("The title of a record is the name of its evening."))


class ResultsForm(OfferForm):
    """A file of results, the game, and the name of the evenings."""

    file = forms.FileField(
        label=gettext_lazy("A file: CSV or XLSX"),
        required=False,
        widget=forms.FileInput(attrs={"accept": TABLES}),
    )
    evening = _evening("")
    early = forms.BooleanField(
        label=gettext_lazy("Some games ended before their last deal: do not check the sums"),
        required=False,
    )

    OWN = ("file", "evening", "early")


A_DAY = 24 * 60 * 60

LARGEST_KEPT = 1_800_000
"""Maximum size of the kept data in a form, below that of the largest body."""

SALT = "kingscore.importing.1"


def upload_of(
    request: HttpRequest, club: Club, kind: str, read: Callable[["list[UploadedFile[Any]]"], Any]
) -> tuple[Any, str]:
    """Return the data of a form as JSON values, and as a text for a hidden field.

    They are those of files, read by `read`, or else the data kept before, which expire after a day,
    and are valid only on their own page.

    Raises: FileRefused: neither of the two, or too much to send back.
    """
    files = request.FILES.getlist("file")
    if files:
        content = read(files)
        text = signing.dumps([kind, club.pk, content], salt=SALT, compress=True)
        if len(text) > LARGEST_KEPT:
            raise FileRefused("large")
        return content, text
    text = request.POST.get("kept", "")
    if not text:
        raise FileRefused("nothing")
    try:
        *about, content = signing.loads(text, salt=SALT, max_age=A_DAY)
    except signing.BadSignature as error:
        raise FileRefused("forgotten") from error
    if about != [kind, club.pk]:
        raise FileRefused("forgotten")
    return content, text


Row = dict[str, Any]


def evenings_of(tables: Iterable[tuple[date, str, Row]]) -> list[Row]:
    """Return evenings in order, each with its tables by round and number."""
    evenings: dict[tuple[date, str], Row] = {}
    for day, name, table in tables:
        new = {"day": day, "name": name, "tables": []}
        evenings.setdefault((day, fold_name(name)), new)["tables"].append(table)
    for evening in evenings.values():
        evening["tables"].sort(key=lambda table: (table["round"], table["table"]))
    return [evening for _key, evening in sorted(evenings.items(), key=itemgetter(0))]


def _table_of(game: GameSeen) -> Row:
    faults: dict[int, list[ImportFault]] = defaultdict(list)
    for fault in game.faults:
        faults[fault.line].append(fault)
    seats = [
        {
            "number": line.number,
            **_called(who, line.name),
            "points": "" if line.points is None else labels.points_text(line.points),
            "problems": list(map(fault_text, faults[line.number])),
        }
        for line, who in zip(game.lines, game.who, strict=True)
    ]
    return {
        "round": game.first.round or 0,
        "table": game.first.table or 0,
        "seats": seats,
        "there": game.there,
        "wrong": any(seat["problems"] for seat in seats),
    }


def _table_of_record(seen: RecordSeen) -> Row:
    assert seen.game is not None
    totals: Sequence[Any] = seen.game.totals
    sides = seen.game.ruleset.sides
    seats = [
        {"number": n, **_called(who, typed), "points": labels.points_text(totals[side])}
        for n, (who, typed, side) in enumerate(zip(seen.who, seen.typed, sides, strict=True), 1)
    ]
    return {
        "round": seen.round,
        "table": seen.table,
        "seats": seats,
        "there": seen.there,
        "file": seen.file.name,
        "unfinished": not seen.game.finished,
    }


def _called(who: Who | None, typed: str) -> Row:
    if isinstance(who, Player):
        return {"name": who.name, "new": False}
    return {"name": who or typed or "–", "new": who is not None}


@require_safe
def imports(request: HttpRequest, slug: str) -> HttpResponse:
    club = directed_club(request, slug)
    page = {"club": club, "owns": role_in(request, club) == Role.OWNER}
    return render(request, "tournaments/imports/imports.html", page)


def import_players(request: HttpRequest, slug: str) -> HttpResponse:
    page = _Page(request, directed_club(request, slug), "players", PlayersForm())
    if request.method != "POST":
        return page.render({})
    try:
        read = read_players(page.receive(_rows))
    except FileRefused as error:
        return page.refused(error)
    skip = frozenset(int(n) for n in request.POST.getlist("skip") if n.isdecimal() and len(n) < 7)
    order = PlayersRequest(read.lines, read.faults, skip)
    if request.POST.get("what") == "skip":
        faults = preview_players(page.club, order).faults
        order = replace(order, skip=skip | {fault.line for fault in faults})

    def store(seen: str, by: Actor, at: datetime) -> str:
        added = store_players(page.club.pk, order, seen, by, at=at)
        text = ngettext("%(number)s player is added.", "%(number)s players are added.", added)
        return text % {"number": added}

    if done := page.attempt(store, "players"):
        return done
    plan = preview_players(page.club, order)
    lines = [(each, fault_text(each.fault) if each.fault else "") for each in plan.seen]
    columns = [(column.heading, COLUMNS.get(column.field, "")) for column in read.file.columns]
    return page.preview(
        plan,
        wrong=len(plan.faults),
        lines=lines,
        columns=columns,
        file=read.file,
        faults=_fault_lines(plan),
    )


def _fault_lines(plan: PlayersPlan | ResultsPlan) -> list[tuple[int, str]]:
    return [(fault.line, fault_text(fault)) for fault in plan.faults]


def import_results(request: HttpRequest, slug: str) -> HttpResponse:
    """Import results of past evenings from a table."""
    club = directed_club(request, slug)
    posted = request.POST if request.method == "POST" else None
    last = club.events.order_by("-pk").first()
    form = ResultsForm(posted, rulesets=dict(rulesets_of_club(club)), event=last)
    page = _Page(request, club, "results", form)
    if posted is None:
        return page.render({})
    try:
        rows = page.receive(_rows)
        if not form.is_valid():
            return page.render({}, 422)
        read = read_results(
            rows,
            evening=form.cleaned_data.get("evening") or _("Evening"),
            decimal=get_format("DECIMAL_SEPARATOR"),
            today=timezone.localdate(),
        )
    except FileRefused as error:
        return page.refused(error)
    order = ResultsRequest(
        read.lines,
        form.rules,
        options=form.options,
        early=form.cleaned_data["early"],
        choices=name_choices(posted),
        faults=read.faults,
    )

    def store(seen: str, by: Actor, at: datetime) -> str:
        return _games_text(store_results(club.pk, order, seen, by, at=at))

    if done := page.attempt(store, "events"):
        return done
    plan = preview_results(club, order)
    tables = ((g.first.day, g.first.evening, _table_of(g)) for g in plan.games if g.first.day)
    return page.preview(
        plan,
        wrong=len(plan.faults),
        evenings=evenings_of(tables),
        faults=_fault_lines(plan),
        names=name_questions(plan.book, (line.name for line in order.lines), order.choices),
    )


def import_records(request: HttpRequest, slug: str) -> HttpResponse:
    club = directed_club(request, slug)
    posted = request.POST if request.method == "POST" else None
    form = RecordsForm(posted)
    page = _Page(request, club, "records", form)
    if posted is None:
        return page.render({})
    try:
        files = [RecordFile(*file) for file in page.receive(_records)]
    except FileRefused as error:
        return page.refused(error)
    if not form.is_valid():
        return page.render({}, 422)
    order = RecordsRequest(
        files, form.cleaned_data.get("evening") or _("Evening"), name_choices(posted)
    )

    def store(seen: str, by: Actor, at: datetime) -> str:
        return _games_text(store_records(club.pk, order, seen, by, at=at))

    if done := page.attempt(store, "events"):
        return done
    plan = preview_records(club, order, now=timezone.now())
    tables = ((each.day, each.evening, _table_of_record(each)) for each in plan.seen if each.fits)
    return page.preview(
        plan,
        wrong=len(plan.wrong),
        evenings=evenings_of(tables),
        files=[(each.file.name, record_texts(each)) for each in plan.wrong],
        names=name_questions(
            plan.book, (name for each in plan.seen for name in each.typed), order.choices
        ),
    )


def _rows(files: "list[UploadedFile[Any]]") -> Any:
    return read_rows(files[0].read())


def _records(files: "list[UploadedFile[Any]]") -> Any:
    read = record_files([(file.name or "", file.read()) for file in files])
    return [[file.name, file.text] for file in read]


def _games_text(done: Imported) -> str:
    text = ngettext("%(number)s game is imported.", "%(number)s games are imported.", done.games)
    return text % {"number": done.games}


TEXTS = {
    "players": (gettext_lazy("Import players"), gettext_lazy("Another file")),
    "results": (gettext_lazy("Import results"), gettext_lazy("Another file, another game")),
    "records": (gettext_lazy("Import records"), gettext_lazy("Other files")),
}
"""The title of each page, and what its preview offers instead of the file."""


class _Page:
    """One of the three pages: empty, with a refusal, or with a preview."""

    def __init__(self, request: HttpRequest, club: Club, kind: str, form: forms.Form) -> None:
        self.request, self.club, self.kind, self.form = request, club, kind, form
        self.kept, self.changed = "", False

    def receive(self, read: Callable[["list[UploadedFile[Any]]"], Any]) -> Any:
        """Return the data uploaded, or kept in the form, which the page sends back.

        Raises: FileRefused: as `upload_of`.
        """
        content, self.kept = upload_of(self.request, self.club, self.kind, read)
        return content

    def attempt(
        self, store: Callable[[str, Actor, datetime], str], then: str
    ) -> HttpResponse | None:
        """Import the previewed rows and redirect; None if the page shows the outcome."""
        if self.request.POST.get("what") != "import":
            return None
        try:
            text = store(self.request.POST.get("seen", ""), actor_of(self.request), timezone.now())
        except PlanChanged as error:
            if not error.plan.is_done:
                self.changed = True
                return None
            # Tapped twice: nothing is left to import.
            text = _("All of it is there already.")
        messages.success(self.request, text)
        return redirect(then, self.club.slug)

    def refused(self, error: FileRefused) -> HttpResponse:
        self.kept = ""
        return self.render({"refusal": str(error)}, 422)

    def preview(self, plan: Any, *, wrong: int, **details: Any) -> HttpResponse:
        details |= {"seen": plan.mark, "plan": plan, "wrong": wrong, "changed": self.changed}
        return self.render(details, 422 if wrong or self.changed else 200)

    def render(self, details: dict[str, Any], status: int = 200) -> HttpResponse:
        title, others = TEXTS[self.kind]
        page = {"club": self.club, "form": self.form, "kind": self.kind, "title": title}
        # `new.js` looks for the table that a game will be played at.
        form_id = "table" if self.kind == "results" else "import"
        page |= {"others": others, "form_id": form_id, "kept": self.kept}
        template = "tournaments/imports/import.html"
        return render(self.request, template, page | details, status=status)
