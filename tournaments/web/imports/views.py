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
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import get_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_safe

from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.models import Club, Player, Role
from tournaments.models.people import fold_name
from tournaments.permissions import actor_of, directed_club, role_in
from tournaments.queries.rulesets import rulesets_of_club
from tournaments.services.audit import Actor
from tournaments.services.imports.files import (
    FileRefused,
    Imported,
    ImportFault,
    PlanChanged,
    Who,
    Wrong,
)
from tournaments.services.imports.names import (
    PlayerLine,
    PlayerSeen,
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
    ResultLine,
    ResultsPlan,
    ResultsRequest,
    preview_results,
)
from tournaments.services.imports.results import import_results as store_results
from tournaments.texts import labels
from tournaments.web.base.forms import TYPED, LineField, warn_of_boxes
from tournaments.web.base.pages import name_choices
from tournaments.web.events.forms import OfferForm
from tournaments.web.imports.reading import (
    LARGEST_TEXT,
    MOST_COLUMNS,
    PLAYERS,
    RESULTS,
    ReadList,
    read_count,
    read_days,
    read_list,
    read_points_of,
    read_yes,
    text_of,
)


class ListForm(forms.Form):
    """A list, pasted or as a file."""

    list = forms.CharField(
        label=gettext_lazy("A list, one line each"),
        required=False,
        max_length=LARGEST_TEXT,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8, "wrap": "off", **TYPED}),
    )
    file = forms.FileField(
        label=gettext_lazy("Or a file: CSV or XLSX"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx"}),
    )


class FilesInput(forms.FileInput):
    allow_multiple_selected = True


class RecordsForm(forms.Form):
    """Files of records, and the name of their evenings."""

    file = forms.FileField(
        label=gettext_lazy("Files: JSON, JSON Lines, or all of them in one ZIP"),
        required=False,
        widget=FilesInput(attrs={"accept": ".json,.jsonl,.zip"}),
    )
    evening = LineField(
        label=gettext_lazy("Name of an evening that has none"),
        help_text=gettext_lazy("The title of a record is the name of its evening."),
        required=False,
    )


class ResultsForm(ListForm, OfferForm):
    """A list of results, the game, and the name of the evenings."""

    evening = LineField(label=gettext_lazy("Name of an evening that has none"), required=False)
    early = forms.BooleanField(
        label=gettext_lazy("Some games ended before their last deal: do not check the sums"),
        required=False,
    )

    OWN = ("list", "file", "evening", "early")


A_DAY = 24 * 60 * 60

LARGEST_KEPT = 1_800_000
"""Maximum size of the kept data in a form, below that of the largest body."""

SALT = "kingscore.importing.1"


def records_of(request: HttpRequest, club: Club) -> tuple[list[RecordFile], str]:
    """Return the records of a form, and a text of them for a hidden field.

    They are those of files, or else those of the hidden field, which expire after a day and are
    valid only for their club.

    Raises: FileRefused: neither of the two, or too much to send back.
    """
    files = request.FILES.getlist("file")
    if files:
        records = record_files([(file.name or "", file.read()) for file in files])
        content = [[file.name, file.text] for file in records]
        text = signing.dumps([club.pk, content], salt=SALT, compress=True)
        if len(text) > LARGEST_KEPT:
            raise FileRefused("large")
        return records, text
    text = request.POST.get("kept", "")
    if not text:
        raise FileRefused("nothing")
    try:
        owner, content = signing.loads(text, salt=SALT, max_age=A_DAY)
    except signing.BadSignature as error:
        raise FileRefused("forgotten") from error
    if owner != club.pk:
        raise FileRefused("forgotten")
    return [RecordFile(*file) for file in content], text


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


def import_players(request: HttpRequest, slug: str, form: ListForm | None = None) -> HttpResponse:
    """Import players from a list; `form` has one that was typed on another page."""
    club = directed_club(request, slug)
    form = form or ListForm(*(request.POST, request.FILES) if request.method == "POST" else ())
    page = ListPage(request, club, "players", form)
    if not form.is_bound:
        return page.render({})
    try:
        typed = typed_list(request.POST, form, PLAYERS)
    except FileRefused as error:
        return page.refused(error)
    faults, lines = _faults(typed), []
    for line in typed.lines:
        cell = line.cells.get("initials", "")
        initials = read_yes(cell)
        if initials is None:
            faults.append(ImportFault(Wrong.NO_YES, line.number, "initials", {"text": cell[:40]}))
        lines.append(PlayerLine(line.number, line.name, initials=bool(initials)))
    order = PlayersRequest(lines, faults, typed.skip)
    plan = preview_players(club, order)
    if page.what == "skip":
        order = replace(order, skip=typed.skip | {fault.line for fault in plan.faults})
        plan = preview_players(club, order)

    def store(seen: str, by: Actor, at: datetime) -> str:
        return added_sentence(store_players(club.pk, order, seen, by, at=at))

    if not typed.missing and (done := page.attempt(store, page_of_players(club))):
        warn_of_boxes(request, *(line.name for line in lines))
        return done
    return page.preview(
        plan.mark,
        typed=typed,
        faults=_fault_lines(plan),
        lines=[_line_of(each) for each in plan.seen],
        new=[line.name for line in plan.new],
        number=len(plan.new),
    )


def page_of_players(club: Club) -> str:
    """Return the page after players were added: of a club without events its own."""
    return "players" if club.events.exists() else "club"


def added_sentence(number: int) -> str:
    text = ngettext("%(number)s player is added.", "%(number)s players are added.", number)
    return text % {"number": number}


def _line_of(each: PlayerSeen) -> Row:
    player, line = each.player, each.line
    initials = each.is_new and line.initials
    return {
        "number": line.number,
        "names": [(line.name, each.is_new)],
        "detail": _("shown by initials") if initials else "",
        "known": player and (f": {player.name}" if player.name != line.name else " "),
        "like": [] if player else each.like,
        "problem": fault_text(each.fault) if each.fault else "",
        "skipped": each.skipped,
    }


def _fault_lines(plan: PlayersPlan | ResultsPlan) -> list[tuple[int, str]]:
    return [(fault.line, fault_text(fault)) for fault in plan.faults]


def import_results(request: HttpRequest, slug: str) -> HttpResponse:
    """Import results of past evenings from a list."""
    club = directed_club(request, slug)
    posted = request.POST if request.method == "POST" else None
    last = club.events.order_by("-pk").first()
    form = ResultsForm(posted, rulesets=dict(rulesets_of_club(club)), event=last)
    form.files = request.FILES
    page = ListPage(request, club, "results", form)
    if posted is None:
        return page.render({})
    try:
        if not form.is_valid():
            return page.render({}, 422)
        typed = typed_list(request.POST, form, RESULTS)
    except FileRefused as error:
        return page.refused(error)
    lines, faults = result_lines(
        typed,
        evening=form.cleaned_data.get("evening") or _("Evening"),
        decimal=get_format("DECIMAL_SEPARATOR"),
        today=timezone.localdate(),
    )
    order = ResultsRequest(
        lines,
        form.rules,
        options=form.options,
        early=form.cleaned_data["early"],
        choices=name_choices(posted),
        faults=faults,
    )

    def store(seen: str, by: Actor, at: datetime) -> str:
        return _games_text(store_results(club.pk, order, seen, by, at=at))

    if not typed.missing and (done := page.attempt(store, "events")):
        return done
    plan = preview_results(club, order)
    tables = ((g.first.day, g.first.evening, _table_of(g)) for g in plan.games if g.first.day)
    return page.preview(
        plan.mark,
        typed=typed,
        faults=_fault_lines(plan),
        evenings=evenings_of(tables),
        names=name_questions(plan.book, (line.name for line in order.lines), order.choices),
        new=plan.new_names,
        number=len(plan.to_write),
    )


def import_records(request: HttpRequest, slug: str) -> HttpResponse:
    club = directed_club(request, slug)
    posted = request.POST if request.method == "POST" else None
    form = RecordsForm(posted)
    page = ListPage(request, club, "records", form)
    if posted is None:
        return page.render({})
    try:
        files, page.kept = records_of(request, club)
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
        plan.mark,
        evenings=evenings_of(tables),
        files=[(each.file.name, record_texts(each)) for each in plan.wrong],
        names=name_questions(
            plan.book, (name for each in plan.seen for name in each.typed), order.choices
        ),
        new=plan.new_names,
        number=len(plan.to_write),
    )


def _games_text(done: Imported) -> str:
    text = ngettext("%(number)s game is imported.", "%(number)s games are imported.", done.games)
    return text % {"number": done.games}


def typed_list(
    data: QueryDict, form: forms.Form, fields: Sequence[str], *, pairs: bool = False
) -> ReadList:
    """Return the list of a form. What was chosen for one before does not count for a file.

    Raises: FileRefused: there is none, or it cannot be read.
    """
    if not form.is_valid():
        raise FileRefused("large")
    file, text = form.cleaned_data["file"], form.cleaned_data["list"]
    if file:
        return read_list(text_of(file.read()), fields, pairs=pairs)
    if not text.strip():
        raise FileRefused("no-list")
    places = [f"column.{place}" for place in range(MOST_COLUMNS)]
    menus = not data.keys().isdisjoint(places)
    chosen = [data.get(place, "?") for place in places] if menus else []
    read = read_list(text, fields, chosen, pairs=pairs)
    skip = frozenset(int(n) for n in data.getlist("skip") if n.isdecimal() and len(n) < 7)
    return replace(read.as_names() if data.get("as_names") else read, skip=skip)


def _faults(read: ReadList, name: str = "name") -> list[ImportFault]:
    """Return the faults found in reading a list; `name` is what its column of names is called."""
    faults = [line.fault for line in read.lines if line.fault]
    return [replace(f, column=name if f.column == "name" else f.column) for f in faults]


def result_lines(
    read: ReadList, *, evening: str, decimal: str, today: date
) -> tuple[list[ResultLine], list[ImportFault]]:
    """Return the lines of a list of results, and their faults.

    `evening` is the default name, `decimal` the decimal mark of the reader's language.
    """
    lines: list[ResultLine] = []
    faults = _faults(read, "player")
    days = read_days(line.cells["date"] for line in read.lines)
    points = read_points_of((line.cells["points"] for line in read.lines), decimal)
    for line, day, number in zip(read.lines, days, points, strict=True):
        cells = line.cells
        name = cells.get("evening") or evening
        round_, table = (read_count(cells.get(key) or "1") for key in ("round", "table"))
        wrong = {"date": Wrong.NO_DAY} if day is None else {}
        if day and day > today:
            wrong["date"] = Wrong.DAY_TO_COME
        wrong |= {"round": Wrong.NO_NUMBER} if round_ is None else {}
        wrong |= {"table": Wrong.NO_NUMBER} if table is None else {}
        wrong |= {"evening": Wrong.TOO_LONG} if len(name) > LONGEST_NAME else {}
        wrong |= {"points": Wrong.NO_POINTS} if number is None else {}
        for key, code in wrong.items():
            text = cells.get(key, "")
            why = Wrong.FORMULA if text.startswith("=") else code if text else Wrong.EMPTY
            params = {"text": text[:40], "most": LONGEST_NAME}
            faults.append(ImportFault(why, line.number, key, params))
        lines.append(
            ResultLine(line.number, day, name[:LONGEST_NAME], round_, table, line.name, number)
        )
    return lines, faults


TITLES = {
    "players": gettext_lazy("Add players"),
    "results": gettext_lazy("Import results"),
    "records": gettext_lazy("Import records"),
}


def list_page(read: ReadList, new: Iterable[str]) -> Row:
    """Return what the preview shows of a list, with names of new players."""
    renames = {} if read.is_renamed else read.renames
    return {
        "typed": read,
        "menu": [(name, COLUMNS[name]) for name in read.fields],
        "missing": ", ".join(str(COLUMNS[name]) for name in read.missing),
        # New names that would be written otherwise, with how.
        "renamed": [(name, renames[name]) for name in new if name in renames],
    }


class ListPage:
    """One of the three pages: empty, with a refusal, or with a preview."""

    def __init__(self, request: HttpRequest, club: Club, kind: str, form: forms.Form) -> None:
        self.request, self.club, self.kind, self.form = request, club, kind, form
        self.what = request.POST.get("what", "")
        self.kept, self.changed = "", False

    def attempt(
        self, store: Callable[[str, Actor, datetime], str], then: str
    ) -> HttpResponse | None:
        """Import the previewed rows and redirect; None if the page shows the outcome."""
        if self.what != "import":
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
        return self.render({"refusal": str(error)}, 422)

    def preview(self, seen: str, **details: Any) -> HttpResponse:
        wrong = details.get("faults") or details.get("files")
        typed: ReadList | None = details.get("typed")
        if typed:
            details |= list_page(typed, details["new"])
        details |= {"seen": seen, "wrong": wrong, "changed": self.changed}
        refused = wrong or details.get("missing") or self.changed
        return self.render(details, 422 if refused else 200)

    def render(self, details: dict[str, Any], status: int = 200) -> HttpResponse:
        # `new.js` looks for the table that a game will be played at.
        form_id = "table" if self.kind == "results" else "list"
        page = {
            "club": self.club,
            "form": self.form,
            "kind": self.kind,
            "title": TITLES[self.kind],
            "form_id": form_id,
            "kept": self.kept,
        }
        template = "tournaments/imports/import.html"
        return render(self.request, template, page | details, status=status)
